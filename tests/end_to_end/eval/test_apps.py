"""Applications as a benchmark: a tiny web application of ours, and an editor that nobody here wrote."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from guiagent_eval.app_catalogue import applications
from guiagent_eval.apps import PROOFS, Apps, ProofSolver
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import make
from guiagent_eval.episodes import run_episode

from gui_agent.core.errors import BenchmarkError
from gui_agent.settings import Settings, override

pytestmark = pytest.mark.nightly

SERVER = """
import html, sqlite3, sys, urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer
class Guests(BaseHTTPRequestHandler):
    def do_GET(self):
        rows = sqlite3.connect("guests.db").execute("select name from guest").fetchall()
        page = "<title>Guests</title><form method=post><label>Name <input name=name></label>"
        page += "<button>Add</button></form>" + "".join(f"<p>{html.escape(row[0])}</p>" for row in rows)
        self.answer(200, page.encode())
    def do_POST(self):
        sent = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        with sqlite3.connect("guests.db") as database:
            database.execute("insert into guest values (?)", (sent["name"][0],))
        self.send_response(303)
        self.send_header("Location", "/")
        self.end_headers()
    def answer(self, code, body):
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Guests).serve_forever()
"""
SEED = 'import sqlite3; sqlite3.connect("guests.db").executescript("create table guest (name text)")'
APP = """
title = "Guests"
kind = "web"
prepare = [["{self}", "{app}/seed.py"]]
command = ["{self}", "{app}/server.py", "{port}"]
database = "guests.db"
reset = "database"
[[task]]
id = "add"
goal = "Add the guest {name}"
first = 'type "{name}" into "Name", click "Add"'
second = 'type "{name}" into "Name"'
third = 'type "{name}" into "Surname", click "Add"'
check = [{ sql = "select name from guest where name <> 'Old'", is = [["{name}"]] }]
oracle = [{ sql = "insert into guest values ('{name}')" }]
changed = [{ sql = "insert into guest values ('Old')" }]
values = [{ name = "Zoë" }, { name = "Bo 2" }]
means = { "Surname" = "the name field" }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "apps" / "guests"
    folder.mkdir(parents=True)
    for name, text in (("app.toml", APP), ("server.py", SERVER), ("seed.py", SEED)):
        (folder / name).write_text(text, encoding="utf-8")
    return tmp_path / "apps"


@pytest.fixture
def benchmark(root: Path) -> Iterator[Apps]:
    one = Apps(root=str(root))
    yield one
    one.teardown()


def plain_agent(folder: Path, **options: object) -> Recipe:
    settings = override(Settings(), {"guard": open_policy(), "limits": {"seconds": 60}})
    return Recipe("apps", str(folder), settings.model_dump(mode="json"), options, "plain")


def test_the_oracle_solves_a_task_and_a_look_at_it_does_not(benchmark: Apps) -> None:
    for seed in (0, 3):
        verdicts = [run_episode(benchmark, ProofSolver(kind), Case("guests.add", seed)) for kind in PROOFS]
        assert [record.success for record in verdicts] == [True, False]
        assert "found" in verdicts[1].reason or verdicts[1].ending == "not_done"


def test_the_plain_planner_is_judged_by_the_data_and_not_by_what_it_says(root: Path, tmp_path: Path) -> None:
    benchmark, solver = make(recipe := plain_agent(tmp_path, root=str(root)), Knowledge(recipe))
    try:
        records = [run_episode(benchmark, solver, Case("guests.add", seed)) for seed in (0, 1, 2, 3)]
    finally:
        benchmark.teardown()
    assert [record.verdict for record in records] == ["success", "wrong", "unknown", "success"]
    assert records[0].instruction == 'type "Zoë" into "Name", click "Add"'
    assert records[3].instruction == 'type "Bo 2" into "Name", click "Add"'


@pytest.mark.parametrize(("asks", "verdict"), [(0, "unknown"), (1, "success")])
def test_a_person_answers_what_a_step_means(root: Path, tmp_path: Path, asks: int, verdict: str) -> None:
    recipe = replace(plain_agent(tmp_path, root=str(root), asks=asks), trace="all")
    benchmark, solver = make(recipe, Knowledge(recipe))
    try:
        record = run_episode(benchmark, solver, Case("guests.add", 2))
    finally:
        benchmark.teardown()
    assert record.verdict == verdict, record
    assert record.asked == record.details.get("answered", 0) == asks
    kept = tmp_path / record.trace / "questions.json"
    assert kept.is_file() == bool(asks)
    if asks:
        (asked,) = json.loads(kept.read_text())
        assert asked[0].startswith('type "Zoë" into "Surname": ')


def test_what_the_person_answered_is_known_in_the_next_episode_with_other_values(
    root: Path, tmp_path: Path
) -> None:
    recipe = replace(plain_agent(tmp_path, root=str(root), asks=1), trace="all")
    benchmark, solver = make(recipe, Knowledge(recipe))
    try:
        records = [run_episode(benchmark, solver, Case("guests.add", seed)) for seed in (2, 5)]
    finally:
        benchmark.teardown()
    assert [(record.verdict, record.asked) for record in records] == [("success", 1), ("success", 0)]
    assert records[1].instruction == 'type "Bo 2" into "Surname", click "Add"'


def test_each_episode_begins_with_the_first_data_though_the_server_goes_on(benchmark: Apps) -> None:
    with benchmark.episode(Case("guests.add", 0)) as episode:
        port = episode.task.start
        episode.solve()
        assert episode.grade().success
    with benchmark.episode(Case("guests.add", 0)) as episode:
        assert episode.task.start == port
        assert not episode.grade().success


def test_a_server_that_was_killed_is_started_anew(benchmark: Apps) -> None:
    with benchmark.episode(Case("guests.add", 0)):
        server = benchmark._server
        assert server is not None and server._keeper is not None
        server._keeper.kill()
        server._keeper.wait(10)
    with benchmark.episode(Case("guests.add", 0)) as episode:
        episode.solve()
        assert episode.grade().success


def test_a_server_that_does_not_start_is_a_fault_of_the_machinery_with_its_last_words(
    root: Path, benchmark: Apps
) -> None:
    (root / "guests/server.py").write_text("raise SystemExit('no such port')", encoding="utf-8")
    import guiagent_eval.app_server as server

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "STARTING", 2.0)
        with pytest.raises(BenchmarkError, match="no such port"), benchmark.episode(Case("guests.add", 0)):
            pass


def test_nothing_is_left_of_a_worker_that_is_killed(root: Path) -> None:
    script = (
        "import sys, time\nfrom guiagent_eval.apps import Apps\nfrom guiagent_eval.benchmark import Case\n"
        "with Apps(root=sys.argv[1]).episode(Case('guests.add', 0)) as episode:\n"
        "    print(episode.task.start, flush=True)\n    time.sleep(120)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(root)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        port = int(worker.stdout.readline().rstrip("/\n").rpartition(":")[2])
        assert answers(port)
        os.kill(worker.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while answers(port) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not answers(port)


def answers(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.skipif(shutil.which("mousepad") is None, reason="mousepad is not installed")
@pytest.mark.timeout(240)
def test_a_desktop_program_is_judged_by_the_files_in_its_home_folder(tmp_path: Path) -> None:
    recipe = plain_agent(tmp_path)
    benchmark, solver = make(recipe, Knowledge(recipe))
    case = Case("mousepad.append-line", 0)
    assert run_episode(benchmark, ProofSolver("oracle"), case).success
    assert not run_episode(benchmark, ProofSolver("idle"), case).success
    assert run_episode(benchmark, solver, case).verdict == "success"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mousepad") is None, reason="mousepad is not installed")
@pytest.mark.timeout(600)
def test_a_run_becomes_demonstrations_that_are_replayed_with_new_values(tmp_path: Path) -> None:
    def guiagent(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gui_agent", "eval", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)

    task = ("--tasks", "mousepad.append-line")
    guiagent("apps", *task, "--seeds", "0", "--trace", "all", "--out", "shown", "--quiet")
    made = guiagent("demos", "shown", "--out", "recorded")
    assert "1 demonstrations" in made.stdout, made.stderr
    done = guiagent("apps", *task, "--seeds", "3", "--planner", "demonstration", "--demos", "recorded")
    assert "100.0" in done.stdout, done.stdout + done.stderr


def test_all_descriptions_can_be_read_and_every_task_is_worded_in_three_ways() -> None:
    known = applications()
    assert len([app for app in known.values() if app.kind == "web"]) >= 12
    assert len([app for app in known.values() if app.kind == "desktop"]) >= 10
    for app in known.values():
        assert len({task.id for task in app.tasks}) == len(app.tasks), app.name
        for task in app.tasks:
            assert len({task.first, task.second, task.third}) == 3, (app.name, task.id)
            assert task.check and task.oracle, (app.name, task.id)
    assert sum(len(app.tasks) for app in known.values()) >= 100
