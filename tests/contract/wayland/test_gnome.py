"""A Wayland session by its real portals: dialog, pictures by PipeWire, input, and elements in place."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import gnome
import pytest
from guiagent_platforms.wayland.computer import WaylandComputer

from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.observation import Element

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
TEXT = "milk & Tea [2]"
OTHER = "né 你好 € žluť Привет"


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    if told := gnome.lacking():
        pytest.skip(told)
    with gnome.session(tmp_path_factory.mktemp("wayland") / "session") as made:
        yield made


@pytest.fixture
def computer(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[WaylandComputer]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DISPLAY", raising=False)
    bus = variables["DBUS_SESSION_BUS_ADDRESS"]
    with gnome.person(bus):
        made = WaylandComputer(session=bus, asking=60)
    with made:
        made.perform(Press(("shift",)))  # a session without a screen has no keyboard before the first key
        yield made


def shown(computer: WaylandComputer, role: str, name: str = "") -> Element:
    """An element, waited for: the machine may be busy."""
    until = time.monotonic() + 40
    while True:
        elements = computer.observe().elements
        found = [one for one in elements if one.role == role and name in ("", one.name.replace("’", "'"))]
        if found:
            return found[0]
        assert time.monotonic() < until, (role, name, [str(one) for one in elements])


def test_an_editor_is_used_through_the_portals_of_gnome(computer: WaylandComputer) -> None:
    assert (computer.device.size.width, computer.device.size.height) == (1024, 768)
    computer.start("mousepad")
    computer.settle()
    field = shown(computer, "textbox")
    assert field.source == "atspi" and field.box.width > 300
    computer.perform(TypeText(TEXT, field.box.center), field)
    computer.settle()
    assert shown(computer, "textbox").value == TEXT
    computer.device.type_text(OTHER)
    assert shown(computer, "textbox").value == TEXT + OTHER
    (window,) = computer.device.windows()
    assert window.active and window.app == "mousepad" and window.box.encloses(field.box)
    menu = shown(computer, "menuitem", "File")
    computer.perform(Click(menu.box.center), menu)
    computer.settle()
    quitting = next(one for one in computer.observe().elements if one.name.startswith("Quit"))
    computer.perform(Press(("escape",)))
    assert menu.box.bottom < quitting.box.top and abs(quitting.box.left - menu.box.left) < 60
    computer.perform(Press(("alt", "f4")))
    computer.settle()
    leave = shown(computer, "button", "Don't Save")
    computer.perform(Click(leave.box.center), leave)
    until = time.monotonic() + 20
    while computer.device.windows():
        assert time.monotonic() < until, computer.device.windows()
        time.sleep(0.1)


@pytest.mark.usefixtures("computer")
def test_where_a_session_is_shared_no_other_one_is_disturbed(variables: dict[str, str]) -> None:
    """The command itself, with a session of its own: from the dialog to a file on disk."""
    home = Path(variables["HOME"])
    with gnome.person(variables["DBUS_SESSION_BUS_ADDRESS"]):
        done = subprocess.run(
            [sys.executable, "-m", "gui_agent", "run",
             f'open "mousepad {home}/list.txt", type "bread", press ctrl+s',
             "--on", "desktop", "--countdown", "0", "--yes", "--runs", str(home / "runs")],
            env=os.environ | variables, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (home / "list.txt").exists(), done.stdout + done.stderr
    assert (home / "list.txt").read_text().strip() == "bread"


def test_the_doctor_says_what_is_there(variables: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gui_agent", "doctor", "--json"],
        env=os.environ | variables, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "a Wayland session with the portals RemoteDesktop 1 and ScreenCast" in done.stdout, done.stdout
