"""Reads a USD file with Pixar's library and compares it with the frames that were written.

Usage: check_usd.py FILE EXPECTED.json
"""

import json
import sys

import numpy as np
from pxr import Usd, UsdGeom


def main(path, expected_path):
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    stage = Usd.Stage.Open(path)
    check_stage(stage, expected)
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim().GetChildren()[0])
    numbers = [frame["number"] for frame in expected["frames"]]
    assert mesh.GetPointsAttr().GetTimeSamples() == numbers, "time samples"
    assert mesh.GetSubdivisionSchemeAttr().Get() == "none", "subdivision scheme"
    assert mesh.GetOrientationAttr().Get() == "rightHanded", "orientation"
    worst = max(check_frame(mesh, frame) for frame in expected["frames"])
    check_yarns(stage.GetDefaultPrim(), expected["frames"])
    print(f"{path}: {len(numbers)} frames, largest position error {worst:g} m")


def check_yarns(cloth, frames):
    prim = cloth.GetChild("yarns")
    assert prim.IsValid() == ("yarns" in frames[0]), "yarns"
    if not prim.IsValid():
        return
    curves = UsdGeom.BasisCurves(prim)
    assert curves.GetTypeAttr().Get() == "cubic", "type"
    assert curves.GetBasisAttr().Get() == "catmullRom", "basis"
    assert curves.GetWrapAttr().Get() == "pinned", "wrap"
    assert curves.GetWidthsInterpolation() == "constant", "widths"
    for frame in frames:
        number, yarns = frame["number"], frame["yarns"]
        counts = list(curves.GetCurveVertexCountsAttr().Get(number))
        assert counts == yarns["counts"], f"frame {number}: points of yarns {counts}"
        points = np.array(curves.GetPointsAttr().Get(number))
        np.testing.assert_allclose(points, yarns["points"], rtol=0, atol=2e-7)
        velocities = np.array(curves.GetVelocitiesAttr().Get(number), "f4")
        np.testing.assert_array_equal(velocities, np.array(yarns["velocities"], "f4"))
        assert np.float32(curves.GetWidthsAttr().Get(number)) == np.float32([yarns["width"]])
        half = yarns["width"] / 2
        extent = np.array(curves.GetExtentAttr().Get(number))
        wanted = [points.min(axis=0) - half, points.max(axis=0) + half]
        np.testing.assert_allclose(extent, wanted, rtol=0, atol=1e-6)


def check_stage(stage, expected):
    frames = expected["frames"]
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1, "metres"
    assert UsdGeom.GetStageUpAxis(stage) == "Y", "up axis"
    assert stage.GetTimeCodesPerSecond() == expected["rate"], "time codes per second"
    assert stage.GetFramesPerSecond() == expected["rate"], "frames per second"
    assert stage.GetStartTimeCode() == frames[0]["number"], "start"
    assert stage.GetEndTimeCode() == frames[-1]["number"], "end"


def check_frame(mesh, frame):
    number = frame["number"]
    positions = np.array(frame["positions"])
    points = np.array(mesh.GetPointsAttr().Get(number))
    assert points.shape == positions.shape, f"frame {number}: {points.shape} points"
    check_faces(mesh, frame)
    velocities = np.array(mesh.GetVelocitiesAttr().Get(number))
    np.testing.assert_array_equal(velocities.astype("f4"), np.array(frame["velocities"], "f4"))
    extent = np.array(mesh.GetExtentAttr().Get(number))
    np.testing.assert_array_equal(extent, [points.min(axis=0), points.max(axis=0)])
    normals = np.array(mesh.GetNormalsAttr().Get(number))
    assert mesh.GetNormalsInterpolation() == "vertex", "normals belong to vertices"
    assert normals.shape == points.shape, f"frame {number}: {normals.shape} normals"
    lengths = np.linalg.norm(normals, axis=1)
    assert abs(lengths - 1).max() < 2e-4, f"frame {number}: a normal is not of length one"
    error = abs(points - positions).max()
    assert error == 0, f"frame {number}: positions differ by {error}"
    return error


def check_faces(mesh, frame):
    number = frame["number"]
    counts = mesh.GetFaceVertexCountsAttr().Get(number)
    corners = mesh.GetFaceVertexIndicesAttr().Get(number)
    valid, why = UsdGeom.Mesh.ValidateTopology(corners, counts, len(frame["positions"]))
    assert valid, f"frame {number}: {why}"
    assert list(counts) == frame["counts"], f"frame {number}: face counts"
    assert list(corners) == frame["corners"], f"frame {number}: corners"
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    assert st.HasValue() == bool(frame["uvs"]), "texture coordinates"
    if frame["uvs"]:
        assert st.GetInterpolation() == "faceVarying", "texture coordinates belong to corners"
        # Between two samples even equal numbers go through a sum.
        uvs = np.array(st.ComputeFlattened(number))
        np.testing.assert_allclose(uvs, frame["uvs"], rtol=0, atol=1e-6)


if __name__ == "__main__":
    main(*sys.argv[1:])
