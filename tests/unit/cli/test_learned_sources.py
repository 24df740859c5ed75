"""`guiagent learn` and `teach` say what varies, what stays and what is read from where; `--ask` asks."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Recording

Called = tuple[int, str, str]
PEOPLE = screen(text("Ada"), text("Grace"), text("Alan"))
TASK = "Complain that it was 'late'"


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def complaint(undisturbed: None) -> None:
    """A recording of a complaint: the number of the order stood on the page before, the city nowhere."""
    own = Path.home() / ".config" / "guiagent" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[memory]\nembedder = "lexical"\n')
    order = screen(text("Order number: A-4711"), button("Complain"))
    form = screen(field("Number"), field("Reason"), field("City"), button("Submit"))
    rules = [when("click", "Complain", go="form"), when("click", "Submit", go="end")]
    hand = Recording(FakeComputer({"order": order, "form": form, "end": screen(text("Thanks"))}, rules))
    hand.click("Complain")
    for name, value in (("Number", "A-4711"), ("Reason", "late"), ("City", "Bergen")):
        hand.type(name, value)
    hand.click("Submit")
    save_demonstration("complaint.json", hand.demonstration(TASK))


def test_what_varies_and_what_stays_is_said_in_plain_lines(guiagent: Callable[..., Called]) -> None:
    code, out, _ = guiagent("learn", "complaint.json", "--name", "complain")
    assert code == 0
    said = [line.strip() for line in out.splitlines()]
    for line in (
        "{reason} varies with the task: text, such as late",
        '{number} stays "A-4711", unless it is given',
        '{city} stays "Bergen", unless it is given',
    ):
        assert line in said
    assert '{number} stays "A-4711", unless it is given' in guiagent("memory", "show", "complain")[1]
    asked = guiagent("run", "Complain that it was 'wet'", "--explain")[1]
    assert '{number} stays "A-4711", unless it is given' in asked


READ = '{number} is read each time: the text of the text starting with "Order number" (after the colon)'


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("\n", '{number} stays "A-4711", unless it is given'),
        ("2\norder\n", '{order} stays "A-4711", unless it is given'),
        ("3\n", READ),
    ],
)
def test_what_may_be_read_is_asked_about_and_only_that(
    guiagent: Callable[..., Called], monkeypatch: pytest.MonkeyPatch, typed: str, line: str
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    code, out, err = guiagent("learn", "complaint.json", "--ask")
    assert code == 0, err
    assert line in [one.strip() for one in out.splitlines()]
    assert "A-4711" in err and "Bergen" not in err


def test_asking_without_a_terminal_says_so(guiagent: Callable[..., Called]) -> None:
    code, _, err = guiagent("learn", "complaint.json", "--ask")
    assert (code, "terminal" in err) == (2, True)


def test_what_was_kept_by_a_guess_of_an_earlier_version_says_why_it_cannot_be_run(
    guiagent: Callable[..., Called],
) -> None:
    hand = Recording(
        FakeComputer({"home": screen(button("Load")), "list": PEOPLE}, [when("click", go="list")])
    )
    hand.click("Load")
    memory = Memory(embedder="lexical")
    memory.keep(replace(hand.demonstration("Say who is on duty"), answer="Grace"), "on-duty")
    memory.close()
    for command in (
        ("memory", "show", "on-duty"),
        ("export", "on-duty", "--as", "pytest"),
        ("check", "on-duty", "--yes"),
    ):
        code, _, err = guiagent(*command)
        assert (code, len(err.splitlines())) == (2, 1), err
        assert "on-duty cannot be run: on the last screen, only the answer's own text" in err
    assert "on-duty" in guiagent("memory", "list")[1]
