"""A secret that was typed is in nothing that a run keeps, sends, or hands to the programs it starts."""

from __future__ import annotations

import base64
import contextlib
import html
import http.server
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from PIL import Image
from private import needs

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import PlainPlanner
from gui_agent.trace import read_run
from gui_agent.trace.writer import RunWriter
from gui_agent.wiring.secrets import BoundSecret
from tests.contract.models.conftest import Answer, Service, chat

SECRET = "Zq7!Vault(é)'42xK"
PAGE = """<!doctype html><meta charset=utf-8><title>Start</title>
<style>#echo { position: absolute; left: 0; top: 300px; width: 1200px; height: 300px; margin: 0 }</style>
<label>Token <input id=token autocomplete=off></label>
<button onclick="shown.textContent = 'Saved'">Save</button>
<p id=shown></p><p id=echo></p><a id=link href=#>Next</a>
<script>token.oninput = () => {
  const v = token.value, bytes = String.fromCharCode(...new TextEncoder().encode(v));
  echo.textContent = `${v} ${v.toUpperCase()} ${btoa(bytes)} ${btoa('a' + bytes)} ${btoa('ab' + bytes)} ` +
    `${[...v].join(' ')} ${encodeURIComponent(v)} ` +
    [...bytes].map(c => c.charCodeAt().toString(16)).join('');
  echo.title = link.title = document.title = `Token ${v}`; link.href = '/?next=' + encodeURIComponent(v);
  history.replaceState(0, '', '/?token=' + encodeURIComponent(v) + '#' + escape(v));
}</script>"""
VARIABLES = {
    "GUIAGENT_SECRET_TOKEN": SECRET,
    "SOME_API_KEY": "key-of-something-else",
    "GITHUB_TOKEN": "another-key-of-mine",
    "INNOCENT": f"see {SECRET}",
}


def written(text: str) -> list[bytes]:
    """The secret in the ways in which it might have been written down, made without the code under test."""
    data = text.encode()
    ways = [text, quote(text), quote_plus(text), quote(text, safe="!*'()"), html.escape(text), " ".join(text)]
    ways += [
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        data.hex(),
        text[: len(text) // 2 + 1],
    ]
    inside = [base64.b64encode(b"\0" * n + data).decode()[n + (n > 0) : -4] for n in range(3)]
    folded = [way.casefold().encode() for way in ways]
    return folded + [code.encode() for code in inside]


def assert_clean(name: str, data: bytes) -> None:
    folded = data.decode("utf-8", "replace").casefold().encode()
    for way in written(SECRET):
        assert way not in folded and way not in data, f"{name} holds {way!r}"


def assert_folder_clean(folder: Path) -> int:
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        assert_clean(path.name, path.name.encode() + path.read_bytes())
        assert path.stat().st_mode & 0o077 == 0, path
    return len(files)


def assert_nothing_drawn(run: Path, top: int, bottom: int) -> None:
    """No picture shows a text between these lines: all is the page's white or painted over."""
    pictures = sorted((run / "images").iterdir())
    assert pictures
    painted = 0
    for picture in pictures:
        lines = Image.open(picture).convert("RGB").crop((0, top, 1200, bottom))
        colours = {colour for _, colour in lines.getcolors(1 << 20) or []}
        assert colours <= {(255, 255, 255), (0x6B, 0x72, 0x80)}, picture
        painted += (0x6B, 0x72, 0x80) in colours
    assert painted


class Site:
    """A page, and the environments of the programs that stood behind those who asked for it."""

    def __init__(self) -> None:
        self.environments: dict[str, bytes] = {}
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.look()
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(PAGE.encode())

            def log_message(self, *_: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def look(self) -> None:
        """Read the environments of the browser and of its driver."""
        for process in descendants(os.getpid()):
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes()
                if b"chrom" in command or b"run-driver" in command:
                    self.environments[process.name] = (process / "environ").read_bytes()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def descendants(parent: int) -> list[Path]:
    above: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            above[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
    found, grown = {parent}, True
    while grown:
        more = {child for child, one in above.items() if one in found} - found
        found, grown = found | more, bool(more)
    return [Path("/proc") / str(child) for child in found - {parent}]


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


def guiagent(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command in an empty folder that is home as well, with secrets in its environment."""
    return subprocess.run(
        [sys.executable, "-m", "gui_agent", *arguments],
        cwd=folder,
        env={
            **os.environ,
            **VARIABLES,
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_STATE_HOME": str(folder),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=250,
    )


COMMANDS = 'type "${secret:TOKEN}" into "Token", click "Save", wait for "Saved"'


@pytest.mark.parametrize(
    "said", [COMMANDS, COMMANDS.replace("${secret:TOKEN}", SECRET)], ids=["by reference", "in plain"]
)
def test_a_run_that_is_learned_from_leaves_no_secret_anywhere(said: str, site: Site, tmp_path: Path) -> None:
    ran = guiagent(tmp_path, "run", said, "--url", site.url, "--learn", "--yes", "--json")
    assert ran.returncode == 0, ran.stderr.decode()
    exported = guiagent(tmp_path, "memory", "export", "kept.jsonl")
    assert exported.returncode == 0, exported.stderr.decode()
    assert b"${secret:TOKEN}" in (tmp_path / "kept.jsonl").read_bytes()
    for stream in (ran.stdout, ran.stderr, exported.stdout, exported.stderr):
        assert_clean("what was printed", stream)
    assert assert_folder_clean(tmp_path) >= 6
    (run,) = (tmp_path / "guiagent" / "runs").iterdir()
    assert run.stat().st_mode & 0o077 == 0
    assert_nothing_drawn(run, 300, 600)
    assert len(site.environments) >= 3, "a driver, a browser and its children"
    for environment in site.environments.values():
        assert_clean("an environment", environment)
        assert b"another-key" not in environment and b"something-else" not in environment


def decides(number: int, **arguments: Any) -> Answer:
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return Answer(chat(None, "tool_calls", tool_calls=[call]))


def test_a_model_never_gets_to_see_a_secret(site: Site, service: Service, tmp_path: Path) -> None:
    typed = {"action": {"kind": "type", "text": "${secret:TOKEN}", "at": {"text": "Token"}, "replace": True}}
    saved = {"action": {"kind": "click", "at": {"text": "Save"}}}
    service.script = [
        decides(1, actions=[typed]),
        decides(2, actions=[saved]),
        decides(3, end={"kind": "finish", "answer": "saved"}),
    ]
    model = (
        "--model",
        f"{service.url}/v1#some-model",
        "--set",
        "model.tape=tape",
        "--set",
        "model.verifier=false",
    )
    ran = guiagent(
        tmp_path,
        "run",
        "save the token",
        "--url",
        site.url,
        "--yes",
        "--json",
        *model,
        "--set",
        "planner.kind=model",
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert len(service.asked) >= 3
    asked = json.dumps([request.body for request in service.asked])
    assert "${secret:TOKEN}" in asked
    assert_clean("a prompt", asked.encode())
    for stream in (ran.stdout, ran.stderr):
        assert_clean("what was printed", stream)
    assert assert_folder_clean(tmp_path) >= 5
    for address in pictures_in([request.body for request in service.asked]):
        shot = Image.open(io.BytesIO(base64.b64decode(address))).convert("L")
        scale = shot.width / 1280
        echo = shot.crop((0, round(310 * scale), round(1190 * scale), round(590 * scale)))
        values = {value for _, value in echo.getcolors(1 << 20) or []}
        assert not any(value < 90 for value in values), "dark letters on white or grey"


def pictures_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from pictures_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from pictures_in(item)
    elif isinstance(value, str) and value.startswith("data:image/"):
        yield value.partition(",")[2]


FRAMED = """<!doctype html><title>Bank</title><h1>Bank</h1>
<iframe src="http://127.0.0.1:{port}/inner" width=600 height=200></iframe>"""
INNER = "<!doctype html><label>Password <input id=pw type=password autofocus></label>"


@pytest.mark.parametrize(("host", "typed"), [("localhost", False), ("127.0.0.1", True)])
@pytest.mark.parametrize(
    "task", ['type "${secret:PW}" into "Password"', 'click "Password", type "${secret:PW}"']
)
def test_a_secret_of_one_host_is_not_typed_into_a_frame_of_another(host: str, typed: bool, task: str) -> None:
    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = INNER if self.path == "/inner" else FRAMED.format(port=self.server.server_address[1])
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secrets = {"PW": BoundSecret(SECRET, (host,))}
    with contextlib.closing(server.socket), BrowserComputer() as browser:
        guard = PolicyGuard.default(yes=True)
        agent = Agent(browser, PlainPlanner(), guard=guard, secrets=secrets)
        result = agent.run(Task(task, start=f"http://localhost:{server.server_address[1]}/"))
        field = next(one for one in browser.observe().elements if one.name == "Password" and not one.is_text)
        server.shutdown()
    assert bool(field.value) is result.ok is typed, result.ending
    assert typed or "the secret PW is typed at localhost only; this is 127.0.0.1" in result.reason


@pytest.mark.timeout(240)
@pytest.mark.parametrize("observe", ["tree", pytest.param("vision", marks=pytest.mark.nightly)])
def test_a_secret_typed_on_a_desktop_is_neither_written_nor_drawn(
    observe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    if observe == "vision":
        pytest.importorskip("rapidocr")
    monkeypatch.setenv("GUIAGENT_SECRET_TOKEN", "Vault42xK77q")
    home = tmp_path / "home"
    home.mkdir()
    with VirtualComputer(home=str(home), observe=observe) as computer:
        agent = Agent(
            computer,
            PlainPlanner(),
            guard=PolicyGuard.default(yes=True),
            observers=[RunWriter(tmp_path / "runs")],
            secrets={"TOKEN": "Vault42xK77q"},
        )
        trajectory = agent.run('open "mousepad", type "${secret:TOKEN}", wait 1 s')
        assert computer.observe().screenshot is not None
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    (run,) = (tmp_path / "runs").iterdir()
    for path in run.rglob("*.json*"):
        assert b"vault42xk77q" not in path.read_bytes().lower()
    last = read_run(run).trajectory.steps[-1].after
    assert last.screenshot is not None
    shown = Image.open(io.BytesIO(last.screenshot.data)).convert("RGB")
    area = sum(
        count
        for count, (r, g, b) in shown.getcolors(1 << 22) or []
        if max(abs(r - 107), abs(g - 114), abs(b - 128)) < 6
    )
    assert area > 20_000, "the field or the window is painted over"
