"""Keys are judged as the clicks they stand for."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fakes import FakeDevice
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import classify
from gui_agent.computers.desktop.parts import Hands
from gui_agent.core.actions import Action, Hold, Press, TypeText
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED
from gui_agent.core.observation import Observation
from gui_agent.testing import button, choice, dialog, field, form, link, screen, text, widget, with_states


def did(action: Action, observation: Observation) -> list[str]:
    """What an action without a place means, gravest first."""
    return [reading.meaning for reading in classify(action, {}, observation)]


def focus(observation: Observation, name: str, *states: str) -> Observation:
    """The same screen with the focus on an element, or with other states."""
    return with_states(observation, name, *(states or ("focused",)))


PASSWORD = field("Password", states=["password"])
LOGIN = screen(form(field("User"), PASSWORD, button("Forgot?"), button("Enter", type_="submit")))
CARD = screen(form(field("Card number"), field("Owner"), button("Next", type_="submit")))
NAME = screen(form(field("Name"), button("Send")))
ALONE = screen(field("Name"), text("Hello"))
BARE_LOGIN = screen(form(field("User"), PASSWORD))
NOTES = screen(form(field("Notes", states=["multiline"], tag="textarea"), button("Send", type_="submit")))
CHAT = screen(field("Message", states=["multiline"]), text("Bob: hi"))
MAIL = screen(field("To"), field("Subject"), field("Body", states=["multiline"]))
MAIL_BUTTON = screen(field("To"), field("Body", states=["multiline"]), button("", class_="paper-plane"))
FIND = screen(form(widget("searchbox", "Find", states=["editable"]), button("Send", type_="submit")))
SURE = screen(dialog("Delete the file?", button("OK"), button("Cancel")))
GREETING = screen(dialog("Welcome", button("OK")))
LINKS = screen(link("Read more"), link("Delete account"))
SHELL = screen(widget("terminal", "bash", states=["editable"]), app="konsole")


@pytest.mark.parametrize(
    ("observation", "name", "meaning"),
    [
        (LOGIN, "User", "submit-credentials"),
        (LOGIN, "Password", "submit-credentials"),
        (BARE_LOGIN, "Password", "submit-credentials"),
        (BARE_LOGIN, "User", "submit-credentials"),
        (CARD, "Owner", "pay"),
        (NAME, "Name", "send"),
        (CHAT, "Message", "send"),
        (LINKS, "Delete account", "delete"),
        (NAME, "Send", "send"),
        (SHELL, "bash", "terminal"),
        (ALONE, "Name", "plain"),
        (NOTES, "Notes", "plain"),
        (MAIL, "Body", "plain"),
        (FIND, "Find", "plain"),
        (LINKS, "Read more", "plain"),
    ],
)
def test_enter_means_what_it_would_press(observation: Observation, name: str, meaning: str) -> None:
    now = focus(observation, name)
    assert did(Press(("Enter",)), now) == [meaning]
    assert did(Press(("Return",)), now) == [meaning]
    assert {*did(Hold(("enter",), 0.1), now)} - {"unclear"} in ({meaning}, set())


@pytest.mark.parametrize(
    ("observation", "meaning"), [(SURE, "delete"), (GREETING, "plain"), (ALONE, "plain"), (NAME, "plain")]
)
def test_enter_without_a_focus_presses_what_the_dialog_offers(observation: Observation, meaning: str) -> None:
    assert did(Press(("enter",)), observation)[0] == meaning


def test_a_line_break_at_the_end_of_a_text_is_enter() -> None:
    assert did(TypeText("Ada\n"), focus(NAME, "Name")) == ["send"]
    assert did(TypeText("Ada"), focus(NAME, "Name")) == ["plain"]
    assert did(TypeText("a\nb"), focus(NOTES, "Notes")) == ["plain"]


@pytest.mark.parametrize(
    ("observation", "name", "meaning"),
    [
        (MAIL, "Body", "send"),
        (MAIL_BUTTON, "Body", "send"),
        (NOTES, "Notes", "send"),
        (CARD, "Owner", "pay"),
        (ALONE, "Name", "plain"),
    ],
)
@pytest.mark.parametrize("keys", [("ctrl", "Enter"), ("Meta", "Return"), ("ControlOrMeta", "Enter")])
def test_the_sending_shortcut(
    observation: Observation, name: str, meaning: str, keys: tuple[str, ...]
) -> None:
    assert did(Press(keys), focus(observation, name))[0] == meaning


def test_delete_removes_a_selected_row_and_in_a_field_a_letter() -> None:
    rows = screen(widget("row", "One"), widget("row", "Two"), field("Name"))
    assert did(Press(("Delete",)), focus(rows, "Two", "selected")) == ["delete"]
    assert did(Press(("Delete",)), focus(rows, "Two")) == ["delete"]
    assert did(Press(("shift", "Delete")), focus(rows, "One", "selected")) == ["delete"]
    assert did(Press(("Meta", "Backspace")), focus(rows, "One", "selected")) == ["delete"]
    assert did(Press(("Delete",)), rows) == ["plain"]
    assert did(Press(("Delete",)), focus(focus(rows, "Two", "selected"), "Name")) == ["plain"]


def native(observation: Observation) -> Observation:
    """The same screen as that of a desktop program."""
    return replace(observation, elements=tuple(replace(e, source="atspi") for e in observation.elements))


def test_delete_where_no_selection_is_visible() -> None:
    delete, back = Press(("Delete",)), Press(("BackSpace",))
    picture = native(screen(button("Next"), button("Delete")))
    editor = native(screen(field("", value="milk"), button("Bold")))
    files = native(screen(field("Location"), widget("icon", "notes.txt")))
    sheet = native(screen(widget("gridcell", "B2", states=["focused", "selected"])))
    assert [did(delete, one) for one in (picture, files)] == [["delete"]] * 2
    assert [did(delete, one) for one in (editor, sheet)] == [["plain"]] * 2
    assert {*map(str, (did(back, one) for one in (picture, editor, files, sheet)))} == {"['plain']"}


SPELLINGS = st.sampled_from(
    [
        *NAMED,
        *ALIASES,
        "En_ter",
        "Space Bar",
        "ENTER",
        "DEL",
        " ",
        "a",
        "S",
        "+",
        "é",
        "entre",
        "",
        "\n",
        "hyper",
    ]
)


@st.composite
def chords(draw: st.DrawFn) -> tuple[str, ...]:
    """Keys as people and models spell them: one by one, or joined with plus."""
    keys = draw(st.lists(SPELLINGS, min_size=0, max_size=4))
    return ("+".join(keys),) if draw(st.booleans()) else tuple(keys)


@given(chords())
def test_guard_and_device_agree_on_every_chord(keys: tuple[str, ...]) -> None:
    """What the device would press on a harmful screen is asked about, and both know the same keys."""
    rows = focus(screen(widget("row", "One"), widget("row", "Two")), "Two", "focused", "selected")
    device = FakeDevice()
    try:
        Hands(device).press(keys)
    except ActionFailed as failure:
        for observation in (rows, SHELL, SURE):
            with pytest.raises(ActionFailed, match=re.escape(str(failure))):
                did(Press(keys), observation)
        return
    pressed = [str(told[1]) for told in device.told if told[0] == "press"]
    others = [key for key in pressed if key not in (*MODIFIERS, "altgr")]
    for harmful, observation in (("enter", SURE), ("space", SURE), ("delete", rows), ("enter", SHELL)):
        assert did(Press(keys), observation) == did(Press(tuple(pressed)), observation)
        if harmful in others:
            assert did(Press(keys), observation) != ["plain"]
            assert did(Hold(keys, 1.0), observation) != ["plain"]
        elif not {"enter", "space", "delete", "backspace"} & set(others) and observation is not SHELL:
            assert did(Press(keys), observation) == ["plain"]


@pytest.mark.parametrize(
    "keys",
    [("shift+enter",), ("ctrl+j",), ("Ctrl", "M"), ("alt", "enter"), ("shift+ins",), ("ctrl+shift+V",)],
)
def test_every_key_that_enters_a_line_is_a_command_in_a_terminal(keys: tuple[str, ...]) -> None:
    assert did(Press(keys), focus(SHELL, "bash")) == ["terminal"]
    assert did(Press(keys), screen(text("$"), app="xterm")) == ["terminal"]


@pytest.mark.parametrize("keys", [("space",), ("a",), ("ctrl+c",), ("up",), ("tab",), ("ctrl", "s")])
def test_other_keys_in_a_terminal_are_plain(keys: tuple[str, ...]) -> None:
    assert did(Press(keys), focus(SHELL, "bash")) == ["plain"]


def test_space_presses_the_button_that_has_the_focus() -> None:
    assert did(Press(("Space",)), focus(NAME, "Send")) == ["send"]
    assert did(Press((" ",)), focus(NAME, "Name")) == ["plain"]


@pytest.mark.parametrize(
    "keys", [("ctrl", "s"), ("tab",), ("escape",), ("ctrl", "c"), ("a",), ("Backspace",)]
)
def test_other_keys_are_plain(keys: tuple[str, ...]) -> None:
    assert did(Press(keys), focus(NAME, "Name")) == ["plain"]


def test_a_drop_down_is_in_the_form_too() -> None:
    observation = screen(form(choice("Speed", "Fast", "Slow"), button("Order now", type_="submit")))
    assert did(Press(("enter",)), focus(observation, "Speed")) == ["pay"]
