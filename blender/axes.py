# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths and axes: the simulator has metres and y up, Blender its own unit and z up."""

import numpy as np


def metres(scene):
    """How many metres Blender's unit is."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else units.scale_length


def to_taffeta(points, unit):
    """World coordinates in metres with y up."""
    return np.asarray(points, dtype=np.float64)[..., [0, 2, 1]] * [unit, unit, -unit]


def to_blender(points, unit):
    """The way back."""
    return points[..., [0, 2, 1]] / [unit, -unit, unit]


def world(points, matrix):
    matrix = np.array(matrix)
    return points @ matrix[:3, :3].T + matrix[:3, 3]
