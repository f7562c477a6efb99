"""The `xylem` command: reads options, calls the library, prints answers."""

from xylem.cli.process import main

__all__ = ["main"]
