"""Typing into every kind of field of a real page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gui_agent.computers.browser.act import keyboard
from gui_agent.computers.browser.cdp.isolated_world import IsolatedWorld
from gui_agent.core.actions import Click, Press, Select, TypeText
from gui_agent.core.errors import ActionFailed, Stale


def test_typed_text_arrives_as_real_key_events(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Name", "Ada Lovelace, 36!")
    assert desk.value("name") == "Ada Lovelace, 36!"
    assert desk.js("keys.join('')") == "Ada Lovelace, 36!"


def test_letters_of_other_scripts_are_typed(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Name", "Łódź 東京 🙂")
    assert desk.value("name") == "Łódź 東京 🙂"


def test_replace_removes_what_stood_there(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("City", "Oslo", True)
    assert desk.value("city") == "Oslo"
    desk.type("City", "", True)
    assert desk.value("city") == ""


def test_without_replace_text_goes_to_the_end(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("City", " East")
    assert desk.value("city") == "Rome East"


def test_typing_into_a_narrow_number_field_does_not_press_its_arrows(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Pieces", "4")
    assert desk.value("pieces") == "4"


def test_text_without_a_place_goes_to_the_focus(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("Name")
    desk.act(TypeText("Grace"))
    assert desk.value("name") == "Grace"
    desk.act(TypeText("Alan", replace=True))
    assert desk.value("name") == "Alan"


def test_lines_in_a_text_area_and_in_rich_text(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Notes", "one\ntwo")
    assert desk.value("notes") == "one\ntwo"
    desk.type("Story", " upon\na time")
    assert desk.js("document.getElementById('story').innerText").split() == ["Once", "upon", "a", "time"]
    desk.type("Story", "The end", True)
    assert desk.js("document.getElementById('story').innerText").strip() == "The end"


SELECTED = """[getSelection().toString(), ...["name", "notes"].map((id) => document.getElementById(id))
  .map((field) => field.value.slice(field.selectionStart, field.selectionEnd))].join("|")"""


def test_words_of_a_field_of_rich_text_and_of_a_heading_are_selected(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Name", "Ada Lovelace")
    desk.type("Notes", "Dear Bob,\nsee you soon")
    desk.type("Story", " upon a time")
    assert desk.computer.means == "pointer"
    desk.use("Name", Select, "Love")
    assert desk.computer.means == "script"
    assert desk.js(SELECTED).split("|")[1] == "Love"
    desk.use("Notes", Select, "Bob,\nsee")
    assert desk.js(SELECTED).split("|")[2] == "Bob,\nsee"
    desk.use("Story", Select, "upon a")
    assert desk.js("getSelection().toString()") == "upon a"
    desk.act(TypeText("below the"))
    assert desk.computer.means == "keyboard"
    assert desk.js("document.getElementById('story').innerText").strip() == "Once below the time"


@pytest.mark.parametrize(("words", "fault"), [("o", "is here 3 times"), ("Rome", "is not here")])
def test_words_that_do_not_stand_there_once_are_not_selected(desk: Any, words: str, fault: str) -> None:
    desk.open("forms.html")
    desk.type("Name", "Oslo to Bonn")
    with pytest.raises(ActionFailed, match=fault):
        desk.use("Name", Select, words)


@pytest.mark.parametrize(
    ("name", "identity", "text", "value"),
    [
        ("Amount", "amount", "42.5", "42.5"),
        ("Password", "password", "pä$$ word", "pä$$ word"),
        ("Day", "day", "2026-03-09", "2026-03-09"),
        ("Day", "day", "12/31/1999", "1999-12-31"),
        ("Day", "day", "March 5, 2027", "2027-03-05"),
        ("Time", "time", "14:05", "14:05"),
        ("Time", "time", "12:30 AM", "00:30"),
        ("Meeting", "meeting", "2026-11-20 09:15", "2026-11-20T09:15"),
        ("Month", "month", "2026-07", "2026-07"),
        ("Volume", "volume", "45", "45"),
    ],
)
def test_a_field_takes_its_kind_of_value(desk: Any, name: str, identity: str, text: str, value: str) -> None:
    desk.open("forms.html")
    desk.type(name, text, True)
    assert desk.value(identity) == value


def test_a_date_can_be_typed_over_another(desk: Any) -> None:
    desk.open("forms.html")
    desk.type("Day", "2026-03-09", True)
    desk.type("Day", "2030-12-01", True)
    assert desk.value("day") == "2030-12-01"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Fixed", "x", "read-only"),
        ("Off", "x", "disabled"),
        ("Day", "someday", "2026-03-01"),
        ("Volume", "99", "goes from 0 to 50"),
        ("Volume", "43", "next to it are 40 and 45"),
        ("Volume", "loud", "takes a number"),
        ("Send", "x", "takes no text"),
        ("Country", "x", "use choose"),
        ("I agree", "x", "use check"),
    ],
)
def test_what_takes_no_such_text_says_so(desk: Any, name: str, text: str, words: str) -> None:
    desk.open("forms.html")
    with pytest.raises(ActionFailed, match=words) as raised:
        desk.type(name, text, True)
    assert "\n" not in str(raised.value)


def test_clipboard_keys_work(desk: Any) -> None:
    desk.open("forms.html")
    desk.use("City")
    for keys in (("ctrl", "a"), ("ctrl", "c"), ("tab",), ("ctrl", "v")):
        desk.computer.perform(Press(keys))
    assert desk.value("notes") == "Rome"


@pytest.mark.nightly
def test_a_long_text_is_typed_quickly_and_whole(desk: Any) -> None:
    desk.open("forms.html")
    text = "The quick brown fox; " * 60
    desk.type("Notes", text)
    assert desk.value("notes") == text


def test_a_press_outside_the_screen_is_refused(desk: Any) -> None:
    seen = desk.open("forms.html")
    place = desk.find("Send").box.center
    with pytest.raises(ActionFailed, match="outside the screen"):
        desk.computer.perform(Click(type(place)(seen.size.width, 5)))


def test_a_field_that_was_just_seen_is_asked_about_only_with_its_click(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open("forms.html")
    at = desk.find("Name").box.center
    asked = heard(monkeypatch)
    desk.computer.perform(TypeText("Ada", at))
    assert asked == ["controlAfterClick"]
    asked.clear()
    desk.computer.perform(TypeText(" Byron", at))  # without a look in between anything may be there
    assert asked == ["controlAt", "controlAfterClick"]
    assert desk.value("name") == "Ada Byron"


def test_a_look_at_another_page_says_nothing_about_the_fields_of_this_one(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open("forms.html")
    at = desk.find("Name").box.center
    asked = heard(monkeypatch)
    desk.computer.start(f"{desk.address}/forms.html")
    desk.computer.perform(TypeText("Ada", at))
    assert asked == ["controlAt", "controlAfterClick"]
    assert desk.value("name") == "Ada"


def test_what_has_taken_the_place_of_a_field_since_the_last_action_is_not_clicked(desk: Any) -> None:
    desk.open("forms.html")
    at = desk.find("Name").box.center
    desk.computer.perform(Press(("escape",)))
    desk.js(
        """() => {
            const box = document.createElement("input");
            box.type = "checkbox";
            box.id = "taken";
            Object.assign(box.style, { position: "fixed", left: 0, top: 0, width: "100vw", height: "100vh" });
            document.body.append(box);
        }"""
    )
    with pytest.raises(ActionFailed, match="takes no text; use check"):
        desk.computer.perform(TypeText("Ada", at))
    assert desk.js("document.getElementById('taken').checked") is False


def test_a_field_that_hands_the_keyboard_on_when_clicked_gets_its_text_there(desk: Any) -> None:
    desk.open("forms.html")
    desk.js(
        """() => document.getElementById("name").addEventListener("focus", () =>
            document.getElementById("city").focus())"""
    )
    desk.type("Name", "Oslo", True)
    assert (desk.value("name"), desk.value("city")) == ("", "Oslo")


def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the questions about controls that pages are asked from now on."""
    asked: list[str] = []
    call = IsolatedWorld.call

    async def listened(self: IsolatedWorld, expression: str) -> Any:
        if "control" in (name := expression.partition("(")[0]):
            asked.append(name)
        return await call(self, expression)

    monkeypatch.setattr(IsolatedWorld, "call", listened)
    return asked


HEARERS = {
    "nobody": ("", False),
    "keys of the field": ("text.addEventListener('keydown', () => {})", True),
    "an attribute": ("text.setAttribute('onkeyup', 'void 0')", True),
    "a property": ("text.oninput = () => {}", True),
    "the form": ("document.forms[0].addEventListener('beforeinput', () => {})", True),
    "the window": ("window.addEventListener('keypress', () => {})", True),
    "a field that listens once it has the keyboard": (
        "text.addEventListener('focus', () => text.addEventListener('keydown', () => {}))",
        True,
    ),
    "the host of a shadow root": ("document.body.addEventListener('click', () => {})", True),
    "somebody else's scrolling": ("window.addEventListener('scroll', () => {})", False),
}


@pytest.mark.parametrize(("script", "heard"), HEARERS.values(), ids=HEARERS)
def test_text_comes_at_once_only_where_the_page_cannot_tell(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, heard: bool
) -> None:
    typed: list[str] = []
    real = keyboard.type_text

    async def counted(line: Any, text: str, still: Any = None) -> None:
        typed.append(text)
        await real(line, text, still)

    monkeypatch.setattr(keyboard, "type_text", counted)
    page = tmp_path / "page.html"
    form = "<form><label>Name <input id=text maxlength=8></label></form>"
    page.write_text(f"<!doctype html>{form}<script>{script}</script>", encoding="utf-8")
    desk.computer.start(page.as_uri())
    desk.computer.settle()
    desk.look()
    assert desk.type("Name", "Ada Lovelace", True).elements
    assert desk.find("Name").value == "Ada Love"
    assert typed == (["Ada Lovelace"] if heard else [])


VEIL = """document.getElementById('name').addEventListener('pointermove', () => {
  const veil = document.createElement('button');
  veil.textContent = 'Delete all';
  veil.style.cssText = 'position: fixed; inset: 0; z-index: 9';
  window.heard = [];
  for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'click', 'focus']) {
    veil.addEventListener(kind, () => heard.push(kind));
  }
  document.body.append(veil);
  if (%d) setTimeout(() => veil.remove(), %d);
}, {once: true})"""


def test_a_thing_that_comes_under_the_pointer_with_the_pointer_gets_no_press(desk: Any) -> None:
    desk.open("forms.html")
    desk.js(VEIL % (0, 0))
    name = desk.find("Name")
    with pytest.raises(Stale, match='covered by button "Delete all"'):
        desk.act(TypeText("Ada", name.box.center), name)
    assert desk.js("heard") == []
    assert desk.value("name") == ""


def test_a_field_that_is_covered_for_a_moment_as_the_pointer_comes_is_typed_into(desk: Any) -> None:
    desk.open("forms.html")
    desk.js(VEIL % (60, 60))
    desk.type("Name", "Ada")
    assert desk.value("name") == "Ada"
    assert desk.js("heard") == []
    desk.type("City", "Oslo", True)
    assert desk.value("city") == "Oslo"


def test_a_press_that_was_held_back_leaves_the_mouse_as_it_was(desk: Any) -> None:
    desk.open("forms.html")
    desk.js(VEIL % (0, 0))
    name = desk.find("Name")
    with pytest.raises(Stale):
        desk.act(TypeText("Ada", name.box.center), name)
    desk.look()
    desk.use("Delete all")
    assert desk.js("heard") == ["pointerdown", "mousedown", "focus", "mouseup", "click"]


def test_a_frame_that_comes_with_the_pointer_gets_no_press(desk: Any) -> None:
    """A page with frames does not test the press: a frame's document would not let it."""
    desk.open("forms.html")
    desk.js("""{
      const frame = document.createElement('iframe');
      frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; z-index: 9; display: none';
      frame.srcdoc = '<button style="position: fixed; inset: 0" onmousedown="parent.bought = 1">Buy</button>';
      document.body.append(frame);
      const show = () => (frame.style.display = 'block');
      document.getElementById('name').addEventListener('pointermove', show);
    }""")
    desk.look()
    name = desk.find("Name")
    with pytest.raises(Stale, match="covered"):
        desk.act(TypeText("Ada", name.box.center), name)
    assert desk.js("window.bought ?? 0") == 0
