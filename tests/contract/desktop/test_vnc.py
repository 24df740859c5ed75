"""A desktop behind a real VNC server."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from private import needs, until
from vnc_server import PASSWORD, VncServer, vnc_server

from gui_agent.core.actions import Click, Drag, Press, Scroll, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Element, Point
from gui_agent.settings import load
from gui_agent.wiring import make_computer

vnc = pytest.importorskip("guiagent_platforms.remote.vnc", exc_type=ImportError)
LETTERS = "Hello, WORLD! né 你好 € žluť Привет (a+b) ~{}"
EDITOR = "mousepad --disable-server notes.txt"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[VncServer]:
    with vnc_server(tmp_path) as one:
        yield one


def computer_at(server: VncServer, password: str = PASSWORD) -> vnc.VncComputer:
    return vnc.VncComputer(server.name, password=lambda: password)


@pytest.mark.parametrize(
    "name, where",
    [
        ("box", ("box", 5900)),
        ("box:1", ("box", 5901)),
        ("box:5977", ("box", 5977)),
        ("10.0.0.1::22", ("10.0.0.1", 22)),
        ("[::1]:2", ("::1", 5902)),
    ],
)
def test_an_address_names_a_display_or_a_port(name: str, where: tuple[str, int]) -> None:
    assert vnc.address_of(name) == where


@pytest.mark.parametrize("name", ["", ":1", "box:x", "box::0", "box::70000", "a:b:c"])
def test_what_is_no_address_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="vnc:HOST:1"):
        vnc.address_of(name)


def test_any_letters_are_typed_and_chords_pressed(server: VncServer) -> None:
    needs("mousepad")
    notes = server.home / "notes.txt"
    notes.write_text("")
    with computer_at(server) as computer:
        bare = computer.device.pixels()
        server.open(*EDITOR.split())
        until(lambda: computer.device.pixels() != bare, "the editor")
        computer.settle()
        computer.perform(TypeText(LETTERS))
        computer.perform(Press(("ctrl", "a")))
        computer.perform(Press(("ctrl", "c")))
        until(
            lambda: computer.device.clipboard == LETTERS.encode("latin-1", "replace").decode("latin-1"),
            "the clipboard",
        )
        computer.perform(Press(("ctrl", "s")))
        until(lambda: notes.read_text().strip() == LETTERS, "the file")


def test_the_pointer_clicks_drags_and_turns_the_wheel(server: VncServer) -> None:
    needs("mousepad")
    (server.home / "notes.txt").write_text("".join(f"paragraph {number}\n" for number in range(200)))
    with computer_at(server) as computer:
        server.open(*EDITOR.split())
        texts: list[Element] = []

        def is_read() -> bool:
            texts[:] = [one for one in computer.observe().elements if one.name.startswith("paragraph")]
            return bool(texts)

        until(is_read, "the text")
        first = texts[0]
        before = computer.device.pixels()
        computer.perform(Scroll(first.box.center, down=400))
        assert computer.settle().changed
        assert computer.device.pixels() != before
        computer.perform(Click(first.box.center, clicks=2))
        computer.perform(Drag(first.box.center, Point(first.box.center.x, first.box.center.y + 60)))
        computer.perform(Press(("ctrl", "c")))
        until(lambda: "\nparagraph" in computer.device.clipboard, "the copied lines")


def test_a_wrong_password_is_told_as_a_setting_to_mend(server: VncServer) -> None:
    for wrong, told in (("", "a password"), ("other", "another password")):
        with pytest.raises(ConfigError, match=f"{told}.*VNC_PASSWORD"):
            computer_at(server, wrong)


def test_the_password_is_a_secret_of_the_person(server: VncServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_VNC_PASSWORD", PASSWORD)
    with make_computer(load(assignments=[f"computer.kind=vnc:{server.name}"])) as computer:
        assert computer.observe(picture=False).place.app == "vnc"


def test_a_broken_connection_is_made_again_and_a_server_that_is_gone_is_told(
    server: VncServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with computer_at(server) as computer:
        assert computer.observe().place.title
        server.close()
        with vnc_server(tmp_path, server.port):
            assert computer.observe(picture=False).size.width == 1024
        monkeypatch.setattr(vnc, "BACK", 0.5)
        with pytest.raises(ComputerLost, match="no VNC server answers"):
            computer.observe()


def test_a_connection_that_breaks_while_a_picture_is_awaited_is_made_again(
    server: VncServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vnc, "BACK", 0.5)
    with computer_at(server) as computer:
        server.pause()
        end = threading.Timer(0.5, server.close)
        end.start()
        with pytest.raises(ComputerLost, match="no VNC server answers"):
            while True:  # what the server had sent before it was stopped still makes a picture
                computer.device.grab()
        end.join()


def test_programs_cannot_be_opened_by_name(server: VncServer) -> None:
    with computer_at(server) as computer, pytest.raises(ActionFailed, match="click it in a menu"):
        computer.start("Mousepad")


def test_a_server_that_says_nothing_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vnc, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        threads = threading.active_count()
        with pytest.raises(ComputerLost, match="did not answer within"):
            vnc.VncComputer(f"127.0.0.1::{silent.getsockname()[1]}")
    until(lambda: threading.active_count() <= threads, "the end of the thread that listened")


def announcing(width: int, height: int, then: bytes = b"") -> tuple[socket.socket, threading.Thread]:
    """A server without a password that announces a screen of this size, and then says this."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with door, door.accept()[0] as line:
            line.sendall(b"RFB 003.008\n")
            line.recv(12)
            line.sendall(b"\x01\x01")  # one kind of security: none
            line.recv(1)
            line.sendall(b"\0\0\0\0")
            line.recv(1)
            pixels = struct.pack("!BBBBHHHBBBxxx", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
            line.sendall(struct.pack("!HH", width, height) + pixels + struct.pack("!I", 1) + b"x" + then)
            while line.recv(1 << 16):
                pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return door, thread


@pytest.mark.parametrize(
    ("size", "then"),
    [
        ((16_000, 16_000), b""),
        ((65_535, 65_535), b""),
        ((800, 600), b"\0\0\0\x01" + struct.pack("!HHHHi", 0, 0, 65_535, 65_535, 0)),  # a raw rectangle
        ((800, 600), b"\0\0\0\x01" + struct.pack("!HHHHi", 0, 0, 60_000, 60_000, -223)),  # a new size
    ],
)
def test_a_screen_larger_than_any_is_refused_with_a_line(size: tuple[int, int], then: bytes) -> None:
    door, thread = announcing(*size, then=then)
    began = time.monotonic()
    with pytest.raises(ComputerLost, match="million pixels, more than the maximum of 70"):
        vnc.VncComputer(f"127.0.0.1::{door.getsockname()[1]}")
    assert time.monotonic() - began < 5
    thread.join(5)
    assert not thread.is_alive(), "the line is closed"
