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
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.guest import guests
from gui_agent.computers.remote.client import GuestClient
from gui_agent.computers.remote.computer import RemoteComputer
from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError
from gui_agent.core.geometry import Size
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import EndingKind, Task, Trajectory
from gui_agent.eval.app_data import AppData
from gui_agent.eval.apps import SAVING
from gui_agent.eval.benchmark import Case, Grade
from gui_agent.eval.osworld.evaluators import EvaluatorProcess
from gui_agent.eval.osworld.person import SimulatedPerson
from gui_agent.eval.osworld.task_classes import ClassDescription, described, scored
from gui_agent.eval.osworld.task_classes import release as task_release
from gui_agent.eval.osworld.tasks import OsWorldTask, TaskFile, chosen, read_tasks, task_folder

if TYPE_CHECKING:
    from gui_agent.computers.guest.docker import DockerGuest
    from gui_agent.computers.guest.qemu import QemuGuest

SIZE = Size(1920, 1080)
LOCAL, DOCKER, QEMU, REMOTE = "local", "docker", "qemu:", "remote:"
SETTING_UP = ("launch", "open", "execute", "activate_window", "close_window")
"""Steps that our own suite may use, each the route of this name; `files` and `sleep` are done here."""
FILES = 60.0
RESTING, BETWEEN_LOOKS = 15.0, 0.3


class OsWorldEpisode:
    """One task on a guest that is as at the beginning."""

    def __init__(self, task: OsWorldTask, place: _Place) -> None:
        self.file, self._place = task, place
        said: TaskFile | ClassDescription = task.file
        there = task.file.person
        if task.is_class:
            said, there = described(place.told)
        self.task = Task(said.commands if place.plain and said.commands else said.instruction)
        self.last = "DONE"
        self.said: EndingKind = "done"
        self._proved = False
        """Whether an oracle did it, to which the person says nothing."""
        answers = place.process.respond if task.is_class else None
        self.person = (
            SimulatedPerson(there, plain=place.plain, respond=answers) if there is not None else None
        )
        self.policy = there.policy if there is not None else ""
        self._begun = "" if not task.own else place.fingerprint(task.file.evaluator.checks)

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
        self._proved = True
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
        if self.file.is_class:
            return scored(self._place.process.score_class(self.last)).grade()
        if not self.file.own:
            score = self._place.process.score(self.last)
            return Grade(score >= 1.0, score > 0.0, score, score)
        for step in self.file.file.evaluator.postconfig:
            self._place.step(step.type, step.parameters)
        deadline = time.monotonic() + SAVING
        while (fault := self._place.fault(self.file.file.evaluator.checks)) and time.monotonic() < deadline:
            time.sleep(0.25)
        untouched = bool(fault) and self._begun == self._place.fingerprint(self.file.file.evaluator.checks)
        fault = fault or (self.person.missing() if self.person is not None and not self._proved else "")
        won = not fault and self.last != "FAIL"
        told = f"nothing was saved: {fault}" if untouched else f"not as asked: {fault}"
        return Grade(won, won, float(won), float(won), reason=told if fault else "", unsaved=untouched)


class _Place:
    """A guest, and the process that scores what is done on it."""

    def __init__(self, guest: str, evaluators: Path, checkout: str, plain: bool) -> None:
        self._evaluators, self._checkout, self.plain = evaluators, checkout, plain
        self.local: guests.LocalGuest | None = None
        self.machine: QemuGuest | DockerGuest | None = None
        self.oracles: dict[str, list[str]] = {}
        self.classes = False
        """Whether the tasks are of the second generation."""
        self.told: Any = None
        """What the task of the second generation that was set up last says of itself."""
        if guest == LOCAL:
            name = f"eval-{os.getpid()}"
            self.local = guests.start(name, SIZE, execute=True, evaluators=evaluators, owner=os.getpid())
            self.address, self.token, self.ports = self.local.address, self.local.token, self.local.ports
        elif guest == DOCKER or guest.startswith(f"{DOCKER}:"):
            from gui_agent.computers.guest.docker import IMAGE, DockerGuest

            box = self.machine = DockerGuest(guest.removeprefix(DOCKER).removeprefix(":") or IMAGE)
            self.address, self.token, self.ports = box.address, box.token, box.ports
        elif guest.startswith(QEMU):
            from gui_agent.computers.guest.qemu import Machine, QemuGuest

            made = self.machine = QemuGuest(Machine(Path(guest.removeprefix(QEMU))))
            self.address, self.token, self.ports = made.address, made.token, made.ports
        elif guest.startswith(REMOTE):
            from gui_agent.settings import guest_token

            self.address, self.token, self.ports = guest.removeprefix(REMOTE), guest_token(), {}
        else:
            raise ConfigError(
                f"--guest {guest}: use local, docker, qemu:IMAGE.qcow2, or remote:http://host:5000"
            )
        self._process: EvaluatorProcess | None = None

    @property
    def process(self) -> EvaluatorProcess:
        """The evaluators, started when they are first needed."""
        if self._process is None:
            given = (self._checkout, self.address, self.token, dict(self.ports))
            self._process = EvaluatorProcess(self._evaluators, *given, SIZE, classes=self.classes)
        return self._process

    def begin(self, task: OsWorldTask) -> None:
        """Reset the guest and set the task up."""
        if self.local is not None:
            self.local.reset()
            self.local = guests.running(self.local.name)
        if self.machine is not None:
            self.machine.reset()
            self.address, self.ports = self.machine.address, self.machine.ports
        if task.is_class:
            self.classes = True
            self.told = self.process.prepare_class(task.path)
            return
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

    def fingerprint(self, checks: Sequence[dict[str, Any]]) -> str:
        """What stands in the files that are looked at, to see later whether any was written."""
        with self._home() as home:
            files = {path for one in checks for path in home.glob(_looked_at(one)) if path.is_file()}
            return sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()

    def close(self) -> None:
        """End the evaluators and the guest."""
        if self._process is not None:
            self._process.close()
        if self.local is not None:
            self.local.stop()
        if self.machine is not None:
            self.machine.close()

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


def at_rest(computer: Computer) -> None:
    """Wait until what was set up is there: a title comes before what its window shows.

    OSWorld's own runner sleeps for a minute here.
    """
    until, shown = time.monotonic() + RESTING, 0
    while time.monotonic() < until:
        computer.settle()
        now = len(computer.observe(picture=False).elements)
        if now == shown > 0:
            return
        shown = now
        time.sleep(BETWEEN_LOOKS)


def _looked_at(check: dict[str, Any]) -> str:
    named = str(check.get("file") or check.get("picture") or check.get("names") or "").partition("!")[0]
    return f"{named}/*" if "names" in check else named or "nothing"


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
        release: str = "",
    ) -> None:
        """
        Args:
            tasks: folder of the tasks; empty for our own suite.
            guest: local, docker or docker:IMAGE, qemu:IMAGE, or remote:URL.
            checkout: of OSWorld, for its evaluators; empty when they are installed.
            evaluators: folder of the isolated environment.
            oracles: a JSON file with the steps that do tasks, by name; for proofs.
            release: of the second generation's tasks; another one than this is refused.
            goal: ask for what is wanted, as for a model, and not in the words of plain commands.
        """
        self._folder = task_folder(tasks)
        if release and release != task_release(self._folder):
            raise ConfigError(f"{tasks} is no longer the release {release} that the run was started with")
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
                if task.own and task.file.config:
                    at_rest(episode.computer)
            except ConfigError:
                raise
            except GuiAgentError as error:
                raise BenchmarkError(f"{case.task}: {error}") from error
            yield episode
