"""What there is, that it is documented, and that the stubs tell the truth."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

import taffeta
from conftest import make_napkin


def test_everything_is_documented():
    for name in taffeta.__all__:
        thing = getattr(taffeta, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert inspect.getdoc(value) or member in ("problems", "size", "particles", "irregular", "radius", "length"), f"{name}.{member}"


def test_stubs_tell_the_truth():
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "taffeta._taffeta", "--ignore-disjoint-bases"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_body_that_deforms_pushes_the_cloth():
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.08)
    moments = np.array([ball.vertices * (1 + 0.05 * i) + [0, 0.02 * i, 0] for i in range(5)])
    scene = taffeta.Scene("breathing")
    scene.add(
        taffeta.Sheet(size=(0.3, 0.3), particles=(9, 9)), fabric="cotton", position=(0, 0.1, 0)
    )
    scene.solid((moments, ball.faces), rate=10, thickness=0.003)
    simulation = scene.build()
    list(simulation.frames(rate=30, count=12))
    assert simulation.positions[:, 1].max() > 0.17


def test_scenes_are_read_and_changed(tmp_path):
    scene = taffeta.Scene.from_file("hang")
    scene.set("fabric.density", 0.3).set("cloth.sheet.particles", [11, 11])
    scene.pin(particles=[60])
    simulation = scene.build()
    assert simulation.particles == 121 and simulation.name == "hang"
    assert list(simulation.pins[-1]) == [60]
    path = scene.copy().write(tmp_path / "changed.toml")
    again = taffeta.Scene.from_file(path).build()
    list(simulation.frames(count=2)), list(again.frames(count=2))
    assert again.fingerprint == simulation.fingerprint


def test_values_of_all_kinds_become_keys():
    scene = taffeta.Scene("kinds", gravity=np.array([0, -1.62, 0]))
    scene.add(taffeta.Tube(radius=0.1, length=np.float32(0.5), particles=(np.int64(12), 8)))
    scene.pin(edge="top", until=None)
    scene.air(wind=(1, 0, 0)).contact(friction=0.2)
    assert "1.62" in scene.text and "until" not in scene.text
    assert scene.build().particles == 96


def test_runs_are_exported_checked_and_shown(tmp_path):
    simulation = make_napkin().build()
    run = simulation.save(tmp_path / "run")
    list(simulation.frames(count=3))
    assert run.export(tmp_path / "x.usda") == [tmp_path / "x.usda"]
    assert run.export(tmp_path / "x.npz", frames="1..2") == [tmp_path / "x.npz"]
    stored = np.load(tmp_path / "x.npz")
    assert any(np.shape(stored[name])[:1] == (2,) for name in stored.files)
    pictures = run.render(tmp_path / "x.png", frame=3, size=(160, 90), look="strain")
    assert pictures == [tmp_path / "x.png"] and pictures[0].read_bytes().startswith(b"\x89PNG")
    movie = run.render(tmp_path / "x.mp4", size=(160, 90), samples=1)
    assert movie[0].stat().st_size > 1000
    report = run.report
    assert [line["frame"] for line in report] == run.frames == [0, 1, 2, 3]
    assert taffeta.Run(tmp_path / "run").fingerprints == [line["hash"] for line in report]
    simulation.scene.copy()
    fresh = make_napkin().build()
    fresh.restore(run.state(3))
    assert fresh.fingerprint == run.fingerprints[3] and fresh.frame == 3


def test_the_command_is_there(command):
    assert "hang" in command("scenes").stdout
    assert taffeta.__version__ in command("--version").stdout
    told = command("run", "no-such-scene", check=False)
    assert told.returncode == 1 and "there is no scene" in told.stderr
    assert command("nonsense", check=False).returncode == 2


def test_names_are_listed():
    assert dict(taffeta.fabrics())["silk"] and dict(taffeta.builtin_scenes())["hang"]
    assert json.dumps(taffeta.builtin_scenes())


def test_a_frame_shows_itself(napkin):
    frame = next(iter(napkin.build().frames(count=1)))
    assert frame.report["frame"] == 1 and frame.report["extension"] == frame.strain
    assert "Frame 1 at 0.0333 s" in repr(frame)
    with pytest.raises(AttributeError):
        frame.number = 2


def test_gravity_changes_from_time_to_time():
    scene = taffeta.Scene().add(taffeta.Sheet(size=[0.1, 0.1], particles=[3, 3]))
    scene.load(0, gravity=[0, 0, 0])
    scene.load(1, gravity=[0, -6, 0])
    sim = scene.build()
    sim.step(1.0)
    assert np.allclose(sim.velocities, [0, -3, 0], atol=1e-9)


def test_a_seam_draws_panels_together():
    points, faces = [], []
    for side in (-0.05, 0.05):
        first = len(points)
        points += [(0.02 * (i % 4), 0.02 * (i // 4), side) for i in range(16)]
        faces += [[first + q, first + q + 1, first + q + 5, first + q + 4] for q in (0, 1, 2, 4, 5, 6)]
        faces += [[first + q, first + q + 1, first + q + 5, first + q + 4] for q in (8, 9, 10)]
    scene = taffeta.Scene("panels", gravity=(0, 0, 0))
    scene.add((points, faces)).limits(extension=0.02)
    scene.seam([12, 13, 14, 15], [28, 29, 30, 31], time=0.05)
    simulation = scene.build()
    list(simulation.frames(rate=30, count=20))
    places = simulation.positions
    assert np.linalg.norm(places[12:16] - places[28:32], axis=1).max() < 1e-3


def test_animated_bodies_that_cannot_be_are_told(tmp_path):
    with pytest.raises(taffeta.InputError, match="path of a glTF"):
        taffeta.Scene().solid((np.zeros((3, 3)), [[0, 1, 2]]), animation=True)
    (tmp_path / "still.gltf").write_text('{"asset": {"version": "2.0"}}')
    scene = make_napkin(5)
    scene.solid(tmp_path / "still.gltf", animation="walk", begin=0.5, rate=24)
    with pytest.raises(taffeta.SceneError, match="animation"):
        scene.build()
