# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain as a colour attribute: white at rest, red at the limit, blue where it is pressed together as
far."""

import bpy
import numpy as np

from . import folders

ATTRIBUTE = "taffeta_strain"


def update(cloth):
    """Writes the colours of the scene's frame, if they are wanted and there are any."""
    kept = cloth.taffeta
    if not (kept.show_strain and kept.baked) or kept.tear or cloth.mode == "EDIT":
        return
    import taffeta

    frame = min(max(bpy.context.scene.frame_current, kept.baked_first), kept.baked_last)
    try:
        run = taffeta.Run(folders.place(cloth) / "run")
        now, rest = run.positions(frame), run.positions(kept.baked_first)
    except (taffeta.TaffetaError, folders.NotOurs) as error:
        kept.problem = str(error)
        return
    if len(now) == len(cloth.data.vertices):
        colours = colours_of(strain(cloth.data, rest, now), kept.limit / 100)
        write(cloth.data, colours)


def strain(mesh, rest, now):
    """The strain at each vertex that is farthest from none, of the edges that meet there."""
    edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges)
    edges = edges.reshape(-1, 2)
    lengths = [np.linalg.norm(at[edges[:, 1]] - at[edges[:, 0]], axis=1) for at in (rest, now)]
    change = lengths[1] / np.maximum(lengths[0], 1e-12) - 1
    most, least = np.zeros(len(now)), np.zeros(len(now))
    for end in (0, 1):
        np.maximum.at(most, edges[:, end], change)
        np.minimum.at(least, edges[:, end], change)
    return np.where(most >= -least, most, least)


def colours_of(strains, limit):
    share = np.clip(strains / limit, -1, 1)
    colours = np.ones((len(strains), 4), dtype=np.float32)
    colours[:, 1] -= np.abs(share)
    colours[:, 2] -= np.maximum(share, 0)
    colours[:, 0] -= np.maximum(-share, 0)
    return colours


def write(mesh, colours):
    attribute = mesh.color_attributes.get(ATTRIBUTE)
    if attribute is None:
        attribute = mesh.color_attributes.new(ATTRIBUTE, "FLOAT_COLOR", "POINT")
    attribute.data.foreach_set("color", colours.ravel())
    mesh.update_tag()


@bpy.app.handlers.persistent
def _on_frame(scene, *_):
    for thing in scene.objects:
        if thing.taffeta.role == "CLOTH" and thing.taffeta.show_strain:
            update(thing)


def register():
    bpy.app.handlers.frame_change_post.append(_on_frame)


def unregister():
    bpy.app.handlers.frame_change_post.remove(_on_frame)
