"""Functions that measure runs of a sweep, found by name."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Callable

from . import _taffeta
from ._errors import SweepError


def measure(function: str, base: Path, run: Path) -> list[tuple[str, float]]:
    """What a function, ``"file.py:name"`` or ``"module:name"``, says of the run in a folder."""
    found = find(function, str(base))
    given = found(_taffeta.Run(run))
    named = given if isinstance(given, dict) else {found.__name__: given}
    return [(str(name), float(value)) for name, value in named.items()]


@functools.lru_cache(maxsize=None)
def find(function: str, base: str) -> Callable[[Any], Any]:
    """The function of a name; its file starts from the folder ``base``."""
    place, _, name = function.rpartition(":")
    if not place or not name:
        raise SweepError(f"`{function}` is no function; write it as file.py:name or module:name")
    if place.endswith(".py"):
        path = (Path(base) / place).resolve()
        module_name = f"_taffeta_measure_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise SweepError(f"there is no file {path}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        # Its neighbours can be imported, as if it were run.
        sys.path.append(str(path.parent))
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    found: Callable[[Any], Any] | None = getattr(module, name, None)
    if not callable(found):
        raise SweepError(f"{place} has no function `{name}`")
    return found


def name_of(function: Callable[[Any], Any]) -> str:
    """The name by which other processes find a function."""
    file = inspect.getsourcefile(function)
    if file is None or "<" in function.__qualname__ or "." in function.__qualname__:
        raise SweepError(
            f"{function.__qualname__} cannot be found from other processes: measure with a function "
            "at the top of a file"
        )
    return f"{Path(file).resolve().as_posix()}:{function.__name__}"
