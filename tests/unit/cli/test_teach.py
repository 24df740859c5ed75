"""`guiagent teach`: what a person has done is not lost."""

from __future__ import annotations

import queue
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gui_agent.agent.loop import Agent
from gui_agent.cli import teach
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint, Words
from gui_agent.core.trajectory import Demonstration, DemoStep, Ending, Task, Trajectory
from gui_agent.procedures.library.store import load_demonstration
from gui_agent.testing import FakeComputer, OpenGuard, ScriptedPlanner, button, do, done, field, screen


def test_a_recording_that_cannot_be_written_where_it_should_is_kept_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "full").touch()
    recorder: Any = SimpleNamespace(slots={}, notes={}, platform="browser", secrets=())
    done = Trajectory(Task("Order 2 lamps"), ending=Ending("done"))
    with pytest.raises(ConfigError, match=r"cannot write .*; the recording was saved as ") as told:
        teach.save(tmp_path / "full/order.json", done, recorder, "browser")
    kept = str(told.value).rpartition(" ")[2]
    assert load_demonstration(kept).task == "Order 2 lamps"


SHOWN = Demonstration(
    "Order a lamp for Ada by Monday",
    (
        DemoStep(TypeText("Ada", Fingerprint("textbox", "Name"))),
        DemoStep(TypeText("urgent", Fingerprint("textbox", "Note"))),
        DemoStep(Click(Fingerprint("", ""))),
    ),
)


def answering(monkeypatch: pytest.MonkeyPatch, *lines: str, why: bool = False) -> teach.Asking:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    typed: queue.SimpleQueue[str] = queue.SimpleQueue()
    for line in (*lines, ""):
        typed.put(line)
    return teach.Asking(typed, why=why)


def test_the_names_of_values_are_asked_for_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    completed = answering(monkeypatch, "Who is it\n").name_values(SHOWN)
    assert completed.slots == {"who_is_it": "Ada"}
    assert [step.why for step in completed.steps] == ["", "", ""]


def test_a_person_may_say_why_each_step_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    completed = answering(monkeypatch, "\n", "it is her order\n", "\n", why=True).name_values(SHOWN)
    assert completed.slots == {}
    assert [step.why for step in completed.steps] == ["it is her order", "", ""]


def test_the_end_of_the_input_answers_no(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = answering(monkeypatch)
    assert not asking.is_agreed("Replay it now?")
    assert not asking.is_agreed("Really?")
    assert answering(monkeypatch, "y\n").is_agreed("Replay it now?")


def test_where_each_value_comes_from_is_said_after_the_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    computer = FakeComputer({"form": screen(field("Name"), field("Note"), button("Send"))})
    typed = do(*(TypeText(value, Words(name)) for name, value in (("Name", "Ada"), ("Note", "urgent"))))
    by_hand = ScriptedPlanner([typed, do(Click(Words("Send"))), done()])
    ran = Agent(computer, by_hand, guard=OpenGuard(), picture=False).run("Order a lamp for Ada")
    recorder: Any = SimpleNamespace(slots={}, notes={}, platform="browser", secrets=())
    teach.save(tmp_path / "order.json", ran.trajectory, recorder, "browser")
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "{name} varies with the task: text, such as Ada" in said
    assert '{note} stays "urgent", unless it is given' in said


def test_what_a_recording_leaves_open_is_said_plainly() -> None:
    assert teach.doubts(SHOWN) == [
        '"Monday" is in the task, but not in the recording',
        "step 3 has a target without a name: it is located by its position only",
    ]
