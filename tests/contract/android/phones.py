"""A simulated phone behind an adb server of the test's own; servers of the machine are left alone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import adbutils
import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer, Backend

from gui_agent.core.actions import Click, Open
from gui_agent.core.observation import Element

BUNDLED = Path(adbutils.__file__).parent / "binaries" / "adb"


def adbs() -> list[str]:
    """Every adb on this machine: that of the system, and the one that adbutils brings."""
    found = [shutil.which("adb"), str(BUNDLED) if BUNDLED.is_file() else None]
    return [one for one in found if one]


@contextmanager
def adb_server(adb: str) -> Iterator[int]:
    """An adb server on a port of its own, which adbutils finds by the environment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [adb, "-L", f"tcp:localhost:{port}", "server", "nodaemon"]
    environment = {**os.environ, "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553"}
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    before = os.environ.get("ANDROID_ADB_SERVER_PORT")
    os.environ["ANDROID_ADB_SERVER_PORT"] = str(port)
    try:
        end = time.monotonic() + 100
        while True:
            assert time.monotonic() < end, "the adb server did not start"
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield port
    finally:
        os.environ.pop("ANDROID_ADB_SERVER_PORT")
        if before is not None:
            os.environ["ANDROID_ADB_SERVER_PORT"] = before
        server.kill()
        server.wait(60)


def any_adb() -> str:
    """One adb; the test is skipped where there is none."""
    found = adbs()
    if not found:
        pytest.skip("no adb is installed")
    return found[-1]


@contextmanager
def phone_at_hand(
    folder: Path, phone: SimulatedPhone | None = None, backend: Backend = "stock"
) -> Iterator[tuple[SimulatedPhone, AndroidComputer]]:
    """A fresh phone, and the computer that operates it; an adb server must run."""
    with (
        PhoneServer(phone or SimulatedPhone()) as server,
        AndroidComputer(
            name=server.address,
            kept=str(folder / "kept"),
            observe="tree",
            backend=backend,
            settle_grace=0.1,
            settle_quiet=0.05,
        ) as computer,
    ):
        yield server.phone, computer


def named(computer: AndroidComputer, name: str) -> Element:
    return next(one for one in computer.observe().elements if one.name == name)


def act(computer: AndroidComputer, name: str) -> None:
    element = named(computer, name)
    computer.perform(Click(element.box.center), element)
    computer.settle()


def opened(computer: AndroidComputer, app: str, *names: str) -> None:
    computer.perform(Open(app))
    computer.settle()
    for name in names:
        act(computer, name)
