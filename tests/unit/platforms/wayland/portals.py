"""A session bus of its own with a portal that speaks as the specification says, and a person who answers."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dbus_fast import ErrorType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from gui_agent.computers.event_loop import LoopThread

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
REMOTE, CAST = "org.freedesktop.portal.RemoteDesktop", "org.freedesktop.portal.ScreenCast"
SIGNATURES = {
    "CreateSession": "a{sv}",
    "SelectDevices": "oa{sv}",
    "SelectSources": "oa{sv}",
    "Start": "osa{sv}",
    "OpenPipeWireRemote": "oa{sv}",
    "NotifyPointerMotionAbsolute": "oa{sv}udd",
    "NotifyPointerButton": "oa{sv}iu",
    "NotifyPointerAxisDiscrete": "oa{sv}ui",
    "NotifyKeyboardKeysym": "oa{sv}iu",
}
"""The arguments of the methods as the specification of the portals gives them."""
MONITORS = (((0, 0), (800, 600)), ((-400, 100), (400, 300)))


@dataclass
class Portal:
    """What it offers, what the person answers, and what it was asked."""

    versions: dict[str, int] = field(default_factory=lambda: {REMOTE: 2, CAST: 4})
    code: int | None = 0
    """The answer of the person: 0 yes, 1 no, 2 another end; None: no answer."""
    devices: int = 3
    tokens: list[str] = field(default_factory=list)
    """Permissions that are good once."""
    dialogs: int = 0
    inputs: list[tuple[Any, ...]] = field(default_factory=list)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    taken_away: int = 0
    """Dialogs that were closed by who asked."""
    bus: MessageBus | None = None
    session: str = ""

    def heard(self, message: Message) -> Message | None:
        """Answer a call."""
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        member = message.member or ""
        if message.member == "Get":
            interface = message.body[0]
            if interface not in self.versions:
                return Message.new_error(message, ErrorType.UNKNOWN_INTERFACE, "no such interface")
            return Message.new_method_return(message, "v", [Variant("u", self.versions[interface])])
        if member == "Close":
            self.taken_away += "/request/" in (message.path or "")
            return Message.new_method_return(message)
        if member not in SIGNATURES:
            return None
        if message.signature != SIGNATURES[member]:
            return Message.new_error(message, ErrorType.INVALID_ARGS, f"{member} wants {SIGNATURES[member]}")
        if member.startswith("Notify"):
            self.inputs.append((member, *message.body[2:]))
            return Message.new_method_return(message)
        if member == "OpenPipeWireRemote":
            reading, writing = os.pipe()
            os.close(writing)
            return Message.new_method_return(message, "h", [0], [reading])
        self.options[member] = {name: one.value for name, one in message.body[-1].items()}
        return self._request(message, member)

    def _request(self, message: Message, member: str) -> Message:
        assert message.sender is not None and self.bus is not None
        sender = message.sender.lstrip(":").replace(".", "_")
        path = f"{PATH}/request/{sender}/{self.options[member]['handle_token']}"
        code: int | None = 0
        results: dict[str, Variant] = {}
        if member == "CreateSession":
            self.session = f"{PATH}/session/{sender}/{self.options[member]['session_handle_token']}"
            results["session_handle"] = Variant("s", self.session)
        if member == "Start":
            known = self.options["SelectDevices"].get("restore_token") in self.tokens
            self.dialogs += not known
            code = 0 if known else self.code
            streams = [
                [number, {"position": Variant("(ii)", list(place)), "size": Variant("(ii)", list(size))}]
                for number, (place, size) in enumerate(MONITORS, 40)
            ]
            results |= {"devices": Variant("u", self.devices), "streams": Variant("a(ua{sv})", streams)}
            if self.versions[REMOTE] > 1:
                self.tokens = [f"token {len(self.tokens) + self.dialogs}"]
                results["restore_token"] = Variant("s", self.tokens[0])
        if code is not None:
            told = Message(
                destination=message.sender, path=path, interface="org.freedesktop.portal.Request",
                member="Response", message_type=MessageType.SIGNAL, signature="ua{sv}", body=[code, results],
            )  # fmt: skip
            self.bus.send(told)  # even before the call itself is answered, as portals may
        return Message.new_method_return(message, "o", [path])

    def end(self) -> None:
        """The person stops sharing the screen."""
        assert self.bus is not None
        closed = Message(
            path=self.session, interface="org.freedesktop.portal.Session", member="Closed",
            message_type=MessageType.SIGNAL, signature="a{sv}", body=[{}],
        )  # fmt: skip
        self.bus.send(closed)


@contextlib.contextmanager
def session_bus() -> Iterator[str]:
    """A bus that nobody else is on; its address."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
    finally:
        daemon.terminate()
        daemon.wait(60)


@contextlib.contextmanager
def serving(portal: Portal, address: str) -> Iterator[LoopThread]:
    """The portal on a bus."""
    thread = LoopThread("test.portal", "the portal of the test")

    async def begin() -> None:
        portal.bus = await MessageBus(bus_address=address, negotiate_unix_fd=True).connect()
        portal.bus.add_message_handler(portal.heard)
        await portal.bus.request_name(NAME)

    async def end() -> None:
        assert portal.bus is not None
        portal.bus.disconnect()

    thread.call(begin(), 60)
    try:
        yield thread
    finally:
        thread.call(end(), 60)
        thread.stop()
