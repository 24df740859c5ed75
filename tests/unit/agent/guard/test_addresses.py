"""Addresses are read as a browser reads them, files as the system resolves them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import addresses, hosts
from gui_agent.agent.guard.meaning import classify
from gui_agent.agent.guard.policy import parse
from gui_agent.core.actions import Action, Click, Navigate, Open
from gui_agent.core.errors import ConfigError
from gui_agent.core.protocols import Opening
from gui_agent.core.trajectory import Found
from gui_agent.testing import screen, widget


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Example.org:8080/a?b#c", "example.org"),
        ("example.org/a", "example.org"),
        ("localhost:8000/x", "localhost"),
        ("example.org:80", "example.org"),
        ("//example.org/a", "example.org"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https:\\\\evil.example\\x", "evil.example"),
        ("https://evil.example.", "evil.example"),
        ("https://[::1]:3000/", "::1"),
        ("ht\ntps://evil.example", "evil.example"),
        ("file:///etc/passwd", ""),
        ("about:blank", ""),
        ("https://[broken", ""),
        ("", ""),
    ],
)
def test_hosts(url: str, host: str) -> None:
    assert hosts.host_of(url) == host


@pytest.mark.parametrize(
    ("host", "pattern", "fits"),
    [
        ("example.org", "example.org", True),
        ("example.org", "*.example.org", True),
        ("a.b.example.org", "*.example.org", True),
        ("badexample.org", "*.example.org", False),
        ("example.org.evil.example", "*.example.org", False),
        ("", "*.example.org", False),
        ("a.example", "*", True),
        ("127.evil.com", "127.*", False),
        ("a.example.org.evil.com", "*.example.org*", False),
        ("app-1.example.org", "app-*.example.org", True),
        ("app-1.evil.example.org", "app-*.example.org", False),
        ("xn--exmple-cua.org", "exämple.org", True),
        ("www.xn--exmple-cua.org", "*.exa\u0308mple.org", True),
        ("exämple.org", "xn--exmple-cua.org", True),
        ("exemple.org", "exämple.org", False),
        ("strasse.example", "straße.example", False),
        ("xn--strae-oqa.example", "straße.example", True),
        ("xn--\u20ac", "xn--\u20ac", True),
    ],
)
def test_hosts_and_patterns(host: str, pattern: str, fits: bool) -> None:
    assert hosts.origin_fits(host, [pattern]) is fits


@pytest.mark.parametrize("pattern", ["127.*", "*.example.org*", "example.*", "*.exam?le.org", "*ample.org"])
def test_a_pattern_that_hosts_of_other_people_would_match_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="can never match a host"):
        parse(f'domains = ["{pattern}"]', "p.toml")


@given(
    st.lists(st.sampled_from(["\t", "\n", "\r", " ", "\x00", ""]), min_size=11, max_size=11),
    st.text(max_size=10),
)
def test_no_blank_or_case_hides_an_address_with_code(noise: list[str], rest: str) -> None:
    url = "".join(blank + letter for blank, letter in zip(noise, "javascript:", strict=True))
    assert addresses.carries_code(url + rest)
    assert addresses.carries_code(url.upper() + rest)


@given(st.text(max_size=60))
def test_any_address_can_be_judged(url: str) -> None:
    assert isinstance(hosts.host_of(url), str)
    assert addresses.carries_code(url) in (True, False)


def test_secrets_are_known_by_name_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    key = tmp_path / ".ssh" / "config"
    key.write_text("x")
    (tmp_path / "holiday.jpg").symlink_to(key)
    assert addresses.holds_secret(str(key))
    assert addresses.holds_secret(str(tmp_path / "holiday.jpg"))
    assert not addresses.holds_secret(str(tmp_path / "report.pdf"))


def test_inside_follows_links_and_dots(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    assert addresses.is_in_folders(str(folder / "a" / "b.txt"), [str(folder)])
    assert not addresses.is_in_folders(str(folder / ".." / "b.txt"), [str(folder)])
    assert not addresses.is_in_folders(str(tmp_path / "inn" / "b.txt"), [str(folder)])


@pytest.mark.parametrize("name", ["a\0b", "~nobody-of-that-name/x", "loop/x", "a" * 300, "\ud800"])
def test_a_file_that_cannot_be_is_judged_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert addresses.is_in_folders(str(tmp_path / name), [str(tmp_path)])
    assert not addresses.is_in_folders(name, [str(tmp_path)])
    assert not addresses.holds_secret(name)
    assert addresses.holds_secret(f"{name}/.ssh/id_rsa")


def meanings(action: Action, opening: Opening | None = None) -> list[str]:
    told = opening or Opening("unknown")
    return [reading.meaning for reading in classify(action, {}, screen(), lambda name: told)]


@pytest.mark.parametrize(
    "file",
    [
        "~/.ssh/id_ed25519",
        "~/.ssh",
        "/srv/app/.env",
        "~/.aws/credentials",
        "~/.netrc",
        "~/.local/share/keyrings/login.keyring",
    ],
)
def test_showing_a_file_of_secrets_means_what_uploading_it_does(file: str) -> None:
    whole = str(Path(file).expanduser())
    address = f"file://{whole}"
    escaped = address.replace("/.", "/%2e")
    for way in (file, whole, address, escaped, f" FILE:{whole}", f"view-source:{address}#top"):
        assert "secret-file" in meanings(Navigate(way)), way
        assert "secret-file" in meanings(Open(way)), way
    for opening in (Opening("document", ("paper", whole)), Opening("command", ("paper", whole))):
        assert "secret-file" in meanings(Open("it"), opening)
    link = screen(widget("link", "Next", attributes={"href": address}))
    found = Found(link.elements[0].box.center, link.elements[0])
    read = classify(Click(found.point), {"at": found}, link)
    assert "secret-file" in [reading.meaning for reading in read]


@pytest.mark.parametrize("url", ["file:///usr/share/doc/", "~/report.pdf", "https://example.org/.env", "a"])
def test_other_addresses_show_no_secrets(url: str) -> None:
    assert meanings(Navigate(url)) == ["plain"]
