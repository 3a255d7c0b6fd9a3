"""Taffeta simulates woven cloth that does not stretch until it tears.

Everything is in SI units, y is up, and a run has the same bits on any number of threads, from
Python, from the ``taffeta`` command and from the Rust library.

A scene is put together, built and stepped::

    import taffeta

    scene = taffeta.Scene("napkin")
    scene.add(taffeta.Sheet(size=(0.5, 0.5), particles=(41, 41)), fabric="silk",
              position=(0, 0.3, 0))
    scene.solid("sphere", radius=0.12)
    scene.limits(extension=0.01)

    sim = scene.build()
    for frame in sim.frames(rate=30, count=60):
        print(frame.number, frame.positions.min(axis=0), frame.strain)

Meshes come as ``(vertices, faces)`` arrays, as anything with ``.vertices`` and ``.faces`` (trimesh),
or from files. What a simulation shows of its state are read-only numpy views without copies; they
stay what they are when it moves on.

A run can be kept, proved, shown and handed to other programs::

    run = sim.save("out/napkin")     # before the first frame, so that none is made twice
    for frame in sim.frames():
        pass
    assert run.check()["holds"]
    run.export("napkin.usda")
    run.render("napkin.mp4")

Programs push cloth and lead its pins between steps, and go back to states they have kept::

    start = sim.state()
    sim.set_forces(forces)           # (n, 3) newtons, until set otherwise
    sim.set_targets(0, places, 0.1)  # the first pin's particles are there in 0.1 s
    sim.step(1 / 240)
    sim.restore(start)

Many runs are a sweep: `taffeta.sweep` makes them on all cores or on a Ray cluster, goes on where it
was stopped, and gives one table.

Errors are `TaffetaError` and its kinds, in the words of the command, with place and remedy.
"""

from __future__ import annotations

from ._errors import (
    InputError,
    RunError,
    SceneError,
    SimulationError,
    SweepError,
    TaffetaError,
)
from ._scene import Scene, Sheet, Tube
from ._sweep import Sweep, sweep
from ._taffeta import Frame, Frames, Run, Simulation, __version__, builtin_scenes, fabrics

__all__ = [
    "Frame",
    "Frames",
    "InputError",
    "Run",
    "RunError",
    "Scene",
    "SceneError",
    "Sheet",
    "Simulation",
    "SimulationError",
    "Sweep",
    "SweepError",
    "TaffetaError",
    "Tube",
    "__version__",
    "builtin_scenes",
    "fabrics",
    "sweep",
]
