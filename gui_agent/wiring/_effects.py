"""Effects that no screen shows and that the person wants proven: a file, a database, a mail, a clipboard.

An effect is read before the run and when the planner says that the task is done. Only one that did not hold
before proves anything.
"""

from __future__ import annotations

import shlex
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from gui_agent.core import deadline
from gui_agent.core.binding import SLOT, with_values
from gui_agent.core.conditions import words_in
from gui_agent.core.errors import ActionFailed, ConfigError, Unavailable
from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import ReadsClipboard
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import normal, shorten
from gui_agent.wiring._mail_codes import MailCodes
from gui_agent.wiring.secrets import read_source

WAIT = 10.0
"""Seconds for effects to appear once the planner says that the task is done."""
PAUSE = 0.5
"""Seconds between two looks."""
REST = 4
"""Looks after which a place in `COSTLY` is read again."""
COSTLY = ("mail", "clipboard")
"""Kinds whose look takes a login, or shows a window for a moment."""
ANSWER = 10.0
"""Seconds for one look at a database or an address."""
LARGEST = 2_000_000
"""Bytes of an answer that are read."""
_STEPS = 10_000
"""Instructions of a database between two looks at the clock."""
FORMS = (
    'file PATH, sql FILE "SELECT ...", http ADDRESS, mail "HOST/USER?from=ADDRESS&password=SOURCE" or'
    " clipboard, then perhaps: is TEXT, or contains TEXT"
)


Reader = Callable[[], str | None]
Readers = Mapping[str, tuple[int, Callable[..., Reader]]]


@dataclass(frozen=True, slots=True)
class WantedEffect:
    """One effect: where to read, and what has to be read there."""

    said: str
    """The effect in the person's words."""
    kind: str
    """A key of `READERS`."""
    read: Reader
    """Reads the text there; None if nothing is there."""
    relation: str = ""
    """`is`, `contains`, or empty if anything will do."""
    text: str = ""

    def fault(self) -> str:
        """How the place differs from the effect, in words; empty if the effect holds."""
        wanted, found = normal(self.text), self.read()
        if found is None:
            return "nothing is there"
        if {"": True, "is": normal(found) == wanted, "contains": wanted in normal(found)}[self.relation]:
            return ""
        if self.kind == "clipboard":  # what a person copies is private
            return "it holds another text"
        return f'it says "{shorten(found)}"' if found.strip() else "it is empty"


class WantedEffects:
    """The effects of one run; implements `OutsideEffects`."""

    def __init__(
        self, said: Sequence[str], values: Mapping[str, str], secrets: Mapping[str, str] | None = None
    ) -> None:
        """Read each effect before the run, except those on the screen's clipboard.

        Args:
            said: the effects in the form of `FORMS`; `{name}` is a value, `${secret:NAME}` a secret.

        Raises:
            ConfigError: an effect is written in another form, or its place cannot be read.
        """
        self._computer: object = None
        readers = {**READERS, "clipboard": (0, lambda _: self._copied_text)}
        self._effects = [_read_effect(one, values, secrets or {}, readers) for one in said]
        self._before: list[str] = []
        self._note_before(one for one in self._effects if one.kind != "clipboard")
        self._patience = WAIT

    def read_clipboard(self, computer: object) -> None:
        """Read the effects on the clipboard of the run's screen before the run.

        Raises:
            ConfigError: there are some, and this screen's clipboard cannot be read.
        """
        self._computer = computer
        self._note_before(one for one in self._effects if one.kind == "clipboard")

    def _note_before(self, effects: Iterable[WantedEffect]) -> None:
        try:
            self._before += [one.said for one in effects if not one.fault()]
        except Unavailable as error:
            raise ConfigError(f"{error}; nothing was done") from error

    def _copied_text(self) -> str | None:
        try:
            if isinstance(self._computer, ReadsClipboard):
                return self._computer.clipboard() or None
            why = "guiagent has no way to it on this kind of screen"
        except ActionFailed as error:
            why = str(error)
        raise Unavailable(f"cannot read the clipboard: {why}")

    @property
    def doubt(self) -> str:
        """Why the effects prove nothing, in words; empty if they are proof once none is missing."""
        return f"({self._before[0]}) was true before the run" if self._before else ""

    def missing(self) -> str:
        """The effects that do not appear in time, in words; empty if all of them hold.

        Raises:
            Unavailable: a place cannot be read any more.
        """
        left = dict.fromkeys(self._effects)
        for turn in deadline.turns(deadline.remaining(self._patience), PAUSE, least=1):
            left = {
                one: why
                for one, known in left.items()
                if (why := known if turn % REST and one.kind in COSTLY else one.fault())
            }
            if not left:
                break
        self._patience = 0.0  # the planner's next "done" need not wait as long again
        return "; ".join(f"({one.said}) is not true: {why}" for one, why in left.items())


def _read_effect(
    said: str, values: Mapping[str, str], secrets: Mapping[str, str], readers: Readers
) -> WantedEffect:
    try:
        kind, *where = shlex.split(said)
    except ValueError:
        kind, where = "", []
    relation, text = "", ""
    count, reader = readers.get(kind, (0, None))
    if len(where) == count + 2 and where[-2] in ("is", "contains"):
        *where, relation, text = where
    if reader is None or len(where) != count:
        raise ConfigError(f"--effect {said}: write {FORMS}")
    known = [REFERENCE.sub(lambda named: secrets.get(named[1], named[0]), one) for one in where]
    return WantedEffect(said, kind, reader(values, *known), relation, with_values(text, values))


def _file_reader(values: Mapping[str, str], path: str) -> Reader:
    file = user_path(with_values(path, values))

    def read() -> str | None:
        matches = sorted(file.parent.glob(file.name)) if file.parent.is_dir() else []
        return "\n".join(map(words_in, matches)) if matches else None

    return read


def _database_reader(values: Mapping[str, str], path: str, query: str) -> Reader:
    """Reads the first value of a query; the database is opened for reading only."""
    file = Path(user_path(path))
    given, asked = [values.get(name, "") for name in SLOT.findall(query)], SLOT.sub("?", query)

    def read() -> str | None:
        seconds = deadline.remaining(ANSWER)
        until = time.monotonic() + seconds
        try:
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", seconds, uri=True)) as base:
                base.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
                row = base.execute(asked, given).fetchone()
        except sqlite3.Error as error:
            raise Unavailable(
                f"cannot read the effect from {file}: {error}; check the file and the query"
            ) from error
        return None if row is None or row[0] is None else str(row[0])

    return read


def _address_reader(values: Mapping[str, str], address: str) -> Reader:
    if not address.startswith(("http://", "https://")):
        raise ConfigError(f"--effect http {address}: the address begins with http:// or https://")

    def read() -> str | None:
        try:
            with urlopen(Request(with_values(address, values)), timeout=deadline.remaining(ANSWER)) as answer:
                return str(answer.read(LARGEST).decode("utf-8", "replace"))
        except HTTPError as error:
            error.close()
            return None if error.code in (404, 410) else f"{error.code} {error.reason}"
        except (OSError, HTTPException, ValueError) as error:
            raise Unavailable(f"cannot read the effect from {address}: {error}") from error

    return read


def _mail_reader(_: Mapping[str, str], where: str) -> Reader:
    """Reads the newest wanted mail that came after the first look."""
    return MailCodes("mailbox", where.removeprefix("imap:"), partial(read_source, "mailbox")).newest_text


READERS: Readers = {
    "file": (1, _file_reader),
    "sql": (2, _database_reader),
    "http": (1, _address_reader),
    "mail": (1, _mail_reader),
}
"""By kind: how many words say where to read, and what makes the reader; the clipboard is the run's."""
