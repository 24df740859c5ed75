"""What `--har` keeps of a browser's traffic: all that was sent and received, and nothing that is secret."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gui_agent.cli import call

PAGE = """<!doctype html><title>Login</title><form method=post action="/in?token=t0kenvalue">
<label>Name <input name=user></label><label>Word <input type=password name=password></label>
<label>Note <input name=note></label><button>Log in</button></form>"""


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(PAGE, "text/html")

    def do_POST(self) -> None:
        said = self.rfile.read(int(self.headers["Content-Length"])).decode()
        assert "Pa55word%21" in said
        self.answer(
            json.dumps({"welcome": "Ada", "api_key": "k3yk3yk3y", "mine": "Hush-Hush"}), "application/json"
        )

    def answer(self, body: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Set-Cookie", "sid=c00kiec00kie; Path=/")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_args: object) -> None: ...


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_the_network_record_of_a_run_has_requests_and_answers_without_secrets(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_WORD", "Pa55word!")
    monkeypatch.setenv("GUIAGENT_SECRET_OTHER", "Hush-Hush")
    task = 'type "Ada" into "Name", type "${secret:WORD}" into "Word"'
    task += ', type "ada@example.org" into "Note", click "Log in"'
    har = tmp_path / "records" / "login.har"
    har.parent.mkdir()
    (har.parent / ".login.har.4711.har").write_text("what a killed run of an older version left")
    options = ["--url", site, "--har", str(har), "--yes", "--quiet", "--runs", str(tmp_path / "runs")]
    assert call(["run", task, *options, "--set", 'privacy.patterns=["mail"]']) == 0
    text = har.read_text("utf-8")
    entries = json.loads(text)["log"]["entries"]
    posted = next(one for one in entries if one["request"]["method"] == "POST")
    assert posted["request"]["postData"]["text"].startswith("user=Ada&password=${secret")
    assert json.loads(posted["response"]["content"]["text"])["welcome"] == "Ada"
    for hidden in ("Pa55", "t0ken", "c00kie", "k3yk", "Hush", "ada@", "ada%40"):
        assert hidden not in text
    assert har.stat().st_mode & 0o077 == 0
    assert [path.name for path in har.parent.iterdir()] == ["login.har"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="a file without a name has no path here")
def test_a_run_that_is_killed_leaves_nothing_of_what_was_sent_on_disk(tmp_path: Path) -> None:
    killed = f"""
import os
from gui_agent.computers.browser._har import HarFile

record = HarFile({str(tmp_path / "login.har")!r}, str)
record.raw.write_text('{{"password": "Pa55word!"}}')
assert record.raw.read_text()
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    assert list(tmp_path.iterdir()) == []
