"""Reads a movie as other people's players do: PyAV (FFmpeg) and Pillow.

check_movie.py FILE WIDTH HEIGHT FRAMES RATE

Picture i has a white bar, 8 pixels wide, with its left side at 8 i, on dark blue.
"""

import sys

import av
import numpy
from PIL import Image


def by_pyav(path):
    with av.open(path) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        return frames, float(stream.average_rate), stream.codec_context.name


def by_pillow(path):
    frames, seconds = [], 0.0
    with Image.open(path) as image:
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            frames.append(numpy.asarray(image.convert("RGB")))
            seconds += image.info["duration"] / 1000
    return frames, len(frames) / seconds, image.format


def check(reader, path, size, count, rate):
    frames, found_rate, name = reader(path)
    assert len(frames) == count, f"{name}: {len(frames)} frames, not {count}"
    assert abs(found_rate / rate - 1) < 0.02, f"{name}: {found_rate} frames a second, not {rate}"
    for number, frame in enumerate(frames):
        assert frame.shape == (size[1], size[0], 3), f"{name}: {frame.shape}"
        columns = frame.astype(float).mean(axis=0)
        brightness = columns.mean(axis=1)
        bar = numpy.flatnonzero(brightness > 160)
        wanted = range(8 * number, 8 * number + 8)
        # Colours are coded for every second pixel, which blurs the bar's sides a little.
        assert set(bar) >= set(wanted[1:-1]), f"{name}: bar of picture {number} at {bar}"
        assert set(bar) <= set(range(8 * number - 1, 8 * number + 9)), f"{name}: {number} {bar}"
        rest = numpy.delete(columns, range(max(8 * number - 3, 0), 8 * number + 11), axis=0)
        error = numpy.abs(rest - [20, 40, 120]).max()
        assert error < 8, f"{name}: the background is off by {error}"
    print(f"{name}: {count} frames of {size[0]} x {size[1]} at {found_rate:g} a second")


path, (width, height, count), rate = sys.argv[1], map(int, sys.argv[2:5]), float(sys.argv[5])
readers = {"mp4": [by_pyav], "webp": [by_pillow], "gif": [by_pyav, by_pillow]}
for reader in readers[path.rsplit(".", 1)[1]]:
    check(reader, path, (width, height), count, rate)
