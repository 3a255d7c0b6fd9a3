"""Reads exported files with NumPy and trimesh and compares them with what was exported.

Usage: check_npz.py FOLDER

FOLDER has `expected.json` (the run: rate, frame numbers, times, positions, velocities, faces and
texture coordinates) and the files `run.npz` and `run_NNNN.obj`, `.ply`, `.stl`. Doubles must
agree to the last bit; STL has single precision.
"""

import json
import pathlib
import sys

import numpy
from trimesh.exchange.obj import load_obj
from trimesh.exchange.ply import load_ply
from trimesh.exchange.stl import load_stl


def check(what, actual, expected):
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    if actual.shape != expected.shape:
        sys.exit(f"{what}: the shape is {actual.shape}, not {expected.shape}")
    wrong = numpy.argwhere(actual != expected)
    if len(wrong):
        at = tuple(wrong[0])
        sys.exit(f"{what}: {len(wrong)} values differ; at {at} {actual[at]!r}, not {expected[at]!r}")
    print(f"{what}: {actual.size} values agree")


def fan(face):
    return [[face[0], face[i - 1], face[i]] for i in range(2, len(face))]


def check_npz(path, expected):
    with numpy.load(path, allow_pickle=False) as arrays:
        names = ["positions", "velocities", "times", "frames", "rate"]
        faces = ["face_counts", "face_corners", "triangles"]
        uvs = ["uvs"] if expected["uvs"] else []
        if sorted(arrays.files) != sorted(names + faces + uvs):
            sys.exit(f"npz: the arrays are {arrays.files}")
        for name in names + uvs:
            check(f"npz {name}", arrays[name], expected[name])
            if name != "frames" and arrays[name].dtype != numpy.float64:
                sys.exit(f"npz {name}: the type is {arrays[name].dtype}")
        check("npz face_counts", arrays["face_counts"], [len(f) for f in expected["faces"]])
        check("npz face_corners", arrays["face_corners"], sum(expected["faces"], []))
        check("npz triangles", arrays["triangles"], sum(map(fan, expected["faces"]), []))


def load(path):
    """What trimesh reads, as arrays. Its lower level needs no imaging library."""
    with open(path, "r" if path.suffix == ".obj" else "rb") as file:
        if path.suffix == ".obj":
            (mesh,) = load_obj(file, skip_materials=True)["geometry"].values()
        elif path.suffix == ".ply":
            mesh = load_ply(file)
        else:
            mesh = load_stl(file)
    return mesh


def check_mesh(path, positions, triangles):
    mesh = load(path)
    if path.suffix == ".stl":
        corners = numpy.asarray(positions, numpy.float32)[triangles]
        check(path.name, mesh["vertices"][mesh["faces"]].astype(numpy.float32), corners)
        return
    # trimesh may cut quads along the other diagonal and repeat vertices along texture seams, so
    # what is compared are the places of the vertices and the area that the faces span.
    vertices = numpy.asarray(mesh["vertices"])
    check(path.name, numpy.unique(vertices, axis=0), numpy.unique(positions, axis=0))
    faces = sum(map(fan, numpy.asarray(mesh["faces"]).tolist()), [])
    found, wanted = area(vertices, faces), area(numpy.asarray(positions), triangles)
    if not numpy.isclose(found, wanted, rtol=1e-12):
        sys.exit(f"{path.name}: the area is {found}, not {wanted}")


def area(positions, triangles):
    a, b, c = numpy.moveaxis(positions[numpy.asarray(triangles)], 1, 0)
    return numpy.linalg.norm(numpy.cross(b - a, c - a), axis=1).sum() / 2


def check_uvs(path, expected):
    """Every pair of a place and a texture coordinate that a corner has, and no other."""
    mesh = load(path)
    positions = numpy.asarray(expected["positions"][0])
    wanted = numpy.hstack([positions[sum(expected["faces"], [])], expected["uvs"]])
    found = numpy.hstack([mesh["vertices"], mesh["visual"].uv])
    check(f"{path.name} uvs", numpy.unique(found, axis=0), numpy.unique(wanted, axis=0))


def main(folder):
    expected = json.loads((folder / "expected.json").read_text())
    check_npz(folder / "run.npz", expected)
    triangles = sum(map(fan, expected["faces"]), [])
    # trimesh takes all lists of a binary PLY to be as long as the first.
    mixed = len({len(face) for face in expected["faces"]}) > 1
    extensions = ["obj", "stl"] if mixed else ["obj", "ply", "stl"]
    for number, positions in zip(expected["frames"], expected["positions"]):
        for extension in extensions:
            check_mesh(folder / f"run_{number:04}.{extension}", positions, triangles)
    if expected["uvs"]:
        check_uvs(folder / f"run_{expected['frames'][0]:04}.obj", expected)
    print("all agree")


main(pathlib.Path(sys.argv[1]))
