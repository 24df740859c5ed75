"""Questions at the terminal: only a clear yes is a yes."""

from __future__ import annotations

import gc
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from gui_agent.agent.guard import PolicyGuard, Question, TerminalApprover, at_terminal
from gui_agent.core.actions import Click
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Box
from gui_agent.testing import FakeComputer, button, screen, spot

SCREEN = screen(button("Send"), url="https://mail.example/")
QUESTION = Question('click button "Send"?', ("send",), "mail.example", Box(20, 20, 60, 30))


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", "once"),
        ("Yes\n", "once"),
        (" a \n", "always"),
        ("always\n", "always"),
        ("n\n", "no"),
        ("\n", "no"),
        ("", "no"),
        ("yep\n", "no"),
        ("no y\n", "no"),
    ],
)
def test_answers(typed: str, answer: str) -> None:
    sink = io.StringIO()
    assert TerminalApprover(io.StringIO(typed), sink).answer(QUESTION, SCREEN) == answer
    assert 'click button "Send"?' in sink.getvalue()
    assert "https://mail.example/" in sink.getvalue()
    assert "a = always (send on mail.example)" in sink.getvalue()


def test_always_is_not_offered_where_there_is_no_place_for_it() -> None:
    sink = io.StringIO()
    everywhere = replace(QUESTION, scope="*")
    assert TerminalApprover(io.StringIO("a\n"), sink).answer(everywhere, SCREEN) == "no"
    assert "always" not in sink.getvalue()


def test_the_question_names_a_picture_of_the_target() -> None:
    observation = FakeComputer(SCREEN).observe()
    sink = io.StringIO()
    approver = TerminalApprover(io.StringIO("y\ny\n"), sink)
    approver.answer(QUESTION, observation)
    approver.answer(QUESTION, observation)
    first, second = map(Path, re.findall("picture: (.*)", sink.getvalue()))
    assert second.exists() and second != first
    with Image.open(first) as picture:
        assert picture.size == (140, 110)
        assert (208, 16, 48) in {color for _, color in picture.getcolors(9999) or []}


def test_pictures_of_questions_do_not_outlive_the_run() -> None:
    sink = io.StringIO()
    approver = TerminalApprover(io.StringIO("y\n"), sink)
    approver.answer(QUESTION, FakeComputer(SCREEN).observe())
    picture = Path(sink.getvalue().partition("picture: ")[2].splitlines()[0])
    assert picture.is_file()
    del approver
    gc.collect()
    assert not picture.parent.exists()


def test_it_asks_once_per_question_and_the_guard_obeys() -> None:
    sink = io.StringIO()
    guard = PolicyGuard.default(TerminalApprover(io.StringIO("a\nn\n"), sink))
    place = spot(SCREEN, "Send")
    guard.check(Click(place.point), {"at": place}, SCREEN)
    guard.check(Click(place.point), {"at": place}, SCREEN)
    assert sink.getvalue().count("y = this once") == 1
    deleting = screen(button("Delete"), url="https://mail.example/")
    place = spot(deleting, "Delete")
    with pytest.raises(Forbidden, match="the person said no"):
        guard.check(Click(place.point), {"at": place}, deleting)


def test_nobody_is_there_when_the_input_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert not at_terminal()
    monkeypatch.setattr("sys.stdin", None)
    assert not at_terminal()


def test_a_page_cannot_forge_the_question() -> None:
    sink, trick = io.StringIO(), 'click button "Delete\x1b[2K\u202e\r\nclick button "Help"'
    forged = replace(QUESTION, text=f"{trick}? it says so", scope="mail\x1b[2Kexample")
    shown = replace(SCREEN, place=replace(SCREEN.place, url="", title="Mail\x1b]0;x\x07\nRead"))
    TerminalApprover(io.StringIO("y\n"), sink).answer(forged, shown)
    told = sink.getvalue()
    assert not {"\x1b", "\u202e", "\r", "\x07"} & set(told)
    assert told.splitlines()[0].startswith('click button "Delete') and "Help" in told.splitlines()[0]
