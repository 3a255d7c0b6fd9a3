# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that tears: a mesh whose faces change, and its yarns, each frame an Alembic file of its own.
Blender plays such a sequence by itself, opens no frame but the one it shows, and finds those that are
made meanwhile."""

import contextlib

import bpy
import numpy as np

from . import folders
from .axes import metres
from .roles import RESULT, results

#: The radius of a yarn, as a share of the distance to the next.
YARN = 0.25
#: The name of the modifier that makes yarns so thin.
THIN = "Taffeta Yarns"


class Tearing:
    """Brings frames of a run into the scene as they are made, as objects of their own."""

    def __init__(self, folder, first, going_on):
        self.folder, self.first, self.made = folder, first, first - 1
        if not going_on:
            for file in folder.glob("torn_*.abc"):
                file.unlink()

    def file(self, number):
        return self.folder / f"torn_{number:06d}.abc"

    def reach(self, cloth, last):
        """Takes all frames up to this one from the run."""
        import taffeta

        run = taffeta.Run(self.folder / "run")
        for number in range(self.made + 1, last + 1):
            # The same bits, if an earlier bake has made it.
            if not self.file(number).exists():
                run.export(self.file(number), frames=f"{number}..{number}", cloth_only=True)
            self.made = number
        # Blender's importer would end what is being edited, so it waits.
        if not results(cloth) and bpy.context.mode == "OBJECT":
            self.show(cloth, run)
        for thing in results(cloth):
            for cache in caches(thing):
                # The frame that is shown may have come, or be another now.
                cache.update_tag()

    def show(self, cloth, run):
        """Loads the sequence; the cloth itself is hidden."""
        with _in_a_window(), _selection_kept():
            before = set(bpy.data.objects)
            bpy.ops.wm.alembic_import(
                filepath=str(self.file(self.first)), is_sequence=True, as_background_job=False,
                set_frame_range=False,
            )
            made = set(bpy.data.objects) - before
        scale, start = 1 / metres(bpy.context.scene), run.positions(self.first)
        for thing in made:
            thing[RESULT] = cloth
            thing.scale = [scale * part for part in thing.scale]
            for material in cloth.data.materials:
                thing.data.materials.append(material)
            yarns = thing.type != "MESH"
            thing.name = f"{cloth.name} {'Yarns' if yarns else 'Torn'}"
            for cache in caches(thing):
                cache.filepath = folders.written(self.file(self.first))
            if yarns:
                make_thin(thing, YARN * float(np.linalg.norm(start[1] - start[0])) * scale)
        cloth.hide_render = True
        cloth.hide_set(True)


def make_thin(yarns, radius):
    """Gives curves a radius, without which they would be drawn as thick as arms."""
    group = bpy.data.node_groups.new(THIN, "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    thin = group.nodes.new("GeometryNodeSetCurveRadius")
    thin.inputs["Radius"].default_value = radius
    group.links.new(first.outputs["Geometry"], thin.inputs["Curve"])
    group.links.new(thin.outputs["Curve"], last.inputs["Geometry"])
    yarns.modifiers.new(THIN, "NODES").node_group = group


def caches(thing):
    return [m.cache_file for m in thing.modifiers if m.type == "MESH_SEQUENCE_CACHE" and m.cache_file]


def remove(cloth):
    """Takes what was made of the bake out of the scene, with all that only it used; the cloth itself
    is seen again."""
    made = results(cloth)
    for thing in made:
        own = [m.node_group for m in thing.modifiers if m.name == THIN and m.type == "NODES"]
        parts = {thing.data, *own, *caches(thing)}
        bpy.data.objects.remove(thing)
        unused = [part for part in parts if part is not None and not part.users]
        bpy.data.batch_remove(unused)
    if made:
        cloth.hide_render = False
        cloth.hide_set(False)


def _in_a_window():
    """Timers are called without a window, which importers need where there are any."""
    windows = bpy.context.window_manager.windows
    if bpy.context.window is None and len(windows):
        return bpy.context.temp_override(window=windows[0])
    return contextlib.nullcontext()


@contextlib.contextmanager
def _selection_kept():
    """Importers select what they make, in the midst of whatever is being done."""
    layer = bpy.context.view_layer
    active, chosen = layer.objects.active, list(bpy.context.selected_objects)
    try:
        yield
    finally:
        for thing in layer.objects:
            if thing.select_get() and thing not in chosen:
                thing.select_set(False)
        for thing in chosen:
            thing.select_set(True)
        layer.objects.active = active
