"""The native code of the Windows adapter, run by Windows' own Python under Wine.

It takes some minutes and is left out of the default suite: `scripts/test windows` runs it. Each test here
stands for one file in `inside/`; one process runs them all, because starting Windows' Python takes seconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import prefix
import pytest
import wine

INSIDE = Path(__file__).parent / "inside"
FILES = sorted(file.stem for file in INSIDE.glob("test_*.py"))
SECONDS = 1200
pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 400)]


@pytest.fixture(scope="session")
def session() -> Iterator[wine.Wine]:
    lacking = prefix.lacking()
    if lacking:
        pytest.skip(lacking)
    with wine.started() as made:
        code, told = made.python(["-c", "print('here')"], 120)
        assert (code, told.strip()) == (0, "here")
        yield made
    # The programs of Windows, its server and the display end with the session.
    assert not _of(made.folder)


@pytest.fixture(scope="session")
def outcomes(session: wine.Wine) -> dict[str, dict[str, str]]:
    """By file the tests in it, each with what went wrong; empty where nothing did."""
    inside, report = wine.windows_path(INSIDE), session.drive / "report.xml"
    report.unlink(missing_ok=True)
    # The settings of the project name plug-ins that are not needed there.
    apart = ["-p", "no:cacheprovider", "-c", "NUL", "--rootdir", inside, "--confcutdir", inside]
    options = ["--import-mode=importlib", "--timeout=120", "-q", "--tb=short", r"--junitxml=C:\report.xml"]
    chosen = os.environ.get("WINDOWS_TESTS", "")
    code, told = session.python(
        ["-m", "pytest", *apart, *options, *(["-k", chosen] if chosen else []), inside], SECONDS
    )
    assert code in (0, 1), f"pytest ended with {code}:\n{told[-4000:]}"
    print(told[-600:])
    found: dict[str, dict[str, str]] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        file = (case.get("classname") or "").rpartition(".")[2]
        failures = [
            one.get("message", "") + "\n" + (one.text or "")
            for one in case
            if one.tag in ("failure", "error")
        ]
        found.setdefault(file, {})[case.get("name") or ""] = "\n".join(failures)
    return found


@pytest.mark.parametrize("file", FILES)
def test_the_tests_inside_pass(file: str, outcomes: dict[str, dict[str, str]]) -> None:
    ran = outcomes.get(file, {})
    if os.environ.get("WINDOWS_TESTS") and not ran:
        pytest.skip("left out by WINDOWS_TESTS")
    assert ran, f"nothing of {file} ran"
    wrong = {name: why for name, why in ran.items() if why}
    assert not wrong, "\n\n".join(f"{name}: {why}" for name, why in wrong.items())


def _of(folder: Path) -> list[str]:
    """Processes that have a prefix in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                if f"WINEPREFIX={folder}\0".encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text())
            except OSError:
                continue
    return found
