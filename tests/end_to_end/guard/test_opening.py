"""Nothing is run on a desktop by being opened, navigated to or begun with, unless somebody says yes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from obedient import Obedient, errors
from private import needs

from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.actions import Navigate, Open, Press, Proposal
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.testing import ScriptedApprover

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def desktop() -> Iterator[VirtualComputer]:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad", "xterm")
    with VirtualComputer(home="fresh") as computer:
        yield computer


@pytest.fixture
def at(desktop: VirtualComputer) -> Obedient:
    return Obedient(desktop, "", {}, [])


def commands(target: Path) -> list[str]:
    """Ways to say a command line that leaves a file behind."""
    return [
        f"touch {target}",
        f"sh -c 'touch {target}'",
        f"env touch {target}",
        f"xterm -e touch {target}",
        f"mousepad --disable-server {target}",
        f"python3 -c \"open('{target}', 'w')\"",
    ]


def test_a_command_line_is_not_run_by_opening_it(at: Obedient, tmp_path: Path) -> None:
    target = tmp_path / "pwned"
    script = tmp_path / "letter"
    script.write_text(f"#!/bin/sh\ntouch {target}\n")
    script.chmod(0o755)
    actions: list[Proposal] = [Open(name) for name in (*commands(target), str(script), f"{script} --now")]
    assert errors(at.run(*actions, start="")) == ["Forbidden"] * len(actions)
    assert not target.exists()


def test_a_command_line_is_not_gone_to(at: Obedient, tmp_path: Path) -> None:
    target = tmp_path / "pwned"
    actions: list[Proposal] = [Navigate(f"{name} x://") for name in commands(target)]
    assert errors(at.run(*actions, start="")) == ["ActionFailed"] * len(actions)
    assert not target.exists()


def test_a_task_does_not_begin_with_a_command_line(at: Obedient, tmp_path: Path) -> None:
    target = tmp_path / "pwned"
    for name in commands(target):
        done = at.run(start=name)
        assert done.ending is not None and done.ending.kind == "refused", name
    assert not target.exists()


def test_what_destroys_stays_forbidden_with_a_yes(at: Obedient, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.write_text("x")
    done = at.run(Open(f"rm -rf {keep}"), Open(f"sh -c 'rm -rf {keep}'"), start="", yes=True)
    assert errors(done) == ["Forbidden", "Forbidden"]
    assert keep.exists()


def test_a_person_is_shown_the_command_and_may_say_yes(at: Obedient, tmp_path: Path) -> None:
    person = ScriptedApprover([True])
    at.run(Open(f"touch {tmp_path}/wanted"), start="", person=person)
    assert person.questions[0].startswith(f"open the command touch {tmp_path}/wanted (run a command)?")
    assert (tmp_path / "wanted").exists()


def test_programs_of_the_menu_and_documents_ask_nobody(at: Obedient, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("hi")
    done = at.run(
        Open("Mousepad"),
        Open(f"mousepad {letter}"),
        Open(str(letter)),
        Open("xterm"),
        Press(("alt+F4",)),
        start="",
    )
    assert "Forbidden" not in errors(done)


def test_a_page_with_code_in_its_address_does_not_begin_a_task(obedient: Obedient) -> None:
    for start in ("data:text/html,<script>1</script>", "javascript:1", "view-source:http://a"):
        done = obedient.run(start=start)
        assert done.ending is not None and done.ending.kind == "refused", start


def test_the_command_refuses_when_nobody_is_there(tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon")
    target = tmp_path / "pwned"
    demo, other = tmp_path / "demo.json", tmp_path / "other.json"
    name = f"touch {target}"
    save_demonstration(demo, Demonstration("Begin", (DemoStep(Open(name)),)))
    save_demonstration(other, Demonstration("Begin", (DemoStep(Press(("tab",))),), start=name))
    common = ["--on", "virtual", "--runs", str(tmp_path / "runs"), "--quiet"]
    for words in ([f'open "touch {target}"'], ["--demo", str(demo)], ["--demo", str(other)]):
        command = [sys.executable, "-m", "gui_agent", "run", *words, *common]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False
        )
        assert done.returncode == 5, done.stderr
        assert "run a command" in done.stderr + done.stdout
        assert not target.exists()
