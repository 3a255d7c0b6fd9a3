"""Checks frames that were exported as OBJ, with no code of Taffeta's.

Counts the edges that pass through triangles by exact signs, asks the IPC Toolkit whether there are any, and
measures how deep particles are in balls and how long the edges of a sheet are.

usage: torture.py FOLDER KNOWN-AS-JSON
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import ipctk
import numpy as np


def read_obj(path):
    """Vertices and triangles; a face is cut along the diagonals from its first corner."""
    vertices, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        elif words and words[0] == "f":
            corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
            triangles += [[corners[0], b, c] for b, c in zip(corners[1:], corners[2:])]
    return np.array(vertices), np.array(triangles, dtype=int).reshape(-1, 3)


def edges_of(triangles):
    pairs = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def exact_sign(a, b, c, d):
    u, v, w = ([Fraction(x) - Fraction(y) for x, y in zip(p, d)] for p in (a, b, c))
    value = (
        u[0] * (v[1] * w[2] - v[2] * w[1])
        - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
    )
    return (value > 0) - (value < 0)


def orientation(a, b, c, d):
    """The sign of the volume of each tetrahedron; where rounding could decide, by fractions."""
    u, v, w = a - d, b - d, c - d
    value = np.einsum("ij,ij->i", u, np.cross(v, w))
    size = np.prod([np.abs(x).sum(axis=1) for x in (u, v, w)], axis=0)
    signs = np.sign(value).astype(int)
    for i in np.flatnonzero(np.abs(value) < 1e-12 * size + 1e-300):
        signs[i] = exact_sign(a[i], b[i], c[i], d[i])
    return signs


def intersections(vertices, triangles):
    """How many edges pass through triangles."""
    edges = edges_of(triangles)
    ends, corners = vertices[edges], vertices[triangles]
    low, high = ends.min(axis=1), ends.max(axis=1)
    below, above = corners.min(axis=1), corners.max(axis=1)
    near = np.ones((len(edges), len(triangles)), dtype=bool)
    for axis in range(3):
        near &= low[:, None, axis] <= above[None, :, axis]
        near &= below[None, :, axis] <= high[:, None, axis]
    e, t = np.nonzero(near)
    apart = (edges[e][:, :, None] != triangles[t][:, None, :]).all(axis=(1, 2))
    e, t = e[apart], t[apart]
    p, q = ends[e, 0], ends[e, 1]
    a, b, c = (corners[t, i] for i in range(3))
    crosses = orientation(a, b, c, p) * orientation(a, b, c, q) < 0
    p, q, a, b, c = (x[crosses] for x in (p, q, a, b, c))
    around = [orientation(p, q, x, y) for x, y in ((a, b), (b, c), (c, a))]
    return int(((around[0] == around[1]) & (around[1] == around[2]) & (around[0] != 0)).sum())


def extension(vertices, sheet):
    """The largest extension along rows and columns."""
    columns, rows, dx, dz = sheet
    grid = vertices[: columns * rows].reshape(rows, columns, 3)
    along = np.linalg.norm(np.diff(grid, axis=1), axis=2).max() / dx
    across = np.linalg.norm(np.diff(grid, axis=0), axis=2).max() / dz
    return max(along, across) - 1.0


def main():
    folder, known = Path(sys.argv[1]), json.loads(sys.argv[2])
    found = {"frames": 0, "intersections": 0, "ipc": 0, "depth": 0.0, "extension": 0.0}
    for path in sorted(folder.glob("*.obj")):
        vertices, triangles = read_obj(path)
        found["frames"] += 1
        if known["contact"] and len(triangles):
            found["intersections"] = max(found["intersections"], intersections(vertices, triangles))
            mesh = ipctk.CollisionMesh(vertices, edges_of(triangles), triangles)
            found["ipc"] += bool(ipctk.has_intersections(mesh, vertices))
        for x, y, z, radius in known["balls"]:
            deep = radius - np.linalg.norm(vertices - [x, y, z], axis=1).min()
            found["depth"] = max(found["depth"], float(deep))
        if known["sheet"] and known["extension"] is not None:
            found["extension"] = max(found["extension"], float(extension(vertices, known["sheet"])))
    print(json.dumps(found))


main()
