# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, cancel, clear. A bake is computed by a child process; Blender looks now and then how far it
is, and takes over the frames that are made."""

import atexit
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

from . import folders, playing
from .child import Child
from .gathering import Gathered, Refusal
from .loads import unfelt
from .roles import cloths

#: Seconds between looks at a bake.
LOOK = 0.3
#: Bakes under way, by folder.
_under_way = {}


class Baking:
    """A bake under way."""

    def __init__(self, scene, cloth, play, child):
        self.child, self.begun = child, time.monotonic()
        self.first, self.last = scene.frame_start, scene.frame_end
        self.worst, self.resumed_at, self.play = 0.0, None, play

    @property
    def cloth(self):
        return next((thing for thing in bpy.data.objects if self.is_of(thing)), None)

    def is_of(self, thing):
        kept = thing.taffeta
        baked = kept.role == "CLOTH" and kept.baked_folder
        return bool(baked) and folders.place(thing) == self.child.folder

    def look(self):
        """Takes over what is new; whether the bake goes on."""
        cloth = self.cloth
        if cloth is None:
            # Deleted or undone: nothing to bake for.
            self.child.stop()
            return False
        ended = self.child.ended()
        reports = self.child.reports()
        try:
            if reports:
                self.take(cloth, reports)
            if ended:
                self.finish(cloth)
        except (OSError, RuntimeError) as error:
            # A full disk, or files that someone removed meanwhile.
            self.child.stop()
            cloth.taffeta.status, cloth.taffeta.problem = "failed", str(error)
            return False
        return not ended

    def take(self, cloth, reports):
        last = reports[-1]["frame"]
        if self.resumed_at is None:
            self.resumed_at = reports[0]["frame"]
        self.reach(cloth, reports)
        made = last - self.resumed_at
        left = (time.monotonic() - self.begun) / made * (self.last - last) if made else 0.0
        cloth.taffeta.status = (f"frame {last} of {self.last}, worst strain {100 * self.worst:.2f} %, "
                                f"{left:.0f} s left")
        warnings = [each["what"] for line in reports for each in line.get("warnings") or []]
        if warnings:
            cloth.taffeta.problem = "; ".join(warnings)

    def reach(self, cloth, reports):
        kept, last = cloth.taffeta, reports[-1]["frame"]
        self.worst = max(self.worst, *(line["extension"] or 0.0 for line in reports))
        self.play.reach(cloth, last)
        kept.baked, kept.baked_first, kept.baked_last = True, self.first, last

    def finish(self, cloth):
        import taffeta

        kept = cloth.taffeta
        try:
            # Those that an earlier bake had made are not reported again.
            reports = taffeta.Run(self.child.folder / "run").report
        except taffeta.RunError:
            reports = []
        if reports:
            self.reach(cloth, reports)
        problem = self.child.problem()
        if kept.baked and kept.baked_last >= self.last:
            kept.status = f"frames {self.first} to {self.last}, worst strain {100 * self.worst:.2f} %"
        elif problem and not self.child.stopped:
            kept.status, kept.problem = "failed", problem
        else:
            kept.status = f"stopped at frame {kept.baked_last}; Bake goes on"


def begin(context, cloth, over):
    """Starts a bake of a cloth, or goes on with one."""
    folder = folders.prepared(cloth)
    if folder in _under_way:
        raise Refusal(f"{cloth.name} is being baked already")
    others = folders.sharers(cloth, folder)
    if others:
        raise Refusal(f"{folder} holds the bake of {', '.join(others)}: Clear leaves it there if "
                      f"{cloth.name} is a copy, and then bakes apart; or choose another folder")
    gathered = Gathered(context, cloth)
    with tempfile.TemporaryDirectory(prefix="taffeta-") as fresh:
        gathered.make().write(Path(fresh) / "scene.toml")
        going_on = folders.has_run(folder) and not over
        if going_on and folders.job(fresh) != folders.job(folder):
            raise Refusal(f"the scene, or its frame range, is another than {cloth.name} was baked "
                          "with: Bake From the Start makes all frames anew; so far the bake is as it was")
        folders.take_job(fresh, folder)
    np.save(folder / "matrices.npy", np.stack(gathered.matrices))
    kept = cloth.taffeta
    kept.problem, kept.certificate, kept.status = "", "", "starting"
    kept.wanted_last, kept.baked_folder = context.scene.frame_end, folders.written(folder)
    playing.rest(cloth)
    play = playing.of(cloth, folder, context.scene, going_on)
    child = Child(folder, context.scene.taffeta.threads, over)
    _under_way[folder] = Baking(context.scene, cloth, play, child)
    return _under_way[folder]


def _words(problem):
    """A problem of the scene, without its place in a file that nobody has written."""
    return ": ".join(part for part in (problem["message"], problem["help"]) if part)


def overlooked(context, cloth):
    """What of the scene is another than somebody may think, in words."""
    scale = np.abs(cloth.matrix_world.to_scale())
    if scale.max() > 1.001 * scale.min():
        told = ", ".join(f"{part:.3g}" for part in scale)
        yield (f"{cloth.name} is scaled unevenly ({told}): the cloth is at rest in the size it has in "
               "the scene")
    others = [thing.name for thing in cloths(context.scene) if thing != cloth]
    if others:
        yield f"one cloth is baked at a time: {cloth.name} does not feel {', '.join(others)}"
    yield from unfelt(context.scene)


def under_way(cloth):
    return next((each for each in _under_way.values() if each.is_of(cloth)), None)


def look_at_all():
    """A timer's function: looks at every bake, and asks to be called again while there is one."""
    for folder, baking in list(_under_way.items()):
        if not baking.look():
            _under_way.pop(folder, None)
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
    return LOOK if _under_way else None


def stop_all():
    for baking in _under_way.values():
        baking.child.stop()
    _under_way.clear()


@bpy.app.handlers.persistent
def _stop_before_load(*_):
    stop_all()


def _cloth_of(context):
    thing = context.object
    return thing if thing is not None and thing.taffeta.role == "CLOTH" else None


class TAFFETA_OT_bake(bpy.types.Operator):
    """Compute the frames of the scene, or go on where a bake was stopped"""

    bl_idname = "taffeta.bake"
    bl_label = "Bake"

    over: bpy.props.BoolProperty(
        name="From the Start", description="Replace the bake that is there", options={"SKIP_SAVE"}
    )
    wait: bpy.props.BoolProperty(
        name="Wait", description="Return when it is done, as without a window", default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        cloth = _cloth_of(context)
        return cloth is not None and under_way(cloth) is None

    def execute(self, context):
        cloth = context.object
        try:
            baking = begin(context, cloth, self.over)
        except (Refusal, folders.NotOurs) as refusal:
            self.report({"ERROR"}, str(refusal))
            return {"CANCELLED"}
        except Exception as error:
            # What the simulator refuses has its own words.
            if type(error).__module__.partition(".")[0] != "taffeta":
                raise
            self.report({"ERROR"}, "; ".join(map(_words, getattr(error, "problems", ()))) or str(error))
            return {"CANCELLED"}
        for told in overlooked(context, cloth):
            self.report({"INFO"}, told)
        if not self.wait:
            bpy.app.timers.register(look_at_all, first_interval=LOOK)
            return {"FINISHED"}
        while look_at_all() is not None:
            time.sleep(0.05)
        if cloth.taffeta.problem and not cloth.taffeta.baked_last >= baking.last:
            self.report({"ERROR"}, cloth.taffeta.problem)
            return {"CANCELLED"}
        return {"FINISHED"}


class TAFFETA_OT_cancel(bpy.types.Operator):
    """Stop the bake; Bake goes on from there"""

    bl_idname = "taffeta.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        cloth = _cloth_of(context)
        return cloth is not None and under_way(cloth) is not None

    def execute(self, context):
        under_way(context.object).child.stop()
        look_at_all()
        return {"FINISHED"}


class TAFFETA_OT_clear(bpy.types.Operator):
    """Remove the bake: its files, and nothing else in their folder"""

    bl_idname = "taffeta.clear"
    bl_label = "Clear"

    @classmethod
    def poll(cls, context):
        cloth = _cloth_of(context)
        return cloth is not None and under_way(cloth) is None

    def execute(self, context):
        cloth, left = context.object, []
        try:
            folder = folders.place(cloth)
            others = folders.sharers(cloth, folder)
            if others:
                self.report({"INFO"}, f"the files stay, which are the bake of {', '.join(others)} too")
            else:
                left = folders.clear(folder)
        except (OSError, folders.NotOurs) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        playing.remove(cloth)
        kept = cloth.taffeta
        kept.baked, kept.baked_folder, kept.status = False, "", ""
        kept.problem = kept.certificate = ""
        if left:
            self.report({"INFO"}, f"{len(left)} files that are not Taffeta's stay: {left[0]} …")
        return {"FINISHED"}


_CLASSES = (TAFFETA_OT_bake, TAFFETA_OT_cancel, TAFFETA_OT_clear)


def register():
    for each in _CLASSES:
        bpy.utils.register_class(each)
    atexit.register(stop_all)
    bpy.app.handlers.load_pre.append(_stop_before_load)


def unregister():
    atexit.unregister(stop_all)
    bpy.app.handlers.load_pre.remove(_stop_before_load)
    stop_all()
    if bpy.app.timers.is_registered(look_at_all):
        bpy.app.timers.unregister(look_at_all)
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
