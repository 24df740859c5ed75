"""The routes of OSWorld's guest server, for its controllers and evaluators and for other agents."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from guiagent_platforms.guest.server import Guest, GuestRequest, GuestRoute, Nothing
from guiagent_platforms.guest.xml_tree import SPACES
from pydantic import ConfigDict, Field

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Size
from gui_agent.core.os_errors import replace_file, user_path

if TYPE_CHECKING:
    from starlette.responses import Response

    from gui_agent.computers.desktop.parts import Window


COMMAND, SCRIPT = 120.0, 30.0
"""Seconds that commands and Python scripts may take."""
Words = str | list[str]
STARTING = 1.0
"""Seconds after which a recorder that still runs is considered working."""
ENDING = 15.0


class Command(GuestRequest):
    """A command line, or a list of words."""

    command: Words = ""
    shell: bool = False


class Verified(Command):
    """A command, and a condition that must hold after it."""

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
        return _failure(str(error))
    return {"status": "success", "output": out, "error": err, "returncode": code}


def execute_with_verification(guest: Guest, asked: Verified) -> Any:
    """Run a command, and wait until its condition holds."""
    told = execute(guest, asked)
    if not isinstance(told, dict) or not asked.verification:
        return told
    began = time.monotonic()
    while (waited := time.monotonic() - began) < asked.max_wait_time:
        if _holds(guest, asked.verification):
            return {**told, "verification": "passed", "wait_time": waited}
        time.sleep(asked.check_interval)
    told |= {"status": "verification_failed", "verification": "failed", "wait_time": asked.max_wait_time}
    return answer(told, 500)


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
    """Start a program without waiting for it."""
    try:
        words = _words(asked.command, asked.shell)
        subprocess.Popen(words, **_as_child())
    except (OSError, ValueError) as error:
        return _failure(str(error))
    told = asked.command if isinstance(asked.command, str) else " ".join(asked.command)
    return f"{told} launched successfully"


def run_python(guest: Guest, asked: Code) -> Any:
    """Run a Python script with the system's own Python."""
    with _script(asked.code, ".py") as path:
        try:
            code, out, err = run(["/usr/bin/python3", path], False, SCRIPT)
        except subprocess.TimeoutExpired:
            told = {"status": "error", "message": "Execution timeout: Code took too long to execute"}
            return answer({**told, "error": "TimeoutExpired", "need_more": False, "output": None}, 500)
        except OSError as error:
            return _failure(str(error))
    err = err or (f"Process exited with code {code}" if code else "")
    told = {"status": "error" if code else "success", "message": "\n".join(filter(None, (out, err)))}
    return {**told, "need_more": False, "output": out, "error": err, "return_code": code}


def run_bash_script(guest: Guest, asked: Script) -> Any:
    """Run a shell script; both outputs are returned as one."""
    told: dict[str, Any] = {"status": "error", "error": "", "returncode": -1}
    folder = guest_path(asked.working_dir) if asked.working_dir else None
    if folder is not None and not folder.is_dir():
        return answer({**told, "output": f"Working directory does not exist: {folder}"}, 400)
    with _script(asked.script, ".sh") as path:
        try:
            code, out, _ = run(["/bin/bash", path], False, asked.timeout, folder, joined=True)
        except subprocess.TimeoutExpired:
            late = f"Script execution timed out after {asked.timeout:g} seconds"
            return answer({**told, "output": late}, 500)
        except OSError as error:
            return answer({**told, "output": str(error)}, 500)
    return {**told, "status": "error" if code else "success", "output": out, "returncode": code}


class Recording:
    """One recording at a time."""

    def __init__(self) -> None:
        self._recorder: subprocess.Popen[bytes] | None = None
        self._film: Path | None = None

    def start(self, display: str, size: Size) -> None:
        """Begin."""
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
        """End the recording; returns the film. Raises ActionFailed: none runs, or there is no film."""
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
        return answer({"status": "error", "message": str(error)}, 400)
    return {"status": "success", "message": "Started recording successfully."}


def end_recording(guest: Guest, _: Nothing) -> Any:
    """End the recording; the answer is the film."""
    try:
        return sent_file(str(_recording.stop()))
    except ActionFailed as error:
        return answer({"status": "error", "message": str(error)}, 400)


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
        return answer({"error": "File not found"}, 404)
    if not os.access(found, os.R_OK):
        return answer({"error": "Failed to serve file: permission denied"}, 500)
    return FileResponse(found, filename=found.name)


def answer(told: Any, status: int) -> Response:
    from starlette.responses import JSONResponse, PlainTextResponse

    return PlainTextResponse(told, status) if isinstance(told, str) else JSONResponse(told, status)


def _failure(why: str) -> Response:
    return answer({"status": "error", "message": why}, 500)


def _words(command: Words, shell: bool) -> list[str]:
    """The words of a command; for a list and a shell, the first word is the command line."""
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
    """Run a command to its end: exit code and both outputs; a late one is killed with all its children."""
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
        return code, _output_text(out), _output_text(err)


def _output_text(file: Any) -> str:
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


OPENING = 120.0
"""Seconds within which an opened file must show a window."""
LISTED = 50_000
"""Maximum number of listed entries of a folder, including subfolders."""
WEB = re.compile(r"https?://", re.IGNORECASE)


class FilePath(GuestRequest):
    """A path, or the name of a program."""

    path: str = Field(min_length=1, max_length=4096)


class WantedFile(GuestRequest):
    """The path of a file, from a form."""

    file_path: str = Field(min_length=1, max_length=4096)


class Uploaded(WantedFile):
    """A file and its destination."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="ignore")
    file_data: Any = Field(json_schema_extra={"type": "string", "format": "binary"})


class Download(FilePath):
    """An address and the destination of its content."""

    url: str


class ByTitle(GuestRequest):
    """A window by its title or class."""

    window_name: str = Field(min_length=1)
    strict: bool = False
    by_class: bool = False


class ByClass(GuestRequest):
    """A window by its class."""

    app_class_name: str


def screenshot(guest: Guest, _: Nothing) -> Any:
    """The screen with the pointer."""
    from starlette.responses import Response

    device = guest.desktop.device
    picture = device.grab()
    pointer = getattr(device, "pointer_picture", None)
    if pointer is not None and (shape := pointer()) is not None:
        picture.paste(shape[0], shape[1], shape[0])
    sink = io.BytesIO()
    picture.save(sink, "PNG", compress_level=1)
    return Response(sink.getvalue(), media_type="image/png")


def accessibility(guest: Guest, _: Nothing) -> Any:
    """The elements that programs expose on the accessibility bus, as XML."""
    return {"AT": ElementTree.tostring(guest.tree.read(), encoding="unicode")}


def terminal(guest: Guest, _: Nothing) -> Any:
    """The text of the terminal that has the keyboard."""
    focused = f"{{{SPACES['st']}}}focused"
    found = [one.text or "" for one in guest.tree.read().iter("terminal") if one.get(focused) == "true"]
    return {"output": found[0].rstrip() if len(found) == 1 else None, "status": "success"}


def screen_size(guest: Guest, _: Nothing) -> Any:
    """Size of the screen."""
    size = guest.desktop.device.size
    return {"width": size.width, "height": size.height}


def window_size(guest: Guest, asked: ByClass) -> Any:
    """Size of the window of this class."""
    name = asked.app_class_name.lower()
    for window in reversed(guest.desktop.device.windows()):
        if not window.popup and name == window.app.lower():
            return {"width": window.box.width, "height": window.box.height}
    return answer({"error": f"no window of the class {asked.app_class_name}"}, 500)


def desktop_path(guest: Guest, _: Nothing) -> Any:
    """The folder of the desktop."""
    folder = Path.home() / "Desktop"
    if folder.is_dir():
        return {"desktop_path": str(folder)}
    return answer({"error": "Unsupported operating system or desktop path not found"}, 404)


def wallpaper(guest: Guest, _: Nothing) -> Any:
    """The picture behind the desktop."""
    told = ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        told = run(["gsettings", "get", "org.gnome.desktop.background", "picture-uri"], False, 10.0)[1]
    return sent_file(told.strip().strip("'").removeprefix("file://"))


def change_wallpaper(guest: Guest, asked: FilePath) -> Any:
    """Put another picture behind the desktop."""
    path = guest_path(asked.path)
    if not path.is_file():
        return answer(f"File not found: {path}", 404)
    words = ["gsettings", "set", "org.gnome.desktop.background", "picture-uri", path.as_uri()]
    try:
        run(words, False, 10.0)
    except (OSError, subprocess.SubprocessError) as error:
        return answer(f"Failed to change wallpaper. Error: {error}", 500)
    return "Wallpaper changed successfully"


def list_directory(guest: Guest, asked: FilePath) -> Any:
    """A folder and all in it, as a tree; links to folders are not followed."""
    start = Path(asked.path)
    if "\0" in asked.path or not start.is_dir():
        return answer({"error": "The provided path is not a directory"}, 400)
    left = [LISTED]

    def tree(folder: str, depth: int = 0) -> dict[str, Any]:
        children: list[dict[str, Any]] = []
        try:
            for entry in os.scandir(folder):
                left[0] -= 1
                if left[0] < 0 or depth > 100:
                    break
                if entry.is_dir(follow_symlinks=False):
                    children.append(tree(entry.path, depth + 1))
                else:
                    children.append({"type": "file", "name": entry.name})
        except OSError as error:
            return {"error": str(error)}
        return {"type": "directory", "name": Path(folder).name, "children": children}

    return {"directory_tree": tree(str(start))}


def file(guest: Guest, asked: WantedFile) -> Any:
    """The contents of a file."""
    return sent_file(asked.file_path)


def upload(guest: Guest, asked: Uploaded) -> Any:
    """Write a file, completely or not at all."""
    source = getattr(asked.file_data, "file", None)
    if source is None:
        return answer({"error": "file_path and file_data are required"}, 400)
    path = guest_path(asked.file_path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, iter(lambda: source.read(1 << 20), b""))
        path.chmod(0o644)  # A file of the user's, because tasks are about those.
    except (OSError, ValueError) as error:
        return answer({"error": f"Failed to upload file: {error}"}, 500)
    return f"File Uploaded: {path.stat().st_size} bytes"


def download_file(guest: Guest, asked: Download) -> Any:
    """Let the guest itself download an address."""
    if not WEB.match(asked.url):
        return answer("only http and https addresses are fetched", 400)
    path, error = guest_path(asked.path), ""
    for _ in range(3):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with urllib.request.urlopen(asked.url, timeout=60) as source:
                data = source.read(guest.most + 1)
            if len(data) > guest.most:
                return answer(f"{asked.url} is larger than {guest.most} bytes; raise --max-upload", 413)
            path.write_bytes(data)
            return f"File downloaded successfully: {len(data)} bytes"
        except (OSError, ValueError, urllib.error.URLError) as failure:
            error = str(failure)
    return answer(f"Failed to download {asked.url}. No retries left. Error: {error}", 500)


def platform_name(guest: Guest, _: Nothing) -> str:
    """The system of the guest."""
    return platform.system()


def cursor_position(guest: Guest, _: Nothing) -> Any:
    """The position of the pointer."""
    at = guest.desktop.device.pointer
    return [at.x, at.y]


def open_file(guest: Guest, asked: FilePath) -> Any:
    """Open a file or a program, and wait for its window."""
    path, device = guest_path(asked.path), guest.desktop.device
    name = str(path) if path.exists() else asked.path
    try:
        kind = device.opening(name).kind
        if kind in ("command", "executable") and not guest.execute:
            return answer(f"Failed to open {asked.path}. Error: it would run a command", 403)
        before = {window.id for window in device.windows()}
        device.launch(name)
    except ActionFailed as error:
        return answer(f"Application/file not found: {asked.path} ({error})", 404)
    whole, stem = re.escape(path.name.lower()), re.escape(path.stem.lower())
    deadline = time.monotonic() + OPENING
    while time.monotonic() < deadline:
        for window in device.windows():
            title = window.title.lower()
            # A short name is a part of many titles, so only a new window counts.
            named = re.search(rf"(?<!\w){whole}(?!\w)", title) or re.search(rf"(?<!\w){stem}(?!\w)", title)
            if not window.popup and (named or (not path.exists() and window.id not in before)):
                device.activate(window)
                return "File opened and window activated successfully"
        time.sleep(0.2)
    return answer(f"Failed to find window for {path.name} within {OPENING:g} seconds.", 500)


def activate_window(guest: Guest, asked: ByTitle) -> str:
    """Bring a window to the front; reports success even without one, like OSWorld's server."""
    if window := _window(guest, asked):
        guest.desktop.device.activate(window)
    return "Window activated successfully"


def close_window(guest: Guest, asked: ByTitle) -> str:
    """Ask a window to close; reports success even without one, like OSWorld's server."""
    if window := _window(guest, asked):
        guest.desktop.device.close_window(window)
    return "Window closed successfully."


def _window(guest: Guest, asked: ByTitle) -> Window | None:
    """The topmost window of this name, as window managers' own tools compare it."""
    for window in reversed(guest.desktop.device.windows()):
        told = window.app if asked.by_class else window.title
        same = told == asked.window_name if asked.strict else asked.window_name.lower() in told.lower()
        if same and not window.popup:
            return window
    return None


ROUTES = (
    *RUNNING,
    GuestRoute("GET", "/screenshot", Nothing, screenshot),
    GuestRoute("GET", "/accessibility", Nothing, accessibility),
    GuestRoute("GET", "/terminal", Nothing, terminal),
    GuestRoute("POST", "/screen_size", Nothing, screen_size),
    GuestRoute("POST", "/window_size", ByClass, window_size, form=True),
    GuestRoute("POST", "/desktop_path", Nothing, desktop_path),
    GuestRoute("POST", "/wallpaper", Nothing, wallpaper),
    GuestRoute("POST", "/list_directory", FilePath, list_directory),
    GuestRoute("POST", "/file", WantedFile, file, form=True),
    GuestRoute("POST", "/setup/upload", Uploaded, upload, form=True),
    GuestRoute("GET", "/platform", Nothing, platform_name),
    GuestRoute("GET", "/cursor_position", Nothing, cursor_position),
    GuestRoute("POST", "/setup/change_wallpaper", FilePath, change_wallpaper),
    GuestRoute("POST", "/setup/download_file", Download, download_file),
    GuestRoute("POST", "/setup/open_file", FilePath, open_file),
    GuestRoute("POST", "/setup/activate_window", ByTitle, activate_window),
    GuestRoute("POST", "/setup/close_window", ByTitle, close_window),
)


def routes() -> tuple[GuestRoute, ...]:
    """The routes of a guest besides the agent's own."""
    return ROUTES
