"""Procedures: what was learned from the demonstrations of one task, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gui_agent.core.geometry import Strict
from gui_agent.procedures.language.expressions import Value
from gui_agent.procedures.language.steps import Step

SlotKind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]


@dataclass(frozen=True, slots=True)
class SlotParameter(Strict):
    """A slot of a program: what may be given for it, and what is used when nothing is given."""

    name: str
    type: SlotKind = "text"
    default: str | None = None
    examples: tuple[str, ...] = ()
    used: bool = True
    """Whether a step uses it. What else it may say is unknown: only the examples are accepted."""


@dataclass(frozen=True, slots=True)
class Alternative(Strict):
    """Other steps for the same task, tried where the first ones cannot go on."""

    steps: tuple[Step, ...]
    origin: str = ""
    """Id of the proposal that a repaired run left; empty for what induction gives."""


@dataclass(frozen=True, slots=True)
class Program(Strict):
    """A procedure: the instructions it answers to, its slots and its steps."""

    name: str
    templates: tuple[str, ...]
    """Instructions with slots in braces, such as `Send {text} to {to}`."""
    steps: tuple[Step, ...]
    parameters: tuple[SlotParameter, ...] = ()
    start: str = ""
    answer: Value | None = None
    platform: str = ""
    preferred: bool = False
    """Whether the person said that, of several ways, this one is meant."""
    own_words: bool = False
    """Whether the demonstrations were worded so differently that any clear wording will do."""
    demonstrations: int = 1
    """How many demonstrations it was learned from."""
    cost: float = 0.0
    """Description length; of two programs that fit, the cheaper one was kept."""
    alternatives: tuple[Alternative, ...] = ()
    """What may be tried where a step cannot be carried out, if all done so far would have been the same."""
    format: Literal["guiagent-program-1"] = "guiagent-program-1"

    def instruction(self, values: Mapping[str, str] | None = None) -> str:
        """The first wording with values in it; what is not given is taken from the demonstrations."""
        text = self.templates[0]
        for parameter in self.parameters:
            shown = parameter.examples[0] if parameter.examples else parameter.default or ""
            text = text.replace(f"{{{parameter.name}}}", (values or {}).get(parameter.name, shown))
        return text

    @property
    def ways(self) -> tuple[Program, ...]:
        """The program itself, and with the steps of each alternative."""
        return (self, *(replace(self, steps=other.steps) for other in self.alternatives))


def address(program: int, way: int = 0) -> str:
    """How a bookmark names a program among several, and which of its ways."""
    return f"{program}/{way}" if way else str(program)


def numbers_of(name: str) -> tuple[int, int]:
    """The program and the way that a bookmark names, by their numbers."""
    program, _, way = name.partition("/")
    return int(program), int(way or 0)


def program_named(programs: Sequence[Program], name: str) -> Program:
    """The program that a bookmark names, with the steps of the way it names."""
    program, way = numbers_of(name)
    return programs[program].ways[way]
