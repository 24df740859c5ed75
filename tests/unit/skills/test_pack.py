"""Values for the parameters of a skill."""

from __future__ import annotations

import datetime

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.skills import Parameter, Skill

ORDER = Skill(
    "order",
    "Order {amount} {article}",
    {
        "article": Parameter(example="lamp"),
        "amount": Parameter("number", default="1"),
        "day": Parameter("date", default=""),
        "to": Parameter("list", default=""),
    },
)


def test_values_become_texts() -> None:
    day = datetime.date(2026, 1, 31)
    bound = ORDER.bind({"article": "lamp", "amount": 3, "day": day, "to": ["Ada", "Grace"]})
    assert bound == {"article": "lamp", "amount": "3", "day": "2026-01-31", "to": "Ada, Grace"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give a value for article (text, such as lamp)"),
        ({"article": "lamp", "colour": "red"}, 'there is no parameter "colour"'),
        ({"artikel": "lamp"}, 'did you mean "article"?'),
        ({"article": "lamp", "amount": ["3"]}, "amount is a number, not ['3']"),
        ({"article": "lamp", "amount": " "}, "amount is a number, and empty"),
        ({"article": True}, "article is a text, not True"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(given: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as told:
        ORDER.bind(given)
    assert said in str(told.value)
    assert "\n" not in str(told.value)
