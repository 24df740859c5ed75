"""Learned procedures: storing them, running them as skills, and deciding whether a task means one,
and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Demonstration, Result, Task
from gui_agent.planners.commands import Unparsed, bare_names, is_everyday, parse, say
from gui_agent.settings import Settings, load
from gui_agent.wiring.parts import private_data
from gui_agent.wiring.routing import Demo, Route, load_known, route
from gui_agent.wiring.running import as_task, run

if TYPE_CHECKING:
    from gui_agent.procedures.language.program import Program
    from gui_agent.procedures.library.learning import Learned
    from gui_agent.procedures.library.memory import Memory
    from gui_agent.procedures.library.recognise import Recognition
    from gui_agent.skills import Skill


def learn(
    source: Path | str,
    *,
    task: str = "",
    name: str = "",
    memory: Memory | None = None,
    start: str = "",
    review: Callable[[Demonstration], Demonstration] | None = None,
) -> Learned:
    """Store a verified run, a demonstration or another tool's recording in the memory.

    Like `procedures.learning.learn`, but a run of plain commands needs a name, given by `task`.
    """
    from gui_agent.procedures.library import learning

    return learning.learn(
        source,
        task=task,
        name=name,
        memory=memory,
        start=start,
        is_command=is_command,
        hide=_without_private_data,
        review=review,
    )


def _without_private_data(text: str, patterns: Sequence[str]) -> str:
    """The text with personal data replaced by references, as a run with these patterns does it."""
    private = private_data(patterns)
    return private.hide(text) if private is not None else text


def run_skill(
    skill: Skill | str, values: Mapping[str, object] | None = None, *, url: str = "", **options: Any
) -> Result:
    """Run a skill pack with values for its parameters; returns the same as `run`.

    Args:
        skill: the pack, its name, or its folder.
        values: by parameter: texts, numbers, dates, times or lists.
        url: where to begin, instead of the skill's own address.
        options: those of `run`.
    """
    from gui_agent.procedures.library.learning import prepare
    from gui_agent.skills import load_skill

    found = load_skill(skill) if isinstance(skill, str) else skill
    program, given = prepare(found, values or {})
    return run(program.instruction(given), url=url or found.start, demo=program, values=given, **options)


def explain(
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Route:
    """What `run` would do with a task, and why; nothing is done."""
    settings = settings or load()
    known = load_known(demo)
    found = route(as_task(task, url, values, known), settings, known)
    if not known:
        return found
    from gui_agent.procedures.library.memory import given_procedures
    from gui_agent.procedures.library.recognise import among

    return replace(found, recognition=among(found.task, given_procedures(known)))


def is_command(text: str, programs: Sequence[Program]) -> bool:
    """Whether a text is plain commands and not the wording of one of these programs."""
    plain = not isinstance(parse(text), Unparsed) and not is_everyday(text)
    return plain and not _explained_by(text, programs)


def _explained_by(text: str, programs: Sequence[Program]) -> bool:
    """Whether a program's own wording contains words that a plain command would take for a name."""
    from gui_agent.procedures.language.template import fit, own_words, tokens

    bare = {token.text for token in chain.from_iterable(map(tokens, bare_names(text)))}
    for program in programs:
        for template in program.templates:
            reading = fit(template, text, program.parameters)
            if reading is not None and reading.score == 1.0 and own_words(template) & bare:
                return True
    return False


def learned_wording(task: Task, memory: Memory) -> Recognition | None:
    """The learned procedure for the words of a plain command, or None if the plain command is meant.

    The plain command is meant if there are several commands, if all names are in quotes, or if no procedure
    has exactly this wording. Otherwise the procedure is meant if its wording contains a word that the command
    would look for on the screen. If not (`Open Ada` after `Open {name}`), the task is ambiguous: nothing
    fits, and the reason says so.
    """
    from gui_agent.procedures.library.recognise import recognise

    if not bare_names(task.text):
        return None
    found = recognise(task, memory)
    worded = found.word_for_word
    if worded is None:
        return None
    commands = parse(task.text)
    command = "" if isinstance(commands, Unparsed) else say(commands[0])
    if _explained_by(task.text, [one.program for one in found.fitting] or [worded.program]):
        return replace(found, command=command)
    reason = (
        f"it is a plain command ({command}), but also the wording of {worded.procedure.name} "
        f'("{shorten(worded.program.templates[0], 70)}"); '
        "put the names in quotes for the command, or add --planner demonstration for the procedure"
    )
    return replace(found, fitting=(), reason=reason)
