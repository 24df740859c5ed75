"""What a person allowed for the rest of a run: kinds of meaning, on certain hosts or in certain programs."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass

from gui_agent.agent.guard.addresses import host_of, netloc_of, origin_fits
from gui_agent.agent.guard.context import MEANINGS
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Place

ANY = "*"
REPEAT = "repeat"
"""Granted by name only: submitting the same thing a second time."""
_IMPLIED = {"password": ("submit-credentials",)}
"""Who may type the password may press the button that signs in with it."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Yes to one kind of meaning, `*` for every kind, at one host or program, `*` anywhere."""

    meaning: str = ANY
    scope: str = ANY

    def covers(self, meaning: str, place: Place) -> bool:
        """Whether an action of this meaning may be done there without asking."""
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
        return fnmatch.fnmatchcase(place.app.casefold(), self.scope.casefold())

    def __str__(self) -> str:
        return self.meaning if self.scope == ANY else f"{self.meaning}@{self.scope}"


@dataclass(frozen=True, slots=True)
class Grants:
    """All that was granted. It answers questions of the guard, it never overrules what is forbidden."""

    all: tuple[Grant, ...] = ()

    @classmethod
    def yes(cls) -> Grants:
        """Yes to everything that would be asked, except to doing the same thing twice."""
        return cls((Grant(),))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Grants:
        """Read grants written as `meaning`, or `meaning@host` for one place only.

        Raises:
            ConfigError: an unknown meaning.
        """
        grants = []
        for text in texts:
            meaning, at, scope = text.strip().partition("@")
            if at and not scope.strip():
                raise ConfigError(
                    f'"{text}" names no place after the @; write {meaning}@host, or {meaning} alone'
                )
            if meaning not in (ANY, REPEAT, *MEANINGS):
                known = ", ".join((*MEANINGS, REPEAT))
                raise ConfigError(f'"{meaning}" is no kind of action that can be granted; known: {known}')
            grants.append(Grant(meaning, scope or ANY))
        return cls(tuple(grants))

    def covers(self, meaning: str, place: Place) -> bool:
        """Whether an action of this meaning may be done there without asking."""
        return any(grant.covers(meaning, place) for grant in self.all)

    def plus(self, grant: Grant) -> Grants:
        """These and one more."""
        return Grants((*self.all, grant))


def scope_of(place: Place) -> str:
    """The narrowest scope that a grant given here should have: this host, or this program."""
    return netloc_of(place.url) or place.app or ANY
