"""A phone keeps every promise of the protocol of computers, behind each adb server there is."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer
from phones import BUNDLED, adb_server, adbs

from gui_agent.cli import call
from gui_agent.testing import check_computer


@pytest.fixture(scope="module", params=adbs(), ids=lambda adb: "bundled" if adb == str(BUNDLED) else "system")
def adb_and_port(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    with adb_server(request.param) as port:
        yield request.param, port


def test_every_promise_is_kept(adb_and_port: tuple[str, int], tmp_path: Path) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        check_computer(
            lambda: AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree", settle_grace=0.1)
        )


def test_the_adb_command_takes_it_for_a_phone(adb_and_port: tuple[str, int], tmp_path: Path) -> None:
    adb, port = adb_and_port

    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([adb, "-P", str(port), *words], capture_output=True, timeout=100, check=False)

    with PhoneServer(SimulatedPhone()) as server:
        assert b"connected to" in run("connect", server.address).stdout
        device = ("-s", server.address)
        assert b"Simulated_Phone" in run("devices", "-l").stdout
        said = run(*device, "shell", "echo out; nothing-like-it")
        assert (said.stdout, said.returncode) == (b"out\n", 127) and b"not found" in said.stderr
        data = bytes(range(256)) * 5000
        (tmp_path / "sent").write_bytes(data)
        run(*device, "push", str(tmp_path / "sent"), "/sdcard/sent")
        run(*device, "pull", "/sdcard/sent", str(tmp_path / "got"))
        assert (tmp_path / "got").read_bytes() == data
        picture = run(*device, "exec-out", "screencap", "-p").stdout
        assert picture.startswith(b"\x89PNG") and picture.endswith(b"IEND\xaeB`\x82")
        run("disconnect", server.address)


def test_a_server_that_the_person_uses_is_left_running(adb_and_port: tuple[str, int], tmp_path: Path) -> None:
    adb, port = adb_and_port
    with PhoneServer(SimulatedPhone()) as server:
        AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree").close()
        again = subprocess.run(
            [adb, "-P", str(port), "devices"], capture_output=True, timeout=100, check=True, text=True
        )
        assert server.address in again.stdout and "daemon" not in again.stderr


def test_pairing_says_what_came_of_it(
    adb_and_port: tuple[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("127.0.0.1:9\n123456\n"))
    assert call(["devices", "--pair"]) != 0
    told = capsys.readouterr()
    said = told.out + told.err
    assert "cannot pair; end it (adb kill-server)" in said or "ailed" in said, said
    assert "Now connect" not in said and "123456" not in said
