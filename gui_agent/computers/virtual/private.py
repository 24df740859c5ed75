"""Private displays: they end with their owner or, if named, run until they are stopped."""

from __future__ import annotations

import contextlib
import json
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from gui_agent.computers.environment import for_children, private_place
from gui_agent.computers.x11.programs import Entries, by_signal, ended, resolve, with_tree
from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Size
from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import Closing, Opening
from gui_agent.core.texts import suggestion

DROPPED = frozenset(
    (
        *("WAYLAND_DISPLAY", "WAYLAND_SOCKET", "SESSION_MANAGER", "DESKTOP_STARTUP_ID", "XDG_SESSION_ID"),
        *("XMODIFIERS", "GTK_IM_MODULE", "QT_IM_MODULE", "NO_AT_BRIDGE", "DBUS_STARTER_ADDRESS"),
        *("XDG_CURRENT_DESKTOP", "GTK_MODULES"),
    )
)
"""Variables of the user's session; programs on another display would use it instead."""
PERSONAL = {name: f"XDG_{name.upper()}_HOME" for name in ("config", "data", "cache", "state")}
"""Variables of the folders in which programs keep settings and data."""
ALWAYS = {
    "XDG_SESSION_TYPE": "x11",
    "GDK_BACKEND": "x11",
    "GTK_USE_PORTAL": "0",
    "GVFS_DISABLE_FUSE": "1",
    "QT_QPA_PLATFORM": "xcb",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "QT_ACCESSIBILITY": "1",
}
"""Makes each toolkit use this display and report its elements."""

JAVA_BRIDGE = Path("/usr/share/java/java-atk-wrapper.jar")
JAVA_SETTING = "javax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper"
"""Makes Java programs report their elements; the bridge is in `libatk-wrapper-java-jni`."""


def for_programs(folder: Path, home: str = "") -> dict[str, str]:
    """The environment of programs on any private display.

    Args:
        folder: of the display; programs keep their settings there if they use the user's own home, so
            that neither side changes or locks the other's data.
        home: their home folder; empty for the user's own.
    """
    kept = {name: value for name, value in for_children().items() if name not in DROPPED}
    if not any("utf" in kept.get(name, "").lower() for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        kept.pop("LC_ALL", None)
        kept["LANG"] = "C.UTF-8"
    for name, variable in PERSONAL.items():
        kept.pop(variable, None)
        if not home:
            kept[variable] = str(folder / "settings" / name)
    if list(Path("/usr/lib").glob("*/gtk-2.0/modules/libatk-bridge.so")):
        kept["GTK_MODULES"] = "gail:atk-bridge"  # GTK 2 programs report nothing without it
    if JAVA_BRIDGE.exists():
        told = f"-Xbootclasspath/a:{JAVA_BRIDGE} -D{JAVA_SETTING}"
        kept["JAVA_TOOL_OPTIONS"] = " ".join(filter(None, (kept.get("JAVA_TOOL_OPTIONS"), told)))
    return {**kept, **ALWAYS, "HOME": home or kept.get("HOME") or str(Path.home())}


STARTING = 30.0
"""Maximum seconds for a display to start."""
ENDING = 25.0
"""Maximum seconds for everything on it to end, also on a busy machine."""
CLEARING = 5.0
"""Seconds to remove the files of a display."""
LEAST = 0.5
"""Seconds to wait for its end after the run's deadline."""
PREFIX = "guiagent-"
"""Prefix of the folder names of displays."""
PACKAGES = {"Xvfb": "xvfb", "Xephyr": "xserver-xephyr", "dbus-daemon": "dbus", "openbox": "openbox"}
"""Debian packages of the programs that a display consists of."""


@dataclass(frozen=True, slots=True)
class Running:
    """The data needed to use a running display."""

    display: str
    bus: str
    folder: Path
    home: Path
    size: Size
    keeper: int

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        return cls(
            state["display"],
            state["bus"],
            Path(state["folder"]),
            Path(state["home"]),
            Size(*state["size"]),
            state["keeper"],
        )


class PrivateDisplay(Closing):
    """Starts a display with all its programs; `close` ends all of them.

    It ends with the process that made it, however that ends, unless it is `detached`.
    """

    def __init__(
        self,
        size: Size,
        *,
        home: str = "",
        folder: Path | None = None,
        detached: bool = False,
        window: bool = False,
    ) -> None:
        """Start a display.

        Args:
            home: home folder of its programs; empty for the user's own (with fresh program settings),
                `fresh` for an empty one.
            folder: an empty folder for its files, with a path short enough for sockets; None creates one.
            detached: let it outlive this process.
            window: show it in a window on the user's screen, who can work on it too.
        """
        if folder is None:
            _remove_orphans()
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        if home == "fresh":
            (folder / "home").mkdir(mode=0o700)
        homes = {"": "", "fresh": str(folder / "home")}
        order = {"folder": str(folder), "size": [size.width, size.height], "owned": not detached}
        order["window"] = window
        self._folder = folder
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")), json.dumps(order)],
            stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=for_programs(folder, homes.get(home, str(user_path(home).resolve()))),
            start_new_session=True,
            cwd="/",
        )
        try:
            self.running = Running.from_state(self._ready())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the display and everything on it; may be called twice and from any thread.

        After the deadline, the supervisor shuts the display down in the background.
        """
        if self._keeper.poll() is None:
            self._keeper.terminate()
        clearing = threading.Thread(target=self._clear, daemon=True)
        clearing.start()
        clearing.join(deadline.remaining(ENDING + CLEARING, LEAST))

    def _clear(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(ENDING)
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)  # a killed supervisor could not

    def let_go(self) -> None:
        """Leave a detached display running."""
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()
        self._keeper.returncode = 0  # detached: we do not wait for it

    def _ready(self) -> dict[str, Any]:
        pipe = self._keeper.stdout
        assert pipe is not None
        ready, _, _ = select.select([pipe], [], [], STARTING)
        line = pipe.readline() if ready else b""
        if not line:
            raise ComputerLost("the private display does not start; look at `guiagent doctor`")
        told: dict[str, Any] = json.loads(line)
        if "error" not in told:
            return told
        package = PACKAGES.get(told.get("missing", ""), "")
        if package:
            raise ConfigError(f"{told['error']}: install it, on Debian or Ubuntu: apt-get install {package}")
        raise ComputerLost(f"the private display does not start: {told['error']}")


class KeptLauncher:
    """Starts programs on a private display; they end with it."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._entries = Entries()
        self._last: tuple[int, str] | None = None

    def opening(self, name: str) -> Opening:
        home = self._running.home
        return resolve(str(home / name[2:]) if name.startswith("~/") else name, self._entries, home)

    def launch(self, name: str) -> None:
        # Settings stay in a given home folder; those in the user's own may be in use.
        own = self._running.home == Path.home()
        settings = self._running.folder / "programs" if own else self._running.home / ".config"
        command = with_tree(self.opening(name).command, settings)
        told = ask(self._running.folder, {"do": "start", "argv": command})
        if "error" in told:
            raise ActionFailed(f"{command[0]} does not start: {told['error']}")
        self._last = (told["pid"], command[0])

    def has_crashed(self, pid: int) -> bool:
        """Whether a program on the display is known to have crashed or to have been killed."""
        return by_signal(ask(self._running.folder, {"do": "state", "pid": pid})["code"])

    def failure(self) -> str:
        if self._last is None:
            return ""
        pid, program = self._last
        told = ask(self._running.folder, {"do": "state", "pid": pid})
        return ended(program, told["code"], told["said"].encode()) if told["code"] else ""


def ask(folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the supervisor of a display."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as keeper:
            keeper.settimeout(ENDING)
            keeper.connect(str(folder / "keeper.sock"))
            keeper.sendall(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(keeper.makefile("rb").readline())
            return answer
    except (OSError, ValueError) as error:
        raise ComputerLost("the private display is gone; start it again") from error


def _remove_orphans() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            keeper = int(json.loads((folder / "state.json").read_text(encoding="utf-8"))["keeper"])
            if not Path(f"/proc/{keeper}").exists():
                shutil.rmtree(folder, ignore_errors=True)


KEPT = "guiagent-desktops"
"""Folder of named displays' files, inside the folder for temporary files."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,30}")
STOPPING = 10.0


T = TypeVar("T")


class Shelf(Generic[T]):
    """Named instances that run until they are stopped, each with its own folder."""

    def __init__(self, kind: str, folder: str, look: Callable[[Path], T | None]) -> None:
        """Args: kind: the user's word for an instance, look: finds the one in a folder, None if none runs."""
        self._kind, self._folder, self._look = kind, folder, look

    def new_place(self, name: str) -> Path:
        """An empty folder for a new instance. Raises ConfigError for an invalid or used name."""
        if not NAME.fullmatch(name):
            raise ConfigError(
                f'"{name}" cannot be the name of a {self._kind}; use letters, digits, dots and dashes'
            )
        folder = private_place(self._folder) / name
        if self._look(folder) is not None:
            raise ConfigError(f'a {self._kind} "{name}" is running; stop it first, or give another name')
        shutil.rmtree(folder, ignore_errors=True)  # left by one whose supervisor was killed
        folder.mkdir(mode=0o700)
        return folder

    def names(self) -> list[str]:
        return sorted(path.name for path in private_place(self._folder).iterdir() if self._look(path))

    def find(self, name: str) -> T:
        """The instance of this name. Raises ConfigError if it does not run."""
        found = self._look(private_place(self._folder) / name) if NAME.fullmatch(name) else None
        if found is None:
            known = self.names()
            hint = f"; start it: guiagent {self._kind} start {name}"
            raise ConfigError(f'no {self._kind} "{name}" runs{suggestion(name, known) if known else hint}')
        return found


def start(name: str, size: Size, home: str = "") -> Running:
    """Start a display that runs until `stop`."""
    display = PrivateDisplay(size, home=home, folder=_SHELF.new_place(name), detached=True)
    display.let_go()
    return display.running


def stop(name: str) -> None:
    """End the display of this name and everything on it."""
    folder = running(name).folder
    ask(folder, {"do": "stop"})
    if not is_gone(folder, STOPPING):
        raise ComputerLost(f'the desktop "{name}" did not end; end its processes by hand')


def is_gone(folder: Path, seconds: float) -> bool:
    """Whether a folder disappears within this time, as supervisors remove it at their end."""
    return any(not folder.exists() for _ in deadline.turns(seconds, 0.02, least=1))


def _state(folder: Path) -> Running | None:
    with contextlib.suppress(OSError, ValueError, KeyError, ComputerLost):
        state = Running.from_state(json.loads((folder / "state.json").read_text(encoding="utf-8")))
        ask(folder, {"do": "look"})
        return state
    return None


_SHELF = Shelf("desktop", KEPT, _state)
names, running = _SHELF.names, _SHELF.find
