"""Options that several commands take, and what their text means.

This module knows nothing of what the commands do with them.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.subscriptions import bindings
from xylem.errors import UsageError

if TYPE_CHECKING:
    from xylem.document import Limits

Namespaces = Annotated[
    list[str] | None,
    typer.Option("--ns", metavar="p=URI", help="Binds a namespace prefix for the expressions; may be repeated."),
]
LimitOptions = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="NAME=N", help="Sets a limit for documents, such as depth=2000; may be repeated."),
]


def namespaces_of(pairs: list[str] | None) -> dict[str, str]:
    """The bindings that `--ns` gave."""
    try:
        return bindings(pairs or [])
    except ValueError as error:
        raise UsageError(f"--ns: {error}") from None


def limits_of(settings: list[str] | None) -> Limits:
    """The safe limits, changed as `--limit` says."""
    from xylem.document import Limits

    known = {field.name for field in fields(Limits)}
    values: dict[str, int] = {}
    for setting in settings or []:
        name, _, text = setting.partition("=")
        name = name.replace("-", "_")
        if name not in known:
            raise UsageError(f"--limit: met {setting!r}, expected NAME=N with one of {', '.join(sorted(known))}")
        if not text.isascii() or not text.isdigit():
            raise UsageError(f"--limit: met {setting!r}, expected a whole number after {name}=")
        values[name] = int(text)
    return replace(Limits(), **values)
