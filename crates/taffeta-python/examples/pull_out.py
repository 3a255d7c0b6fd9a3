"""How hard it is to pull a yarn out of a weave, against the grip of its crossings.

A patch of cloth is held at one border; at the other a single warp yarn is pulled. The force on the
pin that pulls rises until the yarn slips, and falls with every crossing it leaves behind.
"""

from __future__ import annotations

import numpy as np

import taffeta

COLUMNS, ROWS = 21, 11
SPACING = 1 / 1200  # m: twelve yarns a centimetre
YARN = ROWS // 2


def pull_out(grip: float) -> np.ndarray:
    """The force that pulls [N], frame after frame, if a crossing grips so hard [N]."""
    scene = taffeta.Scene("pull-out", gravity=(0, 0, 0))
    scene.add(
        taffeta.Sheet(
            size=((COLUMNS - 1) * SPACING, (ROWS - 1) * SPACING), particles=(COLUMNS, ROWS)
        ),
        fabric={
            "density": 0.25,
            "thickness": 1e-4,
            "stretch": 1e4,
            "stretch_damping": 1e-4,
            "bend": 0.0,
        },
    )
    scene.pin(particles=[row * COLUMNS for row in range(ROWS) if row != YARN])
    end = (YARN + 1) * COLUMNS - 1
    scene.pin(particles=[end], key=[{"time": 0}, {"time": 1, "move": [0.006, 0, 0]}])
    # Yarns too strong to tear, in a weave that gives way at once.
    scene.tear(strength=[5.0, 5.0], loosens_at=0.01, grip=grip, all_yarn=True)
    scene.air()
    simulation = scene.build(threads=1)
    return np.array([simulation.pin_forces[end, 0] for _ in simulation.frames(rate=30, count=30)])


if __name__ == "__main__":
    for grip in (0.005, 0.01, 0.02, 0.05):
        forces = pull_out(grip)
        bar = "#" * round(forces.max() * 15)
        print(f"grip {grip:5.3f} N: at most {forces.max():5.3f} N {bar}")
