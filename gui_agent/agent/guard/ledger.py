"""The side-effect ledger: what a run has already sent, paid or submitted, so that it is not done twice.

A retry after a lost answer, or a run that is resumed, would otherwise press "Pay" again. Each line of
the file is one entry; `about` is written before an action is sent and `done` after it, so that a process
that dies in between leaves a trace of what may have happened. `seen` follows once the step is in the trace:
what a run that broke off sent without that stays in `doubt`: its form is asked about whatever it holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol, runtime_checkable

from gui_agent.core.actions import Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import private, private_folder
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found, Step

ONCE = frozenset({"send", "pay", "transfer", "sign", "publish", "submit"})
"""Meanings that should not happen twice with the same contents."""
IRREVERSIBLE = ONCE | {"delete", "share", "format", "unsubscribe"}
"""Meanings that nothing takes back."""
MONEY = frozenset({"pay", "transfer"})
LEDGER = "ledger.jsonl"
"""The name of its file in the folder of a run."""
_STATES = ("about", "done", "seen", "doubt")
BROKE_OFF = " (the run broke off while doing it)"


@runtime_checkable
class KeepsLedger(Protocol):
    """A guard that wants to know which actions were really carried out."""

    def delivered(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """The action that was last checked has been carried out; `observation` is the screen before it."""


@runtime_checkable
class RecallsLedger(Protocol):
    """A guard that can say what has been sent, paid or submitted, also in the earlier part of a run."""

    @property
    def done_before(self) -> tuple[str, ...]:
        """What was sent, paid or submitted so far, in words."""


class Ledger:
    """What was done once and must not be done again; kept in a file when a path is given."""

    def __init__(self, path: Path | None = None, *, before: Path | None = None) -> None:
        """
        Args:
            before: the file of the run that this one goes on with; it is only read.

        Raises:
            ConfigError: a file holds a line that is no entry; doing things twice is then possible.
        """
        self._path = path
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

    def done(self, key: str) -> str:
        """What was done under this key, in words; empty when nothing was."""
        return self._done.get(key, "")

    def doubt(self, form: str) -> str:
        """What may have been sent from this form when an earlier part of the run broke off, in words."""
        return self._doubts.get(form, ("", ""))[1]

    @property
    def entries(self) -> tuple[str, ...]:
        """All that was done, in words."""
        return tuple(self._done.values())

    def about(self, key: str, what: str, form: str = "") -> None:
        """An action is going to be sent to the device."""
        self._unseen = True
        self._write(key, "about", what, form)

    def record(self, key: str, what: str, form: str = "") -> None:
        """An action was carried out."""
        self._done[key] = what
        self._doubts.pop(form, None)
        self._write(key, "done", what, form)

    def seen(self) -> None:
        """The step of what was last sent is in the trace, whatever came of it."""
        if self._unseen:
            self._unseen = False
            self._write("", "seen", "")

    def _read(self, path: Path, *, broke_off: bool) -> None:
        last_about: tuple[str, str] | None = None
        unseen: dict[str, tuple[str, str]] = {}
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
            form = str(entry.get("form", ""))
            last_about = (key, what) if state == "about" else None
            if state == "done":
                self._done[key] = what
                self._doubts.pop(form, None)
            if state == "doubt":
                self._doubts[form] = (key, what)
            elif state == "seen":
                unseen = {}
            elif form:
                unseen[form] = (key, what + BROKE_OFF)
        if last_about is not None:
            # The run ended between the two lines: it may have happened, and nobody knows.
            self._done.setdefault(last_about[0], last_about[1] + BROKE_OFF)
        if broke_off:
            self._doubts |= unseen

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
            os.fsync(handle)
        finally:
            os.close(handle)


@dataclass
class LedgerKeeper:
    """Keeps the ledger of a run in its folder, from the first thing on that is sent; an observer."""

    folder: Callable[[], Path | None]
    """The folder of the run, once it has started; None where it has none."""
    before: Path | None = None

    @cached_property
    def ledger(self) -> Ledger:
        """What the run has done; read when this is first asked, and only then kept."""
        ledger = Ledger(before=self.before)
        self._keep(ledger)
        return ledger

    def resumed(self) -> object:
        """An observer that keeps at once what the earlier part did, which is read now."""
        known = self.ledger
        return SimpleNamespace(started=lambda task: self._keep(known))

    def _keep(self, ledger: Ledger) -> None:
        if (folder := self.folder()) is not None:
            ledger.keep(folder / LEDGER)

    def stepped(self, step: Step) -> None:
        """The trace, which was told before, has the step."""
        if "ledger" in vars(self):
            self.ledger.seen()
