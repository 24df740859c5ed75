"""Puts the files of the benchmarks into the wheel."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("*.toml", *(f"{name}/**/*" for name in ("apps", "bench", "eyes", "miniwob", "osworld", "practice")))


class ContentHook(BuildHookInterface):  # type: ignore[type-arg]
    """`apps/` becomes `guiagent_eval/shipped/apps/` in the wheel, and so on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        for name in FILES:
            for path in Path(self.root).glob(name):
                if path.is_file() and path.name != "pyproject.toml" and "__pycache__" not in path.parts:
                    inside = path.relative_to(self.root).as_posix()
                    build_data["force_include"][inside] = f"guiagent_eval/shipped/{inside}"
