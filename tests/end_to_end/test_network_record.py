"""What `--har` keeps of a browser's traffic: all that was sent and received, and nothing that is secret."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from gui_agent.computers.browser._har import HarFile

PAGE = """<!doctype html><title>Login</title><form method=post action="/in?token=t0kenvalue">
<label>Name <input name=user></label><label>Word <input type=password name=password></label>
<label>Note <input name=note></label><label>Number <input name=number></label>
<button>Log in</button></form>"""

_SENT: list[str] = []


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(PAGE, "text/html")

    def do_POST(self) -> None:
        said = self.rfile.read(int(self.headers["Content-Length"])).decode()
        assert "Pa55word%21" in said
        _SENT.append(said)
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
    monkeypatch.setenv("SEED", "JBSWY3DPEHPK3PXP")
    task = 'type "Ada" into "Name", type "${secret:WORD}" into "Word"'
    task += ', type "ada@example.org" into "Note", type "${secret:CODE}" into "Number", click "Log in"'
    har = tmp_path / "records" / "login.har"
    har.parent.mkdir()
    (har.parent / ".login.har.4711.har").write_text("what a killed run of an older version left")
    options = ["--secret", "CODE=totp:env:SEED", "--url", site, "--har", str(har)]
    options += ["--yes", "--quiet", "--runs", str(tmp_path / "runs")]
    assert call(["run", task, *options, "--set", 'privacy.patterns=["mail"]']) == 0
    text = har.read_text("utf-8")
    entries = json.loads(text)["log"]["entries"]
    posted = next(one for one in entries if one["request"]["method"] == "POST")
    assert posted["request"]["postData"]["text"].startswith("user=Ada&password=${secret")
    assert json.loads(posted["response"]["content"]["text"])["welcome"] == "Ada"
    code = _SENT[-1].rpartition("number=")[2]
    assert len(code) == 6
    for hidden in (code, "Pa55", "t0ken", "c00kie", "k3yk", "Hush", "ada@", "ada%40"):
        assert hidden not in text
    assert har.stat().st_mode & 0o077 == 0
    assert [path.name for path in har.parent.iterdir()] == ["login.har"]


HIDDEN_FORMS = {
    "JSON": '{"user": "ada", "pwd": "h1dd3n", "otp_code": 411411, "deep": [{"otpCode": "h1dd3n"}]}',
    "JSON after a mark": ')]}\'\n{"pass": "h1dd3n", "pin": 411411, "user": "ada"}',
    "JSON in a text of JSON": json.dumps({"user": "ada", "said": json.dumps({"password": 'a"h1dd3n'})}),
    "stream": 'data: {"user": "ada", "text": "{\\"password\\":\\"h1dd3n\\"}"}\n\n',
    "query": json.dumps({"query": 'mutation { login(user: "ada", password: "h1dd3n") { id } }'}),
    "form": "user=ada&login%5Bpass%5D=h1dd3n&otp_code=411411",
    "form in parts": '--x\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n--x\r\n'
    'Content-Disposition: form-data; name="password"\r\n\r\nh1dd3n\r\nh1dd3n\r\n--x--\r\n',
    "XML": '<user>ada</user><password type="x">h1dd3n</password><ns:pwd><![CDATA[<h1dd3n]]></ns:pwd>',
    "attribute": "<login user='ada' password='h1dd3n'/>",
    "hidden field": '<input name=user value=ada><input type="hidden" name="csrf_token" value="it\'s h1dd3n">',
    "field the other way round": "<b id=user>ada</b><input value=h1dd3n type=password>",
    "head of a page": '<title>ada</title><meta name="csrf-token" content="h1dd3n">',
    "address": "see https://ada:h1dd3n@example.org/ for it",
    "lines": "user: ada\npassword: h1dd3n and h1dd3n\n",
}


def recorded(folder: Path, *entries: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a record as they are kept."""
    record = HarFile(str(folder / "it.har"), str)
    record.raw.write_text(json.dumps({"log": {"entries": entries}}))
    record.finish()
    kept: list[dict[str, Any]] = json.loads((folder / "it.har").read_text("utf-8"))["log"]["entries"]
    return kept


@pytest.mark.parametrize("form", HIDDEN_FORMS)
@pytest.mark.parametrize("place", ["answer", "base64", "frame"])
def test_a_value_whose_name_says_that_it_is_secret_is_hidden(form: str, place: str, tmp_path: Path) -> None:
    body = HIDDEN_FORMS[form]
    coded = {"mimeType": "text/plain", "text": base64.b64encode(body.encode()).decode(), "encoding": "base64"}
    content = {"answer": {"mimeType": "text/plain", "text": body}, "base64": coded}.get(place, {})
    frames = [{"type": "send", "opcode": 1, "data": body}] if place == "frame" else []
    (kept,) = recorded(tmp_path, {"response": {"content": content}, "_webSocketMessages": frames})
    said = kept["_webSocketMessages"][0]["data"] if frames else kept["response"]["content"]["text"]
    said = base64.b64decode(said).decode() if place == "base64" else said
    assert "h1dd3n" not in said and "411411" not in said and "ada" in said
    assert "${secret}" in said
    if form in ("JSON", "query"):
        json.loads(said)


def test_what_is_no_secret_stays_in_the_record(tmp_path: Path) -> None:
    kept = [
        '{"author": "Ada", "pinned": 1, "bypass": "x", "opinion": "y", "compass": [1]}',
        "const spin = 5, passed = true; let shipping = 'x';",
        "https://auth.example.org:8443/passage?page=2",
        "<input name=passenger value=Ada><p class=pass>12 of 14</p>",
    ]
    assert recorded(tmp_path, *({"text": one} for one in kept)) == [{"text": one} for one in kept]


def test_a_long_body_is_cleaned_in_a_moment(tmp_path: Path) -> None:
    body = "password:'" * 20_000 + "name=a\nb=\n" * 20_000 + "<a " * 20_000 + "://a:b" * 20_000
    body += "<x y='" * 20_000 + "[" * 20_000 + "<pwd><![CDATA[" * 20_000 + "a" * 200_000 + " \\" * 20_000
    body += "<i name=pwd value='" * 9_999 + "name=pwd\n" * 9_999
    begun = time.process_time()  # of this process: other work on the machine does not count
    recorded(tmp_path, *({"text": start + body} for start in ("", "--\n", "-- name=" * 9_999)))
    assert time.process_time() - begun < 20


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
