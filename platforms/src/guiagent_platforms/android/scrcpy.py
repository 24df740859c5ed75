"""A display of its own on a phone, made by the person's scrcpy: the screen they look at stays free.

The server of scrcpy is taken from where it is installed, sent to the phone and started there. It makes a
display, tells its pictures as H.264 and takes fingers; elements, keys and text go the way they go for every
display. Only what all versions from 3.0 on have in common is used, and nothing of the clipboard.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.computers.environment import for_children
from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost, MissingExtra
from gui_agent.core.observation import Point, Size
from gui_agent.core.texts import shorten
from guiagent_platforms.android.client import AdbDevice

if TYPE_CHECKING:
    from av.video.codeccontext import VideoCodecContext
    from av.video.frame import VideoFrame

NEW = "new"
"""What `--on android:SERIAL#new` calls it."""
KNOWN = range(3, 5)
"""Major versions whose protocol is known; earlier ones have no display of their own."""
MAIN_CLASS = "com.genymobile.scrcpy.Server"
PLACE = "/data/local/tmp/scrcpy-server.jar"
STARTING, ANSWERING = 20.0, 5.0
POLL = 0.05
ALIGNED = 16
"""What the sides of a display must be multiples of, so that no encoder changes them."""
TOUCH, TURN, ANEW = 2, 11, 17
"""Messages: a finger, hold the display the other way, begin the pictures anew."""
DOWN, UP, MOVE = 0, 1, 2
PRESSED = 0xFFFF
STEP = 0.01
"""Seconds between two places of a finger that moves."""
_HEAD = struct.Struct(">QI")
_FINGER = struct.Struct(">BBqiiHHHii")
_PICTURED = re.compile(rb"\x00\x00\x01[\x01\x21\x41\x61\x05\x25\x45\x65]")
"""What begins a part of a picture in H.264; the head of the stream has none."""
_MADE = re.compile(r"New display: (\d+)x(\d+)\S* \(id=(\d+)\)")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_OTHER = re.compile(r"server version \((\S+?)\) does not match")


def server_file() -> Path | None:
    """The server of the scrcpy that is installed, or the one that SCRCPY_SERVER_PATH names; None without."""
    named = for_children().get("SCRCPY_SERVER_PATH")
    places = [Path(named)] if named else []
    if program := shutil.which("scrcpy"):
        for one in (Path(program), Path(program).resolve()):
            places += [one.parent / "scrcpy-server", one.parent.parent / "share/scrcpy/scrcpy-server"]
    return next((one for one in places if one.is_file()), None)


def version_of(file: Path) -> str:
    """The version that a server seems to have: its name says it, or the program; empty for neither."""
    said, program = file.name, shutil.which("scrcpy")
    if not _VERSION.search(said) and program:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            asked = subprocess.run(
                [program, "--version"], capture_output=True, text=True, timeout=ANSWERING, check=False
            )
            said = asked.stdout
    found = _VERSION.search(said)
    return found[0] if found else ""


def ready() -> bool:
    """Whether what a display of its own needs is installed on this computer."""
    return server_file() is not None and find_spec("av") is not None


def status_text() -> str:
    """What a person is told of it in the list of phones."""
    file = server_file()
    if file is None:
        return "no display of its own (that needs scrcpy 3.0 or later on this computer)"
    if find_spec("av") is None:
        return "no display of its own (pip install 'guiagent[scrcpy]' reads the pictures of scrcpy)"
    return f"a display of its own with #{NEW} (scrcpy {version_of(file) or 'of unknown version'})"


class ScrcpyDisplay:
    """A display that is there as long as this is open; apps on it end with it."""

    def __init__(self, device: AdbDevice) -> None:
        file = server_file()
        if file is None:
            raise ComputerLost(
                "a display of its own needs scrcpy 3.0 or later: install it, or name its server in"
                " SCRCPY_SERVER_PATH"
            )
        if find_spec("av") is None:
            raise MissingExtra("scrcpy", "a display of its own")
        self._device, self._said = device, ""
        self._wires: list[socket.socket] = []
        self._made = threading.Event()
        self._closed = False
        self.number, self.size = 0, Size(0, 0)
        """Android's number for it, and its size when it was made."""
        self._last: VideoFrame | None = None
        self._pictured = threading.Event()
        self._drawn: tuple[VideoFrame, bytes] | None = None
        self._writing = threading.Lock()
        device.push(file.read_bytes(), PLACE)
        try:
            found = self._start(version_of(file) or "0")
            if found:  # the server says itself which version it is
                self._start(found)
        except BaseException:
            self.close()
            raise

    @property
    def frame(self) -> tuple[Size, bytes] | None:
        """The last picture, four bytes a pixel; None before anything was shown on it."""
        self._check()
        last = self._last
        if last is None:
            return None
        if self._drawn is None or self._drawn[0] is not last:
            self._drawn = (last, last.to_ndarray(format="rgba").tobytes())
        return Size(last.width, last.height), self._drawn[1]

    def wait_for_picture(self) -> None:
        """Wait until the first picture has come, for a while: the video starts after the display."""
        self._pictured.wait(deadline.left(ANSWERING))

    def touch(self, fingers: Sequence[Sequence[Point]], seconds: float = 0.0) -> None:
        """Put fingers down at the first of their places, move them to their last, and lift them."""
        self._fingers(DOWN, [path[0] for path in fingers])
        steps = int(seconds / STEP)
        began = time.monotonic()
        for step in range(1, steps + 1):
            time.sleep(max(0.0, began + step * STEP - time.monotonic()))
            if any(path[0] != path[-1] for path in fingers):
                self._fingers(MOVE, [_between(path[0], path[-1], step / steps) for path in fingers])
        self._fingers(UP, [path[-1] for path in fingers])

    def takes(self, verb: object, *places: object) -> bool:
        """Whether it did what a command of `input` says, and sooner; keys are left to the command."""
        numbers = [one for one in places if isinstance(one, int)]
        match verb, numbers:
            case "tap", [x, y]:
                self.touch([[Point(x, y)]])
            case "swipe", [x, y, to_x, to_y, lasts]:
                self.touch([[Point(x, y), Point(to_x, to_y)]], lasts / 1000)
            case _:
                return False
        return True

    def turn(self) -> None:
        """Hold the display the other way."""
        self._send(bytes([TURN]))

    def close(self) -> None:
        self._closed = True
        for wire in self._wires:
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
            wire.close()
        self._wires.clear()

    def _start(self, version: str) -> str:
        if version != "0" and int(version.partition(".")[0]) not in KNOWN:
            raise ComputerLost(
                f"scrcpy {version} is not one whose displays are known here; install one from"
                f" {KNOWN.start}.0 to {KNOWN.stop - 1}.x"
            )
        name = f"{secrets.randbits(31):08x}"
        command = (
            f"CLASSPATH={PLACE} app_process / {MAIN_CLASS} {version} scid={name} log_level=info"
            f" tunnel_forward=true send_dummy_byte=false send_device_meta=false send_codec_meta=false"
            f" send_stream_meta=false audio=false clipboard_autosync=false downsize_on_error=false"
            f" display_ime_policy=local new_display={self._encoder_size()}"
        )
        self._said = ""
        process = self._device.open(f"shell:{command}")
        self._wires.append(process)
        ended = threading.Event()
        threading.Thread(target=self._listen, args=(process, ended), daemon=True).start()
        end = time.monotonic() + deadline.left(STARTING)
        while len(self._wires) < 3 or not self._made.wait(POLL):
            if other := _OTHER.search(self._said):
                self._wires.remove(process)
                process.close()
                return other[1]
            if ended.is_set() or time.monotonic() > end:
                why = shorten(self._said.strip() or "it does not answer", 200)
                raise ComputerLost(f"scrcpy makes no display: {why}")
            if len(self._wires) < 3:
                try:
                    self._wires.append(self._device.open(f"localabstract:scrcpy_{name}"))
                except ComputerLost:  # it does not listen yet
                    time.sleep(POLL)
        threading.Thread(target=self._watch, args=(self._wires[1],), daemon=True).start()
        return ""

    def _encoder_size(self) -> str:
        """The size of the phone's own display, as even as every encoder takes it."""
        found = re.findall(r"(\d+)x(\d+)", self._device.look("wm", "size").text)
        sides = [max(ALIGNED, int(side) // ALIGNED * ALIGNED) for side in (found[-1] if found else ())]
        return "x".join(map(str, sides))

    def _listen(self, process: socket.socket, ended: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while piece := process.recv(4096):
                self._said = (self._said + piece.decode("utf-8", "replace"))[-2000:]
                if not self._made.is_set() and (found := _MADE.search(self._said)):
                    self.size, self.number = Size(int(found[1]), int(found[2])), int(found[3])
                    self._made.set()
        ended.set()
        if self._made.is_set():
            self.close()

    def _watch(self, video: socket.socket) -> None:
        from av import CodecContext
        from av.error import FFmpegError
        from av.packet import Packet

        decoder: VideoCodecContext = CodecContext.create("h264", "r")
        decoder.thread_count = 1  # more of them hold pictures back
        head = b""
        with contextlib.suppress(OSError, ValueError), video.makefile("rb") as stream:
            while len(top := stream.read(_HEAD.size)) == _HEAD.size:
                data = stream.read(_HEAD.unpack(top)[1])
                if not _PICTURED.search(data):
                    head = data
                    continue
                try:
                    for frame in decoder.decode(Packet(head + data)):
                        self._last = frame
                        self._pictured.set()
                except FFmpegError:
                    self._send(bytes([ANEW]))
                head = b""

    def _fingers(self, what: int, places: Sequence[Point]) -> None:
        last = self._last
        size = Size(last.width, last.height) if last is not None else self.size
        pressure = 0 if what == UP else PRESSED
        for number, at in enumerate(places):
            self._send(_FINGER.pack(TOUCH, what, number, at.x, at.y, size.width, size.height, pressure, 0, 0))

    def _send(self, message: bytes) -> None:
        self._check()
        try:
            with self._writing:
                self._wires[2].sendall(message)
        except (OSError, IndexError) as error:
            raise ComputerLost(_end_error(self._said)) from error

    def _check(self) -> None:
        if self._closed:
            raise ComputerLost(_end_error(self._said))


def _end_error(said: str) -> str:
    lines = [line for line in said.splitlines() if "ERROR" in line]
    why = f" ({shorten(lines[-1], 100)})" if lines else ""
    return f"the display that scrcpy made is gone{why}; start again"


def _between(start: Point, end: Point, share: float) -> Point:
    return Point(round(start.x + (end.x - start.x) * share), round(start.y + (end.y - start.y) * share))
