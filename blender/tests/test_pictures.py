# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of docs/blender.md, rendered by Cycles; small ones where nobody keeps them."""

import math
import os
from pathlib import Path

import bpy
import numpy as np
import pytest
from conftest import bake, ball, choose, sheet
from mathutils import Vector
from test_bake import dancer, panels

KEPT = os.environ.get("TAFFETA_BLENDER_PICTURES")


@pytest.fixture
def picture(tmp_path):
    """Renders the scene's frame to a file of this name."""

    def render(name, frame, eye, at):
        scene = bpy.context.scene
        scene.frame_set(frame)
        light(eye, at)
        folder = Path(KEPT) if KEPT else tmp_path
        folder.mkdir(parents=True, exist_ok=True)
        scene.render.engine = "CYCLES"
        scene.cycles.device, scene.cycles.samples = "CPU", 32 if KEPT else 1
        scene.cycles.use_denoising = False
        scene.render.resolution_x, scene.render.resolution_y = (720, 405) if KEPT else (48, 27)
        scene.render.image_settings.file_format = "PNG"
        scene.view_settings.view_transform = "Standard"
        scene.render.filepath = str(folder / f"{name}.png")
        bpy.ops.render.render(write_still=True)
        shown = bpy.data.images.load(scene.render.filepath)
        pixels = np.array(shown.pixels[:]).reshape(-1, 4)[:, :3]
        assert pixels.std() > 0.02, "the picture shows nothing"

    return render


def light(eye, at):
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = eye
    camera.rotation_euler = (Vector(at) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle = 3.0, 0.2
    sun.rotation_euler = (math.radians(40), math.radians(15), 0)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.3, 0.33, 0.36)
    if scene.world.node_tree is not None:
        background = scene.world.node_tree.nodes.get("Background")
        if background is not None:
            background.inputs[0].default_value = (0.3, 0.33, 0.36, 1)


def paint(thing, colour, attribute=None):
    material = bpy.data.materials.new(thing.name)
    if material.node_tree is None:
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 0.8
    if attribute:
        node = material.node_tree.nodes.new("ShaderNodeVertexColor")
        node.layer_name = attribute
        material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    thing.data.materials.clear()
    thing.data.materials.append(material)


def smooth(thing):
    thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))


def length(kept, quick):
    return kept if KEPT else quick


def test_a_napkin_on_a_ball(picture):
    bpy.context.scene.frame_end = length(30, 4)
    cloth = sheet(cells=length(48, 8), at=(0, 0, 0.2))
    cloth.taffeta.self_contact = True
    body = ball(radius=0.12)
    smooth(body), smooth(cloth)
    paint(cloth, (0.6, 0.07, 0.08)), paint(body, (0.6, 0.6, 0.55))
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    picture("napkin", bpy.context.scene.frame_end, (0.55, -0.85, 0.5), (0, 0, 0))


@pytest.mark.skipif(not KEPT, reason="made by `cargo xtask blender docs`")
def test_a_skirt_with_its_strain(picture):
    bpy.context.scene.frame_end = 30
    _, body, skirt, _ = dancer(cuts=5)
    for vertex in skirt.data.vertices:
        wide = 1 + 2.5 * (0.15 - vertex.co.z)
        vertex.co.x, vertex.co.y = wide * vertex.co.x, wide * vertex.co.y
    # Nothing is kept at the limit, which is what the colours are measured by.
    skirt.taffeta.limited, skirt.taffeta.limit = False, 0.05
    smooth(body), smooth(skirt)
    paint(body, (0.6, 0.6, 0.55)), paint(skirt, (0.1, 0.2, 0.5), "taffeta_strain")
    assert bake(skirt) == {"FINISHED"}, skirt.taffeta.problem
    skirt.taffeta.show_strain = True
    picture("skirt", 30, (0.9, -1.2, 0.95), (0, 0, 0.6))


@pytest.mark.skipif(not KEPT, reason="made by `cargo xtask blender docs`")
def test_a_ball_through_cloth(picture):
    scene = bpy.context.scene
    scene.frame_end = 16
    cloth = sheet(cells=28, size=0.08, at=(0, 0, 0))
    cloth.taffeta.tear, cloth.taffeta.strength = True, (0.05, 0.1)
    group = cloth.vertex_groups.new(name="held")
    group.add([v.index for v in cloth.data.vertices if abs(v.co.x) > 0.039], 1.0, "REPLACE")
    cloth.taffeta.pin_group = "held"
    body = ball(radius=0.012, at=(0, 0, 0.02))
    for frame, height in ((1, 0.02), (16, -0.06)):
        body.location.z = height
        body.keyframe_insert("location", frame=frame)
    smooth(body)
    paint(cloth, (0.1, 0.25, 0.5)), paint(body, (0.6, 0.6, 0.55))
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    picture("torn", 16, (0.06, -0.09, 0.07), (0, 0, -0.01))


@pytest.mark.skipif(not KEPT, reason="made by `cargo xtask blender docs`")
def test_a_seam_before_and_after(picture):
    cloth = panels()
    cloth.taffeta.sew = cloth.taffeta.self_contact = True
    body = ball(radius=0.1, at=(0, 0, 0.05))
    smooth(body), smooth(cloth)
    paint(cloth, (0.5, 0.35, 0.1)), paint(body, (0.6, 0.6, 0.55))
    bpy.context.scene.frame_end = 24
    choose(cloth)
    assert bake(cloth) == {"FINISHED"}, cloth.taffeta.problem
    picture("seam-before", 1, (0.95, -1.1, 0.75), (0, 0, 0.03))
    picture("seam-after", 24, (0.95, -1.1, 0.75), (0, 0, 0.03))
