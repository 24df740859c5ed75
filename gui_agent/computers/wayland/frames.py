"""Pictures of monitors as PipeWire gives them, taken up by GStreamer in a process of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gui_agent.computers.wayland.portal import Stream
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.geometry import Box, Size

if TYPE_CHECKING:
    from PIL.Image import Image

BEGINNING = 15.0
"""Seconds within which the first picture must come."""
PROGRAM, PACKAGES = "gst-launch-1.0", "gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-pipewire"
LACKING = (
    f"pictures of a Wayland session need GStreamer with PipeWire; install with: apt-get install {PACKAGES}"
)


class FrameReader:
    """The newest picture of one monitor, four bytes per pixel."""

    def __init__(self, stream: Stream, pipewire: int) -> None:
        """Begin to take up pictures.

        Args:
            pipewire: the file number of the connection to PipeWire; it is closed here.
        """
        self.box = stream.box
        self._newest = bytearray()
        self._here = threading.Condition()
        self._over = False
        try:
            self._process = subprocess.Popen(
                _command(stream, pipewire),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(pipewire,),
            )
        except OSError as error:
            raise ConfigError(LACKING) from error
        finally:
            os.close(pipewire)
        self._thread = threading.Thread(target=self._take, name="gui_agent.frames", daemon=True)
        self._thread.start()
        with self._here:
            came = self._here.wait_for(lambda: self._newest or self._over, BEGINNING)
        if not came or not self._newest:
            self.close()
            why = (self._process.stderr.read() if self._process.stderr else b"").decode("utf-8", "replace")
            if "pipewiresrc" in why:
                raise ConfigError(LACKING)
            raise ComputerLost(f"no picture of the screen came within {BEGINNING:g} s: {why.strip()[:200]}")

    def newest(self) -> bytearray:
        """The picture as it is now."""
        if self._over:
            raise ComputerLost("the desktop gives no more pictures; it stopped sharing the screen")
        return self._newest

    def close(self) -> None:
        """End the process; safe to call twice."""
        self._over = True
        self._process.kill()
        self._process.wait()

    def _take(self) -> None:
        """Read one picture after the other; a new one stands for the screen only when all of it is there."""
        assert self._process.stdout is not None
        size = self.box.width * self.box.height * 4
        with contextlib.suppress(OSError, ValueError):
            while True:
                # A new one each time: the last one is in the hands of whoever asked for it.
                frame, filled = bytearray(size), 0
                while filled < size:
                    got = self._process.stdout.readinto(memoryview(frame)[filled:])  # type: ignore[attr-defined]
                    if not got:
                        raise OSError("the process has ended")
                    filled += got
                with self._here:
                    self._newest = frame
                    self._here.notify_all()
        with self._here:
            self._over = True
            self._here.notify_all()


class MonitorPictures:
    """All monitors of a session as one picture; its first pixel is the top left corner of their union."""

    def __init__(self, streams: Sequence[Stream], pipewire: Callable[[], int]) -> None:
        """Args: pipewire: opens a connection to PipeWire and gives its file number, once for each stream."""
        ready()
        self.streams = tuple(streams)
        self.corner = min(one.box.left for one in streams), min(one.box.top for one in streams)
        self._readers: list[FrameReader] = []
        try:
            for stream in streams:
                self._readers.append(FrameReader(stream, pipewire()))
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> Size:
        return Size(max(one.right for one in self.monitors), max(one.bottom for one in self.monitors))

    @property
    def monitors(self) -> tuple[Box, ...]:
        left, top = self.corner
        boxes = (one.box for one in self.streams)
        return tuple(Box(box.left - left, box.top - top, box.width, box.height) for box in boxes)

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel (blue, green, red, unused), row by row."""
        if len(self._readers) == 1:
            return self._readers[0].newest()
        return self.grab().convert("RGBX").tobytes("raw", "BGRX")

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture; black where no monitor is."""
        from PIL import Image

        whole: Image.Image | None = None
        for reader, place in zip(self._readers, self.monitors, strict=True):
            size = place.width, place.height
            part = Image.frombuffer("RGB", size, bytes(reader.newest()), "raw", "BGRX", 0, 1)
            if len(self._readers) == 1:
                whole = part
            else:
                whole = whole or Image.new("RGB", (self.size.width, self.size.height))
                whole.paste(part, (place.left, place.top))
        assert whole is not None
        return whole if box is None else whole.crop((box.left, box.top, box.right, box.bottom))

    def close(self) -> None:
        """End the processes; safe to call twice."""
        for reader in self._readers:
            reader.close()


def ready() -> None:
    if shutil.which(PROGRAM) is None:
        raise ConfigError(LACKING)


def _command(stream: Stream, pipewire: int) -> list[str]:
    """What writes each picture in the size that the desktop counts in, as bytes and nothing else."""
    form = f"video/x-raw,format=BGRx,width={stream.box.width},height={stream.box.height}"
    source = ["pipewiresrc", f"fd={pipewire}", f"path={stream.node}", "always-copy=true"]
    steps = [source, ["videoconvert"], ["videoscale"]]
    steps += [[form], ["queue", "max-size-buffers=1", "leaky=downstream"], ["fdsink", "fd=1", "sync=false"]]
    return [PROGRAM, "-q", *(word for step in steps for word in (*step, "!"))][:-1]
