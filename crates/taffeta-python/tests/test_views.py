"""Arrays of the state: no copies, read-only, and valid for ever."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import taffeta
from conftest import make_hanging, make_napkin


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_views_are_no_copies_and_read_only(napkin):
    simulation = napkin.build()
    for name in ("positions", "velocities", "tensions"):
        first, second = getattr(simulation, name), getattr(simulation, name)
        assert len(first) == 0 or address(first) == address(second)
        assert not first.flags.writeable and not first.flags.owndata
        with pytest.raises(ValueError):
            first.flags.writeable = True
    with pytest.raises(ValueError):
        simulation.positions[0, 0] = 1.0


def test_a_view_stays_what_it_was(napkin):
    simulation = napkin.build()
    kept = [simulation.positions]
    copies = [kept[0].copy()]
    for frame in simulation.frames(count=5):
        kept.append(frame.positions)
        copies.append(frame.positions.copy())
    assert all((view == copy).all() for view, copy in zip(kept, copies))
    assert (kept[-1] == simulation.positions).all()
    assert not (kept[0] == kept[-1]).all()


def test_a_view_outlives_the_simulation(napkin):
    simulation = napkin.build()
    list(simulation.frames(count=2))
    view, copy = simulation.positions, simulation.positions.copy()
    del simulation
    gc.collect()
    [np.random.default_rng(0).random(100_000) for _ in range(20)]
    assert (view == copy).all()


def test_a_view_that_is_not_kept_costs_no_copy(napkin):
    simulation = napkin.build()
    frames = simulation.frames(count=6)
    places = set()
    for _ in range(6):
        next(frames)
        places.add(address(simulation.positions))
    # State and trial are swapped from step to step; a copy would be somewhere else each time.
    assert len(places) <= 2


def test_a_view_of_cloth_that_tears_stays(tmp_path):
    scene = taffeta.Scene.from_file("tear-bars")
    simulation = scene.build()
    start, copy = simulation.positions, simulation.positions.copy()
    particles = simulation.particles
    for frame in simulation.frames(count=12):
        assert len(frame.positions) == len(frame.velocities)
    assert simulation.particles > particles
    assert (start == copy).all()
    assert len(simulation.positions) == simulation.particles


def test_what_is_measured_fits_the_cloth(hanging):
    simulation = hanging.build()
    list(simulation.frames(rate=60, count=20))
    particles, gauges = simulation.particles, simulation.gauges
    assert simulation.strain.shape == (len(gauges),)
    ends = simulation.positions[gauges[:, 1]] - simulation.positions[gauges[:, 0]]
    rest = 0.2 / 8
    assert np.allclose(np.linalg.norm(ends, axis=1) / rest - 1, simulation.strain)
    assert simulation.triangles.max() == particles - 1
    assert np.isclose(simulation.masses.sum(), 0.2 * 0.2 * 0.1036)
    weight = simulation.masses.sum() * 9.81
    assert 0.5 * weight < simulation.pin_forces[:, 1].sum() < 2 * weight
    assert simulation.contact_forces.shape == (particles, 3)
    for name in ("strain", "contact_forces", "pin_forces", "gauges", "triangles"):
        assert not getattr(simulation, name).flags.writeable, name
    assert [list(pin) for pin in simulation.pins] == [[0, 8]]


def test_what_is_measured_is_measured_once_and_anew_after_every_move(napkin):
    simulation = napkin.build()
    list(simulation.frames(count=6))
    for name in ("strain", "contact_forces", "pin_forces"):
        assert getattr(simulation, name) is getattr(simulation, name), name
    before, copy = simulation.strain, simulation.strain.copy()
    next(simulation.frames(count=1))
    assert simulation.strain is not before and (simulation.strain != before).any()
    assert (before == copy).all()
    other_rate = make_napkin().build()
    before = other_rate.strain
    other_rate.frames(rate=60, count=1)
    assert other_rate.strain is not before


def test_contact_forces_carry_the_cloth():
    scene = taffeta.Scene("rug")
    scene.add(taffeta.Sheet(size=(0.2, 0.2), particles=(9, 9)), position=(0, 0.002, 0))
    scene.solid("plane")
    scene.set("integrator", {"implicit": {}})
    # Forces are as good as the solves they come from.
    scene.set("solver", {"pcg": {"tolerance": 1e-6}})
    simulation = scene.build()
    list(simulation.frames(rate=60, count=60))
    weight = simulation.masses.sum() * 9.81
    assert simulation.contact_forces.sum(axis=0) == pytest.approx([0, weight, 0], abs=1e-3 * weight)


def test_tensions_are_those_of_limits(napkin):
    simulation = napkin.build()
    list(simulation.frames(count=6))
    assert len(simulation.tensions) > 0 and np.isfinite(simulation.tensions).all()
    assert len(make_hanging().build().tensions) == 0
