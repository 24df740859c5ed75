"""Private displays for tests, and the programs that must be installed for them."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.observation import Element, Observation


def needs(*programs: str) -> None:
    """Skip the test where a program is not installed; the build server has all of them."""
    for program in programs:
        if shutil.which(program) is None:
            assert not os.environ.get("CI"), f"{program} is not installed; scripts/setup should do it"
            pytest.skip(f"{program} is not installed")


def until(holds: Callable[[], object], what: str, seconds: float = 100.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.02)


def element(observation: Observation, role: str, name: str = "") -> Element:
    """The first element of a role, and a name if one is given."""
    found = [one for one in observation.elements if one.role == role and name in ("", one.name)]
    assert found, f"no {role} {name} in {[str(one) for one in observation.elements]}"
    return found[0]


def shown(desktop: VirtualComputer, role: str, name: str = "", seconds: float = 100.0) -> Element:
    """The first element of a role and name, waited for."""
    seen: list[Element] = []

    def there() -> bool:
        seen[:] = [
            one
            for one in desktop.observe(picture=False).elements
            if one.role == role and name in ("", one.name)
        ]
        return bool(seen)

    until(there, f'{role} "{name}" on the screen', seconds)
    return seen[0]


def processes_of(folder: Path) -> list[int]:
    """Processes whose environment or command names a folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in told:
                found.append(int(process.name))
    return found
