"""Makes pages of the documentation site from the documents that stand at the top of the checkout."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
PAGES = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
FOR_DEVELOPERS = ("architecture.md", "where.md", "contributing.md", "changelog.md", "decisions/")
"""Pages that a search lists after those for users."""
NAMED_BY_FILE = re.compile(r"\[`?[\w/.-]+\.md`?\]\((?P<to>[\w/.-]+\.md)(?P<part>#[\w-]+)?\)")
"""A link worded as the name of a file, as suits a checkout; on the site it has the title of the page."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages, with their links as they are within the site."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        for other, its_page in PAGES.items():
            text = text.replace(f"]({other}", f"]({its_page}")
        text = re.sub(r"\[([^\]]*)\]\(LICENSE\)", r"\1", text)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Give links that are worded as a file's name the title of that page; rank pages in searches."""
    if page.file.src_uri.startswith(FOR_DEVELOPERS):
        page.meta["search"] = {"boost": 0.2}

    def titled(link: re.Match[str]) -> str:
        place = (Path(page.file.src_uri).parent / link["to"]).as_posix()
        made = {its_page: name for name, its_page in PAGES.items()}
        source = ROOT / (made.get(place) or f"docs/{place}")
        title = source.read_text("utf-8").partition("\n")[0].lstrip("# ")
        return f"[{title}]({link['to']}{link['part'] or ''})"

    return NAMED_BY_FILE.sub(titled, markdown)
