"""Puts the content folders into the wheel; an editable install reads them where they are."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("configs", "skills", "memory", "eval", "examples")


class ContentHook(BuildHookInterface):  # type: ignore[type-arg]
    """`configs/` becomes `gui_agent/shipped/configs/` in the wheel, and so on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"].update({name: f"gui_agent/shipped/{name}" for name in FOLDERS})
