"""From a learned procedure to an executable skill pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gui_agent.core.codec import encode
from gui_agent.core.errors import ConfigError
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import right_type
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.library.memory import Procedure
from gui_agent.procedures.library.store import load_program
from gui_agent.skills import Parameter, Skill, save_skill, skill_folders


def promote(procedure: Procedure, name: str = "", into: Path | None = None, *, start: str = "") -> Path:
    """Write a procedure as a skill pack; gives its folder.

    Args:
        name: by default the procedure's.
        into: folder of packs; by default the person's own.
        start: where the skill begins; by default where the demonstrations did.
    """
    if len(procedure.programs) != 1:
        raise ConfigError(
            f"{procedure.name} has {len(procedure.programs)} variants that one skill cannot hold; "
            "name their demonstrations apart: guiagent learn RUN --name NAME"
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
    """The program of a skill and the values to run it with."""
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
