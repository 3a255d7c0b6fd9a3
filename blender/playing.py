# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run in Blender as they are made: a point cache where topology stays."""

import numpy as np

from . import folders, torn
from .axes import metres, to_blender
from .point_cache import PointCache
from .roles import MODIFIER, WELDER, player, welder


def of(cloth, folder, scene, going_on):
    """What brings the frames of a cloth's run into the scene."""
    if cloth.taffeta.tear:
        return torn.Tearing(folder, scene.frame_start, going_on)
    return Playing(cloth, folder, scene.frame_start, metres(scene))


class Playing:
    """Brings frames of a run into the cloth's object as they are made."""

    def __init__(self, cloth, folder, first, unit):
        self.folder, self.first, self.unit = folder, first, unit
        self.matrices = np.load(folder / "matrices.npy")
        self.cache = PointCache(folder / "cloth.pc2", len(cloth.data.vertices))
        modifier = player(cloth)
        modifier.cache_format = "PC2"
        modifier.filepath = folders.written(folder / "cloth.pc2")
        modifier.frame_start = first
        modifier.interpolation = "LINEAR"
        if cloth.taffeta.sew:
            welder(cloth, unit)

    def reach(self, cloth, last):
        """Takes all frames up to this one from the run."""
        import taffeta

        run = taffeta.Run(self.folder / "run")
        while self.first + self.cache.samples <= last:
            number = self.first + self.cache.samples
            back = np.linalg.inv(self.matrices[min(self.cache.samples, len(self.matrices) - 1)])
            points = to_blender(run.positions(number), self.unit)
            self.cache.append(points @ back[:3, :3].T + back[:3, 3])
        # Without a frame the modifier would complain.
        modifier = player(cloth)
        modifier.show_viewport = modifier.show_render = self.cache.samples > 0
        cloth.update_tag(refresh={"DATA"})


def rest(cloth):
    """The modifiers that play a bake rest until there is another."""
    modifier = cloth.modifiers.get(MODIFIER)
    if modifier is not None:
        modifier.show_viewport = modifier.show_render = False
        modifier.filepath = ""
    seams = cloth.modifiers.get(WELDER)
    if seams is not None and not cloth.taffeta.sew:
        cloth.modifiers.remove(seams)
    if not cloth.taffeta.tear:
        torn.remove(cloth)


def remove(cloth):
    """Takes a bake out of the scene: objects made of it go."""
    rest(cloth)
    torn.remove(cloth)
    seams = cloth.modifiers.get(WELDER)
    if seams is not None:
        cloth.modifiers.remove(seams)
