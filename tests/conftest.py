"""What all tests share: the mark for long tests, and one setting for Hypothesis.

`@pytest.mark.long` tests run only with `./test --long` (which sets XYLEM_TEST_LONG=1). Hypothesis
is deterministic by default, so that a run says the same twice; the long mode draws new examples each time and
prints what reproduces a failure.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.scale import scaled

LONG = os.environ.get("XYLEM_TEST_LONG", "") not in ("", "0")

_UNHURRIED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile(
    "default",
    max_examples=scaled(100),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=_UNHURRIED,
)
settings.register_profile(
    "long", max_examples=scaled(2_000), deadline=None, print_blob=True, suppress_health_check=_UNHURRIED
)
settings.load_profile("long" if LONG else "default")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: runs only with ./test --long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if LONG:
        return
    skip = pytest.mark.skip(reason="a long test: ./test --long runs it")
    for item in items:
        if item.get_closest_marker("long") is not None:
            item.add_marker(skip)
