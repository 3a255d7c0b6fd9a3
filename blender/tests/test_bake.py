# SPDX-License-Identifier: GPL-3.0-or-later
"""Three scenes by operators, baked; the mesh that Blender shows against the run's own frames."""

import time
from collections import Counter

import bpy
import numpy as np
import pytest
from conftest import addon, bake, ball, choose, evaluated, from_run, run_of, sheet

NEAR = 1e-6


def compare(cloth, frames):
    moved, unit = 0.0, addon("axes").metres(bpy.context.scene)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown = evaluated(cloth)
        assert unit * np.abs(shown - from_run(cloth, frame)).max() < NEAR
        moved = max(moved, unit * np.abs(shown - from_run(cloth, frames[0])).max())
    assert moved > 0.01, "cloth at rest proves nothing"


def test_a_sheet_falls_on_a_ball_and_survives_the_file(tmp_path):
    cloth = sheet()
    cloth.taffeta.fabric, cloth.taffeta.limit = "SILK", 1.0
    ball()
    assert bake(cloth) == {"FINISHED"}
    assert cloth.taffeta.status.startswith("frames 1 to 9, worst strain")
    compare(cloth, range(1, 10))
    # It is what the command would make of the scene that is kept.
    assert run_of(cloth).check()["holds"]
    assert bpy.ops.taffeta.check() == {"FINISHED"} and cloth.taffeta.holds
    assert "strain" in cloth.taffeta.certificate
    # Scrubbing back computes nothing.
    stamp = (addon("folders").place(cloth) / "run" / "frames").stat().st_mtime_ns
    bpy.context.scene.frame_set(3)
    assert np.abs(evaluated(cloth) - from_run(cloth, 3)).max() < NEAR
    assert (addon("folders").place(cloth) / "run" / "frames").stat().st_mtime_ns == stamp
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "test.blend"))
    cloth = bpy.data.objects["Sheet"]
    assert (cloth.taffeta.role, cloth.taffeta.fabric, cloth.taffeta.baked) == ("CLOTH", "SILK", True)
    compare(cloth, range(1, 10))
    assert cloth.modifiers["Taffeta"].filepath.startswith("//taffeta")
    # Another name does not part it from its bake.
    cloth.name = "Napkin"
    # Baking what is baked makes nothing anew.
    assert bake(cloth) == {"FINISHED"}
    assert (addon("folders").place(cloth) / "run" / "frames").stat().st_mtime_ns == stamp
    compare(cloth, range(1, 10))


def test_strain_is_a_colour_attribute():
    cloth = sheet(cells=8)
    group = cloth.vertex_groups.new(name="held")
    group.add([0, 8], 1.0, "REPLACE")
    cloth.taffeta.pin_group, cloth.taffeta.limited = "held", False
    bake(cloth)
    cloth.taffeta.show_strain = True
    bpy.context.scene.frame_set(9)
    colours = np.empty(4 * len(cloth.data.vertices), dtype=np.float32)
    cloth.data.color_attributes["taffeta_strain"].data.foreach_get("color", colours)
    colours = colours.reshape(-1, 4)
    assert colours[:, 3].min() == 1 and colours[:, :3].min() < 0.95
    bpy.context.scene.frame_set(1)
    again = np.empty(4 * len(cloth.data.vertices), dtype=np.float32)
    cloth.data.color_attributes["taffeta_strain"].data.foreach_get("color", again)
    assert np.abs(again - 1).max() < 1e-3


def dancer(cuts=3):
    """A body on two bones, of which the upper bends, and its skirt, pinned at the waist."""
    scene = bpy.context.scene
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    lower = rig.data.edit_bones[0]
    lower.head, lower.tail = (0, 0, 0), (0, 0, 0.5)
    upper = rig.data.edit_bones.new("Upper")
    upper.head, upper.tail, upper.parent = (0, 0, 0.5), (0, 0, 1.0), lower
    bpy.ops.object.mode_set(mode="POSE")
    bone = rig.pose.bones["Upper"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (scene.frame_end, 0.4)):
        bone.rotation_euler = (angle, 0, 0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(vertices=16, radius=0.1, depth=1, location=(0, 0, 0.5))
    body = bpy.context.object
    body.name = "Body"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=4)
    bpy.ops.object.mode_set(mode="OBJECT")
    bind(body, rig)
    bpy.ops.taffeta.make_solids()
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=24, radius=0.13, depth=0.3, end_fill_type="NOTHING", location=(0, 0, 0.62)
    )
    skirt = bpy.context.object
    skirt.name = "Skirt"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=cuts)
    bpy.ops.object.mode_set(mode="OBJECT")
    bind(skirt, rig)
    waist = skirt.vertex_groups.new(name="waist")
    top = [vertex.index for vertex in skirt.data.vertices if vertex.co.z > 0.149]
    waist.add(top, 1.0, "REPLACE")
    choose(skirt)
    bpy.ops.taffeta.make_cloth()
    skirt.taffeta.pin_group = "waist"
    return rig, body, skirt, top


def bind(thing, rig):
    for name, inside in (("Bone", lambda z: z < 0.5), ("Upper", lambda z: z >= 0.5)):
        group = thing.vertex_groups.new(name=name)
        height = thing.location.z
        chosen = [v.index for v in thing.data.vertices if inside(v.co.z + height)]
        group.add(chosen, 1.0, "REPLACE")
    modifier = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    thing.parent = rig
    choose(thing)


def test_a_skirt_on_a_body_that_an_armature_bends():
    _, body, skirt, top = dancer()
    assert [m.name for m in skirt.modifiers] == ["Armature", "Taffeta"]
    assert bake(skirt) == {"FINISHED"}, skirt.taffeta.problem
    compare(skirt, range(1, 10))
    # The waist is where the armature has it, in every frame.
    for frame in range(1, 10):
        bpy.context.scene.frame_set(frame)
        with addon("gathering").unplayed(skirt):
            wanted = evaluated(skirt)[top]
        assert np.abs(evaluated(skirt)[top] - wanted).max() < NEAR
    # The body was looked at between frames too.
    meshes = addon("folders").place(skirt) / "scene-meshes"
    assert len(list(meshes.glob("solid-*.ply"))) == 8 * 2 + 1


def test_a_bake_is_cancelled_and_goes_on(tmp_path):
    scene = bpy.context.scene
    scene.frame_end = 30
    cloth = sheet(cells=16)
    ball()
    choose(cloth)
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    baking = addon("baking")
    assert not bpy.ops.taffeta.bake.poll()
    while not cloth.taffeta.baked or cloth.taffeta.baked_last < 4:
        assert baking.look_at_all() is not None, cloth.taffeta.problem
        time.sleep(0.02)
    # What is there already is shown.
    scene.frame_set(3)
    assert np.abs(evaluated(cloth) - from_run(cloth, 3)).max() < NEAR
    assert bpy.ops.taffeta.cancel() == {"FINISHED"}
    reached = cloth.taffeta.baked_last
    assert 4 <= reached < 30 and "Bake goes on" in cloth.taffeta.status
    assert baking.under_way(cloth) is None
    first = run_of(cloth).fingerprints
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "test.blend"))
    scene, cloth = bpy.context.scene, bpy.data.objects["Sheet"]
    assert bake(cloth) == {"FINISHED"}
    assert cloth.taffeta.baked_last == 30
    assert run_of(cloth).fingerprints[: len(first)] == first
    compare(cloth, range(1, 31, 7))


def test_a_child_that_dies_costs_only_itself():
    bpy.context.scene.frame_end = 30
    cloth = sheet(cells=16)
    ball()
    choose(cloth)
    bpy.ops.taffeta.bake()
    baking = addon("baking")
    while not cloth.taffeta.baked or cloth.taffeta.baked_last < 3:
        assert baking.look_at_all() is not None
        time.sleep(0.02)
    baking.under_way(cloth).child.process.kill()
    while baking.look_at_all() is not None:
        time.sleep(0.02)
    assert "ended with -9" in cloth.taffeta.problem and cloth.taffeta.status == "failed"
    assert bake(cloth) == {"FINISHED"} and cloth.taffeta.problem == ""
    compare(cloth, range(1, 31, 7))


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_units_axes_and_rate_need_no_setting(scale):
    """Free fall, in metres and in centimetres, at a film's rate, of an object turned and scaled."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = scale
    scene.render.fps, scene.render.fps_base = 24, 1.001
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, size=0.2 / scale)
    cloth = bpy.context.object
    cloth.location = (1 / scale, 2 / scale, 3 / scale)
    cloth.rotation_euler, cloth.scale = (0.3, 0.5, 0.7), (1, 2, 0.5)
    bpy.ops.taffeta.make_cloth()
    cloth.taffeta.fabric = "OWN"
    cloth.taffeta.density = 20.0
    scene.frame_set(1)
    start = evaluated(cloth).mean(axis=0) * scale
    assert bake(cloth) == {"FINISHED"}
    scene.frame_set(9)
    end = evaluated(cloth).mean(axis=0) * scale
    seconds = 8 * 1.001 / 24
    fallen = 0.5 * 9.81 * seconds**2
    assert np.allclose(end - start, [0, 0, -fallen], atol=0.03 * fallen)
    compare(cloth, range(1, 10))


def test_pins_let_go_and_pull_by_weight():
    cloth = sheet(cells=8)
    group = cloth.vertex_groups.new(name="held")
    group.add([0], 1.0, "REPLACE")
    group.add([8], 0.5, "REPLACE")
    kept = cloth.taffeta
    kept.pin_group = "held"
    for frame, hold in ((1, True), (6, False)):
        kept.hold = hold
        kept.keyframe_insert("hold", frame=frame)
    assert bake(cloth) == {"FINISHED"}, kept.problem
    start = from_run(cloth, 1)
    assert np.abs(from_run(cloth, 5)[0] - start[0]).max() < 1e-9
    assert np.abs(from_run(cloth, 9)[0] - start[0]).max() > 1e-3
    pulled = np.abs(from_run(cloth, 5) - start)[:, 2]
    assert 0 < pulled[8] < pulled[40]


def test_wind_and_gravity_are_the_scenes():
    cloth = sheet(cells=6)
    bpy.context.scene.use_gravity = False
    bpy.ops.object.effector_add(type="WIND", rotation=(0, 0, 0))
    bpy.context.object.field.strength = 3.0
    assert bake(cloth) == {"FINISHED"}
    moved = from_run(cloth, 9).mean(axis=0) - from_run(cloth, 1).mean(axis=0)
    assert moved[2] > 1e-3 and abs(moved[0]) < 1e-6


def test_wind_and_gravity_that_are_keyed_change():
    """Up and down: what is the sum of all impulses is felt by cloth as it is by a stone."""
    scene, cloth = bpy.context.scene, sheet(cells=6)
    scene.render.fps = 24
    for frame, gravity in ((1, 0.0), (9, -6.0)):
        scene.gravity = (0, 0, gravity)
        scene.keyframe_insert("gravity", frame=frame)
    for curve in curves_of(scene):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    cloth.taffeta.fabric, cloth.taffeta.density = "OWN", 20.0
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    fallen = (from_run(cloth, 9) - from_run(cloth, 1)).mean(axis=0)
    assert np.allclose(fallen, [0, 0, -6 * (8 / 24) ** 2 / 6], atol=0.05 * 6 * (8 / 24) ** 2 / 6)
    scene.animation_data_clear()
    scene.use_gravity = False
    bpy.ops.object.effector_add(type="WIND")
    wind = bpy.context.object
    wind.rotation_euler = (0, np.pi / 2, 0)
    for frame, strength in ((1, 0.0), (4, 0.0), (5, 8.0)):
        wind.field.strength = strength
        wind.keyframe_insert("field.strength", frame=frame)
    cloth.taffeta.density = 0.1
    cloth.rotation_euler = (0, np.pi / 2, 0)
    assert bake(cloth, over=True) == {"FINISHED"}, cloth.taffeta.problem
    blown = [(from_run(cloth, frame) - from_run(cloth, 1)).mean(axis=0)[0] for frame in (4, 9)]
    assert abs(blown[0]) < 1e-6 and blown[1] > 0.02


def curves_of(thing):
    """The curves of a thing's action, which layers and slots keep since 4.4."""
    action = thing.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    return action.layers[0].strips[0].channelbag(thing.animation_data.action_slot).fcurves


def panels():
    """Two panels either side of the middle, joined at their tops by loose edges."""
    cells, points, faces = 9, [], []
    for side in (-0.15, 0.15):
        first = len(points)
        points += [(0.05 * (i % 10) - 0.225, side, 0.05 * (i // 10) - 0.2) for i in range(100)]
        quads = [first + row * 10 + column for row in range(cells) for column in range(cells)]
        # Fronts face outwards.
        turn = 1 if side < 0 else -1
        faces += [(q, q + 1, q + 11, q + 10)[::turn] for q in quads]
    mesh = bpy.data.meshes.new("panels")
    mesh.from_pydata(points, [(i, i + 100) for i in range(90, 100)], faces)
    cloth = bpy.data.objects.new("Panels", mesh)
    bpy.context.collection.objects.link(cloth)
    choose(cloth)
    bpy.ops.taffeta.make_cloth()
    return cloth


def test_sewing_edges_are_drawn_together_and_merged():
    cloth = panels()
    cloth.taffeta.self_contact = True
    ball(radius=0.1, at=(0, 0, 0.05))
    with pytest.raises(RuntimeError, match="10 edges without a face: turn on Sew"):
        bake(cloth)
    cloth.taffeta.sew = True
    bpy.context.scene.frame_end = 24
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    gaps = [np.linalg.norm(at[90:100] - at[190:200], axis=1) for at in
            (from_run(cloth, 1), from_run(cloth, 24))]
    assert gaps[0].min() > 0.29 and gaps[1].max() < 2e-3
    assert max(line["extension"] for line in run_of(cloth).report) < 0.0101
    bpy.context.scene.frame_set(1)
    assert len(evaluated(cloth)) == 200
    bpy.context.scene.frame_set(24)
    assert len(evaluated(cloth)) == 190
    # What comes below finds one surface: no loose edge, and no border where the seam is.
    cloth.modifiers.new("Subdivision", "SUBSURF").levels = 1
    assert [m.name for m in cloth.modifiers] == ["Taffeta", "Taffeta Seams", "Subdivision"]
    shown = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    sides = Counter(key for face in shown.polygons for key in face.edge_keys)
    assert len(sides) == len(shown.edges), "an edge is loose"
    assert sum(count == 1 for count in sides.values()) == 2 * (2 * 36 - 2 * 9)
