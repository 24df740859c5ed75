"""The person of an episode says what is due, answers what they know, and notices that they were not asked."""

from __future__ import annotations

import pytest
from guiagent_eval.osworld.person import PersonFile, SimulatedPerson
from pydantic import ValidationError

from gui_agent.agent.limits import RunControl
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Press
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import PERSON
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    screen,
)

LATE = PersonFile.model_validate(
    {"messages": [{"after": 2, "text": "also B", "commands": 'click "B"'}], "to_be_asked": "delete"}
)


def played(person: SimulatedPerson, *lines: object) -> list[str]:
    computer = FakeComputer({"page": screen(button("A"), button("B"))}, [])
    agent = Agent(
        computer,
        ScriptedPlanner(lines),
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        observers=[person],  # type: ignore[arg-type]
    )
    turns = agent.run("x").trajectory.turns
    return [turn.decision.thought for turn in turns if turn.decision.planner == PERSON]


def test_a_message_is_heard_once_its_steps_are_taken() -> None:
    person = SimulatedPerson(LATE)
    heard = played(person, do(Click(Words("A"))), do(Press(("tab",))), do(Click(Words("A"))), done())
    assert heard == ["also B"]
    assert "was not asked about 'delete'" in person.missing()


def test_a_run_that_ends_too_early_has_not_heard_everything() -> None:
    person = SimulatedPerson(LATE, plain=True)
    assert played(person, do(Click(Words("A"))), done()) == []
    assert "before the person could say 'also B'" in person.missing()
    control = RunControl()
    early = PersonFile.model_validate({"messages": [{"after": 0, "text": "B", "commands": "click B"}]})
    SimulatedPerson(early, plain=True).steer(control)
    assert control.messages.get() == "click B"


def test_questions_are_answered_by_what_the_person_knows() -> None:
    knows = [{"about": "delete", "say": "no"}, {"about": "send", "say": "Yes, do"}]
    person = SimulatedPerson(PersonFile.model_validate({"knows": knows, "to_be_asked": "DELETE"}))
    assert person.missing()
    computer = FakeComputer({"page": screen(button("A"))}, [])
    seen = computer.observe()
    assert not person.approve('click "Delete old.txt"', Click(seen.elements[0].box.center), seen)
    assert person.approve("send the mail", Click(seen.elements[0].box.center), seen)
    assert person.ask("which colour?") is None
    assert not person.missing()
    assert [answer for _, answer in person.asked] == ["no", "Yes, do", ""]


def test_a_question_that_cannot_be_read_is_told() -> None:
    with pytest.raises(ValidationError, match="no regular expression"):
        PersonFile.model_validate({"knows": [{"about": "(", "say": "x"}]})
