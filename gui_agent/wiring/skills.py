"""The person's promoted skills as actions for a model, with their typed values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.content import content
from gui_agent.core.dialogue import Tool
from gui_agent.core.protocols import Planner
from gui_agent.planners.llm.planner import SKILL
from gui_agent.planners.llm.skill_calls import Begin, CallableSkill
from gui_agent.skills.guides import trusted_folders
from gui_agent.skills.pack import Parameter, Skill, list_skills

MOST = 20
"""Skills that are offered at most: each costs its part of every request."""


def callable_skills() -> list[CallableSkill]:
    """The skills in the folders that may speak to a model.

    Raises:
        ConfigError: a pack is damaged.
    """
    found = list_skills(trusted_folders(content("skills")))[:MOST]
    return [CallableSkill(_tool(skill), _begin(skill)) for skill in found]


def _begin(skill: Skill) -> Begin:
    def begin(arguments: Mapping[str, Any]) -> tuple[str, Planner]:
        from gui_agent.planners.demonstration import DemonstrationPlanner
        from gui_agent.procedures.library.packs import prepared

        program, values = prepared(skill, arguments)
        return program.instruction(values), DemonstrationPlanner([program], values=values)

    return begin


def _tool(skill: Skill) -> Tool:
    properties = {name: _property(one) for name, one in skill.parameters.items()}
    required = [name for name, one in skill.parameters.items() if one.required]
    where = f" It works in {skill.app}." if skill.app else ""
    about = f"A known procedure, carried out on the screen step by step: {skill.description}{where}"
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(f"{SKILL}{skill.name.replace('-', '_')}", about, schema)


def _property(one: Parameter) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "number": {"type": "number"},
        "list": {"type": "array", "items": {"type": "string"}},
        "date": {"type": "string", "format": "date"},
        "time": {"type": "string", "format": "time"},
    }
    told = "; ".join(
        filter(
            None,
            (f"such as {one.example}" if one.example else "", f"else {one.default}" if one.default else ""),
        )
    )
    return {**kinds.get(one.type, {"type": "string"}), **({"description": told} if told else {})}
