"""Scenes that several tests use: small, so that all of this takes seconds."""

from __future__ import annotations

import subprocess
import sys

import pytest

import taffeta


def make_napkin(particles: int = 13, name: str = "napkin") -> taffeta.Scene:
    scene = taffeta.Scene(name)
    scene.add(
        taffeta.Sheet(size=(0.3, 0.3), particles=(particles, particles)),
        fabric="silk",
        position=(0, 0.2, 0),
    )
    scene.solid("cylinder", radius=0.06, length=0.2)
    scene.limits(extension=0.01)
    scene.set("frames", {"rate": 30, "count": 10})
    return scene


def make_hanging(particles: int = 9) -> taffeta.Scene:
    scene = taffeta.Scene("hanging")
    scene.add(taffeta.Sheet(size=(0.2, 0.2), particles=(particles, particles)), fabric="cotton")
    scene.pin(particles=[0, particles - 1])
    scene.set("integrator", {"implicit": {}})
    return scene


@pytest.fixture
def napkin() -> taffeta.Scene:
    return make_napkin()


@pytest.fixture
def hanging() -> taffeta.Scene:
    return make_hanging()


@pytest.fixture
def command():
    """Runs the ``taffeta`` command of this environment."""

    def run(*words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "taffeta", *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True)
        assert not check or done.returncode == 0, done.stderr
        return done

    return run
