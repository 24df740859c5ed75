"""Programs in plain words: numbered sentences that a person can check and correct."""

from __future__ import annotations

from collections.abc import Iterator

from gui_agent.core.actions import Check, Click, Drag, Hold, Press, Scroll
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.program import (
    After,
    Applied,
    Attribute,
    Captioned,
    Const,
    Count,
    DoStep,
    Every,
    Expected,
    Extreme,
    ForEach,
    Formed,
    Guided,
    HasRole,
    Holding,
    InState,
    Item,
    Joined,
    Mentioned,
    NamedAsOneOf,
    Note,
    Piece,
    Program,
    Rank,
    ReadText,
    Remember,
    Selector,
    Slot,
    Steer,
    Step,
    Survey,
    Table,
    Test,
    Under,
    Until,
    Untried,
    Value,
    When,
    With,
    nodes,
)

_HOW = {"is": "", "has": "with ", "starts": "starting with ", "ends": "ending with "}


def sentences(program: Program) -> list[str]:
    """The program as numbered sentences, nested steps indented."""
    return [
        f"{'   ' * depth}{number}. {text}" for depth, number, text in _number_steps(program.steps, 0, program)
    ]


def describe(program: Program) -> str:
    """The instructions a program answers to, where its values come from, and its steps."""
    lines = [f'"{template}"' for template in program.templates]
    lines += [f"  {line}" for line in sources(program)]
    return "\n".join([*lines, *sentences(program)])


def sources(program: Program) -> list[str]:
    """What varies with the task, what stays as it was shown, and what is read from where, a line for each."""
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
    """A selector in words; with a scope its values are filled in."""
    role = next((t.role for t in selector.tests if isinstance(t, HasRole)), "element")
    parts = [_test(test, scope) for test in selector.tests if not isinstance(test, HasRole)]
    text = " ".join([role, *parts])
    match selector.pick:
        case Rank(number, paged):
            over = ", counted over the pages" if paged else ""
            return f"{text}, number {value_in_words(number, scope)} of those{over}"
        case Extreme(most):
            return f"{text}, the {'largest' if most else 'smallest'} of those"
        case None:
            return text


def value_in_words(value: Value, scope: Scope | None = None) -> str:
    """A value in words; with a scope slots are replaced by what they hold."""
    if scope is not None and not isinstance(value, Const):
        now = value_of(value, scope)
        if now is not None:
            return f'"{now}"'
    match value:
        case Const(text):
            return f'"{text}"'
        case Slot(name) | Note(name):
            return f"{{{name}}}"
        case Item():
            return "the item"
        case Formed(of, form):
            return f"{value_in_words(of, scope)} ({form})"
        case Joined(parts):
            return " + ".join(value_in_words(part, scope) for part in parts)
        case Piece(of, number, by):
            return f"{by} {value_in_words(number, scope)} of {value_in_words(of, scope)}"
        case Applied() | ReadText():
            return _worked_out_in_words(value, scope)
        case Count(of):
            return f"the number of: {phrase(of, scope)}"
        case Table(of, entries):
            pairs = ", ".join(f"{key}: {text}" for key, text in entries.items())
            return f"{value_in_words(of, scope)} looked up in ({pairs})"


def _worked_out_in_words(value: Applied | ReadText, scope: Scope | None) -> str:
    if isinstance(value, ReadText):
        return f"the {value.what} of the {phrase(value.of, scope)}"
    known = constructs().value(value.construct)
    given = [value_in_words(one, scope) for one in value.of]
    return value.construct if known is None else known.words(given, value.options)


def _test(test: Test, scope: Scope | None) -> str:
    match test:
        case HasRole(role):
            return role
        case Captioned(text, how):
            return f"{_HOW[how]}{value_in_words(text, scope)}"
        case NamedAsOneOf(texts):
            return "called " + " or ".join(f'"{text}"' for text in texts)
        case Holding(text):
            return f"holding {value_in_words(text, scope)}"
        case Mentioned():
            return "named in the instruction"
        case Attribute(name, text):
            return f"with {name} {value_in_words(text, scope)}"
        case InState(state, on):
            return f"that is {'' if on else 'not '}{state}"
        case With(anchor, up):
            return f"{'on the line of' if up == 0 else 'beside'} the {phrase(anchor, scope)}"
        case Under(heading):
            return f"under the {phrase(heading, scope)}"
        case After(anchor):
            return f"after the {phrase(anchor, scope)}"
        case Untried():
            return "not tried yet"


def _number_steps(steps: tuple[Step, ...], depth: int, program: Program) -> Iterator[tuple[int, int, str]]:
    for number, step in enumerate(steps, 1):
        yield depth, number, step_in_words(step)
        if isinstance(step, ForEach | Every | Survey | Until | Guided | When):
            yield from _number_steps(step.body, depth + 1, program)


def step_in_words(step: Step, scope: Scope | None = None) -> str:
    """One step in words, without the steps inside it; with a scope its values are filled in."""
    match step:
        case DoStep():
            return _do(step, scope)
        case Remember(name, value):
            return f"Remember {value_in_words(value)} as {{{name}}}."
        case ForEach(items, _, _):
            return f"For each item of {value_in_words(items, scope)}:"
        case Every(of, _, limit):
            most = "" if limit is None else f", {value_in_words(limit, scope)} at most"
            return f"For every {phrase(of, scope)}{most}:"
        case Survey(of, most):
            return f"The {phrase(of, scope)} with the {'largest' if most else 'smallest'} number:"
        case Until(shown, _):
            return f"Until the {phrase(shown, scope)} is shown:"
        case Guided(construct, given):
            loop = constructs().loop(construct)
            ends = [value_in_words(one, scope) for one in given]
            return f"{construct}:" if loop is None else loop.words(ends)
        case When(shown, _):
            return f"When the {phrase(shown, scope)} is shown:"
        case Steer(reading, goal, up, down):
            ways = " or ".join(_do(step).rstrip(".") for step in (*up, *down))
            return f"{ways}, until {value_in_words(reading)} is {value_in_words(goal, scope)}."


def _do(step: DoStep, scope: Scope | None = None) -> str:
    action = step.action
    at = "" if step.at is None else f"the {phrase(step.at.choices[0], scope)}"
    text = "" if step.text is None else value_in_words(step.text, scope)
    match action:
        case Check(on=on):
            words = f"{'Tick' if on else 'Untick'} {at}"
        case Click(clicks=clicks, button=button):
            verb = {1: "Click", 2: "Double-click"}.get(clicks, f"Click {clicks} times on")
            words = f"{'Right-click' if button == 'right' else verb} {at}"
        case Press(keys=keys, times=times):
            often = value_in_words(step.times, scope) if step.times is not None else str(times)
            words = f"Press {'+'.join(keys)}" + (f" {often} times" if often != "1" else "")
        case Hold(keys=keys, seconds=seconds):
            words = f"Hold {'+'.join(keys)} for {seconds:g} s"
        case Drag():
            words = f"Drag {at} to " + ("" if step.to is None else f"the {phrase(step.to.choices[0], scope)}")
        case Scroll():
            words = f"Scroll over {at}" if at else "Scroll"
        case _:
            verb = {"type": "Type", "choose": "Choose", "navigate": "Go to"}.get(
                action.kind, action.kind.capitalize()
            )
            words = " ".join(part for part in (verb, text, f"in {at}" if at else "") if part)
    return f"{words}{_then(step.expect, scope)}."


def _then(expect: tuple[Expected, ...], scope: Scope | None = None) -> str:
    shown = [value_in_words(e.text, scope) for e in expect if e.what == "shown"]
    return f"; then {' and '.join(shown[:2])} is shown" if shown else ""
