# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in Blender with a window: drawn, and its bakes taken over by timers as in an artist's
hands. Run by `cargo xtask blender window`, with the zip and a folder for pictures after `--`."""

import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import bpy
import numpy as np

ZIP, PICTURES = (Path(word) for word in sys.argv[sys.argv.index("--") + 1:])
#: Seconds that a bake may take, and that Blender has to draw what changed.
PATIENCE, DRAWN = 240, 3


def begin():
    bpy.ops.extensions.package_install_files(
        filepath=str(ZIP), repo="user_default", enable_on_install=True
    )
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    folder = tempfile.mkdtemp(prefix="taffeta-window-")
    bpy.ops.wm.save_as_mainfile(filepath=f"{folder}/napkin.blend")


def grid(cells, size, height):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=cells, y_subdivisions=cells, size=size, location=(0, 0, height)
    )
    cloth = bpy.context.object
    bpy.ops.taffeta.make_cloth()
    bpy.ops.object.shade_smooth()
    return cloth


def ball(radius):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius)
    bpy.ops.taffeta.make_solids()
    bpy.ops.object.shade_smooth()
    return bpy.context.object


def choose(cloth):
    bpy.ops.object.select_all(action="DESELECT")
    cloth.select_set(True)
    bpy.context.view_layer.objects.active = cloth


def view():
    """The 3-D view and its sidebar."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    sidebar = next(region for region in area.regions if region.type == "UI")
    return window, area, sidebar


def picture(name):
    """What is on the screen of the 3-D view; Blender's own pictures are black under Xvfb."""
    window, area, _ = view()
    file = PICTURES / name
    crop = f"{area.width}x{area.height}+{area.x}+{window.height - area.y - area.height}"
    subprocess.run(
        ["import", "-window", "root", "-crop", crop, "+repage", "-depth", "8", str(file)], check=True
    )
    shown = bpy.data.images.load(str(file))
    assert np.std(shown.pixels[:]) > 0.05, "the picture shows nothing"


def look_from(distance, height):
    space = view()[1].spaces[0]
    space.show_region_ui = True
    space.overlay.show_floor = space.overlay.show_cursor = space.overlay.show_axis_x = False
    space.overlay.show_axis_y = space.overlay.show_text = space.show_gizmo = False
    space.region_3d.view_distance, space.region_3d.view_location = distance, (0.1, 0, height)


def baked(cloth):
    """Waits until a bake is over, which Blender's own timers find out."""
    until = time.monotonic() + PATIENCE
    while not bpy.ops.taffeta.bake.poll():
        assert time.monotonic() < until, cloth.taffeta.status
        yield 0.3
    assert cloth.taffeta.baked_last == bpy.context.scene.frame_end, cloth.taffeta.problem


def napkin():
    cloth = grid(48, 0.5, 0.2)
    ball(0.12)
    choose(cloth)
    bpy.context.scene.frame_end = 40
    look_from(0.95, 0.04)
    yield DRAWN
    # A sidebar has categories once it was drawn.
    view()[2].active_panel_category = "Taffeta"
    yield DRAWN
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    yield from baked(cloth)
    assert bpy.ops.taffeta.check() == {"FINISHED"} and cloth.taffeta.holds
    bpy.context.scene.frame_set(40)
    yield DRAWN
    picture("panel.png")
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def torn():
    cloth = grid(24, 0.08, 0)
    cloth.name = "Net"
    cloth.taffeta.tear, cloth.taffeta.strength = True, (0.05, 0.1)
    cloth.vertex_groups.new(name="held").add(
        [v.index for v in cloth.data.vertices if abs(v.co.x) > 0.039], 1.0, "REPLACE"
    )
    cloth.taffeta.pin_group = "held"
    body = ball(0.012)
    for frame, height in ((1, 0.02), (16, -0.06)):
        body.location.z = height
        body.keyframe_insert("location", frame=frame)
    choose(cloth)
    bpy.context.scene.frame_end = 16
    if not bpy.app.build_options.alembic:
        # As those of some distributions; said before anything is computed.
        try:
            bpy.ops.taffeta.bake()
        except RuntimeError as error:
            assert "built without Alembic" in str(error), error
            print("torn cloth was not tried: this Blender was built without Alembic")
            return
    assert bpy.ops.taffeta.bake() == {"FINISHED"}
    while cloth.taffeta.baked_last < 3:
        yield 0.1
    shown = bpy.data.objects[f"{cloth.name} Torn"]
    assert shown.visible_get(), "torn cloth is not seen before its bake ends"
    yield from baked(cloth)
    bpy.context.scene.frame_set(16)
    look_from(0.15, 0)
    yield DRAWN
    picture("torn-window.png")


def everything():
    begin()
    yield DRAWN
    yield from napkin()
    yield from torn()
    print("the window test passed", flush=True)
    bpy.ops.wm.quit_blender()


def tick(steps=everything()):
    try:
        return next(steps)
    except StopIteration:
        return None
    except Exception:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        bpy.ops.wm.quit_blender()


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(tick, first_interval=DRAWN, persistent=True)
