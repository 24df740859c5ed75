"""The portals RemoteDesktop and ScreenCast: one question to the user, then pictures and input."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbus_fast import InvalidAddressError, Message, Variant

from gui_agent.computers.atspi.bus import PROPERTIES, Bus, CallFailed, MethodCall
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Box
from gui_agent.core.os_errors import private_folder, replace_file

DESKTOP = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
REMOTE = "org.freedesktop.portal.RemoteDesktop"
CAST = "org.freedesktop.portal.ScreenCast"
REQUEST, SESSION = "org.freedesktop.portal.Request", "org.freedesktop.portal.Session"
KEYBOARD, POINTER = 1, 2
MONITORS = 1
HIDDEN = 1
"""The pointer is not drawn into the picture."""
UNTIL_REVOKED = 2
REMEMBERS = 2
"""The version from which on RemoteDesktop stores a permission; earlier ones ask each time."""
GRANTED, REFUSED = 0, 1
ANSWERING = 10.0
"""Maximum seconds for a portal, which may have to start first, to answer a call."""
ASKING = 120.0
"""Seconds for the user to answer the dialog."""
INPUT = 5.0
"""Maximum seconds for a portal to accept an input."""
LACKING = (
    "this Wayland session has no portal for input ({why}); install xdg-desktop-portal with the "
    "desktop's own part (GNOME: xdg-desktop-portal-gnome, KDE: xdg-desktop-portal-kde) and log in again; "
    "sway and other desktops of wlroots have none: use --on virtual, or log in to an X11 session"
)

Answer = asyncio.Future[tuple[int, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Stream:
    """The pictures of one monitor."""

    node: int
    box: Box
    """The monitor's box in the coordinates of the desktop, which may be negative."""


class PortalSession:
    """A session that the user has allowed; calls come from any thread and wait for their answer."""

    def __init__(self, bus: str, kept: Path | None = None, asking: float = ASKING) -> None:
        """Ask for screen, mouse and keyboard in one dialog, or in none if an earlier answer is stored.

        Args:
            bus: address of the session bus.
            kept: the file that stores the permission; None to be asked each time.
            asking: seconds for the user to answer.
        """
        self._thread = LoopThread("gui_agent.portal", "the portal of the desktop")
        self._kept = kept
        self._ended = ""
        """Why the session is over; empty while it is open."""
        self._answers: dict[str, Answer] = {}
        self._path = ""
        self.streams: tuple[Stream, ...] = ()
        self.remembers = False
        """Whether the desktop stores the permission, so that it does not ask again."""
        try:
            self._bus = self._thread.call(self._connect(bus), ANSWERING)
            self._thread.call(self._begin(asking), asking + 4 * ANSWERING)
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        return not self._ended and self._thread.running

    def pipewire(self) -> int:
        """A file descriptor for the pictures of the streams; the caller closes it."""
        call = self._of_session(CAST, "OpenPipeWireRemote", "a{sv}", {})
        answer: Message = self._thread.call(self._bus.answer(call), ANSWERING)
        return int(answer.unix_fds[answer.body[0]])

    def notify(self, member: str, signature: str, *values: Any) -> None:
        """Send one input, such as `NotifyPointerButton`."""
        self._check()
        try:
            self._thread.call(
                self._bus.call(self._of_session(REMOTE, member, "a{sv}" + signature, {}, *values)), INPUT
            )
        except CallFailed as error:
            self._check()
            raise ComputerLost(f"the desktop did not accept the input: {error}") from error

    def close(self) -> None:
        if self._thread.running and hasattr(self, "_bus"):
            with contextlib.suppress(ComputerLost, CallFailed):
                self._thread.call(self._hang_up(), INPUT, INPUT)
        self._ended = self._ended or "it was closed; open a new one"
        self._thread.stop()

    def _check(self) -> None:
        if self._ended:
            raise ComputerLost(f"the session with the desktop is over: {self._ended}")

    def _of_session(self, interface: str, member: str, signature: str, *values: Any) -> MethodCall:
        return MethodCall(DESKTOP, interface, member, "o" + signature, (self._path, *values))

    async def _connect(self, address: str) -> Bus:
        bus = await _open(address)
        rules = (f"type='signal',interface='{REQUEST}'", f"type='signal',interface='{SESSION}'")
        for rule, heard in zip(rules, (self._take_answer, self._note_end), strict=True):
            await bus.listen(rule, heard)
        return bus

    async def _begin(self, asking: float) -> None:
        remote, _ = await _versions(self._bus)
        self.remembers = remote >= REMEMBERS
        made = await self._request(
            ANSWERING, REMOTE, "CreateSession", "", session_handle_token=Variant("s", _token())
        )
        self._path = str(made["session_handle"].value)
        devices = {"types": Variant("u", KEYBOARD | POINTER)}
        if self.remembers:
            devices["persist_mode"] = Variant("u", UNTIL_REVOKED)
            if told := self._token_kept():
                devices["restore_token"] = Variant("s", told)
        await self._request(ANSWERING, REMOTE, "SelectDevices", "o", self._path, **devices)
        sources = {"types": MONITORS, "cursor_mode": HIDDEN}
        await self._request(
            ANSWERING, CAST, "SelectSources", "o", self._path,
            multiple=Variant("b", True), **{name: Variant("u", value) for name, value in sources.items()},
        )  # fmt: skip
        granted = await self._request(asking, REMOTE, "Start", "os", self._path, "")
        allowed = int(granted["devices"].value) if "devices" in granted else 0
        self.streams = _streams(granted["streams"].value if "streams" in granted else ())
        if allowed & (KEYBOARD | POINTER) != KEYBOARD | POINTER or not self.streams:
            raise ComputerLost(
                "the dialog of the desktop did not allow screen, mouse and keyboard together; run it again, "
                "choose a screen and allow the remote interaction"
            )
        if self.remembers and "restore_token" in granted:
            self._keep(str(granted["restore_token"].value))

    async def _request(
        self, seconds: float, interface: str, member: str, signature: str, *values: Any, **options: Variant
    ) -> Mapping[str, Any]:
        """Make a call that is answered by a signal, listening before the call."""
        token = _token()
        sender = self._bus.name.lstrip(":").replace(".", "_")
        path = f"{DESKTOP[1]}/request/{sender}/{token}"
        answer: Answer = asyncio.get_running_loop().create_future()
        self._answers[path] = answer
        options["handle_token"] = Variant("s", token)
        try:
            call = MethodCall(DESKTOP, interface, member, signature + "a{sv}", (*values, options))
            (handle,) = await asyncio.wait_for(self._bus.call(call), ANSWERING)
            self._answers[handle] = answer  # portals of old versions choose the path themselves
            code, results = await asyncio.wait_for(answer, seconds)
        except CallFailed as error:
            raise ConfigError(LACKING.format(why=str(error))) from error
        except TimeoutError as error:
            with contextlib.suppress(CallFailed):  # closes the dialog
                await self._bus.call(MethodCall((DESKTOP[0], path), REQUEST, "Close"))
            raise ComputerLost(
                f"the desktop's dialog was not answered within {seconds:.0f} s; run it again and allow it"
            ) from error
        finally:
            self._answers.clear()
        if code == REFUSED:
            raise ComputerLost("the user did not allow the agent to use the screen; run it again to be asked")
        if code != GRANTED:
            raise ComputerLost(
                f"the desktop ended {member} without an answer; log in again if it happens twice"
            )
        return results

    def _take_answer(self, message: Message) -> None:
        waiting = self._answers.get(message.path or "") if message.member == "Response" else None
        if waiting is not None and not waiting.done():
            waiting.set_result((int(message.body[0]), message.body[1]))

    def _note_end(self, message: Message) -> None:
        if message.interface == SESSION and message.member == "Closed" and message.path == self._path:
            self._ended = self._ended or "the user or the desktop stopped sharing the screen"

    async def _hang_up(self) -> None:
        if self._path and not self._ended:
            self._ended = "it was closed; open a new one"
            await self._bus.call(MethodCall((DESKTOP[0], self._path), SESSION, "Close"))
        self._bus.close()

    def _token_kept(self) -> str:
        try:
            return self._kept.read_text("utf-8").strip() if self._kept else ""
        except (OSError, UnicodeDecodeError):
            return ""

    def _keep(self, token: str) -> None:
        if self._kept is None:
            return
        with contextlib.suppress(OSError):  # then the user is asked again
            private_folder(self._kept.parent)
            replace_file(self._kept, token.encode())


def portal_versions(address: str) -> tuple[int, int]:
    """The versions of RemoteDesktop and ScreenCast at a session bus, without asking the user."""
    thread = LoopThread("gui_agent.portal", "the portal of the desktop")

    async def ask() -> tuple[int, int]:
        bus = await _open(address)
        try:
            return await _versions(bus)
        finally:
            bus.close()

    try:
        return thread.call(ask(), ANSWERING)
    finally:
        thread.stop()


async def _open(address: str) -> Bus:
    try:
        return await Bus.open(address)
    except (OSError, ValueError, InvalidAddressError) as error:
        raise ConfigError(LACKING.format(why="no D-Bus session")) from error


async def _versions(bus: Bus) -> tuple[int, int]:
    found = []
    for interface in (REMOTE, CAST):
        try:
            (told,) = await bus.call(MethodCall(DESKTOP, PROPERTIES, "Get", "ss", (interface, "version")))
        except CallFailed as error:
            raise ConfigError(LACKING.format(why=f"no {interface.rpartition('.')[2]}")) from error
        found.append(int(told.value))
    return found[0], found[1]


def _streams(told: Sequence[Any]) -> tuple[Stream, ...]:
    found = []
    for node, more in told:
        left, top = more["position"].value if "position" in more else (0, 0)
        width, height = more["size"].value if "size" in more else (0, 0)
        if width > 0 and height > 0:
            found.append(Stream(int(node), Box(left, top, width, height)))
    return tuple(sorted(found, key=lambda one: one.box.corner))


def _token() -> str:
    return f"guiagent{secrets.token_hex(8)}"
