"""What the documents show works: every snippet is run, or a remark before it says what it would need."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from gui_agent.planners.commands import Unparsed, parse

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(
    r"(?:^ *<!-- (?P<remark>[^>]*?) -->\n)?^(?P<indent> *)```(?P<kind>\w*)\n(?P<text>.*?)^ *```",
    re.DOTALL | re.M,
)
SHOWN = ("text", "")
"""Kinds of blocks that are no program: output, diagrams, grammars."""
NEEDS = re.compile(r"not run: needs .{4,}")
PAGES = ("orders.html", "contact.html")


@dataclass(frozen=True)
class Snippet:
    document: Path
    line: int
    kind: str
    text: str
    remark: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def snippets() -> Iterator[Snippet]:
    for document in DOCUMENTS:
        whole = document.read_text("utf-8")
        for found in FENCE.finditer(whole):
            line = whole.count("\n", 0, found.start("kind")) + 1
            inside = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
            yield Snippet(document, line, found["kind"], inside, found["remark"] or "")


ALL = list(snippets())
RUN = [one for one in ALL if not NEEDS.match(one.remark)]


def of(*kinds: str) -> pytest.MarkDecorator:
    chosen = [one for one in RUN if one.kind in kinds]
    return pytest.mark.parametrize("snippet", chosen, ids=str)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a checkout ships, and a home in which nothing was done before."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_snippet_is_of_a_kind_that_is_tried() -> None:
    tried = ("python", "sh", "commands", "json", "toml", "robotframework", *SHOWN)
    assert not [str(one) for one in ALL if one.kind not in tried]
    assert not [str(one) for one in ALL if one.remark.startswith("not run") and not NEEDS.match(one.remark)]
    assert len(RUN) > 0.6 * len([one for one in ALL if one.kind not in SHOWN])


@of(*SHOWN)
def test_what_is_only_shown_is_no_command(snippet: Snippet) -> None:
    assert not re.search(r"^\s*(\$ )?(guiagent|pip|sudo|export) ", snippet.text, re.MULTILINE)


@of("python")
@pytest.mark.timeout(300)
def test_python_runs(snippet: Snippet, checkout: Path) -> None:
    """In a process of its own, as a reader would; a test is run by pytest."""
    (checkout / "snippet.py").write_text(snippet.text, encoding="utf-8")
    tests = ["pytest", "-q", "-p", "no:cacheprovider", "snippet.py"]
    ran = subprocess.run(
        [sys.executable, "-m", *tests] if "def test_" in snippet.text else [sys.executable, "snippet.py"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-2000:]


@of("sh")
@pytest.mark.timeout(300)
def test_commands_of_the_shell_succeed(
    snippet: Snippet, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of a document build on each other, so the ones before are done first."""
    before = [
        one
        for one in RUN
        if one.document == snippet.document and one.kind == "sh" and one.line < snippet.line
    ]
    for one in (*before, snippet):
        for arguments in calls(one.text):
            assert call(arguments) == 0, (str(one), arguments, capsys.readouterr())


def calls(text: str) -> Iterator[list[str]]:
    """The words after `guiagent` of each command of a block, which has no others."""
    words = shlex.split(re.sub(r"\\\n", " ", text), comments=True)
    starts = [place for place, word in enumerate(words) if word == "guiagent"]
    assert starts[:1] == [0], f"mark it as not run, or begin with guiagent: {words[:3]}"
    for a, b in zip(starts, [*starts[1:], len(words)], strict=True):
        yield words[a + 1 : b]


@of("commands")
def test_plain_commands_are_understood(snippet: Snippet) -> None:
    for line in snippet.text.splitlines():
        read = parse(re.sub(r"^\d+\. ", "", line))
        assert not isinstance(read, Unparsed), line


@of("json")
def test_json_can_be_read(snippet: Snippet) -> None:
    assert json.loads(snippet.text)


@of("toml")
def test_toml_can_be_read(snippet: Snippet) -> None:
    assert tomllib.loads(snippet.text)


@of("robotframework")
@pytest.mark.timeout(300)
def test_a_suite_of_robot_framework_passes(snippet: Snippet, checkout: Path) -> None:
    pytest.importorskip("robot")
    (checkout / "suite.robot").write_text(snippet.text, encoding="utf-8")
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "robot",
            "--output",
            "NONE",
            "--log",
            "NONE",
            "--report",
            "NONE",
            "suite.robot",
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_the_messages_of_the_troubleshooting_page_exist() -> None:
    page = (ROOT / "docs/troubleshooting.md").read_text("utf-8")
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "gui_agent").rglob("*.py"))
    messages: list[Any] = re.findall(r"^### `(.+)`", page, re.MULTILINE)
    assert len(messages) > 15
    assert not [message for message in messages if message not in code]
