"""What is asked of Docker for a guest: against a recorded stand-in, as no engine is needed for that."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from guiagent_eval.osworld import place
from guiagent_eval.osworld.place import DockerGuest

from gui_agent.core.errors import ComputerLost, ConfigError

FAKE = """#!{python}
import json, os, sys
given = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps([given, os.environ.get("GUIAGENT_GUEST_TOKEN", "")]) + "\\n")
if "missing" in given:
    sys.exit("Unable to find image 'missing'")
print({{"run": "c0ffee", "port": "127.0.0.1:{port}", "logs": "Xvfb: no screen"}}.get(given[0], ""))
"""


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Linux")

    def log_message(self, *given: object) -> None:
        """Say nothing."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The log of a stand-in for Docker, whose containers answer."""
    server = HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log, program = tmp_path / "log", tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable, log=str(log), port=server.server_port))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    yield log
    server.shutdown()
    server.server_close()


def commands(log: Path) -> list[tuple[list[str], str]]:
    return [tuple(json.loads(line)) for line in log.read_text().splitlines()]  # type: ignore[misc]


def test_ports_are_published_on_loopback_and_the_token_is_no_argument(asked: Path) -> None:
    guest = DockerGuest("mine")
    (run, environment), *ports = commands(asked)
    assert run[-1] == "mine" and run[0] == "run"
    assert [one for one in run if one.startswith("127.0.0.1::")] == [
        "127.0.0.1::5000",
        "127.0.0.1::9222",
        "127.0.0.1::8080",
    ]
    assert guest.token == environment and guest.token not in " ".join(run)
    assert [one[0][0] for one in ports] == ["port"] * 3
    assert guest.address.startswith("http://127.0.0.1:")
    guest.close()
    guest.close()
    assert [one[0] for one in commands(asked)].count(["rm", "--force", "--volumes", "c0ffee"]) == 1


def test_a_reset_is_a_new_container(asked: Path) -> None:
    guest = DockerGuest()
    guest.reset()
    assert [one[0][0] for one in commands(asked)].count("run") == 2
    assert ["rm", "--force", "--volumes", "c0ffee"] in [one[0] for one in commands(asked)]
    guest.close()


def test_an_image_that_is_not_there_is_told_and_a_dumb_container_removed(
    asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="Unable to find image"):
        DockerGuest("missing")
    with pytest.raises(ComputerLost, match="Xvfb: no screen"):
        DockerGuest(seconds=0)
    assert commands(asked)[-1][0][0] == "rm"
    monkeypatch.setattr(place.shutil, "which", lambda name: None)
    with pytest.raises(ConfigError, match="not installed"):
        DockerGuest()
