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


def on_files(files: Files, config: Any) -> Files:
    """Add the pages, with their links as they are within the site."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        for other, its_page in PAGES.items():
            text = text.replace(f"]({other}", f"]({its_page}")
        text = re.sub(r"\[([^\]]*)\]\(LICENSE\)", r"\1", text)
        files.append(File.generated(config, page, content=text))
    return files
