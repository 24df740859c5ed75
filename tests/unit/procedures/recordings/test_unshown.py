"""Which values of an instruction its recording does not show."""

from __future__ import annotations

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element, Fingerprint, Size
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.procedures.recordings.from_run import unshown


def shown(task: str) -> tuple[str, ...]:
    price = Element(1, "cell", "12 Euro", box=Box(0, 0, 10, 10))
    screen = Screen(Size(100, 100), elements=(price,))
    steps = (
        DemoStep(TypeText('Say "hi"', Fingerprint("textbox", "Text"), replace=True), screen),
        DemoStep(Click(Fingerprint("button", "Send now"))),
    )
    return unshown(Demonstration(task, steps))


def test_a_quoted_value_that_was_never_used_is_found_once_and_as_written() -> None:
    assert shown("Write 'Hello  You' to \"Ada\", 'Hello  You'") == ("Hello  You", "Ada")


def test_what_was_typed_clicked_or_on_the_screen_is_shown_whatever_its_case() -> None:
    assert shown("Press 'SEND now' where it costs “12 euro”") == ()
    assert shown("Type 'Say \"hi\"'") == ()


def test_words_without_quotes_are_no_values() -> None:
    assert shown("Send it to Bob in 3 minutes") == ()
