"""`python -m xylem`: the same as the command `xylem`."""

from __future__ import annotations

from xylem.cli import main

if __name__ == "__main__":
    main()
