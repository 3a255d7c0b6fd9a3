"""Bad input: a clear exception, nothing lost, and the interpreter lives."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import taffeta
from conftest import make_hanging, make_napkin

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "vertices, faces, told",
    [
        ([[0, 0], [1, 0], [1, 1]], [[0, 1, 2]], r"shape \(3, 2\)"),
        (np.zeros((0, 3)), [], r"shape \(0, 3\)"),
        ("abc", [[0, 1, 2]], "no numbers"),
        (np.zeros((3, 3), dtype=complex), [[0, 1, 2]], "complex"),
        ([[0, 0, np.nan], *SQUARE[1:]], [[0, 1, 2, 3]], "row 0 .* not finite"),
        (SQUARE, [[0, 1, 4]], "face 0 is .* there are 4 vertices"),
        (SQUARE, [[0, 1, -1]], "face 0"),
        (SQUARE, [[0, 1]], "2 corners"),
        (SQUARE, [[0.5, 1, 2]], "vertex numbers"),
        (SQUARE, [], "no faces"),
        (SQUARE, 7, "no list of faces"),
        (SQUARE, np.zeros((2, 3, 3), int), "face 0"),
    ],
)
def test_meshes_that_are_none(vertices, faces, told):
    for use in ("add", "solid"):
        scene = taffeta.Scene()
        with pytest.raises(taffeta.InputError, match=told):
            getattr(scene, use)((vertices, faces))


def test_meshes_that_cannot_be_cloth_are_told_with_their_place():
    scene = taffeta.Scene()
    scene.add((SQUARE, [[0, 1, 1]]))
    with pytest.raises(taffeta.SceneError) as caught:
        scene.build()
    assert caught.value.problems[0]["line"] >= 1


def test_scenes_with_mistakes_say_all_of_them_with_place_and_remedy():
    text = "[fabric]\ndensty = 0.2\nstretch = -1\n[cloth.sheet]\nsize = [1, 1]\nparticles = [5, 5]\n"
    with pytest.raises(taffeta.SceneError) as caught:
        taffeta.Scene.from_text(text, name="mine").build()
    problems = caught.value.problems
    assert [(p["line"], p["column"]) for p in problems] == [(2, 1), (3, 11)]
    assert "did you mean `density`" in problems[0]["help"]
    assert "mine:2:1" in str(caught.value) and isinstance(caught.value, ValueError)


def test_the_command_says_the_same(tmp_path, command):
    text = "[fabric]\ndensty = 0.2\n[cloth.sheet]\nsize = [1, 1]\nparticles = [5, 5]\n"
    (tmp_path / "wrong.toml").write_text(text)
    told = command("run", tmp_path / "wrong.toml", check=False).stderr
    with pytest.raises(taffeta.SceneError) as caught:
        taffeta.Scene.from_file(tmp_path / "wrong.toml").build()
    # Lines are broken to the width of the terminal.
    words = [re.sub(r"\W+", " ", text).split() for text in (str(caught.value), told)]
    assert words[0] == words[1]


def test_a_scene_is_built_once(napkin):
    simulation = napkin.build()
    for change in (napkin.build, lambda: napkin.set("seed", 1), lambda: napkin.pin(particles=[0])):
        with pytest.raises(taffeta.InputError, match="built already"):
            change()
    assert napkin.copy().build().fingerprint == simulation.fingerprint


def test_states_of_other_scenes_and_damaged_ones_change_nothing(napkin):
    simulation = napkin.build()
    list(simulation.frames(count=3))
    before, own = simulation.fingerprint, simulation.state()
    other = make_hanging().build().state()
    denser = make_napkin().set("fabric.density", 0.3).build().state()
    for state, told in [
        (other, "another scene"),
        (denser, "another scene"),
        (b"", "damaged"),
        (own[:-1], "damaged"),
        (own[:100] + b"x" + own[101:], "damaged"),
    ]:
        with pytest.raises(taffeta.InputError, match=told):
            simulation.restore(state)
        assert simulation.fingerprint == before
    with pytest.raises(TypeError):
        simulation.restore("text")
    simulation.restore(own)
    assert simulation.fingerprint == before


def test_forces_and_targets_that_make_no_sense(hanging):
    simulation = hanging.build()
    count = simulation.particles
    for forces, told in [
        (np.zeros((count, 2)), "shape"),
        (np.zeros((count - 1, 3)), f"{count - 1} forces"),
        (np.full((count, 3), np.inf), "not finite"),
        ([["a", "b", "c"]] * count, "no numbers"),
        (object(), "no numbers"),
        (np.zeros((count, 3), dtype=complex), "complex"),
    ]:
        with pytest.raises(taffeta.InputError, match=told):
            simulation.set_forces(forces)
    places = simulation.positions[simulation.pins[0]]
    for pin, to, seconds, told in [
        (1, places, 1.0, "no pin 1"),
        (0, places[:1], 1.0, "1 places"),
        (0, places * np.nan, 1.0, "not finite"),
        (0, places, 0.0, "until"),
        (0, places, float("nan"), "until"),
    ]:
        with pytest.raises(taffeta.InputError, match=told):
            simulation.set_targets(pin, to, seconds)
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(taffeta.InputError, match="makes no sense"):
            simulation.step(seconds)
    assert simulation.time == 0


def test_rates_and_folders_that_do_not_fit(napkin, tmp_path):
    simulation = napkin.build()
    with pytest.raises(taffeta.SceneError):
        simulation.frames(rate=-30)
    next(simulation.frames(count=3))
    with pytest.raises(taffeta.InputError, match="has begun with 30"):
        simulation.frames(rate=60)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    with pytest.raises(taffeta.RunError, match="not a Taffeta run"):
        simulation.save(tmp_path / "mine")
    assert (tmp_path / "mine" / "diary.txt").read_text() == "dear diary"
    other = make_hanging().build()
    other.save(tmp_path / "other")
    with pytest.raises(taffeta.RunError, match="in use by another run"):
        simulation.save(tmp_path / "other")
    del other
    with pytest.raises(taffeta.RunError, match="another scene"):
        simulation.save(tmp_path / "other")
    simulation.save(tmp_path / "run")
    with pytest.raises(taffeta.InputError, match="saved to"):
        simulation.save(tmp_path / "again")
    with pytest.raises(taffeta.InputError, match="restore"):
        simulation.restore(simulation.state())
    with pytest.raises(taffeta.InputError, match="before save"):
        simulation.step(0.1)
    with pytest.raises(taffeta.RunError):
        taffeta.Run(tmp_path / "nowhere")


def test_cloth_that_cannot_be_computed_stays_where_it_was():
    scene = make_hanging()
    scene.set("step", {"max": 1 / 60, "min": 1 / 61})
    simulation = scene.build()
    start = simulation.fingerprint
    simulation.set_forces(np.full((simulation.particles, 3), 1e9))
    with pytest.raises(taffeta.SimulationError):
        list(simulation.frames(rate=simulation.rate, count=1))
    assert simulation.fingerprint == start


@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_random_misuses_of_each_seed(seed, tmp_path):
    """Whatever is called with whatever: an exception of Python's or ours, and all goes on."""
    misuse(seed, 1000, tmp_path)


def misuse(seed, times, tmp_path):
    rng = random.Random(seed)
    napkin = make_napkin(5)
    simulation = napkin.build(threads=1)
    run = simulation.save(tmp_path / "run")
    list(simulation.frames(count=1))
    free = make_hanging(3).build(threads=1)
    # Begun, so that no call can give it another rate, which would make another scene of it.
    list(free.frames(count=1))
    good = free.state()
    rubbish = [
        None, True, 0, -1, 3, 2**31, 2**70, 0.5, -0.0, float("nan"), float("inf"), 1e308, "", "silk",
        "\0", "a.b", "é" * 300, b"", b"\xff" * 64, good, good[:-9], [], [[]], [1, 2], {}, {"a": 1},
        {1: 2}, {"x": {"y": object()}}, (), object(), print, np.zeros(3), np.zeros((9, 3)),
        np.full((9, 3), np.nan), np.zeros((9, 3), dtype=complex), np.array(["x"]), np.array(object()),
        np.zeros((0, 3)), np.arange(27.0).reshape(9, 3)[:, ::-1], (SQUARE, [[0, 1, 2]]),
        (SQUARE, [[0, 1, 9]]), tmp_path, tmp_path / "none.obj", taffeta.Scene(), simulation,
        taffeta.Sheet((1, 1), (3, 3)), taffeta.Sheet(("x", None), {}), taffeta.Tube(-1, 0, (0,)),
    ]
    keys = ["fabric", "position", "uv", "edge", "particles", "radius", "frames", "frame", "size",
            "rate", "count", "threads", "memory", "overwrite", "seconds", "nonsense"]
    targets = [
        lambda: taffeta.Scene, lambda: taffeta.Scene.from_file, lambda: taffeta.Scene.from_text,
        lambda: taffeta.Scene().add, lambda: taffeta.Scene().solid, lambda: taffeta.Scene().pin,
        lambda: taffeta.Scene().set, lambda: taffeta.Scene().write, lambda: make_napkin(4).build,
        lambda: free.set_forces, lambda: free.set_targets, lambda: free.restore, lambda: free.frames,
        lambda: simulation.save, lambda: simulation.restore, lambda: simulation.step,
        lambda: run.export, lambda: run.render, lambda: run.check, lambda: run.state,
        lambda: taffeta.Run, lambda: taffeta.Simulation, lambda: taffeta.Sweep, lambda: taffeta.sweep,
    ]
    refused = 0
    for _ in range(times):
        target = rng.choice(targets)()
        values = [rng.choice(rubbish) for _ in range(rng.randint(0, 3))]
        named = {rng.choice(keys): rng.choice(rubbish) for _ in range(rng.randint(0, 2))}
        try:
            target(*values, **named)
        except Exception as error:  # A panic would be a BaseException, and fail.
            assert str(error) or isinstance(error, (TypeError, KeyError)), (target, values, named)
            refused += 1
    assert refused > times / 2
    free.restore(good)
    free.set_forces(None)
    fresh = make_hanging(3).build(threads=1)
    list(fresh.frames(count=1))
    list(free.frames(count=2)), list(fresh.frames(count=2))
    assert free.fingerprint == fresh.fingerprint
    list(simulation.frames(count=2))
    assert run.check()["holds"]
