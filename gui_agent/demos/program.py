"""Procedures: what was learned from the demonstrations of one task, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from gui_agent.core.geometry import STRICT
from gui_agent.demos.language import Step, Value

SlotKind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A slot of a program: what may be given for it, and what is used when nothing is given."""

    name: str
    type: SlotKind = "text"
    default: str | None = None
    examples: tuple[str, ...] = ()
    used: bool = True
    """Whether a step uses it. What else it may say is unknown: only the examples are accepted."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Program:
    """A procedure: the instructions it answers to, its slots and its steps."""

    name: str
    templates: tuple[str, ...]
    """Instructions with slots in braces, such as `Send {text} to {to}`."""
    steps: tuple[Step, ...]
    parameters: tuple[Parameter, ...] = ()
    start: str = ""
    answer: Value | None = None
    platform: str = ""
    own_words: bool = False
    """Whether the demonstrations were worded so differently that any clear wording will do."""
    demonstrations: int = 1
    """How many demonstrations it was learned from."""
    cost: float = 0.0
    """Description length; of two programs that fit, the cheaper one was kept."""
    format: Literal["guiagent-program-1"] = "guiagent-program-1"
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def instruction(self, values: Mapping[str, str] | None = None) -> str:
        """The first wording with values in it; what is not given is taken from the demonstrations."""
        text = self.templates[0]
        for parameter in self.parameters:
            shown = parameter.examples[0] if parameter.examples else parameter.default or ""
            text = text.replace(f"{{{parameter.name}}}", (values or {}).get(parameter.name, shown))
        return text
