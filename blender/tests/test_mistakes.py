# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input: a message in Blender's own way of telling, and nothing lost."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from conftest import addon, bake, ball, choose, evaluated, from_run, run_of, sheet


def refused(cloth, told, **options):
    with pytest.raises(RuntimeError, match=told):
        bake(cloth, **options)


def test_a_modifier_that_changes_topology_before_the_cloth():
    cloth = sheet(cells=4)
    cloth.modifiers.new("Subdivision", "SUBSURF")
    # Below it does no harm.
    assert bake(cloth) == {"FINISHED"}
    cloth.modifiers.move(1, 0)
    refused(cloth, "Subdivision may change how many vertices there are: apply it, or move it below")


def test_a_mesh_that_no_longer_fits_its_bake_is_not_played_as_if_it_did():
    cloth = sheet(cells=4)
    assert bake(cloth) == {"FINISHED"}
    choose(cloth)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    refused(cloth, "is another than Sheet was baked with")
    assert bake(cloth, over=True) == {"FINISHED"}


def test_faces_of_many_corners_and_loose_parts():
    bpy.ops.mesh.primitive_circle_add(vertices=7, fill_type="NGON")
    bpy.ops.taffeta.make_cloth()
    refused(bpy.context.object, "1 faces of five corners or more: triangulate")
    mesh = bpy.data.meshes.new("loose")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 5), (6, 6, 6)], [(3, 4)], [(0, 1, 2)])
    thing = bpy.data.objects.new("Loose", mesh)
    bpy.context.collection.objects.link(thing)
    choose(thing)
    bpy.ops.taffeta.make_cloth()
    refused(thing, "2 vertices without a face")
    empty = bpy.data.objects.new("Empty", bpy.data.meshes.new("empty"))
    bpy.context.collection.objects.link(empty)
    choose(empty)
    bpy.ops.taffeta.make_cloth()
    refused(empty, "has no faces")


def test_hidden_objects_and_scales_of_zero():
    cloth, body = sheet(cells=4), ball()
    body.hide_viewport = True
    refused(cloth, "Ball is a solid but hidden")
    body.hide_viewport = False
    cloth.hide_set(True)
    refused(cloth, "Sheet is cloth but hidden")
    cloth.hide_set(False)
    body.scale = (1, 1, 0)
    bpy.context.view_layer.update()
    refused(cloth, "Ball has a scale of zero")


def test_an_uneven_scale_is_told_and_the_cloth_has_the_size_it_is_seen_in(capfd):
    cloth = sheet(cells=4, size=0.2)
    cloth.scale = (1, 3, 1)
    assert bake(cloth) == {"FINISHED"}
    assert "Sheet is scaled unevenly (1, 3, 1)" in capfd.readouterr().out
    bpy.context.scene.frame_set(1)
    size = np.ptp(evaluated(cloth), axis=0)
    assert np.allclose(size, [0.2, 0.6, 0], atol=1e-6)
    # At rest: nothing pulls back to the size it has without its scale.
    strains = [line["extension"] for line in run_of(cloth).report]
    assert max(strains) < 1e-3


def test_what_a_bake_does_not_feel_is_told(capfd):
    sheet(cells=4, name="Tablecloth")
    cloth = sheet(cells=4, at=(2, 0, 0))
    bpy.ops.object.effector_add(type="VORTEX")
    bpy.ops.object.effector_add(type="WIND")
    bpy.context.object.field.noise = 2.0
    assert bake(cloth) == {"FINISHED"}
    told = capfd.readouterr().out
    assert "one cloth is baked at a time: Sheet does not feel Tablecloth" in told
    assert "of force fields only wind is felt, not Vortex" in told
    assert "noise and falloff of Wind are not felt" in told


def test_files_that_vanish_during_a_bake_end_it_with_a_message():
    bpy.context.scene.frame_end = 40
    cloth = sheet(cells=16)
    choose(cloth)
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    baking = addon("baking")
    while not cloth.taffeta.baked or cloth.taffeta.baked_last < 3:
        assert baking.look_at_all() is not None
    (addon("folders").place(cloth) / "cloth.pc2").unlink()
    while baking.look_at_all() is not None:
        pass
    assert cloth.taffeta.status == "failed" and "cloth.pc2" in cloth.taffeta.problem
    assert baking.under_way(cloth) is None
    assert bake(cloth) == {"FINISHED"} and cloth.taffeta.baked_last == 40


def test_a_copy_neither_clears_nor_replaces_the_bake_it_was_copied_with(capfd):
    cloth = sheet(cells=4)
    assert bake(cloth) == {"FINISHED"}
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    copy.location.x = 2
    for over in (False, True):
        refused(copy, "holds the bake of Sheet: Clear leaves it there", over=over)
    assert bpy.ops.taffeta.clear() == {"FINISHED"}
    assert "the bake of Sheet too" in capfd.readouterr().out
    assert bake(copy) == {"FINISHED"}
    folders = [addon("folders").place(thing) for thing in (cloth, copy)]
    assert folders[0] != folders[1]
    for thing in (cloth, copy):
        bpy.context.scene.frame_set(9)
        assert np.abs(evaluated(thing) - from_run(thing, 9)).max() < 1e-6


def test_a_file_that_is_saved_elsewhere_finds_its_bake(tmp_path):
    cloth = sheet(cells=4)
    assert bake(cloth) == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    folder = addon("folders").place(cloth)
    (tmp_path / "deep").mkdir()
    paths = [str(tmp_path / "deep" / f"{name}.blend") for name in ("copy", "moved")]
    bpy.ops.wm.save_as_mainfile(filepath=paths[0], copy=True)
    assert cloth.taffeta.baked_folder == "//taffeta/test/Sheet"
    bpy.ops.wm.save_as_mainfile(filepath=paths[1])
    for path in paths:
        bpy.ops.wm.open_mainfile(filepath=path)
        cloth = bpy.data.objects["Sheet"]
        assert addon("folders").place(cloth) == folder, path
        bpy.context.scene.frame_set(9)
        assert np.abs(evaluated(cloth) - from_run(cloth, 9)).max() < 1e-6
        choose(cloth)
        assert bpy.ops.taffeta.check() == {"FINISHED"} and cloth.taffeta.holds


def test_what_is_not_computed_anew_cannot_be_keyed():
    cloth = sheet(cells=4)
    with pytest.raises(TypeError, match="not animatable"):
        cloth.taffeta.keyframe_insert("limit")
    assert cloth.taffeta.keyframe_insert("hold")


def test_a_cloth_is_not_its_own_solid():
    cloth = sheet(cells=4)
    choose(cloth)
    assert bpy.ops.taffeta.make_solids() == {"CANCELLED"}
    assert cloth.taffeta.role == "CLOTH"


def test_a_file_that_was_never_saved():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.preferences.addon_enable(module="bl_ext.user_default.taffeta")
    cloth = sheet(cells=4)
    refused(cloth, "save the .blend file first")


def test_folders_that_cannot_be_written_or_are_not_ours(tmp_path):
    cloth = sheet(cells=4)
    (tmp_path / "file").write_text("x")
    cloth.taffeta.folder = str(tmp_path / "file" / "bake")
    refused(cloth, "the bake cannot be written")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    cloth.taffeta.folder = str(tmp_path / "mine")
    refused(cloth, "holds files that are no bake's")
    choose(cloth)
    assert bpy.ops.taffeta.clear() == {"FINISHED"}
    assert (tmp_path / "mine" / "diary.txt").read_text() == "dear diary"


def test_clearing_removes_only_what_a_bake_made():
    cloth = sheet(cells=4)
    assert bake(cloth) == {"FINISHED"}
    folder = addon("folders").place(cloth)
    own = [folder / "notes.txt", folder / "run" / "frames" / "best.png", folder / "run" / "mine.toml"]
    for path in own:
        path.write_text("mine")
    assert bpy.ops.taffeta.clear() == {"FINISHED"}
    left = sorted(path for path in folder.rglob("*") if path.is_file())
    assert left == sorted(own)
    assert not cloth.taffeta.baked and not cloth.modifiers["Taffeta"].show_viewport
    for path in own:
        path.unlink()
    # A folder with nothing but ours is gone as a whole.
    for empty in sorted(folder.rglob("*"), reverse=True):
        empty.rmdir()
    folder.rmdir()
    assert bake(cloth) == {"FINISHED"} and bpy.ops.taffeta.clear() == {"FINISHED"}
    assert not Path(folder).exists()


def test_frame_ranges_that_change_after_a_bake():
    cloth = sheet(cells=4)
    body = ball()
    scene = bpy.context.scene
    assert bake(cloth) == {"FINISHED"}
    # More frames of a scene in which only cloth moves: the bake goes on.
    scene.frame_end = 12
    assert bake(cloth) == {"FINISHED"} and cloth.taffeta.baked_last == 12
    scene.frame_set(12)
    last = evaluated(cloth)
    # Another start is another motion: refused, and the bake stays.
    scene.frame_start = 5
    refused(cloth, "so far the bake is as it was")
    scene.frame_set(12)
    assert (evaluated(cloth) == last).all()
    scene.frame_start = 1
    body.location.x = 0.1
    refused(cloth, "so far the bake is as it was")
    assert bake(cloth, over=True) == {"FINISHED"}
    scene.frame_end = 1
    refused(cloth, "no frames after its first")


def test_pins_that_are_not_there_and_tearing_of_what_is_no_grid():
    cloth = sheet(cells=4)
    cloth.taffeta.pin_group = "nobody"
    refused(cloth, "no vertex group nobody")
    cloth.taffeta.pin_group = ""
    cloth.taffeta.tear = True
    cloth.data.vertices[3].co.z = 0.01
    refused(cloth, "takes a flat grid")
    cloth.data.vertices[3].co.z = 0
    cloth.taffeta.strength = (3, 1)
    refused(cloth, "weakest yarn bears 3, the strongest 1: write the smaller one first")


def test_what_the_simulator_refuses_is_told_in_its_words():
    cloth = sheet(cells=4, at=(1e12, 0, 0))
    refused(cloth, "particle")
    assert not cloth.taffeta.baked


def test_crossings_at_the_start_are_selected():
    cloth = sheet(cells=8, at=(0, 0, 0.05))
    choose(cloth)
    assert bpy.ops.taffeta.mark_crossings() == {"FINISHED"}
    assert not any(face.select for face in cloth.data.polygons)
    ball(radius=0.1)
    choose(cloth)
    bpy.ops.taffeta.mark_crossings()
    chosen = [face.index for face in cloth.data.polygons if face.select]
    assert 0 < len(chosen) < len(cloth.data.polygons)
    bpy.context.scene.frame_end = 3
    bake(cloth)
    assert "solid" in cloth.taffeta.problem
