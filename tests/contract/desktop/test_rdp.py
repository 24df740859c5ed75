"""A desktop behind a real RDP server, shown by the client of the system."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from guiagent_eval.app_server import free_ports
from private import needs, until
from vnc_server import PASSWORD, VncServer, vnc_server

from gui_agent.core.actions import Press, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError

rdp = pytest.importorskip("guiagent_platforms.remote.rdp", exc_type=ImportError)
INI = """[Globals]
ini_version=1
port=tcp://127.0.0.1:{port}
security_layer=tls
certificate={folder}/cert.pem
key_file={folder}/key.pem
autorun=Xvnc
allow_channels=true
[Logging]
LogFile={folder}/xrdp.log
EnableSyslog=false
[Xvnc]
lib=libvnc.so
username=na
password=ask
ip=127.0.0.1
port={session}
"""


@contextmanager
def rdp_server(folder: Path, session: int, port: int) -> Iterator[str]:
    """xrdp with a certificate of its own before a session; its address."""
    folder.mkdir()
    key = f"-newkey rsa:2048 -nodes -keyout {folder}/key.pem -out {folder}/cert.pem -subj /CN=here -days 2"
    subprocess.run(["openssl", "req", "-x509", *key.split()], check=True, capture_output=True)
    (folder / "xrdp.ini").write_text(INI.format(port=port, folder=folder, session=session))
    server = subprocess.Popen(
        ["xrdp", "--nodaemon", "--config", str(folder / "xrdp.ini")], stdout=subprocess.DEVNULL
    )
    try:
        until(lambda: _connects(port), "the server")
        yield f"ada@127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def _connects(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VncServer]:
    needs("xrdp", "openssl", "mousepad")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # where the client keeps the certificates
    with vnc_server(tmp_path) as one:
        yield one


@pytest.fixture
def port() -> int:
    return free_ports()[0]


@pytest.mark.parametrize(
    "name, where",
    [
        ("box", ("", "box")),
        ("ada@box:3390", ("ada", "box:3390")),
        (r"WORK\ada@10.0.0.1", (r"WORK\ada", "10.0.0.1")),
        ("ada@home.example@box", ("ada@home.example", "box")),
        ("ada@[::1]:33", ("ada", "[::1]:33")),
    ],
)
def test_an_address_names_a_user_and_a_host(name: str, where: tuple[str, str]) -> None:
    assert rdp.address_of(name) == where


@pytest.mark.parametrize("name", ["", "@", "box:0", "box:70000", "box /p:x", "a:b:c"])
def test_what_is_no_address_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="rdp:USER@HOST"):
        rdp.address_of(name)


@pytest.mark.nightly
def test_a_desktop_is_read_by_eyes_typed_on_and_lost_with_its_server(
    session: VncServer, tmp_path: Path, port: int
) -> None:
    pytest.importorskip("rapidocr")
    (tmp_path / "notes.txt").write_text("")
    session.open("mousepad", "--disable-server", "notes.txt")
    with rdp_server(tmp_path / "rdp", session.port, port) as name:
        computer = rdp.RdpComputer(name, password=lambda: PASSWORD)
        until(lambda: "File" in {one.name for one in computer.observe().elements}, "the editor")
        assert computer.observe(picture=False).place.app == "rdp"
        with pytest.raises(ActionFailed, match="cannot be typed over RDP"):
            computer.perform(TypeText("žluť"))
        with pytest.raises(ActionFailed, match="RDP starts no programs"):
            computer.start("Mousepad")
        computer.perform(TypeText("Hello, WORLD! (a+b) ~{}\n"))
        computer.perform(Press(("ctrl", "s")))
        until(lambda: (tmp_path / "notes.txt").read_text().strip() == "Hello, WORLD! (a+b) ~{}", "the file")
    with computer, pytest.raises(ComputerLost, match="is gone"):
        until(lambda: computer.observe(picture=False) is None, "the end of the client")


@pytest.mark.nightly
def test_a_host_that_shows_another_certificate_than_before_gets_no_password(
    session: VncServer, tmp_path: Path, port: int
) -> None:
    with rdp_server(tmp_path / "first", session.port, port) as name:
        rdp.RdpComputer(name, password=lambda: PASSWORD).close()
    with rdp_server(tmp_path / "other", session.port, port) as name:
        with pytest.raises(ComputerLost, match="its certificate has changed"):
            rdp.RdpComputer(name, password=lambda: PASSWORD)
        rdp.RdpComputer(name, password=lambda: PASSWORD, certificate="ignore").close()
