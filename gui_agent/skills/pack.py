"""One skill pack: what it is for, its typed parameters, and the procedure that does it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.core.texts import suggestion

if TYPE_CHECKING:
    from gui_agent.core.trajectory import Result

Kind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MANUAL, PROCEDURE = "SKILL.md", "procedure.json"
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_name(text: str) -> bool:
    """Whether a pack can be called so: its name is that of its folder."""
    return _NAME.fullmatch(text) is not None


def check_name(text: str) -> None:
    """Raises: ConfigError: a pack cannot be called so."""
    if not is_name(text):
        raise ConfigError(f'"{text}" is no name for a skill: use small letters, digits and hyphens')


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing a skill has to be told."""

    type: Kind = "text"
    default: str | None = None
    """What is used when nothing is given; without one it must be given."""
    example: str = ""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    @property
    def required(self) -> bool:
        return self.default is None

    def __str__(self) -> str:
        given = "" if self.default is None else f", {self.default!r} unless given"
        return f"{self.type}{given}{f', such as {self.example}' if self.example else ''}"


@dataclass(frozen=True, slots=True)
class Skill:
    """A pack that was read from its folder."""

    name: str
    description: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    app: str = ""
    """Host or program it is for; empty for any."""
    start: str = ""
    """Where it begins."""
    folder: Path = field(default=Path(), compare=False)

    @property
    def procedure(self) -> Path:
        """The file with what to do."""
        return self.folder / PROCEDURE

    def bind(self, given: Mapping[str, object]) -> dict[str, str]:
        """The values as texts, checked against the parameters.

        Raises:
            ConfigError: one is unknown, missing or of the wrong type; names it and what is known.
        """
        for name in given:
            if name not in self.parameters:
                hint = suggestion(name, self.parameters) or "; it takes nothing"
                raise ConfigError(f'skill "{self.name}": there is no parameter "{name}"{hint}')
        missing = [name for name, one in self.parameters.items() if one.required and given.get(name) is None]
        if missing:
            listed = ", ".join(f"{name} ({self.parameters[name]})" for name in missing)
            raise ConfigError(f'skill "{self.name}": give a value for {listed}')
        return {name: self._text(name, value) for name, value in given.items() if value is not None}

    def run(self, **values: object) -> Result:
        """Run the skill on the screen of the person's settings, see `gui_agent.run_skill`.

        Raises:
            ConfigError: a value is unknown, missing or of the wrong type; nothing was touched.
            Unavailable: the screen could not be opened.
        """
        from gui_agent import run_skill

        return run_skill(self, values)

    def _text(self, name: str, value: object) -> str:
        kind = self.parameters[name].type
        match value:
            case str():
                text = value
            case bool():
                raise ConfigError(f'skill "{self.name}": {name} is a {kind}, not {value}')
            case int() | float() if kind != "list":
                text = str(value)
            case date() | time() if kind in ("date", "time", "text"):
                text = value.isoformat()
            case list() | tuple() if kind == "list":
                text = ", ".join(str(item) for item in value)
            case _:
                raise ConfigError(f'skill "{self.name}": {name} is a {kind}, not {value!r}')
        if kind != "text" and not text.strip():
            raise ConfigError(f'skill "{self.name}": {name} is a {kind}, and empty')
        return text
