"""Several cloths in a scene: what each is made of, and how it is found again."""

from __future__ import annotations

import json

import numpy as np
import pytest

import taffeta

SMALL = taffeta.Sheet(size=(0.2, 0.2), particles=(7, 7))


def two() -> taffeta.Scene:
    scene = taffeta.Scene("two")
    scene.add(SMALL, name="upper", fabric="silk", position=(0, 0.1, 0), limits=0.02)
    scene.add(SMALL, name="lower", fabric={"density": 0.4}, contact={"friction": 0.7})
    scene.set("model", {"continuum": {}}).set("frames", {"rate": 30, "count": 2})
    return scene


def test_cloths_are_found_by_their_names():
    simulation = two().build()
    assert simulation.cloths == {"upper": slice(0, 49, 1), "lower": slice(49, 98, 1)}
    assert np.allclose(simulation.positions[simulation.cloths["upper"]][:, 1], 0.1)
    frame = list(simulation.frames())[-1]
    assert [cloth["name"] for cloth in frame.report["cloths"]] == ["upper", "lower"]


def test_each_is_made_of_what_it_was_given():
    simulation = two().build()
    weight = {name: simulation.masses[at].sum() for name, at in simulation.cloths.items()}
    assert weight["lower"] == pytest.approx(0.4 * 0.04)
    silk = taffeta.Scene().add(SMALL, fabric="silk").build().masses.sum()
    assert weight["upper"] == pytest.approx(silk)
    # A second cloth of which nothing is said is not made of what the first was.
    plain = taffeta.Scene().add(SMALL, fabric={"density": 0.9}).add(SMALL, position=(0, 1, 0))
    built = plain.build()
    assert list(built.cloths) == ["cloth-1", "cloth-2"]
    assert built.masses[built.cloths["cloth-2"]].sum() != pytest.approx(0.9 * 0.04)
    shared = taffeta.Scene().set("fabric.density", 0.3).add(SMALL).add(SMALL, position=(0, 1, 0))
    built = shared.build()
    assert built.masses.sum() == pytest.approx(2 * 0.3 * 0.04)


def test_one_cloth_stays_what_it_was(tmp_path):
    alone = taffeta.Scene("alone").add(SMALL, fabric="silk")
    assert "[cloth.sheet]" in alone.text and alone.build().cloths == {}
    scene = two()
    path = scene.write(tmp_path / "two.toml")
    assert taffeta.Scene.from_file(path).build().fingerprint == scene.copy().build().fingerprint


def test_pins_and_seams_name_cloths():
    scene = two()
    scene.pin(cloth="lower", particles=[0, 6])
    simulation = scene.build()
    assert list(simulation.pins[0]) == [49, 55]
    with pytest.raises(taffeta.SceneError, match="no cloth is `lowr`"):
        wrong = two()
        wrong.pin(cloth="lowr", particles=[0])
        wrong.build()


def test_what_cannot_be_is_refused():
    with pytest.raises(taffeta.SceneError, match="two cloths are `a`"):
        taffeta.Scene().add(SMALL, name="a").add(SMALL, name="a", position=(0, 1, 0)).build()
    with pytest.raises(taffeta.SceneError, match="none can tear"):
        taffeta.Scene().add(SMALL).add(SMALL, position=(0, 1, 0)).tear(strength=[1, 2]).build()
    with pytest.raises(taffeta.InputError, match=r"\[\[cloth\]\]"):
        taffeta.Scene.from_file("hang").add(SMALL).add(SMALL)


def test_cloth_is_at_rest_as_its_texture_lies():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) * [1.1, 1.0, 1.0]
    flat = [[0, 0], [1, 0], [1, 1], [0, 1]]
    scene = taffeta.Scene().add((square, [[0, 1, 2, 3]]), uv=flat, rest="uv")
    simulation = scene.set("model", {"continuum": {}}).build()
    assert simulation.strain.max() == pytest.approx(0.1)
    with pytest.raises(taffeta.SceneError, match="uv_scale = 0.0"):
        far = taffeta.Scene().add((square, [[0, 1, 2, 3]]), uv=np.multiply(flat, 40), rest="uv")
        far.set("model", {"continuum": {}}).build()
    json.dumps(simulation.notes)
