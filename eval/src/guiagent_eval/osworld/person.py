"""The simulated person of an episode, who says something during the run, and answers questions.

Their messages and knowledge come with the task, or from another process that simulates them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from gui_agent.agent.guard.asking import Answer, Question
from gui_agent.agent.limits import RunControl
from gui_agent.core.actions import Action
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Step

YES = re.compile(r"\s*(?:yes|y|go ahead|do it|sure)\b", re.IGNORECASE)


class PersonRemark(BaseModel):
    """A message that the person sends unasked."""

    model_config = ConfigDict(extra="forbid")
    after: int
    """The number of steps after which it is said."""
    text: str
    commands: str = ""
    """The same message in plain commands."""


class KnownAnswer(BaseModel):
    """The person's answer to questions of one kind."""

    model_config = ConfigDict(extra="forbid")
    about: str
    """Regular expression for the question; case does not matter."""
    say: str

    @field_validator("about")
    @classmethod
    def _expression(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression: {error}") from error
        return value


class PersonFile(BaseModel):
    """The person, as described in a task's file."""

    model_config = ConfigDict(extra="forbid")
    messages: list[PersonRemark] = []
    knows: list[KnownAnswer] = []
    policy: Literal["eval", "default", "strict"] = "eval"
    """The guard's rules: with `default` it asks before actions that cannot be undone."""
    to_be_asked: str = ""
    """Regular expression of a question without which the task does not count as done."""


class SimulatedPerson:
    """Speaks to a run and answers its questions; an observer, and an approver for the guard."""

    attended = False
    """False: the simulated person cannot take the screen over."""

    def __init__(
        self, file: PersonFile, *, plain: bool = False, respond: Callable[[str], str | None] | None = None
    ) -> None:
        """
        Args:
            plain: send messages in plain commands if there are some.
            respond: answers in place of the file's answers; None if the person has no answer.
        """
        self.file = file
        self._plain, self._respond = plain, respond or self._earlier_answer
        self._due = sorted(file.messages, key=lambda one: one.after)
        self._control: RunControl | None = None
        self._steps = 0
        self.said: list[str] = []
        self.asked: list[tuple[str, str]] = []
        """Questions with their answers; empty if there was none."""

    def steer(self, control: RunControl) -> None:
        """Store the run to speak to."""
        self._control = control
        self._speak()

    def stepped(self, step: Step) -> None:
        """Say the messages that are due after this step."""
        self._steps += 1
        self._speak()

    def ask(self, question: str) -> str | None:
        """Answer a planner's question; None if the person does not know."""
        answer = self._respond(question)
        self.asked.append((question, answer or ""))
        return answer

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """Answer the guard; anything but a clear yes is a no."""
        return bool(YES.match(self.ask(question) or ""))

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Answer the guard, for this once."""
        return "once" if YES.match(self.ask(question.text) or "") else "no"

    def missing(self) -> str:
        """The part of the exchange that did not happen; empty if all did."""
        if self._due:
            return f"it ended before the person could say {self._due[0].text!r}"
        wanted = self.file.to_be_asked
        if wanted and not any(re.search(wanted, one, re.IGNORECASE) for one, _ in self.asked):
            return f"the person was not asked about {wanted!r}"
        return ""

    def _speak(self) -> None:
        while self._control is not None and self._due and self._due[0].after <= self._steps:
            message = self._due.pop(0)
            text = message.commands if self._plain and message.commands else message.text
            self.said.append(text)
            self._control.tell(text)

    def _earlier_answer(self, question: str) -> str | None:
        found = (one for one in self.file.knows if re.search(one.about, question, re.IGNORECASE))
        return next((one.say for one in found), None)
