"""Drives real applications through scripted actions and holds what a run says of each against its label.

A file in `pairs` names an application, of `eval/apps` or of the folder `apps` here, and visits of it; each
visit begins anew. A pair is `[sort, verb, what, label]`. The label is a pattern of which something has to be
said, `-` where nothing may be said to have changed, `*` for a step that only leads on. Labels are written by
hand, from the application and its pictures, before anything of what guiagent says is looked at.

What may be acted upon: `Save`, `button:Save`, `css:SELECTOR` (its middle, or `css:SELECTOR @ 0.2,0.5` as
shares of its size; in a browser), `@ 100,200` (a point of the picture).
"""

from __future__ import annotations

import re
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guiagent_eval.app_catalogue import App, applications
from guiagent_eval.app_data import AppData, fill_in
from guiagent_eval.app_server import AppServer, cache_folder, install, placeholders
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Back, Check, Choose, Click, Drag, Move, Press, Proposal, Scroll, TypeText
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point, Target, Words
from gui_agent.core.protocols import Computer, Situation
from gui_agent.core.trajectory import Decision, Finish, Planned, Step
from gui_agent.planners.llm.rendering import outcome_text
from gui_agent.testing import OpenGuard

HERE = Path(__file__).parent
NOTHING = "-"
UNJUDGED = "*"
"""The label of a step that only leads on: what a blinking text cursor shows is chance."""
SECONDS = 240.0
"""Time of a visit."""
FEW = 3
"""Things that a screen which is only being loaded may show."""
LOADING = 30.0
"""Seconds within which an application has built its first screen."""
_BOX = """(selector) => {
  const found = [...document.querySelectorAll(selector)].find((one) => one.getBoundingClientRect().width > 0);
  if (!found) return null;
  const box = found.getBoundingClientRect();
  return [box.left, box.top, box.width, box.height];
}"""


@dataclass(frozen=True)
class Pair:
    """One action on one screen, and what is true of it."""

    app: str
    sort: str
    verb: str
    what: str
    label: str

    def __str__(self) -> str:
        return f"{self.app}: {self.verb} {self.what}"


@dataclass(frozen=True)
class Judged:
    """A pair, and what the run said of it."""

    pair: Pair
    kind: str
    said: str

    @property
    def right(self) -> bool:
        if self.pair.label == NOTHING:
            return self.kind == "no_change"
        told = self.kind in ("confirmed", "changed")
        return told and re.search(self.pair.label, self.said, re.IGNORECASE) is not None

    @property
    def falsely_nothing(self) -> bool:
        """Whether it was said that nothing changed where something did."""
        return self.pair.label != NOTHING and self.kind == "no_change"


@dataclass(frozen=True)
class Visit:
    """Pairs that follow each other on one start of an application."""

    app: App
    start: str
    pairs: tuple[Pair, ...]


def known_apps() -> dict[str, App]:
    """The applications of the benchmark, and those that are only here."""
    return {**applications(), **applications(HERE / "apps")}


def visits(names: tuple[str, ...] = ()) -> Iterator[Visit]:
    """All visits, or those of some applications."""
    apps = known_apps()
    for path in sorted((HERE / "pairs").glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        app = apps[path.stem]
        if names and app.name not in names:
            continue
        for visit in table["visit"]:
            pairs = tuple(Pair(app.name, *row) for row in visit["pairs"])
            yield Visit(app, visit.get("start", app.start), pairs)


@contextmanager
def opened(app: App, start: str, home: Path) -> Iterator[Computer]:
    """A screen that shows the application in its first state."""
    install(app, cache_folder(), print)
    if app.kind == "web":
        server = AppServer(app, cache_folder())
        try:
            server.fresh()
            with PageComputer(size=(1280, 800), downloads=str(home)) as browser:
                browser.start(server.names["address"] + start)
                yield _built(browser)
        finally:
            server.close()
        return
    from gui_agent.computers.virtual.computer import VirtualComputer

    names = {**placeholders(app, cache_folder()), "home": str(home)}
    data = AppData(home, app.database)
    data.do(fill_in(list(app.seed), names))
    if (app.folder / "data").is_dir():
        shutil.copytree(app.folder / "data", home, dirs_exist_ok=True)
    with VirtualComputer(home=str(home), window=False) as display:
        display.start(str(fill_in(start, names)))
        yield _built(display)


def _built(computer: Computer) -> Computer:
    """The screen once the application has built it: two looks a second apart list as many things."""
    end, before = time.monotonic() + LOADING, -1
    while time.monotonic() < end:
        computer.settle()
        now = len(computer.observe(picture=False).elements)
        if now == before and now > FEW:
            break
        before = now
        time.sleep(1)
    return computer


def judged(visit: Visit, home: Path) -> list[Judged]:
    """Do the pairs of a visit, one after the other, and take down what is said of each."""
    with opened(visit.app, visit.start, home) as computer:
        planner = _Script(visit.pairs, computer)
        agent = Agent(computer, planner, guard=OpenGuard(), limits=Limits(seconds=SECONDS, steps=200))
        run = agent.run("see what is said of each action").trajectory
    done = [_told(pair, step) for pair, step in zip(planner.done, run.steps, strict=False)]
    why = run.ending.reason if run.ending else ""
    rest = [pair for pair in visit.pairs if pair not in planner.done[: len(done)]]
    found = done + [Judged(pair, "failed", planner.lost.get(pair, why)) for pair in rest]
    return [one for one in found if one.pair.label != UNJUDGED]


def _told(pair: Pair, step: Step) -> Judged:
    return Judged(pair, step.outcome.kind, outcome_text(step.outcome))


class _Script:
    """Decides on the pairs in order, each by itself; what cannot be found is left out and noted."""

    name = "script"

    def __init__(self, pairs: tuple[Pair, ...], computer: Computer) -> None:
        self._pairs = list(pairs)
        self._computer = computer
        self.done: list[Pair] = []
        self.lost: dict[Pair, str] = {}

    def decide(self, situation: Situation) -> Decision:
        """The next pair whose place is there."""
        while self._pairs:
            pair = self._pairs.pop(0)
            try:
                action = _action(pair, self._place)
            except LookupError as error:
                self.lost[pair] = str(error)
                continue
            self.done.append(pair)
            return Decision(planned=(Planned(action),), planner=self.name)
        return Decision(end=Finish(), planner=self.name)

    def _place(self, words: str) -> Target:
        """
        Raises:
            LookupError: nothing on the page fits a selector.
        """
        words = words.strip()
        if words.startswith("@"):
            x, y = words.removeprefix("@").split(",")
            return Point(int(x), int(y))
        if words.startswith("css:"):
            selector, _, share = words.removeprefix("css:").partition(" @ ")
            right, down = map(float, share.split(",")) if share else (0.5, 0.5)
            assert isinstance(self._computer, PageComputer)
            try:
                box = self._computer.evaluate(_BOX, selector.strip())
            except ActionFailed as error:
                raise LookupError(str(error)) from error
            if box is None:
                raise LookupError(f"nothing fits {selector}")
            left, top, width, height = box
            return Point(round(left + right * width), round(top + down * height))
        role, colon, text = words.partition(":")
        if colon and re.fullmatch("[a-z]+", role):
            number = re.fullmatch(r"#(-?\d+)", text)
            return Words(role=role, ordinal=int(number[1])) if number else Words(text, role)
        return Words(words)


def _action(pair: Pair, place: Callable[[str], Target]) -> Proposal:
    what = pair.what
    first, _, rest = what.partition(" => ")
    simple: dict[str, Callable[[], Any]] = {
        "click": lambda: Click(place(what)),
        "double": lambda: Click(place(what), clicks=2),
        "right": lambda: Click(place(what), button="right"),
        "hover": lambda: Move(place(what)),
        "check": lambda: Check(place(what)),
        "uncheck": lambda: Check(place(what), on=False),
        "drag": lambda: Drag(place(first), place(rest)),
        "choose": lambda: Choose(place(first), rest),
        "put": lambda: TypeText(rest, place(first), replace=True),
        "add": lambda: TypeText(rest, place(first)),
        "type": lambda: TypeText(what),
        "key": lambda: Press(tuple(what.split("+"))),
        "scroll": lambda: Scroll(place(first), int(rest)),
        "back": Back,
    }
    made: Proposal = simple[pair.verb]()
    return made
