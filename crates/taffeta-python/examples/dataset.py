"""A dataset of 50 random drapes with labels, as one NPZ file.

Fabrics and starts are drawn by a seed; the tasks are done on all cores, and whoever stops the script
goes on with what is left by starting it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import taffeta

#: What is drawn, and between which bounds.
LABELS = {
    "fabric.density": (0.05, 0.4),
    "fabric.bending": (1e-6, 1e-4),
    "solid.0.friction": (0.1, 0.8),
}


def make(folder: Path, samples: int = 50) -> Path:
    scene = taffeta.Scene("drape")
    scene.add(
        taffeta.Sheet(size=(0.3, 0.3), particles=(15, 15)), position=(0, 0.115, 0), jitter=1e-4
    )
    scene.solid("cylinder", radius=0.09, length=0.2, friction=0.3)
    scene.set("model", {"continuum": {}})
    scene.set("frames", {"rate": 30, "count": 20})
    drawn = [{"key": key, "random": bounds, "log": True} for key, bounds in LABELS.items()]
    plan = {
        "scene": scene,
        "samples": samples,
        "seed": 50,
        "vary": drawn,
        "measure": {"drape": 0.09, "heights": True},
    }
    sweep = taffeta.sweep(plan, out=folder / "drapes")
    if sweep.failed:
        raise SystemExit(f"{len(sweep.failed)} drapes failed, first: {sweep.failed[0]['message']}")

    table = sweep.table
    positions = []
    for task in range(samples):
        run = sweep.run(task)
        run.export(folder / "one.npz", frames=str(run.frames[-1]))
        positions.append(np.load(folder / "one.npz")["positions"][-1])
    (folder / "one.npz").unlink()
    triangles = scene.build().triangles
    file = folder / "drapes.npz"
    np.savez_compressed(
        file,
        positions=np.array(positions, dtype=np.float32),
        triangles=triangles,
        drape_coefficient=table["drape_coefficient"],
        **{key.replace(".", "_"): table[key] for key in LABELS},
    )
    return file


if __name__ == "__main__":
    made = make(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
    stored = np.load(made)
    print(f"{made}: {stored['positions'].shape} positions")
    print("drape coefficients from", *np.round(np.percentile(stored["drape_coefficient"], [0, 100]), 3))
