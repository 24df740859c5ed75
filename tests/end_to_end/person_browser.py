"""A person with an open browser that has the real extension, who lends tabs of it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from guiagent_platforms.own_browser.computer import OwnBrowserComputer
from guiagent_platforms.own_browser.relay import EXTENSION, extension_origin
from playwright.sync_api import BrowserContext, Page, Worker, sync_playwright

from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.core.observation import Size

FLAGS = Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ()).flags()


@dataclass
class PersonBrowser:
    """What the person does: open tabs, click the extension's button, look at its badge."""

    context: BrowserContext
    worker: Worker
    popups: list[Page] = field(default_factory=list)

    def open_tab(self, address: str) -> tuple[Page, int]:
        """A tab with this page, and Chrome's number of it."""
        page = self.context.new_page()
        page.goto(address)
        page.bring_to_front()
        number: int = self.worker.evaluate("async () => (await chrome.tabs.query({active: true}))[0].id")
        return page, number

    def popup(self, tab: int) -> Page:
        """The page behind the extension's button, as it is for this tab."""
        page = self.context.new_page()
        self.popups.append(page)
        page.goto(f"{extension_origin()}/popup.html?tab={tab}")
        return page

    def lend(self, tab: int, code: str) -> str:
        """Give the code for this tab; what the extension says to it."""
        page = self.popup(tab)
        page.fill("#code", code)
        page.click("text=Lend this tab")
        page.wait_for_selector("#said:not(:empty), #end:not([hidden])", state="attached")
        return page.inner_text("#said")

    def end(self, tab: int) -> None:
        page = self.popup(tab)
        page.click("text=End it")
        page.wait_for_selector("#lend:not([hidden])")

    def badge(self, tab: int) -> str:
        text: str = self.worker.evaluate("(tabId) => chrome.action.getBadgeText({tabId})", tab)
        return text

    @contextmanager
    def lent(self, tab: int, **options: Any) -> Iterator[OwnBrowserComputer]:
        """A computer that works in this tab, because the person lends it."""
        codes: Queue[str] = Queue()
        with ThreadPoolExecutor(1) as other:
            making = other.submit(OwnBrowserComputer, wait=30, tell_code=codes.put, **options)
            assert self.lend(tab, codes.get(timeout=30)) == ""
            with making.result() as computer:
                yield computer

    def close_tabs(self) -> None:
        """Leave one empty tab."""
        for page in self.context.pages[1:]:
            page.close()


@contextmanager
def person_browser(profile: Path) -> Iterator[PersonBrowser]:
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            profile,
            executable_path=find_executable("", ""),
            headless=False,  # the old headless mode has no extensions
            args=["--headless=new", *FLAGS, f"--load-extension={EXTENSION}"],
            ignore_default_args=["--disable-extensions"],
        )
        context.on("dialog", lambda _: None)  # the driver would answer what has no listener
        workers = context.service_workers
        yield PersonBrowser(context, workers[0] if workers else context.wait_for_event("serviceworker"))
        context.close()
