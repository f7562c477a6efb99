"""`xylem demo`: the story of a small news desk, told act by act.

Every act is a function that shows one thing on the stage and leaves there what later acts need; a new
ability of Xylem becomes a new act in `ACTS`. The last act checks all that was shown against libxml2.

This module knows nothing that the library does not offer to everybody.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.example import FOLDER, NAMESPACES, Newsdesk, newsdesk
from xylem.cli.output import print_bytes, print_json
from xylem.cli.process import ExitCode, say
from xylem.errors import DocumentError, XPathError

if TYPE_CHECKING:
    from rich.console import Console

    from xylem import Matcher

EXAMPLE = """\b
Example:
  xylem demo

\b
Takes a few seconds and needs nothing but this package. Ends with 0 if
every delivery shown agrees with libxml2, and with 1 if not."""


@dataclass(slots=True)
class Stage:
    """What the acts share: where they speak, and what became of the subscriptions and the stories so far."""

    console: Console
    desk: Newsdesk
    matcher: Matcher
    refused: dict[str, XPathError] = field(default_factory=dict)
    delivered: dict[str, list[str]] = field(default_factory=dict)
    rejects: dict[str, DocumentError] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)

    def tell(self, text: str = "") -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def demo(
    json: Annotated[bool, typer.Option("--json", help="Prints only the outcome, as one JSON object.")] = False,
) -> int:
    """Plays the whole story in a few seconds, with a picture of who received what."""
    stage = _stage()
    began = time.perf_counter()
    for number, (title, act) in enumerate(ACTS, 1):
        stage.console.rule(f"{number}. {title}", align="left")
        act(stage)
        stage.tell()
        if not json:
            _show(stage.console)
    if json:
        print_json(_outcome(stage))
    else:
        stage.tell(f"The end, after {time.perf_counter() - began:.1f} s.")
        _show(stage.console)
    return ExitCode.FAILED if stage.disagreements else ExitCode.FINE


def _stage() -> Stage:
    from rich.console import Console

    from xylem import Matcher
    from xylem.cli.progress import watched
    from xylem.kernels import on_first_compile

    if watched():
        on_first_compile(lambda: say("xylem: compiling kernels; this happens once and takes half a minute or so …"))
    # The console draws into memory and `_show` hands it on, so that a closed pipe ends the demo like any command.
    terminal = sys.stdout.isatty()
    width = None if terminal else 100
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, emoji=False)
    return Stage(console, newsdesk(), Matcher(namespaces=NAMESPACES))


def _show(console: Console) -> None:
    drawn = console.file
    assert isinstance(drawn, io.StringIO)
    print_bytes("\n".join(line.rstrip() for line in drawn.getvalue().split("\n")).encode())
    drawn.seek(0)
    drawn.truncate()


def _stories(stage: Stage) -> None:
    stage.tell(f"The Harbour Wire, a small news desk, sends out {len(stage.desk.stories)} stories today:\n")
    for number, (name, data) in enumerate(stage.desk.stories.items(), 1):
        stage.tell(f"  {number:>2}  {name:<24} {len(data):>5,} bytes")
    name = next(iter(stage.desk.stories))
    stage.tell(f"\nThis is {name}:\n")
    stage.tell(_indented(stage.desk.stories[name].decode()))


def _subscribers(stage: Stage) -> None:
    from xylem.xpath import caret

    stage.tell("Each subscriber asks one question of every story. The story comes if the answer is yes:\n")
    for entry in stage.desk.subscriptions:
        stage.tell(f"  {entry.id:<8} {entry.xpath}")
        try:
            stage.matcher.add(entry.id, entry.xpath)
        except XPathError as error:
            stage.refused[entry.id] = error
    for identifier, refusal in stage.refused.items():
        stage.tell(f"\n{identifier}'s question is no XPath 1.0 and is refused by name; the others are not disturbed:\n")
        stage.tell(_indented(f"{caret(refusal)}\n{refusal.message}"))
    stage.tell(f"\n{len(stage.matcher)} questions stand, in one shared index (engine: {stage.matcher.engine_name}).")


def _wire(stage: Stage) -> None:
    stage.tell("The stories go out one after the other. Each is read once and meets all questions at once:\n")
    for number, (name, data) in enumerate(stage.desk.stories.items(), 1):
        try:
            receivers = sorted(stage.matcher.match(data))
        except DocumentError as error:
            stage.rejects[name] = error
            place = f" (line {error.line}, column {error.column})" if error.line else ""
            stage.tell(f"  {number:>2}  {name:<24} refused: {error.reason}{place}")
            continue
        stage.delivered[name] = receivers
        stage.tell(f"  {number:>2}  {name:<24} → {', '.join(receivers) or 'nobody asked for it'}")
    stage.tell(f"\n{len(stage.rejects)} stories cannot be trusted; the rest went on as if nothing had been.")


def _why(stage: Stage) -> None:
    from xylem.cli.explanation import drawing, verdict
    from xylem.document import Limits
    from xylem.matching.explain import explain_document
    from xylem.xpath import parse

    questions = {entry.id: entry.xpath for entry in stage.desk.subscriptions}
    for identifier, name in (("dmitri", "02-storm.xml"), ("emeka", "05-final-corrected.xml")):
        explanation = explain_document(stage.desk.stories[name], parse(questions[identifier], NAMESPACES), Limits())
        asked = "Why did dmitri receive" if explanation.match else f"Why did {identifier} not receive"
        stage.tell(f"{asked} {name}? ({verdict(explanation)})\n")
        stage.tell(_indented("\n".join(drawing(explanation, NAMESPACES))) + "\n")
    stage.tell("xylem explain DOCUMENT XPATH answers this for any document and any question.")


def _picture(stage: Stage) -> None:
    from xylem.cli.picture import deliveries

    names = list(stage.desk.stories)
    received = {
        entry.id: {at for at, name in enumerate(names) if entry.id in stage.delivered.get(name, ())}
        for entry in stage.desk.subscriptions
        if entry.id not in stage.refused
    }
    stage.console.print(deliveries(names, received, {names.index(name) for name in stage.rejects}))
    stage.tell("\n● received   · not asked for   ✗ refused at the door")


def _judged(stage: Stage) -> None:
    from lxml import etree

    checked = 0
    for name, receivers in stage.delivered.items():
        try:
            tree = etree.ElementTree(etree.fromstring(stage.desk.stories[name]))
        except etree.XMLSyntaxError as error:
            stage.disagreements.append(f"{name} was delivered: libxml2 says it is no document, {error.msg}")
            continue
        for entry in stage.desk.subscriptions:
            if entry.id in stage.refused:
                continue
            checked += 1
            judged = tree.xpath(f"boolean({entry.xpath})", namespaces=NAMESPACES)
            if judged is not (entry.id in receivers):
                stage.disagreements.append(f"{entry.id} on {name}: libxml2 says {judged}")
    for disagreement in stage.disagreements:
        stage.tell(f"  WRONG: {disagreement}")
    agreed = checked - len(stage.disagreements)
    stage.tell(f"libxml2 was asked every question of every readable story: {agreed} of {checked} answers agree.")


def _yours(stage: Stage) -> None:
    folder = _near(FOLDER)
    stage.tell("The same on the command line:\n")
    stage.tell(f"  xylem match --subscriptions {folder}/subscribers.tsv \\")
    stage.tell(f"      --ns market=urn:newsdesk:market {folder}/documents")


ACTS: tuple[tuple[str, Callable[[Stage], None]], ...] = (
    ("The stories", _stories),
    ("The subscribers", _subscribers),
    ("The wire", _wire),
    ("Why, and why not", _why),
    ("Who received what", _picture),
    ("The judge", _judged),
    ("Your turn", _yours),
)


def _outcome(stage: Stage) -> dict[str, object]:
    return {
        "delivered": stage.delivered,
        "rejects": {name: error.reason for name, error in stage.rejects.items()},
        "rejected_subscriptions": {identifier: error.message for identifier, error in stage.refused.items()},
        "disagreements": stage.disagreements,
    }


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


def _near(folder: Path) -> str:
    """The example's folder as a person in this directory would type it."""
    checkout = Path("examples", folder.name)
    if checkout.exists() and checkout.samefile(folder):
        return str(checkout)
    relative = os.path.relpath(folder)
    return shlex.quote(str(folder) if relative.startswith("..") else relative)
