"""A benchmark of your own: three tasks on one page, each instance with its own seed, graded by the page.

PYTHONPATH=examples guiagent eval run own_benchmark:Greetings --episodes 3
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from guiagent_eval.benchmark import Case, Grade

from gui_agent import BrowserComputer, ConfigError, Task
from gui_agent.core.observation import Observation

NAMES = ("Ada", "Grace", "Alan", "Edsger")
PAGE = """<!doctype html><title>Greetings</title><label>Name <input></label>
<label><input type=checkbox> Polite</label>
<button onclick="out.textContent = (document.querySelector('[type=checkbox]').checked ? 'Good day, ' : 'Hi ')
  + document.querySelector('input').value">Greet</button><p id=out></p>"""
TASKS = {
    "type": 'type "{name}" into "Name"',
    "greet": 'type "{name}" into "Name", click "Greet"',
    "polite": 'type "{name}" into "Name", tick "Polite", click "Greet"',
}


@dataclass
class Greeting:
    """One instance: the page with a name chosen by its seed."""

    computer: BrowserComputer
    case: Case

    @property
    def name(self) -> str:
        return random.Random(self.case.seed).choice(NAMES)

    @property
    def task(self) -> Task:
        return Task(TASKS[self.case.task].format(name=self.name))

    def end_reason(self) -> str:
        return ""

    def grade(self) -> Grade:
        screen = self.computer.observe(picture=False)
        wanted = {"type": "", "greet": f"Hi {self.name}", "polite": f"Good day, {self.name}"}[self.case.task]
        good = self._typed(screen) and (not wanted or any(one.name == wanted for one in screen.elements))
        return Grade(success=good, reward=float(good), raw=float(good), finished=True)

    def _typed(self, screen: Observation) -> bool:
        return any(one.role == "textbox" and one.value == self.name for one in screen.elements)


class Greetings:
    """The benchmark: one browser for all episodes, a fresh page for each."""

    name = "greetings"

    def __init__(self) -> None:
        self._computer: BrowserComputer | None = None
        self._folder = tempfile.TemporaryDirectory()

    def tasks(self, suite: str) -> Sequence[str]:
        if suite != "all":
            raise ConfigError(f"there is no suite {suite}; the only one is all")
        return tuple(TASKS)

    def setup(self) -> None:
        Path(self._folder.name, "page.html").write_text(PAGE, encoding="utf-8")
        self._computer = BrowserComputer()

    @contextmanager
    def episode(self, case: Case) -> Iterator[Greeting]:
        assert self._computer is not None, "setup() comes first"
        self._computer.start(Path(self._folder.name, "page.html").as_uri())
        yield Greeting(self._computer, case)

    def teardown(self) -> None:
        if self._computer is not None:
            self._computer.close()
        self._computer = None
