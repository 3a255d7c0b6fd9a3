"""A scene has the same fingerprints from Python, from the command line and from the library, on any
number of threads, however it is stepped and saved."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import taffeta
from conftest import make_napkin

SCENES = ["hang", "drape-mesh", "twist"]


def fingerprints(folder: Path) -> list[str]:
    lines = (folder / "report.jsonl").read_text().splitlines()
    return [json.loads(line)["hash"] for line in lines]


@pytest.mark.parametrize("name", SCENES)
def test_python_and_the_command_agree(name, command, tmp_path):
    count = 4
    command("run", name, "--set", f"frames.count={count}", "--out", tmp_path / "cli")
    for threads in (1, 2):
        simulation = taffeta.Scene.from_file(name).build(threads=threads)
        seen = [simulation.fingerprint]
        seen += [simulation.fingerprint for _ in simulation.frames(count=count)]
        assert seen == fingerprints(tmp_path / "cli")


def test_the_program_that_cargo_builds_agrees(tmp_path):
    """The library agrees with that program by a test of its own."""
    program = os.environ.get("TAFFETA_PROGRAM")
    if program is None:
        pytest.skip("TAFFETA_PROGRAM does not name the program that cargo built")
    scene = make_napkin().write(tmp_path / "napkin.toml")
    subprocess.run([program, "run", scene, "--out", tmp_path / "cargo"], check=True)
    simulation = taffeta.Scene.from_file(scene).build()
    seen = [simulation.fingerprint]
    seen += [simulation.fingerprint for _ in simulation.frames()]
    assert seen == fingerprints(tmp_path / "cargo")


def test_saving_before_or_after_and_on_the_way_is_the_same_run(tmp_path, command):
    before, after, half = (make_napkin().build() for _ in range(3))
    first = before.save(tmp_path / "before")
    list(before.frames(count=8))
    list(after.frames(count=8))
    second = after.save(tmp_path / "after")
    list(half.frames(count=3))
    third = half.save(tmp_path / "half")
    list(half.frames(count=5))
    assert first.fingerprints == second.fingerprints == third.fingerprints
    assert len(first.frames) == 9
    for run in (first, second, third):
        assert run.check()["holds"], run.check()
        command("check", run.folder)


def test_a_scene_of_arrays_is_run_again_from_its_folder(tmp_path, command):
    import trimesh

    sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    x, z = np.meshgrid(np.linspace(-0.2, 0.2, 9), np.linspace(-0.2, 0.2, 9))
    vertices = np.column_stack([x.ravel(), np.full(81, 0.15), z.ravel()]) * (1 + 1e-16) + 1e-17
    quads = [[i, i + 9, i + 10, i + 1] for i in range(71) if i % 9 != 8]
    scene = taffeta.Scene("cover")
    scene.add((vertices, quads), fabric={"preset": "denim", "density": 0.3})
    scene.solid(sphere, thickness=0.002)
    scene.set("frames.count", 5)
    written = scene.copy().write(tmp_path / "cover.toml")
    simulation = scene.build()
    run = simulation.save(tmp_path / "python")
    list(simulation.frames(count=5))
    command("run", written, "--out", tmp_path / "written")
    del simulation, scene
    command("run", tmp_path / "python" / "scene.toml", "--out", tmp_path / "kept")
    assert run.fingerprints == fingerprints(tmp_path / "written") == fingerprints(tmp_path / "kept")


def test_a_run_that_python_began_is_gone_on_with_by_the_command(tmp_path, command):
    simulation = make_napkin().build()
    run = simulation.save(tmp_path / "run")
    list(simulation.frames(count=10))[4]
    whole = run.fingerprints
    half = make_napkin().build()
    begun = half.save(tmp_path / "half")
    frames = half.frames(count=10)
    for _ in range(4):
        next(frames)
    del half, frames
    command("run", tmp_path / "half" / "scene.toml", "--out", tmp_path / "half", "--resume")
    assert begun.fingerprints == whole


def test_states_are_restored_to_the_bit():
    simulation = make_napkin().build()
    start = simulation.state()
    list(simulation.frames(count=3))
    middle = simulation.state()
    list(simulation.frames(count=4))
    end = simulation.fingerprint
    other = make_napkin().build(threads=1)
    for state, frames in ((middle, 4), (start, 7), (middle, 4)):
        for sim in (simulation, other):
            sim.restore(state)
            list(sim.frames(count=frames))
            assert sim.fingerprint == end
