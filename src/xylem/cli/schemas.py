"""The schemas that commands are given: DTDs, XML Schemas, or documents that show one.

This module knows nothing of what is done with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from xylem.cli.process import say
from xylem.cli.sources import sources
from xylem.errors import UsageError

if TYPE_CHECKING:
    from xylem.document import Limits
    from xylem.schema import Schema


class SchemaForm(StrEnum):
    DTD = "dtd"
    XSD = "xsd"
    DOCUMENTS = "documents"


@contextmanager
def schema_errors() -> Iterator[None]:
    """A schema that cannot be used is wrong usage of the command."""
    from xylem.schema import SchemaError

    try:
        yield
    except SchemaError as error:
        raise UsageError(str(error)) from error


def form_of(paths: Sequence[str]) -> SchemaForm:
    """A single `.dtd` or `.xsd` is a schema; anything else is documents."""
    ending = Path(paths[0]).suffix.lower() if len(paths) == 1 and not Path(paths[0]).is_dir() else ""
    return {".dtd": SchemaForm.DTD, ".xsd": SchemaForm.XSD}.get(ending, SchemaForm.DOCUMENTS)


def schema_at(paths: Sequence[str], form: SchemaForm | None, record: str | None, limits: Limits) -> Schema:
    """The schema of a file, or of documents; what of it cannot be used is named on standard error."""
    from xylem.schema import Schema
    from xylem.schema.inference import infer_from

    form = form or form_of(paths)
    if form is not SchemaForm.DOCUMENTS and len(paths) != 1:
        raise UsageError(f"a schema is one file, not {len(paths)}")
    with schema_errors():
        if form is SchemaForm.DTD:
            schema = Schema.from_dtd(paths[0])
        elif form is SchemaForm.XSD:
            schema = Schema.from_xsd(paths[0])
        else:
            schema = infer_from(sources(paths, record, limits), limits)
    for problem in schema.problems:
        say(f"xylem: {problem}")
    return schema
