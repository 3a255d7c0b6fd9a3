# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects are: cloth, solid, or neither."""

import bpy

#: The name of the modifier that plays a bake.
MODIFIER = "Taffeta"
#: The name of the modifier that merges what is sewn.
WELDER = "Taffeta Seams"
#: Objects that were made of a bake point to its cloth under this key.
RESULT = "taffeta_bake"
#: Modifiers that move vertices and make none: what comes before the cloth.
DEFORMERS = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM",
    "LAPLACIANSMOOTH", "LATTICE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH",
    "SURFACE_DEFORM", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP",
    "WAVE",
}


def player(cloth):
    """The modifier that plays the bake, made if it is not there: after all that only deform."""
    found = cloth.modifiers.get(MODIFIER)
    if found is None:
        place = 0
        for modifier in cloth.modifiers:
            if modifier.type not in DEFORMERS:
                break
            place += 1
        found = cloth.modifiers.new(MODIFIER, "MESH_CACHE")
        found.show_viewport = found.show_render = False
        cloth.modifiers.move(len(cloth.modifiers) - 1, place)
    return found


def welder(cloth, unit):
    """The modifier that merges the ends of sewing edges once they are together; after the player."""
    found = cloth.modifiers.get(WELDER)
    if found is None:
        found = cloth.modifiers.new(WELDER, "WELD")
        # The ends of loose edges alone, not whatever comes near.
        found.mode, found.loose_edges = "CONNECTED", True
        # As near as layers of cloth lie on each other.
        found.merge_threshold = 2e-3 / unit
        cloth.modifiers.move(len(cloth.modifiers) - 1, cloth.modifiers.find(MODIFIER) + 1)
    return found


def cloths(scene):
    return [thing for thing in scene.objects if thing.taffeta.role == "CLOTH"]


def solids(scene):
    return [thing for thing in scene.objects if thing.taffeta.role == "SOLID"]


def results(cloth):
    """The objects that were made of a cloth's bake."""
    return [thing for thing in bpy.data.objects if thing.get(RESULT) == cloth]


class TAFFETA_OT_make_cloth(bpy.types.Operator):
    """Make the active mesh cloth"""

    bl_idname = "taffeta.make_cloth"
    bl_label = "Cloth"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        cloth = context.object
        cloth.taffeta.role = "CLOTH"
        player(cloth)
        return {"FINISHED"}


class TAFFETA_OT_make_solids(bpy.types.Operator):
    """Make the selected meshes solids that cloth cannot enter"""

    bl_idname = "taffeta.make_solids"
    bl_label = "Solid"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        chosen = [thing for thing in context.selected_objects if thing.type == "MESH"]
        if not chosen:
            self.report({"ERROR"}, "Select the meshes that are to be solids")
            return {"CANCELLED"}
        made = 0
        for thing in chosen:
            if thing.taffeta.role == "CLOTH":
                self.report(
                    {"WARNING"},
                    f"{thing.name} is cloth and cannot be its own solid; Self-Contact keeps it off "
                    "itself",
                )
                continue
            thing.taffeta.role = "SOLID"
            made += 1
        return {"FINISHED"} if made else {"CANCELLED"}


class TAFFETA_OT_remove_role(bpy.types.Operator):
    """Make the selected meshes plain meshes again; bakes stay where they are"""

    bl_idname = "taffeta.remove_role"
    bl_label = "Neither"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        for thing in context.selected_objects:
            if thing.taffeta.role == "NONE":
                continue
            if thing.taffeta.baked:
                self.report({"ERROR"}, f"{thing.name} has a bake: clear it first")
                return {"CANCELLED"}
            thing.taffeta.role = "NONE"
            modifier = thing.modifiers.get(MODIFIER)
            if modifier is not None:
                thing.modifiers.remove(modifier)
        return {"FINISHED"}


_CLASSES = (TAFFETA_OT_make_cloth, TAFFETA_OT_make_solids, TAFFETA_OT_remove_role)


def register():
    for each in _CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
