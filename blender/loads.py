# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity and wind of the scene, as they change over the frames."""

import numpy as np

from .axes import to_taffeta
from .motion import needed


def winds(scene):
    """The wind fields that blow."""
    return [thing for thing in _fields(scene) if thing.field.type == "WIND"]


def unfelt(scene):
    """What of the scene's force fields cloth does not feel, in words."""
    others = sorted(thing.name for thing in _fields(scene) if thing.field.type != "WIND")
    if others:
        yield f"of force fields only wind is felt, not {', '.join(others)}"
    shaped = sorted(
        thing.name for thing in winds(scene)
        if thing.field.noise or thing.field.falloff_power or thing.field.use_max_distance
    )
    if shaped:
        yield f"wind is the same everywhere: noise and falloff of {', '.join(shaped)} are not felt"


def _fields(scene):
    return [
        thing for thing in scene.objects
        if thing.field is not None and thing.field.type != "NONE" and thing.visible_get()
    ]


class Loads:
    """Gravity and wind at every moment that was looked at."""

    def __init__(self):
        self.moments = []

    def look(self, scene, depsgraph):
        gravity, wind = np.array(scene.gravity if scene.use_gravity else (0, 0, 0)), np.zeros(3)
        for thing in winds(scene):
            blowing = thing.evaluated_get(depsgraph)
            along = np.array(blowing.matrix_world)[:3, 2]
            wind += blowing.field.strength * along / max(np.linalg.norm(along), 1e-12)
        self.moments.append(np.array([to_taffeta(gravity, 1.0), to_taffeta(wind, 1.0)]))

    def give(self, made, times):
        """Tells the simulator's scene of them."""
        gravity, wind = self.moments[0].tolist()
        made.set("gravity", gravity)
        made.set("air", {"wind": wind})
        for number in needed(self.moments, times):
            gravity, wind = self.moments[number].tolist()
            made.load(float(times[number]), gravity=gravity, wind=wind)
