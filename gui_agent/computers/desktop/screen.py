"""Pictures of a screen by mss, which has the quickest way of each platform."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gui_agent.core.errors import ComputerLost, MissingExtra
from gui_agent.core.geometry import Box, Size

if TYPE_CHECKING:
    from PIL.Image import Image


class ScreenCapture:
    """All monitors of one display as one picture; may be used from any thread.

    The picture's first pixel is the top left corner of the union of all monitors, which on Windows and macOS
    may lie at negative coordinates (`left`, `top`).
    """

    def __init__(self, display: str = "") -> None:
        """Args: display: which X display; empty for that of the environment, and on other platforms."""
        self._display = display
        self._lock = threading.RLock()
        self._mss: Any = None
        self._closed = False
        with self._translate_errors():
            self._open()
        assert self.monitors

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the picture."""
        with self._translate_errors():
            whole, *single = self._mss.monitors
            return tuple(
                Box(one["left"] - whole["left"], one["top"] - whole["top"], one["width"], one["height"])
                for one in single or [whole]
            )

    @property
    def corner(self) -> tuple[int, int]:
        """Where the picture begins in the coordinates of the platform."""
        with self._translate_errors():
            whole = self._mss.monitors[0]
            return whole["left"], whole["top"]

    @property
    def size(self) -> Size:
        """The size of the whole picture."""
        with self._translate_errors():
            whole = self._mss.monitors[0]
            return Size(whole["width"], whole["height"])

    def grab(self, box: Box | None = None) -> Image:
        from PIL import Image

        with self._translate_errors():
            shot = self._mss.grab(self._area(box))
            return Image.frombuffer("RGB", (shot.width, shot.height), shot.raw, "raw", "BGRX", 0, 1)

    def pixels(self) -> bytearray:
        """The screen as four bytes per pixel (blue, green, red, unused), row by row."""
        with self._translate_errors():
            raw: bytearray = self._mss.grab(self._area(None)).raw
            return raw

    def changed(self) -> None:
        """Take note that the screen may have another size now."""
        with self._translate_errors():
            self._mss.close()
            self._open()

    def close(self) -> None:
        """Let go of the screen; safe to call twice."""
        with self._lock, contextlib.suppress(Exception):
            self._closed = True
            if self._mss is not None:
                self._mss.close()

    def _open(self) -> None:
        try:
            import mss
        except ImportError as error:
            raise MissingExtra("desktop", "a picture of the screen") from error
        self._mss = mss.MSS(display=self._display) if self._display else mss.MSS()

    def _area(self, box: Box | None) -> dict[str, int]:
        whole: dict[str, int] = self._mss.monitors[0]
        if box is None:
            return whole
        corner = {"left": whole["left"] + box.left, "top": whole["top"] + box.top}
        return corner | {"width": box.width, "height": box.height}

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ComputerLost("the screen is closed; open a new one")
            try:
                yield
            except MissingExtra:
                raise
            except Exception as error:
                name = f"the screen {self._display}".rstrip()
                raise ComputerLost(f"{name} gives no picture: {error}".partition("\n")[0]) from error
