# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that computes: `taffeta run`, started, listened to and stopped. A crash there, or all
memory taken, spares Blender."""

import json
import os
import subprocess
import sys
from pathlib import Path


def environment():
    """For a Python that finds what this one has: Blender keeps wheels of extensions apart."""
    import taffeta

    wheels = str(Path(taffeta.__file__).parent.parent)
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([wheels, *([known] if known else [])])}


def command(*words):
    return [sys.executable, "-m", "taffeta", *map(str, words)]


class Child:
    """A run being made in a folder."""

    def __init__(self, folder, threads, over):
        self.folder, self.told, self.stopped = folder, 0, False
        words = ["run", folder / "scene.toml", "--out", folder / "run", "--json"]
        if over:
            words.append("--overwrite")
        elif any((folder / "run" / "frames").glob("*.tff")):
            words.append("--resume")
        words += ["--threads", threads] if threads else []
        with open(folder / "bake.jsonl", "wb") as out, open(folder / "bake.err", "wb") as errors:
            self.process = subprocess.Popen(
                command(*words), stdout=out, stderr=errors, stdin=subprocess.DEVNULL, env=environment()
            )

    def reports(self):
        """The frames that were reported since the last look."""
        with open(self.folder / "bake.jsonl", "rb") as file:
            file.seek(self.told)
            text = file.read()
        whole = text.rfind(b"\n") + 1
        self.told += whole
        lines = [json.loads(line) for line in text[:whole].splitlines()]
        return [line for line in lines if "frame" in line and "extension" in line]

    def ended(self):
        return self.process.poll() is not None

    def problem(self):
        """Why it failed, if it did."""
        code = self.process.poll()
        if code in (0, None):
            return ""
        said = (self.folder / "bake.err").read_text(encoding="utf-8", errors="replace").strip()
        if code < 0 or not said:
            return f"the bake's process ended with {code}; every frame so far is kept. {said}".strip()
        return "\n".join(map(_words, said.splitlines()))

    def stop(self):
        """Asks it to stop, which it does within seconds, and waits."""
        if not self.ended():
            self.stopped = True
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def _words(line):
    """What a line says to people; errors come as JSON, with more that belong to them."""
    try:
        told = json.loads(line)
        parts = [told, *told["related"]] if told["related"] else [told]
        return "; ".join(part["message"] for part in parts)
    except (ValueError, KeyError, TypeError):
        return line
