"""The grounder keeps the promises that every grounder makes."""

from __future__ import annotations

from grounder_screens import people

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.testing import button, check_grounder, checkbox, choice, dialog, field, form, row, screen, text


def test_it_keeps_the_contract() -> None:
    check_grounder(ScreenGrounder(), people())
    check_grounder(
        ScreenGrounder(),
        screen(
            form(
                field("Name"), row(text("Country"), choice("", "Canada")), checkbox("I agree"), button("Send")
            ),
            dialog("Sure?", button("Yes"), button("No")),
        ),
    )
