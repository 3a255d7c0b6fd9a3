"""Forces and targets from Python, step by step."""

from __future__ import annotations

import numpy as np
import pytest

import taffeta
from conftest import make_hanging, make_napkin


def test_forces_carry_the_cloth_against_its_weight():
    scene = taffeta.Scene("floating")
    scene.add(taffeta.Sheet(size=(0.1, 0.1), particles=(4, 4)))
    simulation = scene.build()
    start = simulation.positions
    simulation.set_forces(np.outer(simulation.masses, [0, 9.81, 0]))
    for _ in range(20):
        simulation.step(1 / 100)
    assert np.allclose(simulation.positions, start, atol=1e-9)
    assert np.isclose(simulation.time, 0.2)
    simulation.set_forces(None)
    simulation.step(0.1)
    assert np.isclose(simulation.positions[:, 1].mean() - start[:, 1].mean(), -0.5 * 9.81 * 0.01, rtol=0.1)


def test_forces_follow_what_is_seen():
    """A spring in Python pulls a corner to a place, step by step."""
    simulation = make_hanging().build()
    place = np.array([0.08, -0.1, 0.05])
    for _ in range(400):
        forces = np.zeros((simulation.particles, 3))
        forces[-1] = 2.0 * (place - simulation.positions[-1]) - 0.02 * simulation.velocities[-1]
        simulation.set_forces(forces)
        simulation.step(1 / 200)
    assert np.linalg.norm(simulation.positions[-1] - place) < 0.02


def test_targets_lead_pins():
    simulation = make_hanging().build()
    pinned = simulation.pins[0]
    to = simulation.positions[pinned] + [0.0, 0.1, 0.02]
    simulation.set_targets(0, to, 0.5)
    simulation.step(0.25)
    half = (simulation.positions[pinned] + to) / 2
    simulation.step(0.125)
    assert np.allclose(simulation.positions[pinned], half)
    simulation.step(0.5)
    assert np.allclose(simulation.positions[pinned], to)
    assert np.allclose(simulation.velocities[pinned], 0)


def test_frames_go_on_after_steps():
    simulation = make_hanging().build()
    list(simulation.frames(rate=50, count=2))
    simulation.step(0.013)
    assert simulation.frame == 2
    numbers = [(frame.number, frame.time) for frame in simulation.frames(count=2)]
    assert numbers == [(3, pytest.approx(0.06)), (4, pytest.approx(0.08))]


def test_a_steered_run_is_saved_as_its_own(tmp_path, command):
    simulation = make_napkin().build()
    simulation.set_forces(np.full((simulation.particles, 3), [0.0, 1e-4, 0.0]))
    run = simulation.save(tmp_path / "steered")
    list(simulation.frames(count=4))
    assert run.check()["holds"] and len(run.frames) == 5
    # It is not the scene's own run, and is never taken for it.
    simulation.scene.copy().write(tmp_path / "napkin.toml")
    del simulation
    refused = command("run", tmp_path / "napkin.toml", "--out", tmp_path / "steered", "--resume", check=False)
    assert refused.returncode == 1 and "another scene" in refused.stderr
