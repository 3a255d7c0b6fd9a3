# SPDX-License-Identifier: GPL-3.0-or-later
"""PC2 files that grow frame by frame, for Blender's Mesh Cache modifier."""

import struct

import numpy as np

_HEADER = struct.Struct("<12siiffi")


class PointCache:
    """A file of so many points, to which moments are appended."""

    def __init__(self, path, points):
        self.path, self.points, self.samples = path, points, 0
        with open(path, "wb") as file:
            file.write(self._header())

    def _header(self):
        return _HEADER.pack(b"POINTCACHE2\0", 1, self.points, 0.0, 1.0, self.samples)

    def append(self, points):
        """The count is written last, so that whoever reads meanwhile sees whole moments."""
        with open(self.path, "r+b") as file:
            file.seek(_HEADER.size + 12 * self.points * self.samples)
            file.write(np.ascontiguousarray(points, dtype="<f4").tobytes())
            file.flush()
            self.samples += 1
            file.seek(0)
            file.write(self._header())
