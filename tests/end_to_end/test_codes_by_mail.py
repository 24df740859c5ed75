"""Codes by mail, from a real IMAP server: the right one is typed, no mail is touched, nothing is guessed."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from gui_agent.core.errors import ActionFailed, ConfigError, Unavailable
from gui_agent.settings import load, override
from gui_agent.wiring.secrets import all_secrets
from tests.mail_server import PASSWORD, MailServer, mail_server

PAGE = """<!doctype html><title>Log in</title>
<button onclick="fetch('/send').then(() => { said.textContent = 'Sent' })">Send code</button>
<label>Code <input id=code></label><label>Second code <input id=second></label>
<button onclick="fetch('/check?' + code.value + ',' + second.value).then(answer => answer.text())
 .then(text => { said.textContent = text })">Verify</button>
<p id=said></p>"""


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture(autouse=True)
def mailbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILBOX", PASSWORD)
    monkeypatch.setattr("gui_agent.wiring._mail_codes.WAIT", 1.0)
    monkeypatch.setattr("gui_agent.wiring._mail_codes.PAUSE", 0.1)


@pytest.fixture
def site(server: MailServer) -> Iterator[str]:
    """A page that sends a new code by mail each time that it is asked for one."""
    codes = iter(["402117", "733950"])
    sent = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = PAGE
            if self.path == "/send":
                sent.append(text := next(codes))
                server.deliver(f"Your code is {text}. It is valid for 10 minutes.")
            elif self.path.startswith("/check?"):
                text = "Welcome" if self.path.endswith("?" + ",".join(sent)) else "Wrong"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None: ...

    pages = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/"
    pages.shutdown()


def codes_from(source: str) -> Any:
    """A source of codes in a run that has begun."""
    made: Any = all_secrets(override(load(), {"secrets": {"CODE": source}}))["CODE"]
    made.begin_step()
    return made


def test_a_run_types_each_code_that_it_had_sent_to_the_person(
    server: MailServer, site: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server.deliver("Your code is 999999.")
    before = len(server.flags())
    task = """click "Send code", type "${secret:CODE}" into "Code", click "Send code",
        type "${secret:CODE}" into "Second code", click "Verify", verify that "Welcome" is visible"""
    options = ["--secret", "CODE@127.0.0.1=" + server.source("&subject=your code"), "--url", site, "--yes"]
    ended = call(["run", task, *options, "--runs", str(tmp_path)])
    assert ended == 0, capfd.readouterr()
    assert len(server.flags()) == before + 2
    assert not any(b"Seen" in flags or b"Deleted" in flags for flags in server.flags())
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).decode("latin-1")
    assert "${secret:CODE}" in kept
    for hidden in ("402117", "733950", "999999", PASSWORD):
        assert not re.search(rf"(?<!\d){hidden}(?!\d)", kept + "".join(capfd.readouterr()))  # nor by chance


MAILS = [
    ({"text": "Code: 445566 (see https://bank.example/v/998877)"}, "445566"),
    ({"text": "G-123987 is your code.\nBank, 10 Road, +49 30 1234567, 2026-11-30"}, "123987"),
    ({"text": "", "page": "<style>p{color:#445566}</style><p>Code</p><p><b>77</b>12<i>34</i></p>"}, "771234"),
    ({"text": "Your code is 556677.", "page": "<p>Your code is <b>556677</b>&zwnj;&nbsp;</p>"}, "556677"),
    ({"text": "It is in the subject.", "subject": "Your code: 246810"}, "246810"),
    ({"text": "Hello 12\u200b345678"}, "12345678"),
]


@pytest.mark.parametrize(("mail", "code"), MAILS)
def test_the_one_standing_number_of_a_mail_is_its_code(
    server: MailServer, mail: dict[str, str], code: str
) -> None:
    codes = codes_from(server.source())
    server.deliver(**mail)
    assert codes.make_code() == code


def test_the_code_may_be_described_by_a_pattern(server: MailServer) -> None:
    codes = codes_from(server.source("&pattern=code:\\s+(\\w{3}-\\w{3})"))
    server.deliver("Order 123456. Your code: AB3-9XK")
    assert codes.make_code() == "AB39XK"


REFUSED = {
    "two codes": [{"text": "Codes 123456 and 654321"}],
    "no code": [{"text": "Hello 12 3456 and 1,234 and x1234"}],
    "a code of another form": [{"text": "Code 123456789"}],
    "other texts in its parts": [{"text": "123456", "page": "<p>654321</p>"}],
    "no mail": [],
    "another sender": [{"text": "123456", "sender": "bank.example <bank.example@evil.example>"}],
    "two senders": [{"text": "123456", "sender": "a@bank.example, b@evil.example"}],
    "a longer host": [{"text": "123456", "sender": "a@notbank.example"}],
    "another subject": [{"text": "123456", "subject": "News"}],
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_certain_is_never_typed(server: MailServer, case: str) -> None:
    server.deliver("An older code: 111111")
    codes = codes_from(server.source("&subject=YOUR CODE"))
    for mail in REFUSED[case]:
        server.deliver(**mail)
    with pytest.raises(ActionFailed, match=r"the code CODE") as told:
        codes.make_code()
    assert told.value.advice
    assert not any(number in str(told.value) + told.value.advice for number in ("123456", "654321", "111111"))


def nested(depth: int) -> bytes:
    """The head of a mail whose parts are in each other."""
    head = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    return b"".join(head % (level, level) for level in range(depth))


def test_the_newest_wanted_mail_counts_and_a_code_is_given_once(server: MailServer) -> None:
    codes = codes_from(server.source())
    server.deliver("Code 100001")
    server.deliver("Code 100002")
    server.deliver("Advertisement 555555", sender="shop@shop.example")
    server.deliver("Somebody logged in.", sender="a@bank.example")
    server.deliver_bytes(b"From: a@bank.example\n" + nested(2_000) + b"\n\nCode 100003")
    assert codes.make_code() == "100002"
    codes.begin_step()
    with pytest.raises(ActionFailed, match="no mail with the code CODE came"):
        codes.make_code()


@pytest.mark.parametrize(
    "source",
    ["imap:", "imap:host", "imap:host/ada?from=x", "imap:/ada?from=x&password=env:MAILBOX",
     "imap:host/ada?password=env:MAILBOX", "imap:host:x/ada?from=x&password=env:MAILBOX",
     "imap:host/ada?from=x&password=env:MAILBOX&subjct=y",
     "imap:host/ada?from=x&password=env:MAILBOX&pattern=("],
)  # fmt: skip
def test_a_wrong_source_is_told_with_the_right_form(source: str) -> None:
    with pytest.raises(ConfigError, match=r"secret CODE: (write imap:HOST/USER|give its source as)"):
        codes_from(source)


@pytest.mark.parametrize("trouble", ["wrong password", "nobody there"])
def test_a_mailbox_that_cannot_be_read_ends_the_run_in_one_line(
    trouble: str,
    site: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with mail_server() as other:
        if trouble == "wrong password":
            monkeypatch.setenv("MAILBOX", "not it")
        else:
            other.stop()
        capfd.readouterr()
        task = 'click "Send code", type "${secret:CODE}" into "Code", click "Verify"'
        options = ["--secret", "CODE=" + other.source(), "--url", site, "--yes", "--runs", str(tmp_path)]
        assert call(["run", task, *options]) == 3
    said = capfd.readouterr()
    assert "secret CODE: cannot read the mail of ada@example.org at 127.0.0.1" in said.out + said.err
    assert "Traceback" not in said.err and "not it" not in said.out + said.err


def test_a_server_elsewhere_must_speak_tls_with_a_certificate_that_is_trusted(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unavailable, match=r"certificate verify failed.*; check the host"):
        codes_from(server.tls_source())
    with pytest.raises(Unavailable, match="check the host, that it speaks TLS"):
        codes_from(server.source().replace("127.0.0.1", "0.0.0.0"))
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    codes = codes_from(server.tls_source())
    server.deliver("Code 471147")
    assert codes.make_code() == "471147"


def test_a_server_that_goes_while_the_mail_is_awaited_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui_agent.wiring._mail_codes.WAIT", 30.0)
    with mail_server() as other:
        codes = codes_from(other.source())
        threading.Timer(0.5, other.stop).start()
        with pytest.raises(Unavailable, match="check the host, that it speaks TLS, and the password"):
            codes.make_code()
