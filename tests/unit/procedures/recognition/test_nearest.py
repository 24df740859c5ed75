"""The nearest learned wording is offered with the values of the sentence, or none is."""

from __future__ import annotations

import pytest

from gui_agent.procedures.language.program import Program, SlotParameter
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.nearest import nearest_wordings
from gui_agent.testing import button, field, row, screen, text

SHOWN = View(screen(field("What"), row(text("Ada"), button("Reply")), row(text("Grace"), button("Reply"))))


def program(template: str, **examples: str) -> Program:
    slots = tuple(SlotParameter(name, examples=(value,)) for name, value in examples.items())
    return Program("one", (template,), (), slots, own_words=True)


SHOPPING = program("Put {what} on my shopping list", what="milk")
REPLY = program("Reply to the mail of {to} with '{text}'", to="Linus", text="Thanks")
BOOKING = program(
    "Book {name} for EUR {amount} on {date}", name="lunch with Ada", amount="12.50", date="2026-11-21"
)


@pytest.mark.parametrize(
    ("wish", "offered"),
    [
        ("We need oat bread on the shopping list", "Put oat bread on my shopping list"),
        ("Ada needs a reply: 'Yes, at noon'", "Reply to the mail of Ada with 'Yes, at noon'"),
        ("Don't reply to Ada with 'No'", ""),
        ("Delete the shopping list", ""),
        ("Is Ada in?", ""),
        ("Is oat bread on the shopping list?", ""),
        ("Could you have oat bread on the shopping list?", "Put oat bread on my shopping list"),
        ("Reply to Ada", ""),
        ("The mail of Grace is lost", ""),
        (
            "Please book my lunch with Bob, EUR 9.90, on 2026-11-29",
            "Book lunch with Bob for EUR 9.90 on 2026-11-29",
        ),
        ("Please book my lunch with Bob on 2026-11-29", ""),
    ],
)
def test_an_offer_has_all_the_values_or_is_none(wish: str, offered: str) -> None:
    found = [said for said, _ in nearest_wordings(wish, [SHOPPING, REPLY, BOOKING], SHOWN)]
    assert found == ([offered] if offered else [])
