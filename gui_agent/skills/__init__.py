"""Executable skill packs, also as functions: `skills.send_message(on=page, to="Grace")`."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.skills.pack import Parameter, Skill, list_skills, load_skill, save_skill

_HOMES = {
    "guides": "ENOUGH Guide add_guide allow find_guides list_guides trusted_folders unasked_folder",
    "pack": "every_folder is_name module skill_folders",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = [
    "Parameter",
    "Skill",
    "list_skills",
    "load_skill",
    "save_skill",
]
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    """A name of this room, or a skill as a function."""
    try:
        return find_name(__name__, _HOMES, name)
    except AttributeError:
        if name.startswith("_"):
            raise
    from gui_agent.skills.pack import function

    return function(name)
