"""The routes that start programs on a guest: commands, scripts, recordings."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from gui_agent.computers.environment import for_children
from gui_agent.computers.guest.server import Guest, GuestRequest, GuestRoute, Nothing
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Size
from gui_agent.core.os_errors import user_path

if TYPE_CHECKING:
    from starlette.responses import Response

COMMAND, SCRIPT = 120.0, 30.0
"""Seconds that commands and Python scripts may take."""
Words = str | list[str]
STARTING = 1.0
"""Seconds after which a recorder that still runs is taken to work."""
ENDING = 15.0


class Command(GuestRequest):
    """A command line, or a list of words."""

    command: Words = ""
    shell: bool = False


class Verified(Command):
    """A command, and what must hold after it."""

    verification: dict[str, Any] = Field(default_factory=dict)
    max_wait_time: float = Field(10, ge=0, le=600)
    check_interval: float = Field(1, ge=0.05, le=60)


class Code(GuestRequest):
    """A Python script."""

    code: str


class Script(GuestRequest):
    """A shell script."""

    script: str
    timeout: float = Field(100, gt=0, le=3600)
    working_dir: str | None = None


def execute(guest: Guest, asked: Command) -> Any:
    """Run a command and wait for its end."""
    try:
        code, out, err = run(asked.command, asked.shell, COMMAND)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return _failed(str(error))
    return {"status": "success", "output": out, "error": err, "returncode": code}


def execute_with_verification(guest: Guest, asked: Verified) -> Any:
    """Run a command, and wait until what it is to bring about holds."""
    told = execute(guest, asked)
    if not isinstance(told, dict) or not asked.verification:
        return told
    began = time.monotonic()
    while (waited := time.monotonic() - began) < asked.max_wait_time:
        if _holds(guest, asked.verification):
            return {**told, "verification": "passed", "wait_time": waited}
        time.sleep(asked.check_interval)
    told |= {"status": "verification_failed", "verification": "failed", "wait_time": asked.max_wait_time}
    return answered(told, 500)


def _holds(guest: Guest, wanted: dict[str, Any]) -> bool:
    title = str(wanted.get("window_exists", "")).lower()
    if title and not any(title in window.title.lower() for window in guest.desktop.device.windows()):
        return False
    command = wanted.get("command_success", "")
    if not command:
        return True
    try:
        return run(str(command), True, 5.0)[0] == 0
    except (OSError, ValueError, subprocess.SubprocessError):
        return False


def launch(guest: Guest, asked: Command) -> Any:
    """Start a program and do not wait for it."""
    try:
        words = _words(asked.command, asked.shell)
        subprocess.Popen(words, **_as_child())
    except (OSError, ValueError) as error:
        return _failed(str(error))
    told = asked.command if isinstance(asked.command, str) else " ".join(asked.command)
    return f"{told} launched successfully"


def run_python(guest: Guest, asked: Code) -> Any:
    """Run a Python script with the system's own Python."""
    with _script(asked.code, ".py") as path:
        try:
            code, out, err = run(["/usr/bin/python3", path], False, SCRIPT)
        except subprocess.TimeoutExpired:
            told = {"status": "error", "message": "Execution timeout: Code took too long to execute"}
            return answered({**told, "error": "TimeoutExpired", "need_more": False, "output": None}, 500)
        except OSError as error:
            return _failed(str(error))
    err = err or (f"Process exited with code {code}" if code else "")
    told = {"status": "error" if code else "success", "message": "\n".join(filter(None, (out, err)))}
    return {**told, "need_more": False, "output": out, "error": err, "return_code": code}


def run_bash_script(guest: Guest, asked: Script) -> Any:
    """Run a shell script; what it writes to both outputs comes back as one."""
    told: dict[str, Any] = {"status": "error", "error": "", "returncode": -1}
    folder = guest_path(asked.working_dir) if asked.working_dir else None
    if folder is not None and not folder.is_dir():
        return answered({**told, "output": f"Working directory does not exist: {folder}"}, 400)
    with _script(asked.script, ".sh") as path:
        try:
            code, out, _ = run(["/bin/bash", path], False, asked.timeout, folder, joined=True)
        except subprocess.TimeoutExpired:
            late = f"Script execution timed out after {asked.timeout:g} seconds"
            return answered({**told, "output": late}, 500)
        except OSError as error:
            return answered({**told, "output": str(error)}, 500)
    return {**told, "status": "error" if code else "success", "output": out, "returncode": code}


class Recording:
    """One recording at a time."""

    def __init__(self) -> None:
        self._recorder: subprocess.Popen[bytes] | None = None
        self._film: Path | None = None

    def start(self, display: str, size: Size) -> None:
        """Begin.

        Raises:
            ActionFailed: one is under way, or ffmpeg is not installed or does not start.
        """
        if self._recorder is not None and self._recorder.poll() is None:
            raise ActionFailed("Recording is already in progress.")
        program = shutil.which("ffmpeg")
        if program is None:
            raise ActionFailed("ffmpeg is required for recording but was not found in PATH.")
        if self._film is not None:
            self._film.unlink(missing_ok=True)
        self._film = Path(tempfile.mkstemp(prefix="guiagent-film-", suffix=".mp4")[1])
        looked = ("-f", "x11grab", "-draw_mouse", "1", "-s", f"{size.width}x{size.height}", "-r", "30")
        command = [program, "-y", "-loglevel", "error", *looked, "-i", display]
        self._recorder = subprocess.Popen(
            [*command, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", str(self._film)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=for_children(),
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._recorder.wait(STARTING)
            raise ActionFailed("Failed to start recording. ffmpeg terminated unexpectedly.")

    def stop(self) -> Path:
        """End it; the film.

        Raises:
            ActionFailed: none is under way, or there is no film.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            raise ActionFailed("No recording in progress to stop.")
        try:
            recorder.communicate(b"q\n", ENDING)
        except subprocess.TimeoutExpired:
            recorder.kill()
            recorder.wait(ENDING)
        if self._film is None or not self._film.exists() or not self._film.stat().st_size:
            raise ActionFailed("Recording failed. The output file is missing or empty.")
        return self._film


_recording = Recording()


def start_recording(guest: Guest, _: Nothing) -> Any:
    """Record the screen as a film."""
    display = str(getattr(guest.desktop.device, "display", "") or "")
    try:
        _recording.start(display or for_children().get("DISPLAY", ""), guest.desktop.device.size)
    except ActionFailed as error:
        return answered({"status": "error", "message": str(error)}, 400)
    return {"status": "success", "message": "Started recording successfully."}


def end_recording(guest: Guest, _: Nothing) -> Any:
    """End the recording; the answer is the film."""
    try:
        return sent_file(str(_recording.stop()))
    except ActionFailed as error:
        return answered({"status": "error", "message": str(error)}, 400)


def guest_path(text: str) -> Path:
    return user_path(os.path.expandvars(text))


def sent_file(path: str) -> Response:
    from starlette.responses import FileResponse

    found = guest_path(path) if path else None
    try:
        there = found is not None and found.is_file()
    except (OSError, ValueError):  # no path at all
        there = False
    if not there or found is None:
        return answered({"error": "File not found"}, 404)
    if not os.access(found, os.R_OK):
        return answered({"error": "Failed to serve file: permission denied"}, 500)
    return FileResponse(found, filename=found.name)


def answered(told: Any, status: int) -> Response:
    from starlette.responses import JSONResponse, PlainTextResponse

    return PlainTextResponse(told, status) if isinstance(told, str) else JSONResponse(told, status)


def _failed(why: str) -> Response:
    return answered({"status": "error", "message": why}, 500)


def _words(command: Words, shell: bool) -> list[str]:
    """The words of a command; of a list for a shell, the first is its command line."""
    words = [command] if isinstance(command, str) and shell else command
    words = shlex.split(words) if isinstance(words, str) else words
    if not words:
        raise ValueError("no command was given")
    words = [os.path.expanduser(word) if word.startswith("~/") else word for word in words]  # noqa: PTH111
    return ["/bin/sh", "-c", *words] if shell else words


def _as_child() -> dict[str, Any]:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {**quiet, "env": for_children(), "cwd": Path.home(), "start_new_session": True}


def run(
    command: Words, shell: bool, seconds: float, folder: Path | None = None, *, joined: bool = False
) -> tuple[int, str, str]:
    """Run a command to its end: exit code and both outputs; late ones are killed with all they started."""
    words = _words(command, shell)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given = {**_as_child(), "stdout": out, "stderr": subprocess.STDOUT if joined else err}
        given["cwd"] = folder or Path.home()
        started = subprocess.Popen(words, **given)
        try:
            code = started.wait(seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait(5)
            raise
        return code, _said(out), _said(err)


def _said(file: Any) -> str:
    file.seek(0)
    said: bytes = file.read(64 * 1024 * 1024)
    return said.decode("utf-8", "replace")


@contextlib.contextmanager
def _script(text: str, ending: str) -> Any:
    with tempfile.NamedTemporaryFile("w", suffix=ending, encoding="utf-8", errors="replace") as sink:
        sink.write(text)
        sink.flush()
        yield sink.name


def _both(path: str, model: type[GuestRequest], handler: Any) -> Sequence[GuestRoute]:
    return [GuestRoute("POST", prefix + path, model, handler, runs=True) for prefix in ("", "/setup")]


RUNNING = (
    *_both("/execute", Command, execute),
    *_both("/execute_with_verification", Verified, execute_with_verification),
    GuestRoute("POST", "/setup/launch", Command, launch, runs=True),
    GuestRoute("POST", "/run_python", Code, run_python, runs=True),
    GuestRoute("POST", "/run_bash_script", Script, run_bash_script, runs=True),
    GuestRoute("POST", "/start_recording", Nothing, start_recording),
    GuestRoute("POST", "/end_recording", Nothing, end_recording),
)
