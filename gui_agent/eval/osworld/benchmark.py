"""OSWorld as a benchmark: each worker has a guest of its own, which is reset for every episode."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from gui_agent.computers.guest import guests
from gui_agent.computers.remote.client import GuestClient
from gui_agent.computers.remote.computer import RemoteComputer
from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError
from gui_agent.core.geometry import Size
from gui_agent.core.trajectory import EndingKind, Task, Trajectory
from gui_agent.eval.app_data import AppData
from gui_agent.eval.apps import SAVING
from gui_agent.eval.benchmark import Case, Grade
from gui_agent.eval.osworld.evaluators import EvaluatorProcess
from gui_agent.eval.osworld.tasks import OsWorldTask, chosen, read_tasks, task_folder

SIZE = Size(1920, 1080)
LOCAL, REMOTE = "local", "remote:"
SETTING_UP = ("launch", "open", "execute", "activate_window", "close_window")
"""Steps that our own suite may use, each the route of this name; `files` and `sleep` are done here."""
FILES = 60.0


class OsWorldEpisode:
    """One task on a guest that is as at the beginning."""

    def __init__(self, task: OsWorldTask, place: _Place) -> None:
        self.file, self._place = task, place
        words = task.file.commands if place.plain and task.file.commands else task.file.instruction
        self.task = Task(words)
        self.last = "DONE"
        self.said: EndingKind = "done"

    @cached_property
    def computer(self) -> RemoteComputer:
        """The guest's screen."""
        return RemoteComputer(self._place.address, guest_token=self._place.token)

    def over(self) -> str:
        """Nothing ends an episode but the agent."""
        return ""

    def ended(self, trajectory: Trajectory) -> None:
        """Take note of the agent's last word: who gives up says that it cannot be done."""
        self.last = "FAIL" if trajectory.ending and trajectory.ending.kind == "not_done" else "DONE"

    def solve(self) -> None:
        """Change the files as the task demands: the proof that its checks can be met.

        Raises:
            BenchmarkError: no way is known.
        """
        if self.file.infeasible:
            self.said = "not_done"
        elif self.file.name in self._place.oracles:
            for command in self._place.oracles[self.file.name]:
                self._place.step("execute", {"command": command, "shell": True})
        elif self.file.file.oracle:
            self._place.change(self.file.file.oracle)
        else:
            raise BenchmarkError(f"{self.file.name} comes without an oracle; give one with --oracles")

    def look(self) -> None:
        """Look, and do nothing: the proof that the task is not done by itself."""
        self.computer.observe(picture=False)

    def grade(self) -> Grade:
        """The score: of its own checks, or of OSWorld's evaluator."""
        if not self.file.own:
            score = self._place.process.score(self.last)
            return Grade(score >= 1.0, score > 0.0, score, score)
        for step in self.file.file.evaluator.postconfig:
            self._place.step(step.type, step.parameters)
        deadline = time.monotonic() + SAVING
        while (fault := self._place.fault(self.file.file.evaluator.checks)) and time.monotonic() < deadline:
            time.sleep(0.25)
        won = not fault and self.last != "FAIL"
        return Grade(won, won, float(won), float(won), reason=f"not as asked: {fault}" if fault else "")


class _Place:
    """A guest, and the process that scores what is done on it."""

    def __init__(self, guest: str, evaluators: Path, checkout: str, plain: bool) -> None:
        self._evaluators, self._checkout, self.plain = evaluators, checkout, plain
        self.local: guests.LocalGuest | None = None
        self.oracles: dict[str, list[str]] = {}
        if guest == LOCAL:
            name = f"eval-{os.getpid()}"
            self.local = guests.start(name, SIZE, execute=True, evaluators=evaluators, owner=os.getpid())
            self.address, self.token, self.ports = self.local.address, self.local.token, self.local.ports
        elif guest.startswith(REMOTE):
            from gui_agent.settings import guest_token

            self.address, self.token, self.ports = guest.removeprefix(REMOTE), guest_token(), {}
        else:
            raise ConfigError(f"--guest {guest}: use local, or remote:http://host:5000")
        self._process: EvaluatorProcess | None = None

    @property
    def process(self) -> EvaluatorProcess:
        """The evaluators, started when they are first needed."""
        if self._process is None:
            given = (self._checkout, self.address, self.token, dict(self.ports))
            self._process = EvaluatorProcess(self._evaluators, *given, SIZE)
        return self._process

    def begin(self, task: OsWorldTask) -> None:
        """Reset the guest and set the task up."""
        if self.local is not None:
            self.local.reset()
            self.local = guests.running(self.local.name)
        if not task.own:
            self.process.prepare(task.raw)
            return
        for step in task.file.config:
            self.step(step.type, step.parameters)

    def step(self, kind: str, given: dict[str, Any]) -> None:
        """One step of our own suite."""
        if kind == "files":
            self.change(given["steps"])
        elif kind == "sleep":
            time.sleep(min(float(given["seconds"]), 30.0))
        elif kind in SETTING_UP:
            route = {"open": "/setup/open_file"}.get(kind, f"/setup/{kind}")
            reply = GuestClient(self.address, self.token).post(route, given, limit=180.0)
            if not reply.ok:
                raise BenchmarkError(f"{kind}: {reply.said}")
        else:
            raise ConfigError(
                f"our own suite has no step {kind!r}; use files, sleep, {', '.join(SETTING_UP)}"
            )

    def change(self, steps: Sequence[dict[str, Any]]) -> None:
        """Change files of the guest's home."""
        with self._home() as home:
            before = set(home.rglob("*"))
            AppData(home).do(steps)
            gone = [f"./{path.relative_to(home)}" for path in before if not path.exists()]
            if gone and self.local is not None:
                self.local.run("rm", "-rf", "--", *gone)
            self._tar("-x", home, into=True)

    def fault(self, checks: Sequence[dict[str, Any]]) -> str:
        """The first check on the guest's files that does not hold."""
        with self._home() as home:
            return AppData(home).fault(checks)

    def close(self) -> None:
        """End the evaluators and the guest."""
        if self._process is not None:
            self._process.close()
        if self.local is not None:
            self.local.stop()

    @contextmanager
    def _home(self) -> Iterator[Path]:
        """A copy of the guest's home; its links lead nowhere out of it."""
        with tempfile.TemporaryDirectory(prefix="guiagent-home-") as folder:
            self._tar("-c", Path(folder), into=False)
            yield Path(folder)

    def _tar(self, way: str, folder: Path, *, into: bool) -> None:
        """Copy a home out of the guest (`-c`) or into it (`-x`), as the guest's own user there."""
        import io
        import tarfile

        if self.local is None:
            raise ConfigError("our own suite needs --guest local")
        command = ["tar", way, "-f", "-", "-C", "/home/user", "--exclude=./.cache", *([] if into else ["."])]
        sink = io.BytesIO()
        if into:
            with tarfile.open(fileobj=sink, mode="w") as archive:
                archive.add(folder, arcname=".", recursive=True, filter=_as_user)
        done = subprocess.run(
            guests.inside(self.local, command),
            input=sink.getvalue(),
            capture_output=True,
            timeout=FILES,
            check=False,
        )
        if done.returncode not in (0, 1):  # 1: a file changed while it was read
            raise BenchmarkError(f"the guest's files cannot be copied: {done.stderr.decode()[-200:].strip()}")
        if not into:
            with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
                files = [one for one in archive if one.isfile() or one.isdir()]
                archive.extractall(folder, files, filter="data")


def _as_user(info: Any) -> Any:
    info.uid = info.gid = 1000
    return info


class OsWorld:
    """The tasks of a folder, on local guests or on one that is remote."""

    name = "osworld"

    def __init__(
        self,
        *,
        tasks: str = "",
        guest: str = LOCAL,
        checkout: str = "",
        evaluators: str = "",
        oracles: str = "",
        goal: bool = False,
    ) -> None:
        """
        Args:
            tasks: folder of the tasks; empty for our own suite.
            guest: local, or remote:URL.
            checkout: of OSWorld, for its evaluators; empty when they are installed.
            evaluators: folder of the isolated environment.
            oracles: a JSON file with the steps that do tasks, by name; for proofs.
            goal: ask for what is wanted, as for a model, and not in the words of plain commands.
        """
        self._folder = task_folder(tasks)
        self._guest, self._checkout, self._goal = guest, checkout, goal
        self._evaluators = Path(evaluators) if evaluators else Path("/nonexistent")
        self._oracles = json.loads(Path(oracles).read_text(encoding="utf-8")) if oracles else {}
        self._place: _Place | None = None

    @cached_property
    def known(self) -> dict[str, OsWorldTask]:
        """All tasks by name."""
        return read_tasks(self._folder)

    def tasks(self, suite: str) -> Sequence[str]:
        """The names of a suite.

        Raises:
            ConfigError: there is no such suite.
        """
        return chosen(self.known, suite, self._folder)

    def setup(self) -> None:
        """Nothing: a guest is started with the first episode."""

    def teardown(self) -> None:
        """End guest and evaluators."""
        place, self._place = self._place, None
        if place is not None:
            place.close()

    @contextmanager
    def episode(self, case: Case) -> Iterator[OsWorldEpisode]:
        """Reset the guest and set a task up."""
        if case.task not in self.known:
            raise ConfigError(f"there is no task {case.task!r}; guiagent eval osworld --list names all")
        task = self.known[case.task]
        with ExitStack() as stack:
            try:
                if self._place is None:
                    self._place = _Place(self._guest, self._evaluators, self._checkout, not self._goal)
                    self._place.oracles = self._oracles
                self._place.begin(task)
                episode = OsWorldEpisode(task, self._place)
                stack.callback(episode.computer.close)
            except ConfigError:
                raise
            except GuiAgentError as error:
                raise BenchmarkError(f"{case.task}: {error}") from error
            yield episode
