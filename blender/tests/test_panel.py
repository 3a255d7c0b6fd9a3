# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel draws, taken down without a window: every property and operator in it is there."""

import bpy
from conftest import addon, bake, ball, choose, sheet


class Layout:
    """Takes down what is drawn into it, and into its rows, columns and boxes."""

    def __init__(self, drawn):
        self.drawn = drawn

    def __getattr__(self, name):
        return lambda *words, **options: Layout(self.drawn)

    def label(self, text, icon="NONE"):
        self.drawn.append(text)

    def prop(self, owner, name, **options):
        assert name in owner.bl_rna.properties, name
        self.drawn.append(name)

    def prop_search(self, owner, name, place, names, **options):
        assert names in place.bl_rna.properties
        self.prop(owner, name)

    def operator(self, name, text=None, icon="NONE"):
        group, _, own = name.partition(".")
        assert hasattr(getattr(bpy.ops, group), own), name
        getattr(getattr(bpy.ops, group), own).get_rna_type()
        self.drawn.append(name if text is None else text)
        return type("Properties", (), {})()


def drawn():
    """What the panel shows of the active object."""

    class Panel:
        layout = Layout([])

    addon("panel").TAFFETA_PT_main.draw(Panel, bpy.context)
    return Panel.layout.drawn


def test_the_panel_shows_what_the_active_object_is():
    assert "Select a mesh and make it cloth." in drawn()
    body = ball()
    assert "solid_thickness" in drawn() and "fabric" not in drawn()
    cloth = sheet(cells=4)
    for name in ("fabric", "limit", "self_contact", "sew", "samples", "Bake", "taffeta.check"):
        assert name in drawn(), name
    cloth.taffeta.fabric, cloth.taffeta.tear = "OWN", True
    assert {"density", "bending", "strength"} <= set(drawn()) and "limit" not in drawn()
    choose(body)
    assert "Bake" not in drawn()


def test_the_panel_shows_how_far_a_bake_is_and_what_it_proves():
    cloth = sheet(cells=4)
    bpy.context.scene.frame_end = 4
    choose(cloth)
    bpy.ops.taffeta.bake()
    assert "taffeta.cancel" in drawn() and "Bake" not in drawn()
    while addon("baking").look_at_all() is not None:
        pass
    assert bake(cloth) == {"FINISHED"} and bpy.ops.taffeta.check() == {"FINISHED"}
    shown = " ".join(drawn())
    assert "frames 1 to 4, worst strain" in shown and "everything holds" in shown
    # What was asked for is proved: the limit.
    assert "asked for: at most 1" in shown, shown
    bpy.context.scene.frame_end = 9
    assert "the scene has now others" in " ".join(drawn())


def test_lines_are_as_wide_as_the_panel():
    drawn_words = []
    told = "every word of this line is wanted, and none of them is cut off by the panel's border"
    addon("panel").draw_lines(Layout(drawn_words), bpy.context, told, "INFO")
    assert " ".join(drawn_words) == told and len(drawn_words) > 2
