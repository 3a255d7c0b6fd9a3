# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that tears: its mesh and yarns come into the scene frame by frame, and stay what the artist
made of them."""

import time

import bpy
import numpy as np
import pytest
from conftest import addon, bake, ball, choose, evaluated, from_run, run_of, sheet

NEAR = 1e-6


@pytest.fixture
def cloth():
    """A sheet held at two sides, through which a ball goes."""
    bpy.context.scene.frame_end = 14
    made = sheet(cells=16, size=0.08, at=(0, 0, 0))
    made.taffeta.tear, made.taffeta.strength = True, (0.05, 0.1)
    group = made.vertex_groups.new(name="held")
    sides = [v.index for v in made.data.vertices if abs(v.co.x) > 0.039]
    group.add(sides, 1.0, "REPLACE")
    made.taffeta.pin_group = "held"
    body = ball(radius=0.012, at=(0, 0, 0.02))
    for frame, height in ((1, 0.02), (14, -0.08)):
        body.location.z = height
        body.keyframe_insert("location", frame=frame)
    choose(made)
    return made


def compare(cloth, frames):
    """The torn mesh against the run; how many vertices it had."""
    counts, shown = set(), bpy.data.objects["Sheet Torn"]
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        points = evaluated(shown)
        counts.add(len(points))
        assert np.abs(points - from_run(cloth, frame)[: len(points)]).max() < NEAR
    return counts


def look_until(cloth, frame):
    looks = addon("baking").look_at_all
    while not cloth.taffeta.baked or cloth.taffeta.baked_last < frame:
        assert looks() is not None, cloth.taffeta.problem
        time.sleep(0.02)


def test_cloth_tears_into_a_mesh_and_yarns(cloth, tmp_path):
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    torn = run_of(cloth).report[-1]["frays"]["torn"]
    assert torn > 0, "nothing tore"
    assert cloth.hide_render and not cloth.visible_get()
    assert len(compare(cloth, range(1, 15))) > 1, "the topology never changed"
    yarns = bpy.data.objects["Sheet Yarns"]
    curves = yarns.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert len(curves.curves) > 0
    assert curves.points[0].radius == pytest.approx(0.25 * 0.08 / 16, rel=1e-3)
    # It is played from the file too, by paths that begin at it.
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "test.blend"))
    cloth = bpy.data.objects["Sheet"]
    assert bpy.data.cache_files[0].filepath.startswith("//taffeta")
    compare(cloth, (14, 3, 9))
    choose(cloth)
    assert bpy.ops.taffeta.clear() == {"FINISHED"}
    assert "Sheet Torn" not in bpy.data.objects and cloth.visible_get()
    left = [bpy.data.cache_files, bpy.data.hair_curves, bpy.data.node_groups]
    assert not any(map(len, left)) and len(bpy.data.meshes) == 2


def test_torn_frames_come_as_they_are_made_and_a_bake_goes_on(cloth):
    body = bpy.data.objects["Ball"]
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    look_until(cloth, 3)
    # What was selected and active is so still.
    assert bpy.context.object == cloth and bpy.data.objects["Sheet Torn"].visible_get()
    assert not bpy.data.objects["Sheet Torn"].select_get()
    compare(cloth, (2, 1, 3))
    # A frame that is not made yet comes when it is, without a move of the playhead.
    bpy.context.scene.frame_set(cloth.taffeta.baked_last + 2)
    look_until(cloth, bpy.context.scene.frame_current)
    shown = evaluated(bpy.data.objects["Sheet Torn"])
    wanted = from_run(cloth, bpy.context.scene.frame_current)[: len(shown)]
    assert np.abs(shown - wanted).max() < NEAR
    bpy.ops.taffeta.cancel()
    reached, first = cloth.taffeta.baked_last, run_of(cloth).fingerprints
    assert reached < 14
    # What an artist adds to the result outlasts the rest of the bake, and another.
    own = bpy.data.objects["Sheet Torn"].modifiers.new("Mine", "SOLIDIFY")
    own.thickness = 0.0
    own.show_viewport = False
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    assert run_of(cloth).fingerprints[: len(first)] == first and cloth.taffeta.baked_last == 14
    compare(cloth, range(1, 15))
    body.animation_data_clear()
    body.location.z, cloth.taffeta.strength = 0.05, (5.0, 6.0)
    assert bake(cloth, over=True) == {"FINISHED"}
    assert compare(cloth, range(14, 0, -1)) == {289}, "files of the earlier bake are shown"
    assert "Mine" in bpy.data.objects["Sheet Torn"].modifiers
    assert len([thing for thing in bpy.data.objects if "taffeta_bake" in thing]) == 2


def test_whoever_edits_meanwhile_is_left_alone(cloth):
    bpy.ops.mesh.primitive_cube_add()
    other = bpy.context.object
    choose(cloth)
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    choose(other)
    bpy.ops.object.mode_set(mode="EDIT")
    look_until(cloth, 3)
    assert other.mode == "EDIT" and "Sheet Torn" not in bpy.data.objects
    bpy.ops.object.mode_set(mode="OBJECT")
    look_until(cloth, 5)
    assert bpy.context.object == other and other.select_get()
    compare(cloth, (1, 4))
    while addon("baking").look_at_all() is not None:
        time.sleep(0.02)
    # Turned into cloth that does not tear, it is itself again.
    cloth.taffeta.tear = False
    bpy.data.objects["Ball"].taffeta.role = "NONE"
    assert bake(cloth, over=True) == {"FINISHED"}, cloth.taffeta.problem
    assert "Sheet Torn" not in bpy.data.objects and cloth.visible_get() and not cloth.hide_render
