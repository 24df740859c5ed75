"""Schedules: when they are due, and what a run of one leaves, tells and never does."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gui_agent.cli import call
from gui_agent.core.actions import TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Task
from gui_agent.integrations import schedules
from gui_agent.integrations.schedules import as_cron, due, load_schedule, save_schedule
from gui_agent.planners.commands import parse_task
from gui_agent.planners.commands.commands import Do

STUB = 'import json, sys; print(json.dumps({"ending": "done", "said": sys.argv[4:]}))'


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("every", "since", "times"),
    [
        ("day@8:00", "2026-03-02 07:59", ["2026-03-02 08:00", "2026-03-03 08:00"]),
        ("weekday@8", "2026-03-06 08:00", ["2026-03-09 08:00"]),
        ("sunday@9:30", "2026-03-01 10:00", ["2026-03-08 09:30"]),
        ("30m", "2026-03-09 11:29", ["2026-03-09 11:30", "2026-03-09 12:00"]),
        ("6h", "2026-03-09 00:00", ["2026-03-09 06:00", "2026-03-09 12:00"]),
        ("5 9 1,9 * 1", "2026-03-01 00:00", ["2026-03-01 09:05", "2026-03-02 09:05", "2026-03-09 09:05"]),
        ("0 0 29 2 *", "2026-03-01 00:00", []),
        ("10-12/2 12 * 3 *", "2026-03-08 12:11", ["2026-03-08 12:12"]),
    ],
)
def test_times_are_those_that_cron_would_take(every: str, since: str, times: list[str]) -> None:
    until = "2026-03-03 08:00" if "03-02" in since else "2026-03-09 12:00"
    found = due(every if " " in every and "*" in every else as_cron(every), at(since), at(until))
    assert [f"{one:%Y-%m-%d %H:%M}" for one in found] == times


@pytest.mark.parametrize("wrong", ["7m", "day@25", "someday", "0h", "day@8:00pm"])
def test_what_is_no_time_is_said(wrong: str) -> None:
    with pytest.raises(ConfigError, match="--every"):
        as_cron(wrong)


@pytest.mark.parametrize("wrong", ["* * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "a * * * *"])
def test_what_cron_would_not_take_is_said(wrong: str) -> None:
    with pytest.raises(ConfigError, match="--cron"):
        due(wrong, 0, 0)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Keeps a schedule; its runs are those of a program that only says what it was called with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path))
    real = subprocess.run

    def run(command: list[str], **more: Any) -> Any:
        ours = command[1:4] == ["-m", "gui_agent", "run"]
        return real([sys.executable, "-c", STUB, "", "", "", *command[4:]] if ours else command, **more)

    monkeypatch.setattr(schedules.subprocess, "run", run)

    def keeping(*options: str) -> None:
        assert call(["schedule", 'type "{file}" into "Name"', "--name", "it", *options]) == 0

    return keeping


def overdue(seconds: float) -> None:
    one = load_schedule("it")
    save_schedule(schedules.replace(one, since=schedules.time.time() - seconds))


def stop_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No minute begins between two calls."""
    now = time.time()
    monkeypatch.setattr(schedules, "time", SimpleNamespace(time=lambda: now))


def test_runs_that_were_missed_are_done_once_and_told(
    kept: Callable[..., None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    kept("--every", "15m", "--yes")
    assert "guiagent serve starts it" in capsys.readouterr().out
    overdue(3600)
    assert call(["schedules", "run", "it", "--due"]) == 0
    assert call(["schedules", "run", "it", "--due"]) == 0
    (ran,) = load_schedule("it").runs
    assert (ran["ending"], len(ran["missed"])) == ("done", 3)
    call(["schedules"])
    assert "it: */15 * * * *; last" in capsys.readouterr().out


def test_a_schedule_goes_on_after_the_clock_was_set_back(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    kept("--cron", "* * * * *")
    overdue(-7200)
    for _ in range(2):
        assert call(["schedules", "run", "it", "--due"]) == 0
    assert len(load_schedule("it").runs) == 1


def test_a_clock_that_was_only_corrected_repeats_no_run(kept: Callable[..., None]) -> None:
    kept("--cron", "* * * * *")
    overdue(-30)
    assert call(["schedules", "run", "it", "--due"]) == 0
    assert not load_schedule("it").runs


def test_each_file_that_arrives_gets_a_run_of_its_own_once(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept("--on-file", "in/*.pdf", "--then", f'{sys.executable} -c \'open("got", "w").write(input())\'')
    overdue(60)
    Path("in").mkdir()
    for name in ("a.pdf", "b.pdf", "c.txt"):
        Path("in", name).touch()
        os.utime(Path("in", name), (time.time() - 30,) * 2)
    monkeypatch.setattr(schedules, "_STILL", 0.0)
    for _ in range(2):
        assert call(["schedules", "run", "it"]) == 0
    assert [Path(one["file"]).name for one in load_schedule("it").runs] == ["a.pdf", "b.pdf"]
    told = json.loads(Path("got").read_text())
    assert f"file={Path('in/b.pdf').absolute()}" in told["said"] and told["schedule"] == "it"


def test_the_name_of_a_file_is_a_value_and_never_a_command(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "_STILL", 0.0)
    kept("--on-file", "in/*", "--then", f'{sys.executable} -c \'open("got", "w").write(input())\'')
    overdue(60)
    Path("in").mkdir()
    (hostile := Path('in/a" into "Name", click "Delete')).touch()
    os.utime(hostile, (time.time() - 30,) * 2)
    assert call(["schedules", "run", "it"]) == 0
    task, option, given = json.loads(Path("got").read_text())["said"][:3]
    name, _, value = given.partition("=")
    (command,) = parse_task(Task(task, values={name: value}))
    assert option == "--set" and command == Do(TypeText(str(hostile.absolute()), Words("Name"), replace=True))


def test_no_two_of_the_same_run_at_a_time(kept: Callable[..., None]) -> None:
    kept("--every", "hour")
    with schedules._alone("it") as alone:
        assert alone and call(["schedules", "run", "it"]) == 4
    (ran,) = load_schedule("it").runs
    assert (ran["ending"], "has not ended" in ran["reason"]) == ("skipped", True)


def test_a_run_that_does_not_end_is_killed_at_its_limit_and_blocks_no_other(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept("--every", "hour", "--limit", "0.001")
    monkeypatch.setattr(f"{__name__}.STUB", "import threading; threading.Event().wait()")
    assert [call(["schedules", "run", "it"]) for _ in range(2)] == [4, 4]
    assert [(one["ending"], one["reason"][:12]) for one in load_schedule("it").runs] == [
        ("limit", "killed after")
    ] * 2


@pytest.mark.parametrize(
    ("options", "seconds"), [((), 3600), (("--max-seconds", "7200"), 7500), (("--limit", "5"), 300)]
)
def test_a_run_has_an_hour_or_what_was_given(
    kept: Callable[..., None], options: tuple[str, ...], seconds: float
) -> None:
    kept("--every", "hour", *options)
    assert load_schedule("it").limit == seconds


@pytest.fixture
def hook() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    got: list[tuple[dict[str, str], bytes]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", got
    server.shutdown()


def test_a_webhook_gets_the_result_signed(
    kept: Callable[..., None], hook: tuple[str, list[tuple[dict[str, str], bytes]]],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    kept("--cron", "0 8 * * *", "--webhook", hook[0])
    key = capsys.readouterr().out.split()[-1]
    assert call(["schedules", "run", "it"]) == 0
    ((headers, body),) = hook[1]
    signed = hmac.new(key.encode(), headers["X-Guiagent-Timestamp"].encode() + b"." + body, hashlib.sha256)
    assert headers["X-Guiagent-Signature"] == f"sha256={signed.hexdigest()}"
    assert json.loads(body)["ending"] == "done"
    assert (schedules._folder() / "it.json").stat().st_mode & 0o077 == 0


def test_what_does_not_fit_is_said_when_it_is_kept_and_what_is_removed_is_gone(
    kept: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    kept("--every", "hour")
    hourly = ["--every", "hour"]
    for wrong in (["--name", "it", *hourly], [], [*hourly, "--cron", "* * * * *"], [*hourly, "--nonsense"]):
        assert call(["schedule", "click 'Next'", *wrong]) == 2
    assert call(["schedules", "remove", "it"]) == 0
    assert call(["schedules", "show", "it"]) == 2
    assert "no schedule 'it'" in capsys.readouterr().err


def test_the_system_is_asked_to_look_each_minute_and_told_when_nothing_is_left(
    kept: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crontab").write_text(
        '#!/bin/sh\nif [ "$1" = -l ]; then [ -f tab ] && /bin/cat tab; else /bin/cat > tab; fi\n'
    )
    (tmp_path / "crontab").chmod(0o755)
    Path("tab").write_text("0 0 * * * other\n")
    kept("--every", "hour")
    ours = f"* * * * * {sys.executable} -m gui_agent schedules begin # guiagent-schedules"
    assert Path("tab").read_text().splitlines() == ["0 0 * * * other", ours]
    assert call(["schedules", "remove", "it"]) == 0
    assert Path("tab").read_text() == "0 0 * * * other\n"


def test_a_run_whose_output_cannot_be_read_keeps_its_exit_code(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "STUB", "print('no JSON'); raise SystemExit(3)")
    kept("--every", "hour")
    assert call(["schedules", "run", "it"]) == 3


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", "null", "[[]]", '{"name": "it"}', "\x00", '"\\ud800"', "[" * 5_000],
)
def test_a_damaged_schedule_stops_no_other_and_can_be_removed(
    kept: Callable[..., None], damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept("--every", "hour")
    overdue(7200)
    file = Path("state/guiagent/schedules/a.json")
    file.write_text(damage)
    assert call(["schedules"]) == 0
    said = capsys.readouterr()
    assert "it: 0 */1" in said.out and "schedules remove a" in said.err
    assert len(said.err.splitlines()) == 1
    schedules.begin_due()
    assert call(["schedules", "remove", "a"]) == 0 and not file.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"cron": "7"}, {"since": 1e308}, {"since": "x"}, {"arguments": []}, {"arguments": 5}, {"runs": [{}]},
        {"runs": 7}, {"limit": None}, {"folder": 5}, {"name": "../elsewhere", "runs": 0},
    ],
)  # fmt: skip
def test_a_schedule_of_which_a_part_is_damaged_is_told_in_a_line(
    kept: Callable[..., None], change: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    kept("--every", "hour")
    file = Path("state/guiagent/schedules/it.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    for command in (["schedules"], ["schedules", "show", "it"], ["schedules", "run", "it"]):
        assert call(command) in (0, 2)
        assert len(capsys.readouterr().err.splitlines()) == 1, command
