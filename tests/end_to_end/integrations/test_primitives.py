"""Small steps from a shell: `guiagent open`, `look`, `find`, `act`, `close` on a screen that stays open."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from in_process import guiagent

from gui_agent.integrations.screen_client import desks
from tests.end_to_end.integrations.conftest import Site


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Handles of this test alone."""
    short = Path("/tmp") / f"g{os.getpid()}"
    short.mkdir(exist_ok=True)
    monkeypatch.setenv("TMPDIR", str(short))
    monkeypatch.setattr("tempfile.tempdir", str(short))


def test_a_screen_stays_open_between_commands_until_it_is_closed(site: Site, home: Path) -> None:
    handle = json.loads(guiagent("open", site.url, "--json").stdout)["screen"]
    door = desks() / handle / "door"
    assert door.stat().st_mode & 0o077 == 0 and door.parent.stat().st_mode & 0o077 == 0
    seen = json.loads(guiagent("look", "--on", handle, "--json", "--picture", "shot.png").stdout)
    assert seen["place"]["title"] == "Orders" and (home / "shot.png").stat().st_size > 1000
    assert 'button "Press me"' in guiagent("look", "--on", handle).stdout
    found = guiagent("find", "Press me", "--on", handle, "--json")
    assert found.returncode == 0 and json.loads(found.stdout)["found"]["role"] == "button"
    assert guiagent("find", "Fly away", "--on", handle).returncode == 4
    assert guiagent("act", 'type "Ada" into "Name"', "--on", handle).returncode == 0
    assert guiagent("act", 'read "Name"', "--on", handle).stdout == "Ada\n"
    missing = guiagent("act", 'click "Fly"', "--on", handle, "--json")
    assert missing.returncode == 4 and json.loads(missing.stdout)["error"] == "NotFound"
    unclear = guiagent("act", "make everything nice", "--on", handle)
    assert unclear.returncode == 2 and "not a plain command" in unclear.stderr
    refused = guiagent("act", 'click "Send message"', "--on", handle)
    assert refused.returncode == 5 and site.posted == []
    assert guiagent("close", "--on", handle).returncode == 0
    assert not door.parent.exists()
    gone = guiagent("look", "--on", handle)
    assert gone.returncode == 2 and "no screen" in gone.stderr


@pytest.mark.nightly
def test_what_cannot_be_opened_is_one_line_and_leaves_nothing(home: Path) -> None:
    failed = guiagent("open", "http://127.0.0.1:9/", "--json")
    assert failed.returncode in (2, 3) and failed.stdout == ""
    assert len(failed.stderr.splitlines()) == 1 and "could not be opened" in failed.stderr
    assert list(desks().glob("h-*")) == []


@pytest.mark.nightly
def test_an_idle_screen_closes_itself(site: Site) -> None:
    handle = guiagent("open", site.url, "--idle", "0.5").stdout.strip()
    held = desks() / handle
    until = time.monotonic() + 20
    while held.exists():
        assert time.monotonic() < until
        time.sleep(0.1)
