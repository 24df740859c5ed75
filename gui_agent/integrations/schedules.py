"""Runs tasks at set times or when files arrive, by a timer that checks each minute what is due."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import secrets
import shlex
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from glob import glob
from itertools import islice, takewhile
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from cronsim import CronSim, CronSimError

from gui_agent.content import own_folder
from gui_agent.core.binding import slots_named
from gui_agent.core.clarification import Clarification
from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.os_errors import private_folder, replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.settings import state_folder

_LOG = logging.getLogger("gui_agent.schedules")
_DAYS = ("day", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK_STEP = 60.0
"""Seconds by which a clock may be corrected; a moment further ahead is one of before it was set back."""
_STILL = 2.0
"""Seconds for which an arrived file must be unchanged."""
_ASKED, _ANSWER = _MAIL = (".question", ".answer")
"""Endings of the files through which a run asks and is answered."""
_UNIT = "guiagent-schedules"
_SERVICE = "[Service]\nType=oneshot\nKillMode=process\nExecStart={}\n"
_TIMER = "[Timer]\nOnCalendar=minutely\nAccuracySec=1s\n[Install]\nWantedBy=timers.target\n"


@dataclass(frozen=True)
class KeptSchedule:
    """A task, its times, and the recipients of its result."""

    name: str
    arguments: tuple[str, ...]
    """Arguments of `guiagent run`; `{file}` stands for an arrived file."""
    folder: str
    cron: str = ""
    on_file: str = ""
    webhook: str = ""
    key: str = field(default="", repr=False)
    """Signs the webhook's data."""
    then: str = ""
    """A command that gets the result on its standard input."""
    limit: float = 3600.0
    """Seconds after which a run is killed, as its own limits only bound its own work."""
    wait: float = 0.0
    """Seconds for which a run waits on the open screen for the answer to a question; 0: it ends with it."""
    since: float = field(default_factory=time.time)
    """Until when its times and files were handled."""
    runs: tuple[dict[str, Any], ...] = ()
    """The results of its newest runs, oldest first."""


def as_cron(every: str) -> str:
    """`15m`, `2h`, `hour`, `day@8:00`, `weekday@8` or `monday@9:30` as the five fields of cron."""
    said, _, at = every.strip().lower().partition("@")
    span = re.fullmatch(r"(\d+) ?([mh])\w*", "1h" if said == "hour" else said)
    moment = re.fullmatch(r"(\d\d?)(?::(\d\d))?", at or "0")
    days = {name: str(number or "*") for number, name in enumerate(_DAYS)} | {"weekday": "1-5"}
    if span and not at and int(span[1]) and (60 if span[2] == "m" else 24) % int(span[1]) == 0:
        return f"*/{span[1]} * * * *" if span[2] == "m" else f"0 */{span[1]} * * *"
    if said in days and moment and int(moment[1]) < 24 and int(moment[2] or 0) < 60:
        return f"{int(moment[2] or 0)} {int(moment[1])} * * {days[said]}"
    raise ConfigError(f"--every {every}: write 15m, 2h, hour, day@8:00, weekday@8:00 or monday@9:30")


def due(cron: str, since: float, until: float) -> list[datetime]:
    """The times after one moment and up to another, oldest first, at most a hundred."""
    now = datetime.fromtimestamp(until)
    oldest = max(datetime.fromtimestamp(since), now - timedelta(days=366))
    try:
        earlier = CronSim(cron, now + timedelta(seconds=1), reverse=True)
    except CronSimError as error:
        raise ConfigError(
            f'--cron "{cron}": {error}; write minute, hour, day, month and weekday, as in "30 8 * * 1-5"'
        ) from error
    return list(islice(takewhile(lambda one: one > oldest, earlier), 100))[::-1]


def next_times(cron: str, count: int = 3) -> list[datetime]:
    """The next times of a schedule that can be read, the nearest first."""
    return list(islice(CronSim(cron, datetime.now()), count)) if cron else []


def plan_schedule(
    task: str, options: Sequence[str], *, every: str = "", cron: str = "", on_file: str = "", name: str = "",
    limit: float = 3600.0, wait: float = 0.0, webhook: str = "", then: str = "", folder: Path | None = None,
) -> KeptSchedule:  # fmt: skip
    """Keep a task with its times. Raises ConfigError: a time or a name is missing, wrong or in use."""
    if sum(map(bool, (every, cron, on_file))) != 1:
        raise ConfigError("no time is set; give one of --every, --cron and --on-file")
    if not task.strip() or task.startswith("-"):
        raise ConfigError("there is no task; say what to do at these times")
    name = name or re.sub(r"\W+", "-", task.lower())[:40].strip("-") or "task"
    if not re.fullmatch(r"\w[\w.-]*", name) or name in names():
        raise ConfigError(f"{name} is in use or invalid; give another --name of letters, digits, - and _")
    times, key = as_cron(every) if every else cron, secrets.token_urlsafe(32) if webhook else ""
    made = KeptSchedule(
        name, (task, *options), str(folder or Path.cwd()), times, on_file, webhook, key, then,
        limit=limit, wait=wait,
    )  # fmt: skip
    due(times or "* * * * *", made.since, made.since)
    save_schedule(made)
    return made


def schedules(tell: Callable[[str], object] = _LOG.warning) -> list[KeptSchedule]:
    """The readable schedules; an unreadable one is reported and does not stop the others."""
    kept = []
    for name in names():
        try:
            kept.append(load_schedule(name))
        except ConfigError as error:
            tell(str(error))
    return kept


def names() -> list[str]:
    """The names of the schedules, including unreadable ones."""
    return sorted(path.stem for path in _folder().glob("*.json"))


def load_schedule(name: str) -> KeptSchedule:
    path = _file_of(name)
    try:
        held: KeptSchedule = replace(decode(KeptSchedule, path.read_bytes(), source="it"), name=name)
        due(held.cron or "* * * * *", held.since, held.since)
        if not held.arguments or any(not {"time", "ending"} <= one.keys() for one in held.runs):
            raise ValueError("its task or the result of a run is missing")
        now = time.time()
        return held if held.since < now + _CLOCK_STEP else replace(held, since=now - _CLOCK_STEP)
    except (ConfigError, OSError, OverflowError, ValueError) as error:
        again = f"make it again, after: guiagent schedules remove {name}"
        raise ConfigError(f"the schedule {path} cannot be read: {error}; {again}") from error


def _file_of(name: str) -> Path:
    path = _folder() / f"{name}.json"
    if not path.is_file():
        known = ", ".join(names()) or "none"
        raise ConfigError(f"there is no schedule {name!r}; there are: {known}")
    return path


def save_schedule(schedule: KeptSchedule) -> None:
    """Save a schedule, readable by its owner only."""
    replace_file(_folder() / f"{schedule.name}.json", json.dumps(asdict(schedule), indent=1).encode())


def forget(name: str) -> None:
    """Remove a schedule and its record, with the last one the timer; the reports of its runs stay."""
    path = _file_of(name)
    for suffix in (".json", ".lock", *_MAIL):
        path.with_suffix(suffix).unlink(missing_ok=True)
    if not names():
        look_each_minute(wanted=False)


def open_question(name: str) -> str:
    """The question that a run of the schedule waits to have answered; empty if it asks nothing."""
    path = _file_of(name).with_suffix(_ASKED)
    return path.read_text("utf-8") if path.is_file() else ""


def answer_question(name: str, answer: str) -> None:
    """Give a waiting run the answer to its question."""
    if not open_question(name):
        later = "if its last run ended with a question: guiagent resume last --answer ANSWER"
        raise ConfigError(f"no run of {name} waits for an answer; {later}")
    replace_file(_folder() / f"{name}{_ANSWER}", answer.encode())


def wait_for_answer(name: str, question: Clarification) -> str | None:
    """Report the question of a schedule's run where its results go, and wait; None if no answer comes."""
    schedule = load_schedule(name)
    asked, answer = (_file_of(name).with_suffix(one) for one in _MAIL)
    replace_file(asked, question.encode())
    told = {"schedule": name, "ending": "asks", "reason": question.question}
    how = f"guiagent schedules answer {name} ANSWER"
    _deliver(schedule, {**told, "choices": question.choices_as_dicts(), "answer_with": how})
    end = time.monotonic() + question.seconds
    while not answer.is_file() and time.monotonic() < end:
        time.sleep(0.3)
    found = answer.read_text("utf-8").strip() if answer.is_file() else None
    _end_question(name)
    return found


def _end_question(name: str) -> None:
    for suffix in _MAIL:
        (_folder() / f"{name}{suffix}").unlink(missing_ok=True)


def begin_due() -> None:
    """Start a process for each due schedule."""
    now = time.time()
    for one in schedules():
        if (one.cron and due(one.cron, one.since, now)) or any(_new_files(one, now)):
            begin_run(one.name, "--due")


def begin_run(name: str, *options: str) -> None:
    """Start a process that does the task of a schedule."""
    command = [sys.executable, "-m", "gui_agent", "schedules", "run", *options, _file_of(name).stem]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)


def look_here() -> threading.Event:
    """Check in this process what is due, until the event is set."""
    ends = threading.Event()

    def look() -> None:
        while not ends.wait(20.0):
            with suppress(ConfigError, OSError):
                begin_due()

    threading.Thread(target=look, daemon=True).start()
    return ends


def carry_out(name: str, *, only_due: bool = False) -> int:
    """Do the task of a schedule, or for each new file; `only_due`: once for all missed times."""
    with _alone(name) as is_alone:
        schedule, now = load_schedule(name), time.time()
        times = due(schedule.cron, schedule.since, now) if schedule.cron else []
        files = list(_new_files(schedule, now))
        if only_due and not times and not files:
            return ExitCode.DONE
        if not is_alone:
            _note(name, {"ending": "skipped", "reason": "the previous run has not ended"})
            return ExitCode.NOT_DONE
        save_schedule(replace(schedule, since=now))
        missed = [f"{one:%Y-%m-%d %H:%M}" for one in times[:-1]]
        codes = [_run(schedule, {"file": file}) for file in files]
        if not schedule.on_file and (times or not only_due):
            codes.append(_run(schedule, {"missed": missed} if missed else {}))
        return max(codes, default=ExitCode.DONE)


def _run(schedule: KeptSchedule, more: dict[str, Any]) -> int:
    task, *options = schedule.arguments
    file = more.get("file", "{file}")
    given = ["--set", f"file={file}"] if "file" in slots_named(task) else []
    said = [task, *given, *(one.replace("{file}", file) for one in options)]
    waits = ["--schedule", schedule.name, "--set", f"limits.asked={schedule.wait}"] if schedule.wait else []
    command = [sys.executable, "-m", "gui_agent", "run", *said, *waits, "--strict", "--json", "--quiet"]
    code = int(ExitCode.NOT_DONE)
    told: dict[str, Any]
    try:
        done = subprocess.run(
            command, cwd=schedule.folder, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=schedule.limit, check=False,
        )  # fmt: skip
        code = done.returncode
        told = dict(parse_json(done.stdout))
    except subprocess.TimeoutExpired:
        told = {"ending": "limit", "reason": f"killed after {schedule.limit / 60:g} minutes, its --limit"}
    except (TypeError, ValueError):
        said_last = (done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        told = {"ending": "failed", "reason": said_last}
    _end_question(schedule.name)
    told |= {**more, "schedule": schedule.name}
    _note(schedule.name, {**told, "undelivered": _deliver(schedule, told)})
    return code


def _deliver(schedule: KeptSchedule, told: dict[str, Any]) -> list[str]:
    """Send the webhook and the command what a run came to or asks. Returns the errors."""
    return [fault for fault in (_post(schedule, told), _hand_on(schedule, told)) if fault]


def _post(schedule: KeptSchedule, told: dict[str, Any]) -> str:
    """Send the result to the webhook, signed. Returns the error if it fails."""
    body, stamp, fault = json.dumps(told, ensure_ascii=False).encode(), str(int(time.time())), ""
    signed = hmac.new(schedule.key.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {"X-Guiagent-Timestamp": stamp, "X-Guiagent-Signature": f"sha256={signed}"}
    headers |= {"Content-Type": "application/json"}
    for pause in (0.0, 1.0, 4.0) if schedule.webhook else ():
        time.sleep(pause)
        try:
            with urlopen(Request(schedule.webhook, body, headers), timeout=20):
                return ""
        except (OSError, ValueError) as error:
            fault = f"{schedule.webhook}: {error}"
    return fault


def _hand_on(schedule: KeptSchedule, told: dict[str, Any]) -> str:
    given = json.dumps(told).encode()
    try:
        words = shlex.split(schedule.then) or [sys.executable, "-c", ""]
        code = subprocess.run(words, input=given, cwd=schedule.folder, timeout=600, check=False).returncode
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"{schedule.then}: {error}"
    return f"{schedule.then}: ended with {code}" if code else ""


def _note(name: str, told: dict[str, Any]) -> None:
    noted = ("ending", "reason", "folder", "file", "missed", "undelivered")
    kept = {key: told[key] for key in noted if told.get(key)}
    schedule = load_schedule(name)
    line = {"time": f"{datetime.now():%Y-%m-%d %H:%M:%S}", **kept}
    save_schedule(replace(schedule, runs=(*schedule.runs, line)[-200:]))


def _new_files(schedule: KeptSchedule, now: float) -> Iterator[str]:
    """The files that arrived or changed since the last check, and are at rest."""
    found = glob(schedule.on_file, recursive=True, root_dir=schedule.folder)  # noqa: PTH207 - also from the root
    for name in sorted(found):
        with suppress(OSError):
            state = (Path(schedule.folder) / name).stat()
            if schedule.since < max(state.st_mtime, state.st_ctime) + _STILL <= now:
                yield str(Path(schedule.folder) / name)


@contextmanager
def _alone(name: str) -> Iterator[bool]:
    lock = sqlite3.connect(_folder() / f"{name}.lock", timeout=0.1, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")  # the system releases it if the process dies
        yield True
    except sqlite3.OperationalError:
        yield False
    finally:
        lock.close()


def _folder() -> Path:
    private_folder(folder := state_folder("schedules"))
    return folder


def look_each_minute(*, wanted: bool = True) -> str:
    """Have the user's systemd or crontab check what is due, or stop that. Returns which of them does it."""
    command = shlex.join((sys.executable, "-m", "gui_agent", "schedules", "begin"))
    units, timer = own_folder("config").parent / "systemd/user", f"{_UNIT}.timer"
    if _says("systemctl", "--user", "show-environment") is not None:
        units.mkdir(parents=True, exist_ok=True)
        if wanted:
            (units / f"{_UNIT}.service").write_text(_SERVICE.format(command), "utf-8")
            (units / timer).write_text(_TIMER, "utf-8")
        if _says("systemctl", "--user", "enable" if wanted else "disable", "--now", timer) is not None:
            return "your systemd starts it (to include times when you are logged out: loginctl enable-linger)"
    others = [line for line in (_says("crontab", "-l") or "").splitlines() if _UNIT not in line]
    ours = [f"* * * * * {command} # {_UNIT}"] if wanted else []
    if _says("crontab", "-", given="".join(f"{line}\n" for line in others + ours)) is not None:
        return "your crontab starts it"
    return "guiagent serve starts it while it is running, as you have neither systemd nor a crontab"


def _says(*command: str, given: str = "") -> str | None:
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=20, check=True
        ).stdout
    return None
