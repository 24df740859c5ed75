"""What the documents name exists: files, commands, options, settings and extras."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from syntax_trees import MODULES

from gui_agent import plugins
from gui_agent.cli import app
from gui_agent.plugins import GROUPS, find, installed_parts, options_of
from gui_agent.sections import Section
from gui_agent.settings import Settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path for pattern in ("*.md", "docs/**/*.md", "*/README.md", ".github/*.md") for path in ROOT.glob(pattern)
)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
PACKAGE = ROOT / "gui_agent"
SOURCES = (ROOT, PACKAGE, ROOT / "eval" / "src", ROOT / "platforms" / "src")
FOLDERS = "|".join(
    ["gui_agent", "guiagent_eval", "guiagent_platforms", "tests", "docs", "configs", "examples", "scripts"]
    + [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
)
ELSEWHERE = {"core/record.js", "memory/default.db", "memory/team.db"}
"""Files of others, and files that a person might make."""
documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def code(document: Path) -> Iterator[str]:
    """The lines of code blocks and the pieces in backticks, lines that go on put together."""
    text = document.read_text("utf-8").replace("\\\n", " ")
    blocks = re.findall(r"^```.*?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    yield from (line for block in blocks for line in block.splitlines())
    rest = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from (" ".join(piece.split()) for piece in re.findall(r"`([^`]+)`", rest))


def calls(document: Path) -> Iterator[list[str]]:
    """The words after `guiagent` of each call."""
    for line in code(document):
        found = re.match(r"\s*(?:\$ |xvfb-run -a |[\w.\\/]*[\\/])?guiagent ([a-z].*)", line)
        if found:
            shown = re.sub(r"\s{2,}[a-z].*$|;.*$", "", found[1])  # a remark that stands beside it
            try:
                yield shlex.split(shown, comments=True)
            except ValueError:
                yield shown.split()


def is_there(name: str) -> bool:
    """Whether a file or folder exists; modules may be named without `gui_agent/` and `.py`."""
    return any((folder / f"{name}{end}").exists() for folder in SOURCES for end in ("", ".py"))


@documents
def test_files_that_are_named_exist(document: Path) -> None:
    text = document.read_text("utf-8")
    links = [
        link.partition("#")[0]
        for link in re.findall(r"\]\(([^)\s]+)\)", text)
        if not link.startswith(("http", "#", "mailto"))
    ]
    missing = [link for link in links if not (document.parent / link).exists()]
    named = re.findall(rf"(?<![\w./~-])((?:{FOLDERS})/[\w./-]*\w/?)", " ".join(code(document)))
    missing += [name for name in named if name not in ELSEWHERE and not is_there(name)]
    assert not missing, missing


def test_every_document_is_linked() -> None:
    """From the README, or from the architecture, which lists the records of decisions."""
    linked = set()
    for start in (ROOT / "README.md", ROOT / "docs/architecture.md"):
        links = re.findall(r"\]\(([^)\s#]+\.md)", start.read_text("utf-8"))
        linked |= {(start.parent / link).resolve() for link in links}
    assert set((ROOT / "docs").rglob("*.md")) <= linked


@documents
def test_imports_in_python_examples_work(document: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", document.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(
                ("gui_agent", "guiagent_eval", "guiagent_platforms")
            ):
                module = import_module(str(node.module))
                missing = [name.name for name in node.names if not hasattr(module, name.name)]
                assert not missing, f"{node.module} has no {missing}"


@documents
def test_commands_and_their_options_exist(document: Path) -> None:
    for words in calls(document):
        if words[:2] == ["skills", "run"]:
            continue  # its options are the parameters of the skill
        command: click.Command = app
        rest = list(words)
        while isinstance(command, click.Group) and rest and re.match(r"[a-z]", rest[0]):
            found = command.get_command(click.Context(command), rest[0])
            if found is None and command.invoke_without_command:
                break
            assert found is not None, f"there is no command: guiagent {' '.join(words)}"
            command = found
            rest.pop(0)
        if words[0] == "export" and "--format" in rest:
            command = plugins.find("commands", "export")  # type: ignore[assignment]
        options = {name for parameter in command.params for name in parameter.opts} | {"--help", "-h"}
        if words[0] == "schedule":
            taken = app.get_command(click.Context(app), "run")
            options |= {name for parameter in taken.params for name in parameter.opts} if taken else set()
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert not given - options, f"guiagent {' '.join(words)}: it does not take {given - options}"


@documents
def test_settings_that_are_set_exist(document: Path) -> None:
    text = "\n".join(code(document))
    for path in re.findall(r"--set '?([a-z_]+(?:\.[a-z_]+)+) ?=", text):
        section: object = Settings
        first, *rest = path.split(".")
        if first not in Settings.model_fields:
            continue  # a value of the task
        for key in (first, *rest):
            if key == "options" or not (isinstance(section, type) and issubclass(section, Section)):
                break
            assert key in section.model_fields, f"there is no setting {path}"
            section = section.model_fields[key].annotation
        if "options" in rest:
            group = f"{first}s"
            parts = [*installed_parts(group), *re.findall(rf"--{first} (gui_agent[\w.]+:\w+)", text)]
            options = {name for part in parts for name in options_of(find(group, part))}
            assert group in GROUPS
            assert rest[-1] in options, f"no {first} has the option {rest[-1]}"


@documents
def test_extras_that_are_named_exist(document: Path) -> None:
    named = re.findall(r"guiagent\[([\w,-]+)\]", document.read_text("utf-8"))
    assert {extra for names in named for extra in names.split(",")} <= set(EXTRAS)


def test_extras_that_errors_name_exist() -> None:
    named = {
        extra
        for path in MODULES
        for extra in re.findall(r'MissingExtra\(\s*"([\w-]+)"', path.read_text("utf-8"))
    }
    assert len(named) > 5
    assert named <= set(EXTRAS)


def test_each_fault_of_windows_has_a_test_that_is_there() -> None:
    text = (ROOT / "docs/windows.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (?!fault |---)(.+?) \| (.+) \|$", text.split("## Faults", 1)[1].split("\n## ")[0], re.M
    )
    assert len(rows) >= 25
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for fault, tests in rows:
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"no test is named for: {fault}"
        lost = [name for name in named if f"def {name}(" not in sources]
        assert not lost, f"{fault}: {lost}"
