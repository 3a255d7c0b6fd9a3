# %% [markdown]
# # A first look at cloth
# Cells like those of a notebook: run them one by one in an editor, or all with Python.

# %%
from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import taffeta

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(parents=True, exist_ok=True)

# %% A cloth that hangs by two corners, of three fabrics
fabrics = ["silk", "cotton", "denim"]
runs = {}
for fabric in fabrics:
    scene = taffeta.Scene(f"hanging {fabric}")
    scene.add(taffeta.Sheet(size=(0.4, 0.4), particles=(17, 17)), fabric=fabric)
    scene.pin(particles=[0, 16])
    scene.limits(extension=0.01)
    simulation = scene.build()
    runs[fabric] = [(frame.time, frame.strain, frame.positions) for frame in simulation.frames(rate=30, count=45)]

# %% How far each stretches
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5))
for fabric, frames in runs.items():
    times, strains, positions = zip(*frames)
    axes[0].plot(times, np.array(strains) * 100, label=fabric)
    axes[1].plot(times, [place[:, 1].min() for place in positions], label=fabric)
axes[0].set(xlabel="time [s]", ylabel="worst strain [%]")
axes[1].set(xlabel="time [s]", ylabel="lowest point [m]")
axes[0].legend()
figure.tight_layout()
figure.savefig(folder / "strain.png")

# %% Their shapes at the end, from the side
figure, axes = plt.subplots(figsize=(5, 4))
for fabric, frames in runs.items():
    place = frames[-1][2].reshape(17, 17, 3)
    axes.plot(place[:, 8, 2], place[:, 8, 1], label=fabric)
axes.set(xlabel="z [m]", ylabel="y [m]", aspect="equal")
axes.legend()
figure.savefig(folder / "shapes.png")
print(f"plots are in {folder}")
