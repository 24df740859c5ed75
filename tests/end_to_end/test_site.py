"""The documentation site is built from the documents without a warning, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)
def test_every_link_of_the_site_leads_somewhere_on_it(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    pytest.importorskip("material")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr[-3000:]
    pages = {page.name: page.read_text("utf-8") for page in tmp_path.glob("*.html")}
    assert {"index.html", "quickstart.html", "python.html", "api.html", "security.html"} <= pages.keys()
    assert "Six everyday jobs" in pages["python.html"]
    assert "gui_agent.Browser" in pages["api.html"]
    named = [found for page in pages.values() for found in re.findall(r"<a [^>]*>[^<]*\.md</a>", page)]
    assert not named, "links have the titles of pages"
    loaded = [
        found
        for page in pages.values()
        for found in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)', page)
    ]
    assert not loaded
