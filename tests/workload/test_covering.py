"""The covering rate of linear paths, and subscriptions that have a wanted one."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from lxml import etree

from tests.scale import scaled
from xylem.errors import UsageError
from xylem.workload import SubscriptionParameters, bundled_schema, covering_rate, subscriptions, with_covering_rate
from xylem.workload.covering import covers, linear

COVERS = [
    ("/*", "//a", True),
    ("//a", "/*", False),
    ("/a", "/a/b", True),
    ("/a/b", "/a", False),
    ("//b", "/a/b", True),
    ("b", "/a/b", True),
    ("/a/b", "b", False),
    ("/*/b", "/a/b", True),
    ("/a/b", "/*/b", False),
    ("/a//b", "/a/b", True),
    ("/a/*//b", "/a//*/b", True),
    ("/a//*/b", "/a/*//b", True),
    ("/a/*/b", "/a//b", False),
    ("//a//b", "//a/c//b", True),
    ("/a//c/b", "/a/c//c/b", True),
    ("//a/b", "//a//b", False),
    ("/*/*", "//a//b", True),
    ("/a//b/c", "/a/b//b/c", True),
    ("//c/*/b", "/c//c/c//b/b", False),
]


@pytest.mark.parametrize(("general", "special", "answer"), COVERS)
def test_cases(general: str, special: str, answer: bool) -> None:
    assert covers(linear(general), linear(special)) is answer


def chains(most: int) -> list[tuple[str, ...]]:
    return [names for length in range(1, most + 1) for names in product("abz", repeat=length)]


def test_every_pair_of_small_paths_against_all_chains() -> None:
    """Against libxml2: paths of up to two steps on every chain of up to six elements, which is more than they need."""
    steps = [slashes + name for slashes in ("/", "//") for name in "ab*"]
    paths = ["".join(parts) for length in (1, 2) for parts in product(steps, repeat=length)]
    documents = []
    for names in chains(6):
        root = innermost = etree.Element(names[0])
        for name in names[1:]:
            innermost = etree.SubElement(innermost, name)
        documents.append(root)
    matched = {}
    for path in paths:
        judge = etree.XPath(f"boolean({path})")
        matched[path] = {number for number, document in enumerate(documents) if judge(document)}
    for general, special in product(paths, repeat=2):
        answer = matched[special] <= matched[general]
        assert covers(linear(general), linear(special)) is answer, (general, special)


def test_the_rate_is_that_of_taking_away_one_after_the_other() -> None:
    for seed in range(scaled(10)):
        parameters = SubscriptionParameters(
            count=80, seed=seed, wildcard=0.3, descendant=0.3, relative=0.3, min_depth=3
        )
        texts = [xpath for _, xpath in subscriptions(bundled_schema(), parameters)]
        kept = list(dict.fromkeys(map(linear, texts)))
        for pattern in list(kept):
            if any(other != pattern and covers(other, pattern) for other in kept):
                kept.remove(pattern)
        Random(seed).shuffle(texts)
        assert covering_rate(texts) == pytest.approx(1 - len(kept) / 80)


def test_small_rates() -> None:
    assert covering_rate([]) == 0.0
    assert covering_rate(["/a", "/a"]) == 0.5
    assert covering_rate(["/a/*//b", "/a//*/b", "/a/b"]) == pytest.approx(1 / 3)
    assert covering_rate(["/p:a", "/q:a", "/a"]) == 0.0


@pytest.mark.parametrize("xpath", ["/a[b]/c", "/a/@b", "/a | /b", "count(//a) > 1", "//a[. = 'x']"])
def test_other_expressions_are_refused(xpath: str) -> None:
    with pytest.raises(UsageError, match="takes linear paths"):
        covering_rate([xpath])


@pytest.mark.parametrize("wanted", [0.9, 0.5])
def test_sets_of_a_wanted_rate(wanted: float) -> None:
    parameters = SubscriptionParameters(count=1_000, max_depth=7)
    found = with_covering_rate(bundled_schema(), parameters, wanted, covering_rate, tolerance=0.02)
    assert abs(found.rate - wanted) <= 0.02
    assert found.subscriptions == subscriptions(bundled_schema(), found.parameters)
    assert covering_rate([xpath for _, xpath in found.subscriptions]) == found.rate


def test_a_rate_that_cannot_be_had_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no covering rate of 0\.9.*the nearest is 0\.250"):
        with_covering_rate(bundled_schema(), SubscriptionParameters(count=50), 0.9, lambda texts: 0.25)
