"""Reading XML into flat arrays."""

from xylem.document.limits import Limits
from xylem.document.lines import line_numbers
from xylem.document.model import Document, DocumentArrays
from xylem.document.reader import Reader, read
from xylem.document.records import split
from xylem.document.sources import Source, documents, stream_documents
from xylem.document.vocabulary import OTHER, Vocabulary

__all__ = [
    "OTHER",
    "Document",
    "DocumentArrays",
    "Limits",
    "Reader",
    "Source",
    "Vocabulary",
    "documents",
    "line_numbers",
    "read",
    "split",
    "stream_documents",
]
