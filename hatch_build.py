"""Puts the content folders into the wheel; an editable install reads them where they are."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("configs", "skills", "memory", "eval", "examples")


class ContentHook(BuildHookInterface):  # type: ignore[type-arg]
    """`configs/` becomes `gui_agent/shipped/configs/` in the wheel, and so on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        for name in FOLDERS:
            for path in (Path(self.root) / name).rglob("*"):
                if path.is_file() and "__pycache__" not in path.parts:
                    inside = path.relative_to(self.root).as_posix()
                    build_data["force_include"][inside] = f"gui_agent/shipped/{inside}"
