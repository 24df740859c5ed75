"""The type checker itself keeps ungrounded actions from devices and finds forgotten verbs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = Path(__file__).parent / "cases"
_ERROR = re.compile(
    r"^(?P<file>[^:]+):(?P<line>\d+): error: (?P<said>.*)\[(?P<code>[a-z-]+)\]$", re.MULTILINE
)
_EXPECTED = re.compile(r"# expect: (?P<code>[a-z-]+)$")

Finding = tuple[str, int, str]
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy says to all the cases."""
    # A cache of its own: several runs may share the project's one at the same time.
    cache = tmp_path_factory.mktemp("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *map(str, files())]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


def files() -> list[Path]:
    """The cases, and the examples, in which no error is expected."""
    return sorted([*CASES.glob("*.py"), *(ROOT / "examples").glob("*.py")])


def found(output: str) -> set[Finding]:
    """File, line and code of every error."""
    return {
        (Path(match["file"]).name, int(match["line"]), match["code"]) for match in _ERROR.finditer(output)
    }


def expected() -> set[Finding]:
    return {
        (file.name, number, match["code"])
        for file in files()
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if (match := _EXPECTED.search(line))
    }


def test_exactly_what_should_be_rejected_is_rejected(output: str) -> None:
    assert found(output) == expected(), output
    assert len(expected()) >= 10


def test_forgotten_verbs_are_named(output: str) -> None:
    errors = [match["said"] for match in _ERROR.finditer(output) if "assert_never" in match["said"]]
    assert len(errors) == 1
    for verb in ("Check[Point]", "Upload[Point]", "Close"):
        assert verb in errors[0]
