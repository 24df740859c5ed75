"""Of several runs of a task the best is chosen by its ending, and then by one question that compares them."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.actions import Click
from gui_agent.core.dialogue import Asked, Reply, Traits
from gui_agent.core.observation import Mark, Words
from gui_agent.core.trajectory import (
    Decision,
    Ending,
    EndingKind,
    Outcome,
    OutcomeKind,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.planners.llm.choosing import choose_run
from gui_agent.testing import ScriptedModel, screen, text

BEFORE = screen(text("Nothing is saved"))


def a_run(said: str, ending: EndingKind = "done", outcome: OutcomeKind = "changed") -> Trajectory:
    after = screen(text(said))
    step = Step(1, Planned(Click(Mark(1))), BEFORE, after, Outcome(outcome, said))
    return Trajectory(Task("Save"), (Turn(Decision(), BEFORE, (step,)),), Ending(ending, "-"))


def did(*names: str) -> Trajectory:
    """A run that clicked these buttons and ended as done."""
    steps = tuple(
        Step(number, Planned(Click(Words(name))), BEFORE, BEFORE, Outcome("changed", "-"))
        for number, name in enumerate(names, start=1)
    )
    return Trajectory(Task("Send"), (Turn(Decision(), BEFORE, steps),), Ending("done", "-"))


def test_a_run_that_is_done_comes_before_all_others_without_a_question() -> None:
    model = ScriptedModel([])
    runs = [a_run("A", "limit"), a_run("B"), a_run("C", "not_done")]
    assert choose_run(runs, model)[0] == 1 and not model.requests


def test_one_question_shows_what_each_run_changed_and_names_the_best() -> None:
    model = ScriptedModel([Reply("Difference: B is what was asked for.\n**BEST:** 2.")])
    assert choose_run([a_run("Saved as A"), a_run("Saved as B")], model) == (1, "a model compared the runs")
    (request,) = model.requests
    (asked,) = request.turns
    assert isinstance(asked, Asked)
    told = str(asked.parts[0])
    assert told.index("Run 1") < told.index("Saved as A") < told.index("Run 2") < told.index("Saved as B")
    assert "⟦screen" in told and told.index("Task: Save") < told.index("Run 1")


def test_without_a_comparison_the_run_with_the_fewest_faults_is_taken_and_said_to_be_uncompared() -> None:
    runs = [a_run("A", outcome="failed"), a_run("B")]
    acting = ScriptedModel([], traits=Traits(tools=False, ends=True))
    for model in (None, acting, ScriptedModel([Reply("I like both.")])):
        place, why = choose_run(runs, model)
        assert place == 1 and "no model compared" in why
    assert not acting.requests


def test_without_a_comparison_the_answer_of_most_runs_is_taken() -> None:
    answers = ("7", "5", "5")
    runs = [replace(a_run("A"), ending=Ending("done", "-", answer)) for answer in answers]
    assert choose_run(runs)[0] == 1


def test_runs_without_an_answer_agree_by_what_they_did_and_a_short_one_is_no_better() -> None:
    early, one, other = (did("Send"), did("Name", "Send"), did("Name", "Send"))
    assert choose_run([early, one, other])[0] == 1
    assert choose_run([one, early])[0] == 0
