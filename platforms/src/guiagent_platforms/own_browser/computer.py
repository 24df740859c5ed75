"""The person's own open browser as a computer: `--on own-browser` uses the one tab that they lend."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import click

from gui_agent.computers.browser.cdp.sender import errors
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.actions import Action
from gui_agent.core.errors import ActionFailed, ComputerLost, GuiAgentError
from gui_agent.core.observation import Element
from gui_agent.core.texts import shorten
from guiagent_platforms.own_browser.relay import EXTENSION, TabRelay

if TYPE_CHECKING:
    from gui_agent.computers.browser.controller import Browsing


class OwnBrowserComputer(BrowserComputer):
    """One tab of a browser that is open and signed in, by the consent of the person in front of it.

    The person lends it with the extension and may end that at any time. Other tabs, cookies and the browser
    itself are out of reach.
    """

    def __init__(
        self,
        url: str = "",
        *,
        wait: float = 180.0,
        cap: int = 400,
        navigation_timeout: float = 30.0,
        settle_cap: float = 3.0,
        observe: Literal["auto", "tree", "vision"] = "auto",
        tell_code: Callable[[str], None] | None = None,
    ) -> None:
        """Tell a code, wait until the person has lent a tab with it, and open `url` there.

        Args:
            url: empty to start with the page that is open there.
            wait: most seconds to wait for the tab.
            cap: maximum elements of an observation.
            navigation_timeout: seconds for a page to load.
            settle_cap: maximum seconds to wait for a page that does not come to rest.
            observe: see `BrowserComputer`.
            tell_code: called with the code for the extension; prints it to the terminal by default.

        Raises:
            ComputerLost: no tab was lent in time.
        """
        self._wanted = self._gone = ""
        self._relay = TabRelay(self._lose)
        try:
            (tell_code or _print_code)(self._relay.code)
            self._relay.wait_for_tab(wait)
            super().__init__(
                url,
                attach=self._relay.address,
                cap=cap,
                navigation_timeout=navigation_timeout,
                settle_cap=settle_cap,
                observe=observe,
            )
            self.on_loop(self._hear_new_tabs)
        except BaseException as error:
            self._relay.close()
            if self._gone and isinstance(error, GuiAgentError):
                raise ComputerLost(self._gone) from error
            raise

    def close(self) -> None:
        """Give the tab back; it stays open as it is."""
        super().close()
        self._relay.close()

    def perform(self, action: Action, expected: Element | None = None) -> None:
        super().perform(action, expected)
        if wanted := self.on_loop(self._take_wanted):
            raise ActionFailed(f"the page wanted to open {wanted} in a new tab, which is not lent; go to it")

    async def _take_wanted(self, browsing: Browsing) -> str:
        """The address that the page has wanted to open in a new tab since the last action, if any.

        The extension has kept it from loading, and has closed that tab.
        """
        tab = browsing.session.current
        if tab.dialog is None:
            with suppress(ComputerLost, errors()):
                await tab.cdp.send("Runtime.evaluate", {"expression": "0"})  # a form is sent after its click
        wanted, self._wanted = self._wanted, ""
        tab.popup_at = 0.0 if wanted else tab.popup_at  # nothing is to be waited for
        return shorten(wanted, 80)

    async def _hear_new_tabs(self, browsing: Browsing) -> None:
        browsing.session.current.cdp.listen("Page.windowOpen", self._note_wanted)

    def _note_wanted(self, event: dict[str, str]) -> None:
        self._wanted = event["url"]

    def _lose(self, reason: str) -> None:
        self._gone = f"the lent tab is gone: {reason}; start again and lend it once more"
        if self._session is not None and not self._session.lost:
            self._session.lost = self._gone


def _print_code(code: str) -> None:
    click.echo(
        f"To lend a tab of your browser to this run, click guiagent's button there and paste\n  {code}\n"
        f"(No button? Open chrome://extensions, switch on Developer mode, Load unpacked: {EXTENSION})",
        err=True,
    )
