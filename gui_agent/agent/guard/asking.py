"""Asks the person about an action, at the terminal with a picture of it, and stores what was granted."""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol, TextIO, TypeAlias, runtime_checkable

from gui_agent.agent.guard.hosts import host_of, name_fits, netloc_of, origin_fits
from gui_agent.agent.guard.kept_answers import NEVER_KEPT, KeptAnswers
from gui_agent.agent.guard.vocabulary import MEANINGS
from gui_agent.core.actions import Action
from gui_agent.core.errors import ConfigError, Forbidden
from gui_agent.core.observation import Box, Observation, Place
from gui_agent.core.protocols import Approver
from gui_agent.core.texts import shorten
from gui_agent.elements.describe import printable
from gui_agent.elements.image_regions import image_of

ANY = "*"
REPEAT = "repeat"
"""Submitting the same thing a second time; only a grant that names it allows it."""
TO_ALLOW = "say yes=True or --yes, or add an allow rule to guard.toml"
TO_REPEAT = 'repeat = "allow" in guard.toml lets it be done again'
_IMPLIED = {"password": ("submit-credentials",)}
"""Permission to type the password includes pressing its sign-in button."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A yes to one meaning (`*`: every meaning) on one host or program (`*`: anywhere)."""

    meaning: str = ANY
    scope: str = ANY

    def covers(self, meaning: str, place: Place) -> bool:
        """Whether the grant allows an action of this meaning there without asking."""
        if self.meaning == ANY:
            kind = meaning != REPEAT
        else:
            kind = meaning in (self.meaning, *_IMPLIED.get(self.meaning, ()))
        return kind and self._fits(place)

    def _fits(self, place: Place) -> bool:
        if self.scope == ANY:
            return True
        host = host_of(place.url)
        if host:
            return origin_fits(place.url, (self.scope,))
        return name_fits(place.app, self.scope)

    def __str__(self) -> str:
        return self.meaning if self.scope == ANY else f"{self.meaning}@{self.scope}"


@dataclass(frozen=True, slots=True)
class Grants:
    """All grants. They answer the guard's questions, but never allow what the policy forbids."""

    all: tuple[Grant, ...] = ()

    @classmethod
    def yes(cls) -> Grants:
        """Yes to every question, except whether to do the same thing twice."""
        return cls((Grant(),))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Grants:
        """Read grants written as `meaning`, or as `meaning@host` for one host only."""
        grants = []
        for text in texts:
            meaning, at, scope = text.strip().partition("@")
            if at and not scope.strip():
                raise ConfigError(
                    f'"{text}" has no host after the @; write {meaning}@host, or {meaning} alone'
                )
            if meaning not in (ANY, REPEAT, *MEANINGS):
                known = ", ".join((*MEANINGS, REPEAT))
                raise ConfigError(f'"{meaning}" is not a kind of action that can be granted; known: {known}')
            grants.append(Grant(meaning, scope or ANY))
        return cls(tuple(grants))

    def covers(self, meaning: str, place: Place) -> bool:
        return any(grant.covers(meaning, place) for grant in self.all)

    def plus(self, grant: Grant) -> Grants:
        return Grants((*self.all, grant))


def kept_name(text: str) -> str:
    """The name of an answer to keep, `meaning@host`. Raises ConfigError: it cannot be kept."""
    (grant,) = Grants.parse([text]).all
    if "*" in str(grant) or grant.scope == ANY:
        raise ConfigError(f"write one meaning and one host or program, such as {grant.meaning}@example.org")
    if grant.meaning in NEVER_KEPT:
        raise ConfigError(f"{grant.meaning} is asked about each time; only a rule of guard.toml can allow it")
    return str(grant)


def scope_of(place: Place) -> str:
    """The narrowest scope for a grant given here: this host, or this program."""
    return netloc_of(place.url) or place.app or ANY


Answer = Literal["once", "always", "no"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the guard to the person."""

    text: str
    meanings: tuple[str, ...]
    """The meanings that a yes would allow, gravest first."""
    scope: str
    """The host or program for which the answer "always" holds."""
    box: Box | None = None

    @property
    def always(self) -> str:
        """What the answer "always" allows from now on, in words; empty if no answer to it can be kept."""
        can_be_kept = self.scope != ANY and NEVER_KEPT.isdisjoint(self.meanings)
        return f"{' + '.join(self.meanings)} on {self.scope}" if can_be_kept else ""


@runtime_checkable
class AnswersQuestions(Protocol):
    """An approver of another kind: a person who sees the whole question, and can also answer "always"."""

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Ask the person."""


AnyApprover: TypeAlias = Approver | AnswersQuestions


@dataclass(eq=False)
class Consent:
    """The person's consent: who asks for it, and what was granted so far."""

    approver: AnyApprover | None
    """Puts questions to the person; with None, the guard refuses instead of asking."""
    grants: Grants
    kept: KeptAnswers | None = None
    """The answers of earlier runs; without them, "always" holds for this run."""
    used: tuple[str, ...] = ()
    """The kept answers that let something pass since the last step."""

    def covers(self, meaning: str, place: Place) -> bool:
        if self.grants.covers(meaning, place):
            return True
        scope = scope_of(place)
        if self.kept is None or not self.kept.is_kept(meaning, scope):
            return False
        self.used = (*self.used, f"{meaning}@{scope}")
        return True

    def ask(
        self, question: Question, action: Action, observation: Observation, alone: Forbidden | None = None
    ) -> None:
        """Ask the person.

        Raises Forbidden: the person said no, or there is no approver (then `alone`, if given).
        """
        question = replace(question, text=printable(question.text))
        approver, what = self.approver, question.text.split("? ")[0]
        if approver is None:
            why = f"{what} needs approval, but no person can be asked"
            raise alone or Forbidden(why, advice=TO_REPEAT if REPEAT in question.meanings else TO_ALLOW)
        if isinstance(approver, AnswersQuestions):
            answer = approver.answer(question, observation)
        else:
            answer = "once" if approver.approve(question.text, action, observation) is True else "no"
        if answer == "always":
            self._allow_for_good(question, what)
        elif answer == "once" and "password" in question.meanings:
            # A yes to typing the password covers the sign-in button next to it.
            self.grants = self.grants.plus(Grant("submit-credentials", question.scope))
        elif answer != "once":
            raise Forbidden(f"the person said no: {what}; go another way or stop")

    def _allow_for_good(self, question: Question, asked: str) -> None:
        for meaning in question.meanings:
            grant = Grant(meaning, question.scope)
            self.grants = self.grants.plus(grant)
            if question.always and self.kept is not None:
                with suppress(OSError):  # it then holds for this run
                    self.kept.keep(str(grant), asked)


LONGEST = 600
"""How many characters of a question are shown."""
MARGIN = 60
"""How much around the target the picture shows, in pixels."""


class QuestionPictures:
    """Places for the pictures of questions: a temporary folder, deleted with this object."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    @cached_property
    def _folder(self) -> Path:
        folder = tempfile.mkdtemp(prefix="guiagent-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def new_path(self) -> Path:
        """A file that does not exist yet."""
        return self._folder / f"question-{next(self._numbers)}.png"


class TerminalApprover:
    """Puts the guard's questions to the person at the terminal: yes, always, or no."""

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None) -> None:
        """
        Args:
            source: where answers are read from; standard input when not given.
            sink: where questions are written to; standard error, so that standard output stays clean.
        """
        self._source, self._sink = source, sink
        self._pictures = QuestionPictures()

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Ask once. Anything but a clear yes, even the end of the input, is a no."""
        sink = self._sink or sys.stderr
        picture = self._write_crop(question.box, observation)
        where = _one_line(observation.place.url or observation.place.title)
        asked, scope = _one_line(question.text), _one_line(question.scope)
        lines = [asked, f"  on {where}" if where else "", f"  picture: {picture}" if picture else ""]
        during = "always" if question.always else "always in this run"
        kinds = " + ".join(question.meanings)
        always = "" if question.scope == ANY else f", a = {during} ({kinds} on {scope})"
        sink.write("\n".join(filter(None, lines)) + f"\n  y = this once{always}, n = no: ")
        sink.flush()
        line = (self._source or sys.stdin).readline()
        if not line.endswith("\n"):
            sink.write("\n")
        said = line.strip().lower()
        if said in ("y", "yes"):
            return "once"
        return "always" if always and said in ("a", "always") else "no"

    def _write_crop(self, box: Box | None, observation: Observation) -> Path | None:
        shot = observation.screenshot
        if box is None or shot is None:
            return None
        from PIL import ImageDraw

        picture = image_of(shot.data)
        ImageDraw.Draw(picture).rectangle(box.grow(2).edges, outline="#d01030", width=2)
        visible = box.grow(MARGIN).intersect(Box(0, 0, picture.width, picture.height))
        if visible is None:
            return None
        path = self._pictures.new_path()
        picture.crop(visible.edges).save(path)
        return path


def _one_line(text: str) -> str:
    """A text of a page, ready to print: one line, no control characters, at most `LONGEST` characters."""
    return shorten(printable(" ".join(text.split())), LONGEST)
