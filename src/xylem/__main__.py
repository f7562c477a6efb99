"""The command `xylem`, and `python -m xylem`: loads the command line and runs it.

Loading takes a moment, and an interrupt in that moment ends like any other.
"""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Ends the process with the exit code of the command."""
    try:
        from xylem.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
