"""What a schema that cannot be used raises.

This module knows nothing of how schemas are written.
"""

from __future__ import annotations

from xylem.errors import XylemError


class SchemaError(XylemError):
    """A schema that is refused: why, in which file, at which line (0: no place), about which element."""

    def __init__(self, message: str, *, file: str, line: int = 0, element: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.element = element

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_schema_error, (self.message, self.file, self.line, self.element))


def _schema_error(message: str, file: str, line: int, element: str | None) -> SchemaError:
    return SchemaError(message, file=file, line=line, element=element)
