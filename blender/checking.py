# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake promises, proved from its frames; and what begins badly, marked on the mesh."""

import subprocess

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from . import folders
from .axes import world
from .baking import under_way
from .child import command, environment
from .gathering import frame_kept, unplayed, vertices
from .roles import solids


class TAFFETA_OT_check(bpy.types.Operator):
    """Prove from the frames alone what the bake promises: strain, contact, and that no frame was
    changed"""

    bl_idname = "taffeta.check"
    bl_label = "Check"

    @classmethod
    def poll(cls, context):
        thing = context.object
        return thing is not None and thing.taffeta.baked and under_way(thing) is None

    def execute(self, context):
        kept = context.object.taffeta
        run = folders.place(context.object) / "run"
        done = subprocess.run(
            command("check", run), capture_output=True, text=True, env=environment(), check=False
        )
        kept.holds = done.returncode == 0
        kept.certificate = (done.stdout + done.stderr).strip()
        level = {"INFO"} if kept.holds else {"WARNING"}
        self.report(level, "all that is promised holds" if kept.holds else "something does not hold")
        return {"FINISHED"}


class TAFFETA_OT_mark_crossings(bpy.types.Operator):
    """Select the faces of the cloth that pass through itself or a solid at the first frame"""

    bl_idname = "taffeta.mark_crossings"
    bl_label = "Mark Crossings"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.taffeta.role == "CLOTH"

    def execute(self, context):
        cloth = context.object
        if cloth.mode == "EDIT":
            bpy.ops.object.mode_set(mode="OBJECT")
        with frame_kept(context.scene), unplayed(cloth):
            context.scene.frame_set(context.scene.frame_start)
            depsgraph = context.evaluated_depsgraph_get()
            found = crossing_faces(cloth, solids(context.scene), depsgraph)
        mesh = cloth.data
        for part, count in ((mesh.vertices, len(mesh.vertices)), (mesh.edges, len(mesh.edges))):
            part.foreach_set("select", np.zeros(count, dtype=bool))
        chosen = np.zeros(len(mesh.polygons), dtype=bool)
        chosen[list(found)] = True
        mesh.polygons.foreach_set("select", chosen)
        mesh.update()
        if found:
            self.report({"WARNING"}, f"{len(found)} faces of {cloth.name} cross something at the start; "
                                     "they are selected")
        else:
            self.report({"INFO"}, f"nothing crosses {cloth.name} at the start")
        return {"FINISHED"}


def crossing_faces(cloth, bodies, depsgraph):
    """The numbers of the cloth's faces that cross other faces of it or of bodies."""
    own, own_faces = _tree(cloth, depsgraph)
    found = set()
    for one, other in own.overlap(own):
        # Neighbours touch where they meet.
        if not set(own_faces[one]) & set(own_faces[other]):
            found.update((one, other))
    for body in bodies:
        tree, _ = _tree(body, depsgraph)
        found.update(one for one, _ in own.overlap(tree))
    return found


def _tree(thing, depsgraph):
    evaluated = thing.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    faces = [tuple(face.vertices) for face in mesh.polygons]
    points = world(vertices(mesh), evaluated.matrix_world)
    evaluated.to_mesh_clear()
    return BVHTree.FromPolygons(points.tolist(), faces), faces


_CLASSES = (TAFFETA_OT_check, TAFFETA_OT_mark_crossings)


def register():
    for each in _CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
