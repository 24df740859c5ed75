"""Texts that are a plain command and the wording of something learned at once: which of the two is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Task
from gui_agent.demos.program import Program
from gui_agent.demos.template import fit, own_words
from gui_agent.demos.tokens import tokens
from gui_agent.planners.commands import PlainPlanner, bare_names
from gui_agent.procedures.memory import Memory
from gui_agent.procedures.recognition import Recognition, recognise


def meant_instead(task: Task, memory: Memory) -> Recognition | None:
    """What was learned in the words of a plain command; None when the plain command is meant.

    It is meant when it is several commands, has all names in quotes, or is not wholly the wording of anything
    learned. Else the procedure is, if a word that the command would look for on the screen is one of its
    wording. If not (`Open Ada` after `Open {name}`), neither is: nothing fits, and the reason says so.

    Raises:
        ConfigError: the memory cannot be used.
    """
    if not bare_names(task.text):
        return None
    found = recognise(task, memory)
    worded = found.word_for_word
    if worded is None:
        return None
    command = PlainPlanner().preview(task.text)[0].partition(" ")[2]
    if explains(task.text, [one.program for one in found.fitting] or [worded.program]):
        return replace(found, command=command)
    reason = (
        f"it is a plain command ({command}) and what {worded.procedure.name} was taught for "
        f'("{shorten(worded.program.templates[0], 70)}"); '
        "put the names in quotes for the command, or add --planner demonstration for what was taught"
    )
    return replace(found, fitting=(), reason=reason)


def explains(text: str, programs: Sequence[Program]) -> bool:
    """Whether a program's own wording has words of a text that a plain command would take for a name."""
    bare = {token.text for name in bare_names(text) for token in tokens(name)}
    return any(
        own_words(template) & bare
        for program in programs
        for template in program.templates
        if (reading := fit(template, text, program.parameters)) is not None and reading.score == 1.0
    )
