"""Starting a browser, or attaching to a running one; the one place that starts Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.cdp.sender import errors, first_line
from gui_agent.computers.browser.har import HarFile
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.observation import Size
from gui_agent.core.os_errors import private_folder, replace_file, user_path, why
from gui_agent.core.redaction import public_variables

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright

# Debian's command is a script that stays between: what kills it would leave the browser.
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
NOT_INSTALLED = (
    "no browser was found; install one with `sudo apt-get install -y chromium` or "
    "`python -m playwright install chromium`, or give the setting computer.options.executable"
)
KEEPING = 10.0
"""Seconds to read what sites remember of the person."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Launch:
    """How the browser is started or reached."""

    headless: bool
    size: Size
    """Of the page, in screenshot pixels at scale 1."""
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
        """Whether the page's size and density are imposed; a headed browser follows its window instead."""
        return self.headless or self.scale != 1.0 or self.zoom != 1.0

    def flags(self) -> list[str]:
        """Command line of the browser: no first-run pages, no sandbox for root."""
        # Without a window sites share a process otherwise: one that hangs would stop the others.
        flags = ["--disable-smooth-scrolling", "--no-first-run", "--site-per-process"]
        if sys.platform == "linux" and os.geteuid() == 0:
            flags.append("--no-sandbox")
        if not self.is_emulated:
            flags.append(f"--window-size={self.size.width},{self.size.height + 90}")
        return [*flags, *self.arguments]

    def context(self) -> dict[str, Any]:
        options: dict[str, Any] = {"accept_downloads": True, "locale": self.locale or None}
        options["timezone_id"] = self.timezone or None
        if self.login:
            options["storage_state"] = _kept_login(user_path(self.login))
        options |= {"record_har_path": self.har.raw} if self.har is not None else {}
        if not self.is_emulated:
            return {**options, "no_viewport": True}
        return {**options, "viewport": self._viewport(), "device_scale_factor": self.scale * self.zoom}

    def metrics(self) -> dict[str, Any] | None:
        """Size and density for raw sessions, whose pictures would have one pixel per CSS pixel otherwise."""
        density = self.scale * self.zoom
        if not self.is_emulated or density == 1.0:
            return None
        return {**self._viewport(), "deviceScaleFactor": density, "mobile": False}

    def _viewport(self) -> dict[str, int]:
        # Zooming a page is the same as fewer, larger CSS pixels on the same screen.
        return {"width": round(self.size.width / self.zoom), "height": round(self.size.height / self.zoom)}


@dataclass(slots=True)
class Opened:
    """A running browser and the way to let go of it."""

    playwright: Playwright | None
    """The driver; None where it is somebody else's."""
    browser: Browser | None
    context: BrowserContext
    metrics: dict[str, Any] | None = None
    """Size and density that the driver imposes on pages; raw sessions have to be told when it is not 1."""
    page: Page | None = None
    """The only page that is to be used, of somebody else's browser."""
    unseen: bool = False
    """Whether nobody can answer what the browser itself asks: it has no window and was started here."""
    login: Path | None = None
    """The file that keeps what sites remember of the person; brought up to date at the end."""
    har: HarFile | None = None
    """What was sent and received; written when the context closes."""

    async def keep_login(self) -> None:
        """Write down what sites remember by now, as a site may renew a session with every visit."""
        if self.login is None:
            return
        try:
            state = await asyncio.wait_for(self.context.storage_state(indexed_db=True), KEEPING)
            private_folder(self.login.parent)
            replace_file(self.login, json.dumps(state).encode())
        except (TimeoutError, errors(), OSError) as error:
            _LOG.warning("the login in %s stays as it was: %s", self.login, first_line(error) or "too late")

    async def close(self) -> None:
        """Close the browser if it is ours, and end the driver, which kills a browser that does not close."""
        if self.playwright is None:
            return
        await self.keep_login()
        for closing in filter(None, (self.context if self.har else None, self.browser or self.context)):
            with contextlib.suppress(asyncio.TimeoutError, errors()):
                await asyncio.wait_for(closing.close(), KEEPING if closing is self.context else 4)
        if self.har is not None:
            self.har.finish()
        with contextlib.suppress(asyncio.TimeoutError, errors()):
            await asyncio.wait_for(self.playwright.stop(), 4)


def find_executable(given: str, bundled: str, *, windowless: bool = False) -> str:
    """The browser to start: the one given, one on the system, or the one that Playwright installed.

    `windowless` prefers one that is made for no window: it starts in less than half of the time.
    """
    if given and not (found := shutil.which(given)):
        raise ConfigError(f"there is no browser {given!r}; correct computer.options.executable or empty it")
    if given:
        return str(found)
    on_path = [shutil.which(name) for name in (*(SHELLS if windowless else ()), *EXECUTABLES)]
    installed = Path(bundled).parents[2:3] if windowless else ()
    shells = [str(file) for root in installed for file in root.glob("chromium_headless_shell-*/*/*headless*")]
    candidates: tuple[str | None, ...] = (*on_path, *ELSEWHERE, *shells, bundled)
    if there := next((one for one in candidates if one and Path(one).is_file()), None):
        return there
    raise ConfigError(NOT_INSTALLED)


async def open_browser(launch: Launch) -> Opened:
    """Start a browser, or attach to a running one."""
    try:
        from playwright.async_api import async_playwright
    except ImportError as error:
        wanted = "driving a browser needs Playwright: python -m pip install playwright"
        raise ConfigError(wanted) from error
    with _clean_driver():
        playwright = await async_playwright().start()
    try:
        return await _open(playwright, launch)
    except GuiAgentError:
        await playwright.stop()
        raise
    except errors() as error:
        await playwright.stop()
        raise ConfigError(_why_not(launch, error)) from error


@contextlib.contextmanager
def _clean_driver() -> Iterator[None]:
    """Start the driver, and with it the browser, without what is secret: it has no option for this."""
    given = "get_driver_env"
    loaded = [module for name, module in sys.modules.items() if name.startswith("playwright._impl")]
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
        raise ConfigError("a kept login needs a browser of its own: leave out attach and profile")
    if launch.attach and launch.har is not None:
        raise ConfigError("a network record needs a browser of its own: leave out attach")
    if launch.attach:
        theirs = await chromium.connect_over_cdp(launch.attach, timeout=10_000)
        context = theirs.contexts[0] if theirs.contexts else await theirs.new_context()
        return Opened(playwright, theirs, context)
    # A profile may have been made with a window, and goes on in the same browser.
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
    browser = None if launch.profile else await chromium.launch(**starting)
    if browser is not None:
        context = await browser.new_context(**given)
    else:
        context = await chromium.launch_persistent_context(user_path(launch.profile), **starting, **given)
    login = user_path(launch.login) if launch.login else None
    return Opened(
        playwright, browser, context, launch.metrics(), unseen=launch.headless, login=login, har=launch.har
    )


def _kept_login(file: Path) -> dict[str, Any]:
    """What sites remember of a person, in the form of Playwright's storage state."""
    again = "log in again: guiagent login NAME --url ADDRESS"
    try:
        state = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"no login can be read from {file}: {why(error)}; {again}") from error
    except ValueError:
        state = None
    if not (isinstance(state, dict) and {"cookies", "origins"} <= state.keys()):
        raise ConfigError(f"{file} holds no login; {again}")
    return state


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
