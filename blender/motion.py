# SPDX-License-Identifier: GPL-3.0-or-later
"""Points over time, as a few keys as say the same."""

import numpy as np

#: What is nearer than this is at the same place [m], or the same [m/s, m/s²].
STILL = 1e-7


class Motion:
    """Points at every moment that was looked at."""

    def __init__(self):
        self.moments, self.faces, self.built = [], None, None

    def add(self, points):
        self.moments.append(points)

    def rests(self):
        first = self.moments[0]
        return all(np.abs(points - first).max() < STILL for points in self.moments[1:])


def holds(held, times):
    """When pins hold: begin and end of each time [s]; an end that never comes is None."""
    spans, begin = [], None
    for now, time in zip(held, times):
        if now and begin is None:
            begin = time
        elif not now and begin is not None:
            spans.append((begin, time))
            begin = None
    if begin is not None:
        spans.append((begin, None))
    return spans


def moving_pins(path, vertices, times):
    """Vertices that move alike, with the keys of their motion: a list of (vertices, keys)."""
    if len(path) == 1:
        return [([int(vertex) for vertex in vertices], None)] if len(vertices) else []
    moves = path[:, vertices] - path[0, vertices]
    alike = {}
    for number, vertex in enumerate(vertices):
        name = np.round(moves[:, number] / STILL).astype(np.int64).tobytes()
        alike.setdefault(name, (number, []))[1].append(int(vertex))
    return [(group, keys_of(moves[:, number], times)) for number, group in alike.values()]


def keys_of(moves, times):
    """Keys of a motion; none where nothing moves."""
    numbers = needed(moves, times)
    return [{"time": float(times[n]), "move": moves[n].tolist()} for n in numbers] or None


def needed(values, times):
    """The numbers of the moments between which straight lines go through all others; none where
    nothing changes."""
    values = np.asarray(values)
    if np.abs(values - values[0]).max() < STILL:
        return []
    found = [0]
    for now in range(1, len(times) - 1):
        last = found[-1]
        # The moments since the last key, seen from it: they are on a line as long as the next is.
        span = np.arange(last + 1, now + 1)
        share = (np.array(times)[span] - times[last]) / (times[now + 1] - times[last])
        line = values[last] + np.multiply.outer(share, values[now + 1] - values[last])
        if np.abs(values[span] - line).max() > STILL:
            found.append(now)
    return [*found, len(times) - 1]
