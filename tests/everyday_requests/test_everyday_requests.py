"""What everyday controls really send leaves without a question, and what is grave never against a no.

The figures of today are in `figures.json`, written by `python -m tests.everyday_requests --json FILE`: what
is needlessly asked about may only become less. The quick tests run a sample, the nightly ones all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.everyday_requests.bed import FIGURES, WRONGS, Bed, Judged, figures, kinds

TODAY = json.loads(FIGURES.read_text("utf-8"))
SCENARIOS = [one for kind in kinds() for one in kind.scenarios]
QUICK = [one for one in SCENARIOS if not one.is_grave][4::20] + [one for one in SCENARIOS if one.is_grave][
    2::14
]


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with Bed() as opened:
        yield opened


def new_wrongs(judged: list[Judged]) -> list[str]:
    """What is wrong now and was right in the figures of today."""
    return [
        f"{one.wrong}: {one.scenario.name}: {'; '.join(one.questions) or one.ending}"
        for one in judged
        if one.wrong and one.scenario.say not in TODAY[one.scenario.kind][one.wrong]
    ]


def test_there_are_enough_scenarios_of_many_kinds() -> None:
    everyday = [one for one in SCENARIOS if not one.is_grave]
    assert len(everyday) >= 150 and len(SCENARIOS) - len(everyday) >= 30 and len(kinds()) >= 30
    assert all(one.steps for one in SCENARIOS)
    assert {one.name: sum(not scenario.is_grave for scenario in one.scenarios) for one in kinds()} == {
        name: kind["everyday"] for name, kind in TODAY.items() if name != "all"
    }


def test_a_sample_of_everyday_requests_is_no_worse_than_before(bed: Bed) -> None:
    assert new_wrongs([bed.judged(one) for one in QUICK]) == []


@pytest.mark.nightly
def test_no_kind_is_asked_about_more_than_before_and_nothing_grave_leaves(bed: Bed) -> None:
    judged = [bed.judged(one) for one in SCENARIOS]
    found = figures(judged)
    more = {
        f"{name}, {wrong}": kind[wrong]
        for name, kind in found.items()
        for wrong in WRONGS
        if len(kind[wrong]) > len(TODAY[name][wrong])
    }
    assert not more, new_wrongs(judged)
    assert set(found["all"]["grave sent"]) <= set(TODAY["all"]["grave sent"])


@pytest.mark.nightly
def test_without_a_guard_each_control_sends_what_it_should() -> None:
    with Bed(unguarded=True) as opened:
        judged = [opened.judged(one) for one in SCENARIOS]
    silent = {one.scenario.say for one in judged if not one.has_arrived}
    # Links whose address is code are refused by every policy.
    assert silent <= {*TODAY["all"]["not sent"], *TODAY["all"]["not asked"]}
