"""Where the real documents and queries are: in `../shared/data` beside the checkout, or nowhere.

Nothing of that data belongs to the project, so a test that wants it asks `need`, which skips the test
with the reason when it is not there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"

SHARED: Path | None = _FOLDER.resolve() if _FOLDER.is_dir() else None


def need(*parts: str) -> Path:
    """The path of a shared file or folder; skips the test that asks when it is missing."""
    if SHARED is None:
        pytest.skip("no shared data beside this checkout")
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared data has no {'/'.join(parts)}")
    return path
