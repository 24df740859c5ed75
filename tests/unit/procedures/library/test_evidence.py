"""Wins, losses and repairs: what runs prove about procedures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gui_agent.core.actions import Click, Press
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Demonstration, DemoStep, Result, Task, Trajectory
from gui_agent.planners.cascade import CascadePlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.library.evidence import deciders, keep_run, note_run, take_note, used
from gui_agent.procedures.library.memory import Memory, Procedure
from gui_agent.procedures.library.recognise import recognise
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, screen, text


@pytest.fixture
def taught(memory: Memory, shown: Callable[..., Demonstration]) -> Memory:
    memory.keep(shown("Ada", "hi"), "send-to")
    return memory


def replay(office: Any, procedure: Procedure, sender: str = "Send") -> Trajectory:
    planner = DemonstrationPlanner(procedure.programs)
    return office.run(office.open(sender), planner, "Send 'see you' to Grace")  # type: ignore[no-any-return]


def repaired(office: Any, procedure: Procedure, to: str, words: str) -> Trajectory:
    """A run on a page whose button is called Post; somebody else presses it."""
    from gui_agent.core.observation import Words
    from gui_agent.testing import ScriptedPlanner, do, done

    rest = ScriptedPlanner([do(Click(Words("Post"))), done()])
    planner = CascadePlanner([DemonstrationPlanner(procedure.programs), rest])
    return office.run(office.open("Post"), planner, f"Send '{words}' to {to}")  # type: ignore[no-any-return]


def test_a_verified_replay_is_a_win_and_a_failed_one_a_loss(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    note_run(taught, procedure, replay(office, procedure))
    note_run(taught, procedure, replay(office, procedure, sender="Archive"))
    entry = taught.procedure("send-to").entries[0]
    assert entry.wins == pytest.approx(1.0, abs=0.01)
    assert entry.losses == pytest.approx(1.0, abs=0.01)


def test_of_several_that_fit_only_the_one_that_was_run_is_proved(
    taught: Memory, office: Any, shown: Callable[..., Demonstration]
) -> None:
    one = shown("Ada", "hi")
    effect = (TextShown("Write"),)
    away = DemoStep(Click(Fingerprint("button", "Write")), one.steps[0].screen, expect=effect)
    taught.keep(Demonstration(one.task, (away, *one.steps), origin="other"), "other-way")
    found = recognise(Task("Send 'see you' to Grace"), taught)
    assert {one.procedure.name for one in found.fitting} == {"send-to", "other-way"}
    planner = DemonstrationPlanner(found.programs)
    trajectory = office.run(office.open(), planner, found.task.text)
    assert trajectory.ending.kind == "done"
    proved = used(found, trajectory)
    assert proved is not None
    assert proved.name == "send-to"
    elsewhere = office.run(FakeComputer({"empty": screen(text("Empty"))}), planner, found.task.text)
    assert elsewhere.ending.kind == "not_done"
    assert used(found, elsewhere) is None


def test_what_was_kept_unasked_and_keeps_failing_is_retired_and_told_with_the_way_back(
    memory: Memory, office: Any, send: Callable[..., Trajectory]
) -> None:
    keep_run(memory, send("Ada", "hi"), "run 1")
    procedure = memory.procedure("send-to")
    failed = replay(office, procedure, sender="Archive")
    for _ in range(3):
        note_run(memory, procedure, failed)
    assert memory.procedures() == []
    (entry,) = memory.exemplars.store.entries()
    assert "retired" in entry.quarantined
    back = f"guiagent memory approve {entry.id}"
    assert recognise(Task("Send 'x' to Ken"), memory).reason.endswith(back)
    with pytest.raises(ConfigError, match=f"send-to is in quarantine .*{back}"):
        memory.procedure("send-to")
    memory.exemplars.store.quarantine(entry.id, "")
    assert recognise(Task("Send 'x' to Ken"), memory).choice is not None


def test_what_a_person_taught_is_never_retired(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    failed = replay(office, procedure, sender="Archive")
    for _ in range(20):
        note_run(taught, procedure, failed)
    (entry,) = taught.procedure("send-to").entries
    assert round(entry.losses) == 20


def test_an_outage_says_nothing_about_a_procedure(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    closed = FakeComputer({"closed": screen(text("We are back at 8:00"))})
    planner = DemonstrationPlanner(procedure.programs)
    trajectory = office.run(closed, planner, "Send 'see you' to Grace")
    assert trajectory.ending.kind == "not_done"
    note_run(taught, procedure, trajectory)
    (entry,) = taught.procedure("send-to").entries
    assert (entry.wins, entry.losses) == (0, 0)


def test_a_repair_waits_as_a_proposal_and_two_alike_promote_it(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    first = repaired(office, procedure, "Grace", "see you")
    assert deciders(first) == ("demonstration", "scripted")
    proposal = note_run(taught, procedure, first, "run 1")
    assert proposal is not None
    assert not proposal.promoted
    assert [e.kind for e in taught.exemplars.store.entries() if e.quarantined] == ["proposal"]
    assert len(taught.procedure("send-to").entries) == 1

    second = note_run(taught, procedure, repaired(office, procedure, "Alan", "all is well"), "run 2")
    assert second is not None
    assert second.promoted
    now = taught.procedure("send-to")
    assert not taught.exemplars.store.entries(kind="proposal")
    trajectory = office.run(office.open("Post"), DemonstrationPlanner(now.programs), "Send 'again' to Ken")
    assert trajectory.ending.kind == "done"
    assert deciders(trajectory) == ("demonstration",)


def test_a_repair_that_contradicts_the_old_way_supersedes_it(taught: Memory, office: Any) -> None:
    runs = [repaired(office, taught.procedure("send-to"), "Grace", "see you")]
    runs.append(repaired(office, taught.procedure("send-to"), "Alan", "all is well"))
    odd, _ = taught.keep(Demonstration("Reload everything", (DemoStep(Press(("f5",))),)), "send-to")
    old = taught.procedure("send-to")
    for trajectory in runs:
        repair = note_run(taught, old, trajectory)
    assert repair is not None
    assert set(repair.superseded) == {entry.id for entry in old.entries}
    assert "superseded" in taught.exemplars.store.entry(odd).quarantined
    assert recognise(Task("Send 'x' to Ken"), taught).choice is not None


def test_runs_of_other_planners_are_kept_and_replays_are_not(
    memory: Memory, office: Any, send: Callable[..., Trajectory]
) -> None:
    assert keep_run(memory, send("Ada", "hi"), "run 1")
    assert [(p.name, p.entries[0].kind) for p in memory.procedures()] == [("send-to", "run")]
    assert not keep_run(memory, replay(office, memory.procedure("send-to")))
    assert keep_run(memory, send("Ada", "hi", task='type "Ada" into "To", click "Send"'), plain=True)
    assert memory.exemplars.store.stats().kinds == {"run": 1, "commands": 1}
    assert len(memory.procedures()) == 1


def test_what_reads_as_a_command_and_took_a_model_becomes_a_procedure(
    memory: Memory, send: Callable[..., Trajectory]
) -> None:
    ran = send("Ada", "hi", task="set the text of Ada to hi")
    asked = tuple(replace(turn, decision=replace(turn.decision, calls=1)) for turn in ran.turns)
    assert keep_run(memory, replace(ran, turns=asked), plain=True)
    assert memory.exemplars.store.stats().kinds == {"run": 1} and len(memory.procedures()) == 1


def test_a_run_whose_answer_nothing_on_the_screen_explains_is_done_and_not_learned_and_says_why(
    memory: Memory, send: Callable[..., Trajectory]
) -> None:
    ran = send("Ada", "hi", task="Send 'hi' to Ada and say how she feels")
    assert ran.ending is not None
    told = replace(ran, ending=replace(ran.ending, answer="She must be glad of it"))
    where = {"path": str(memory.path), "embedder": "lexical", "learn": "verified"}
    with pytest.warns(UserWarning, match="not learned: nothing on the last screen explains the answer"):
        take_note(Settings.model_validate({"memory": where}), None, Result(told, 0.0))
    assert memory.procedures() == []


def test_what_was_kept_on_untrusted_ground_is_in_quarantine(
    memory: Memory, send: Callable[..., Trajectory]
) -> None:
    assert keep_run(memory, send("Ada", "hi", app="evil.example"))
    assert memory.procedures() == []


def test_a_proposed_repair_is_tried_where_the_procedure_cannot_go_on_and_then_promoted(
    taught: Memory, office: Any
) -> None:
    procedure = taught.procedure("send-to")
    note_run(taught, procedure, repaired(office, procedure, "Grace", "see you"))
    found = recognise(Task("Send 'all is well' to Alan"), taught)
    assert found.choice is not None
    planner = DemonstrationPlanner(found.programs)
    trajectory = office.run(office.open("Post"), planner, found.task.text)
    assert trajectory.ending.kind == "done"
    assert deciders(trajectory) == ("demonstration",)
    told = "\n".join(found.lines())
    assert 'not confirmed yet):\n  3. Click the button "Post"' in told
    repair = note_run(taught, found.choice.procedure, trajectory, programs=found.programs)
    assert repair is not None and repair.promoted
    learned = DemonstrationPlanner(taught.procedure("send-to").programs)
    again = office.run(office.open("Post"), learned, "Send 'once more' to Ken")
    assert again.ending.kind == "done"
    assert not any(step.planned.why.startswith("not here yet") for step in again.steps)


def test_a_proposed_repair_leaves_the_unchanged_page_alone(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    note_run(taught, procedure, repaired(office, procedure, "Grace", "see you"))
    found = recognise(Task("Send 'all is well' to Alan"), taught)
    trajectory = office.run(office.open(), DemonstrationPlanner(found.programs), found.task.text)
    assert trajectory.ending.kind == "done"
    assert found.choice is not None
    assert note_run(taught, found.choice.procedure, trajectory, programs=found.programs) is None
    assert len(taught.proposals("send-to")) == 1


def test_a_proposed_repair_that_fails_is_not_tried_again(taught: Memory, office: Any) -> None:
    procedure = taught.procedure("send-to")
    note_run(taught, procedure, repaired(office, procedure, "Grace", "see you"))
    found = recognise(Task("Send 'all is well' to Alan"), taught)
    assert found.choice is not None
    silent = office.open("Post")
    silent.world.rules.clear()
    trajectory = office.run(silent, DemonstrationPlanner(found.programs), found.task.text)
    assert trajectory.ending.kind == "not_done"
    note_run(taught, found.choice.procedure, trajectory, programs=found.programs)
    assert taught.proposals("send-to") == []
