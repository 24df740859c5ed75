"""Puts the content folders into the wheel, and makes of the README what a package index can show."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDERS = ("configs", "skills", "memory", "examples")


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


LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<to>(?!https?:|#)[^)\s]+)\)")


def for_an_index(readme: str, home: str) -> str:
    """The README without links that lead nowhere outside a checkout.

    Args:
        home: address of the documentation site; empty leaves the words of links, and no pictures.
    """

    def there(link: re.Match[str]) -> str:
        if not home:
            return "" if link["picture"] else link["text"]
        page = re.sub(r"\.md(?=#|$)", ".html", link["to"].removeprefix("docs/"))
        page = page.lower() if "/" not in link["to"] else page
        return f"{link['picture']}[{link['text']}]({home.rstrip('/')}/{page})"

    return LINK.sub(there, readme)


class ReadmeHook(MetadataHookInterface):
    """`home` in `[tool.hatch.metadata.hooks.custom]` is the address at which `make docs` is published."""

    def update(self, metadata: dict[str, Any]) -> None:
        home = str(self.config.get("home", ""))
        text = for_an_index((Path(self.root) / "README.md").read_text("utf-8"), home)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        if home:
            metadata["urls"] = {"Documentation": home}
