"""Questions that a run puts to the person when it does not know how to go on, and their answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal

from gui_agent.core.observation import Box, Fingerprint, Place, Screenshot, Strict, Words
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import PERSON, Turn, bookmark

SKIP, DID, STOP = "skip", "did it", "stop"


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may be meant; its number is its place in the list, from 1."""

    text: str
    """What it is and where it stands, in words that tell it apart from the others."""
    box: Box


class Clarification(str):
    """A question to the person; as a string it is the whole text, with the numbered choices.

    An answer is a string: the number of a choice, other words for the target, a plain command to do in
    place of the step, `x,y` for a point of the picture, `skip`, `did it` or `stop`. None means no answer.
    """

    question: str
    """The question alone."""
    choices: tuple[Choice, ...]
    """At most nine, the likeliest first."""
    options: tuple[str, ...]
    """Further answers that are understood, such as `skip`."""
    seconds: float
    """How long an answer may take."""
    _draw: Callable[[Sequence[Box]], Screenshot | None] | None

    def __new__(
        cls,
        question: str,
        choices: Sequence[Choice] = (),
        options: Sequence[str] = (),
        *,
        seconds: float = 1800.0,
        draw: Callable[[Sequence[Box]], Screenshot | None] | None = None,
    ) -> Clarification:
        """
        Args:
            draw: returns the picture of the screen with these boxes numbered from 1.
        """
        lines = [question, *(f"  {number}  {one.text}" for number, one in enumerate(choices, 1))]
        if options:
            lines.append(f"Answer with {', '.join(options[:-1])} or {options[-1]}")
        made = super().__new__(cls, "\n".join(lines))
        made.question, made.choices, made.options = question, tuple(choices), tuple(options)
        made.seconds, made._draw = seconds, draw
        return made

    def choices_as_dicts(self) -> list[dict[str, Any]]:
        """The choices for programs: number, text, and box in pixels of the picture."""
        return [
            {"number": number, "text": one.text, "box": asdict(one.box)}
            for number, one in enumerate(self.choices, 1)
        ]

    def picture(self) -> Screenshot | None:
        """The screen with the choices framed and numbered; None where no picture can be had."""
        return self._draw([one.box for one in self.choices]) if self._draw is not None else None


AskPerson = Callable[[Clarification], str | None]
"""Puts a question to the person and returns the answer; None if there is no answer."""


@dataclass(frozen=True, slots=True)
class Alias(Strict):
    """What somebody calls a control of one application, and how that control is recognised."""

    words: str
    verb: str
    mark: Fingerprint
    application: str
    record: str = ""
    """Key of the row or list item in which it was chosen; empty for none."""
    source: str = "answer"
    day: str = field(default_factory=lambda: date.today().isoformat())


class KnownAliases:
    """The aliases that one run may use: those of its own answers, and those of the memory."""

    def __init__(self, load: Callable[[], Sequence[Alias]] = tuple) -> None:
        """Args: load: reads the memory; called once, when something named is not found."""
        self._load = load
        self.answered: tuple[Alias, ...] = ()
        """Those of this run, the latest last."""

    def take(self, answers: Iterable[Resolution]) -> None:
        """Use the aliases among the answers of this run."""
        self.answered = tuple(one.alias for one in answers if one.alias is not None)

    @cached_property
    def earlier(self) -> Sequence[Alias]:
        """Those of earlier runs."""
        return self._load()


def alias_key(words: Words) -> str:
    """What an alias is kept under: what words say of the thing itself, without the record that it is in."""
    return " ".join(filter(None, (normal(words.text), words.role, str(words.ordinal or ""))))


def application_of(place: Place) -> str:
    """What an alias belongs to: a program, a host, or the file that is shown where there is neither."""
    return place.app or re.split(r"[?#]", place.url)[0]


@dataclass(frozen=True, slots=True)
class Resolution(Strict):
    """What the person's answer to a question means for the run."""

    kind: Literal["alias", "command", "now", "skip", "did"]
    step: str = ""
    """The command that was asked about, in its standard wording; empty where no single one was."""
    alias: Alias | None = None
    command: str = ""
    """Plain commands: `command` does them in place of the step, `now` before the step is tried again."""

    @property
    def is_done_apart(self) -> bool:
        """Whether the commands are no part of a plan made of commands."""
        return self.kind == "now" or not self.step


def resolutions(turns: Iterable[Turn]) -> list[Resolution]:
    """The person's answers that are recorded in the turns of a run."""
    answered = (turn for turn in turns if turn.decision.planner == PERSON)
    return [found for turn in answered if (found := bookmark(Resolution, turn)) is not None]
