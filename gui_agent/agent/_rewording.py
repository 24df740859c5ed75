"""Asks the person what a task means that no planner understands, or to show how it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from gui_agent.agent._clarify import MOST_CHOICES, MOST_UNREADABLE, meaning_of
from gui_agent.core.clarification import (
    DONE,
    ONCE,
    SHOW,
    STOP,
    AskPerson,
    Choice,
    Clarification,
    Offer,
    Resolution,
    Wordings,
)
from gui_agent.core.observation import Box, Observation, Screenshot
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Task
from gui_agent.elements.describe import printable

_LEARNED = " (learned)"
_SHOWING = f"{SHOW}: do it once yourself on this screen; it is recorded and can be learned"
_WORDS = 60
"""Characters of an answer that a complaint repeats."""


class Rewording:
    """The question what a task means, with the wordings that would be understood."""

    def __init__(self, task: Task, reason: str, screen: Observation, wordings: Wordings | None) -> None:
        """Args: reason: why the task is not understood."""
        self._task, self._reason, self._wordings = task, reason, wordings
        found = wordings.offers(task, screen) if wordings is not None else ()
        self._offers: Sequence[Offer] = found[: MOST_CHOICES - 1]
        self._texts = [f"{one.wording}{_LEARNED * one.is_learned}" for one in self._offers] + [_SHOWING]

    @property
    def refusal(self) -> str:
        """The reason with the same offers on one line, for a run without an answer."""
        offered = ", ".join(f"{number} {text}" for number, text in enumerate(self._texts, 1))
        return "; ".join(filter(None, (self._reason, f"instead: {offered}", self._hint)))

    @property
    def _hint(self) -> str:
        return self._wordings.hint if self._wordings is not None else ""

    def resolve(
        self, ask: AskPerson, seconds: float, draw: Callable[[Sequence[Box | None]], Screenshot | None]
    ) -> tuple[Resolution, str, str] | None:
        """Ask the person, up to three times.

        Returns:
            What the answer means, the answer itself, and where to begin with it (empty: here); None if
            there is no answer, or the person stops the run.
        """
        complaint = ""
        for _ in range(1 + MOST_UNREADABLE):
            answer = ask(self._question(complaint, seconds, draw))
            if answer is None or meaning_of(answer) == "stop":
                return None
            read = self._read(answer.strip())
            if not isinstance(read, str):
                return read[0], answer, read[1]
            complaint = read
        return None

    def _question(
        self, complaint: str, seconds: float, draw: Callable[[Sequence[Box | None]], Screenshot | None]
    ) -> Clarification:
        boxes = [*(one.box for one in self._offers), None]
        choices = [Choice(printable(text), box) for text, box in zip(self._texts, boxes, strict=True)]
        asked = printable("\n".join(filter(None, (complaint, f"{self._reason}. What do you mean?"))))
        options = ["a number", "other words for it", SHOW, STOP]
        return Clarification(asked, choices, options, seconds=seconds, hint=self._hint, draw=draw)

    def _read(self, said: str) -> tuple[Resolution, str] | str:
        """What an answer means and where it begins, or why it is none."""
        task = self._task.text
        number = int(said) if said.isdigit() else 0
        if meaning_of(said) == "show" or number == len(self._texts):
            return Resolution("shown", task), ""
        if 0 < number <= len(self._offers):
            taken = self._offers[number - 1]
            return Resolution("wording", task, command=taken.wording), "" if self._task.start else taken.start
        if number or not said:
            return f"There is no number {number}." if number else "That is no answer."
        why = self._wordings.refusal(said) if self._wordings is not None else "it is no plain command"
        if why:
            return f'"{shorten(said, _WORDS)}" is not understood either: {why}'
        return Resolution("wording", task, command=said), ""


def showing_question(goal: str, seconds: float, attend: Callable[[], bool], *, keeps: bool) -> Clarification:
    """The question that is open while the person does something themselves.

    Args:
        keeps: whether it can be learned as the way to do `goal`.
    """
    learned = f' Then "{goal}" is learned, also with other values.' if keeps else ""
    asked = f"The screen is yours: do it there, each step is recorded, no password is.{learned}"
    options = [DONE, *([ONCE] if keeps else ()), STOP]
    return Clarification(printable(asked), (), options, seconds=seconds, attend=attend)


def end_of_showing(answer: str) -> Literal["done", "once", "stop", ""]:
    """What an answer says while the person does something themselves; empty if it is none."""
    said = answer.strip().strip('."').casefold()
    if said in (ONCE, "once"):
        return "once"
    if meaning_of(answer) == "stop":
        return "stop"
    return "done" if said in ("", "yes", "y") or meaning_of(answer) == "did" else ""
