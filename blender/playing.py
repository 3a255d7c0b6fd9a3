# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run in Blender: a point cache where topology stays, an Alembic file where it tears."""

import bpy
import numpy as np

from . import folders
from .gathering import metres, to_blender
from .point_cache import PointCache
from .roles import MODIFIER, WELDER, player, welder

#: The radius of a yarn, as a share of the distance to the next.
YARN = 0.25
#: Objects that were made of a bake carry its folder under this key.
RESULT = "taffeta_bake"


class Playing:
    """Brings frames of a run into the cloth's object as they are made."""

    def __init__(self, cloth, folder, first, unit):
        self.folder, self.first, self.unit = folder, first, unit
        self.matrices = np.load(folder / "matrices.npy")
        self.cache = PointCache(folder / "cloth.pc2", len(cloth.data.vertices))
        modifier = player(cloth)
        modifier.cache_format = "PC2"
        modifier.filepath = folders.written(folder / "cloth.pc2")
        modifier.frame_start = first
        modifier.interpolation = "LINEAR"
        if cloth.taffeta.sew:
            # As near as layers of cloth lie on each other.
            welder(cloth).merge_threshold = 2e-3 / unit

    def reach(self, cloth, last):
        """Takes all frames up to this one from the run."""
        import taffeta

        run = taffeta.Run(self.folder / "run")
        while self.first + self.cache.samples <= last:
            number = self.first + self.cache.samples
            back = np.linalg.inv(self.matrices[min(self.cache.samples, len(self.matrices) - 1)])
            points = to_blender(run.positions(number), self.unit)
            self.cache.append(points @ back[:3, :3].T + back[:3, 3])
        # Without a frame the modifier would complain.
        modifier = player(cloth)
        modifier.show_viewport = modifier.show_render = self.cache.samples > 0
        cloth.update_tag(refresh={"DATA"})


def import_torn(context, cloth, folder):
    """Loads the mesh that tears, and its yarns, from Alembic; the cloth itself is hidden."""
    import taffeta

    run = taffeta.Run(folder / "run")
    remove_results(cloth)
    run.export(folder / "cloth.abc")
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(
        filepath=str(folder / "cloth.abc"), as_background_job=False, set_frame_range=False
    )
    scale = 1 / metres(context.scene)
    for thing in set(bpy.data.objects) - before:
        thing[RESULT] = cloth.taffeta.baked_folder
        if thing.parent is None:
            thing.scale = [scale * part for part in thing.scale]
        if thing.type in {"MESH", "CURVES"}:
            for material in cloth.data.materials:
                thing.data.materials.append(material)
        if thing.type == "MESH":
            thing.name = f"{cloth.name} Torn"
        elif thing.type in {"CURVE", "CURVES"}:
            thing.name = f"{cloth.name} Yarns"
            start = run.positions(run.frames[0])
            make_thin(thing, YARN * float(np.linalg.norm(start[1] - start[0])) * scale)
    cloth.hide_render = True
    cloth.hide_set(True)
    context.view_layer.objects.active = cloth


def make_thin(yarns, radius):
    """Gives curves a radius, without which they would be drawn as thick as arms."""
    group = bpy.data.node_groups.new("Taffeta Yarns", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    thin = group.nodes.new("GeometryNodeSetCurveRadius")
    thin.inputs["Radius"].default_value = radius
    group.links.new(first.outputs["Geometry"], thin.inputs["Curve"])
    group.links.new(thin.outputs["Curve"], last.inputs["Geometry"])
    yarns.modifiers.new("Taffeta Yarns", "NODES").node_group = group


def results(cloth):
    kept = cloth.taffeta.baked_folder
    return [thing for thing in bpy.data.objects if kept and thing.get(RESULT) == kept]


def remove_results(cloth):
    """Takes the bake out of the scene: the modifier rests, objects made of it go."""
    for thing in results(cloth):
        bpy.data.objects.remove(thing)
    modifier = cloth.modifiers.get(MODIFIER)
    if modifier is not None:
        modifier.show_viewport = modifier.show_render = False
        modifier.filepath = ""
    seams = cloth.modifiers.get(WELDER)
    if seams is not None:
        cloth.modifiers.remove(seams)
    if cloth.taffeta.tear:
        cloth.hide_render = False
        cloth.hide_set(False)
