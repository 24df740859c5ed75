"""Tasks in WindowsAgentArena's form, on a simulated Windows guest, scored by a package of its form."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner
from guiagent_eval.apps import PROOFS, ProofSolver
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.osworld import osworld
from guiagent_eval.episodes import run_episode
from guiagent_eval.osworld import benchmark as harness
from guiagent_eval.osworld.benchmark import GuestScreen, OsWorld
from guiagent_eval.osworld.tasks import ARENA, checkout_of, read_tasks, support, task_folder
from guiagent_eval.osworld.windows import windows_computer
from PIL import Image, ImageDraw

from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Point

FOLDER = "C:\\Users\\Docker\\Documents"
TASKS: dict[str, dict[str, Any]] = {
    "notepad/draft-2-WOS": {
        "id": "draft-WOS",
        "instruction": 'Write "draft.txt" into the folder of documents.',
        "_comments": "The id is not the name of the file, as in the original.",
        "config": [
            {"type": "create_folder", "_comment": "", "parameters": {"path": FOLDER}},
            {"type": "launch", "parameters": {"command": ["notepad"]}},
        ],
        "evaluator": {
            "postconfig": [{"type": "activate_window", "parameters": {"window_name": "draft.txt"}}],
            "func": "exact_match",
            "result": {
                "type": "vm_file_exists_in_vm_folder",
                "folder_name": FOLDER,
                "file_name": "draft.txt",
            },
            "expected": {"type": "rule", "rules": {"expected": 1.0}},
        },
    },
    "notepad/compared-WOS": {
        "id": "compared-WOS",
        "instruction": "Write two files.",
        "config": [],
        "evaluator": {
            "func": ["exact_match", "same_text"],
            "result": [
                {"type": "vm_file_exists_in_vm_folder", "folder_name": FOLDER, "file_name": "a.txt"},
                {"type": "vm_file", "path": f"{FOLDER}\\b.txt", "dest": "b.txt"},
            ],
            "expected": [{"type": "rule", "rules": {"expected": 1.0}}, {"type": "rule", "rules": "two\n"}],
        },
    },
    "settings/INF-never-WOS": {
        "id": "INF-other-WOS",
        "instruction": "Open the folder of the film that is playing.",
        "config": [],
        "evaluator": {"func": "infeasible", "result": {}, "expected": {}},
    },
    "chrome/tab-wos": {
        "id": "tab-wos",
        "instruction": "Open a tab.",
        "config": [{"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://example.org"]}}],
        "evaluator": {"func": "exact_match", "result": {"type": "rule", "rules": 1}},
    },
    "libreoffice_calc/sum-WOS": {
        "id": "sum-WOS",
        "instruction": "Add the numbers.",
        "config": [
            {
                "type": "download",
                "parameters": {
                    "files": [{"url": "https://files.example.org/a.xlsx", "path": f"{FOLDER}\\a.xlsx"}]
                },
            }
        ],
        "evaluator": {"func": "exact_match", "result": {"type": "rule", "rules": 1}},
    },
}
ORACLES = {
    "notepad/draft-2-WOS": [f"write {FOLDER}\\draft.txt|text"],
    "notepad/compared-WOS": [f"write {FOLDER}\\a.txt|one", f"write {FOLDER}\\b.txt|two"],
}
PACKAGE = {
    "envs/desktop_env.py": """
import os
from desktop_env.evaluators import getters, metrics


class DesktopEnv:
    def __init__(self, snapshot_name="init_state", emulator_ip=None):
        raise AssertionError("it would look for a machine of its own")

    def _set_task_info(self, task):
        self.cache_dir = os.path.join(self.cache_dir_base, task["id"])
        os.makedirs(self.cache_dir, exist_ok=True)
        self.instruction, self.config, self.evaluator = task["instruction"], task["config"], task["evaluator"]

    def evaluate(self):
        told = self.evaluator
        self.setup_controller.setup(told.get("postconfig", []))
        if told["func"] == "infeasible":
            return int(self.action_history[-1:] == ["FAIL"])
        if self.action_history[-1:] == ["FAIL"]:
            return 0
        parts = [told[key] for key in ("func", "result", "expected")]
        each = [one if isinstance(one, list) else [one] for one in parts]
        scores = []
        for func, result, expected in zip(*each):
            found = getattr(getters, "get_" + result["type"])(self, result)
            scores.append(getattr(metrics, func)(found, getters.get_rule(self, expected)))
        return min(scores)
""",
    "controllers/python.py": """
import requests


class PythonController:
    def __init__(self, vm_ip, pkgs_prefix="{command}"):
        self.http_server = f"http://{vm_ip}:5000"

    def get_file(self, path):
        told = requests.post(self.http_server + "/file", data={"file_path": path})
        return told.content if told.status_code == 200 else None
""",
    "controllers/setup.py": """
import requests


class SetupController:
    def __init__(self, vm_ip, cache_dir):
        self.http_server, self.cache_dir = f"http://{vm_ip}:5000/setup/", cache_dir

    def reset_cache_dir(self, cache_dir):
        self.cache_dir = cache_dir

    def setup(self, config):
        for step in config:
            getattr(self, f"_{step['type']}_setup")(**step["parameters"])

    def _close_all_setup(self):
        requests.post(self.http_server + "close_all", json={})

    def _clean_up_files(self):
        requests.post(self.http_server + "clear_task_files", json={})

    def _create_folder_setup(self, path):
        requests.post(self.http_server + "create_folder", json={"path": path})

    def _launch_setup(self, command, shell=False):
        requests.post(self.http_server + "launch", json={"command": command, "shell": shell})

    def _activate_window_setup(self, window_name, strict=False):
        requests.post(self.http_server + "activate_window", json={"window_name": window_name})
""",
    "evaluators/getters.py": """
import os


def get_rule(env, config):
    return config["rules"]


def get_vm_file(env, config):
    data = env.controller.get_file(config["path"])
    if data is None:
        return None
    path = os.path.join(env.cache_dir, config["dest"])
    with open(path, "wb") as sink:
        sink.write(data)
    return path


def get_vm_file_exists_in_vm_folder(env, config):
    return 1.0 if env.controller.get_file(config["folder_name"] + "\\\\" + config["file_name"]) else 0.0
""",
    "evaluators/metrics.py": """
def exact_match(result, rules):
    return 1.0 if result == rules["expected"] else 0.0


def same_text(result, rules):
    return float(result is not None and open(result).read() == rules)


def infeasible():
    pass
""",
}


@dataclass
class WindowsGuest:
    """The routes that the tasks here use, on files in memory."""

    system: str = "Windows"
    token: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    done: list[list[Any]] = field(default_factory=list)
    """The inputs of the agent."""
    port: int = 0

    def answer(self, route: str, data: bytes) -> tuple[int, Any]:
        self.asked.append(route)
        match route:
            case "/platform":
                return 200, self.system
            case "/screenshot":
                return 200, _picture()
            case "/screen_size":
                return 200, {"width": 800, "height": 600}
            case "/file":
                path = parse_qs(data.decode())["file_path"][0]
                return (200, self.files[path]) if path in self.files else (404, {"error": "File not found"})
            case "/execute" | "/setup/execute":
                return 200, {"output": self.run(json.loads(data)["command"]), "error": "", "returncode": 0}
            case "/setup/open_file":
                known = json.loads(data)["path"] == "notepad"
                return (200, "opened") if known else (404, "Application/file not found")
            case "/setup/clear_task_files":
                self.files.clear()
        return (200, "done") if route.startswith("/setup/") else (404, {"error": "no such route"})

    def run(self, command: Any) -> str:
        if isinstance(command, str) and command.startswith("write "):
            path, _, text = command.removeprefix("write ").partition("|")
            self.files[path] = f"{text}\n".encode()
        elif "position()" in command[2]:
            return "400 300\r\n"
        elif len(command) > 3:
            self.done += json.loads(command[3])
        return ""


def _picture() -> bytes:
    image = Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(image).text((20, 20), "Untitled - Notepad", fill="black", font_size=18)
    sink = io.BytesIO()
    image.save(sink, "PNG")
    return sink.getvalue()


@pytest.fixture
def guest() -> Iterator[WindowsGuest]:
    there = WindowsGuest()

    class Routes(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            allowed = self.headers.get("authorization", "") == (
                f"Bearer {there.token}" if there.token else ""
            )
            status, told = there.answer(self.path, data) if allowed else (401, {"error": "no token"})
            body = told if isinstance(told, bytes) else told.encode() if isinstance(told, str) else None
            body = json.dumps(told).encode() if body is None else body
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        there.port = server.server_port
        yield there
        server.shutdown()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout as it is cloned, with an isolated environment beside it."""
    client = tmp_path / "arena" / ARENA
    for name, task in TASKS.items():
        path = client / "evaluation_examples_windows" / "examples" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        usual = {"snapshot": "base_setup", "source": "", "trajectory": "trajectories/", "related_apps": []}
        path.write_text(json.dumps({**usual, **task}))
    index = {"notepad": ["draft-2-WOS", "compared-WOS"], "settings": ["INF-never-WOS"]}
    (client / "evaluation_examples_windows" / "test_custom.json").write_text(json.dumps(index))
    for name, text in PACKAGE.items():
        path = client / "desktop_env" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for folder in ("", "envs", "controllers", "evaluators"):
        (client / "desktop_env" / folder / "__init__.py").write_text("")
    python = tmp_path / "evaluators" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "oracles.json").write_text(json.dumps(ORACLES))
    return tmp_path / "arena"


def arena(checkout: Path, guest: WindowsGuest, monkeypatch: pytest.MonkeyPatch) -> OsWorld:
    monkeypatch.setattr(harness, "BEFORE_SCORING", 0.0)
    monkeypatch.setattr(harness, "RESTING", 0.0)
    monkeypatch.setenv("GUIAGENT_GUEST_TOKEN", guest.token)
    return OsWorld(
        tasks=str(checkout),
        guest=f"remote:http://127.0.0.1:{guest.port}",
        checkout=checkout_of(str(checkout)),
        evaluators=str(checkout.parent / "evaluators"),
        oracles=str(checkout.parent / "oracles.json"),
    )


@pytest.mark.timeout(120)
def test_an_oracle_does_each_task_and_doing_nothing_scores_0(
    checkout: Path, guest: WindowsGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest.token = "of-the-guest"
    benchmark = arena(checkout, guest, monkeypatch)
    names = benchmark.tasks("custom")
    assert len(names) == 3
    try:
        for name in names:
            scores = [run_episode(benchmark, ProofSolver(kind), Case(name, 0)).reward for kind in PROOFS]
            assert scores == [1.0, 0.0], name
    finally:
        benchmark.teardown()
    began = [route for route in guest.asked if route.startswith("/setup/")]
    assert began[:4] == [
        f"/setup/{name}" for name in ("close_all", "clear_task_files", "create_folder", "launch")
    ]
    assert "/setup/activate_window" in began, "the evaluator's own steps were left out"


def test_each_task_is_read_and_what_it_needs_is_told(checkout: Path) -> None:
    tasks = read_tasks(task_folder(str(checkout)))
    assert set(tasks) == set(TASKS) and all(task.windows for task in tasks.values())
    assert tasks["settings/INF-never-WOS"].infeasible
    needs = {name: task.lacks()[1:] for name, task in tasks.items()}
    assert needs["chrome/tab-wos"] == ("a website",)
    assert needs["libreoffice_calc/sum-WOS"] == ("files of a hub",)
    assert needs["notepad/draft-2-WOS"] == ()
    table = support(list(tasks.values()))
    assert sum(row["a Windows guest"] for row in table.values()) == len(TASKS)
    assert not sum(row["supported"] for row in table.values())
    shown = CliRunner().invoke(osworld, ["--tasks", str(checkout), "--support"], catch_exceptions=False)
    assert "all | 5 | 0 | 1 | 5 | 1 | 1" in shown.output


@pytest.mark.parametrize("kind", ["local", "docker"])
def test_a_guest_that_cannot_be_windows_is_refused_by_name(checkout: Path, kind: str) -> None:
    given = ["--tasks", str(checkout), "--suite", "notepad", "--guest", kind, "--quiet"]
    with pytest.raises(ConfigError, match=f"notepad/.* needs a Windows guest, and {kind} is Linux"):
        CliRunner().invoke(osworld, given, catch_exceptions=False)


def test_a_guest_that_is_not_windows_is_never_scored(
    checkout: Path, guest: WindowsGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest.system = "Linux"
    benchmark = arena(checkout, guest, monkeypatch)
    with pytest.raises(ConfigError, match=r"notepad/compared-WOS needs Windows, and .* is Linux"):
        run_episode(benchmark, ProofSolver("idle"), Case("notepad/compared-WOS", 0))
    assert guest.asked == ["/platform"], "something was done to it"


def test_a_guest_is_captured_beside_the_agent(guest: WindowsGuest) -> None:
    guest.system = "Linux"
    screen = GuestScreen(f"http://127.0.0.1:{guest.port}")
    try:
        assert screen.grab().size == (400, 300)
    finally:
        screen.close()
        screen.close()
    with pytest.raises(ComputerLost, match="closed"):
        screen.grab()


def test_an_agent_sees_and_operates_such_a_guest(guest: WindowsGuest) -> None:
    with windows_computer(f"http://127.0.0.1:{guest.port}") as computer:
        seen = computer.observe()
        assert computer.platform == "windows"
        assert any("Notepad" in one.name for one in seen.elements), seen.elements
        computer.perform(Click(Point(100, 50)))
        computer.perform(TypeText("a<b"))
        computer.perform(Press(("ctrl", "s")))
        computer.start("notepad")
        with pytest.raises(ActionFailed, match="cannot open"):
            computer.start("nothing-such")
    assert ["move", 200, 100] in guest.done, "points of the picture are not those of the input"
    assert [one for one in guest.done if one[0] == "write"] == [["write", "a"], ["write", "b"]]
    assert ["keydown", "ctrl"] in guest.done and ["keyup", "ctrl"] in guest.done
