# SPDX-License-Identifier: GPL-3.0-or-later
"""Taffeta in Blender: cloth that does not stretch, until it tears, by one button."""

from . import baking, checking, folders, panel, roles, settings, strain

_PARTS = (settings, folders, roles, baking, checking, strain, panel)


def register():
    for part in _PARTS:
        part.register()


def unregister():
    for part in reversed(_PARTS):
        part.unregister()
