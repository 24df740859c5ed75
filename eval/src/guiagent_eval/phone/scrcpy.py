"""The server of scrcpy on the simulated phone: a display of its own, as video, that takes fingers.

Follows the sources of scrcpy 3.0 to 4.1. Pictures are encoded with PyAV, so the host decodes real H.264.
"""

from __future__ import annotations

import contextlib
import queue
import re
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_agent.core.observation import Point, Size

if TYPE_CHECKING:
    from guiagent_eval.phone.device import SimulatedPhone
    from guiagent_eval.phone.services import Pipe

MAIN_CLASS = "com.genymobile.scrcpy.Server"
PLACE = "/data/local/tmp/scrcpy-server"
FINGER = struct.Struct(">BqiiHHHii")
HELD, CONNECTING, LOOKING = 0.4, 5.0, 0.01
"""Seconds from which a finger counts as held, for a connection, and between two looks at the screen."""
H264 = int.from_bytes(b"h264", "big")


class Waiting:
    """A socket of the server: connections in the order in which they are made."""

    def __init__(self) -> None:
        self._pipes: queue.SimpleQueue[tuple[Pipe, threading.Event]] = queue.SimpleQueue()

    def connect(self, pipe: Pipe) -> None:
        """Hand over a connection, until the server is done with it."""
        done = threading.Event()
        self._pipes.put((pipe, done))
        done.wait()

    def accept(self) -> tuple[Pipe, threading.Event]:
        """The next connection.

        Raises:
            queue.Empty: nobody connects.
        """
        return self._pipes.get(timeout=CONNECTING)


@dataclass(slots=True)
class Mirroring:
    """What a display is to scrcpy."""

    version: str = "3.3.4"
    """Of the server that is sent to the phone."""
    sockets: dict[str, Waiting] = field(default_factory=dict)
    """Where servers listen, by name."""
    virtual: bool = False
    """Whether a server made the display."""
    bare: bool = False
    """Whether displays that are made have no home screen, so that nothing is drawn at first."""
    late: float = 0.0
    """Seconds after which the video begins."""
    refresh: threading.Event = field(default_factory=threading.Event)
    """Whether the video is to begin anew."""


def run(phone: SimulatedPhone, command: str, pipe: Pipe, packed: bool = False) -> None:
    """What the server does, until the connection that started it is closed; `packed` as `shell,v2` asks."""

    def say(kind: str, text: str) -> None:
        data = f"[server] {kind}: {text}\n".encode()
        pipe.write((struct.pack("<BI", 1, len(data)) if packed else b"") + data)

    words = command.partition(MAIN_CLASS)[2].split()
    given = dict(word.partition("=")[::2] for word in words[1:])
    phone.log.append(["scrcpy", *words])
    if not any(name.startswith(PLACE) for name in phone.files):
        say("ERROR", "Aborted")
        return
    if words[:1] != [phone.mirroring.version]:
        text = f"The server version ({phone.mirroring.version}) does not match the client ({words[0]})"
        say("ERROR", f"java.lang.IllegalArgumentException: {text}")
        return
    say("INFO", "Device: [guiagent] guiagent Simulated Phone (Android 14)")
    if phone.fault("no_display"):
        say("ERROR", "New virtual display is not supported before Android 10")
        return
    name = f"scrcpy_{int(given['scid'], 16):08x}"
    waiting = phone.mirroring.sockets[name] = Waiting()
    try:
        video, seen = waiting.accept()
        if given.get("send_dummy_byte", "true") == "true":
            video.write(b"\0")
        control, told = waiting.accept()
    except queue.Empty:
        return
    finally:
        del phone.mirroring.sockets[name]
    shown = _display(phone, given.get("new_display"))
    number = next(key for key, one in phone.displays.items() if one is shown)
    if number:
        say("INFO", f"New display: {shown.size.width}x{shown.size.height}/240 (id={number})")
    ended = threading.Event()
    filmed = (shown, video, given, phone.mirroring.version, ended)
    threading.Thread(target=_film, args=filmed, daemon=True).start()
    threading.Thread(target=_obey, args=(shown, control), daemon=True).start()
    try:
        while pipe.read(1):
            pass
    finally:
        ended.set()
        seen.set()
        told.set()
        if number:
            del phone.displays[number]


def _display(phone: SimulatedPhone, wanted: str | None) -> SimulatedPhone:
    """The display that is asked for: a new one, or that of the phone."""
    if wanted is None:
        return phone
    shown = phone.second(max(phone.displays) + 7)
    size = re.match(r"(\d+)x(\d+)", wanted)
    shown.size = Size(int(size[1]), int(size[2])) if size else phone.size
    shown.mirroring.virtual, shown.mirroring.bare = True, phone.mirroring.bare
    shown.mirroring.late = phone.mirroring.late
    return shown


def shows_nothing(shown: SimulatedPhone) -> bool:
    """Whether it is a display without a home screen on which no app was opened yet."""
    return shown.mirroring.bare and len(shown.recent) == 1


def _film(
    shown: SimulatedPhone, pipe: Pipe, given: dict[str, str], version: str, ended: threading.Event
) -> None:
    """Send each picture that differs from the one before."""
    meta = given.get("send_stream_meta" if version >= "4" else "send_codec_meta", "true") == "true"
    last, coded = None, Coder(version)
    with contextlib.suppress(OSError):
        if given.get("send_device_meta", "true") == "true":
            pipe.write(b"Simulated Phone".ljust(64, b"\0"))
        if meta:
            sides = (shown.size.width, shown.size.height)
            pipe.write(struct.pack(">I", H264))
            pipe.write(struct.pack(">III", 1 << 31, *sides) if version >= "4" else struct.pack(">II", *sides))
        ended.wait(shown.mirroring.late)
        while not ended.wait(LOOKING):
            if shows_nothing(shown):  # nothing is drawn, so there is no picture at all
                continue
            picture = shown.frame()
            if picture is not last or shown.mirroring.refresh.is_set():
                if shown.mirroring.refresh.is_set():
                    shown.mirroring.refresh.clear()
                    coded = Coder(version)
                last = picture
                pipe.write(coded.packets(picture.convert("RGB")))


class Coder:
    """Makes H.264 of pictures, and puts the head of scrcpy before each piece."""

    def __init__(self, version: str) -> None:
        self._config, self._key = (1 << 62, 1 << 61) if version >= "4" else (1 << 63, 1 << 62)
        self._sides = (0, 0)
        self._count = 0

    def packets(self, picture: object) -> bytes:
        """A picture as the host gets it."""
        from av import CodecContext, VideoFrame

        frame = VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]
        sides = (frame.width, frame.height)
        if sides != self._sides:
            self._sides = sides
            self._codec = CodecContext.create("libx264", "w")
            self._codec.width, self._codec.height = sides
            self._codec.pix_fmt, self._codec.framerate = "yuv420p", 30  # type: ignore[assignment]
            self._codec.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": "16"}
        frame.pts = self._count
        self._count += 1
        written = b""
        for packet in self._codec.encode(frame.reformat(format="yuv420p")):
            data = bytes(packet)
            first = re.search(rb"\x00?\x00\x00\x01[\x65\x25\x45\x05]", data) if packet.is_keyframe else None
            if first and first.start():  # Android sends the head of the stream as a piece of its own
                head, data = data[: first.start()], data[first.start() :]
                written += struct.pack(">QI", self._config, len(head)) + head
            flags = self._key if packet.is_keyframe else 0
            written += struct.pack(">QI", flags | self._count * 33_000, len(data)) + data
        return written


def _obey(shown: SimulatedPhone, pipe: Pipe) -> None:
    """Carry out what the host sends."""
    fingers: dict[int, tuple[Point, Point, float]] = {}
    lifted: list[tuple[Point, Point]] = []
    with contextlib.suppress(OSError, struct.error):
        while kind := pipe.read(1):
            if kind == b"\x02":
                what, finger, x, y, wide, high, *_ = FINGER.unpack(pipe.read(FINGER.size))
                shown.log.append(["finger", str(what), str(x), str(y)])
                if (wide, high) != (shown.area.width, shown.area.height):
                    continue  # made for a picture of another size
                start, _, since = fingers.get(finger, (Point(x, y), Point(x, y), time.monotonic()))
                fingers[finger] = (start, Point(x, y), since)
                if what == 1:
                    lifted.append(fingers.pop(finger)[:2])
                    if not fingers:
                        _finish_gesture(shown, lifted, time.monotonic() - since >= HELD)
                        lifted = []
            elif kind == b"\x0b":
                shown.rotation = (shown.rotation + 1) % 2 if shown.front.turns else shown.rotation
            elif kind == b"\x11":
                shown.mirroring.refresh.set()
            elif kind == b"\x00":
                what, code, _repeat, _meta = struct.unpack(">Biii", pipe.read(13))
                if what == 0:
                    from guiagent_eval.phone.commands import key

                    key(shown, str(code))
            elif kind == b"\x01":
                (length,) = struct.unpack(">i", pipe.read(4))
                shown.type(pipe.read(length).decode())
            else:
                return


def _finish_gesture(shown: SimulatedPhone, fingers: list[tuple[Point, Point]], held: bool) -> None:
    """What fingers meant, now that all are lifted."""
    if len(fingers) == 2:
        (one, one_end), (other, other_end) = fingers
        before, after = (abs(a.x - b.x) + abs(a.y - b.y) for a, b in ((one, other), (one_end, other_end)))
        shown.pinch(after / max(1, before))
    elif fingers[0][0] == fingers[0][1]:
        shown.tap(fingers[0][0], held=held)
    else:
        shown.swipe(*fingers[0])
