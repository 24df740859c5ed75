"""Learns a procedure from a recording or run, and promotes procedures to executable skill packs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gui_agent.core.codec import encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Demonstration
from gui_agent.memory.entry import UNTRUSTED, reason_not_to_keep
from gui_agent.procedures.importers import Remark
from gui_agent.procedures.importers.files import SCRIPTS, Untold, read_recording
from gui_agent.procedures.induction.learn import learn as learn_programs
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import right_type
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.library.evidence import Joining, check_named, joining
from gui_agent.procedures.library.memory import Memory, Procedure
from gui_agent.procedures.library.store import load_program
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.skills import Parameter, Skill, save_skill, skill_folders
from gui_agent.trace import read_run

IsCommand = Callable[[str, Sequence[Program]], bool]
Hide = Callable[[str, Sequence[str]], str]
"""Whether a text consists of plain commands and is not the wording of one of these programs."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of learning one demonstration."""

    procedure: Procedure
    """With all its demonstrations; only the new one if that is in quarantine."""
    entry: str
    new: bool
    quarantined: str = ""
    """Why it needs approval before use; empty if it does not."""
    remarks: tuple[Remark, ...] = ()
    apart: str = ""
    """The procedure most similar to a new one, and why it is a different one; empty if none is."""


def learn(
    source: Path | str,
    *,
    task: str = "",
    name: str = "",
    memory: Memory | None = None,
    start: str = "",
    is_command: IsCommand | None = None,
    hide: Hide | None = None,
    review: Callable[[Demonstration], Demonstration] | None = None,
) -> Learned:
    """Store a finished, verified run, a demonstration or another tool's recording in the memory.

    Args:
        source: the folder of a run, a demonstration as JSON, a script of Playwright's code generator, or
            the JSON export of the Recorder panel of DevTools. Scripts are read, never run.
        task: the task as a user would ask for it; by default that of the run or the recording.
        name: the procedure to add to; by default the one that it fits, otherwise a new one.
        memory: by default the user's own.
        start: address to begin at, instead of the recorded one.
        review: lets the user change a recording before it is stored.
        is_command: whether a text consists only of plain commands, so that it cannot name a procedure.
        hide: replaces personal data that match certain patterns by references.
    """
    memory = memory or Memory()
    if name and not _NAME.fullmatch(name):
        raise ConfigError(f'"{name}" is no name for a procedure; use lower-case letters, digits and hyphens')
    demonstration, remarks, reason = _read(Path(source), task, memory, is_command, hide)
    if start:
        demonstration = replace(demonstration, start=start)
    if review is not None:
        demonstration = review(demonstration)
    if name:
        check_named(demonstration, name, memory)
    joined = Joining(name) if name else joining(demonstration, memory)
    family = joined.family
    kind = "import" if demonstration.origin.startswith("import ") else "demonstration"
    entry, new = memory.keep(demonstration, family, kind=kind, reason=reason)
    if not new:
        stored = memory.exemplars.store.entry(entry)
        family, reason = stored.family, stored.quarantined
    found = memory.procedure_called(family)
    if reason or found is None:
        found = Procedure(family, (memory.exemplars.store.entry(entry),))
    return Learned(found, entry, new, reason, remarks, joined.apart if new else "")


def _read(
    path: Path, task: str, memory: Memory, is_command: IsCommand | None, hide: Hide | None
) -> tuple[Demonstration, tuple[Remark, ...], str]:
    """The demonstration, the remarks of an import, and the reason for quarantine."""
    if path.is_dir():
        return _from_run(path, task, memory, is_command, hide)
    try:
        imported = read_recording(path, task)
    except Untold as error:
        what = "script" if path.suffix in SCRIPTS else "recording"
        raise ConfigError(f"{path}: describe what the {what} does: --task \"Send 'hi' to Ada\"") from error
    demonstration = imported.demonstration
    given = replace(
        demonstration, task=task or demonstration.task, origin=demonstration.origin or f"file {path.name}"
    )
    return given, imported.remarks, ""


def _from_run(
    path: Path, task: str, memory: Memory, is_command: IsCommand | None, hide: Hide | None
) -> tuple[Demonstration, tuple[Remark, ...], str]:
    run = read_run(path, pictures=False)
    fault = reason_not_to_keep(run.trajectory)
    if fault:
        raise ConfigError(
            f"{path.name} cannot be learned from: {fault}; only finished, verified runs can:"
            " name another, as guiagent show lists them"
        )
    patterns = run.meta.settings.get("privacy", {}).get("patterns", ())
    said = hide(task, patterns) if task and hide is not None else task or run.trajectory.task.full_text
    platform = str(run.meta.settings.get("computer", {}).get("kind", ""))
    shown = from_trajectory(run.trajectory, platform, origin=f"run {run.meta.id}")
    shown = replace(shown, task=said, created=run.meta.started)
    if is_command is not None and is_command(said, learn_programs([shown]) if task else ()):
        doubt = f"--task is a plain command itself ({shorten(task)}); " if task else ""
        raise ConfigError(
            f"{path.name}: {doubt}describe the purpose of these commands as a request: "
            f"--task \"Send 'hi' to Ada\""
        )
    return shown, (), UNTRUSTED if memory.untrusted(run.trajectory) else ""


def promote(procedure: Procedure, name: str = "", into: Path | None = None, *, start: str = "") -> Path:
    """Write a procedure as a skill pack into a folder of packs, by default the user's own."""
    if len(procedure.programs) != 1:
        raise ConfigError(
            f"{procedure.name} has {len(procedure.programs)} variants that one skill cannot hold; "
            "give their demonstrations different names: guiagent learn RUN --name NAME"
        )
    name = name or procedure.name
    program = replace(procedure.programs[0], name=name, start=start or procedure.start)
    skill = Skill(
        name,
        program.templates[0],
        {
            one.name: Parameter(one.type, one.default, next(iter(one.examples), ""))
            for one in program.parameters
        },
        procedure.app,
        program.start,
    )
    return save_skill(
        skill, encode(program, indent=1), _manual(program, procedure), into or skill_folders()[-1]
    )


def prepare(skill: Skill, given: Mapping[str, object]) -> tuple[Program, dict[str, str]]:
    values = skill.bind(given)
    for name, text in values.items():
        kind = skill.parameters[name].type
        if not right_type(text, kind):
            raise ConfigError(f'skill "{skill.name}": {name} is a {kind}, not "{text}"')
    defaults = {name: one.default for name, one in skill.parameters.items() if one.default is not None}
    return load_program(skill.procedure), {**defaults, **values}


def _manual(program: Program, procedure: Procedure) -> str:
    told = "\n".join(sentences(program))
    origins = "\n".join(f"- {entry.task} ({entry.origin or entry.kind})" for entry in procedure.entries)
    return f"# {program.name}\n\n{told}\n\nLearned from:\n\n{origins}\n"
