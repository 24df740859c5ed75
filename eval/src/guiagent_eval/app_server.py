"""Installs an application, keeps its server and its data, and restores the first state of both."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from gui_agent.computers.environment import for_children
from gui_agent.content import own_file
from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError
from gui_agent.core.texts import shorten
from guiagent_eval.app_catalogue import MARK, App
from guiagent_eval.app_data import AppData, fill_in

INSTALLING = 1200.0
"""Maximum seconds of one installation."""
STARTING = 90.0
"""Seconds within which a server must answer."""
ENDING = 15.0
PREPARING = 120.0


def cache_folder() -> Path:
    """The folder for applications, unless another one is given."""
    return own_file("cache", "apps")


def install(app: App, cache: Path, say: Callable[[str], None]) -> None:
    """Install the parts of an application into a folder of its own.

    Raises:
        ConfigError: a part does not install, or only the system can install it.
    """
    lacking = [name for name in app.programs if shutil.which(name) is None]
    if lacking:
        raise ConfigError(f"{app.name}: {app.missing(cache)}")
    if not app.requirement or app.is_installed(cache):
        return
    place = cache / app.name
    shutil.rmtree(place, ignore_errors=True)  # Half an installation, or that of another version.
    place.mkdir(parents=True)
    say(f"installing {app.title} into {place} ...")
    names = placeholders(app, cache)

    def run(command: Sequence[str]) -> None:
        output_of(command, INSTALLING, f"{app.name}: ", cwd=place)

    if app.pip:
        run([sys.executable, "-m", "venv", str(place / "venv")])
        pip = [str(place / "venv/bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        run([*pip, *app.pip])
    if app.npm:
        (place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", *app.npm])
    for command in app.build:
        run([str(fill_in(word, names)) for word in command])
    (place / MARK).write_text(app.requirement, encoding="utf-8")


def placeholders(app: App, cache: Path) -> dict[str, str]:
    """The values of `{name}` in the commands of an application."""
    place, today = cache / app.name, date.today()
    folders = {"app": str(app.folder), "place": str(place), "bin": str(place / "venv/bin")}
    days = {"day": str(today.day), "yesterday": str((today - timedelta(1)).day), "month": f"{today:%Y-%m}"}
    return {**folders, **days, "self": sys.executable}


def output_of(
    command: Sequence[str],
    seconds: float,
    about: str = "",
    fault: type[GuiAgentError] = ConfigError,
    **how: Any,
) -> str:
    """The output of a command.

    Raises:
        ConfigError, or the class in `fault`: the command fails; the message has the end of its output.
    """
    called = f"{about}{' '.join(command[:4])} failed"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, **how)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise fault(f"{called}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-300:]
        raise fault(f"{called}: {shorten(said, 300) or f'exit code {done.returncode}'}")
    return str(done.stdout)


class AppServer:
    """A running web application with data of its own; `close` ends it and removes the data."""

    def __init__(self, app: App, cache: Path) -> None:
        """Make the first data and start the server.

        Raises:
            BenchmarkError: the server does not start.
        """
        self.app = app
        self._home = Path(tempfile.mkdtemp(prefix="guiagent-app-"))
        self._folder, self._first = self._home / "data", self._home / "first"
        self._folder.mkdir()
        self._keeper: subprocess.Popen[bytes] | None = None
        self.port = free_ports()[0]
        self.names = {
            **placeholders(app, cache),
            **{"data": str(self._folder), "port": str(self.port), "home": str(self._home)},
        }
        address = f"http://127.0.0.1:{self.port}"
        self.names["address"] = address
        self.data = AppData(self._folder, app.database, address, dict(app.headers))
        try:
            for command in app.prepare:
                given, about = fill_in(list(command), self.names), f"{app.name}: "
                how = {"cwd": self._folder, "env": self._environment()}
                output_of(given, PREPARING, about, BenchmarkError, **how)
            if (app.folder / "data").is_dir():
                shutil.copytree(app.folder / "data", self._folder, dirs_exist_ok=True)
            if app.reset != "restart":
                self._start()  # The files of the first start belong to the first state.
            if app.reset == "files":
                time.sleep(1)
            shutil.copytree(self._folder, self._first, symlinks=True)
        except BaseException:
            self.close()
            raise

    def fresh(self) -> None:
        """Restore the first state.

        Raises:
            BenchmarkError: the server no longer answers.
        """
        how = self.app.reset
        if how == "database":
            first = sqlite3.connect(self._first / self.app.database)
            with closing(first), closing(sqlite3.connect(self.data.path(self.app.database))) as now:
                # Unlike a copy of the file, this notifies open connections that everything has changed.
                first.backup(now)
            return
        if how == "restart":
            self._stop()
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(self._first, self._folder, dirs_exist_ok=True, symlinks=True)
        if how == "restart":
            self._start()

    @property
    def alive(self) -> bool:
        """Whether the server still runs and answers."""
        return self._keeper is not None and self._keeper.poll() is None and self._ready()

    def close(self) -> None:
        """End the server and remove its data; safe to call twice."""
        self._stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        own = {key: str(fill_in(value, self.names)) for key, value in self.app.environment.items()}
        # An application started by a test must not mistake itself for the tested one.
        given = {key: value for key, value in for_children().items() if not key.startswith("PYTEST_")}
        return {**given, "HOME": str(self._home), "NO_COLOR": "1", **own}

    def _start(self) -> None:
        said = self._home / "said.txt"
        with said.open("wb") as sink:
            self._keeper = subprocess.Popen(
                [
                    *(sys.executable, "-m", "guiagent_eval.app_keeper"),
                    *(str(fill_in(word, self.names)) for word in self.app.command),
                ],
                stdin=subprocess.PIPE,
                stdout=sink,
                stderr=sink,
                env=self._environment(),
                cwd=self._folder,
                start_new_session=True,
            )
        deadline = time.monotonic() + STARTING
        while not self._ready():
            if time.monotonic() > deadline or self._keeper.poll() is not None:
                self._stop()
                told = shorten(said.read_text(errors="replace").strip()[-400:], 400)
                raise BenchmarkError(f"{self.app.title} does not answer at {self.app.ready}: {told}")
            time.sleep(0.1)

    def _ready(self) -> bool:
        try:
            self.data.ask("GET", self.app.ready, {})
        except urllib.error.HTTPError as error:
            return error.code in (401, 403)
        except OSError:
            return False
        return True

    def _stop(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        if keeper.stdin is not None:
            keeper.stdin.close()
        end_process(keeper, ENDING)


def free_ports(count: int = 1) -> list[int]:
    """Free ports of this machine."""
    with ExitStack() as doors:
        bound = [doors.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(one.getsockname()[1]) for one in bound]


def end_process(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for a process that was asked to end; kill it if it does not."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(seconds)
