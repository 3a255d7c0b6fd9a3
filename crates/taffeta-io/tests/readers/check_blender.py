"""Imports an Alembic, USD or GLB file into Blender, plays it and compares every frame.

Usage: check_blender.py FILE EXPECTED.json
where python has Blender as a module (the package bpy). EXPECTED.json holds `rate` and `frames`,
each with `number`, `positions` (one triple a vertex, y up), `counts` and `corners` of the faces,
and `uvs` (one pair a corner, or none).
"""

import json
import sys

import bpy
import numpy as np

# Numbers take part in sums of single precision on their way through Blender.
TOLERANCE = 1e-6


def main(path, expected_path):
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # Blender's glTF importer multiplies by fps_base where it should divide, so whole rates only.
    assert expected["rate"] == round(expected["rate"]), "the rate must be a whole number"
    scene.render.fps, scene.render.fps_base = round(expected["rate"]), 1
    load(path)
    cloth = next(thing for thing in scene.objects if thing.type == "MESH")
    first = expected["frames"][0]["number"]
    # glTF starts at zero; the others keep the frames' numbers.
    shift = first if path.endswith(".glb") else 0
    errors = []
    for frame in expected["frames"]:
        scene.frame_set(frame["number"] - shift)
        errors.append(compare(cloth, frame, triangulated=path.endswith(".glb")))
        if "yarns" in frame:
            yarns = next(thing for thing in scene.objects if thing.type in ("CURVES", "CURVE"))
            errors.append(compare_yarns(yarns, frame))
    print(f"{path}: {len(errors)} frames in Blender {bpy.app.version_string}, ", end="")
    print(f"largest position error {max(errors):.3g} m")
    moved = np.ptp([frame["positions"][0] for frame in expected["frames"]], axis=0).max()
    assert moved > 100 * TOLERANCE, "a cloth at rest proves nothing"


def load(path):
    if path.endswith(".abc"):
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    elif path.endswith((".usd", ".usda", ".usdc")):
        bpy.ops.wm.usd_import(filepath=path)
    else:
        bpy.ops.import_scene.gltf(filepath=path)


def compare(cloth, frame, triangulated):
    """The largest error of a coordinate, in the axes of the file."""
    number = frame["number"]
    evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    world = np.array(evaluated.matrix_world)
    points = points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    # Blender's z is up.
    points = points[:, [0, 2, 1]] * [1, 1, -1]
    expected = np.array(frame["positions"])
    check_faces(mesh, frame, triangulated)
    if triangulated:
        # Vertices doubled along texture seams come after all others.
        assert len(points) >= len(expected), f"frame {number}: {len(points)} vertices"
        points = points[: len(expected)]
    assert points.shape == expected.shape, f"frame {number}: {len(points)} vertices"
    error = abs(points - expected).max()
    assert error < TOLERANCE, f"frame {number}: positions differ by {error}"
    return error


def compare_yarns(yarns, frame):
    """The largest error of a coordinate of a yarn."""
    number, wanted = frame["number"], frame["yarns"]
    evaluated = yarns.evaluated_get(bpy.context.evaluated_depsgraph_get())
    curves = evaluated.data
    counts = [len(curve.points) for curve in curves.curves]
    assert counts == wanted["counts"], f"frame {number}: points of yarns {counts}"
    points = np.array([tuple(point.position) for point in curves.points])
    world = np.array(evaluated.matrix_world)
    points = points @ world[:3, :3].T + world[:3, 3]
    points = points[:, [0, 2, 1]] * [1, 1, -1]
    error = abs(points - np.array(wanted["points"])).max()
    assert error < TOLERANCE, f"frame {number}: yarns differ by {error}"
    return error


def check_faces(mesh, frame, triangulated):
    number = frame["number"]
    counts = [len(polygon.vertices) for polygon in mesh.polygons]
    if triangulated:
        assert len(counts) == sum(count - 2 for count in frame["counts"]), "triangles"
        return
    assert counts == frame["counts"], f"frame {number}: face counts {counts}"
    uvs = iter(frame["uvs"])
    layer = mesh.uv_layers.active
    assert (layer is not None) == bool(frame["uvs"]), "texture coordinates"
    corners = iter(frame["corners"])
    for polygon in mesh.polygons:
        wanted = [next(corners) for _ in polygon.vertices]
        got = list(polygon.vertices)
        turns = [got[i:] + got[:i] for i in range(len(got))]
        assert wanted in turns, f"frame {number}: face {wanted} became {got}"
        if layer is not None:
            loops = (tuple(layer.uv[i].vector) for i in polygon.loop_indices)
            uv_of = dict(zip(got, loops))
            for vertex in wanted:
                error = abs(np.subtract(uv_of[vertex], next(uvs))).max()
                assert error < TOLERANCE, f"frame {number}: uv of {vertex} differs by {error}"
    assert next(corners, None) is None


if __name__ == "__main__":
    main(*sys.argv[1:])
