"""Finds personal data in texts by its form and its check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import blake2b
from itertools import chain

from gui_agent.core.errors import ConfigError

_REFERENCE = r"\$\{secret(?::\w+)?\}"
_PRIVATE = re.compile(r"\$\{secret:([A-Z]\w*)_[0-9a-f]{32}\}")


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def passes_luhn(text: str) -> bool:
    """Whether the digits in a text pass the check of payment card numbers (Luhn, ISO/IEC 7812-1)."""
    doubled = [int(one) * (1 + at % 2) for at, one in enumerate(reversed(_digits(text)))]
    return sum(one - 9 * (one > 9) for one in doubled) % 10 == 0 and len(set(_digits(text))) > 1


def _is_iban(text: str) -> bool:
    plain = re.sub(r"[\s-]", "", text)
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1


def _is_phone(text: str) -> bool:
    return (8 if text.startswith(("+", "00")) else 9) <= len(_digits(text)) <= 15


KINDS: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "mail": (r"[\w.+%-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+", lambda _text: True),
    "iban": (r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?!\w)", _is_iban),
    "card": (r"(?<![\w.,-])\d(?:[ .-]?\d){12,18}(?!\w)", passes_luhn),
    "phone": (
        r"(?<![\w.,-])(?!\d\d[./-]\d\d[./-]\d{4})(?:\+|\(?0|\()\d(?:[ ./()-]{0,2}\d){6,13}(?!\w)",
        _is_phone,
    ),
}
"""For each kind: its pattern, and a further check of a match."""


def private_slots(texts: Iterable[str]) -> dict[str, str]:
    """The references to personal data in some texts, named after their kinds: `mail`, `mail2` ..."""
    slots: dict[str, str] = {}
    for found in chain.from_iterable(map(_PRIVATE.finditer, texts)):
        kind = found[1].lower()
        if found[0] not in slots.values():
            number = sum(name.rstrip("0123456789") == kind for name in slots) + 1
            slots[f"{kind}{number}" if number > 1 else kind] = found[0]
    return slots


class PrivateData:
    """Replaces personal data by references, and resolves them again for the device.

    The reference of a value is the same in every run of an installation, so that a procedure learned with it
    can run again; only the screen on which the value was seen can resolve it.
    """

    def __init__(self, patterns: Iterable[str], key: bytes) -> None:
        """
        Args:
            patterns: kinds of `KINDS`, or `NAME=REGEX` for other data.
            key: secret bytes of this installation; without them, references reveal nothing.
        """
        self.found: dict[str, str] = {}
        """Values by the name of their reference."""
        self._key = key
        self._kinds: dict[str, tuple[str, Callable[[str], bool]]] = {}
        for given in patterns:
            name, equals, regex = given.partition("=")
            if not re.fullmatch(r"[A-Za-z]\w*", name) or (not equals and name not in KINDS):
                known = ", ".join(KINDS)
                raise ConfigError(f"privacy.patterns: {given!r} is neither one of {known} nor NAME=REGEX")
            try:
                re.compile(regex)
            except re.error as error:
                raise ConfigError(f"privacy.patterns: {given}: not a regular expression: {error}") from error
            self._kinds[name] = (f"(?:{regex})", bool) if equals else KINDS[name]
        ordered = sorted(self._kinds, key=[*KINDS, *self._kinds].index)
        self._patterns = {name: re.compile(f"{_REFERENCE}|{self._kinds[name][0]}") for name in ordered}

    def hide(self, text: str) -> str:
        """The text with references in place of personal data."""
        for name, pattern in self._patterns.items():
            text = pattern.sub(partial(self._stand_in, name), text)
        return text

    def _stand_in(self, kind: str, match: re.Match[str]) -> str:
        text = match.group()
        if text.startswith("${secret"):
            return text
        for end in (len(text), *(gap.start() for gap in reversed(list(re.finditer("[ -]", text))))):
            value = text[:end]  # following words may look like a part of it
            if len(value) >= 4 and self._fits(kind, value):
                digest = blake2b(value.encode(), key=self._key, digest_size=16).hexdigest()
                name = f"{kind.upper()}_{digest}"
                is_mine = self.found.setdefault(name, value) == value
                return (f"${{secret:{name}}}" if is_mine else "${secret}") + text[end:]
        return text

    def _fits(self, kind: str, value: str) -> bool:
        pattern, holds = self._kinds[kind]
        return re.fullmatch(pattern, value) is not None and holds(value)


class KnownSecrets(dict[str, str]):
    """Secrets by name, with other data to hide."""

    private: PrivateData | None = None
