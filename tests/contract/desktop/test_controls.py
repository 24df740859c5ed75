"""Boxes are ticked, options picked and files handed over in real programs, or a word tells why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from private import element, needs, shown, until

from gui_agent.computers.desktop import fields
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.actions import Check, Choose, Click, Drag, Press, Scroll, TypeText, Upload
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point

FORM = """<title>Form</title><body>
<label><input type=checkbox id=agree> I agree</label>
<select id=colour aria-label=Colour><option>Red<option>Green<option>Blue</select>
<label>File <input type=file id=file></label>
<p id=seen style="height:3000px">-</p>
<script>agree.onchange = () => document.title = "agree " + agree.checked;
colour.onchange = () => document.title = "now " + colour.value;
file.onchange = () => document.title = "got " + file.files[0].name;
onscroll = () => document.title = "scrolled " + Math.round(scrollY)</script>"""


@pytest.fixture
def dialog(editor: VirtualComputer) -> VirtualComputer:
    """Find and replace, with boxes and drop-down lists."""
    shown(editor, "textbox")
    editor.perform(Press(("ctrl", "r")))
    shown(editor, "checkbox", "Match case")
    editor.settle()
    return editor


def test_a_box_is_left_on_and_off(dialog: VirtualComputer) -> None:
    for on in (True, True, False):
        box = shown(dialog, "checkbox", "Match case")
        dialog.perform(Check(box.box.center, on), box)
        assert ("checked" in element(dialog.observe(picture=False), "checkbox", "Match case").states) is on


def test_an_option_of_a_drop_down_is_picked(dialog: VirtualComputer) -> None:
    box = shown(dialog, "combobox", "Search direction:")
    assert box.value == "Down"
    dialog.perform(Choose(box.box.center, "Up"), box)
    until(lambda: shown(dialog, "combobox", "Search direction:").value == "Up", "the chosen option")


def test_an_option_that_is_not_there_is_told_and_the_list_closed(dialog: VirtualComputer) -> None:
    box = shown(dialog, "combobox", "Search direction:")
    with pytest.raises(ActionFailed, match=r'no option "Sideways"; there are: .*"Up"'):
        dialog.perform(Choose(box.box.center, "Sideways"), box)
    until(lambda: not any(window.popup for window in dialog.device.windows()), "the end of the list")


@pytest.mark.nightly
def test_a_disabled_list_is_left_alone(dialog: VirtualComputer) -> None:
    lists = [one for one in dialog.observe(picture=False).elements if one.role == "combobox"]
    box = next(one for one in lists if "disabled" in one.states)
    with pytest.raises(ActionFailed, match="is disabled"):
        dialog.perform(Choose(box.box.center, "Selection"), box)


def test_text_in_a_field_is_replaced_or_added_to(dialog: VirtualComputer) -> None:
    field = element(dialog.observe(picture=False), "textbox")
    turns = (("one", False, "one"), (" two", False, "one two"), ("né", True, "né"), ("", True, ""))
    for text, replace, now in turns:
        dialog.perform(TypeText(text, field.box.center, replace), field)

        def value() -> str:
            seen = dialog.observe(picture=False).by_id(field.id)
            return seen.value if seen else "gone"

        until(lambda now=now: value() == now, f"{now!r} in the field")  # type: ignore[misc]


@pytest.fixture
def form(desktop: VirtualComputer, tmp_path: Path) -> VirtualComputer:
    needs("chromium")
    page = tmp_path / "form.html"
    page.write_text(FORM)
    desktop.start(f"chromium --window-size=900,700 {page.as_uri()}")
    shown(desktop, "checkbox", "I agree")
    desktop.settle()
    return desktop


def titled(desktop: VirtualComputer, title: str) -> None:
    until(lambda: title in desktop.observe(picture=False).place.title, f"the title {title}")


@pytest.mark.nightly
def test_a_page_in_chromium_is_worked_on_like_any_program(
    form: VirtualComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree = shown(form, "checkbox", "I agree")
    form.perform(Check(agree.box.center), agree)
    titled(form, "agree true")
    colour = shown(form, "combobox")
    form.perform(Choose(colour.box.center, "Blue"), colour)
    titled(form, "now Blue")
    monkeypatch.setattr(fields, "OPENING", 0.0)  # as where its list shows too late
    form.perform(Choose(colour.box.center, "Red"), colour)
    titled(form, "now Red")
    form.perform(Scroll(Point(450, 500), down=300))
    titled(form, "scrolled")


@pytest.mark.nightly
def test_a_file_is_handed_over_through_the_dialog(form: VirtualComputer, tmp_path: Path) -> None:
    file = tmp_path / "né letter.txt"
    file.write_text("hi")
    buttons = [one for one in form.observe(picture=False).elements if one.role == "button"]
    choose = next(one for one in buttons if one.name.startswith("File:"))
    form.perform(Upload(choose.box.center, (str(file),)), choose)
    titled(form, "got né letter.txt")


def test_text_is_selected_by_dragging(editor: VirtualComputer) -> None:
    field = shown(editor, "textbox")
    editor.perform(TypeText("drag me"))
    left, line = field.box.left, field.box.top + 12
    editor.perform(Drag(Point(left + 300, line), Point(left + 1, line)))
    editor.perform(Press(("ctrl", "x")))
    until(lambda: editor.device.clipboard == "drag me", "the selected text")
    editor.perform(Click(Point(left + 50, line)))
