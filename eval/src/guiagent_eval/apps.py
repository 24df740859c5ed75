"""Applications on this machine (web servers, desktop programs, a phone) whose data grade the tasks."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from gui_agent.core.errors import BenchmarkError, ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Ending, EndingKind, Task, Trajectory
from guiagent_eval.app_catalogue import (
    WORDINGS,
    App,
    AppTask,
    applications,
    asked_wording,
    task_called,
    task_names,
)
from guiagent_eval.app_data import AppData, fill_in
from guiagent_eval.app_person import AskedPerson
from guiagent_eval.app_server import AppServer, cache_folder, placeholders
from guiagent_eval.benchmark import Case, Episode, Grade
from guiagent_eval.episodes import Solver

if TYPE_CHECKING:
    from guiagent_eval.phone import SimulatedPhone

SAVING = 4.0
"""Seconds that an application gets to save the last change."""


class AppEpisode:
    """One task with fresh data; its screen opens on first use."""

    said: EndingKind = "not_done"
    person: AskedPerson | None = None
    """The person who answers the agent's questions; None if there is no answer to any."""
    policy = ""

    def __init__(self, app: App, work: AppTask, task: Task, data: AppData, names: dict[str, str]) -> None:
        self.task = task
        self._app, self._work, self.data, self.names = app, work, data, names
        self._computer: Computer | None = None
        self.headless = True

    @property
    def computer(self) -> Computer:
        """The browser, a private display with the episode's home folder, or the phone."""
        if self._computer is None:
            opened = {"web": self._browser, "desktop": self._display, "phone": self._phone}
            self._computer = opened[self._app.kind]()
        return self._computer

    def _browser(self) -> Computer:
        from gui_agent.computers.browser.computer import BrowserComputer

        return BrowserComputer(headless=self.headless, downloads=str(self.data.folder.parent / "downloads"))

    def _display(self) -> Computer:
        from gui_agent.computers.virtual.computer import VirtualComputer

        return VirtualComputer(home=str(self.data.folder), window=False)

    def _phone(self) -> Computer:
        from guiagent_platforms.android.computer import AndroidComputer

        return AndroidComputer(name=self.names["phone"], kept=str(self.data.folder))

    def end_reason(self) -> str:
        """Always empty: only the agent ends an episode."""
        return ""

    def solve(self) -> None:
        """Change the data as the task demands: the proof that the check can hold."""
        self.data.do(fill_in(list(self._work.oracle), self.names))

    def look(self) -> None:
        """Begin the task, look and do nothing: the proof that the check does not hold from the start."""
        self.computer.start(self.task.start)
        self.computer.observe(picture=False)
        self.computer.settle()

    def grade(self) -> Grade:
        """Whether the data are as the task demands, allowing some seconds for late saves."""
        if self._app.kind == "desktop":
            self.close()  # Programs write their settings when they end.
        checks, deadline = fill_in(list(self._work.check), self.names), time.monotonic() + SAVING
        while (fault := self.data.fault(checks)) and time.monotonic() < deadline:
            time.sleep(0.25)
        won = not fault
        details = self.person.details() if self.person is not None else {}
        told = f"not as asked: {fault}" if fault else ""
        return Grade(won, won, float(won), float(won), reason=told, details=details)

    def close(self) -> None:
        """Close the screen."""
        computer, self._computer = self._computer, None
        if computer is not None:
            computer.close()


class Apps:
    """The applications in `eval/apps`; each worker runs the server of one application at a time."""

    name = "apps"

    def __init__(
        self,
        *,
        goal: bool = False,
        headless: bool = True,
        cache: str = "",
        root: str = "",
        asks: int = 0,
        path: bool = False,
    ) -> None:
        """
        Args:
            asks: how many questions of the agent a person answers in an episode; 0 for no person.
            goal: give the agent the goal, as for a model, and not the plain commands.
            cache: folder in which the applications are installed; empty for the usual one.
            root: folder with the descriptions; empty for those that come with the project.
            path: the path to a model is measured: the goals are those whose way is known.
        """
        self._goal, self._headless, self._asks = goal, headless, asks
        self._cache = Path(cache) if cache else cache_folder()
        self._root = Path(root) if root else None
        self._server: AppServer | None = None

    def tasks(self, suite: str) -> Sequence[str]:
        """All tasks (`all`), those of a kind (`web`, `desktop`, `phone`) or of applications (`django,zim`).

        Raises:
            ConfigError: there is no such application.
        """
        known = applications(self._root)
        if suite in ("all", "web", "desktop", "phone"):
            return task_names([app for app in known.values() if suite in ("all", app.kind)])
        names = [name.strip() for name in suite.split(",") if name.strip()]
        for name in names:
            if name not in known:
                raise ConfigError(f"there is no application {name!r}; there are {', '.join(known)}")
        return task_names([known[name] for name in names])

    def setup(self) -> None:
        """Does nothing: the first episode of an application starts its server."""

    def teardown(self) -> None:
        """End the server that runs."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    @contextmanager
    def episode(self, case: Case) -> Iterator[AppEpisode]:
        """Begin a task with fresh data."""
        app, work = task_called(case.task, self._root)
        missing = app.missing(self._cache)
        if missing:
            raise ConfigError(f"{app.title}: {missing}")
        text, values = asked_wording(work, case.seed, goal=self._goal)
        with self._place(app) as (data, places):
            names = {**places, **{key: str(fill_in(value, places)) for key, value in values.items()}}
            first = case.seed // len(WORDINGS) % len(work.values) == 0
            for steps in (work.before, () if first else work.changed):
                data.do(fill_in(list(steps), names))
            start = str(fill_in(work.start or app.start, names))
            where = data.address + start if app.kind == "web" else start
            episode = AppEpisode(app, work, Task(str(fill_in(text, names)), where), data, names)
            episode.headless = self._headless
            if self._asks:
                episode.person = AskedPerson(fill_in(work.means, names), self._asks)
            try:
                yield episode
            finally:
                episode.close()

    @contextmanager
    def _place(self, app: App) -> Iterator[tuple[AppData, dict[str, str]]]:
        """Fresh data of an application, and the values of the placeholders in its texts."""
        if app.kind == "web":
            server = self._start_server(app)
            yield server.data, server.names
            return
        home = Path(tempfile.mkdtemp(prefix="guiagent-home-"))
        try:
            if app.kind == "phone":
                with simulated_phone() as (phone, address):
                    yield AppData(home, phone=phone), {"phone": address}
                return
            if (app.folder / "data").is_dir():
                shutil.copytree(app.folder / "data", home, dirs_exist_ok=True)
            data, names = AppData(home, app.database), {**placeholders(app, self._cache), "home": str(home)}
            data.do(fill_in(list(app.seed), names))
            yield data, names
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def _start_server(self, app: App) -> AppServer:
        """The server of an application in its first state."""
        server = self._server
        if server is not None and (server.app != app or (app.reset != "restart" and not server.alive)):
            self.teardown()
        try:
            if self._server is None:
                self._server = AppServer(app, self._cache)
            self._server.fresh()
        except (GuiAgentError, OSError) as error:
            self.teardown()
            raise BenchmarkError(f"{app.name}: {error}") from error
        return self._server


@contextmanager
def simulated_phone() -> Iterator[tuple[SimulatedPhone, str]]:
    """A simulated phone connected to this machine's adb server, and its address."""
    from guiagent_platforms.android.client import AdbServer

    from guiagent_eval.phone import PhoneServer, SimulatedPhone

    try:
        server = AdbServer()
        with PhoneServer(SimulatedPhone()) as phone:
            server.connect(phone.address)
            try:
                yield phone.phone, phone.address
            finally:
                server.ask(f"host:disconnect:{phone.address}")
    except ComputerLost as error:
        raise BenchmarkError(f"the simulated phone: {error}") from error


@runtime_checkable
class Provable(Protocol):
    """An episode that can be proved."""

    said: EndingKind
    """The kind of ending of a proof."""
    task: Task

    def solve(self) -> None:
        """Change the data as the task demands."""

    def look(self) -> None:
        """Begin the task and do nothing."""


class ProofSolver(Solver):
    """Proves tasks: `oracle` does them on the data, `idle` only looks at the screen."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Do the task on the data, or do nothing."""
        assert isinstance(episode, Provable)
        if self._kind == "oracle":
            episode.solve()
        else:
            episode.look()
        return Trajectory(episode.task, (), Ending(episode.said, f"the {self._kind} has ended"))


PROOFS = ("oracle", "idle")
"""Solvers that prove tasks: the first must solve each, the second none."""


def description(app: App) -> dict[str, Any]:
    """An application for lists."""
    return {"app": app.name, "title": app.title, "kind": app.kind, "tasks": [one.id for one in app.tasks]}
