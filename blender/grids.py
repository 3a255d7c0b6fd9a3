# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat grids, which are the cloth that tears."""

from dataclasses import dataclass

import numpy as np

#: How far a vertex may be off its place, as a share of the spacing.
OFF = 1e-3


@dataclass
class Grid:
    """A rectangle of quads, as the simulator has it: columns along x and rows along z, turned about
    x, y and z, and moved."""

    size: list
    particles: list
    position: list
    rotation: list


def of(points, faces):
    """The grid that a mesh is, if it is one: vertices row by row, as Blender makes it."""
    columns = _columns(faces)
    if columns is None or len(points) % columns:
        return None
    rows = len(points) // columns
    if len(faces) != (columns - 1) * (rows - 1) or min(columns, rows) < 2:
        return None
    net = points.reshape(rows, columns, 3)
    along, down = net[0, -1] - net[0, 0], net[-1, 0] - net[0, 0]
    width, height = np.linalg.norm(along), np.linalg.norm(down)
    if min(width, height) == 0:
        return None
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    flat = net[0, 0] + u[..., None] * along + v[..., None] * down
    spacing = min(width / (columns - 1), height / (rows - 1))
    if np.abs(net - flat).max() > OFF * spacing or abs(along @ down) > OFF * width * height:
        return None
    x, z = along / width, down / height
    turn = np.stack([x, np.cross(z, x), z], axis=1)
    centre = net[0, 0] + (along + down) / 2
    return Grid([float(width), float(height)], [columns, rows], centre.tolist(), _angles(turn))


def _columns(faces):
    """The columns that faces between neighbours of a row and of the next would have."""
    if any(len(face) != 4 for face in faces):
        return None
    differences = {max(face) - min(face) for face in faces}
    if len(differences) != 1:
        return None
    columns = differences.pop() - 1
    wanted = {frozenset((i, i + 1, i + columns, i + columns + 1)) for i in map(min, faces)}
    return columns if wanted == {frozenset(face) for face in faces} else None


def _angles(turn):
    """Degrees about x, then y, then z."""
    y = np.arcsin(np.clip(-turn[2, 0], -1, 1))
    if abs(turn[2, 0]) < 1 - 1e-9:
        x, z = np.arctan2(turn[2, 1], turn[2, 2]), np.arctan2(turn[1, 0], turn[0, 0])
    else:
        x, z = np.arctan2(-turn[1, 2], turn[1, 1]), 0.0
    return np.degrees([x, y, z]).tolist()
