"""The direct line to a page: the same input and answers as through the driver, which stands behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from guiagent_eval.app_server import free_ports
from guiagent_eval.page_computer import CdpConnection, PageComputer

from gui_agent.computers.browser.cdp.sender import value_of
from gui_agent.computers.browser.controller import Browsing
from gui_agent.core.actions import Choose, Click, Navigate
from gui_agent.core.errors import ActionFailed


def is_direct(computer: PageComputer) -> bool:
    """Whether messages to the page pass by the driver's session."""

    async def passes(browsing: Browsing) -> bool:
        return computer.line is not browsing.session.current.cdp

    return computer.on_loop(passes)


@pytest.fixture
def direct(own_desk: Callable[..., Any]) -> Any:
    desk = own_desk(direct=True)
    assert is_direct(desk.computer)
    return desk


def test_input_over_the_line_is_real(direct: Any) -> None:
    direct.open("forms.html")
    direct.type("Name", "Ada Lovelace, 36!")
    assert direct.js("keys.join('')") == "Ada Lovelace, 36!"
    direct.type("City", "Oslo", True)
    assert direct.value("city") == "Oslo"
    direct.use("Country", Choose, "Brazil")
    assert direct.value("country") == "Brazil"


def test_keys_held_during_a_click_reach_the_page(direct: Any) -> None:
    direct.open("forms.html")
    direct.js("window.told = []; onclick = (e) => told.push([e.ctrlKey, e.shiftKey, e.detail]); 0")
    direct.computer.perform(Click(direct.find("Name").box.center, clicks=2, modifiers=("ctrl", "shift")))
    assert direct.js("told") == [[True, True, 1], [True, True, 2]]


def test_the_line_outlives_a_change_of_the_document_and_of_the_tab(direct: Any) -> None:
    direct.open("forms.html")
    line = direct.computer.line
    direct.act(Navigate("about:blank"))
    assert direct.computer.line is line
    direct.act(Navigate(f"{direct.address}/forms.html", new_tab=True))
    assert is_direct(direct.computer)
    assert direct.computer.line is not line
    direct.type("Name", "Bo")
    assert direct.value("name") == "Bo"


def test_long_messages_pass_in_both_directions(direct: Any) -> None:
    text = "é" * 300_000
    assert direct.computer.call(lambda page: value_of(direct.computer.line, f"'{text}' + 1")) == text + "1"


def test_a_fault_in_the_page_is_told(direct: Any) -> None:
    with pytest.raises(ActionFailed, match="nothing_here is not defined"):
        direct.computer.call(lambda page: value_of(direct.computer.line, "nothing_here"))


def test_a_closed_page_ends_its_line(direct: Any) -> None:
    direct.open("forms.html")
    direct.act(Navigate("about:blank", new_tab=True))
    line = direct.computer.line

    async def after_its_end(page: Any) -> Any:
        await page.close()
        return await value_of(line, "1")

    with pytest.raises(Exception, match="closed"):
        direct.computer.call(after_its_end)


def test_events_are_heard_until_nobody_listens(direct: Any) -> None:
    line, heard = direct.computer.line, []

    async def hear(page: Any) -> None:
        line.listen("Runtime.consoleAPICalled", heard.append)
        await line.send("Runtime.enable")
        await value_of(line, "console.log('one')")
        line.remove_listener("Runtime.consoleAPICalled", heard.append)
        await value_of(line, "console.log('two')")

    direct.computer.call(hear)
    assert [call["args"][0]["value"] for call in heard] == ["one"]


def test_where_nobody_listens_there_is_no_line(shared_browser: tuple[PageComputer, Any]) -> None:
    computer, _ = shared_browser
    assert computer.call(lambda page: CdpConnection.open(free_ports()[0], "A" * 32)) is None
    assert not is_direct(computer)
