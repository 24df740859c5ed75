"""The loop: batches, limits, refusals, endings, and what observers are told."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Check, Click, Press, TypeText, Wait
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import ActionFailed, BadReply, ComputerLost
from gui_agent.core.protocols import Guard, Situation
from gui_agent.core.targets import Mark, Words
from gui_agent.core.trajectory import Decision, Planned, Task, Trajectory
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    Witness,
    ask,
    button,
    checkbox,
    do,
    done,
    expecting,
    field,
    give_up,
    screen,
    text,
    when,
)
from gui_agent.testing.scripted import Line

QUICK = Limits(patience=0.05)


def contact() -> FakeComputer:
    return FakeComputer(
        {
            "form": screen(
                field("Name"), checkbox("I agree"), button("Send"), button("Idle"), title="Contact"
            ),
            "thanks": screen(text("Thank you"), title="Thanks"),
        },
        [when("click", "Send", go="thanks")],
    )


def run(
    *lines: Line,
    computer: FakeComputer | None = None,
    task: Task | str = "contact",
    guard: Guard | None = None,
    limits: Limits = QUICK,
    **options: object,
) -> tuple[Trajectory, FakeComputer, ScriptedPlanner]:
    computer = computer or contact()
    planner = ScriptedPlanner(lines)
    agent = Agent(
        computer,
        planner,
        grounder=ExactGrounder(),
        guard=guard or OpenGuard(),
        limits=limits,
        **options,  # type: ignore[arg-type]
    )
    return agent.run(task), computer, planner


def test_a_batch_is_carried_out_and_every_outcome_is_checked() -> None:
    trajectory, computer, _ = run(
        do(TypeText("Ada", Words("Name")), Check(Words("I agree")), Click(Words("Send"))), done("sent")
    )
    assert [step.outcome.kind for step in trajectory.steps] == ["confirmed", "confirmed", "changed"]
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.answer) == ("done", "sent")
    assert computer.value("Name") == "Ada"


def test_a_batch_is_dropped_when_a_later_target_is_no_longer_there() -> None:
    trajectory, computer, planner = run(
        do(Click(Mark(3)), TypeText("too late", Mark(1)), Press(("enter",))), give_up("lost")
    )
    assert [step.error for step in trajectory.steps] == ["", "Stale"]
    assert len(computer.performed) == 1
    assert "dropped" in planner.situations[1].advice[0]


def test_words_may_name_what_an_earlier_action_of_the_batch_brought_up() -> None:
    trajectory, *_ = run(do(Click(Words("Send")), Click(Words("Thank you"))), done())
    assert [step.error for step in trajectory.steps] == ["", ""]


def test_an_action_that_changes_nothing_is_not_sent_a_third_time() -> None:
    click = Click(Words("Idle"))
    focus = do(click)
    trajectory, computer, _ = run(focus, focus, focus, focus, give_up())
    assert trajectory.steps[-1].error == "ActionFailed"
    assert "not sent" in trajectory.steps[-1].outcome.summary
    assert len(computer.performed) == 3  # the first one moved the focus


def test_an_unexpected_outcome_ends_the_batch_and_is_told() -> None:
    trajectory, _, planner = run(
        do(expecting(Click(Words("Send")), TextShown("Receipt")), Press(("enter",))), give_up()
    )
    assert trajectory.steps[0].outcome.kind == "unexpected"
    assert len(trajectory.steps) == 1
    assert "Receipt" in planner.situations[1].advice[0]


def test_a_late_change_is_waited_for() -> None:
    computer = FakeComputer({"a": screen(button("Load")), "b": screen(text("Loaded"))}, after_looks={4: "b"})
    trajectory, *_ = run(
        do(expecting(Click(Words("Load")), TextShown("Loaded"))),
        done(),
        computer=computer,
        limits=Limits(patience=5),
    )
    assert trajectory.steps[0].outcome.kind == "confirmed"


def test_waiting_for_a_text_ends_when_it_shows_and_fails_when_it_does_not() -> None:
    computer = FakeComputer({"a": screen(button("Load")), "b": screen(text("Loaded"))}, after_looks={3: "b"})
    trajectory, *_ = run(do(Wait(5, "Loaded")), do(Wait(0.05, "Never")), give_up(), computer=computer)
    assert [step.outcome.kind for step in trajectory.steps] == ["confirmed", "failed"]
    assert "did not appear" in trajectory.steps[1].outcome.summary


def test_a_missing_target_is_told_and_an_optional_one_is_skipped() -> None:
    trajectory, computer, _ = run(
        do(Planned(Click(Words("Cookies")), optional=True), Click(Words("Send"))),
        do(Click(Words("Gone"))),
        give_up(),
    )
    assert [step.error for step in trajectory.steps] == ["NotFound", "", "NotFound"]
    assert len(computer.performed) == 1


def test_the_limit_of_steps_ends_the_run() -> None:
    trajectory, *_ = run(*[do(TypeText(str(n), Words("Name"))) for n in range(9)], limits=Limits(steps=3))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"
    assert "3 steps" in trajectory.ending.reason
    assert len(trajectory.steps) == 3


def test_the_limit_of_time_ends_the_run() -> None:
    trajectory, *_ = run(do(Wait(0.2)), do(Wait(0.2)), done(), limits=Limits(seconds=0.1))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"


@pytest.mark.parametrize("wait", [Wait(30), Wait(30, "Never")])
def test_a_long_wait_ends_with_the_time_of_the_run(wait: Wait) -> None:
    begun = time.monotonic()
    trajectory, *_ = run(replace(do(wait), end=done().end), limits=Limits(seconds=0.1))
    assert time.monotonic() - begun < 20
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, "--max-seconds" in trajectory.ending.reason) == ("limit", True)
    assert "the time of the run was over" in trajectory.steps[0].outcome.summary


def test_idle_decisions_end_the_run() -> None:
    trajectory, *_ = run(*[Decision()] * 9)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit"


def test_a_refusal_by_the_guard_ends_as_refused_when_the_planner_gives_up() -> None:
    trajectory, computer, _ = run(do(Click(Words("Send"))), give_up("may not"), guard=OpenGuard(["Send"]))
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("refused", 5)
    assert computer.performed == []


def test_done_is_refused_while_a_criterion_is_not_seen() -> None:
    task = Task("contact", criteria=(TextShown("Thank you"),))
    trajectory, _, planner = run(done(), do(Click(Words("Send"))), done(), task=task)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert "Thank you" in planner.situations[1].advice[0]


def test_done_is_refused_twice_and_then_ends_as_not_done() -> None:
    task = Task("contact", criteria=(TextShown("Thank you"),))
    trajectory, _, planner = run(done(), done(), done(), done(), task=task)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "not_done"
    assert len(planner.situations) == 3


def test_a_question_goes_to_the_person_and_the_answer_to_the_planner() -> None:
    trajectory, _, planner = run(ask("Which one?"), done(), ask=lambda question: f"{question} the red one")
    assert "the red one" in planner.situations[1].advice[0]
    assert trajectory.notes == {"Which one?": "Which one? the red one"}
    alone, *_ = run(ask("Which one?"))
    assert alone.ending is not None
    assert alone.ending.kind == "not_done"


def test_a_bad_reply_is_told_and_not_fatal() -> None:
    trajectory, _, planner = run(BadReply("no such action"), done())
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert "no such action" in planner.situations[1].advice[0]


def test_a_lost_computer_ends_the_run_with_a_finished_trace() -> None:
    computer = contact()
    broken = FakeComputer(
        {"form": computer.world.screen},
        errors={("perform", 2): ComputerLost("the browser is gone; start again")},
    )
    witness = Witness()
    trajectory, *_ = run(
        do(TypeText("Ada", Words("Name")), Click(Words("Send"))), computer=broken, observers=[witness]
    )
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("lost", 3)
    assert witness.events == ["started", "decided", "stepped", "ended"]


def test_a_place_that_cannot_be_opened_ends_as_unavailable() -> None:
    trajectory, *_ = run(done(), task=Task("x", start="http://nowhere.test"))
    assert trajectory.ending is not None
    assert trajectory.ending.exit_code == 3


def test_ctrl_c_leaves_a_finished_trace() -> None:
    broken = FakeComputer({"form": contact().world.screen}, errors={("perform", 1): KeyboardInterrupt()})
    witness = Witness()
    trajectory, *_ = run(do(Click(Words("Send"))), computer=broken, observers=[witness])
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.exit_code) == ("stopped", 130)
    assert witness.events[-1] == "ended"


def test_an_error_in_the_program_is_raised_after_the_trace_is_finished() -> None:
    witness = Witness()
    with pytest.raises(ZeroDivisionError):
        run(ZeroDivisionError(), observers=[witness])
    assert witness.runs[0].ending is not None
    assert witness.runs[0].ending.kind == "crashed"


def test_a_secret_that_is_not_known_is_a_failed_step_that_names_the_known_ones() -> None:
    trajectory, computer, _ = run(
        do(TypeText("${secret:pin}", Words("Name"))), give_up(), secrets={"PIN": "4711", "TOKEN": "x-ray"}
    )
    assert trajectory.steps[0].error == "ActionFailed"
    assert "PIN, TOKEN" in trajectory.steps[0].outcome.summary
    assert computer.value("Name") == ""


def test_a_secret_reaches_the_device_and_nothing_else() -> None:
    trajectory, computer, _ = run(
        do(TypeText("${secret:pin}", Words("Name"))), done(), secrets={"pin": "4711"}
    )
    assert computer.value("Name") == "4711"
    step = trajectory.steps[0]
    assert isinstance(step.action, TypeText)
    assert step.action.text == "${secret:pin}"


def test_a_device_that_fails_half_way_is_looked_at_again() -> None:
    broken = FakeComputer(
        {"form": contact().world.screen}, errors={("perform", 1): ActionFailed("only half was typed")}
    )
    trajectory, computer, _ = run(do(TypeText("Ada", Words("Name"))), give_up(), computer=broken)
    assert trajectory.steps[0].error == "ActionFailed"
    assert computer.calls["observe"] == 2


def test_stop_from_another_thread_ends_a_paused_run() -> None:
    computer = contact()
    agent: list[Agent] = []

    def pause(situation: Situation) -> Decision:
        agent[0].pause()
        threading.Timer(0.05, agent[0].stop).start()
        return do(Click(Words("Idle")), Click(Words("Send")))

    agent.append(Agent(computer, ScriptedPlanner([pause]), grounder=ExactGrounder(), guard=OpenGuard()))
    trajectory = agent[0].run("x")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "stopped"
    assert len(computer.performed) == 1


def test_memory_is_told_of_every_ended_run() -> None:
    class Notebook:
        def __init__(self) -> None:
            self.kept: list[Trajectory] = []

        def recall(self, *_: object) -> tuple[()]:
            return ()

        def remember(self, trajectory: Trajectory) -> None:
            self.kept.append(trajectory)

    notebook = Notebook()
    failed, *_ = run(give_up(), memory=notebook)
    trajectory, *_ = run(done(), memory=notebook)
    assert notebook.kept == [failed, trajectory]
    assert failed.ending is not None


def test_steps_keep_their_times_by_part() -> None:
    trajectory, *_ = run(do(Click(Words("Send"))), done())
    assert set(trajectory.steps[0].seconds) >= {"ground", "guard", "act", "settle", "observe", "check"}


def test_nothing_is_pictured_when_pictures_are_off() -> None:
    trajectory, *_ = run(do(Click(Words("Send"))), done(), picture=False)
    assert trajectory.steps[0].after.screenshot is None
    assert replace(trajectory.steps[0].before, screenshot=None) == trajectory.steps[0].before
