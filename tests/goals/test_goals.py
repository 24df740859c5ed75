"""A goal in everyday words is shown once, and then done with other values without a question.

    python -m tests.goals

asks all twenty and counts, `python -m tests.goals others` ten more; the quick tests ask a few of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.goals.bed import goals, judged

FEW = ("We've got the eggs already", "Wake me in 20 minutes")


def test_there_are_twenty_goals_that_no_plain_command_says() -> None:
    assert len({goal.say for goal in goals()}) == 20
    assert all(goal.say != goal.then and goal.done != goal.again for goal in goals())


@pytest.mark.parametrize("say", FEW)
def test_a_goal_shown_once_is_done_with_other_values(say: str, tmp_path: Path) -> None:
    one = judged(next(goal for goal in goals() if goal.say == say), tmp_path)
    assert one.offered and one.done, one.first.result.ending
    assert one.unasked, one.second.result.ending
    assert not one.wrong


@pytest.mark.nightly
def test_of_thirty_goals_most_are_done_twice_and_none_wrongly(tmp_path: Path) -> None:
    found = []
    for number, goal in enumerate([*goals(), *goals("others")]):
        home = tmp_path / str(number)
        home.mkdir()
        found.append(judged(goal, home))
    assert all(one.offered for one in found)
    assert sum(one.unasked for one in found) >= 28, [one.goal.say for one in found if not one.unasked]
    assert not [one.goal.say for one in found if one.wrong]
