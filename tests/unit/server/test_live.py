"""The live view shows itself to who has the token, on this machine, and to nobody else."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from gui_agent.agent.limits import RunControl
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import replace_file
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.server import LiveServer, live


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with LiveServer(tmp_path, lambda: Image.new("RGB", (40, 30), "red"), "Test <1>") as made:
        yield made


def ask(
    server: LiveServer, path: str, method: str = "GET", token: str = "", body: bytes = b"", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    cookie = {"Cookie": f"guiagent-{server.port}={token}"} if token else {}
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body or None, headers={**cookie, **given})
    answer = connection.getresponse()
    read = answer.read() if path != "/stream" or answer.status != 200 else answer.read(400)
    connection.close()
    return answer.status, answer.headers, read


def test_the_address_with_the_token_leads_to_the_page_and_drops_the_token(server: LiveServer) -> None:
    status, headers, _ = ask(server, f"/?token={server.token}")
    assert status == 303 and headers["Location"] == "/"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    status, headers, body = ask(server, "/", token=server.token)
    assert status == 200
    assert b"Test &lt;1&gt;" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", ["/", "/steps", "/stream", "/?token=wrong", "/?token="])
def test_without_the_token_nothing_is_shown(server: LiveServer, path: str) -> None:
    assert ask(server, path)[0] == 403
    assert ask(server, path, token="wrong")[0] == 403
    assert ask(server, path, token="é\u00ff")[0] == 403


def test_names_that_lead_here_from_the_web_are_refused(server: LiveServer) -> None:
    assert ask(server, "/", token=server.token, Host=f"evil.example:{server.port}")[0] == 421
    assert ask(server, "/", token=server.token, Host=f"localhost:{server.port}")[0] == 200


def test_steps_and_wishes_go_through_the_folder(server: LiveServer, tmp_path: Path) -> None:
    replace_file(tmp_path / live.STATE, json.dumps({"task": "t"}).encode())
    assert json.loads(ask(server, "/steps", token=server.token)[2]) == {"task": "t"}
    view = live.Feed(tmp_path)
    control = RunControl()
    view.steer(control)
    assert ask(server, "/do", "POST", server.token, b'{"do": "pause"}', X_Guiagent="1")[0] == 200
    control.poll()
    assert control.held == "paused"
    view.ended(Trajectory(Task("t")))
    assert ask(server, "/do", "POST", server.token, b'{"do": "pause"}', X_Guiagent="1")[0] == 409


def test_a_form_of_another_page_cannot_steer_a_run(server: LiveServer, tmp_path: Path) -> None:
    view = live.Feed(tmp_path)
    control = RunControl()
    view.steer(control)
    stop = b'{"do": "stop"}'
    assert ask(server, "/do", "POST", server.token, stop)[0] == 403
    assert ask(server, "/do", "POST", "", stop, X_Guiagent="1")[0] == 403
    assert ask(server, "/explode", "POST", server.token, stop, X_Guiagent="1")[0] == 404
    assert ask(server, "/do", "POST", server.token, b"[" * 9000, X_Guiagent="1")[0] == 400
    control.poll()
    assert not control.is_stopped


@pytest.mark.parametrize("length", ["-1", "abc", "99999999", "²"])
def test_a_request_of_a_wrong_length_is_refused_at_once(server: LiveServer, length: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        head = f"POST /do HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {length}\r\n\r\n"
        line.sendall(head.encode("utf-8"))
        assert line.recv(64).startswith(b"HTTP/1.1 413")


def test_the_screen_comes_as_a_stream_of_pictures(server: LiveServer) -> None:
    status, headers, body = ask(server, "/stream", token=server.token)
    assert status == 200 and headers["Content-Type"].startswith("multipart/x-mixed-replace")
    assert b"Content-Type: image/jpeg" in body and b"\xff\xd8\xff" in body


def test_it_listens_on_this_machine_alone_and_a_taken_port_is_told(
    server: LiveServer, tmp_path: Path
) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    with pytest.raises(ConfigError, match="take another with --port"):
        LiveServer(tmp_path, lambda: Image.new("RGB", (1, 1)), "", server.port)


def test_closing_ends_open_streams(server: LiveServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", "/stream", headers={"Cookie": f"guiagent-{server.port}={server.token}"})
    answer = connection.getresponse()
    assert answer.read(100)
    server.close()
    while answer.read(65536):
        pass
