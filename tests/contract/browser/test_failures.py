"""What can go wrong is told in one line that says what to do."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.launch import find_executable
from gui_agent.core.actions import Click, Navigate, Press
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Point


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://no-such-host.invalid/", "no host of this name"),
        ("http://127.0.0.1:{port}/", "no server listens"),
        ("/no/such/file.html", "no such file"),
        ("file:///no/such/file.html", "no such file"),
        ("not an address", "no address, and there is no such file"),
        ("http://", "address"),
    ],
)
def test_an_address_that_cannot_be_opened(desk: Any, url: str, words: str) -> None:
    for way in (desk.computer.start, lambda where: desk.computer.perform(Navigate(where))):
        with pytest.raises(ActionFailed, match=words) as raised:
            way(url.format(port=free_port()))
        assert "\n" not in str(raised.value)


def test_a_page_that_never_loads(own_desk: Any) -> None:
    desk = own_desk(navigation_timeout=4.0)
    with pytest.raises(ActionFailed, match=r"did not load within 4 s; .*navigation_timeout"):
        desk.computer.start(f"{desk.address}/never")
    desk.open("second.html")
    assert desk.seen.place.title == "Second tab"


def test_about_blank_and_files_open(desk: Any, tmp_path: Path) -> None:
    desk.computer.start("about:blank")
    assert desk.look().place.url == "about:blank"
    page = tmp_path / "a page.html"
    page.write_text("<title>Own file</title>")
    desk.computer.start(str(page))
    assert desk.look().place.title == "Own file"


def test_a_crashed_page_is_lost_and_can_be_replaced(own_desk: Any) -> None:
    desk = own_desk()
    desk.open("second.html")
    with contextlib.suppress(ActionFailed, ComputerLost):
        desk.computer.start("chrome://crash")
    with pytest.raises(ComputerLost, match="crashed") as raised:
        desk.look()
    assert "\n" not in str(raised.value)
    with pytest.raises(ComputerLost, match="crashed"):
        desk.computer.perform(Press(("enter",)))
    desk.open("second.html")
    assert desk.seen.place.title == "Second tab"


def test_a_browser_that_is_killed_is_lost(own_desk: Any) -> None:
    desk = own_desk()
    desk.open("second.html")
    for process in browser_processes(os.getpid()):
        os.kill(process, 9)
    end = time.monotonic() + 60
    with pytest.raises(ComputerLost) as raised:
        while time.monotonic() < end:
            desk.look()
    assert "\n" not in str(raised.value)
    with pytest.raises(ComputerLost):
        desk.computer.perform(Click(Point(1, 1)))
    with pytest.raises(ComputerLost):
        desk.computer.settle()


def browser_processes(parent: int) -> list[int]:
    """The browser that the newest driver under this process has started."""
    children: dict[int, list[tuple[int, int]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append((int(fields[19]), int(entry.name)))
    _, driver = max(children.get(parent, []))
    return [process for _, process in children.get(driver, [])]


def test_a_script_that_never_ends_does_not_hang_the_caller(
    own_desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = own_desk()
    desk.open("second.html")
    monkeypatch.setattr("gui_agent.computers.browser.computer.ANSWERING", 1.5)
    desk.js("setTimeout(() => { for (;;); }, 0)")
    began = time.monotonic()
    with pytest.raises(ComputerLost, match="did not answer within"):
        desk.look()
    desk.computer.close()
    assert time.monotonic() - began < 60


def test_a_browser_that_does_not_exist_is_a_setting_to_fix() -> None:
    with pytest.raises(ConfigError, match="executable"):
        BrowserComputer(executable="no-such-browser")


def test_a_browser_whose_requests_cannot_be_judged_is_refused_before_it_starts() -> None:
    with pytest.raises(ConfigError, match=r"firefox-esr is no Chromium: .* what a form sends"):
        find_executable("/usr/bin/firefox-esr", "")


def test_no_browser_at_all_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="apt-get install -y chromium"):
        find_executable("", "/no/such/bundled/browser")


def test_without_a_window_the_browser_that_needs_none_is_preferred(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("chromium", "chromium-headless-shell"):
        (tmp_path / name).touch(0o755)
    bundled = tmp_path / "ms-playwright/chromium-1/chrome-linux/chrome"
    shell = tmp_path / "ms-playwright/chromium_headless_shell-1/shell-linux/chrome-headless-shell"
    for file in (bundled, shell):
        file.parent.mkdir(parents=True)
        file.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("gui_agent.computers.browser.launch.SHELLS", ("chromium-headless-shell",))
    assert find_executable("", str(bundled)) == str(tmp_path / "chromium")
    assert find_executable("", str(bundled), windowless=True) == str(tmp_path / "chromium-headless-shell")
    monkeypatch.setenv("PATH", "")
    assert find_executable("", str(bundled)) == str(bundled)
    assert find_executable("", str(bundled), windowless=True) == str(shell)


def test_nobody_to_attach_to() -> None:
    with pytest.raises(ConfigError, match="--remote-debugging-port"):
        BrowserComputer(attach=f"http://127.0.0.1:{free_port()}")


def test_a_closed_computer_says_so(own_desk: Any) -> None:
    desk = own_desk()
    desk.computer.close()
    desk.computer.close()
    for use in (desk.look, desk.computer.settle, lambda: desk.computer.start("about:blank")):
        with pytest.raises(ComputerLost, match="closed"):
            use()
