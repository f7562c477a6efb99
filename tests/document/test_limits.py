"""Every limit by its name: a document at the border is read, one over it is a reject that names the limit and its value
and says where; both readers draw the border at the same place."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.document.readers import accepted, rejected
from xylem.document import Limits, read
from xylem.document.limits import AMPLIFICATION_FREE_BYTES, LARGEST, PARSING_LIMITS
from xylem.document.vocabulary import Vocabulary
from xylem.errors import DocumentError, UsageError

# Name, limit, a document at the border, one over it, and where it goes over.
CASES: list[tuple[str, int, str, str, tuple[int, int]]] = [
    ("bytes", 7, "<a></a>", "<a>x</a>", (0, 0)),
    ("depth", 3, "<a><a><a/></a></a>", "<a>\n<a><a><a/></a></a></a>", (2, 7)),
    ("elements", 3, "<a><b/><c/></a>", "<a><b/><c/>\n<d/></a>", (2, 1)),
    ("attributes", 2, "<a x='' y=''/>", "<a x='' y='' z=''/>", (1, 1)),
    ("attributes", 2, "<a x='' xmlns:y='u'/>", "<a><b x='' y='' xmlns:z='u'/></a>", (1, 4)),
    ("attributes", 2, "<a xmlns='v' xmlns:y='u'/>", "<a xmlns='v' xmlns:y='u' xmlns:z='u'/>", (1, 1)),
    (
        "attributes",
        2,
        "<!DOCTYPE a [<!ATTLIST a x CDATA ''><!ATTLIST b x CDATA 'x' y CDATA #IMPLIED>]><a/>",
        "<!DOCTYPE a [<!ATTLIST a x CDATA ''>\n<!ATTLIST b x CDATA 'x' y CDATA \"y\">]><a/>",
        (2, 33),
    ),
    ("name", 8, "<abcdefgh/>", "<abcdefghi/>", (1, 1)),
    ("name", 8, "<éééé/>", "<ééééi/>", (1, 1)),
    ("name", 8, "<p:bcde xmlns:p='urn'/>", "<p:bcdef xmlns:p='urn'/>", (1, 1)),
    ("name", 8, "<a bcdefghi=''/>", "<a bcdefghij=''/>", (1, 1)),
    ("name", 8, "<a xmlns:p='urn' p:bcde=''/>", "<a xmlns:p='urn' p:bcdef=''/>", (1, 1)),
    ("attribute_value", 4, "<a x='1234'/>", "<a x='12345'/>", (1, 1)),
    ("attribute_value", 4, "<a x='é&#233;'/>", "<a x='é&#233;&lt;'/>", (1, 1)),
    ("text", 4, "<a>12<b>34</b></a>", "<a>12<b>345</b></a>", (1, 9)),
    ("text", 4, "<a>é&#233;</a>", "<a>é&#233;é</a>", (1, 11)),
    ("attribute_text", 12, "<a x='1' y='234'/>", "<a x='12' y='345'/>", (1, 1)),
]


def _limits(name: str, value: int) -> Limits:
    return Limits(**{name: value})


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_at_the_border_and_over_it(case: tuple[str, int, str, str, tuple[int, int]]) -> None:
    name, value, within, over, place = case
    accepted(within, _limits(name, value))
    found = rejected(over, _limits(name, value))
    assert found.reason.startswith(f"limit `{name}` exceeded: more than {value:,} ")
    assert f"Limits({name}=…)" in found.reason
    assert (found.line, found.column) == place
    accepted(over, _limits(name, value + 10))


def test_every_limit_of_parsing_has_a_case() -> None:
    assert set(PARSING_LIMITS) - {"amplification"} <= {case[0] for case in CASES}


# Documents that grow by far more than eight megabytes out of a few kilobytes, each in its own way.
_MANY = " ".join(f"a{number} CDATA ''" for number in range(1_000))
_SPACES = " ".join(f"xmlns:a{number} CDATA 'u'" for number in range(1_000))
_ATTRIBUTES = "<b p:b=''/>" * 2_000
GROWING = {
    "defaults": f"<!DOCTYPE a [<!ATTLIST b {_MANY}>]><a>{'<b/>' * 2_000}</a>",
    "values": f"<!DOCTYPE a [<!ATTLIST b c CDATA '{'x' * 10_000}'>]><a>{'<b/>' * 2_000}</a>",
    "namespaces": f"<!DOCTYPE a [<!ATTLIST b {_SPACES}>]><a>{'<b/>' * 2_000}</a>",
    "names": f"<p:a xmlns:p='{'u' * 10_000}'>{'<p:b/>' * 2_000}</p:a>",
    "names of attributes": f"<p:a xmlns:p='{'u' * 10_000}'>{_ATTRIBUTES}</p:a>",
}


@pytest.mark.parametrize("case", GROWING)
def test_growth_beyond_the_amplification(case: str) -> None:
    text = GROWING[case]
    found = rejected(text)
    assert found.reason.startswith("limit `amplification` exceeded: more than 100 times its own size")
    assert found.column > 1
    accepted(text, Limits(amplification=2_000))


def test_growth_below_the_free_bytes_is_no_amplification() -> None:
    value = "x" * 10_000
    text = f"<!DOCTYPE a [<!ATTLIST b c CDATA '{value}'>]><a>{'<b/>' * (AMPLIFICATION_FREE_BYTES // 10_100)}</a>"
    accepted(text, Limits(amplification=1))


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, LARGEST + 1, 1.5, "9", None])
def test_limits_that_make_no_sense(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"`{name}`"):
        Limits(**{name: value})


def test_limits_are_no_higher_than_offsets_reach() -> None:
    limits = Limits(**{field.name: LARGEST for field in fields(Limits)})
    assert len(read(b"<a/>", Vocabulary(), limits)) == 1


def test_the_reject_says_how_to_raise_a_limit() -> None:
    with pytest.raises(DocumentError) as caught:
        read(b"<a><b/></a>", Vocabulary(), Limits(depth=1))
    assert str(caught.value) == (
        "line 1, column 4: limit `depth` exceeded: more than 1 elements inside each other; "
        "raise it with Limits(depth=…) if the source is trusted"
    )
