# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the 3-D view."""

import textwrap

import bpy

from .baking import under_way

#: The width of a letter, and of icon, borders and tabs beside the text [pixels].
LETTER, BESIDE = 6, 60


class TAFFETA_PT_main(bpy.types.Panel):
    bl_label = "Taffeta"
    bl_idname = "TAFFETA_PT_main"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Taffeta"

    def draw(self, context):
        layout, thing = self.layout, context.object
        row = layout.row(align=True)
        row.operator("taffeta.make_cloth", icon="MOD_CLOTH")
        row.operator("taffeta.make_solids", icon="MESH_UVSPHERE")
        row.operator("taffeta.remove_role", icon="X")
        if thing is None or thing.type != "MESH" or thing.taffeta.role == "NONE":
            layout.label(text="Select a mesh and make it cloth.")
        elif thing.taffeta.role == "SOLID":
            draw_solid(layout, thing.taffeta)
        else:
            draw_cloth(layout, thing)
            draw_bake(layout, context, thing)


def draw_solid(layout, kept):
    layout.use_property_split = True
    layout.prop(kept, "solid_thickness")
    layout.prop(kept, "friction")


def draw_cloth(layout, cloth):
    kept = cloth.taffeta
    column = layout.column()
    column.use_property_split = True
    column.prop(kept, "fabric")
    if kept.fabric == "OWN":
        for name, unit in (("density", "kg/m²"), ("cloth_thickness", ""), ("stretch", "N/m"),
                           ("shear", "N/m"), ("bending", "µN·m")):
            text = f"{kept.bl_rna.properties[name].name} ({unit})" if unit else None
            column.prop(kept, name, **({"text": text} if text else {}))
    column.prop(kept, "tear")
    if kept.tear:
        column.prop(kept, "strength", text="Strength (N)")
    else:
        column.prop(kept, "limited")
        if kept.limited:
            column.prop(kept, "limit")
        column.prop(kept, "self_contact")
        column.prop(kept, "sew")
    column.prop_search(kept, "pin_group", cloth, "vertex_groups")
    if kept.pin_group:
        column.prop(kept, "pin_stiffness", text="Pull (N/m)")
        column.prop(kept, "hold")


def draw_bake(layout, context, cloth):
    kept, scene = cloth.taffeta, context.scene
    box = layout.box()
    column = box.column()
    column.use_property_split = True
    column.prop(scene.taffeta, "samples", text="Samples")
    column.prop(scene.taffeta, "threads")
    column.prop(kept, "folder")
    if under_way(cloth) is not None:
        box.operator("taffeta.cancel", icon="CANCEL")
    else:
        stopped = kept.baked and kept.baked_last < kept.wanted_last
        row = box.row(align=True)
        row.scale_y = 1.6
        row.operator("taffeta.bake", text="Go On" if stopped else "Bake", icon="PLAY")
        again = row.operator("taffeta.bake", text="", icon="FILE_REFRESH")
        again.over = True
        row.operator("taffeta.clear", text="", icon="TRASH")
    draw_lines(box, context, kept.status, "INFO")
    draw_lines(box, context, kept.problem, "ERROR")
    wanted = (scene.frame_start, scene.frame_end)
    if kept.baked and wanted != (kept.baked_first, kept.wanted_last):
        told = f"baked for frames {kept.baked_first} to {kept.wanted_last}; the scene has now others"
        draw_lines(box, context, told, "ERROR")
    row = layout.row(align=True)
    row.operator("taffeta.check", icon="CHECKMARK")
    row.operator("taffeta.mark_crossings", icon="RESTRICT_SELECT_OFF")
    draw_lines(layout, context, kept.certificate, "CHECKMARK" if kept.holds else "ERROR")
    layout.prop(kept, "show_strain")


def draw_lines(layout, context, text, icon):
    """Text in the width of the panel: labels are cut off, not wrapped."""
    drawn = context.region is not None
    wide = context.region.width / context.preferences.system.ui_scale if drawn else 0
    width = max(int((wide - BESIDE) / LETTER), 20)
    column = layout.column(align=True)
    # Lines of one text, not buttons apart.
    column.scale_y = 0.75
    for number, line in enumerate(text.splitlines()):
        for part, words in enumerate(textwrap.wrap(line, width)):
            column.label(text=words, icon="BLANK1" if number or part else icon)


def register():
    bpy.utils.register_class(TAFFETA_PT_main)


def unregister():
    bpy.utils.unregister_class(TAFFETA_PT_main)
