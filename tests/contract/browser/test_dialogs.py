"""Dialogs of the page are seen and answered like other controls, and never hang the agent."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from gui_agent.core.actions import Click, Navigate, Press, TypeText
from gui_agent.core.errors import ActionFailed


def said(desk: Any) -> str:
    text: str = desk.js("document.getElementById('said').textContent")
    return text


def test_an_alert_is_shown_over_the_page_and_closed(desk: Any) -> None:
    desk.open("dialogs.html")
    desk.look(picture=True)
    desk.use("Alert")
    seen = desk.look(picture=True)
    assert [(e.role, e.name) for e in seen.elements] == [
        ("alertdialog", "Saved 3 files"),
        ("text", "Saved 3 files"),
        ("button", "OK"),
    ]
    assert {e.source for e in seen.elements} == {"dialog"}
    with Image.open(io.BytesIO(seen.screenshot.data)) as image:
        ok = desk.find("OK").box
        assert image.size == (seen.size.width, seen.size.height)
        assert image.convert("RGB").getpixel((ok.left + 8, ok.center.y)) == (26, 95, 180)
    desk.use("OK")
    assert said(desk) == "alerted"
    assert desk.seen.place.title == "Dialogs"


@pytest.mark.parametrize(("button", "answer"), [("OK", "yes"), ("Cancel", "no")])
def test_a_confirmation_is_answered_by_its_buttons(desk: Any, button: str, answer: str) -> None:
    desk.open("dialogs.html")
    desk.use("Confirm")
    assert desk.computer.means == "pointer"
    desk.use(button)
    assert desk.computer.means == "script"
    assert said(desk) == answer


@pytest.mark.parametrize(("key", "answer"), [("enter", "yes"), ("escape", "no")])
def test_a_confirmation_is_answered_by_keys(desk: Any, key: str, answer: str) -> None:
    desk.open("dialogs.html")
    desk.use("Confirm")
    desk.act(Press((key,)))
    assert said(desk) == answer


def test_a_prompt_takes_text(desk: Any) -> None:
    desk.open("dialogs.html")
    desk.use("Prompt")
    field = desk.find("Your name?", "textbox")
    assert field.value == "nobody"
    desk.act(TypeText("Ada", field.box.center, replace=True), field)
    assert desk.find("Your name?", "textbox").value == "Ada"
    desk.use("OK")
    assert said(desk) == "Ada"


def test_a_dialog_that_comes_later_is_seen(desk: Any) -> None:
    desk.open("dialogs.html")
    desk.use("Later")
    while not any(e.source == "dialog" for e in desk.look().elements):
        pass
    desk.use("OK")
    assert said(desk) == "late"


def test_two_dialogs_in_a_row(desk: Any) -> None:
    desk.open("dialogs.html")
    desk.use("Twice")
    first = desk.find("OK")
    desk.use("OK")
    assert "Two" in desk.text()
    assert desk.find("OK").id != first.id
    desk.use("OK")
    assert said(desk) == "both"


def test_anything_else_is_refused_while_a_dialog_is_open(desk: Any) -> None:
    desk.open("dialogs.html")
    alert = desk.find("Alert").box.center
    desk.use("Confirm")
    with pytest.raises(ActionFailed, match='a dialog is open: "Delete all rows\\?"; answer it first'):
        desk.act(Click(alert))
    with pytest.raises(ActionFailed, match="a dialog is open"):
        desk.act(Navigate("about:blank"))
    desk.look()
    desk.use("Cancel")


def test_leaving_a_page_that_objects(desk: Any) -> None:
    desk.open("forms.html")
    desk.js("window.addEventListener('beforeunload', (event) => event.preventDefault())")
    desk.type("Name", "x")
    desk.act(Navigate("about:blank"))
    assert "Leave site?" in desk.text()
    desk.use("Cancel")
    assert desk.seen.place.title == "Forms"
    desk.act(Navigate("about:blank"))
    desk.use("Leave")
    assert desk.seen.place.url == "about:blank"
