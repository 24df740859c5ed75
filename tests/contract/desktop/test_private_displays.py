"""Private displays start, stop and leave nothing behind, whatever happens to whom."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from private import needs, processes_of, until

from gui_agent.computers.virtual import private
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay, Running
from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Size

SIZE = Size(640, 480)
OWNER = """
import json, sys, time
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.core.observation import Size
display = PrivateDisplay(Size(640, 480), home="fresh")
KeptLauncher(display.running).launch("xterm")
print(json.dumps([str(display.running.folder), display.running.display]), flush=True)
time.sleep(60)
"""


def leftovers(running: Running) -> list[str]:
    number = running.display.removeprefix(":")
    files = [running.folder, Path(f"/tmp/.X11-unix/X{number}"), Path(f"/tmp/.X{number}-lock")]
    return [str(path) for path in files if path.exists()] + [
        f"process {pid}" for pid in processes_of(running.folder)
    ]


def gone(running: Running) -> None:
    """Nothing of a display is left; processes that were killed may take a moment."""
    until(lambda: not leftovers(running), f"the end of {running}")


def _of_another(path: Path) -> bool:
    """Another test may have taken the number of the display in the meantime."""
    lock = Path("/tmp") / f".X{path.name.strip('.X').removesuffix('-lock')}-lock"
    try:
        return not path.is_dir() and Path(f"/proc/{int(lock.read_text())}").exists()
    except (OSError, ValueError):
        return False


@pytest.mark.nightly
def test_twenty_in_a_row_leave_no_process_socket_or_lock_file() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "xterm")
    for _ in range(20):
        with PrivateDisplay(SIZE, home="fresh") as display:
            KeptLauncher(display.running).launch("xterm")
            assert processes_of(display.running.folder)
        gone(display.running)


def test_several_run_at_once_without_knowing_of_each_other() -> None:
    needs("Xvfb", "openbox", "dbus-daemon")
    with PrivateDisplay(SIZE, home="fresh") as one, PrivateDisplay(SIZE, home="fresh") as other:
        assert one.running.display != other.running.display
        assert one.running.bus != other.running.bus
        one.close()
        gone(one.running)
        assert processes_of(other.running.folder)
    gone(other.running)


def test_it_ends_with_its_process_even_after_a_kill() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "xterm")
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    folder, display = json.loads(owner.stdout.readline())
    running = Running(display, "", Path(folder), Path(folder), SIZE, 0)
    assert processes_of(running.folder)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    gone(running)


def test_what_it_runs_ends_even_when_its_keeper_is_killed() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "xterm")
    display = PrivateDisplay(SIZE, home="fresh")
    KeptLauncher(display.running).launch("xterm")
    os.kill(display.running.keeper, signal.SIGKILL)
    until(lambda: not processes_of(display.running.folder), "the end of all processes")
    with pytest.raises(ComputerLost, match="gone"):
        KeptLauncher(display.running).launch("xterm")
    display.close()
    gone(display.running)


def test_when_the_server_dies_everything_on_it_ends() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "xterm")
    with PrivateDisplay(SIZE, home="fresh") as display:
        KeptLauncher(display.running).launch("xterm")
        for pid in processes_of(display.running.folder):
            if b"Xvfb" in Path(f"/proc/{pid}/cmdline").read_bytes()[:4]:
                os.kill(pid, signal.SIGKILL)
        gone(display.running)


def test_programs_do_not_learn_secrets_and_get_a_home_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    needs("Xvfb", "openbox", "dbus-daemon")
    monkeypatch.setenv("GUIAGENT_SECRET_PIN", "1234")
    monkeypatch.setenv("SOME_API_KEY", "key")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    script = tmp_path / "tell"
    script.write_text(f"#!/bin/sh\nenv > {tmp_path}/half; mv {tmp_path}/half {tmp_path}/told\n")
    script.chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    with PrivateDisplay(SIZE, home=str(home)) as display:
        KeptLauncher(display.running).launch(str(script))
        until((tmp_path / "told").exists, "the program's answer")
    told = dict(line.partition("=")[::2] for line in (tmp_path / "told").read_text().splitlines())
    assert told["HOME"] == str(home)
    assert told["DISPLAY"] == display.running.display
    assert not {"GUIAGENT_SECRET_PIN", "SOME_API_KEY", "WAYLAND_DISPLAY"} & told.keys()


def test_when_the_time_is_over_its_end_goes_on_without_being_waited_for() -> None:
    private = PrivateDisplay(Size(640, 480), home="fresh")
    folder = private.running.folder
    ready = private.running.home / "ready"
    KeptLauncher(private.running).launch("sh -c \"trap '' TERM; touch ready; while :; do sleep 1; done\"")
    until(ready.exists, "the program that does not end when it is told to")
    os.kill(private.running.keeper, signal.SIGSTOP)  # so that it is not done before it is looked for
    with deadline.ends_in(0.0):
        private.close()
    assert folder.exists(), "waited for the program to be killed"
    os.kill(private.running.keeper, signal.SIGCONT)
    until(lambda: not folder.exists() and not processes_of(folder), "the end of the display")


def test_a_program_that_is_not_there_or_fails_at_once_is_told() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "xterm")
    with PrivateDisplay(SIZE, home="fresh") as display:
        launcher = KeptLauncher(display.running)
        with pytest.raises(ActionFailed, match="no program or file is called"):
            launcher.launch("no-such-program-anywhere")
        launcher.launch("xterm -no-such-option")
        until(launcher.failure, "the end of the program")
        assert launcher.failure().startswith("xterm ended with code")


def test_named_desktops_stay_until_they_are_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    needs("Xvfb", "openbox", "dbus-daemon")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("d")))
    running = private.start("work", SIZE)
    try:
        assert private.names() == ["work"]
        assert private.running("work").display == running.display
        with pytest.raises(ConfigError, match="is running"):
            private.start("work", SIZE)
        with pytest.raises(ConfigError, match=r"no desktop .wrok. runs .did you mean .work."):
            private.running("wrok")
    finally:
        private.stop("work")
    assert private.names() == []
    gone(running)


def test_a_missing_part_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"Xvfb is not installed.*apt-get install xvfb"):
        PrivateDisplay(SIZE, home="fresh")
