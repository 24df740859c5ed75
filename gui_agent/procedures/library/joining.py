"""Decides which procedure a demonstration joins: one that still does all that was shown, else a new one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Task
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.expressions import Untried
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import own_words
from gui_agent.procedures.language.walk import nodes
from gui_agent.procedures.library.memory import TOGETHER, Memory, Procedure
from gui_agent.procedures.recognition.choose import asked_in_full

_NUMBER = re.compile(r"\d+|[0-9a-f]{8,}")


@dataclass(frozen=True, slots=True)
class Joining:
    """Where a demonstration belongs."""

    family: str
    apart: str = ""
    """The procedure that is most like it and why it does not belong there; empty when none is like it."""


def joining(demonstration: Demonstration, memory: Memory) -> Joining:
    """The procedure that a demonstration belongs to: one that explains it too, else one with a new name."""
    own = learn([demonstration])
    apart = ""
    for procedure in memory.nearest(demonstration.task):
        reason = _reason_against(procedure, demonstration, own, memory)
        if not reason:
            return Joining(procedure.name)
        if not apart and _words(own) & _words(procedure.programs):
            apart = f"{procedure.name}: {reason}"
    return Joining(_unused(_called(own[0]) or "procedure", memory), apart)


def check_named(demonstration: Demonstration, name: str, memory: Memory) -> None:
    """Make sure that nothing is lost where a person says to which procedure a demonstration belongs.

    Raises:
        ConfigError: afterwards it, or what was shown before, could no longer be asked for.
    """
    procedure = memory.procedure_called(name) if memory.exists else None
    if procedure is None or demonstration in procedure.demonstrations:
        return
    programs = learn([*reversed(procedure.demonstrations), demonstration][-TOGETHER:])
    reason = _forgotten([*memory.tasks(name), demonstration.task], programs)
    if reason:
        raise ConfigError(f'it does not fit the procedure "{name}": {reason}; give another --name')


def explained(demonstrations: Sequence[Demonstration]) -> bool:
    """Whether one program does what all these demonstrations show, and is asked for in the words of each."""
    programs = learn(demonstrations)
    return not (_unclear(programs) or _forgotten([one.task for one in demonstrations], programs))


def _reason_against(
    procedure: Procedure, demonstration: Demonstration, own: Sequence[Program], memory: Memory
) -> str:
    """Why a demonstration is no other one of a procedure; empty when it is."""
    known = [*reversed(procedure.demonstrations)]
    for place in (_app, _page):
        here, there = place(demonstration), list(filter(None, map(place, known)))
        if here and there and here not in there:
            return f"that was shown at {there[-1]}, this at {here}"
    programs = learn([*known, demonstration][-TOGETHER:])
    reason = _unclear(programs) or _forgotten([*memory.tasks(procedure.name), demonstration.task], programs)
    if reason:
        return reason
    lost = (_words(own) | _words(procedure.programs)) - _words(programs)
    if lost and _searches(programs) and not _searches(procedure.programs):
        return f"only a search would lead to what both went to by name ({_listed(lost)})"
    return ""


def _unclear(programs: Sequence[Program]) -> str:
    """Why programs are not one that says what each part of its wording does; empty when they are."""
    if len(programs) != 1:
        return "no one way does what both show"
    idle = [parameter.name for parameter in programs[0].parameters if not parameter.used]
    return f"nothing shows what {_listed(idle)} is for" if idle else ""


def _forgotten(tasks: Sequence[str], programs: Sequence[Program]) -> str:
    """What could no longer be asked for as it was; empty when all can."""
    for task in tasks:
        if not any(asked_in_full(Task(task), program) for program in programs):
            return f'"{shorten(task, 70)}" could no longer be asked for'
    return ""


def _words(programs: Sequence[Program]) -> frozenset[str]:
    return frozenset(word for one in programs for template in one.templates for word in own_words(template))


def _listed(words: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(f'"{word}"' for word in sorted(words))


def _searches(programs: Sequence[Program]) -> bool:
    """Whether anything is tried to find the way."""
    return any(isinstance(node, Untried) for one in programs for node in nodes(one.steps))


def _app(demonstration: Demonstration) -> str:
    """The host or the program where it was shown; empty when that is not known."""
    shown = next((step.screen.place.app for step in demonstration.steps if step.screen is not None), "")
    return urlsplit(demonstration.start).netloc or shown


def _page(demonstration: Demonstration) -> str:
    """The page where it begins, whichever record that shows; empty when that is not known."""
    start = urlsplit(demonstration.start)
    return start.netloc + _NUMBER.sub("0", f"{start.path}#{start.fragment}").rstrip("/#")


def _called(program: Program) -> str:
    """A name made of the first words of the instruction that are no values."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"\{\w+\}", " ", normal(program.templates[0])))
    return "-".join(words[:4])


def _unused(name: str, memory: Memory) -> str:
    taken = memory.names()
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
