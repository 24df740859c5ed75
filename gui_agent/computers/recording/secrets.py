"""Replaces text typed into password fields by references wherever it occurs in a recording."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from gui_agent.core.observation import Element, Observation
from gui_agent.core.redaction import Redactor, reference
from gui_agent.core.texts import label

_SECRET_NAME = re.compile(
    r"pass(?:word|wort|phrase|code|wd)|\bpwd\b|\bpin\b|\botp\b|\bsecret|kennwort|mot de passe|contrase"
    r"|senha\b|palavra-passe|wachtwoord|has[lł]o\b|пароль|密码|密碼|パスワード|비밀번호|şifre|heslo\b|jelsz|lösenord",
    re.IGNORECASE,
)
BULLETS = "••••••••"


class Secrecy:
    """Knows the secrets of a recording, and removes them from texts and screens."""

    def __init__(
        self, known: Mapping[str, str] | None = None, fields: Collection[str] = (), *, all_typed: bool = False
    ) -> None:
        self.all_typed = all_typed
        self._names = {value: name for name, value in (known or {}).items() if value}
        self._redactor = Redactor(dict(known or {}))
        self._fields = frozenset(label(field) for field in fields)
        self._typed: set[str] = set()
        self.hidden: set[str] = set()
        """Texts typed into fields that hide them, or whose names mark them as secret."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the typed secrets."""
        return tuple(sorted({self._names[value] for value in self._typed}))

    def is_secret(self, field: str) -> bool:
        """Whether text typed into a field of this name must not be kept."""
        return self.all_typed or label(field) in self._fields

    def reference(self, value: str, field: str) -> str:
        """The reference that replaces a secret typed into a field of this name."""
        if not value:
            return value
        if value not in self._names:
            base = re.sub(r"\W+", "_", field, flags=re.ASCII).strip("_").upper() or "PASSWORD"
            taken = set(self._names.values())
            number = next(n for n in range(1, len(taken) + 2) if _with_number(base, n) not in taken)
            self._names[value] = _with_number(base, number)
            self._redactor = Redactor({name: value for value, name in self._names.items()})
        self._typed.add(value)
        return reference(self._names[value])

    def text(self, text: str) -> str:
        """The text with references in place of secrets."""
        return self._redactor.text(text)

    def screen(self, screen: Observation) -> Observation:
        place = screen.place
        clean = replace(
            place,
            title=self.text(place.title),
            url=self.text(place.url),
            others=tuple(self.text(other) for other in place.others),
        )
        elements = tuple(self._element(element) for element in screen.elements)
        return replace(screen, elements=elements, place=clean, screenshot=None)

    def _element(self, element: Element) -> Element:
        if "password" in element.states or label(element.name) in self._fields:
            hidden = BULLETS if element.value else ""
            return replace(element, value=hidden, states=element.states | {"password"})
        return replace(
            element,
            name=self.text(element.name),
            value=self.text(element.value),
            description=self.text(element.description),
            attributes={key: self.text(value) for key, value in element.attributes.items()},
        )


def names_secret(field: str) -> bool:
    """Whether a field's name says that it takes a password, even if the letters are visible."""
    return _SECRET_NAME.search(field) is not None


def _with_number(base: str, number: int) -> str:
    return base if number == 1 else f"{base}_{number}"
