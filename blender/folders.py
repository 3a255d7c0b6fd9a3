# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of a bake: whose it is, and what in it is ours to remove.

    .taffeta-bake     says that the folder is a bake's
    scene.toml        the scene for `taffeta run`, with scene-meshes/ beside it
    run/              the run, as `taffeta run` makes it
    bake.jsonl        what the child process reports, and bake.err what it complains of
    cloth.pc2         the frames for Blender; torn_*.abc where cloth tears
    matrices.npy      where the object was at each frame
"""

import fnmatch
import hashlib
import os
import shutil
from pathlib import Path

import bpy

MARKER = ".taffeta-bake"
#: All that a bake makes, and nothing else.
OURS = (
    MARKER, "scene.toml", "bake.jsonl", "bake.err", "cloth.pc2", "torn_*.abc", "matrices.npy",
    "scene-meshes/cloth-*.ply", "scene-meshes/solid-*.ply",
    "run/.taffeta", "run/run.json", "run/scene.toml", "run/report.jsonl", "run/solids.tfs",
    "run/topology/*.tft", "run/frames/*.tff",
)


class NotOurs(Exception):
    """A folder that cannot be used, in words for the user."""


def place(cloth):
    """The folder of a cloth's bake, whether or not it is there; that of a bake stays its, also if the
    object gets another name."""
    if cloth.taffeta.baked_folder:
        return Path(bpy.path.abspath(cloth.taffeta.baked_folder))
    if cloth.taffeta.folder:
        return Path(bpy.path.abspath(cloth.taffeta.folder))
    if not bpy.data.filepath:
        raise NotOurs("save the .blend file first: the bake is kept in a folder beside it")
    blend = Path(bpy.data.filepath)
    return blend.parent / "taffeta" / blend.stem / bpy.path.clean_name(cloth.name)


def written(path, blend=None):
    """A path as a .blend file, by itself the one that is open, has it: from its own folder, if it is
    in there."""
    path, here = str(path), os.path.dirname(blend or bpy.data.filepath)
    inside = here and path.startswith(here + os.sep)
    return bpy.path.relpath(path, start=here) if inside else path


def prepared(cloth):
    """The folder, made ready to be written to."""
    folder = place(cloth)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        inside = os.listdir(folder)
        if inside and MARKER not in inside:
            raise NotOurs(f"{folder} holds files that are no bake's: choose another folder")
        (folder / MARKER).write_text("A bake of Taffeta; Clear in Blender removes it.\n")
    except OSError as error:
        raise NotOurs(f"the bake cannot be written: {error}; choose another folder") from None
    return folder


def sharers(cloth, folder):
    """Other cloth whose bake is in a folder: what it was copied from, or copies of it."""
    return [
        thing.name for thing in bpy.data.objects
        if thing != cloth and thing.taffeta.baked_folder and place(thing) == Path(folder)
    ]


def has_run(folder):
    return (folder / "run" / "run.json").is_file()


def job(folder):
    """A fingerprint of what is to be simulated, but for the number of frames."""
    folder, digest = Path(folder), hashlib.sha256()
    lines = (folder / "scene.toml").read_text(encoding="utf-8").splitlines()
    digest.update("\n".join(line for line in lines if not line.startswith("count = ")).encode())
    for mesh in sorted((folder / "scene-meshes").glob("*.ply")):
        digest.update(mesh.name.encode() + hashlib.sha256(mesh.read_bytes()).digest())
    return digest.hexdigest()


def take_job(fresh, folder):
    """Puts what is to be simulated into the folder of a bake, in place of what was."""
    for mesh in (folder / "scene-meshes").glob("*.ply"):
        if fnmatch.fnmatchcase(mesh.name, "cloth-*") or fnmatch.fnmatchcase(mesh.name, "solid-*"):
            mesh.unlink()
    shutil.copytree(fresh, folder, dirs_exist_ok=True)


def clear(folder):
    """Removes what a bake made; tells what else was there and stays."""
    folder = Path(folder)
    if not (folder / MARKER).is_file():
        return []
    left = []
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(parent) / name
            within = path.relative_to(folder).as_posix()
            if any(fnmatch.fnmatchcase(within, pattern) for pattern in OURS):
                path.unlink()
            else:
                left.append(within)
        # A folder with anything left in it stays.
        if not os.listdir(parent):
            os.rmdir(parent)
    return sorted(left)


#: Where the bakes of objects are while the .blend file is being saved.
_places = {}


@bpy.app.handlers.persistent
def _before_saving(blend, *_):
    _places.clear()
    for thing in bpy.data.objects:
        if thing.library is None and thing.taffeta.baked_folder:
            _places[thing.name] = place(thing)
    _follow(blend)


@bpy.app.handlers.persistent
def _after_saving(*_):
    # A copy is saved elsewhere, and the file stays where it is.
    _follow(bpy.data.filepath)


def _follow(blend):
    """Lets a file that is saved elsewhere find its bakes, as Blender does with paths of its own."""
    for name, folder in _places.items():
        bpy.data.objects[name, None].taffeta.baked_folder = written(folder, blend)


_HANDLERS = (
    (bpy.app.handlers.save_pre, _before_saving),
    (bpy.app.handlers.save_post, _after_saving),
    (bpy.app.handlers.save_post_fail, _after_saving),
)


def register():
    for handlers, own in _HANDLERS:
        handlers.append(own)


def unregister():
    for handlers, own in _HANDLERS:
        handlers.remove(own)
