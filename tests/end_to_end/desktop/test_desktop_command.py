"""Private desktops from the command line: start, run on, look at, stop; and the check of the screen."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from in_process import guiagent
from private import needs, processes_of, until

from gui_agent.core.observation import Size

GUIAGENT = [sys.executable, "-m", "gui_agent"]


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for temporary files that is short enough for sockets; nothing on it outlives the test."""
    needs("Xvfb", "openbox", "dbus-daemon")
    folder = tmp_path_factory.mktemp("d")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    guiagent("desktop", "stop", "--all")
    until(lambda: processes_of(folder) == [], "the end of every process of the desktop")
    shutil.rmtree(folder, ignore_errors=True)


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*GUIAGENT, *words], capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.nightly
def test_a_named_desktop_stays_between_runs(temporary: Path, tmp_path: Path) -> None:
    needs("mousepad")
    started = call("desktop", "start", "work", "--size", "900x700", "--home", "fresh", "--open", "Mousepad")
    assert started.returncode == 0, started.stderr
    assert "--on virtual:work" in started.stdout
    listed = json.loads(call("desktop", "list", "--json").stdout)
    assert [(one["name"], one["size"]) for one in listed] == [("work", [900, 700])]
    into = tmp_path / "list.txt"
    options = ("--on", "virtual:work", "--runs", str(tmp_path / "runs"), "--quiet")
    typed = call("run", 'wait for "Edit", type "shopping list"', *options)
    assert typed.returncode == 0, typed.stderr
    saved = call("run", f'press ctrl+s, wait for "Name:", type "{into}", press Enter, wait 1 s', *options)
    assert saved.returncode == 0, saved.stderr
    assert into.read_text() == "shopping list"
    assert call("desktop", "stop", "work").returncode == 0
    assert json.loads(call("desktop", "list", "--json").stdout) == []


def test_the_view_of_a_named_desktop_shows_its_screen(temporary: Path) -> None:
    assert call("desktop", "start", "work", "--home", "fresh").returncode == 0
    viewer = subprocess.Popen(
        [*GUIAGENT, "desktop", "view", "work"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert viewer.stdout is not None
        url = viewer.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=\S+", url)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        assert b"guiagent desktop work" in browser.open(url, timeout=60).read()
        with browser.open(url.partition("?")[0] + "stream", timeout=60) as stream:
            assert b"image/jpeg" in stream.read(300)
        viewer.send_signal(signal.SIGINT)
        assert viewer.wait(60) == 130
    finally:
        viewer.kill()
        viewer.wait()
        viewer.stdout.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("desktop", "start", "a/b"), "cannot be the name of a desktop"),
        (("desktop", "start", "work", "--size", "big"), "write it as 1280x800"),
        (("desktop", "view", "nobody"), 'no desktop "nobody" runs; start it: guiagent desktop start nobody'),
        (("run", 'press "a"', "--on", "virtual:nobody"), 'no desktop "nobody" runs'),
        (("desktop", "stop"), "Name the desktops to stop"),
    ],
)
def test_mistakes_are_told_in_one_line(temporary: Path, words: tuple[str, ...], told: str) -> None:
    done = guiagent(*words)
    assert done.returncode == 2
    assert told in done.stderr


def test_the_check_of_a_private_screen_passes(temporary: Path) -> None:
    done = guiagent("doctor", "--screen", "--on", "virtual", "--json")
    assert done.returncode == 0, done.stdout
    findings = {one["what"]: one for one in json.loads(done.stdout)["findings"]}
    assert "error at most 0 pixels" in findings["monitor 1"]["detail"]


def test_without_a_display_the_check_says_what_to_do(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    done = guiagent("doctor", "--screen")
    assert done.returncode == 2
    assert "--on virtual" in done.stdout


def test_sizes_are_read_as_people_write_them() -> None:
    from gui_agent.cli.desktop import parse_size

    assert parse_size(" 1280 x 800") == Size(1280, 800)


@pytest.mark.nightly
def test_a_task_on_the_screen_in_front_counts_down_and_says_how_to_stop(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mousepad")
    assert call("desktop", "start", "mine", "--home", "fresh", "--open", "Mousepad").returncode == 0
    mine = json.loads(call("desktop", "list", "--json").stdout)[0]
    monkeypatch.setenv("DISPLAY", mine["display"])
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", mine["bus"])
    options = ("--on", "desktop", "--countdown", "1", "--runs", str(tmp_path / "runs"), "--json", "--quiet")
    done = call("run", 'wait for "Edit", type "hello", click "Edit", press escape', *options)
    assert done.returncode == 0, done.stderr
    assert "press ctrl+alt+q or move the mouse into a corner" in done.stderr
    assert "starting in 1" in done.stderr
    assert json.loads(done.stdout)["ok"]
    assert call("doctor", "--screen").returncode == 0
