"""The side-effect ledger: what a run has already sent, paid or submitted, so that it is not done twice.

A retry after a lost answer, or a run that is resumed, would otherwise press "Pay" again. Each line of
the file is one entry; `about` is written before an action is sent and `done` after it, so that a process
that dies in between leaves a trace of what may have happened. `seen` follows once the step is in the trace:
what a run that broke off sent without that stays in `doubt`: its form is asked about whatever it holds.
`sent` is written before a request leaves that changes something, whether or not anybody was asked about it;
`pressing` before a press on a page, which may send something that no gate sees, such as a frame of a socket.
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

from gui_agent.agent.guard import context
from gui_agent.agent.guard.lexicon import editable
from gui_agent.agent.guard.requests import Sent
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation
from gui_agent.core.os_errors import private, private_folder
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Found, Step
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import neighbours

ONCE = frozenset({"send", "pay", "transfer", "sign", "publish", "submit"})
"""Meanings that should not happen twice with the same contents."""
IRREVERSIBLE = ONCE | {"delete", "share", "format", "unsubscribe"}
"""Meanings that nothing takes back."""
MONEY = frozenset({"pay", "transfer"})
LEDGER = "ledger.jsonl"
"""The name of its file in the folder of a run."""
_STATES = ("about", "done", "seen", "doubt", "kept back", "sent", "pressing")
BROKE_OFF = " (the run broke off while doing it)"


@runtime_checkable
class KeepsLedger(Protocol):
    """A guard that wants to know which actions were really carried out."""

    def note_delivery(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """The action that was last checked has been carried out; `observation` is the screen before it."""


@runtime_checkable
class RecallsLedger(Protocol):
    """A guard that can say what has been sent, paid or submitted, also in the earlier part of a run."""

    @property
    def done_before(self) -> tuple[str, ...]:
        """What was sent, paid or submitted so far, in words."""


class Ledger:
    """What was done once and must not be done again; kept in a file when a path is given."""

    def __init__(self, path: Path | None = None, *, before: Path | None = None, key: bytes = b"") -> None:
        """
        Args:
            before: the file of the run that this one goes on with; it is only read.
            key: secret bytes of this installation, without which no digest tells what was sent.
        """
        self._path, self._key = path, key
        self._sent: dict[str, str] = {}
        """What an earlier part of the run sent, by its digest."""
        self._done: dict[str, str] = {}
        self._doubts: dict[str, tuple[str, str]] = {}
        """By the form: the key and the words of what may have been sent from it, and nobody knows."""
        self._unseen = False
        for file in (before, path):
            if file is not None and file.exists():
                self._read(file, broke_off=file is before)

    def keep(self, path: Path) -> None:
        """Write to this file from now on, what is known already first: it stands for all of the run."""
        self._path = path
        for key, what in self._done.items():
            self._write(key, "done", what)
        for form, (key, what) in self._doubts.items():
            self._write(key, "doubt", what, form)
        for key, what in self._sent.items():
            self._write(key, "sent", what)

    def digest(self, sent: Sent) -> str:
        """The identity of what is sent: method, address and body, but for what is new each time."""
        said = ((name, _TICKING.sub("", normal(value))) for name, value in sent.fields)
        told = [f"{name}={value}" for name, value in said if not _RANDOM.fullmatch(value)]
        parts = [sent.request.method, _TICKING.sub("", sent.request.url.partition("?")[0]), *told]
        text = json.dumps(parts, ensure_ascii=False).encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()[:32]

    def note_press(self, what: str, form: str) -> None:
        """Write down a press that may send something; until its step is in the trace it is in doubt."""
        self._unseen = True
        self._doubts.pop(form, None)
        self._write("", "pressing", what, form)

    def note_request(self, sent: Sent) -> str:
        """Write down a request that leaves and changes something; returns it as `Step.requests` has it."""
        key, what = self.digest(sent), f"{sent.request.method} {shorten(sent.request.url.partition('?')[0])}"
        self._sent.pop(key, None)
        self._doubts.pop(sent.template, None)
        self._unseen = True
        self._write(key, "sent", what, sent.template)
        return f"{what} {key}"

    def request_sent_before(self, sent: Sent) -> str:
        """The same request of an earlier part of the run, or one to the same place that may have been it."""
        return self._sent.get(self.digest(sent), "") or self.doubt(sent.template)

    def act_in_words(self, key: str) -> str:
        return self._done.get(key, "")

    def doubt(self, form: str) -> str:
        """What may have been sent from this form when an earlier part of the run broke off, in words."""
        return self._doubts.get(form, ("", ""))[1]

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(self._done.values())

    def about(self, key: str, what: str, form: str = "") -> None:
        """An action is going to be sent to the device."""
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
        """The step of what was last sent is in the trace, whatever came of it."""
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
                last_about = None  # what left because of it stands between its lines
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
            # The run ended between the two lines: it may have happened, and nobody knows.
            self._done.setdefault(last_about[0], last_about[1] + BROKE_OFF)
        self._doubts |= unseen if broke_off else {}

    def _write(self, key: str, state: str, what: str, form: str = "") -> None:
        if self._path is None:
            return
        entry = {"key": key, "state": state, "what": what, **({"form": form} if form else {})}
        line = json.dumps(entry, ensure_ascii=False) + "\n"
        private_folder(self._path.parent)
        # One write to a file opened for appending is whole or absent, also when the process is killed.
        handle = private(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(handle, line.encode())
            # A power failure that loses what came of it leaves it in doubt, not undone.
            if state in ("about", "sent"):
                os.fsync(handle)
        finally:
            os.close(handle)


def _entries(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """The entries of a ledger's file: key, state, words and form. Raises ConfigError: a line is none."""
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            entry = parse_json(line)
            key, state, what = (str(entry[name]) for name in ("key", "state", "what"))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path}, line {number}, is no ledger entry; repair it, or delete the file "
                "when doing things again is fine"
            ) from error
        if state not in _STATES:
            raise ConfigError(f'{path}, line {number}: state is "{shorten(state)}", not one of {_STATES}')
        yield key, state, what, str(entry.get("form", ""))


@dataclass
class LedgerKeeper:
    """Keeps the ledger of a run in its folder, from the first thing on that is sent; an observer."""

    folder: Callable[[], Path | None]
    """The folder of the run, once it has started; None where it has none."""
    before: Path | None = None
    key: Callable[[], bytes] = bytes
    """The secret bytes of this installation."""

    @cached_property
    def ledger(self) -> Ledger:
        """What the run has done; read when this is first asked, and only then kept."""
        ledger = Ledger(before=self.before, key=self.key())
        self._keep(ledger)
        return ledger

    def resuming_observer(self) -> object:
        """An observer that keeps at once what the earlier part did, which is read now."""
        known = self.ledger
        return SimpleNamespace(started=lambda task: self._keep(known))

    def _keep(self, ledger: Ledger) -> None:
        if (folder := self.folder()) is not None:
            ledger.keep(folder / LEDGER)

    def stepped(self, step: Step) -> None:
        """The trace, which was told before, has the step."""
        if "ledger" in vars(self):
            self.ledger.confirm()


_AGAIN = re.compile(r"\bagain\b|\(\d+\)|[.!…]+$")
_TICKING = re.compile(
    r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?"  # 2026-11-23T13:04:34.271Z
    r"|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"  # 13:04:34, 0:59
    r"|\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b"  # since 1970
    r"|\b\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds?|min|mins|minutes?)\b"
    r"|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{12,}\b|\b0?\.\d{9,}\b"
)
"""What is new each time: clocks, countdowns, seconds since 1970, identifiers and numbers made at random."""
_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+/=.-]{16,}|[0-9a-f-]{16,}")
"""Tokens of a form."""
_NUMBERS = re.compile(r"[^\s=]*\d[^\s=]*")
"""Words with digits in them."""


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


def _target(element: Element, name: str) -> list[str]:
    """Role, name and place in the structure of what is pressed; a count in the name may change."""
    return [element.role, _AGAIN.sub("", normal(name)).strip(), element.path]


def _slot(element: Element) -> str:
    return f"{element.path}|{normal(element.name)}"


def _filled_fields(element: Element, observation: Observation) -> list[str]:
    """The fields that are sent with an element and what they hold, but for clocks and the like."""
    fields = context.fields_with(element, observation).all
    values = ((_slot(field), _TICKING.sub("", normal(field.value)).strip()) for field in fields)
    return [f"{slot}={value}" for slot, value in values if value]


def key_of(reading: ActionMeaning, observation: Observation) -> str:
    """The identity of a side effect: what is touched, where, and what the form holds."""
    element, place = reading.element, observation.place
    address = urlsplit(place.url)
    where = [address.netloc or place.app, address.path, address.query, "" if place.url else place.title]
    if element is None:
        target = [reading.subject]
        contents = sorted(normal(one.value) for one in observation.elements if one.value)
    else:
        target = _target(element, element.name or Scene.of(observation).label_of(element))
        filled = _filled_fields(element, observation)
        near = context.companions(element, observation)
        ticked = [_slot(one) for one in near if "checked" in one.states]
        contents = sorted([*filled, *ticked]) or list(neighbours(element, observation))
        if reading.meaning == "send" and filled:
            target = []  # the same letter, whether by its button or by a key
    return _digest(reading.meaning, where, target, [_TICKING.sub("", one) for one in contents])


def form_of(reading: ActionMeaning, observation: Observation) -> str:
    """The identity of what a side effect sends off, whatever that holds: its fields, or its target."""
    element, address = reading.element, urlsplit(observation.place.url)
    where = [address.netloc or observation.place.app, address.path]
    if element is None:
        return _digest(where, [reading.subject])
    fields = context.fields_with(element, observation).all
    return _digest(where, sorted(map(_slot, fields)) or _target(element, element.name))


def press_of(element: Element, observation: Observation) -> str:
    """The identity of a press on a page: where it is, and what it is on."""
    address = urlsplit(observation.place.url)
    return f"press {_digest(address.netloc, address.path, *_target(element, element.name))}"


@dataclass(frozen=True, slots=True)
class SideEffect:
    """What is not to be done twice, by what it is known in the ledger and within the run."""

    what: str
    """The action in words."""
    key: str
    """Identity with what its form holds, see `key_of`."""
    form: str
    """Identity whatever its form holds, see `form_of`."""
    on: tuple[str, ...] = ()
    """What is touched, with the ticks beside it; empty where that is no known element."""
    around: frozenset[str] = frozenset()
    """What stands around it but for numbers, which may be counted."""

    @classmethod
    def read(
        cls, what: str, reading: ActionMeaning, observation: Observation, filled: Observation
    ) -> SideEffect:
        """
        Args:
            filled: the screen when it is done, with what the action types before it.
        """
        on, around = _surroundings(reading, observation)
        return cls(what, key_of(reading, filled), form_of(reading, observation), on, around)

    def repeats(self, before: SideEffect) -> bool:
        """Whether it is the same once more: all that stood there stands there still, with the same ticks."""
        return bool(self.on) and self.on == before.on and before.around <= self.around


def _surroundings(reading: ActionMeaning, observation: Observation) -> tuple[tuple[str, ...], frozenset[str]]:
    """What is touched, and what stands around it.

    Money is not moved twice by one control, whatever the page has changed around it by itself.
    """
    element, place = reading.element, observation.place
    if element is None or element.id < 0:
        return (), frozenset()
    touched = (reading.meaning, str(element.id), element.role)
    if reading.meaning in MONEY:
        return (*touched, urlsplit(place.url).netloc or place.app), frozenset()
    near = context.companions(element, observation)
    ticks = sorted(f"{one.path}={one.name}" for one in near if "checked" in one.states)
    fields = [f"{one.path}={one.value}" for one in near if one.value and editable(one)]
    texts = [_NUMBERS.sub("", one).strip() for one in neighbours(element, observation)]
    values = [_NUMBERS.sub("", _TICKING.sub("", normal(one))).rstrip(" =") for one in fields]
    return (*touched, place.url or place.app, *ticks), frozenset(filter(None, (*texts, *values)))
