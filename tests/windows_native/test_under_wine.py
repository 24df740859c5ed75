"""The native code of the Windows adapter, run by Windows' own Python under Wine.

It takes some minutes and is left out of the default suite: `scripts/test windows` runs it. Each test here
stands for one file in `inside/`; one process runs them all, because starting Windows' Python takes seconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
        with ThreadPoolExecutor(1) as apart:
            answer = apart.submit(made.python, ["-c", "import time; time.sleep(3); print('here')"], 120)
            seen = until_seen(made.folder, answer)
            code, told = answer.result()
        assert (code, told.strip()) == (0, "here")
        assert seen, "nothing is seen of what runs under Wine, so what it leaves behind would not be either"
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
    assert code in (0, 1) and report.exists(), f"pytest ended with {code}:\n{told[-4000:]}"
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


def until_seen(folder: Path, answer: Future[tuple[int, str]]) -> list[str]:
    """What runs in a prefix, as soon as something does; nothing when the answer is there before."""
    while not (seen := _of(folder)) and not answer.done():
        time.sleep(0.05)
    return seen


def _of(folder: Path) -> list[str]:
    """Processes that work in a prefix, its server included: by the files and folders that they hold open."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                held = [process / "cwd", *(process / "fd").iterdir()]
                if any(str(one.readlink()).startswith(str(folder)) for one in held):
                    found.append((process / "cmdline").read_text())
            except OSError:
                continue
    return found
