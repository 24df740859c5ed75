"""Browser, worker and runner of a run of the quick suite are killed; each instance ends as if nobody had."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

EPISODES = 2
CASES = 12 * EPISODES
SLOWNESS = "10"
"""Other work on the machine must not decide whether an episode ends in time."""
pytestmark = [pytest.mark.nightly, pytest.mark.timeout(300)]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gui_agent", "eval", *arguments]


def begin(out: Path) -> subprocess.Popen[bytes]:
    choice = ["--suite", "quick", "--episodes", str(EPISODES), "--slowness", SLOWNESS, "--max-demos", "3"]
    return subprocess.Popen(
        command("miniwob", *choice, "--workers", "2", "--quiet", "--out", str(out)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def lines(out: Path) -> list[bytes]:
    path = out / "episodes.jsonl"
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def results(out: Path) -> dict[tuple[str, int], tuple[object, ...]]:
    """What the agent did and reached, without the times."""
    read = [json.loads(line) for line in lines(out)]
    kept = ("verdict", "raw", "steps", "actions", "instruction")
    return {
        (one["task"], one["seed"]): tuple(str(one.get(name, "")) for name in kept)
        for one in read
        if one["verdict"] != "infrastructure"
    }


def wait_for(what: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def below(pid: int) -> dict[int, str]:
    """The processes that a process has started, with their commands."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            commands[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {one: commands[one] for one in found - {pid} if one in commands}


def kill_one(process: subprocess.Popen[bytes], sign: str) -> None:
    """Kill one of the processes below whose command holds the sign."""
    victim = next(pid for pid, text in sorted(below(process.pid).items()) if sign in text)
    os.kill(victim, signal.SIGKILL)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], tuple[object, ...]]:
    out = tmp_path_factory.mktemp("miniwob") / "run"
    process = begin(out)
    said = process.communicate(timeout=200)[1]
    assert process.returncode == 0, said
    found = results(out)
    assert len(found) == CASES
    won = sum(result[0] == "success" for result in found.values())
    assert won > CASES / 2  # it is the real planner's work, and worth comparing
    return found


def test_killed_browsers_and_workers_change_nothing(
    tmp_path: Path, undisturbed: dict[tuple[str, int], tuple[object, ...]]
) -> None:
    out = tmp_path / "run"
    process = begin(out)
    wait_for(lambda: len(lines(out)) >= 3, process)
    kill_one(process, "--remote-debugging-pipe --no-startup-window")
    wait_for(lambda: len(lines(out)) >= 6, process)
    kill_one(process, "spawn_main")
    said = process.communicate(timeout=200)[1]
    assert process.returncode == 0, said
    assert results(out) == undisturbed


def test_a_killed_runner_is_resumed_with_the_same_results(
    tmp_path: Path, undisturbed: dict[tuple[str, int], tuple[object, ...]]
) -> None:
    out = tmp_path / "run"
    process = begin(out)
    wait_for(lambda: len(lines(out)) >= 4, process)
    left_behind = below(process.pid)
    process.kill()
    process.communicate()
    before = lines(out)
    assert len(before) < len(undisturbed)
    done = subprocess.run(
        command("resume", str(out), "--quiet"), capture_output=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    after = lines(out)
    assert after[: len(before)] == before
    assert len(after) == len(undisturbed)
    assert results(out) == undisturbed
    assert not {pid for pid, text in left_behind.items() if running(pid, text)}


def running(pid: int, text: str) -> bool:
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode() == text
    return False


def test_ctrl_c_leaves_a_run_that_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = begin(out)
    wait_for(lambda: len(lines(out)) >= 2, process)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert f"guiagent eval resume {out}" in said
