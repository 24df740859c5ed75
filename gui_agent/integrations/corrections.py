"""Reads a procedure's sentences back after a person has edited them; untouched ones keep their steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from gui_agent.core.aiming import aim, places
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint, Words
from gui_agent.planners.commands import Unparsed, parse
from gui_agent.planners.commands.commands import Command, Do, Read, Verify
from gui_agent.procedures.language.program import (
    Aim,
    Captioned,
    Const,
    DoStep,
    Expected,
    HasRole,
    Joined,
    Note,
    Program,
    Rank,
    ReadText,
    Remember,
    Selector,
    Slot,
    Step,
    Test,
    Value,
    With,
    data_of,
    nodes,
)
from gui_agent.procedures.language.wording import phrase, step_in_words, value_in_words

HOW = "write it as click, type, choose, tick, press, go to, wait for, read or check"
_SLOT = re.compile(r"\{(\w+)\}")
_BARE = re.compile(r'(?<!["\w{$])\{(\w+)\}(?!["\w}])')
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|(\{\w+\})')
_SAME_ROW = ("in the row of", "next to")


@dataclass(frozen=True, slots=True)
class EditedLine:
    """A sentence as the person left it."""

    text: str
    """Empty for a step that is to go."""
    was: int = -1
    """The index of the step that it stood for; -1 for a new one."""


class Misread(ConfigError):
    """Lines that are no steps, with the reason of each."""

    def __init__(self, faults: Mapping[int, str]) -> None:
        super().__init__("some lines are not understood; see beside them")
        self.faults = faults
        """By the index of the line."""


def corrected_program(program: Program, lines: Sequence[EditedLine]) -> Program:
    """The program with the steps that the lines say. Raises Misread: a line is no step."""
    reader, faults = _Reader(program), {}
    for number, line in enumerate(lines):
        try:
            reader.read(line)
        except ConfigError as error:
            faults[number] = str(error)
    if not reader.steps and not faults:
        faults[0] = f"a procedure needs a step: {HOW}"
    if faults:
        raise Misread(faults)
    steps = tuple(reader.steps)
    used = {node.name for node in nodes(steps) if isinstance(node, Slot)}
    parameters = tuple(replace(one, used=one.used or one.name in used) for one in program.parameters)
    return replace(program, steps=steps, parameters=parameters, alternatives=())


class _Reader:
    """Turns sentences into steps."""

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self._before = program.steps
        self._names: dict[str, Value] = {one.name: Slot(one.name) for one in program.parameters}
        self._held: dict[str, Any] = {}
        """The parts of the step before that a sentence still names, by the words that stand for them."""

    def read(self, line: EditedLine) -> None:
        """Add the step of a line; a statement to check belongs to the step before it."""
        text, was = line.text.strip(), self._before[line.was] if line.was >= 0 else None
        if was is not None and text == step_in_words(was):
            self._add(was)
        elif text:
            said, _, then = text.rstrip(".").partition("; then ")
            said = self._with_held(said, was) if isinstance(was, DoStep) else said
            commands = parse(_BARE.sub(r'"{\1}"', said))
            if isinstance(commands, Unparsed):
                raise ConfigError(f"{commands}; {HOW}")
            if len(commands) != 1:
                raise ConfigError("write one step on a line")
            self._add_command(commands[0], self._conditions_in(then, was))

    def _add(self, step: Step) -> None:
        if isinstance(step, Remember):
            self._names[step.name] = Note(step.name)
        self.steps.append(step)

    def _conditions_in(self, then: str, was: Step | None) -> tuple[Expected, ...]:
        if isinstance(was, DoStep) and then and f"; then {then}." in step_in_words(was):
            return was.expect
        return tuple(Expected("shown", self._value(one or other)) for one, other in _TEXT.findall(then))

    def _add_command(self, command: Command, expect: tuple[Expected, ...]) -> None:
        last = self.steps[-1] if self.steps else None
        match command:
            case Do(action):
                text, targets = data_of(action), places(cast("Any", action))
                aims: Any = {name: self._aim(target) for name, target in targets.items()}
                marks = {name: self._mark(target) for name, target in targets.items()}
                value = None if text is None else self._value(text)
                self._add(DoStep(aim(cast("Any", action), marks), **aims, text=value, expect=expect))
            case Read(what, name):
                self._add(Remember(name or "value", ReadText(self._aim(what).choices[0]), shown=True))
            case Verify(TextShown(text)) if isinstance(last, DoStep):
                self.steps[-1] = replace(last, expect=(*last.expect, Expected("shown", self._value(text))))
            case _:
                raise ConfigError(HOW)

    def _with_held(self, said: str, was: DoStep) -> str:
        """The sentence with a name in place of each part that plain commands could not say as well."""
        parts: list[Any] = [was.at, was.to]
        parts += [] if isinstance(was.text, Const | Slot | Note | None) else [was.text]
        for number, part in enumerate(filter(None, parts)):
            words = f"the {phrase(part.choices[0])}" if isinstance(part, Aim) else value_in_words(part)
            if words in said:
                self._held[f"part {number} as before"] = part
                said = said.replace(words, f'"part {number} as before"', 1)
        return said

    def _mark(self, target: Words) -> Fingerprint:
        return Fingerprint(target.role, "" if target.text in self._held else target.text)

    def _aim(self, target: object) -> Aim:
        if not isinstance(target, Words):
            raise ConfigError("name the element in quotes, as it is called on the screen")
        held = self._held.get(target.text)
        return held if isinstance(held, Aim) else Aim((self._selector(target),))

    def _selector(self, words: Words) -> Selector:
        tests: list[Test] = [HasRole(words.role)] if words.role else []
        tests += [Captioned(self._value(words.text))] if words.text else []
        near = Captioned(self._value(words.near))
        if words.near and words.relation not in ("for", *_SAME_ROW):
            raise ConfigError(f'"{words.relation}" is not kept; say what is in its row, or its own name')
        if words.near:
            tests.append(With(Selector((near,)), 0) if words.relation in _SAME_ROW else near)
        return Selector(tuple(tests), Rank(Const(str(words.ordinal))) if words.ordinal else None)

    def _value(self, text: str) -> Value:
        """A text with its `{name}` as values of the procedure."""
        if text in self._held:
            return cast("Value", self._held[text])
        pieces = enumerate(_SLOT.split(text))
        parts = [self._value_named(one) if number % 2 else Const(one) for number, one in pieces if one]
        return parts[0] if len(parts) == 1 else Joined(tuple(parts)) if parts else Const("")

    def _value_named(self, name: str) -> Value:
        if name not in self._names:
            known = ", ".join(f"{{{one}}}" for one in self._names) or "none"
            raise ConfigError(f"{{{name}}} is no value of this procedure; its values: {known}")
        return self._names[name]
