"""A virtual machine is started with an overlay of its own, ports on loopback, and a token of its own."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from guiagent_eval.osworld import place as qemu
from guiagent_eval.osworld.place import MACHINE_PORTS, Machine, QemuGuest, Qmp

from gui_agent.core.errors import ComputerLost, ConfigError

NUMBERS = {name: 40000 + number for number, name in enumerate(MACHINE_PORTS)}


@pytest.fixture(autouse=True)
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "accelerator", lambda: "tcg")


def line(folder: Path) -> list[str]:
    machine = Machine(folder / "guest.qcow2")
    return machine.command(folder / "disk.qcow2", folder / "qmp.sock", NUMBERS, folder / "token")


def test_ports_are_forwarded_from_loopback_only(tmp_path: Path) -> None:
    (forwards,) = [one for one in line(tmp_path) if one.startswith("user,")]
    assert forwards.count("hostfwd=tcp:127.0.0.1:") == len(MACHINE_PORTS)
    assert "tcp:127.0.0.1:40000-:5000" in forwards


def test_the_image_itself_is_no_drive_of_the_machine(tmp_path: Path) -> None:
    assert not [one for one in line(tmp_path) if "guest.qcow2" in one]
    (tmp_path / "guest.qcow2.vmlinuz").touch()
    given = line(tmp_path)
    assert given[given.index("-kernel") + 1] == str(tmp_path / "guest.qcow2.vmlinuz")
    assert f"name={qemu.QEMU_TOKEN},file={tmp_path / 'token'}" in given


def test_an_image_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(ConfigError, match="no such image"):
        QemuGuest(Machine(tmp_path / "none.qcow2"))
    monkeypatch.setattr(qemu.shutil, "which", lambda name: None)
    with pytest.raises(ConfigError, match="apt-get install qemu-system-x86 qemu-utils"):
        QemuGuest(Machine(tmp_path / "none.qcow2"))


def answering(path: Path, *answers: dict[str, object]) -> list[dict[str, object]]:
    """What a control socket is asked that gives these answers, with events in between."""
    asked: list[dict[str, object]] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        with listener, listener.accept()[0] as came, came.makefile("rwb") as lines:
            lines.write(b'{"QMP": {}}\n')
            lines.flush()
            for answer in ({"return": {}}, *answers):
                asked.append(json.loads(lines.readline()))
                lines.write(b'{"event": "RESUME"}\n' + json.dumps(answer).encode() + b"\n")
                lines.flush()

    threading.Thread(target=serve, daemon=True).start()
    return asked


def test_events_are_passed_over_and_what_the_monitor_says_is_an_error(tmp_path: Path) -> None:
    gone = {"error": {"desc": "no disk"}}
    path = tmp_path / "qmp.sock"
    asked = answering(path, {"return": ""}, {"return": "Error: no snapshot x"}, gone)
    with subprocess.Popen(["sleep", "30"]) as process:
        control = Qmp(path, process)
        control.monitor("savevm a")
        with pytest.raises(ComputerLost, match="no snapshot x"):
            control.monitor("loadvm x")
        with pytest.raises(ComputerLost, match="no disk"):
            control.ask("stop")
        with pytest.raises(ComputerLost, match=r"has ended|does not answer"):
            control.ask("stop")
        process.kill()
    assert asked[1]["arguments"] == {"command-line": "savevm a"}


def test_a_machine_that_ends_before_it_can_be_spoken_to_is_lost(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as process, pytest.raises(ComputerLost, match="does not start"):
        Qmp(tmp_path / "none.sock", process)
