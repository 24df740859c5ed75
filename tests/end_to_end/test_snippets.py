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


def documents_with(kind: str) -> pytest.MarkDecorator:
    """Programs take time: the quick tests run those of the README, `scripts/test all` the others too."""
    chosen = sorted({one.document for one in RUN if one.kind == kind})
    first = ROOT / "README.md"
    marked = [pytest.param(one, marks=() if one == first else pytest.mark.nightly) for one in chosen]
    return pytest.mark.parametrize("document", marked, ids=lambda one: str(one.relative_to(ROOT)))


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
    tried = ("python", "sh", "commands", "json", "toml", "robotframework", "yaml", *SHOWN)
    assert not [str(one) for one in ALL if one.kind not in tried]
    assert not [str(one) for one in ALL if one.remark.startswith("not run") and not NEEDS.match(one.remark)]
    assert len(RUN) > 0.6 * len([one for one in ALL if one.kind not in SHOWN])


@of(*SHOWN)
def test_what_is_only_shown_is_no_command(snippet: Snippet) -> None:
    assert not re.search(r"^\s*(\$ )?(guiagent|pip|sudo|export) ", snippet.text, re.MULTILINE)


@documents_with("python")
@pytest.mark.timeout(600)
def test_the_python_of_a_document_runs(document: Path, checkout: Path) -> None:
    """In one process, each snippet in a module of its own, as a reader would; tests are run by pytest."""
    mine = [one for one in RUN if one.kind == "python" and one.document == document]
    for one in mine:
        kind = "test" if "def test_" in one.text else "snippet"
        (checkout / f"{kind}_{one.line}.py").write_text(one.text, encoding="utf-8")
    one_by_one = """import pathlib, runpy, sys
for path in sorted(pathlib.Path().glob("snippet_*.py"), key=lambda p: int(p.stem.partition("_")[2])):
    print("#", path, flush=True)
    runpy.run_path(str(path), run_name="__main__")
"""
    programs = [[sys.executable, "-c", one_by_one]]
    if tests := sorted(map(str, checkout.glob("test_*.py"))):
        programs.append([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests])
    for program in programs:
        ran = subprocess.run(program, capture_output=True, text=True, timeout=540, check=False)
        assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-2000:]


@documents_with("sh")
@pytest.mark.timeout(600)
def test_the_commands_of_a_document_succeed(
    document: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, since they build on each other."""
    for one in RUN:
        if one.document == document and one.kind == "sh":
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


@pytest.mark.nightly
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
