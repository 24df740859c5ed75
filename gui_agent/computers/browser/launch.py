"""Starts a browser or attaches to a running one, as the only module that starts Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser._har import HarFile
from gui_agent.computers.browser._opened import Opened, kept_login
from gui_agent.computers.browser.cdp.sender import errors, first_line
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.observation import Size
from gui_agent.core.os_errors import user_path
from gui_agent.core.redaction import public_variables

if TYPE_CHECKING:
    from playwright.async_api import Playwright

# Debian's command is a wrapper script: killing it would leave the browser running.
SHELLS = ("/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell")
EXECUTABLES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "chrome",
)
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
OTHERS = ("firefox", "librewolf", "webkit", "epiphany", "safari")
"""Browsers whose drivers do not show the body of a request; see docs/decisions/034."""
NO_BODIES = "others do not show what a form sends, so the guard could not judge it"
NOT_INSTALLED = (
    "no browser was found; install one with `sudo apt-get install -y chromium` or "
    "`python -m playwright install chromium`, or give the setting computer.options.executable"
)


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start or reach the browser."""

    headless: bool
    size: Size
    """Size of the page, in screenshot pixels at scale 1."""
    scale: float
    zoom: float
    locale: str
    timezone: str
    profile: str
    attach: str
    executable: str
    arguments: tuple[str, ...]
    login: str = ""
    har: HarFile | None = None

    @property
    def is_emulated(self) -> bool:
        """Whether size and density of the page are emulated; a headed browser follows its window instead."""
        return self.headless or self.scale != 1.0 or self.zoom != 1.0

    def flags(self) -> list[str]:
        """The browser's command line: no first-run pages, no sandbox for root."""
        # Otherwise, sites share a process in headless mode: one that hangs would stop the others.
        flags = ["--disable-smooth-scrolling", "--no-first-run", "--site-per-process"]
        if sys.platform == "linux" and os.geteuid() == 0:
            flags.append("--no-sandbox")
        if not self.is_emulated:
            flags.append(f"--window-size={self.size.width},{self.size.height + 90}")
        return [*flags, *self.arguments]

    def context(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "accept_downloads": True,
            "locale": self.locale or None,
            "timezone_id": self.timezone or None,
        }
        if self.login:
            options["storage_state"] = kept_login(user_path(self.login))
        if self.har:
            options["record_har_path"] = self.har.raw
        if not self.is_emulated:
            return {**options, "no_viewport": True}
        return {**options, "viewport": self._viewport(), "device_scale_factor": self.scale * self.zoom}

    def metrics(self) -> dict[str, Any] | None:
        """Size and density for raw sessions, whose pictures would otherwise have one pixel per CSS pixel."""
        density = self.scale * self.zoom
        if not self.is_emulated or density == 1.0:
            return None
        return {**self._viewport(), "deviceScaleFactor": density, "mobile": False}

    def _viewport(self) -> dict[str, int]:
        # A zoomed page has fewer, larger CSS pixels on the same screen.
        return {"width": round(self.size.width / self.zoom), "height": round(self.size.height / self.zoom)}


def find_executable(given: str, bundled: str, *, windowless: bool = False) -> str:
    """The browser to start: the given one, one on the system, or the one that Playwright installed.

    `windowless` prefers a headless build, which starts in less than half of the time.
    """
    if any(other in Path(given).name.lower() for other in OTHERS):
        raise ConfigError(f"{given} is no Chromium: guiagent drives Chromium, Chrome and Edge; {NO_BODIES}")
    if given:
        if found := shutil.which(given):
            return found
        raise ConfigError(f"there is no browser {given!r}; correct computer.options.executable or empty it")
    on_path = map(shutil.which, (*(SHELLS if windowless else ()), *EXECUTABLES))
    shells: list[Path] = []
    for installed in Path(bundled).parents[2:3] if windowless else ():
        shells += installed.glob("chromium_headless_shell-*/*/*headless*")
    candidates: tuple[str | None, ...] = (*on_path, *ELSEWHERE, *map(str, shells), bundled)
    if there := next((one for one in candidates if one and Path(one).is_file()), None):
        return there
    raise ConfigError(NOT_INSTALLED)


_STARTING: dict[LoopThread, Future[Playwright]] = {}


def start_driver() -> None:
    """Start a driver in the background for the next browser, unless one waits for it already."""
    if not _STARTING:
        with contextlib.suppress(ImportError):  # told where the browser is opened
            # Not in its thread, which would compete with this one's imports.
            import playwright.async_api  # noqa: F401
        thread = LoopThread("gui_agent.browser")
        _STARTING[thread] = asyncio.run_coroutine_threadsafe(_start_driver(), thread.loop)


def take_driver() -> tuple[LoopThread, Future[Playwright] | None]:
    """The thread for a browser, and the driver that was started in it, if one was."""
    return _STARTING.popitem() if _STARTING else (LoopThread("gui_agent.browser"), None)


async def open_browser(launch: Launch, driver: Future[Playwright] | None = None) -> Opened:
    """Start a browser, or attach to a running one; `driver` was started for it on this event loop."""
    playwright = await (asyncio.wrap_future(driver) if driver is not None else _start_driver())
    try:
        return await _open(playwright, launch)
    except GuiAgentError:
        await playwright.stop()
        raise
    except errors() as error:
        await playwright.stop()
        raise ConfigError(_why_not(launch, error)) from error


async def _start_driver() -> Playwright:
    try:
        from playwright.async_api import async_playwright
    except ImportError as error:
        wanted = "driving a browser needs Playwright: python -m pip install playwright"
        raise ConfigError(wanted) from error
    with _clean_driver():
        try:
            return await async_playwright().start()
        except Exception as error:  # the driver ended at its start, for which Playwright has no class
            raise ConfigError("the browser driver does not start; guiagent doctor says why") from error


@contextlib.contextmanager
def _clean_driver() -> Iterator[None]:
    """Start the driver, and so the browser, without secrets in the environment; it has no option for this."""
    given = "get_driver_env"
    # A copy in one piece, because other threads import meanwhile.
    loaded = [module for name, module in sys.modules.copy().items() if name.startswith("playwright._impl")]
    users = [(module, copied) for module in loaded if (copied := getattr(module, given, None))]
    for module, copied in users:
        setattr(module, given, lambda copied=copied: public_variables(copied()))
    try:
        yield
    finally:
        for module, copied in users:
            setattr(module, given, copied)


async def _open(playwright: Playwright, launch: Launch) -> Opened:
    chromium = playwright.chromium
    if launch.login and (launch.attach or launch.profile):
        raise ConfigError("a stored login needs a browser of its own: leave out attach and profile")
    if launch.attach and launch.har:
        raise ConfigError("a network record needs a browser of its own: leave out attach")
    if launch.attach:
        theirs = await chromium.connect_over_cdp(launch.attach, timeout=10_000)
        context = theirs.contexts[0] if theirs.contexts else await theirs.new_context()
        return Opened(playwright, theirs, context)
    # A profile made by a headed browser continues in the same browser.
    windowless = launch.headless and not launch.profile
    executable = find_executable(launch.executable, chromium.executable_path, windowless=windowless)
    starting: dict[str, Any] = {
        "executable_path": executable,
        "headless": launch.headless,
        "args": launch.flags(),
        # Ctrl+C reaches every process of the terminal; the driver must not close the browser on its own.
        "handle_sigint": False,
        "timeout": 30_000,
    }
    given = launch.context()
    if launch.profile:
        browser = None
        context = await chromium.launch_persistent_context(user_path(launch.profile), **starting, **given)
    else:
        browser = await chromium.launch(**starting)
        context = await browser.new_context(**given)
    login = user_path(launch.login) if launch.login else None
    return Opened(
        playwright, browser, context, launch.metrics(), unseen=launch.headless, login=login, har=launch.har
    )


def _why_not(launch: Launch, error: Exception) -> str:
    text = str(error)
    if launch.attach:
        return (
            f"no browser answers at {launch.attach}; start one with --remote-debugging-port=9222 "
            "and attach to http://127.0.0.1:9222"
        )
    if "ProcessSingleton" in text or "already in use" in text or "existing browser session" in text:
        return (
            f"the profile {launch.profile} is in use by another browser; close that or choose another folder"
        )
    if "DISPLAY" in text or "X server" in text:
        return "a headed browser needs a display; set headless = true or start one with xvfb-run"
    other = "try computer.options.headless = true or another computer.options.executable"
    return f"the browser did not start: {first_line(error)}; {other}"
