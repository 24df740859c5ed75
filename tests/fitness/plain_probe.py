"""Tries doors as in an environment that has the plain package alone; prints what each said, as JSON.

Usage: plain_probe.py BLOCKED DOORS: the modules that are not there, and the doors, as JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any


class Plain(MetaPathFinder):
    """A finder that does not find the modules of packages that the plain one does not bring."""

    def __init__(self, finder: Any, blocked: set[str]) -> None:
        self._finder, self._blocked = finder, blocked

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> Any:
        blocked = fullname.partition(".")[0] in self._blocked
        return None if blocked else self._finder.find_spec(fullname, path, target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)


def parts() -> None:
    """Every part that settings can name is there, or names the extra that it needs."""
    from gui_agent import plugins
    from gui_agent.core.errors import MissingExtra

    for group in plugins.GROUPS:
        for name in plugins.installed_parts(group) if group != "desktops" else ():
            try:
                plugins.find(group, name)
            except MissingExtra as error:
                print(error)


def view() -> None:
    """What a page to watch shows of a browser and of one's own computer."""
    from gui_agent import BrowserComputer, ConfigError
    from gui_agent.integrations.runs import grabber
    from gui_agent.testing import FakeComputer, screen, text

    grabber(BrowserComputer.__new__(BrowserComputer))
    with contextlib.suppress(ConfigError):
        grabber(FakeComputer(screen(text("x"))))


def teach() -> None:
    """Who records a person in a browser, and on one's own computer."""
    from gui_agent import ConfigError
    from gui_agent.testing import FakeComputer, screen, text
    from gui_agent.wiring.observers import make_recorder

    with contextlib.suppress(ConfigError):
        make_recorder(FakeComputer(screen(text("x"))))


def doctor() -> None:
    """Whether what is needed is here: a screen that the settings name has to be."""
    from gui_agent.cli.doctor import parts as findings
    from gui_agent.settings import load

    state = {one.what: one.state for one in findings(load((), ("computer.kind=virtual",)))}
    assert (state["computer virtual"], state["computer vnc"]) == ("missing", "optional"), state
    assert "missing" not in {one.state for one in findings(load())}


def main() -> None:
    blocked, doors = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    sys.meta_path[:] = [Plain(one, set(blocked)) for one in sys.meta_path]
    from gui_agent.cli import call

    told = []
    for door in doors:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = call(door) if isinstance(door, list) else globals()[door]() or 0
            except Exception as error:  # noqa: BLE001 - what a command does not tell is a fault
                code = 1
                said.write(f"{type(error).__name__}: {error}")
        told.append([door, int(code), said.getvalue()])
    print(json.dumps(told))


if __name__ == "__main__":
    main()
