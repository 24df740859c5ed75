"""What a person sees in the terminal, and a program on standard output."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Decision, Ending, Result, Task, Trajectory, Turn
from gui_agent.testing import FakeComputer, button, do, screen
from gui_agent.trace.events import result_json
from gui_agent.trace.lines import verdict
from gui_agent.trace.terminal import EndView, LiveView

Contact = Callable[..., Trajectory]


class Latin(io.TextIOWrapper):
    """An output that cannot show every letter."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="cp1252", errors="strict")


def test_a_step_is_one_plain_line_where_nobody_watches(contact: Contact) -> None:
    out = io.StringIO()
    contact(LiveView(Console(file=out, width=40)))
    text = out.getvalue()
    assert "\x1b" not in text
    assert "\r" not in text
    lines = text.splitlines()
    assert lines[0] == "Fill the contact form"
    assert lines[1].startswith('  1 ●  Type "Ada Lovelace" into textbox "Name"  the screen changed')
    assert lines[4].startswith('  4 ✗  Click "Submit" button  there is no "Submit" button on this screen')
    assert "✓ Done  6 steps" in text
    assert "Answer: 4711" in text
    assert "number: 4711" in text


def test_quiet_prints_the_ending_only(contact: Contact, tmp_path: Path) -> None:
    out = io.StringIO()
    view = EndView(Console(file=out, width=80))
    view.ended(contact(LiveView(Console(file=io.StringIO()))))
    view.tell_report(tmp_path / "report.html")
    assert [line.split("  ")[0] for line in out.getvalue().splitlines()[:1]] == ["✓ Done"]
    assert "Type" not in out.getvalue()
    assert "report.html" not in out.getvalue()


def test_the_report_and_what_is_missing_are_told_at_the_end(tmp_path: Path) -> None:
    out = io.StringIO()
    LiveView(Console(file=out)).tell_report(
        tmp_path / "report.html", ["pictures are missing: the disk is full"]
    )
    assert f"Report: {tmp_path / 'report.html'}" in out.getvalue()
    assert "The trace is incomplete: pictures are missing: the disk is full" in out.getvalue()


def test_a_terminal_gets_a_status_line_that_goes_away(contact: Contact) -> None:
    out = io.StringIO()
    contact(LiveView(Console(file=out, force_terminal=True, width=100)))
    assert "deciding" in out.getvalue()
    assert out.getvalue().count("\x1b[?25l") == out.getvalue().count("\x1b[?25h"), "the cursor comes back"


def test_a_page_cannot_send_control_characters_or_markup_to_the_terminal(
    player: Callable[..., Trajectory],
) -> None:
    name = "Go\x1b]0;owned\x07[bold red]"
    out = io.StringIO()
    decisions = [do(Click(Words(name)), thought="[link=x]\x1b[2J", calls=1)]
    player(
        FakeComputer(screen(button(name))),
        decisions,
        [LiveView(Console(file=out, width=200))],
        "task \x1b[31m",
        Ending("not_done", "why \x1b[0m\x00"),
    )
    assert "\x1b" not in out.getvalue()
    assert "\x07" not in out.getvalue()
    assert "[bold red]" in out.getvalue()
    assert "[link=x]" in out.getvalue()


def test_an_old_code_page_gets_signs_it_can_show(contact: Contact) -> None:
    out = Latin()
    contact(LiveView(Console(file=out, width=100)), task="Schreibe 日本")
    out.seek(0)
    assert "ok Done" in out.read()


def test_the_result_as_json_has_stable_keys(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("")
    result = Result(
        Trajectory(
            Task("t"),
            (Turn(Decision(notes={"total": "42 €"}, calls=2), screen()),),
            Ending("done", "", "42 €"),
        ),
        1.23456,
        str(tmp_path),
        5200,
        0.0123,
    )
    assert json.loads(result_json(result)) == {
        "ok": True,
        "verified": True,
        "ending": "done",
        "reason": "",
        "error": "",
        "candidates": [],
        "answer": "42 €",
        "notes": {"total": "42 €"},
        "steps": 0,
        "seconds": 1.235,
        "model_calls": 2,
        "tokens": 5200,
        "cost": 0.0123,
        "exit_code": 0,
        "folder": str(tmp_path),
        "report": str(tmp_path / "report.html"),
    }
    assert "\n" not in result_json(result)
    refused = json.loads(result_json(Result(Trajectory(Task("t"), (), Ending("refused", "no")))))
    assert (refused["ok"], refused["exit_code"], refused["report"]) == (False, 5, "")
    assert refused["verified"] is False
    open_end = Trajectory(Task("t"), (), Ending("done", 'only "Saved" came', verified=False))
    told = json.loads(result_json(Result(open_end)))
    assert (told["ok"], told["verified"], told["exit_code"]) == (True, False, 0)
    assert verdict(open_end.ending).label == "Done, not verified"
