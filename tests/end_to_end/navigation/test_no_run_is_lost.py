"""No run is lost by where a page goes: pictures on, the default settings, real navigations."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.computers.browser import BrowserComputer
from tests.end_to_end.navigation.town import Town, town
from tests.end_to_end.navigation.trips import LINKS, POST, THANKS, TRIPS, Trip, busy, travel

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def site() -> Iterator[Town]:
    with town() as opened:
        yield opened


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserComputer]:
    with BrowserComputer(downloads=str(tmp_path_factory.mktemp("downloads"))) as computer:
        yield computer


@pytest.mark.parametrize("trip", TRIPS, ids=[f"{number}-{trip.name}" for number, trip in enumerate(TRIPS)])
def test_a_trip_is_done(trip: Trip, site: Town, browser: BrowserComputer, tmp_path: Path) -> None:
    ending = travel(trip, site, browser, f"Ada {tmp_path.name}", str(tmp_path))
    assert ending.kind == "done", ending.reason


@pytest.mark.parametrize(("trip", "runs"), [(LINKS, 10), (POST, 30)], ids=["30 links", "30 forms"])
def test_thirty_navigations_under_load_lose_no_run(
    trip: Trip, runs: int, site: Town, browser: BrowserComputer, tmp_path: Path
) -> None:
    with busy(4):
        endings = [travel(trip, site, browser, f"Grace {number}", str(tmp_path)) for number in range(runs)]
    assert [ending.reason for ending in endings if ending.kind != "done"] == []


def test_the_command_gets_through_a_form(site: Town, tmp_path: Path) -> None:
    task = THANKS.replace("{name}", "Edsger")
    command = [sys.executable, "-m", "gui_agent", "run", task, "--url", site.address + POST.start]
    done = subprocess.run(
        [*command, "--yes", "--json", "--runs", "runs"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]
    assert site.registered["Edsger"] == 1
    assert list(tmp_path.glob("runs/**/*.png"))


@pytest.mark.timeout(180)
def test_a_page_that_hangs_ends_its_run_only(site: Town, browser: BrowserComputer, tmp_path: Path) -> None:
    hanging = travel(Trip("/hanging", 'click "Hang", click "Home"'), site, browser, "", str(tmp_path))
    assert (hanging.kind, "not answered" in hanging.reason) == ("lost", True), hanging
    after = travel(POST, site, browser, "Barbara", str(tmp_path))
    assert after.kind == "done", after.reason
