"""Codes that a site sends by mail, read from the person's own mailbox and left there untouched.

What a mail says is data: it is searched for one code, and no planner, model or trace sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.errors import MessageError
from email.policy import default
from functools import partial
from html.parser import HTMLParser
from imaplib import IMAP4, IMAP4_SSL
from ssl import create_default_context
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ConfigError, Unavailable

WAIT = 60.0
"""Seconds to wait for the mail."""
PAUSE = 2.0
"""Seconds between two looks into the mailbox."""
ANSWER = 15.0
"""Seconds for the server to answer one request."""
LARGEST = 200_000
"""Bytes of a mail that are read."""
_NEVER = 2**32 - 1
"""A number that no mail has."""
_LOOPBACK = re.compile(r"localhost|::1|127(\.\d+){3}")
"""Hosts to which nothing leaves this machine, so that TLS may be missing."""
_STANDING = r"(?<!\w)(?<![0-9][ .,:/-])[0-9]{4,8}(?!\w)(?![ .,:/-][0-9])"
"""A number that is no part of a word, date, amount or telephone number."""
_CODE = re.compile(r"[0-9A-Za-z]{4,8}")
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]|://\S+")
"""Letters without a width, and addresses, whose numbers are no codes."""
_INLINE = ("a", "b", "big", "code", "em", "font", "i", "mark", "small", "span", "strong", "tt", "u", "wbr")
"""Elements within which a word or number goes on."""
_UNREADABLE = (MessageError, LookupError, ValueError, TypeError, AttributeError, RecursionError)
"""What a malformed or removed mail makes the parser raise."""


class MailCodes:
    """Returns, when called, the code in the newest wanted mail that came since the run's first step."""

    def __init__(self, name: str, where: str, read: Callable[[str], tuple[str, object]]) -> None:
        """Read a source such as `mail.example.org/ada?from=bank.example&password=env:MAIL`.

        Args:
            read: returns, for another source, its value first: the mailbox's password.
        """
        try:
            at = urlsplit("//" + where.replace("+", "%2B").replace("#", "%23"))
            told = dict(parse_qsl(at.query))
            self._host, self._port, self._user = at.hostname or "", at.port, unquote(at.path[1:])
            self._sender, source = told.pop("from").casefold(), told.pop("password")
            self._subject = told.pop("subject", "").casefold()
            self._pattern = re.compile(told.pop("pattern", _STANDING))
        except (KeyError, ValueError, re.error):
            self._host = ""
        if not self._host or not self._user or told:
            raise ConfigError(
                f"secret {name}: write imap:HOST/USER?from=ADDRESS&password=SOURCE; also possible are"
                " &subject=WORDS and &pattern=REGEX (in a value, write & as %26)"
            )
        self.name, (self.password, _) = name, read(source)
        self._first = self._next = 0

    def begin_step(self) -> None:
        """Before a step without the code: the run's first one notes which mails are old, and a later one
        spends the code that was given.
        """
        if not self._next:
            with self._inbox() as inbox:
                # Where the server does not tell the number of its next mail, no mail is a new one.
                self._next = int(inbox.response("UIDNEXT")[1][0] or _NEVER)
        self._first = self._next

    def __call__(self) -> str:
        if not self._next:
            self.begin_step()
        with self._inbox() as inbox:
            codes = self._new_codes(inbox)
        if len(codes) != 1:
            several = f"a mail has {len(codes)} texts that may be the code {self.name}"
            raise ActionFailed(
                several if codes else f"no mail with the code {self.name} came; let the page send one",
                advice="compare the mail with what from=, subject= and pattern= in the source of the code ask"
                " for; only mails since the run's first step count",
            )
        return codes.pop()

    def _new_codes(self, inbox: IMAP4) -> set[str]:
        """What may be the code in the newest mail that has one; empty if none came."""
        for _ in deadline.turns(deadline.remaining(WAIT), PAUSE, least=1):
            for uid, text in self._new_mails(inbox):
                if codes := self._codes_in(text):
                    self._next = uid + 1
                    return codes
        return set()

    def newest_text(self) -> str | None:
        """The text of the newest wanted mail that came after the first call; None if none came."""
        if not self._next:
            self.begin_step()
        with self._inbox() as inbox:
            return next((text for _, text in self._new_mails(inbox)), None)

    def _new_mails(self, inbox: IMAP4) -> Iterator[tuple[int, str]]:
        """Number and text of each wanted mail since the first step, newest first."""
        inbox.noop()
        listed = inbox.uid("SEARCH", f"UID {self._first}:*")[1][0] or b""
        for uid in sorted(filter(self._first.__le__, map(int, listed.split())), reverse=True):
            text = self._wanted_text(inbox.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{LARGEST}>)")[1])
            if text is not None:
                yield uid, text

    def _wanted_text(self, answer: Any) -> str | None:
        """Subject and text of a mail; None if it is not a wanted one, malformed, or gone."""
        try:
            mail: Any = message_from_bytes(answer[0][1], policy=default)
            (header,) = mail.get_all("from")
            (sender,) = header.addresses
            subject = str(mail["subject"])
            text = "\n".join([subject, *map(_text_of, mail.walk())])
        except _UNREADABLE:
            return None
        wanted = self._sender in (sender.addr_spec.casefold(), sender.domain.casefold())
        return text if wanted and self._subject in subject.casefold() else None

    def _codes_in(self, text: str) -> set[str]:
        """What may be the code in the text of a mail."""
        found = self._pattern.finditer(_UNSEEN.sub("", text))
        codes = (re.sub(r"[\s-]", "", one[bool(self._pattern.groups)] or "") for one in found)
        return set(filter(_CODE.fullmatch, codes))

    @contextmanager
    def _inbox(self) -> Iterator[IMAP4]:
        """The inbox, opened for reading only."""
        server: Callable[..., IMAP4] = partial(IMAP4_SSL, ssl_context=create_default_context())
        server, port = (IMAP4, 143) if _LOOPBACK.fullmatch(self._host) else (server, 993)
        try:
            with server(self._host, self._port or port, timeout=deadline.remaining(ANSWER, 1.0)) as inbox:
                inbox.login(self._user, self.password)
                inbox.select(readonly=True)
                yield inbox
        except (OSError, IMAP4.error, UnicodeEncodeError) as error:
            refused = "it broke off" if isinstance(error, IMAP4.abort) else "it refused the login"
            said = (error.strerror or str(error)) if isinstance(error, OSError) else refused
            raise Unavailable(
                f"secret {self.name}: cannot read the mail of {self._user} at {self._host} ({said}); check"
                " the host, that it speaks TLS, and the password: many providers want one made for a program"
            ) from error


class _PageText(HTMLParser):
    """The text of a page, in which only elements within a line join their texts."""

    text = ""

    def handle_starttag(self, tag: str, attrs: object = None) -> None:
        self.text += "" if tag in _INLINE else "\n"

    handle_endtag = handle_starttag

    def handle_data(self, data: str) -> None:
        if not self.cdata_elem:  # neither a style nor a script
            self.text += re.sub(r"\s+", " ", data)


def _text_of(part: Any) -> str:
    if part.get_content_maintype() != "text" or part.is_attachment():
        return ""
    if part.get_content_subtype() != "html":
        return str(part.get_content())
    page = _PageText()
    page.feed(part.get_content())
    page.close()
    return page.text
