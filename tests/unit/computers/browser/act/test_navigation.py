"""Addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.computers.browser.act.navigation import address
from gui_agent.core.errors import ActionFailed


@pytest.mark.parametrize(
    ("where", "url"),
    [
        ("example.org", "https://example.org"),
        ("example.org/a?b=1#c", "https://example.org/a?b=1#c"),
        ("sub.example.co.uk:8443/x", "https://sub.example.co.uk:8443/x"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("127.0.0.1:5000", "http://127.0.0.1:5000"),
        (" https://example.org/ ", "https://example.org/"),
        ("HTTP://EXAMPLE.ORG", "HTTP://EXAMPLE.ORG"),
        ("about:blank", "about:blank"),
        ("data:text/html,<p>x", "data:text/html,<p>x"),
    ],
)
def test_what_people_write_becomes_an_address(where: str, url: str) -> None:
    assert address(where) == url


def test_a_file_becomes_a_file_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "my page.html"
    page.write_text("x")
    assert address(str(page)) == page.as_uri()
    monkeypatch.chdir(tmp_path)
    assert address("my page.html") == page.as_uri()
    assert address("./my page.html") == page.as_uri()


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("/no/such/page.html", "no such file"),
        ("~/no-such-page.html", "no such file"),
        ("Text Editor", "no address, and there is no such file"),
        ("", "no address, and there is no such file"),
        ("mailto:a@b.c", "no address, and there is no such file"),
        ("x" * 5000, "no address, and there is no such file"),
    ],
)
def test_what_is_no_address_is_refused_on_one_line(where: str, words: str) -> None:
    with pytest.raises(ActionFailed, match=words) as raised:
        address(where)
    assert len(str(raised.value)) < 250
