"""The model as a verifier: asked only when code cannot tell."""

from __future__ import annotations

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.conditions import TextShown
from gui_agent.core.dialogue import Call, Reply, Traits
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Element, Point
from gui_agent.core.protocols import Verdict
from gui_agent.core.trajectory import Ask, Finish, Task, Trajectory
from gui_agent.memory.entry import reason_not_to_keep
from gui_agent.planners.llm import ModelPlanner, ModelVerifier
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedModel,
    button,
    field,
    link,
    saying,
    screen,
    text,
    when,
)
from gui_agent.testing.scripted import ModelLine

BEFORE = FakeComputer(screen(button("Bold"))).observe()
ACTS = Traits(computer=True, tools=False, ends=True)


def finishing(
    *lines: ModelLine,
    verdicts: tuple[ModelLine, ...] = (),
    task: Task | None = None,
    first: Element = button("Send"),  # noqa: B008 - a value
) -> tuple[Trajectory, ScriptedModel, ScriptedModel]:
    planning, verifying = ScriptedModel(lines), ScriptedModel(verdicts or [Reply("DONE")])
    computer = FakeComputer(
        {"form": screen(first), "thanks": screen(text("Thank you"))},
        [when("click", first.name, go="thanks")],
    )
    agent = Agent(
        computer,
        ModelPlanner(planning),
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        verifier=ModelVerifier(verifying) if verdicts else None,
        limits=Limits(patience=0.05),
    )
    return agent.run(task or Task("send it")).trajectory, planning, verifying


SEND = {"kind": "click", "at": {"text": "Send"}}
THANKS = {"kind": "text_shown", "text": "Thank you"}
FINISH = saying(end={"kind": "finish"})


def test_criteria_of_the_first_decision_are_checked_by_code() -> None:
    lines = saying(criteria=[THANKS], actions=[{"kind": "click", "at": {"text": "Guests"}}]), FINISH
    run, _, verifier = finishing(*lines, verdicts=(Reply("DONE"),), first=link("Guests"))
    assert run.ending and run.ending.kind == "done" and run.ending.verified
    assert not verifier.requests and run.model_calls == 2


@pytest.mark.parametrize("task", ["send it", "Antworte ihr", "deploy"])
def test_what_was_pressed_or_filled_in_is_looked_at_whatever_the_task_is_called(task: str) -> None:
    lines = saying(criteria=[THANKS], actions=[SEND]), FINISH
    run, _, verifier = finishing(*lines, verdicts=(Reply("DONE"),), task=Task(task))
    assert run.ending and run.ending.kind == "done" and run.ending.verified
    assert len(verifier.requests) == 1


@pytest.mark.parametrize("verdicts", [(), (Reply("hm"), Reply("hm"))], ids=["no check", "no verdict"])
def test_what_was_not_judged_is_done_but_not_verified_and_never_learned(
    verdicts: tuple[ModelLine, ...],
) -> None:
    run, *_ = finishing(saying(criteria=[THANKS], actions=[SEND]), FINISH, verdicts=verdicts)
    assert run.ending and run.ending.kind == "done" and not run.ending.verified
    assert "check" in run.ending.reason and "not verified" in reason_not_to_keep(run)


def test_a_check_that_misses_something_each_time_ends_the_run_as_not_done() -> None:
    run, *_ = finishing(saying(actions=[SEND]), FINISH, verdicts=(Reply("MISSING: the copy to Ada"),))
    assert run.ending and run.ending.kind == "not_done" and "the copy to Ada" in run.ending.reason


def test_most_of_the_budget_spent_is_no_verdict() -> None:
    model = ScriptedModel([Reply("DONE")])
    verdict = ModelVerifier(model, spent=lambda: 0.8).verify(Trajectory(Task("send it")), "", BEFORE)
    assert not verdict.judged and "budget" in verdict.missing and not model.requests


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        (Call("1", end=Finish()), ""),
        (Call("1", end=Finish("MISSING: the date")), "the date"),
        (Call("1", end=Ask("Which date?")), "Which date?"),
        (Call("1", proposals=(Click(Point(3, 4)),)), "would continue with: Click"),
    ],
    ids=["ends", "ends with words", "asks", "goes on"],
)
def test_a_model_that_only_acts_is_asked_in_actions(call: Call, missing: str) -> None:
    model = ScriptedModel([Reply("Action: ...", calls=(call,))], traits=ACTS)
    verdict = ModelVerifier(model).verify(Trajectory(Task("send it")), "", BEFORE)
    assert verdict.judged and missing in verdict.missing and bool(verdict.missing) is bool(missing)
    assert model.requests[0].computer and "end it now" in str(model.requests[0].turns)


def test_actions_that_cannot_be_read_are_no_verdict() -> None:
    model = ScriptedModel([Reply("?", calls=(Call("1", error="no action"),))], traits=ACTS)
    assert not ModelVerifier(model).verify(Trajectory(Task("send it")), "", BEFORE).judged


def test_what_the_run_typed_itself_proves_nothing() -> None:
    typed = {"kind": "type", "text": "Zebra note", "at": {"text": "Page"}}
    criterion = {"kind": "text_shown", "text": "Zebra note"}
    lines = [saying(criteria=[criterion], actions=[typed]), *[FINISH] * 3]
    planning, verifying = ScriptedModel(lines), ScriptedModel([Reply("MISSING: not kept")] * 3)
    agent = Agent(
        FakeComputer(screen(field("Page"), button("Keep"))),
        ModelPlanner(planning),
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        verifier=ModelVerifier(verifying),
    )
    agent.run("Add the line 'Zebra note' to the page")
    assert verifying.requests, "the field holds the words of the criterion because the run typed them"


def test_done_is_refused_while_a_criterion_is_not_seen() -> None:
    run, planner, _ = finishing(
        saying(criteria=[THANKS], end={"kind": "finish"}), saying(actions=[SEND]), FINISH
    )
    assert run.ending and run.ending.kind == "done" and len(run.steps) == 1
    told = planner.requests[1].turns[-1]
    assert "not done yet" in str(told) and "Thank you" in str(told)


def test_a_wrong_criterion_of_the_planners_own_refuses_twice_at_most() -> None:
    run, planner, _ = finishing(
        saying(criteria=[{"kind": "text_shown", "text": "Merci"}], actions=[SEND]), FINISH
    )
    assert run.ending and run.ending.kind == "done"
    assert len(planner.requests) == 4


def test_a_criterion_of_the_task_is_never_waived() -> None:
    task = Task("send it", criteria=(TextShown("Merci"),))
    run, planner, _ = finishing(saying(actions=[SEND]), FINISH, task=task)
    assert run.ending and run.ending.kind == "not_done"
    assert len(planner.requests) == 4


def test_without_criteria_the_verifier_looks_and_is_counted() -> None:
    run, planner, verifier = finishing(
        FINISH, saying(actions=[SEND]), FINISH, verdicts=(Reply("MISSING: nothing was sent"), Reply("DONE"))
    )
    assert run.ending and run.ending.kind == "done" and run.ending.calls == 2
    assert run.model_calls == 5
    assert "nothing was sent" in str(planner.requests[1].turns[-1])
    assert len(verifier.requests[0].turns) == 1


def test_the_verifier_has_the_last_word_on_criteria_the_planner_set_itself() -> None:
    lines = (saying(criteria=[{"kind": "text_shown", "text": "Merci"}], actions=[SEND]), FINISH)
    run, planner, verifier = finishing(*lines, verdicts=(Reply("DONE"),))
    assert run.ending and run.ending.kind == "done"
    assert (len(planner.requests), len(verifier.requests)) == (2, 1)


@pytest.mark.parametrize(
    ("criterion", "answer"), [({"kind": "text_gone", "text": "Merci"}, ""), (THANKS, "Number 12")]
)
def test_criteria_that_prove_nothing_do_not_replace_the_verifier(
    criterion: dict[str, str], answer: str
) -> None:
    """One that held before anything was done, and any when an answer is given."""
    end = saying(end={"kind": "finish", "answer": answer})
    lines = (saying(criteria=[criterion], notes={"number": "11"}, actions=[SEND]), end)
    run, _, verifier = finishing(*lines, end, verdicts=(Reply("MISSING: it is 11"), Reply("DONE")))
    assert len(verifier.requests) == 2 and run.ending and run.ending.calls == 2
    assert "number: 11" in str(verifier.requests[0].turns[0])


def test_a_finish_beside_actions_counts_only_when_it_can_be_checked() -> None:
    unchecked = saying(actions=[SEND], end={"kind": "finish"})
    run, planner, _ = finishing(unchecked, FINISH)
    assert len(planner.requests) == 2 and "too early" in str(planner.requests[1].turns[-1])
    checked = saying(actions=[{"action": SEND, "expect": [THANKS]}], end={"kind": "finish"})
    run, planner, _ = finishing(checked)
    assert len(planner.requests) == 1 and run.ending and run.ending.kind == "done"


def test_a_finish_beside_an_action_that_failed_does_not_count() -> None:
    both = saying(
        criteria=[THANKS], actions=[{"kind": "click", "at": {"text": "Nothing"}}], end={"kind": "finish"}
    )
    run, _, _ = finishing(both, saying(actions=[SEND]), FINISH)
    assert run.ending and run.ending.kind == "done" and len(run.turns) == 3


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("DONE", ""),
        ("**DONE**", ""),
        ("The list shows it. Nothing is MISSING.\nDONE", ""),
        (
            "The calendar shows Friday but ...\nMISSING: the booking was not saved.",
            "the booking was not saved.",
        ),
        ("First I thought\nDONE\nbut then:\n`MISSING`: the name", "the name"),
        ("MISSING:\nthe name is empty", "the name is empty"),
        ("MISSING", "the check gave no reason"),
    ],
)
def test_the_last_line_that_begins_with_a_verdict_counts(answer: str, missing: str) -> None:
    assert verified(Reply(answer)) == (Verdict(missing, 1), 1)


@pytest.mark.parametrize(
    "first",
    [Reply("", stop="length"), Reply("MISSING: the", stop="length"), Reply("I see a list."), BadReply("no")],
    ids=["cut empty", "cut", "no verdict", "unusable"],
)
def test_an_answer_without_a_verdict_is_asked_for_once_more(first: ModelLine) -> None:
    assert verified(first, Reply("MISSING: the name")) == (Verdict("the name", 2), 2)
    unjudged = Verdict("the model's check gave no verdict", calls=2, judged=False)
    assert verified(first, first) == (unjudged, 2)


def verified(*lines: ModelLine) -> tuple[Verdict, int]:
    model = ScriptedModel(lines)
    verdict = ModelVerifier(model).verify(Trajectory(Task("send it")), "", BEFORE)
    assert all(request.max_tokens and request.max_tokens >= 2000 for request in model.requests)
    return verdict, len(model.requests)


def test_a_check_without_a_verdict_leaves_it_at_what_code_saw() -> None:
    unseen = saying(criteria=[{"kind": "text_shown", "text": "Merci"}], end={"kind": "finish"})
    run, *_ = finishing(unseen, FINISH, FINISH, verdicts=(Reply("hm"), Reply("hm"), Reply("hm"), Reply("hm")))
    assert run.ending and run.ending.kind == "done" and run.ending.calls == 6
    assert not run.ending.verified and "Merci" in run.ending.reason
