"""The person whom the agent asks in a task of an application: a program that reads the question as shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gui_agent.core.clarification import STOP
from gui_agent.core.observation import Point
from gui_agent.core.texts import normal
from gui_agent.elements.words import task_words
from guiagent_eval.osworld.person import PersonFile, SimulatedPerson
from guiagent_eval.summary import ANSWERS

_STEP = re.compile(r'(?:"[^"]*"|[^":])*')
"""What comes before the colon of a question; quoted texts may hold one."""


_SEEN_AT = re.compile(r"@(\d+),(\d+)$")
"""Where on the screen somebody who described a control in words saw it, in pixels."""


class AskedPerson(SimulatedPerson):
    """Knows the intended controls of a task by descriptions alone, never by their numbers."""

    def __init__(self, means: Mapping[str, str], most: int) -> None:
        """
        Args:
            means: words of a step, and the description of the control that they mean; it may end with the
                place where it is seen on the screen, `@x,y` in pixels.
            most: questions that are answered; the later ones get no answer.
        """
        super().__init__(PersonFile(), respond=self._respond_to)
        longest_first = sorted(means, key=len, reverse=True)
        self._means = {_plain(words): means[words] for words in longest_first}
        self._most = most

    def details(self) -> dict[str, Any]:
        """What the record of the episode keeps of the questions."""
        texts = [[str(question), answer] for question, answer in self.asked]
        return {ANSWERS: self._most, "answered": self._answers, "questions": texts}

    @property
    def _answers(self) -> int:
        return sum(bool(answer) for _, answer in self.asked)

    def _respond_to(self, question: str) -> str | None:
        description = self._description(question)
        if self._answers >= self._most or not description:
            return None
        choices = getattr(question, "choices", ())
        seen = _SEEN_AT.search(description)
        if seen is not None:
            at = Point(int(seen[1]), int(seen[2]))
            framed = [number for number, one in enumerate(choices, 1) if one.box.contains(at)]
            return str(framed[0]) if len(framed) == 1 else f"{at.x},{at.y}"
        wanted = task_words(description)
        fitting = [number for number, one in enumerate(choices, 1) if wanted <= task_words(one.text)]
        if len(fitting) == 1:
            return str(fitting[0])
        return STOP if any(answer == description for _, answer in self.asked) else description

    def _description(self, question: str) -> str:
        """The description for the longest known words of the step in question; empty if there is none."""
        line = getattr(question, "question", question).rpartition("\n")[2]
        step = f" {_plain(_STEP.findall(line)[0])} "
        return next((self._means[words] for words in self._means if f" {words} " in step), "")


def _plain(text: str) -> str:
    return normal(text.replace('"', " "))
