"""A session of GNOME's compositor and portals without a screen, and a person who answers its dialogs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from gui_agent.computers.atspi.bus import Bus, CallFailed, Reference, ask
from gui_agent.computers.atspi.program import introduce, read, running
from gui_agent.computers.atspi.vocabulary import AccessibleItem, Role, State

PORTAL = Path("/usr/libexec/xdg-desktop-portal-gnome")
PROGRAMS = ("dbus-daemon", "mutter", "pipewire", "wireplumber", "gst-launch-1.0", "mousepad")
ALLOW, SHARE = ("Allow remote interaction", Role.CHECK_BOX), ("Share", Role.BUTTON)
TICKING = 3.0
"""Seconds that a dialog gets to show a tick before it is set once more."""
STARTING = 20.0


def lacking() -> str:
    """What this machine lacks for it, empty when it lacks nothing."""
    absent = [one for one in PROGRAMS if shutil.which(one) is None]
    absent += [] if PORTAL.exists() else ["xdg-desktop-portal-gnome"]
    return f"without {', '.join(absent)}; scripts/setup wayland installs them" if absent else ""


@contextlib.contextmanager
def session(folder: Path) -> Iterator[dict[str, str]]:
    """The variables of the session; all that is in it ends with it."""
    runtime = folder / "run"
    runtime.mkdir(mode=0o700, parents=True)
    (folder / "home").mkdir()
    own = {
        "HOME": str(folder / "home"), "XDG_RUNTIME_DIR": str(runtime), "XDG_SESSION_TYPE": "wayland",
        "XDG_CURRENT_DESKTOP": "GNOME", "LIBGL_ALWAYS_SOFTWARE": "1", "GSK_RENDERER": "cairo",
        "GIO_USE_VFS": "local", "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
    }  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> subprocess.Popen[bytes]:
        log = (folder / f"{Path(command[0]).name}.txt").open("wb")
        started.append(subprocess.Popen(command, env=own, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        log.close()
        return started[-1]

    bus = f"unix:path={runtime}/bus"
    try:
        start("dbus-daemon", "--session", "--nofork", f"--address={bus}")
        _appears(runtime / "bus")
        own["DBUS_SESSION_BUS_ADDRESS"] = bus
        start("pipewire")
        _appears(runtime / "pipewire-0")
        start("wireplumber")
        start("mutter", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "1024x768")
        _appears(runtime / "wayland-0")
        own["WAYLAND_DISPLAY"] = "wayland-0"
        # What the bus starts itself gets its environment from the bus.
        subprocess.run(
            ["dbus-update-activation-environment", *(f"{name}={value}" for name, value in own.items())],
            env=own, check=True, capture_output=True, timeout=20,
        )  # fmt: skip
        yield own
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()
        _end_all_of(runtime)


@contextlib.contextmanager
def person(bus: str) -> Iterator[None]:
    """Somebody who allows whatever a dialog of the portal asks: ticks what is to be ticked, then shares."""
    over = threading.Event()

    async def allow() -> None:
        connection, pressed = await Bus.connect(bus), dict[Reference, float]()

        async def press(item: AccessibleItem) -> None:
            pressed[item.at] = time.monotonic()
            await connection.many([ask(item.at, "Action", "DoAction", "i", 0)])

        while not over.is_set():
            for root in await running(connection):
                with contextlib.suppress(CallFailed, TimeoutError):
                    program = await asyncio.wait_for(introduce(connection, root), 2)
                    if program.name != PORTAL.name:
                        continue
                    items = list((await read(connection, program, {})).items.values())
                    boxes, buttons = (
                        [one for one in items if one.role == role and name in one.name]
                        for name, role in (ALLOW, SHARE)
                    )
                    open_ones = [one for one in boxes if not one.has(State.CHECKED)]
                    for box in open_ones:
                        if time.monotonic() - pressed.get(box.at, -TICKING) >= TICKING:
                            await press(box)
                    for button in buttons if boxes and not open_ones else ():
                        if button.at not in pressed:
                            await press(button)
            await asyncio.sleep(0.3)

    thread = threading.Thread(target=lambda: asyncio.run(allow()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10)


def _appears(path: Path) -> None:
    until = time.monotonic() + STARTING
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} did not appear"
        time.sleep(0.05)


def _end_all_of(runtime: Path) -> None:
    """End what the bus of the session started, which has its variables."""
    mark = f"XDG_RUNTIME_DIR={runtime}".encode()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)
