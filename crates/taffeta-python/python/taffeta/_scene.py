"""Scenes: read from a file or a text, or put together in code."""

from __future__ import annotations

import copy
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import _taffeta
from ._errors import InputError
from ._meshes import MeshFolder, arrays_of, encoded, faces_of, numbers_of, vertices_of, write_ply

#: Tables that a scene has any number of.
_LISTS = ("load", "pin", "pull", "seam", "solid")
#: Shapes of solids that need no mesh.
_SHAPES = ("plane", "sphere", "capsule", "cylinder", "box")


@dataclass(frozen=True)
class Sheet:
    """A rectangle of quads: its size along x and z [m], its columns and rows of particles."""

    size: Sequence[float]
    particles: Sequence[int]
    irregular: bool = False


@dataclass(frozen=True)
class Tube:
    """A tube of quads around y: radius and length [m], particles around and along."""

    radius: float
    length: float
    particles: Sequence[int]


class Scene:
    """What is to be simulated: cloth, what holds and pulls it, solids, limits, steps, frames.

    ``Scene("name")`` begins an empty one; `Scene.from_file` and `Scene.from_text` read one. All
    that docs/scene-format.md lists can be set by its key::

        scene.set("fabric.density", 0.12)
        scene.set("step", {"max": 1 / 240})

    A scene is built once; `copy` makes another to change and build.
    """

    def __init__(self, name: str = "scene", *, gravity: Sequence[float] | None = None) -> None:
        self.name = name
        self._origin = f"scene {name}"
        self._base = Path(".")
        self._text = ""
        self._tree: dict[str, Any] = {}
        self._folder: MeshFolder | None = None
        self._built = False
        self._first_fabric: dict[str, Any] | None = None
        if gravity is not None:
            self.set("gravity", gravity)

    @classmethod
    def from_file(cls, scene: Union[str, os.PathLike[str]]) -> Scene:
        """Reads a scene file, or a built-in scene by its name."""
        text, name, base, origin = _taffeta.find_scene(os.fspath(scene))
        read = cls(name)
        read._text, read._base, read._origin = text, Path(base), origin
        return read

    @classmethod
    def from_text(
        cls, text: str, *, name: str = "scene", base: Union[str, os.PathLike[str]] = "."
    ) -> Scene:
        """Takes the text of a scene file; paths in it start from the folder ``base``."""
        read = cls(name)
        read._text, read._base, read._origin = text, Path(base), f"text of {name}"
        return read

    def copy(self) -> Scene:
        """The same scene once more, to be changed and built by itself."""
        other = copy.copy(self)
        other._tree = copy.deepcopy(self._tree)
        other._built = False
        return other

    def set(self, key: str, value: Any) -> Scene:
        """Sets a key of the scene, by its path: ``scene.set("fabric.density", 0.2)``."""
        self._refuse_built()
        parts = key.split(".")
        if not all(parts):
            raise InputError(f"`{key}` is no path of a key; write it like fabric.density")
        _taffeta.toml_value(key, value)
        table = self._tree
        for part in parts[:-1]:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise InputError(f"there is no `{key}`: `{part}` is a value, not a table")
        table[parts[-1]] = copy.deepcopy(value)
        return self

    def add(
        self,
        mesh: Any,
        *,
        fabric: Union[str, Mapping[str, Any], None] = None,
        uv: Any = None,
        scale: float | None = None,
        position: Sequence[float] | None = None,
        rotation: Sequence[float] | None = None,
        jitter: float | None = None,
        name: str | None = None,
        limits: Union[float, Mapping[str, float], None] = None,
        contact: Mapping[str, float] | None = None,
        rest: str | None = None,
        uv_scale: float | None = None,
        join: bool | None = None,
    ) -> Scene:
        """Adds a cloth: a `Sheet`, a `Tube`, ``(vertices, faces)``, anything with ``.vertices``
        and ``.faces`` such as a trimesh, or the path of a file. A mesh is at rest in its shape, or
        with ``rest="uv"`` as its texture coordinates lie flat, ``uv_scale`` metres to a unit; ``join``
        makes vertices at the same place one.

        ``fabric`` is a name (`taffeta.fabrics` lists them) or values in SI units, such as
        ``{"density": 0.1, "bending": 2e-6}``, with ``"preset"`` for those of a name. ``uv`` are
        texture coordinates, along whose u the warp runs.

        Called again it adds another cloth, which keeps off the others where `contact` is called.
        ``name`` is what pins, seams and reports call it; ``limits`` (0.02, or keys of ``[limits]``)
        and ``contact`` (``{"friction": 0.5}``) are its own, in place of what holds for all.
        """
        self._refuse_built()
        cloth: dict[str, Any]
        if isinstance(mesh, Sheet):
            cloth = {"sheet": {"size": mesh.size, "particles": mesh.particles}}
            if mesh.irregular:
                cloth["sheet"]["irregular"] = True
        elif isinstance(mesh, Tube):
            size = {"radius": mesh.radius, "length": mesh.length}
            cloth = {"tube": {**size, "particles": mesh.particles}}
        else:
            own = {"scale": scale, "rest": rest, "uv_scale": uv_scale, "join": join}
            cloth = {"mesh": {"file": self._mesh_file(mesh, "cloth", uv), **own}}
        if isinstance(limits, (int, float)):
            limits = {"extension": limits}
        said = {"name": name, "limits": limits, "contact": contact}
        said.update(position=position, rotation=rotation, jitter=jitter)
        cloth.update((key, value) for key, value in said.items() if value is not None)
        if isinstance(fabric, str):
            fabric = {"preset": fabric}
        self._add_cloth(cloth, None if fabric is None else dict(fabric))
        return self

    def pin(self, **keys: Any) -> int:
        """Holds particles: ``scene.pin(edge="top")``, ``scene.pin(particles=[0, 40])``. Keys are
        those of ``[[pin]]``; ``key=[{"time": 0}, {"time": 1, "move": [0, 1, 0]}]`` moves it.
        Returns its number, for `Simulation.set_targets`."""
        return self._append("pin", keys)

    def pull(self, **keys: Any) -> int:
        """Pulls a particle by a damped spring; keys are those of ``[[pull]]``."""
        return self._append("pull", keys)

    def seam(self, left: Sequence[int], right: Sequence[int], **keys: Any) -> int:
        """Sews particles together, pair by pair; other keys are those of ``[[seam]]``:
        ``stiffness``, ``time``. It takes implicit steps."""
        return self._append("seam", {"left": left, "right": right, **keys})

    def solid(
        self,
        shape: Any,
        *,
        rate: float | None = None,
        animation: Union[str, bool, None] = None,
        **keys: Any,
    ) -> int:
        """Adds a body that cloth cannot enter.

        ``shape`` is ``"plane"``, ``"sphere"``, ``"capsule"``, ``"cylinder"`` or ``"box"`` with the
        keys of that shape (``radius=0.1``), a mesh as `add` takes it, or ``(vertices, faces)`` with
        vertices of shape (moments, n, 3), ``rate`` of them a second, for a body that deforms. The path
        of a glTF with ``animation=True``, or the animation's name, is a body that it moves; with
        ``motion`` the skeleton of that BVH file does (also ``bones``, ``reference``, ``blend``). The
        other keys are those of ``[[solid]]``: ``position``, ``friction``, ``thickness``, ``key``.
        """
        if isinstance(shape, str) and shape in _SHAPES:
            own = {"radius", "length", "size", "drawn"}
            inner = {key: keys.pop(key) for key in own & keys.keys()}
            return self._append("solid", {**keys, shape: inner})
        if "motion" in keys and animation is None:
            animation = True
        if animation is not None and animation is not False:
            return self._append("solid", self._character(shape, rate, animation, keys))
        is_file = isinstance(shape, (str, os.PathLike))
        moments = None if is_file else self._moments(shape, 30.0 if rate is None else rate)
        if moments is not None:
            return self._append("solid", {**keys, "sequence": moments})
        mesh = {"file": self._mesh_file(shape, "solid", None), "scale": keys.pop("scale", None)}
        return self._append("solid", {**keys, "mesh": mesh})

    def limits(self, extension: float, compression: float | None = None) -> Scene:
        """Limits the strain: 0.01 lets the cloth stretch by 1 %."""
        self.set("limits.extension", extension)
        return self if compression is None else self.set("limits.compression", compression)

    def contact(self, friction: float | None = None, thickness: float | None = None) -> Scene:
        """Keeps the cloth off itself."""
        self.set("contact.self", True)
        if friction is not None:
            self.set("contact.friction", friction)
        return self if thickness is None else self.set("contact.thickness", thickness)

    def tear(self, **keys: Any) -> Scene:
        """Lets the cloth, a `Sheet`, tear; keys are those of ``[tear]``: ``strength=[1, 2]``."""
        return self.set("tear", keys)

    def air(self, **keys: Any) -> Scene:
        """Puts the cloth into air; keys are those of ``[air]``: ``wind=[3, 0, 0]``."""
        return self.set("air", keys)

    def load(self, time: float, **keys: Any) -> int:
        """Changes gravity and wind: ``scene.load(0)``, ``scene.load(2, wind=[3, 0, 0])``. They pass
        steadily from one call's time to the next; keys are those of ``[[load]]``."""
        return self._append("load", {"time": time, **keys})

    @property
    def text(self) -> str:
        """The scene as a file would have it, without what was set in one that was read."""
        if not self._text:
            return _taffeta.toml_text(self._tree)
        lists = {key: self._tree[key] for key in _LISTS if key in self._tree}
        return self._text + ("\n" + _taffeta.toml_text(lists) if lists else "")

    def write(self, file: Union[str, os.PathLike[str]]) -> Path:
        """Writes the scene to a file for ``taffeta run``, with meshes in a folder beside it."""
        path = Path(file)
        text = _taffeta.kept_text(self)
        if self._folder is not None:
            beside = path.with_name(f"{path.stem}-meshes")
            shutil.copytree(self._folder.path, beside, dirs_exist_ok=True)
            text = text.replace(self._folder.path.as_posix(), beside.name)
        path.write_text(text, encoding="utf-8")
        return path

    def build(self, *, threads: int | None = None, memory: float | None = None) -> _taffeta.Simulation:
        """Builds the scene: loads and checks everything, and makes it ready to move.

        ``threads`` is how many to use, all cores without it: frames have the same bits with any
        number. ``memory`` is the most that the simulation may take, in GiB.
        """
        self._refuse_built()
        simulation = _taffeta.Simulation(self, threads, memory)
        self._built = True
        return simulation

    def __repr__(self) -> str:
        return f"<taffeta.Scene {self.name}>"

    @property
    def _overrides(self) -> list[str]:
        """What is set in a scene that was read, as ``--set`` takes it."""
        if not self._text:
            return []
        single = {key: value for key, value in self._tree.items() if key not in _LISTS}
        return [f"{key}={_taffeta.toml_value(key, value)}" for key, value in _leaves(single)]

    @property
    def _meshes(self) -> Path | None:
        return None if self._folder is None else self._folder.path

    def _refuse_built(self) -> None:
        if self._built:
            raise InputError(
                f"scene {self.name} is built already, and does not change any more; scene.copy() "
                "makes another"
            )

    def _append(self, table: str, keys: Mapping[str, Any]) -> int:
        self._refuse_built()
        entry = {key: value for key, value in keys.items() if value is not None}
        _taffeta.toml_value(table, entry)
        entries: list[dict[str, Any]] = self._tree.setdefault(table, [])
        entries.append(copy.deepcopy(entry))
        written = sum(line.split("#")[0].strip() == f"[[{table}]]" for line in self._text.splitlines())
        return written + len(entries) - 1

    def _add_cloth(self, cloth: dict[str, Any], fabric: dict[str, Any] | None) -> None:
        """The first cloth is the scene's `[cloth]`, made of its `[fabric]`; from the second on they
        are a list, each with what it was given."""
        if "cloth" not in self._tree:
            self.set("cloth", cloth)
            for key, value in (fabric or {}).items():
                self.set(f"fabric.{key}", value)
            self._first_fabric = fabric
            return
        if self._text:
            raise InputError(
                "a scene that was read from a file takes one cloth more at most; write several in the "
                "file, as [[cloth]]"
            )
        cloths = self._tree["cloth"]
        if isinstance(cloths, dict):
            # What the first was made of is its own from now on, and not what others are made of.
            if self._first_fabric is not None:
                shared = self._tree["fabric"]
                for key in self._first_fabric:
                    shared.pop(key, None)
                cloths = {**cloths, "fabric": self._first_fabric}
            cloths = [cloths]
        if fabric is not None:
            cloth = {**cloth, "fabric": fabric}
        self.set("cloth", [*cloths, cloth])

    def _mesh_folder(self) -> MeshFolder:
        if self._folder is None:
            self._folder = MeshFolder()
        return self._folder

    def _mesh_file(self, mesh: Any, stem: str, uv: Any) -> str:
        """The path of a mesh's file, which is made of arrays if it has to be."""
        if isinstance(mesh, (str, os.PathLike)):
            return os.fspath(mesh)
        vertices, faces, own_uv = arrays_of(mesh)
        points = vertices_of(vertices)
        corners = encoded(faces_of(faces, len(points)))
        folder = self._mesh_folder()
        path = folder.path / f"{folder.new_name(stem)}.ply"
        write_ply(path, points, corners, own_uv if uv is None else uv)
        return path.as_posix()

    def _character(
        self, shape: Any, rate: float | None, animation: Union[str, bool], keys: dict[str, Any]
    ) -> dict[str, Any]:
        """The keys of a body that an animation moves."""
        if not isinstance(shape, (str, os.PathLike)):
            raise InputError("`animation` and `motion` are for the path of a glTF file")
        known = {"scale", "begin", "motion", "bones", "reference", "blend"}
        own = {name: keys.pop(name) for name in known & keys.keys()}
        named = {} if animation is True else {"animation": animation}
        rated = {} if rate is None else {"rate": rate}
        return {**keys, "character": {"file": os.fspath(shape), **named, **rated, **own}}

    def _moments(self, shape: Any, rate: float) -> dict[str, Any] | None:
        """A sequence of files of a body that deforms; none if it does not."""
        vertices, faces, _ = arrays_of(shape)
        moments = numbers_of(vertices, "vertices")
        if moments.ndim != 3:
            return None
        if len(moments) < 2:
            raise InputError("a body that deforms needs vertices at two moments or more")
        corners = encoded(faces_of(faces, moments.shape[1]))
        folder = self._mesh_folder()
        stem = folder.new_name("solid")
        for number, points in enumerate(moments):
            checked = vertices_of(points, f"vertices at moment {number}")
            write_ply(folder.path / f"{stem}-{number:06}.ply", checked, corners)
        pattern = (folder.path / f"{stem}-######.ply").as_posix()
        return {"file": pattern, "first": 0, "last": len(moments) - 1, "rate": rate}


def _leaves(tree: Mapping[str, Any], path: str = "") -> list[tuple[str, Any]]:
    """Every value of a tree that is not a table, with its path; empty tables count as values."""
    found: list[tuple[str, Any]] = []
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            found += _leaves(value, f"{path}{key}.")
        elif value is not None:
            found.append((f"{path}{key}", value))
    return found
