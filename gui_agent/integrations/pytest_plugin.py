"""A plug-in for pytest: the fixture `guiagent_page`, and learned procedures and skills as tests.

`pytest --guiagent-procedures all` checks every learned procedure, `--guiagent-procedures order,login` some.
With `--junitxml` each is a test case with its trace as a property.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gui_agent.core.errors import GuiAgentError

if TYPE_CHECKING:
    from gui_agent.api.screen import Browser

PICTURE = "guiagent-picture"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the plug-in."""
    group = parser.getgroup("guiagent")
    group.addoption("--guiagent-headed", action="store_true", help="show the browser of guiagent_page")
    group.addoption("--guiagent-yes", action="store_true", help="answer the questions of the guard with yes")
    group.addoption(
        "--guiagent-procedures", default="", metavar="NAMES", help="check learned procedures too: all, or a,b"
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Record on the item whether its call failed, for the picture."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        item.stash[_FAILED] = True


_FAILED = pytest.StashKey[bool]()


@pytest.fixture
def guiagent_page(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser for small steps (`act`, `read`, `table`, `check`, `find`, `run`), closed after the test.

    If the test fails, a picture of the page is saved and named in the report.
    """
    from gui_agent.api.screen import Browser

    options = {"headless": not request.config.getoption("--guiagent-headed")}
    with Browser(options=options, yes=request.config.getoption("--guiagent-yes")) as page:
        yield page
        if request.node.stash.get(_FAILED, False):
            _keep_picture(page, request.node, tmp_path_factory.mktemp("guiagent"))


def _keep_picture(page: Browser, item: pytest.Item, folder: Path) -> None:
    try:
        shot = page.observe().screenshot
    except GuiAgentError:
        return
    if shot is not None:
        path = folder / f"failed.{shot.media_type.partition('/')[2]}"
        path.write_bytes(shot.data)
        item.user_properties.append((PICTURE, str(path)))
        item.add_report_section("call", "guiagent", f"picture of the page: {path}")


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the procedures that the options name."""
    wanted = config.getoption("--guiagent-procedures")
    if wanted:
        from gui_agent.procedures.library.memory import open_memory
        from gui_agent.settings import load

        known = [one.name for one in open_memory(load()).procedures()]
        names = known if wanted == "all" else [name.strip() for name in wanted.split(",")]
        for name in names:
            items.append(ProcedureItem.from_parent(session, name=f"procedure:{name}", procedure=name))


class ProcedureItem(pytest.Item):
    """A learned procedure, run with the values of its demonstration."""

    def __init__(self, *, procedure: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._procedure = procedure

    def runtest(self) -> None:
        """Run it, and check all of its expected effects."""
        from gui_agent.procedures.library.memory import open_memory
        from gui_agent.procedures.runtime.verification import verify
        from gui_agent.settings import load
        from gui_agent.wiring import run

        settings = load()
        found = open_memory(settings).procedure(self._procedure)
        programs = list(found.programs)
        yes = bool(self.config.getoption("--guiagent-yes"))
        done = run("", url=found.start, demo=programs, settings=settings, yes=yes)
        self.user_properties.append(("guiagent-trace", done.folder))
        done.raise_for_status()
        wrong = [step.sentence for step in verify(programs, done.trajectory) if not step.has_passed]
        assert not wrong, f"not as learned: {'; '.join(wrong)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Why it failed, in one line."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The location of the item."""
        return Path("guiagent"), None, self.name
