"""An explanation for people and for programs: a tree with a mark at every part, and one JSON object.

This module puts into words what `xylem.matching.explain` found out; it decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xylem.cli.wording import part_words, value_words
from xylem.matching.explain import Explanation, Step, stops
from xylem.xpath import spell_formula
from xylem.xpath.pattern import And, Not, PatternNode

_MARK = {"holds": "✓", "fails": "✗", "unreached": "·"}
_VERIFIED = {True: "✓", False: "✗", None: "·"}
_INDEXED = {
    "full": "Indexed in full: the marks above decide.",
    "part": "Indexed in part: what is above must hold, and libxml2 verifies the whole expression.",
    "none": "Not indexed: no part of it could be, and libxml2 evaluates the whole expression.",
}


def verdict(explanation: Explanation) -> str:
    return "MATCH" if explanation.match else "NO MATCH"


def drawing(explanation: Explanation, namespaces: Mapping[str, str]) -> Iterator[str]:
    """The pattern as a tree with a mark at every part, and what follows from it."""
    rows = [row for step in _visible(explanation.root) for row in _rows(step, "", "", explanation, namespaces)]
    if not rows:
        rows = [(f"{_MARK[explanation.root.mark.value]} anything", "every document has what is indexed of it")]
    width = min(max(len(left) for left, _ in rows), 60)
    for left, right in rows:
        yield f"{left:<{width}}  {right}".rstrip()
    if explanation.pattern.verification is not None:
        yield f"{_VERIFIED[explanation.verified]} libxml2: boolean({explanation.pattern.verification.expression})"
    yield ""
    if stop := stop_words(explanation, namespaces):
        yield stop
    yield _INDEXED[explanation.indexed]


def stop_words(explanation: Explanation, namespaces: Mapping[str, str]) -> str:
    """One sentence about the deepest step that was reached, where the document does not match."""
    chain = [step for step in stops(explanation.root) if not isinstance(step.part, And)]
    if not chain:
        return "All that is indexed holds; the whole expression does not." if explanation.verified is False else ""
    last = chain[-1]
    steps = "".join(part_words(step.part, namespaces) for step in chain[:-1] if isinstance(step.part, PatternNode))
    reached = f"Reached {steps}" if steps else "Stopped at once"
    place = next((step.place for step in reversed(chain[:-1]) if step.place is not None), None)
    where = f" (line {explanation.line(place)})" if place is not None and steps else ""
    if isinstance(last.part, PatternNode) and not last.candidates:
        return f"{reached}{where}: there is no {part_words(last.part, namespaces)} below it."
    failing = last.part
    words = (
        spell_formula(failing, namespaces, inside=True).expression
        if isinstance(failing, Not)
        else part_words(failing, namespaces)
    )
    return f"{reached}{where}: {words} does not hold."


def facts(explanation: Explanation, namespaces: Mapping[str, str]) -> dict[str, object]:
    """An explanation as JSON has it."""
    verification = explanation.pattern.verification
    return {
        "match": explanation.match,
        "indexed": explanation.indexed,
        "pattern": [_facts(step, explanation, namespaces) for step in _visible(explanation.root)],
        "verification": None
        if verification is None
        else {"expression": verification.expression, "holds": explanation.verified},
        "stops": stop_words(explanation, namespaces) or None,
    }


def _facts(step: Step, explanation: Explanation, namespaces: Mapping[str, str]) -> dict[str, object]:
    known: dict[str, object] = {"part": part_words(step.part, namespaces), "mark": step.mark.value}
    if step.candidates is not None:
        known |= {"candidates": step.candidates, "witnesses": step.witnesses}
    if step.place is not None:
        known["line"] = explanation.line(step.place)
    if step.met is not None:
        known["met"] = step.met
    if parts := [_facts(part, explanation, namespaces) for child in step.parts for part in _visible(child)]:
        known["parts"] = parts
    return known


def _visible(step: Step) -> Iterator[Step]:
    """A part, or in place of a conjunction its own parts: standing side by side says "all of" already."""
    if isinstance(step.part, And):
        for part in step.parts:
            yield from _visible(part)
    else:
        yield step


def _rows(
    step: Step, lead: str, below: str, explanation: Explanation, namespaces: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What stands left and right on the lines for a part and all that hangs below it."""
    yield f"{lead}{_MARK[step.mark.value]} {part_words(step.part, namespaces)}", _remark(step, explanation)
    children = [part for child in step.parts for part in _visible(child)]
    for child in children:
        last = child is children[-1]
        yield from _rows(
            child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "), explanation, namespaces
        )


def _remark(step: Step, explanation: Explanation) -> str:
    """What was found at a part: how many nodes, where the witness is, which value was met."""
    said = []
    if step.candidates is not None:
        said.append(_counted(step.candidates, "candidate"))
        if step.candidates > 1:
            said.append(_counted(step.witnesses or 0, "witness"))
    if step.place is not None:
        closest = "" if step.witnesses else "the closest at "
        said.append(f"{closest}line {explanation.line(step.place)}")
    if step.met is not None:
        said.append(f"met {value_words(step.met)}")
    return ", ".join(said)


def _counted(number: int, noun: str) -> str:
    plural = "witnesses" if noun == "witness" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}" if number else f"no {noun}"
