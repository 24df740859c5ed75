"""A record is named by its key, or by the column that a noun names; values of other columns name none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from guiagent_eval.page_computer import PageComputer
from records import judge_page

SEEDS = range(40)
LEAST_DONE = 0.9
"""Share of the commands about a record that is there that must be understood: refusing all is no way out."""


@pytest.fixture(scope="module")
def tall() -> Iterator[PageComputer]:
    """A browser in which every record of a page is in sight."""
    with PageComputer(size=(1200, 1500)) as computer:
        computer.start("about:blank")
        yield computer


@pytest.fixture(scope="module")
def low() -> Iterator[PageComputer]:
    """A browser in which half of the records are out of sight."""
    with PageComputer(size=(1200, 400)) as computer:
        computer.start("about:blank")
        yield computer


def test_commands_act_on_the_record_that_they_name_or_on_none(tall: PageComputer) -> None:
    verdicts: Counter[tuple[bool, str]] = Counter()
    for seed in SEEDS:
        for command, verdict, meant in judge_page(tall, seed):
            assert verdict != "wrong", f"seed {seed}: {command.text} => {meant}"
            verdicts[command.record is not None, verdict] += 1
    assert verdicts[True, "right"] >= LEAST_DONE * (verdicts[True, "right"] + verdicts[True, "refused"])
    assert verdicts[False, "refused"] > 0


def test_a_record_out_of_sight_is_not_replaced_by_one_in_sight(low: PageComputer) -> None:
    for seed in SEEDS[:20]:
        for command, verdict, meant in judge_page(low, seed):
            assert verdict != "wrong", f"seed {seed}: {command.text} => {meant}"
