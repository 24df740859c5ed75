"""Executable skill packs, also as functions: `skills.send_message(on=page, to="Grace")`."""

from typing import Any

from gui_agent.skills.pack import Parameter, Skill, list_skills, load_skill, save_skill, skill_folders

__all__ = ["Parameter", "Skill", "list_skills", "load_skill", "save_skill", "skill_folders"]


def __getattr__(name: str) -> Any:
    """A skill as a function."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gui_agent.skills.pack import function

    return function(name)
