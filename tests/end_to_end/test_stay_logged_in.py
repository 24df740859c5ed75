"""A person logs in once; runs stay logged in, also where the site renews or two hosts take part in it."""

from __future__ import annotations

import io
import itertools
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from guiagent_eval.app_server import free_ports
from in_process import guiagent

from gui_agent.settings import state_folder

ENTER = "<p>Please log in</p><form method=post action=/enter><button>Log in</button></form>"
WITH_PASSWORD = f"<input type=password aria-label=Password>{ENTER}"
BY_ITSELF = f"{ENTER}<script>document.forms[0].submit()</script>"
INSIDE = """<p id=who>Welcome back, visit {visit}</p><p id=kept></p>
<script>kept.textContent = "kept " + (localStorage.kept || "nothing"); localStorage.kept = "a note"
fetch("/noted")</script>"""


class Site(BaseHTTPRequestHandler):
    """Sends strangers to another host to log in, which sends them back with a code; renews each session."""

    sessions: ClassVar[set[str]] = set()
    numbers = itertools.count(1)
    noted = threading.Event()

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        url, port = urlsplit(self.path), self.server.server_address[1]
        if url.path == "/login" and "password" in url.query:
            self._answer(WITH_PASSWORD, ("Set-Cookie", "token=of-strangers-too; Max-Age=3600"))
        elif url.path == "/login":
            self._answer(BY_ITSELF if "by-itself" in url.query else ENTER)
        elif url.path == "/back":
            self._go("/", ("Set-Cookie", f"session={self._number()}; Max-Age=3600; HttpOnly"))
        elif url.path == "/noted":
            self.noted.set()
            self._answer("")
        elif url.path == "/favicon.ico":  # a window asks for it at any time; a session is not renewed by it
            self._answer("")
        elif (session := self.headers.get("Cookie", "").partition("session=")[2]) in self.sessions:
            self.sessions.discard(session)
            number = self._number()
            self._answer(INSIDE.format(visit=number), ("Set-Cookie", f"session={number}; Max-Age=3600"))
        else:
            self._go(f"http://localhost:{port}/login?{url.query}")

    def do_POST(self) -> None:
        self._go(f"http://127.0.0.1:{self.server.server_address[1]}/back?code=1")

    def _number(self) -> str:
        number = str(next(self.numbers))
        self.sessions.add(number)
        return number

    def _go(self, where: str, *headers: tuple[str, str]) -> None:
        self._send(302, b"", ("Location", where), *headers)

    def _answer(self, text: str, *headers: tuple[str, str]) -> None:
        self._send(200, text.encode(), ("Content-Type", "text/html"), *headers)

    def _send(self, code: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(code)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def is_inside(site: str, *options: str, seconds: int = 60) -> bool:
    done = guiagent("run", f'wait for "kept a note" up to {seconds} s', "--url", site, "--quiet", *options)
    assert done.returncode in (0, 4), done.stderr
    return done.returncode == 0


def log_in(name: str, url: str, display: str, is_inside: Callable[[], bool]) -> None:
    """Keep the login that a page gives by itself, as a person does who presses Enter once they are inside."""
    with subprocess.Popen(
        [sys.executable, "-m", "gui_agent", "login", name, "--url", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "DISPLAY": display},
        text=True,
    ) as login:
        assert login.stdin and login.stdout and "log in" in login.stdout.readline()
        assert is_inside()
        out, _ = login.communicate("\n", timeout=120)
        assert login.returncode == 0 and "127.0.0.1" in out, out


@pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb")
def test_one_login_lasts_for_runs_on_a_site_that_renews_it_and_is_nobody_elses(
    site: str, display: str
) -> None:
    log_in("work", f"{site}/?by-itself", display, lambda: Site.noted.wait(120))
    (file,) = state_folder("profiles").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [is_inside(site, "--profile", "work") for _ in range(3)] == [True] * 3
    assert not is_inside(site, seconds=1)
    told = guiagent("profiles").stdout + guiagent("profiles", "show", "work").stdout
    assert "work: 127.0.0.1, used just now" in told and "127.0.0.1: until 20" in told
    assert guiagent("profiles", "forget", "work").returncode == 0 and not file.exists()


@pytest.fixture
def jupyter(tmp_path: Path) -> Iterator[str]:
    """JupyterLab that wants a token; its address. `scripts/setup suite` installs it."""
    program = Path(os.environ["XDG_CACHE_HOME"]) / "guiagent/apps/jupyterlab/venv/bin/jupyter-lab"
    if not program.is_file() or not shutil.which("Xvfb") or not shutil.which("xdotool"):
        pytest.skip("needs JupyterLab, Xvfb and xdotool")
    (port,) = free_ports()
    options = [
        f"--ServerApp.port={port}",
        "--IdentityProvider.token=knock",
        f"--ServerApp.root_dir={tmp_path}",
    ]
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "HOME": str(tmp_path)}
    with subprocess.Popen(
        [program, "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1", *options],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr and any("is running at" in line for line in server.stderr)
        threading.Thread(target=server.stderr.read, daemon=True).start()
        yield f"http://127.0.0.1:{port}"
        server.terminate()


@pytest.mark.nightly
def test_a_login_with_a_token_lasts_for_three_runs_of_a_real_application(jupyter: str, display: str) -> None:
    opened = ("xdotool", "search", "--sync", "--name", "JupyterLab")
    inside = 'wait for "New Folder" up to 60 s'

    def is_open() -> bool:
        environment = {**os.environ, "DISPLAY": display}
        return subprocess.call(opened, timeout=120, stdout=subprocess.DEVNULL, env=environment) == 0

    log_in("lab", f"{jupyter}/lab?token=knock", display, is_open)
    for _ in range(3):
        done = guiagent("run", inside, "--url", f"{jupyter}/lab", "--profile", "lab", "--quiet")
        assert done.returncode == 0, done.stderr
    stranger = guiagent("run", 'check "Password or token" is shown', "--url", f"{jupyter}/lab", "--quiet")
    assert stranger.returncode == 0, stranger.stderr
    assert "knock" not in (state_folder("profiles") / "lab.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["login", "../work", "--url", "example.org"], "is not a valid login name"),
        (["run", "wait 1", "--profile", "wrok"], 'no login is stored as wrok (did you mean "work"?)'),
        (["profiles", "forget", "other"], "no login is stored as other"),
        (["run", "wait 1", "--profile", "work"], "holds no login; log in again"),
    ],
)
def test_what_is_no_login_is_said_before_anything_happens(arguments: list[str], said: str) -> None:
    state_folder("profiles").mkdir(parents=True)
    (state_folder("profiles") / "work.json").write_text("[]")
    done = guiagent(*arguments)
    assert done.returncode == 2 and said in done.stderr, done.stderr


@pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb")
@pytest.mark.parametrize(
    ("path", "said"), [("", "no site stored a login"), ("/?password", "the page asks to log in")]
)
def test_who_does_not_log_in_keeps_what_was_there(
    path: str, said: str, site: str, display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    done = guiagent("login", "other", "--url", f"{site}{path}")
    assert done.returncode == 4 and said in done.stderr, done.stdout
    assert not list(state_folder("profiles").iterdir())
