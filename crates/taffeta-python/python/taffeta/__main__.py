"""The ``taffeta`` command: ``python -m taffeta run hang``."""

from __future__ import annotations

import signal
import sys

from . import _taffeta


def main() -> int:
    """Does what the command line says; returns the exit code."""
    # The command listens for Ctrl-C by itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _taffeta.command(["taffeta", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
