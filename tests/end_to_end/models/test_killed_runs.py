"""Runs that are killed at any moment and resumed: nothing is stored blank, twice or not at all unnoticed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.models.conftest import Service
from tests.end_to_end.models.store import Entry, Store, commands, next_move

pytestmark = pytest.mark.slow
SECONDS = {"plain": 3.0, "demonstration": 1.2, "model": 3.0}
"""What a run takes from its first page on, about; the kill comes at random within it."""
MOST_KILLS = 3


class Bed:
    """A home with a memory, and commands in it that can be killed."""

    def __init__(self, home: Path, store: Store) -> None:
        self._store = store
        self._home = home
        home.mkdir()
        self.said = home / "said.txt"
        """What the last command said."""
        state = home / "state"
        self._environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(state)}

    def ended(self, *arguments: str, within: float | None = None, random_: random.Random) -> int | None:
        """The exit code of a command; None when it was killed before its end.

        Args:
            within: seconds after its first look at the store, at a random one of which it is killed.
        """
        looks = self._store.looks
        command = [sys.executable, "-m", "gui_agent", *arguments]
        with self.said.open("wb") as said:
            process = subprocess.Popen(
                command,
                cwd=self._home,
                env=self._environment,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stderr=said,
            )
        try:
            if within is None:
                return process.wait(120)
            end = time.monotonic() + 60
            while self._store.looks == looks and process.poll() is None and time.monotonic() < end:
                time.sleep(0.005)
            try:
                return process.wait(random_.uniform(0, within))
            except subprocess.TimeoutExpired:
                return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    made = Store()
    yield made
    made.close()


@pytest.fixture(scope="module")
def learned(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Bed:
    """A home in which storing one entry was learned."""
    bed = Bed(tmp_path_factory.mktemp("bed") / "home", store)
    chance = random.Random(0)
    shown = commands([("Ada", "B")])
    assert bed.ended("run", shown, "--url", store.url, "--yes", "--quiet", random_=chance) == 0
    assert bed.ended("learn", "last", "--task", "Store 'Ada' as 'B'", random_=chance) == 0
    return bed


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("planner", ["plain", "demonstration", "model"])
def test_a_killed_run_that_is_resumed_stores_each_entry_once_or_says_that_it_does_not_know(
    planner: str, seed: int, store: Store, service: Service, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    chance = random.Random(f"{planner} {seed}")
    wanted: list[Entry] = [(f"n{seed}x{number}", "B") for number in (1, 2, 3)]
    bed = Bed(tmp_path / "home", store)
    rest: tuple[str, ...] = ()
    match planner:
        case "plain":
            task = [commands(wanted), "--url", store.url]
        case "demonstration":
            wanted = wanted[:1]
            bed, task = request.getfixturevalue("learned"), [f"Store '{wanted[0][0]}' as 'B'"]
        case _:
            rest = ("--model", f"{service.url}/v1#local")
            service.script = [lambda body: next_move(len(service.asked), body, wanted)]
            task = ["Store three entries", "--url", store.url]
    store.entries.clear()
    kills, code, command = 0, None, ["run", *task]
    while code is None:
        within = SECONDS[planner] if kills < MOST_KILLS else None
        code = bed.ended(*command, *rest, "--yes", "--quiet", within=within, random_=chance)
        kills += code is None
        command = ["resume", "last"]
        if code == 2:  # the kill came behind the end of the run
            code = 0 if "there is nothing to resume" in bed.said.read_text() else 2
    print(f"BED {planner} {seed}: killed {kills} times, ended with {code}, stored {store.entries}")
    assert [entry for entry in store.entries if entry not in wanted] == []
    assert len(set(store.entries)) == len(store.entries)
    assert code in (0, 4, 5)
    if code == 0:
        assert store.entries == wanted
