"""libxml2 agrees with the table of cases, and both outcomes are in every group."""

from __future__ import annotations

import pytest

from tests.differential.judge import Judge
from tests.matching.cases import GROUPS, Group


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_the_judge_agrees(group: Group) -> None:
    judge = Judge([case.judged for case in group.cases])
    found = set(judge.matching(group.document))
    wrong = [case for number, case in enumerate(group.cases) if (number in found) != case.expected]
    assert wrong == []
    assert 0 < len(found) < len(group.cases)
