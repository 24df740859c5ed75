"""The routes of OSWorld's guest server, for its controllers and evaluators and for other agents."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from pydantic import ConfigDict, Field

from gui_agent.computers.atspi.xml_tree import SPACES
from gui_agent.computers.guest.server import Guest, GuestRequest, GuestRoute, Nothing
from gui_agent.computers.guest.shell_routes import RUNNING, answered, guest_path, run, sent_file
from gui_agent.core.errors import ActionFailed

if TYPE_CHECKING:
    from gui_agent.computers.desktop.parts import Window

OPENING = 120.0
"""Seconds within which a file that was opened must show a window."""
LISTED = 50_000
"""Entries of a folder, and of all in it, that are told."""
WEB = re.compile(r"https?://", re.IGNORECASE)


class FilePath(GuestRequest):
    """A path, or the name of a program."""

    path: str = Field(min_length=1, max_length=4096)


class WantedFile(GuestRequest):
    """The path of a file, as a form gives it."""

    file_path: str = Field(min_length=1, max_length=4096)


class Uploaded(WantedFile):
    """A file and where to put it."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="ignore")
    file_data: Any = Field(json_schema_extra={"type": "string", "format": "binary"})


class Download(FilePath):
    """An address and where to put what is there."""

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
    """All that programs tell over the accessibility bus, as XML."""
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
    return answered({"error": f"no window of the class {asked.app_class_name}"}, 500)


def desktop_path(guest: Guest, _: Nothing) -> Any:
    """The folder of the desktop."""
    folder = Path.home() / "Desktop"
    if folder.is_dir():
        return {"desktop_path": str(folder)}
    return answered({"error": "Unsupported operating system or desktop path not found"}, 404)


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
        return answered(f"File not found: {path}", 404)
    words = ["gsettings", "set", "org.gnome.desktop.background", "picture-uri", path.as_uri()]
    try:
        run(words, False, 10.0)
    except (OSError, subprocess.SubprocessError) as error:
        return answered(f"Failed to change wallpaper. Error: {error}", 500)
    return "Wallpaper changed successfully"


def list_directory(guest: Guest, asked: FilePath) -> Any:
    """A folder and all in it, as a tree; links to folders are not followed."""
    start = Path(asked.path)
    if "\0" in asked.path or not start.is_dir():
        return answered({"error": "The provided path is not a directory"}, 400)
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
    """Put a file somewhere; it is there whole or not at all."""
    source = getattr(asked.file_data, "file", None)
    if source is None:
        return answered({"error": "file_path and file_data are required"}, 400)
    path = guest_path(asked.file_path)
    part = path.with_name(f".{path.name[-200:]}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as sink:
            shutil.copyfileobj(source, sink)
        size = part.stat().st_size
        part.replace(path)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError, ValueError):
            part.unlink(missing_ok=True)
        return answered({"error": f"Failed to upload file: {error}"}, 500)
    return f"File Uploaded: {size} bytes"


def download_file(guest: Guest, asked: Download) -> Any:
    """Let the guest itself fetch something from the web."""
    if not WEB.match(asked.url):
        return answered("only http and https addresses are fetched", 400)
    path, error = guest_path(asked.path), ""
    for _ in range(3):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with urllib.request.urlopen(asked.url, timeout=60) as source:
                data = source.read(guest.most + 1)
            if len(data) > guest.most:
                return answered(f"{asked.url} is larger than {guest.most} bytes; raise --max-upload", 413)
            path.write_bytes(data)
            return f"File downloaded successfully: {len(data)} bytes"
        except (OSError, ValueError, urllib.error.URLError) as failure:
            error = str(failure)
    return answered(f"Failed to download {asked.url}. No retries left. Error: {error}", 500)


def platform_name(guest: Guest, _: Nothing) -> str:
    """The system of the guest."""
    return platform.system()


def cursor_position(guest: Guest, _: Nothing) -> Any:
    """Where the pointer is."""
    at = guest.desktop.device.pointer
    return [at.x, at.y]


def open_file(guest: Guest, asked: FilePath) -> Any:
    """Open a file or a program, and wait for its window."""
    path, device = guest_path(asked.path), guest.desktop.device
    name = str(path) if path.exists() else asked.path
    try:
        kind = device.opening(name).kind
        if kind in ("command", "executable") and not guest.execute:
            return answered(f"Failed to open {asked.path}. Error: it would run a command", 403)
        before = {window.id for window in device.windows()}
        device.launch(name)
    except ActionFailed as error:
        return answered(f"Application/file not found: {asked.path} ({error})", 404)
    whole, stem = re.escape(path.name.lower()), re.escape(path.stem.lower())
    deadline = time.monotonic() + OPENING
    while time.monotonic() < deadline:
        for window in device.windows():
            title = window.title.lower()
            # A short name is a part of many titles; only a new window may be meant by it.
            named = re.search(rf"(?<!\w){whole}(?!\w)", title) or re.search(rf"(?<!\w){stem}(?!\w)", title)
            if not window.popup and (named or (not path.exists() and window.id not in before)):
                device.activate(window)
                return "File opened and window activated successfully"
        time.sleep(0.2)
    return answered(f"Failed to find window for {path.name} within {OPENING:g} seconds.", 500)


def activate_window(guest: Guest, asked: ByTitle) -> str:
    """Bring a window to the front; says so even when there is none, as OSWorld's server does."""
    if window := _window(guest, asked):
        guest.desktop.device.activate(window)
    return "Window activated successfully"


def close_window(guest: Guest, asked: ByTitle) -> str:
    """Ask a window to close; says so even when there is none, as OSWorld's server does."""
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
