"""Everything Xylem raises on purpose.

    XylemError
    ├── XPathError            a subscription that is refused: message, construct, column
    ├── DocumentError         a document that is refused: reason, line, column
    ├── StaleDocumentError    a document that an engine cannot read the names of; a Matcher reads it again
    ├── SchemaError           a schema that is refused: file, line, element (`xylem.schema`)
    ├── SubscriptionFileError a file of subscriptions that cannot be read: path, line
    └── UsageError            a call or an option that makes no sense

Errors carry their facts as fields, so that programs need not read the sentence.
One bad query or one bad document never stops the rest: the caller gets the error in the
place of the answer.
"""

from __future__ import annotations


class XylemError(Exception):
    """The root of all errors that Xylem raises on purpose."""


class UsageError(XylemError):
    """A call or an option that makes no sense."""


class XPathError(XylemError):
    """An expression that is refused, with the construct and the 1-based column that it starts at."""

    def __init__(self, message: str, *, expression: str, column: int, construct: str) -> None:
        super().__init__(message)
        self.message = message
        self.expression = expression
        self.column = column
        self.construct = construct

    def __str__(self) -> str:
        return f"{self.message} (column {self.column})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_xpath_error, (self.message, self.expression, self.column, self.construct))


class DocumentError(XylemError):
    """A document that is refused: why, and where (line and column are 1-based; 0 when there is no place)."""

    def __init__(self, reason: str, *, line: int = 0, column: int = 0, document: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column
        self.document = document

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        name = f"{self.document}: " if self.document else ""
        return f"{name}{place}{self.reason}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_document_error, (self.reason, self.line, self.column, self.document))


class StaleDocumentError(XylemError):
    """A document that was read with another vocabulary, or before the vocabulary knew a name that an engine asks for:
    read it again."""


class SubscriptionFileError(XylemError):
    """A file of subscriptions that cannot be used, with the 1-based line (0 when there is none)."""

    def __init__(self, message: str, *, path: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


def _xpath_error(message: str, expression: str, column: int, construct: str) -> XPathError:
    return XPathError(message, expression=expression, column=column, construct=construct)


def _document_error(reason: str, line: int, column: int, document: str | None) -> DocumentError:
    return DocumentError(reason, line=line, column=column, document=document)
