"""Questions that a run puts to the person when it does not know how to go on, and their answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal, Protocol

from gui_agent.core.observation import Box, Fingerprint, Observation, Place, Screenshot, Strict, Words
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import PERSON, Task, Turn, bookmark

SKIP, DID, STOP, SHOW = "skip", "did it", "stop", "show"
DONE, ONCE = "done", "only this once"
"""How the person says that they have done what they show; the second one keeps it from being learned."""
BUTTONS = {
    SKIP: "Skip this step", DID: "I did it", SHOW: "I do it myself",
    DONE: "It is done", ONCE: "It is done, do not learn it",
}  # fmt: skip
"""The answers that a door may offer as a button, and what stands on it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may be meant; its number is its place in the list, from 1."""

    text: str
    """What it is and where it stands, in words that tell it apart from the others."""
    box: Box | None = None
    """Where it is on the picture; None for what is no element."""


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
    _draw: Callable[[Sequence[Box | None]], Screenshot | None] | None
    _attend: Callable[[], bool] | None

    def __new__(
        cls,
        question: str,
        choices: Sequence[Choice] = (),
        options: Sequence[str] = (),
        *,
        seconds: float = 1800.0,
        hint: str = "",
        draw: Callable[[Sequence[Box | None]], Screenshot | None] | None = None,
        attend: Callable[[], bool] | None = None,
    ) -> Clarification:
        """
        Args:
            hint: a line below the choices.
            draw: returns the picture of the screen with these boxes numbered from 1; None has no place.
            attend: what `attend` does.
        """
        lines = [question, *(f"  {number}  {one.text}" for number, one in enumerate(choices, 1))]
        lines += [hint] if hint else []
        if options:
            lines.append(f"Answer with {', '.join(options[:-1])} or {options[-1]}")
        made = super().__new__(cls, "\n".join(lines))
        made.question, made.choices, made.options = question, tuple(choices), tuple(options)
        made.seconds, made._draw, made._attend = seconds, draw, attend
        return made

    def attend(self) -> bool:
        """Do what the person asks of the screen meanwhile; to be called often while the answer is awaited.

        Returns:
            Whether no answer is needed any more.
        """
        return self._attend is not None and self._attend()

    def choices_as_dicts(self) -> list[dict[str, Any]]:
        """The choices for programs: number, text, and box in pixels of the picture (None for no place)."""
        return [
            {"number": number, "text": one.text, "box": None if one.box is None else asdict(one.box)}
            for number, one in enumerate(self.choices, 1)
        ]

    @property
    def buttons(self) -> list[dict[str, str]]:
        """The answers that need no words of the person: what to answer, and what to write on its button."""
        return [{"answer": one, "label": BUTTONS[one]} for one in self.options if one in BUTTONS]

    def picture(self) -> Screenshot | None:
        """The screen with the choices framed and numbered; None without any place or picture."""
        boxes = [one.box for one in self.choices]
        has_places = any(box is not None for box in boxes)
        return self._draw(boxes) if self._draw is not None and has_places else None


AskPerson = Callable[[Clarification], str | None]
"""Puts a question to the person and returns the answer; None if there is no answer."""


class AnswersLater:
    """Asks no person during the run; one may answer when the run is resumed."""

    def __call__(self, question: Clarification) -> str | None:
        return None


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

    kind: Literal["alias", "command", "now", "skip", "did", "shown", "wording"]
    """`shown`: the person did it, and the turn has their steps; `wording`: the task in other words."""
    step: str = ""
    """The command that was asked about, in its standard wording; empty where no single one was; for
    `wording` the task.
    """
    alias: Alias | None = None
    command: str = ""
    """Plain commands: `command` does them in place of the step, `now` before the step is tried again; or the
    other wording.
    """
    keeps: bool = True
    """Whether what was shown or worded may be learned."""

    @property
    def is_done_apart(self) -> bool:
        """Whether the commands are no part of a plan made of commands."""
        return self.kind == "now" or (self.kind == "command" and not self.step)


@dataclass(frozen=True, slots=True)
class Offer:
    """A wording that would be understood, in place of one that is not."""

    wording: str
    box: Box | None = None
    """The element that it means."""
    start: str = ""
    """Where a learned procedure begins, if the task does not say it."""
    is_learned: bool = False


class Wordings(Protocol):
    """Knows what can be said in place of a task that no planner understands."""

    hint: str
    """How to set a model, which would understand more."""

    def offers(self, task: Task, screen: Observation) -> Sequence[Offer]:
        """The wordings that mean the same as a task on this screen, the likeliest first."""

    def refusal(self, text: str) -> str:
        """Why a text is not understood; empty if it is."""

    def take_wording(self, planner: Any) -> Any:
        """The planner, which from now on does the task in the person's latest words."""


def resolutions(turns: Iterable[Turn]) -> list[Resolution]:
    """The person's answers that are recorded in the turns of a run."""
    answered = (turn for turn in turns if turn.decision.planner == PERSON)
    return [found for turn in answered if (found := bookmark(Resolution, turn)) is not None]
