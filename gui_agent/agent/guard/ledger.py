"""The side-effect ledger: what a run has already sent, paid or submitted, so that it is not done twice.

Without it, a retry after a lost answer, or a resumed run, would press "Pay" again. Each line of the file
is one entry with a state:

- `about` is written before an action is sent and `done` after it, so that a process that dies in between
  leaves a trace of what may have happened.
- `seen` follows when the step is in the trace. Anything that a broken-off run sent without it is in `doubt`:
  the guard asks about the same form, whatever its fields contain.
- `sent` is written before a request leaves that changes something, whether or not the person was asked.
- `pressing` is written before a press on a page, which may send something that cannot be held, such as a
  socket frame.
- `kept back` marks an action whose requests were refused.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard._requests import SentRequest
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation
from gui_agent.core.os_errors import private, private_folder
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Found, Step
from gui_agent.elements.roles import TICKABLE
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import neighbours

ONCE = frozenset({"send", "pay", "transfer", "sign", "publish", "submit"})
"""Meanings that should not happen twice with the same contents."""
IRREVERSIBLE = ONCE | {"delete", "share", "format", "unsubscribe"}
"""Meanings that cannot be undone."""
MONEY = frozenset({"pay", "transfer"})
LEDGER = "ledger.jsonl"
"""The name of the ledger's file in a run's folder."""
_STATES = ("about", "done", "seen", "doubt", "kept back", "sent", "pressing")
BROKE_OFF = " (the run broke off while doing it)"


@runtime_checkable
class KeepsLedger(Protocol):
    """A guard that needs to know which actions were really carried out."""

    def note_delivery(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """Record that the action last checked has been carried out; `observation` is the screen before it."""


@runtime_checkable
class RecallsLedger(Protocol):
    """A guard that knows what was sent, paid or submitted, even in the earlier part of a resumed run."""

    @property
    def done_before(self) -> tuple[str, ...]:
        """What was sent, paid or submitted so far, in words."""


class Ledger:
    """Side effects that must not be repeated; stored in a file if a path is given."""

    def __init__(self, path: Path | None = None, *, before: Path | None = None, key: bytes = b"") -> None:
        """
        Args:
            before: the ledger file of the run that this run resumes; it is only read.
            key: secret bytes of this installation; without them, a digest does not reveal what was sent.
        """
        self._path, self._key = path, key
        self._sent: dict[str, str] = {}
        """What an earlier part of the run sent, by its digest."""
        self._done: dict[str, str] = {}
        self._doubts: dict[str, tuple[str, str]] = {}
        """By form: key and words of what may have been sent from it."""
        self._unseen = False
        for file in (before, path):
            if file is not None and file.exists():
                self._read(file, broke_off=file is before)

    def keep(self, path: Path) -> None:
        """Write to this file from now on, and first all entries so far: the file covers the whole run."""
        self._path = path
        for key, what in self._done.items():
            self._write(key, "done", what)
        for form, (key, what) in self._doubts.items():
            self._write(key, "doubt", what, form)
        for key, what in self._sent.items():
            self._write(key, "sent", what)

    def digest(self, sent: SentRequest) -> str:
        """The identity of a request: method, address and body without values that are new each time."""
        said = ((name, _TICKING.sub("", normal(value))) for name, value in sent.fields)
        told = [f"{name}={value}" for name, value in said if not _RANDOM.fullmatch(value)]
        parts = [sent.request.method, _TICKING.sub("", sent.request.url.partition("?")[0]), *told]
        text = json.dumps(parts, ensure_ascii=False).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()[:32]

    def note_press(self, what: str, form: str) -> None:
        """Record a press that may send something; it stays in doubt until its step is in the trace."""
        self._unseen = True
        self._doubts.pop(form, None)
        self._write("", "pressing", what, form)

    def note_request(self, sent: SentRequest) -> str:
        """Record a request that leaves and changes something; returns it as in `Step.requests`."""
        key, what = self.digest(sent), f"{sent.request.method} {shorten(sent.request.url.partition('?')[0])}"
        self._sent.pop(key, None)
        self._doubts.pop(sent.template, None)
        self._unseen = True
        self._write(key, "sent", what, sent.template)
        return f"{what} {key}"

    def request_sent_before(self, sent: SentRequest) -> str:
        """The same request in an earlier part of the run, or one of the same form that may be the same; else
        empty.
        """
        return self._sent.get(self.digest(sent), "") or self.doubt(sent.template)

    def act_in_words(self, key: str) -> str:
        return self._done.get(key, "")

    def doubt(self, form: str) -> str:
        """What may have been sent from this form before an earlier part of the run broke off, in words."""
        return self._doubts.get(form, ("", ""))[1]

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(self._done.values())

    def note_action(self, key: str, what: str, form: str = "") -> None:
        """Record that an action is about to be sent to the device."""
        self._unseen = True
        self._write(key, "about", what, form)

    def record(self, key: str, what: str, form: str = "") -> None:
        self._done[key] = what
        self._doubts.pop(form, None)
        self._write(key, "done", what, form)

    def take_back(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._write(key, "kept back", self._done.pop(key, ""))

    def confirm(self) -> None:
        """Record that the step of the last entries is in the trace, whatever its outcome."""
        if self._unseen:
            self._unseen = False
            self._write("", "seen", "")

    def _read(self, path: Path, *, broke_off: bool) -> None:
        last_about: tuple[str, str] | None = None
        unseen: dict[str, tuple[str, str]] = {}
        for key, state, what, form in _entries(path):
            if state == "about":
                last_about = (key, what)
            elif last_about is not None and key in (last_about[0], "") and state != "pressing":
                last_about = None  # requests of an action are recorded between its two lines
            if state == "done":
                self._done[key] = what
                self._doubts.pop(form, None)
            elif state == "kept back":
                self._done.pop(key, None)
            elif state == "sent" and broke_off:
                self._sent[key] = what
            if state == "doubt":
                self._doubts[form] = (key, what)
            elif state == "seen":
                unseen = {}
            elif form:
                unseen[form] = (key, what + BROKE_OFF)
        if last_about is not None:
            # The run ended between the two lines, so the action may have been carried out.
            self._done.setdefault(last_about[0], last_about[1] + BROKE_OFF)
        self._doubts |= unseen if broke_off else {}

    def _write(self, key: str, state: str, what: str, form: str = "") -> None:
        if self._path is None:
            return
        entry = {"key": key, "state": state, "what": what, **({"form": form} if form else {})}
        line = json.dumps(entry, ensure_ascii=False) + "\n"
        private_folder(self._path.parent)
        # An appending write of one line is all or nothing, even when the process is killed.
        handle = private(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(handle, line.encode())
            # On disk before the action: after a power failure the entry is in doubt, not missing.
            if state in ("about", "sent"):
                os.fsync(handle)
        finally:
            os.close(handle)


def _entries(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Key, state, words and form of each entry in a ledger's file. Raises ConfigError: a line is invalid."""
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            entry = parse_json(line)
            key, state, what = (str(entry[name]) for name in ("key", "state", "what"))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path}, line {number}, is not a ledger entry; repair it, or delete the file "
                "if its actions may be repeated"
            ) from error
        if state not in _STATES:
            raise ConfigError(f'{path}, line {number}: state is "{shorten(state)}", not one of {_STATES}')
        yield key, state, what, str(entry.get("form", ""))


@dataclass
class LedgerKeeper:
    """An observer that stores a run's ledger in the run's folder when the first entry is made."""

    folder: Callable[[], Path | None]
    """The folder of the run once it has started; None if the run has no folder."""
    before: Path | None = None
    key: Callable[[], bytes] = bytes
    """The secret bytes of this installation."""

    @cached_property
    def ledger(self) -> Ledger:
        """The run's ledger; read from its file, and stored, on first use."""
        ledger = Ledger(before=self.before, key=self.key())
        self._keep(ledger)
        return ledger

    def resuming_observer(self) -> object:
        """An observer that reads the earlier part's ledger now and stores it when the run starts."""
        known = self.ledger
        return SimpleNamespace(started=lambda task: self._keep(known))

    def _keep(self, ledger: Ledger) -> None:
        if (folder := self.folder()) is not None:
            ledger.keep(folder / LEDGER)

    def stepped(self, step: Step) -> None:
        """Confirm the entries of a step; the trace, an earlier observer, has stored the step."""
        if "ledger" in vars(self):
            self.ledger.confirm()


_AGAIN = re.compile(r"\bagain\b|\(\d+\)|[.!…]+$")
_TICKING = re.compile(
    r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?"  # 2026-11-23T13:04:34.271Z
    r"|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"  # 13:04:34, 0:59
    r"|\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b"  # seconds or milliseconds since 1970
    r"|\b\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds?|min|mins|minutes?)\b"
    r"|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{12,}\b|\b0?\.\d{9,}\b"
)
"""Values that are new each time: clocks, countdowns, seconds since 1970, random identifiers and numbers."""
_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+/=.-]{16,}|[0-9a-f-]{16,}")
"""Random tokens of a form."""
_NUMBERS = re.compile(r"[^\s=]*\d[^\s=]*")
"""Words with digits in them."""


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


def _target(element: Element, name: str) -> list[str]:
    """Role, name and structural path of a pressed element, without a count that may change in the name."""
    return [element.role, _AGAIN.sub("", normal(name)).strip(), element.path]


def _slot(element: Element) -> str:
    return f"{element.path}|{normal(element.name)}"


def press_of(element: Element, observation: Observation) -> str:
    """The identity of a press on a page: its address and its target."""
    address = urlsplit(observation.place.url)
    return f"press {_digest(address.netloc, address.path, *_target(element, element.name))}"


@dataclass(frozen=True, slots=True)
class SideEffect:
    """Something that must not be done twice, with its identity in the ledger and within the run."""

    what: str
    """The action in words."""
    key: str
    """Identity: target, page and contents of the form."""
    form: str
    """Identity whatever the form contains: its fields, or the target."""
    on: tuple[str, ...] = ()
    """The target; empty if it is no known element."""
    around: frozenset[str] = frozenset()
    """The contents without numbers, which may be counters. For money there are none, so that a page that
    changes by itself cannot cause a second payment.
    """

    @classmethod
    def read(cls, what: str, reading: ActionMeaning, observation: Observation) -> SideEffect:
        """Args: observation: the screen when the action takes effect, including what it types before that."""
        element, place, meaning = reading.element, observation.place, reading.meaning
        address = urlsplit(place.url)
        where = (address.netloc or place.app, address.path)
        page = (*where, address.query, "" if place.url else place.title)
        if element is None:
            values = sorted(normal(one.value) for one in observation.elements if one.value)
            key = _digest(meaning, page, reading.subject, _without_clocks(values))
            return cls(what, key, _digest(where, reading.subject))
        target = _target(element, element.name or Scene.from_screen(observation).label_of(element))
        fields = context.fields_with(element, observation).all
        filled = [f"{_slot(one)}={normal(one.value)}" for one in fields if one.value]
        contents = sorted([*filled, *_boxes(element, observation)]) or neighbours(element, observation)
        told = _without_clocks(contents)
        # A message is the same whether its button or a key sends it.
        sender = [] if meaning == "send" and filled else target
        return cls(
            what,
            _digest(meaning, page, sender, told),
            _digest(where, sorted(map(_slot, fields)) or target),
            (meaning, str(element.id), element.role, where[0]),
            frozenset(() if meaning in MONEY else (*page, *(_NUMBERS.sub("", one) for one in told))),
        )

    def repeats(self, before: SideEffect) -> bool:
        """Whether it repeats `before`: same target, and all contents of that time are still there."""
        return bool(self.on) and self.on == before.on and before.around <= self.around


def _boxes(element: Element, observation: Observation) -> list[str]:
    """The boxes beside an element, each with whether it is ticked."""
    near = context.companions(element, observation)
    return [f"{_slot(one)}={'checked' in one.states}" for one in near if one.role in TICKABLE]


def _without_clocks(texts: Iterable[str]) -> list[str]:
    return [_TICKING.sub("", one).strip() for one in texts]
