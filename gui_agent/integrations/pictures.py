"""The screen of a computer as a picture, for views that show it while a run goes on."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.browser import BrowserComputer
    from gui_agent.computers.browser.controller import Browsing
    from gui_agent.core.observation import Screenshot
    from gui_agent.core.protocols import Computer

BETWEEN = 0.3
"""Seconds between two pictures of a page at least."""
PATIENCE = 2.0
"""Seconds for a page to give a picture."""


def grabber(computer: Computer) -> Callable[[], Image]:
    """What takes a picture of this computer's screen, from any thread.

    Raises:
        ConfigError: this kind of computer shows none.
    """
    from gui_agent.computers.browser import BrowserComputer
    from gui_agent.computers.desktop.computer import DesktopComputer

    if isinstance(computer, BrowserComputer):
        return PagePicture(computer)
    if isinstance(computer, DesktopComputer):
        return computer.device.grab
    from gui_agent.computers.android.computer import AndroidComputer

    if isinstance(computer, AndroidComputer):
        return computer.grab
    raise ConfigError(f"a {computer.platform} shows no picture")


class PagePicture:
    """The page that a browser shows, taken at most so often that the run is not slowed down."""

    def __init__(self, browser: BrowserComputer) -> None:
        self._browser = browser
        self._taken: tuple[float, Image] | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Image:
        """The picture; the last one while the page gives none."""
        with self._lock:
            if self._taken is None or time.monotonic() - self._taken[0] > BETWEEN:
                self._taken = (time.monotonic(), self._take() or self._last)
            return self._taken[1]

    @property
    def _last(self) -> Image:
        from PIL import Image

        return self._taken[1] if self._taken is not None else Image.new("RGB", (1280, 720), "white")

    def _take(self) -> Image | None:
        from PIL import Image

        try:
            shot = self._browser.on_loop(_screenshot, PATIENCE)
        except (ActionFailed, ComputerLost):
            return None  # the page did not answer in time; the run itself finds out when the browser is gone
        return None if shot is None else Image.open(io.BytesIO(shot.data)).convert("RGB")


async def _screenshot(browsing: Browsing) -> Screenshot | None:
    from gui_agent.computers.browser.cdp.sender import translated
    from gui_agent.computers.browser.look.preview import capture

    if browsing.session.dialog is not None:
        return browsing.dialog_observation(True).screenshot
    with translated("the page cannot be seen"):
        tab = await browsing.session.standing()
        return await capture(tab.line, "jpeg")
