"""Every example runs and gives what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *words: object) -> str:
    line = [sys.executable, str(EXAMPLES / name), *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_fit_finds_what_was_hidden():
    told = run("fit_bending.py")
    off = float(re.search(r"off by ([+-][\d.]+)%", told).group(1))
    assert abs(off) < 3, told


def test_the_dataset_has_fifty_drapes_with_labels(tmp_path):
    run("dataset.py", tmp_path)
    stored = np.load(tmp_path / "drapes.npz")
    assert stored["positions"].shape == (50, 225, 3) and np.isfinite(stored["positions"]).all()
    assert len(np.unique(stored["fabric_bending"])) == 50
    stiff = stored["fabric_bending"] / stored["fabric_density"]
    assert np.corrcoef(np.log(stiff), stored["drape_coefficient"])[0, 1] > 0.5


def test_a_firmer_grip_takes_more_force():
    forces = [float(word) for word in re.findall(r"at most +([\d.]+) N", run("pull_out.py"))]
    assert len(forces) == 4 and forces == sorted(forces) and forces[-1] > 1.5 * forces[0]


def test_the_notebook_makes_its_plots(tmp_path):
    run("notebook.py", tmp_path)
    for name in ("strain.png", "shapes.png"):
        assert (tmp_path / name).stat().st_size > 5000
