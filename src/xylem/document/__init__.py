"""Reading XML into flat arrays."""

from xylem.document.limits import Limits
from xylem.document.model import Document, DocumentArrays
from xylem.document.reader import Reader, read
from xylem.document.vocabulary import OTHER, Vocabulary

__all__ = ["OTHER", "Document", "DocumentArrays", "Limits", "Reader", "Vocabulary", "read"]
