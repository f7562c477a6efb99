"""Real documents, the conformance suites and ill-formed files from the wild: what libxml2 reads, both readers read the
same; what it refuses, they refuse. Exceptions are listed, with their reasons."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from random import Random

import pytest
from lxml import etree

from tests.conftest import LONG
from tests.document.readers import Reject, agreed
from tests.document.views import of_document, of_lxml, parse_lxml, vocabulary_of
from tests.scale import scaled
from tests.shared_data import SHARED, need
from xylem.document import Vocabulary

