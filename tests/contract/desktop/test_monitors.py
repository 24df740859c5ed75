"""Several monitors, arranged by RandR on a private display: other sizes, gaps, one left of the main one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from private import needs, until
from Xlib import Xatom, display

from gui_agent.cli.screen_check import X11Target, _monitors
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.computer import X11Computer
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Point, Size
from gui_agent.testing.contract import check_computer

MAIN, LEFT, BELOW = Box(640, 0, 960, 600), Box(0, 120, 640, 400), Box(700, 600, 500, 300)


def arrange(name: str, *monitors: Box) -> None:
    """Let these be the monitors of a display, the first one the main one, to which its output belongs."""
    for number, box in enumerate(monitors):
        shape = f"{box.width}/300x{box.height}/200+{box.left}+{box.top}"
        command = ["xrandr", "-d", name, "--setmonitor", f"{'' if number else '*'}M{number}", shape]
        output = "none" if number else "screen"
        subprocess.run([*command, output], check=True, capture_output=True, timeout=20)


@pytest.fixture
def screen() -> Iterator[PrivateDisplay]:
    needs("Xvfb", "openbox", "dbus-daemon", "xrandr")
    with PrivateDisplay(Size(1600, 900), home="fresh") as private:
        device = X11Device(private.running.display, KeptLauncher(private.running), wait=10)
        device.wait_for_manager(10)
        device.close()
        arrange(private.running.display, MAIN, LEFT, BELOW)
        yield private


def computer(screen: PrivateDisplay, monitor: int) -> X11Computer:
    return X11Computer(
        display=screen.running.display,
        session=screen.running.bus,
        panic_key="",
        corner_stop=False,
        observe="tree",
        monitor=monitor,
    )


def test_each_monitor_is_known_and_clicks_arrive_on_all_of_them(screen: PrivateDisplay) -> None:
    with computer(screen, 0) as whole:
        found = tuple(getattr(whole.device, "monitors"))  # noqa: B009
        assert set(found) == {MAIN, LEFT, BELOW}
        told = list(_monitors(whole.device, lambda one: X11Target(screen.running.display, one)))
    assert [finding.state for finding in told] == ["ok"] * 3, told


@pytest.mark.parametrize("place", [MAIN, LEFT, BELOW])
def test_one_monitor_is_the_whole_screen(screen: PrivateDisplay, place: Box) -> None:
    with computer(screen, 0) as whole:
        number = list(getattr(whole.device, "monitors")).index(place) + 1  # noqa: B009
    target = X11Target(screen.running.display, place)
    try:
        with computer(screen, number) as one:
            assert one.device.size == Size(place.width, place.height)
            target.draw(place.center)
            assert one.device.grab().getpixel((place.width // 2, place.height // 2)) == (0xE0, 0x10, 0xC8)
            assert len(one.device.pixels()) == 4 * place.area
            one.device.move(Point(30, 40))
            one.device.press_button("left")
            one.device.release_button("left")
            assert target.arrival() == Point(place.left + 30, place.top + 40)
            assert one.device.pointer == Point(30, 40)
            assert one.observe().size == Size(place.width, place.height)
    finally:
        target.close()


def test_windows_of_other_monitors_are_not_listed(screen: PrivateDisplay) -> None:
    connection = display.Display(screen.running.display)
    root = connection.screen().root
    window = root.create_window(700, 50, 300, 200, 0, connection.screen().root_depth, background_pixel=255)
    window.change_property(connection.intern_atom("WM_NAME"), Xatom.STRING, 8, b"On the main one")
    window.set_wm_class("thing", "thing")
    window.set_wm_normal_hints(flags=1, min_width=0, min_height=0, max_width=0, max_height=0)
    window.map()
    connection.sync()
    try:
        with computer(screen, 0) as whole:
            there = list(getattr(whole.device, "monitors"))  # noqa: B009
            listed = lambda: [one for one in whole.device.windows() if one.title == "On the main one"]  # noqa: E731
            until(lambda: bool(listed()), "the window is listed")
            (seen,) = listed()
        with computer(screen, there.index(MAIN) + 1) as main:
            (inside,) = [one for one in main.device.windows() if one.title == "On the main one"]
            assert (inside.box.left, inside.box.top) == (seen.box.left - MAIN.left, seen.box.top - MAIN.top)
            assert [one.name for one in main.observe().elements] == ["On the main one"]
        with computer(screen, there.index(BELOW) + 1) as below:
            assert below.observe().elements == ()
    finally:
        connection.close()


def test_a_monitor_that_is_not_there_is_an_error_that_names_those_that_are(screen: PrivateDisplay) -> None:
    with pytest.raises(ConfigError, match=r"no monitor 4; give one of: 1 \(\d+ x \d+ at"):
        computer(screen, 4)


@pytest.mark.nightly
def test_one_monitor_keeps_the_promises_of_a_computer(screen: PrivateDisplay) -> None:
    needs("mousepad")

    def made() -> X11Computer:
        one = computer(screen, 0)
        number = list(getattr(one.device, "monitors")).index(MAIN) + 1  # noqa: B009
        one.close()
        return computer(screen, number)

    device = X11Device(screen.running.display, KeptLauncher(screen.running), wait=10)
    device.wait_for_manager(10)
    device.launch("mousepad")
    until(device.windows, "a window of the editor")
    device.close()
    check_computer(made)
