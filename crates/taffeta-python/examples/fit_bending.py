"""Fits a fabric's bending rigidity to a measured drape, by a loop over simulations.

A strip is clamped at one end and bends under its weight, as in Peirce's cantilever test: the stiffer
it is, the less its tip droops. The measurement here is made up, by a strip whose rigidity we pretend
not to know.
"""

from __future__ import annotations

import math

import taffeta

DENSITY = 0.15  # kg/m²
LENGTH = 0.12  # m


def droop(bending: float) -> float:
    """How far the tip of a strip of this rigidity [N·m] hangs below its clamp, at rest [m]."""
    scene = taffeta.Scene("strip")
    scene.add(
        taffeta.Sheet(size=(LENGTH, 0.03), particles=(17, 5)),
        fabric={"density": DENSITY, "stretch": 1000.0, "shear": 50.0, "bending": bending},
    )
    # The first two columns are in the clamp.
    scene.pin(particles=[row * 17 + column for row in range(5) for column in range(2)])
    scene.set("model", {"continuum": {}})
    scene.set("fabric.bend_damping", 0.05)
    scene.air(drag=20.0)
    simulation = scene.build(threads=1)
    for frame in simulation.frames(rate=30, count=400):
        if frame.number > 20 and abs(frame.velocities).max() < 1e-4:
            break
    return float(-simulation.positions[16::17, 1].mean())


def fit(measured: float, low: float, high: float, steps: int = 10) -> float:
    """The rigidity between two bounds at which the strip droops as measured."""
    for _ in range(steps):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if droop(middle) > measured else (low, middle)
    return math.sqrt(low * high)


if __name__ == "__main__":
    hidden = 1.7e-5
    measured = droop(hidden)
    found = fit(measured, 1e-6, 3e-4)
    print(f"the tip droops by {measured * 1000:.1f} mm")
    print(f"fitted: {found:.3e} N·m, hidden: {hidden:.3e} N·m, off by {found / hidden - 1:+.2%}")
