"""Small spaces in full: all small patterns against all small trees.

The canonical form is proven on the way: no two patterns of one form ever answer differently, and where the form has a
rule, equal questions share it (see `test_canonical` for the rules one by one).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from lxml import etree

from tests.xpath.documents import all_trees
from tests.xpath.judge import Sample
from xylem.xpath import holds, parse
from xylem.xpath.pattern import Formula

NAMES = ("a", "b", "*")
SLASHES = ("/", "//")


def paths(steps: int) -> Iterator[str]:
    """All linear paths of so many steps."""
    for parts in product(product(SLASHES, NAMES), repeat=steps):
        yield "".join(slash + name for slash, name in parts)


def branches() -> Iterator[str]:
    """All inner paths of one step."""
    for gap, name in product(("", ".//"), NAMES):
        yield gap + name


def twigs() -> Iterator[str]:
    for path, branch in product([*paths(1), *paths(2)], branches()):
        yield f"{path}[{branch}]"
        yield f"{path}[not({branch})]"
    for path, first, second, word in product(paths(1), branches(), branches(), ("and", "or")):
        yield f"{path}[{first} {word} {second}]"
        yield f"{path}[not({first}) {word} {second}]"
    for path, first, second in product(paths(1), branches(), branches()):
        yield f"{path}[{first}][{second}]"
        yield f"{path}[{first}]/{second.removeprefix('.//')}"
        yield f"{path}[{first}[{second}]]"
    for path, branch, count in product(paths(1), branches(), ("= 0", "= 1", "> 1", "!= 1", "< 2", ">= 2")):
        yield f"{path}[count({branch}) {count}]"


def beyond() -> Iterator[str]:
    """All short paths that look up, sideways and at positions."""
    axes = (
        "parent", "ancestor", "ancestor-or-self", "self", "descendant-or-self", "following-sibling",
        "preceding-sibling", "following", "preceding",
    )  # fmt: skip
    for path, axis, name in product([*paths(1), "//a/b", "//a//*"], axes, NAMES):
        yield f"{path}/{axis}::{name}"
        yield f"{path}[{axis}::{name}]"
        yield f"{path}[not({axis}::{name})]"
        yield f"{path}/{axis}::{name}/a"
        yield f"({path}/{axis}::{name})[2]"
        yield f"{path}/{axis}::{name}[1]/b"
    for path, place, name in product(paths(2), ("1", "2", "last()", "position() = 2", "last() - 1"), NAMES):
        yield f"{path}[{place}]"
        yield f"{path}[{place}]/{name}"
        yield f"({path})[{place}]/{name}"


def answers(queries: Iterable[str], samples: list[Sample]) -> dict[Formula, list[bool]]:
    """Checks every query against every tree; what each distinct exact pattern answers."""
    found: dict[Formula, list[bool]] = {}
    for query in queries:
        compiled = etree.XPath(f"boolean({query})")  # absolute paths: the context node does not matter
        expected = [bool(compiled(sample.tree)) for sample in samples]
        pattern = parse(query)
        if pattern.condition not in found:
            found[pattern.condition] = [holds(pattern.condition, sample.root) for sample in samples]
        said = found[pattern.condition]
        if pattern.verification is None:
            assert said == expected, query
        else:
            wrong = [s.text for s, yes, maybe in zip(samples, expected, said, strict=True) if yes and not maybe]
            assert not wrong, (query, wrong[:3])
    return found


def trees(elements: int) -> list[Sample]:
    return [Sample(text) for size in range(1, elements + 1) for text in all_trees(size)]


def test_all_linear_paths_on_all_small_trees() -> None:
    queries = [path for steps in (1, 2, 3) for path in paths(steps)]
    samples = trees(5)
    assert (len(queries), len(samples)) == (258, 550)
    found = answers(queries, samples)
    # Different forms may agree on small trees; one form never disagrees with itself, which `answers` asserts.
    assert len(found) < len(queries)


def test_all_small_twigs_on_all_small_trees() -> None:
    samples = trees(4)
    queries = list(twigs())
    found = answers(queries, samples)
    assert len({tuple(said) for said in found.values()}) > 100  # the trees tell many of them apart


def test_all_short_paths_on_other_axes_on_all_small_trees() -> None:
    found = answers(beyond(), trees(4))
    assert len({tuple(said) for said in found.values()}) > 50
