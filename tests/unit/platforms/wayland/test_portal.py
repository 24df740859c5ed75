"""The portals of a Wayland session: one dialog, kept permissions, input, and each way of failing."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_platforms.wayland import frames
from guiagent_platforms.wayland.portal import PortalSession, portal_versions
from portals import CAST, REMOTE, Portal, serving, session_bus

from gui_agent.cli.doctor import display
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Box

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="there is no dbus-daemon")


@pytest.fixture
def portal() -> Portal:
    return Portal()


@pytest.fixture
def bus() -> Iterator[str]:
    with session_bus() as address:
        yield address


@pytest.fixture
def served(portal: Portal, bus: str) -> Iterator[LoopThread]:
    with serving(portal, bus) as thread:
        yield thread


@pytest.mark.usefixtures("served")
def test_one_dialog_gives_the_monitors_and_input(portal: Portal, bus: str) -> None:
    session = PortalSession(bus)
    assert [one.box for one in session.streams] == [Box(-400, 100, 400, 300), Box(0, 0, 800, 600)]
    assert portal.dialogs == 1 and portal.options["SelectDevices"]["types"] == 3
    assert portal.options["SelectSources"]["multiple"] is True
    session.notify("NotifyPointerMotionAbsolute", "udd", 40, 12.0, 7.0)
    session.notify("NotifyKeyboardKeysym", "iu", 0xFF0D, 1)
    assert portal.inputs == [
        ("NotifyPointerMotionAbsolute", 40, 12.0, 7.0),
        ("NotifyKeyboardKeysym", 0xFF0D, 1),
    ]
    file = session.pipewire()
    assert stat.S_ISFIFO(os.fstat(file).st_mode)
    os.close(file)
    session.close()
    session.close()
    with pytest.raises(ComputerLost, match="was closed"):
        session.notify("NotifyKeyboardKeysym", "iu", 0xFF0D, 1)


@pytest.mark.usefixtures("served")
def test_a_kept_permission_asks_nothing_and_is_kept_anew(portal: Portal, bus: str, tmp_path: Path) -> None:
    kept = tmp_path / "state" / "permission"
    PortalSession(bus, kept).close()
    first = kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    PortalSession(bus, kept).close()
    assert portal.dialogs == 1 and portal.options["SelectDevices"]["restore_token"] == first
    assert portal.options["SelectDevices"]["persist_mode"] == 2
    portal.tokens = []  # the person took the permission back
    PortalSession(bus, kept).close()
    assert portal.dialogs == 2


@pytest.mark.usefixtures("served")
def test_a_portal_of_the_first_version_is_not_asked_to_remember(
    portal: Portal, bus: str, tmp_path: Path
) -> None:
    portal.versions[REMOTE] = 1
    session = PortalSession(bus, tmp_path / "permission")
    assert not session.remembers and "persist_mode" not in portal.options["SelectDevices"]
    assert not (tmp_path / "permission").exists()
    session.close()


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("code", "devices", "told"),
    [(1, 3, "did not allow"), (2, 3, "without an answer"), (None, 3, "was not answered"), (0, 1, "together")],
)
def test_without_the_persons_yes_nothing_begins(
    portal: Portal, bus: str, code: int | None, devices: int, told: str
) -> None:
    portal.code, portal.devices = code, devices
    with pytest.raises(ComputerLost, match=told):
        PortalSession(bus, asking=0.3 if code is None else 60)
    assert portal.taken_away == (code is None)


@pytest.mark.usefixtures("served")
def test_to_stop_sharing_stops_the_agent(portal: Portal, bus: str, served: LoopThread) -> None:
    session = PortalSession(bus)
    served.loop.call_soon_threadsafe(portal.end)
    until = time.monotonic() + 60
    while session.alive and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(ComputerLost, match="stopped sharing"):
        session.notify("NotifyPointerButton", "iu", 0x110, 1)
    assert portal.inputs == []
    session.close()


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("missing", [REMOTE, CAST])
def test_a_desktop_without_one_of_them_is_told_with_what_to_do(
    portal: Portal, bus: str, missing: str
) -> None:
    assert portal_versions(bus) == (2, 4)
    del portal.versions[missing]
    for asked in (portal_versions, PortalSession):
        with pytest.raises(ConfigError, match=r"xdg-desktop-portal-gnome.*--on virtual"):
            asked(bus)
    assert portal.dialogs == 0


def test_a_session_without_portals_or_bus_is_told_with_what_to_do(bus: str) -> None:
    for address in (bus, "unix:path=/nowhere/at-all", "nonsense"):
        with pytest.raises(ConfigError, match="install xdg-desktop-portal"):
            portal_versions(address)


@pytest.mark.usefixtures("served")
def test_the_doctor_says_how_often_the_desktop_asks(
    portal: Portal, bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
    monkeypatch.setattr(frames.shutil, "which", lambda name: name)
    found = display()
    assert found.state == "ok" and "RemoteDesktop 2 and ScreenCast 4, which asks once" in found.detail
    portal.versions[REMOTE] = 1
    assert "asks before each run" in display().detail
    monkeypatch.setattr(frames.shutil, "which", lambda name: None)
    assert "gstreamer1.0-pipewire" in display().detail
