"""Sweeps: a scene run with many values, as tasks that can be stopped and gone on with."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Union

import numpy as np

from . import _taffeta
from ._errors import SweepError
from ._functions import name_of
from ._scene import Scene

Plan = Union[str, os.PathLike[str], Mapping[str, Any]]


class Sweep:
    """What a sweep has left in a folder."""

    def __init__(self, folder: Union[str, os.PathLike[str]]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "sweep.json").is_file():
            raise SweepError(f"{self.folder} holds no sweep")

    @property
    def table(self) -> dict[str, np.ndarray]:
        """The table by column: numbers as floats, with NaN where there is none, others as text."""
        with open(self.folder / "table.csv", newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        return {name: _column([row[i] for row in rows]) for i, name in enumerate(header)}

    @property
    def manifest(self) -> list[dict[str, Any]]:
        """A dict for each task: settings, state, fingerprint, measures, seconds, machine."""
        text = (self.folder / "manifest.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The tasks that failed, each with its ``message``."""
        return [task for task in self.manifest if task["state"] == "failed"]

    def run(self, task: int) -> _taffeta.Run:
        """The run of a task."""
        return _taffeta.Run(self.folder / "tasks" / f"{task:06}")

    def __len__(self) -> int:
        return len(self.manifest)

    def __repr__(self) -> str:
        return f"<taffeta.Sweep in {self.folder}>"


def sweep(
    plan: Plan,
    *,
    out: Union[str, os.PathLike[str], None] = None,
    jobs: int | None = None,
    on: str | None = None,
    measure: Callable[[_taffeta.Run], Any] | None = None,
    quiet: bool = True,
) -> Sweep:
    """Does the tasks of a plan that are not done yet, and makes one table of all.

    ``plan`` is a plan's file, or a dict with its keys (docs/sweeps.md), in which ``scene`` may be a
    `Scene`; a dict needs ``out``, beside which it is written. ``jobs`` processes work at once, one
    for each core without it; ``on`` is the address of a Ray cluster, ``"ray://…"`` or ``"auto"``.
    ``measure`` is a function at the top of a file that gets each task's `Run` and returns a number
    or a dict of numbers.

    Tasks that fail are in `Sweep.failed` and do not stop the others. Ctrl-C stops; calling it again
    goes on.
    """
    path = _written(plan, out, measure)
    options: list[str] = [str(path)]
    options += ["--quiet"] if quiet else []
    for name, value in {"--out": out, "--jobs": jobs, "--on": on}.items():
        options += [] if value is None else [name, str(value)]
    folder, _, _, _ = _taffeta.sweep(options)
    return Sweep(folder)


def _written(plan: Plan, out: Any, measure: Callable[[_taffeta.Run], Any] | None) -> Path:
    """The file of a plan, which is written if it has to be."""
    if not isinstance(plan, Mapping):
        if measure is not None:
            raise SweepError("a plan's file names its functions itself: [measure] python = [...]")
        return Path(plan)
    if out is None:
        raise SweepError("a plan that is a dict needs `out`, the folder of the sweep")
    tree = {key: value for key, value in plan.items()}
    beside = Path(out)
    beside.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(tree.get("scene"), Scene):
        written = tree["scene"].write(beside.with_name(f"{beside.name}-scene.toml"))
        tree["scene"] = written.name
    if measure is not None:
        wanted = dict(tree.get("measure", {}))
        wanted["python"] = [*wanted.get("python", []), name_of(measure)]
        tree["measure"] = wanted
    path = beside.with_name(f"{beside.name}-plan.toml")
    path.write_text(_taffeta.toml_text(tree), encoding="utf-8")
    return path


def _column(words: list[str]) -> np.ndarray:
    try:
        return np.array([float(word) if word else np.nan for word in words])
    except ValueError:
        return np.array(words)
