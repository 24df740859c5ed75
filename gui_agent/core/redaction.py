"""Replaces secrets in texts by references, however the secrets are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import fields, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, TypeVar, cast

from gui_agent.core.binding import with_each_text
from gui_agent.core.spellings import PIECE, SHORTEST, has_piece, spellings

T = TypeVar("T")
HIDDEN = "${secret}"
REFERENCE = re.compile(r"\$\{secret:([A-Za-z0-9_]+)\}")
SECRET_NAMED = re.compile(r"[A-Za-z0-9_]+")
"""A valid name of a secret."""
SECRET_NAME = re.compile(
    r"(^|_)(api_?key|key|password|passwd|passphrase|pat|secrets?|token|credentials?|authorization)$"
)
"""Names of settings and variables that contain secrets, in lower case."""
OURS = "GUIAGENT_"
"""Prefix of the agent's own variables, which other programs must not see."""


def public_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables without our own, without secrets by their name, and without values that contain our
    secrets.
    """
    given = {value for name, value in variables.items() if name.startswith(f"{OURS}SECRET_")}
    secrets = [value for value in given if len(value) >= SHORTEST]
    named = {name for name in variables if name.startswith(OURS) or SECRET_NAME.search(name.lower())}
    kept = ((name, value) for name, value in variables.items() if name not in named)
    return {name: value for name, value in kept if not any(map(value.__contains__, secrets))}


def reference(name: str) -> str:
    """The reference that replaces a secret everywhere except on the device."""
    return f"${{secret:{name}}}"


class Redactor:
    """Replaces secret values by references, however they are written.

    The value itself becomes `${secret:NAME}`, which can be typed again; any other form of it, in capitals,
    encoded or with blanks, becomes `${secret}`. `hide_part` hides a part that a field has cut off; parts are
    not hidden in general, because the first half of many passwords is an ordinary word.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        """Args:
        secrets: values by name; empty ones hide nothing. `KnownSecrets` may hide further data.
        """
        self._private = getattr(secrets, "private", None)
        self._names = {value: name for name, value in (secrets or {}).items() if value.strip()}
        self._nameless: set[str] = set()
        self._prepare()

    def _prepare(self) -> None:
        ordered = sorted(self._names.keys() | self._nameless, key=len, reverse=True)
        # A reference must not be replaced again, whatever the secret is.
        ways = [r"\$\{secret(?::\w+)?\}", *chain.from_iterable(map(spellings, ordered))]
        self._pattern = re.compile("|".join(ways)) if ordered else None
        self.text = lru_cache(maxsize=32_768)(partial(self._hide_in, self._pattern, self._names))
        """The text with every secret replaced."""

    def _hide_in(self, pattern: re.Pattern[str] | None, names: Mapping[str, str], text: str) -> str:
        hidden = _replace_secrets(pattern, names, text)
        return self._private.hide(hidden) if self._private is not None and text else hidden

    def reveal(self, given: T) -> T:
        """The same text or action with its references to personal data resolved."""
        if self._private is None:
            return given
        known: Mapping[str, str] = self._private.found
        if isinstance(given, str):
            return cast(T, REFERENCE.sub(lambda match: known.get(match[1], match[0]), given))
        texts = {one.name: getattr(given, one.name) for one in fields(cast(Any, given)) if one.name != "kind"}
        said = {name: self.reveal(text) for name, text in texts.items() if isinstance(text, str)}
        return (
            cast(T, replace(cast(Any, given), **said))
            if said != {name: texts[name] for name in said}
            else given
        )

    def hide(self, values: Iterable[str], name: str = "") -> None:
        """Hide these values too from now on, as the secret of that name; values that are too short are
        ignored.
        """
        new = {value for value in values if len(value.strip()) >= PIECE} - self._names.keys() - self._nameless
        if new:
            self._names |= dict.fromkeys(new, name) if name else {}
            self._nameless |= set() if name else new
            self._prepare()

    def hide_part(self, held: str) -> None:
        """Hide a field's content if it is at least half of a secret, which may have been cut off."""
        part = held.casefold()
        if any(part in value.casefold() and 2 * len(held) >= len(value) for value in self._names):
            self.hide((held,))

    def __bool__(self) -> bool:
        return self._pattern is not None or self._private is not None

    def value(self, given: T, task: str = "") -> T:
        """The same value with every secret in its texts replaced; a part without secrets stays the same
        object.

        Args:
            task: a text of the person. A secret whose reference it has is not replaced: elsewhere in a task,
                its value is an ordinary word, such as a user name that is also the password.
        """
        return self._with_references(given, task) if self else given

    def _with_references(self, given: T, task: str) -> T:
        named, one = REFERENCE.findall(task), self
        if named:
            one = copy(self)
            one._names = {value: name for value, name in self._names.items() if name not in named}
            one._prepare()
        return cast(T, with_each_text(given, one.text))

    def hints(self, text: str) -> bool:
        """Whether a piece of a secret is in the text, as in a field that accepts only a part."""
        return any(has_piece(text, value) for value in self._names.keys() | self._nameless)


def _replace_secrets(pattern: re.Pattern[str] | None, names: Mapping[str, str], text: str) -> str:
    def stand_in(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith("${secret"):
            return found
        return reference(names[found]) if found in names else HIDDEN

    return text if pattern is None or not text else pattern.sub(stand_in, text)
