# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module, with the extension installed from its zip as a user would."""

import os
import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest

ADDON = "bl_ext.user_default.taffeta"


@pytest.fixture(scope="session", autouse=True)
def extension():
    zip_file = os.environ.get("TAFFETA_EXTENSION")
    assert zip_file, "TAFFETA_EXTENSION names the zip; `cargo xtask blender test` sets it"
    user = Path(os.environ["BLENDER_USER_RESOURCES"])
    shutil.rmtree(user, ignore_errors=True)
    user.mkdir(parents=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    done = bpy.ops.extensions.package_install_files(
        filepath=zip_file, repo="user_default", enable_on_install=True
    )
    assert done == {"FINISHED"} and ADDON in bpy.context.preferences.addons
    yield
    bpy.ops.preferences.addon_disable(module=ADDON)
    assert not hasattr(bpy.types.Object, "taffeta")


@pytest.fixture(autouse=True)
def empty(tmp_path):
    """A new file, saved in a folder of its own."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.preferences.addon_enable(module=ADDON)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 9
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "test.blend"))


def addon(name):
    """A module of the extension as it is installed."""
    import importlib

    return importlib.import_module(f"{ADDON}.{name}")


def choose(*things):
    bpy.ops.object.select_all(action="DESELECT")
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0]


def sheet(cells=12, size=0.5, at=(0, 0, 0.3), name="Sheet"):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size, location=at)
    cloth = bpy.context.object
    cloth.name = name
    assert bpy.ops.taffeta.make_cloth() == {"FINISHED"}
    return cloth


def ball(radius=0.12, at=(0, 0, 0), name="Ball"):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12, radius=radius, location=at)
    body = bpy.context.object
    body.name = name
    assert bpy.ops.taffeta.make_solids() == {"FINISHED"}
    return body


def bake(cloth, **options):
    choose(cloth)
    return bpy.ops.taffeta.bake(wait=True, **options)


def evaluated(thing):
    """The vertices as Blender shows them, in the world."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(shown.matrix_world)
    shown.to_mesh_clear()
    return points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def run_of(cloth):
    import taffeta

    return taffeta.Run(addon("folders").place(cloth) / "run")


def from_run(cloth, frame):
    """The same from the run's own frames."""
    positions = run_of(cloth).positions(frame)
    return positions[:, [0, 2, 1]] * [1, -1, 1] / addon("axes").metres(bpy.context.scene)
