"""A run that is killed while a page saves, by whatever way, stores nothing twice when it is resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from save_pages import WAYS, NoteServer

TASK = 'type "Ada" into "Name", type "Oslo" into "City", click "Save", type "Bob" into "Name"'
NOTE = {"name": "Ada", "city": "Oslo"}
NIGHTLY = ("xhr", "graphql", "beacon")
SECONDS = 60.0


@pytest.fixture
def server() -> Iterator[NoteServer]:
    started = NoteServer()
    yield started
    started.close()


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    return {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "gui_agent", *words, "--yes", "--quiet"]


@pytest.mark.parametrize("way", [pytest.param(w, marks=[pytest.mark.nightly] * (w in NIGHTLY)) for w in WAYS])
def test_what_left_as_the_run_was_killed_is_not_sent_again(
    way: str, server: NoteServer, environment: Mapping[str, str]
) -> None:
    run = subprocess.Popen(
        command("run", TASK, "--url", f"{server.url}/{way}"), env=environment, start_new_session=True
    )
    assert server.has_stored.wait(SECONDS)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    resumed = subprocess.run(
        command("resume", "last"),
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert server.notes == [NOTE], resumed.stderr
    assert resumed.returncode in (0, 4, 5), resumed.stderr


def test_a_step_that_a_script_sent_something_by_is_not_done_again(
    server: NoteServer, environment: Mapping[str, str]
) -> None:
    limited = command("run", TASK, "--url", f"{server.url}/fetch", "--max-steps", "3")
    ended = subprocess.run(limited, env=environment, capture_output=True, timeout=SECONDS, check=False)
    assert ended.returncode == 4
    subprocess.run(
        command("resume", "last"), env=environment, capture_output=True, timeout=SECONDS, check=False
    )
    assert server.notes == [NOTE]


def test_the_trace_tells_what_left_and_none_of_its_values(
    server: NoteServer, environment: Mapping[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        command("run", TASK, "--url", f"{server.url}/fetch"), env=environment, timeout=SECONDS, check=False
    )
    assert done.returncode == 0
    (trace,) = tmp_path.glob("state/guiagent/runs/*/steps.jsonl")
    steps = [
        line for line in map(json.loads, trace.read_text("utf-8").splitlines()) if line["kind"] == "step"
    ]
    sent = [request for step in steps for request in step.get("requests", ())]
    assert len(sent) == 1
    assert sent[0].startswith(f"POST {server.url}/api/notes ")
    assert "Ada" not in sent[0]
    assert "Ada" not in trace.with_name("ledger.jsonl").read_text("utf-8")
