"""Writes programs in plain words: numbered sentences that a person can check and correct."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any, cast

from gui_agent.core.actions import Check, Click, Hold, Press
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.program import (
    Applied,
    Captioned,
    Const,
    DoStep,
    Every,
    Expected,
    Extreme,
    ForEach,
    Guided,
    HasRole,
    InState,
    Joined,
    NamedAsOneOf,
    Program,
    Rank,
    ReadText,
    Remember,
    Selector,
    Steer,
    Step,
    Survey,
    Table,
    Test,
    Until,
    Value,
    When,
    With,
    nodes,
)

_WORDS: dict[str, str] = tomllib.loads(
    files("gui_agent.procedures.language").joinpath("wording.toml").read_text("utf-8")
)
_HOW = {"is": "", "has": "with ", "starts": "starting with ", "ends": "ending with "}


def sentences(program: Program) -> list[str]:
    """The program as numbered sentences, nested steps indented."""
    return [
        f"{'   ' * depth}{number}. {text}" for depth, number, text in _number_steps(program.steps, 0, program)
    ]


def describe(program: Program) -> str:
    """The instructions that a program matches, the sources of its values, and its steps."""
    lines = [f'"{template}"' for template in program.templates]
    lines += [f"  {line}" for line in sources(program)]
    return "\n".join([*lines, *sentences(program)])


def sources(program: Program) -> list[str]:
    """One line for each value: varies with the task, stays constant, or is read from the screen."""
    told: list[str] = []
    for parameter in program.parameters:
        examples = f", such as {', '.join(parameter.examples[:3])}" if parameter.examples else ""
        how = f"varies with the task: {parameter.type}{examples}"
        if parameter.default is not None:
            how = f'stays "{parameter.default}", unless it is given'
        told.append(f"{{{parameter.name}}} {how}")
    for step in nodes(program.steps):
        if isinstance(step, Remember):
            told.append(f"{{{step.name}}} is read each time: {value_in_words(step.value)}")
        elif isinstance(step, DoStep) and any(isinstance(node, ReadText) for node in nodes(step.text)):
            told.append(f"What is read each time: {step_in_words(step)}")
    if program.answer is not None:
        told.append(f"The answer is read each time: {value_in_words(program.answer)}")
    return told


def phrase(selector: Selector, scope: Scope | None = None) -> str:
    """A selector in words; with a scope, its values are filled in."""
    parts = [_test(test, scope) for test in selector.tests if not isinstance(test, HasRole)]
    text = " ".join([selector.role or "element", *parts])
    match selector.pick:
        case Rank(number, paged):
            over = ", counted over the pages" if paged else ""
            return f"{text}, number {value_in_words(number, scope)} of those{over}"
        case Extreme(most):
            return f"{text}, the {'largest' if most else 'smallest'} of those"
        case None:
            return text


def value_in_words(value: Value, scope: Scope | None = None) -> str:
    """A value in words; with a scope, slots are replaced by their values."""
    if scope is not None and not isinstance(value, Const):
        now = value_of(value, scope)
        if now is not None:
            return f'"{now}"'
    match value:
        case Joined(parts):
            return " + ".join(value_in_words(part, scope) for part in parts)
        case Applied(construct, of, options):
            known = constructs().values.get(construct)
            return (
                construct
                if known is None
                else known.words([value_in_words(one, scope) for one in of], options)
            )
        case Table(of, entries):
            pairs = ", ".join(f"{key}: {text}" for key, text in entries.items())
            return f"{value_in_words(of, scope)} looked up in ({pairs})"
    return _by_table(value, scope)


def _by_table(node: Any, scope: Scope | None) -> str:
    parts = {one.name: _part(getattr(node, one.name), scope) for one in fields(node)}
    return _WORDS[node.kind].format(**parts)


def _part(part: Any, scope: Scope | None) -> str:
    if isinstance(part, Selector):
        return phrase(part, scope)
    return value_in_words(cast(Value, part), scope) if is_dataclass(part) else str(part)


def _test(test: Test, scope: Scope | None) -> str:
    match test:
        case Captioned(text, how):
            return f"{_HOW[how]}{value_in_words(text, scope)}"
        case NamedAsOneOf(texts):
            return "called " + " or ".join(f'"{text}"' for text in texts)
        case InState(state, on):
            return f"that is {'' if on else 'not '}{state}"
        case With(anchor, up):
            return f"{'on the line of' if up == 0 else 'beside'} the {phrase(anchor, scope)}"
    return _by_table(test, scope)


def _number_steps(steps: tuple[Step, ...], depth: int, program: Program) -> Iterator[tuple[int, int, str]]:
    for number, step in enumerate(steps, 1):
        yield depth, number, step_in_words(step)
        if isinstance(step, ForEach | Every | Survey | Until | Guided | When):
            yield from _number_steps(step.body, depth + 1, program)


def step_in_words(step: Step, scope: Scope | None = None) -> str:
    """One step in words without its inner steps; with a scope, its values are filled in."""
    match step:
        case DoStep():
            return f"{_do(step, scope)}{_then(step.expect, scope)}."
        case Remember(name, value):
            return f"Remember {value_in_words(value)} as {{{name}}}."
        case Every(of, _, limit):
            most = "" if limit is None else f", {value_in_words(limit, scope)} at most"
            return f"For every {phrase(of, scope)}{most}:"
        case Survey(of, most):
            return f"The {phrase(of, scope)} with the {'largest' if most else 'smallest'} number:"
        case Guided(construct, given):
            loop = constructs().loops.get(construct)
            ends = [value_in_words(one, scope) for one in given]
            return f"{construct}:" if loop is None else loop.words(ends)
        case Steer(reading, goal, up, down):
            ways = " or ".join(f"{_do(one)}{_then(one.expect)}" for one in (*up, *down))
            return f"{ways}, until {value_in_words(reading)} is {value_in_words(goal, scope)}."
    return _by_table(step, scope)


_VERBS = {"type": "Type", "choose": "Choose", "navigate": "Go to"}
_PLACED = {"check": "", "click": "", "drag": "", "scroll": "over "}
"""The preposition before the target of an action; by default `in`."""


def _do(step: DoStep, scope: Scope | None = None) -> str:
    parts = [_verb(step, scope)]
    if step.text is not None:
        parts.append(value_in_words(step.text, scope))
    if step.at is not None:
        parts.append(f"{_PLACED.get(step.action.kind, 'in ')}the {phrase(step.at.choices[0], scope)}")
    if step.to is not None:
        parts.append(f"to the {phrase(step.to.choices[0], scope)}")
    return " ".join(parts)


def _verb(step: DoStep, scope: Scope | None) -> str:
    match step.action:
        case Check(on=on):
            return "Tick" if on else "Untick"
        case Click(clicks=clicks, button=button):
            verb = {1: "Click", 2: "Double-click"}.get(clicks, f"Click {clicks} times on")
            return "Right-click" if button == "right" else verb
        case Press(keys=keys, times=times):
            often = value_in_words(step.times, scope) if step.times is not None else str(times)
            return f"Press {'+'.join(keys)}" + (f" {often} times" if often != "1" else "")
        case Hold(keys=keys, seconds=seconds):
            return f"Hold {'+'.join(keys)} for {seconds:g} s"
    return _VERBS.get(step.action.kind, step.action.kind.capitalize())


def _then(expect: tuple[Expected, ...], scope: Scope | None = None) -> str:
    shown = [value_in_words(e.text, scope) for e in expect if e.what == "shown"]
    return f"; then {' and '.join(shown[:2])} is shown" if shown else ""
