"""What can go wrong. Messages are those of the ``taffeta`` command, with place and remedy."""

from __future__ import annotations

from typing import Any, Sequence


class TaffetaError(Exception):
    """Anything that Taffeta refuses or fails to do."""


class InputError(TaffetaError, ValueError):
    """Something that was given makes no sense: an array of the wrong shape, say."""


class SceneError(TaffetaError, ValueError):
    """A scene that cannot be simulated, with all that is wrong with it.

    ``problems`` is a list of dicts with the keys ``message``, ``source``, ``line``, ``column``,
    ``label`` and ``help``; the text of the error shows each at its place.
    """

    def __init__(self, text: str, problems: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(text)
        self.problems = list(problems)


class SimulationError(TaffetaError, RuntimeError):
    """A simulation that cannot go on; it stays where it was."""


class RunError(TaffetaError, RuntimeError):
    """A run that cannot be written, read, exported or shown."""


class SweepError(TaffetaError, RuntimeError):
    """A sweep that cannot be planned, or whose folder or cluster cannot be used."""
