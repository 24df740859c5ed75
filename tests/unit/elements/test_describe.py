"""Actions, places and expectations read as plain sentences."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import (
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Hold,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Upload,
    Wait,
)
from gui_agent.core.conditions import Shown, TextShown, ValueIs
from gui_agent.core.observation import Box, Element, Fingerprint, Mark, Observation, Point, Size, Words
from gui_agent.core.trajectory import Found
from gui_agent.elements.describe import describe, describe_condition, describe_place, printable

NAME = Element(3, "textbox", "Name", Box(10, 10, 100, 20))
NAMELESS = Element(4, "textbox", "", Box(10, 40, 100, 20))
SEND = Words("Send", "button")


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (Click(SEND), 'Click "Send" button'),
        (Click(SEND, clicks=2), 'Double-click "Send" button'),
        (Click(SEND, button="right"), 'Right-click "Send" button'),
        (Click(Mark(7), modifiers=("ctrl",)), "Click element 7 holding Ctrl"),
        (Click(Words(role="checkbox", ordinal=2)), "Click the second checkbox"),
        (Move(Fingerprint("menuitem", "File")), 'Move the pointer to menuitem "File"'),
        (Drag(Point(1, 2), Point(30, 40)), "Drag the point (1, 2) to the point (30, 40)"),
        (Swipe(Point(1, 2), Point(30, 40)), "Swipe from the point (1, 2) to the point (30, 40)"),
        (Scroll(Words("Items", "list"), down=300), 'Scroll down 300 px over "Items" list'),
        (Scroll(Mark(2), down=-5, right=9), "Scroll up 5 px and right 9 px over element 2"),
        (LongPress(Words("Photo"), 0.8), 'Press and hold "Photo" for 0.8 s'),
        (TypeText("Ada", Words("Name")), 'Type "Ada" into "Name"'),
        (TypeText("Ada"), 'Type "Ada"'),
        (TypeText("", Words("Name"), replace=True), 'Clear "Name"'),
        (TypeText("${secret:PIN}", Words("PIN")), 'Type "••• (secret PIN)" into "PIN"'),
        (TypeText("${secret}", Words("PIN")), 'Type "•••" into "PIN"'),
        (Choose(Words("Country"), "Canada"), 'Choose "Canada" in "Country"'),
        (Check(Words("I agree", "checkbox")), 'Tick "I agree" checkbox'),
        (Check(Words("Wi-Fi", "switch"), on=False), 'Turn off "Wi-Fi" switch'),
        (Upload(Words("CV"), ("/home/ada/cv.pdf",)), 'Upload "cv.pdf" to "CV"'),
        (Press(("ctrl", "s")), "Press Ctrl+S"),
        (Press(("Tab",), times=3), "Press Tab 3 times"),
        (Hold(("shift",), 2.0), "Hold Shift for 2 s"),
        (Open("notes.txt"), 'Open "notes.txt"'),
        (Navigate("https://example.org"), "Go to https://example.org"),
        (Navigate("https://example.org", new_tab=True), "Open https://example.org in a new tab"),
        (Back(), "Go back"),
        (Switch("Mail"), 'Switch to "Mail"'),
        (Close(), "Close the current tab or window"),
        (Wait(), "Wait 10 s"),
        (Wait(5, "Saved"), 'Wait until "Saved" is shown, at most 5 s'),
    ],
)
def test_every_action_reads_as_a_sentence(action: Any, sentence: str) -> None:
    assert describe(action) == sentence


def test_a_grounded_place_is_named_by_the_element_found_there() -> None:
    found = {"at": Found(Point(60, 20), NAME)}
    assert describe(TypeText("Ada", Mark(3)), found) == 'Type "Ada" into textbox "Name"'


def test_an_element_without_a_name_keeps_the_words_it_was_asked_for_by() -> None:
    assert describe_place(Words("First name"), Found(Point(60, 50), NAMELESS)) == 'textbox "First name"'
    assert describe_place(Mark(4), Found(Point(60, 50), NAMELESS)) == "the textbox"


def test_expectations_name_marks_by_their_elements() -> None:
    screen = Observation(Size(200, 100), (NAME,))
    assert describe_condition(ValueIs(Mark(3), "Ada"), screen) == 'textbox "Name" holds "Ada"'
    assert describe_condition(Shown(Mark(99)), screen) == "element 99 is shown"
    assert describe_condition(TextShown("Thanks")) == '"Thanks" is shown'


@given(st.text(), st.text())
def test_whatever_a_page_says_the_sentence_is_one_line_without_control_characters(
    typed: str, name: str
) -> None:
    sentence = describe(TypeText(typed, Words(name)))
    assert sentence.splitlines() == [sentence]
    assert "\x1b" not in sentence
    assert "\u202e" not in sentence


def test_nothing_that_is_printed_moves_the_cursor_or_turns_the_line_round() -> None:
    given = "Delete\r\x1b[2KKeep\x1b]0;title\x07 \u202egnp.exe\u2066 \u2028x \x9b2J a\tb\nc"
    shown = printable(given)
    assert shown == "Delete[2KKeep]0;title gnp.exe x 2J a\tb\nc"
