"""Meshes that are given as arrays, as files: PLY in double precision, so that no bit is lost."""

from __future__ import annotations

import shutil
import struct
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import InputError


class MeshFolder:
    """A folder of the system's for files, which is gone when nobody has it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="taffeta-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self._count = 0

    def new_name(self, stem: str) -> str:
        """A name that no file there has."""
        self._count += 1
        return f"{stem}-{self._count}"


def numbers_of(given: Any, what: str) -> np.ndarray:
    """Anything that numpy makes real numbers of."""
    # numpy would drop the imaginary part.
    if np.iscomplexobj(given):
        raise InputError(f"{what} are complex; real numbers are needed")
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} are no numbers: {error}") from None


def vertices_of(given: Any, what: str = "vertices") -> np.ndarray:
    """Points as an array of shape (n, 3), all finite."""
    points = numbers_of(given, what)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise InputError(f"{what} have the shape {points.shape}; points are needed: (n, 3)")
    lost = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(lost):
        raise InputError(f"{what}: row {lost[0]} is {points[lost[0]]}, which is not finite")
    return points


def faces_of(given: Any, vertices: int) -> list[np.ndarray]:
    """Faces as arrays of vertex numbers, three or four each, all in range."""
    try:
        faces = [np.asarray(face) for face in given]
    except TypeError:
        raise InputError(f"faces are no list of faces but {type(given).__name__}") from None
    if not faces:
        raise InputError("there are no faces")
    for number, face in enumerate(faces):
        if face.ndim != 1 or not np.issubdtype(face.dtype, np.integer):
            raise InputError(f"face {number} is {face}; a row of vertex numbers is needed")
        if len(face) not in (3, 4):
            raise InputError(f"face {number} has {len(face)} corners; 3 or 4 are needed")
        if face.min() < 0 or face.max() >= vertices:
            raise InputError(
                f"face {number} is {face.tolist()}, but there are {vertices} vertices, "
                f"0 to {vertices - 1}"
            )
    return faces


def arrays_of(mesh: Any) -> tuple[Any, Any, Any]:
    """Vertices, faces and texture coordinates of a pair, or of anything that has them as attributes."""
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        visual = getattr(mesh, "visual", None)
        return mesh.vertices, mesh.faces, getattr(visual, "uv", None)
    try:
        vertices, faces = mesh
    except (TypeError, ValueError):
        raise InputError(
            f"a mesh is (vertices, faces), or has .vertices and .faces; a {type(mesh).__name__} is "
            "neither"
        ) from None
    return vertices, faces, None


def encoded(faces: list[np.ndarray]) -> tuple[int, bytes]:
    """How many faces there are, and their bytes in a file."""
    packed = (struct.pack(f"<B{len(face)}i", len(face), *face.tolist()) for face in faces)
    return len(faces), b"".join(packed)


def write_ply(path: Path, points: np.ndarray, faces: tuple[int, bytes], uv: Any = None) -> None:
    """Writes a mesh; every bit of its numbers can be read back."""
    columns = points
    names = ["x", "y", "z"]
    if uv is not None:
        given = numbers_of(uv, "texture coordinates")
        if given.shape != (len(points), 2) or not np.isfinite(given).all():
            raise InputError(
                f"texture coordinates have the shape {given.shape}; finite ones of the shape "
                f"({len(points)}, 2) are needed"
            )
        columns = np.hstack([points, given])
        names += ["s", "t"]
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    lines += [f"property double {name}" for name in names]
    count, corners = faces
    lines += [f"element face {count}", "property list uchar int vertex_indices", "end_header\n"]
    with open(path, "wb") as file:
        file.write("\n".join(lines).encode())
        file.write(np.ascontiguousarray(columns, dtype="<f8").tobytes())
        file.write(corners)
