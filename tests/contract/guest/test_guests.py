"""Local guests: forgotten at a reset, kept in snapshots, apart from each other and from this machine."""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from guiagent_platforms.guest import guests, keeper
from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import GuestComputer
from private import needs, until

from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Size

NAME = f"test-{os.getpid()}"


def said(guest: guests.LocalGuest, command: str) -> str:
    told = (
        GuestClient(guest.address, guest.token).post("/execute", {"command": command, "shell": True}).json()
    )
    return str(told["output"]).strip()


@pytest.fixture
def guest() -> Iterator[guests.LocalGuest]:
    needs("Xvfb", "openbox", "dbus-daemon", "nsenter", "setpriv")
    if why := keeper.reason_against():
        pytest.skip(why)
    started = guests.start(NAME, Size(800, 600), execute=True)
    yield started
    for name in (NAME, f"{NAME}-b"):
        with suppress(ConfigError, ComputerLost):
            guests.running(name).stop()


def test_nothing_of_a_guest_is_left_after_a_reset_but_what_a_snapshot_keeps(guest: guests.LocalGuest) -> None:
    said(guest, "echo one > ~/kept; sleep 1000 & echo x > /tmp/trace")
    guest.snapshot("s")
    said(guest, "echo two > ~/kept; rm -r ~/Desktop")
    guest.reset()
    assert (
        said(guest, "cat ~/kept ~/Desktop/x /tmp/trace; ls -d ~/Desktop; pgrep sleep") == "/home/user/Desktop"
    )
    guest.reset("s")
    assert said(guest, "cat ~/kept") == "one"
    guest.reset()
    assert said(guest, "cat ~/kept") == "", "the beginning is before the snapshot"
    with pytest.raises(ConfigError, match="no snapshot"):
        guest.reset("none")


def test_guests_do_not_see_each_other_or_the_machine(guest: guests.LocalGuest, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the machine")
    said(guest, "echo mine > ~/file")
    other = guest.fork(f"{NAME}-b", execute=True)
    assert said(other, "cat ~/file") == "mine"
    said(other, "echo theirs > ~/file")
    assert said(guest, "cat ~/file") == "mine"
    assert (
        said(guest, f"cat {tmp_path}/secret; ls /root /home; id -u; hostname")
        == "/home:\nuser\n\n/root:\n1000\nguest"
    )
    assert said(guest, "echo x > /usr/x; echo x > /etc/x; ls /usr/x /etc/x; ls /home") == "user"
    assert [line.split(":")[0].strip() for line in said(guest, "cat /proc/net/dev").splitlines()[2:]] == [
        "lo"
    ]
    assert "sleep" not in said(other, "ps ax") and len(said(other, "ps ax").splitlines()) < 20


@pytest.mark.nightly
def test_what_was_kept_outlives_its_guest_with_all_that_it_had_gone_back_to(
    guest: guests.LocalGuest, tmp_path: Path
) -> None:
    said(guest, "echo one > ~/first; rm -r ~/Music")
    guest.keep(tmp_path / "a")
    guest.reset()
    guests.running(NAME).go_back(tmp_path / "a")
    said(guest, "echo two > ~/second; cp /bin/true ~/tool; chmod 6755 ~/tool")
    guests.running(NAME).keep(tmp_path / "b")
    shutil.rmtree(tmp_path / "a")
    assert said(guest, "cat ~/first") == "one", "it runs on its own copy"
    other = guests.start(f"{NAME}-b", Size(800, 600), execute=True)
    other.go_back(tmp_path / "b")
    assert said(other, "cat ~/first ~/second; ls -d ~/Music") == "one\ntwo"
    options = said(other, "grep ' /home/user ' /proc/mounts").split()[3].split(",")
    assert {"nosuid", "nodev"} <= set(options), "a layer may come from somebody else"


@pytest.mark.nightly
def test_three_guests_at_once_have_files_processes_ports_and_names_of_their_own(
    guest: guests.LocalGuest,
) -> None:
    needs("curl")
    named = [f"{NAME}-{letter}" for letter in "cd"]
    try:
        with ThreadPoolExecutor(3) as pool:
            others = pool.map(lambda name: guests.start(name, Size(800, 600), execute=True), named)
            three = [guest, *others]
            list(pool.map(lambda one: said(one, f"echo {one.name} > ~/mine"), three))
            serve = "cd ~; python3 -m http.server 8000 > /dev/null 2>&1 &"
            list(pool.map(lambda one: said(one, serve), three))
            asked = (
                "for n in 1 2 3 4 5 6 7 8 9; do curl -s localhost:8000/mine && break; sleep 0.5; done; "
                "pgrep -fc http.serve[r]; ls /home/user /tmp | grep -c mine"
            )
            seen = list(pool.map(lambda one: said(one, asked).split(), three))
        assert seen == [[one.name, "1", "1"] for one in three]
        guest.reset()
        assert [said(one, "cat ~/mine") for one in three[1:]] == named, "one's reset is its own"
        assert len({(one.address, one.token, one.first) for one in three}) == 3
    finally:
        for name in named:
            with suppress(ConfigError, ComputerLost):
                guests.running(name).stop()


@pytest.mark.nightly
def test_many_resets_leave_no_process_mount_or_file_behind(guest: guests.LocalGuest) -> None:
    guest.reset()
    before = traces(guest)
    times = []
    for _ in range(int(os.environ.get("RESETS", "5"))):
        began = time.monotonic()
        guest.reset()
        with GuestComputer(NAME) as computer:
            assert computer.observe().size == Size(800, 600)
        times.append(time.monotonic() - began)
    print(f"median of {len(times)} resets to the first screenshot: {statistics.median(times):.2f} s")
    after = traces(guest)
    assert (*after[:2], after[3]) == (*before[:2], before[3]), "something is left of the resets"
    assert after[2] <= before[2] + 1, "the keeper keeps files open"
    guest.stop()
    until(lambda: not guest.folder.exists() and not of(guest), "the end of the keeper")


def traces(guest: guests.LocalGuest) -> tuple[int, int, int, set[str]]:
    """Processes and mounts, open files of the keeper, and what lies in the folder of a guest."""
    keeper = of(guest)[0]
    deadline = time.monotonic() + 10
    while (
        any(path.name.startswith("old-") for path in guest.folder.iterdir()) and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    time.sleep(0.6)  # the keeper looks for ended processes twice a second
    mounts = Path("/proc/mounts").read_text().count("guiagent-guests")
    files = len(list(Path(f"/proc/{keeper}/fd").iterdir()))
    return len(of(guest)), mounts, files, {path.name for path in guest.folder.iterdir()}


def of(guest: guests.LocalGuest) -> list[int]:
    """The processes of a guest that belong to its keeper."""
    found = []
    for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        with suppress(OSError):
            if f'"folder": "{guest.folder}"'.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def test_a_guest_ends_with_the_process_that_it_was_started_for(guest: guests.LocalGuest) -> None:
    owner = subprocess.Popen(["sleep", "100"])
    other = guests.start(f"{NAME}-b", Size(800, 600), owner=owner.pid)
    owner.kill()
    owner.wait()
    until(lambda: not other.folder.exists() and not of(other), "the end of the guest")
    assert of(guest), "and no other one"


@pytest.mark.nightly
def test_a_guest_ends_with_its_keeper_and_is_pruned(guest: guests.LocalGuest) -> None:
    keeper = of(guest)[0]
    guest.reset()
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not of(guest), "the end of all its processes")
    assert NAME not in guests.names(), "who lists guests does not wait for it"
    assert NAME in guests.prune() and not guest.folder.exists()


def test_without_the_right_to_namespaces_it_says_what_else_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1234)
    with pytest.raises(ConfigError, match="--on virtual"):
        guests.start("never", Size(800, 600))
