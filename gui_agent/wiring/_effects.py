"""Effects that no screen shows and that the person wants proven: a file, a database, an address, a mail.

An effect is read before the run and when the planner says that the task is done. Only one that did not hold
before proves anything.
"""

from __future__ import annotations

import shlex
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
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
from gui_agent.core.errors import ConfigError, Unavailable
from gui_agent.core.os_errors import user_path
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import normal, shorten
from gui_agent.wiring._mail_codes import MailCodes
from gui_agent.wiring.secrets import read_source

WAIT = 10.0
"""Seconds for effects to appear once the planner says that the task is done."""
PAUSE = 0.5
"""Seconds between two looks."""
REST = 4
"""Looks after which a mailbox is read again, because that takes a login."""
ANSWER = 10.0
"""Seconds for one look at a database or an address."""
LARGEST = 2_000_000
"""Bytes of an answer that are read."""
_STEPS = 10_000
"""Instructions of a database between two looks at the clock."""
FORMS = (
    'file PATH, sql FILE "SELECT ...", http ADDRESS or mail "HOST/USER?from=ADDRESS&password=SOURCE", then'
    " perhaps: is TEXT, or contains TEXT"
)


@dataclass(frozen=True, slots=True)
class WantedEffect:
    """One effect: where to read, and what has to be read there."""

    said: str
    """The effect in the person's words."""
    read: Callable[[Mapping[str, str]], str | None]
    """Reads the text there, given the values of the task; None if nothing is there."""
    relation: str = ""
    """`is`, `contains`, or empty if anything will do."""
    text: str = ""

    def fault(self, values: Mapping[str, str]) -> str:
        """How the place differs from the effect, in words; empty if the effect holds."""
        wanted = normal(with_values(self.text, values))
        found = self.read(values)
        if found is None:
            return "nothing is there"
        has = {"": True, "is": normal(found) == wanted, "contains": wanted in normal(found)}[self.relation]
        said = f'it says "{shorten(found)}"' if found.strip() else "it is empty"
        return "" if has else said


class WantedEffects:
    """The effects of one run; implements `OutsideEffects`."""

    def __init__(
        self, said: Sequence[str], values: Mapping[str, str], secrets: Mapping[str, str] | None = None
    ) -> None:
        """Read each effect before the run.

        Args:
            said: the effects in the form of `FORMS`; `{name}` is a value, `${secret:NAME}` a secret.

        Raises:
            ConfigError: an effect is written in another form, or its place cannot be read.
        """
        self._values = values
        self._effects = [_read_effect(one, secrets or {}) for one in said]
        try:
            self._before = [one.said for one in self._effects if not one.fault(values)]
        except Unavailable as error:
            raise ConfigError(f"{error}; nothing was done") from error
        self._patience = WAIT

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
                if (why := known if turn % REST and one.said.startswith("mail") else one.fault(self._values))
            }
            if not left:
                break
        self._patience = 0.0  # the planner's next "done" need not wait as long again
        return "; ".join(f"({one.said}) is not true: {why}" for one, why in left.items())


def _read_effect(said: str, secrets: Mapping[str, str]) -> WantedEffect:
    try:
        kind, *where = shlex.split(said)
    except ValueError:
        kind, where = "", []
    relation, text = "", ""
    if len(where) > 2 and where[-2] in ("is", "contains"):
        *where, relation, text = where
    reader = READERS.get(kind)
    if reader is None or len(where) != reader[0]:
        raise ConfigError(f"--effect {said}: write {FORMS}")
    known = [REFERENCE.sub(lambda named: secrets.get(named[1], named[0]), one) for one in where]
    return WantedEffect(said, reader[1](*known), relation, text)


Reader = Callable[[Mapping[str, str]], str | None]


def _file_reader(path: str) -> Reader:
    def read(values: Mapping[str, str]) -> str | None:
        file = user_path(with_values(path, values))
        matches = sorted(file.parent.glob(file.name)) if file.parent.is_dir() else []
        return "\n".join(map(words_in, matches)) if matches else None

    return read


def _database_reader(path: str, query: str) -> Reader:
    """Reads the first value of a query; the database is opened for reading only."""
    file = Path(user_path(path))
    names, asked = SLOT.findall(query), SLOT.sub("?", query)

    def read(values: Mapping[str, str]) -> str | None:
        seconds = deadline.remaining(ANSWER)
        until = time.monotonic() + seconds
        try:
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", seconds, uri=True)) as base:
                base.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
                row = base.execute(asked, [values.get(name, "") for name in names]).fetchone()
        except sqlite3.Error as error:
            raise Unavailable(
                f"cannot read the effect from {file}: {error}; check the file and the query"
            ) from error
        return None if row is None or row[0] is None else str(row[0])

    return read


def _address_reader(address: str) -> Reader:
    if not address.startswith(("http://", "https://")):
        raise ConfigError(f"--effect http {address}: the address begins with http:// or https://")

    def read(values: Mapping[str, str]) -> str | None:
        try:
            with urlopen(Request(with_values(address, values)), timeout=deadline.remaining(ANSWER)) as answer:
                return str(answer.read(LARGEST).decode("utf-8", "replace"))
        except HTTPError as error:
            error.close()
            return None if error.code in (404, 410) else f"{error.code} {error.reason}"
        except (OSError, HTTPException, ValueError) as error:
            raise Unavailable(f"cannot read the effect from {address}: {error}") from error

    return read


def _mail_reader(where: str) -> Reader:
    """Reads the newest wanted mail that came after the first look."""
    mails = MailCodes("mailbox", where.removeprefix("imap:"), partial(read_source, "mailbox"))

    def read(_: Mapping[str, str]) -> str | None:
        return mails.newest_text()

    return read


READERS: Mapping[str, tuple[int, Callable[..., Reader]]] = {
    "file": (1, _file_reader),
    "sql": (2, _database_reader),
    "http": (1, _address_reader),
    "mail": (1, _mail_reader),
}
"""By kind: how many words say where to read, and what makes the reader."""
