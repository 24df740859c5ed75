"""Asks goals in everyday words of small applications, with a person who shows once what is not understood.

`goals.toml` has the goals, `pages` the applications; each keeps a `log` of what was done in it, which alone
decides. The person is a second client of the same browser: they read the question as it is shown, take an
offer that means the goal, and otherwise choose to show it and do it by hand.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from guiagent_eval.page_computer import PageComputer
from playwright.sync_api import Page, sync_playwright

from gui_agent import wiring
from gui_agent.core.clarification import DONE, SHOW, Clarification
from gui_agent.core.trajectory import Result
from gui_agent.procedures.language.wording import describe
from gui_agent.procedures.library.memory import Memory

HERE = Path(__file__).parent
Action = list[str]
FEW = 3
"""Questions after which the person gives up."""


@dataclass(frozen=True)
class Goal:
    """A goal as it is asked first and later, and how a person does it."""

    page: str
    say: str
    then: str
    by_hand: list[Action]
    done: list[str]
    again: list[str]
    takes: str = ""
    """A pattern of the offer that the person takes."""
    before: str = ""
    """What was asked and shown earlier."""
    before_by_hand: list[Action] = field(default_factory=list)
    oracle: str = "log"
    """What a page says of what was done in it, as JavaScript."""

    @property
    def url(self) -> str:
        own = HERE / "pages" / self.page
        return (own if own.is_file() else HERE.parents[1] / self.page).as_uri()


def goals(kind: str = "goals") -> list[Goal]:
    """The twenty, or the ten `others`."""
    return [Goal(**one) for one in tomllib.loads((HERE / f"{kind}.toml").read_text("utf-8"))["goal"]]


class Person:
    """Answers the questions of one run."""

    def __init__(self, computer: PageComputer, by_hand: list[Action], takes: str) -> None:
        self._computer, self._by_hand, self._takes = computer, by_hand, takes
        self.questions: list[Clarification] = []
        self.showed = False

    def __call__(self, question: Clarification) -> str | None:
        self.questions.append(question)
        if len(self.questions) > FEW:
            return None
        if question.options[:1] == (DONE,):
            self._do()
            return DONE
        for number, choice in enumerate(question.choices, 1):
            if self._takes and re.search(self._takes, choice.text):
                return str(number)
        return SHOW

    def _do(self) -> None:
        self.showed = True
        with sync_playwright() as driver:
            browser = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{self._computer._port}")
            page = browser.contexts[0].pages[-1]
            page.set_default_timeout(10_000)
            for verb, selector, *value in self._by_hand:
                _act(page, verb, selector, *value)
                page.wait_for_timeout(150)
            page.wait_for_timeout(500)


def _act(page: Page, verb: str, selector: str, value: str = "") -> None:
    at = page.locator(selector).first
    match verb:
        case "fill":
            kind = at.evaluate("(one) => one.type")
            at.click(position={"x": 10, "y": 8})
            if kind == "date":  # what a person types into its parts
                value = datetime.strptime(value, "%Y-%m-%d").strftime("%m%d%Y")
            elif kind == "time":
                value = datetime.strptime(value, "%H:%M").strftime("%I%M%p")
            else:
                page.keyboard.press("Control+A")
            page.keyboard.type(value, delay=15)
        case "select":  # by the keyboard: what a script chooses is no input
            at.focus()
            page.keyboard.type(value, delay=15)
            page.keyboard.press("Tab")
        case "drag":
            at.drag_to(page.locator(value).first)
        case "wait":
            at.wait_for()
        case "check" | "uncheck" | "click":
            at.click()


@dataclass(frozen=True)
class Asked:
    """One run of a goal."""

    log: list[str]
    result: Result
    questions: list[Clarification]


@dataclass(frozen=True)
class Judged:
    """What became of a goal: an offer, done by it, and done with other values without a question."""

    goal: Goal
    first: Asked
    second: Asked
    learned: list[str]
    """What is in the memory afterwards, in words."""

    @property
    def offered(self) -> bool:
        """Whether the first run was done or ended in an offer."""
        return self.first.result.ok or any(one.choices for one in self.first.questions)

    @property
    def done(self) -> bool:
        return self.first.result.ok and is_like(self.first.log, self.goal.done)

    @property
    def again(self) -> bool:
        return self.done and self.second.result.ok and is_like(self.second.log, self.goal.again)

    @property
    def unasked(self) -> bool:
        return self.again and not self.second.questions

    @property
    def wrong(self) -> bool:
        """Whether a run said that it was done, and was not; or did something that was not asked."""
        return _is_wrong(self.first, self.goal.done) or _is_wrong(self.second, self.goal.again)


def _is_wrong(run: Asked, right: list[str]) -> bool:
    return not is_like(run.log, right[: len(run.log)]) or (run.result.ok and not is_like(run.log, right))


def is_like(said: list[str], wanted: list[str]) -> bool:
    """Whether each line fits its pattern; a first `*` stands for any lines."""
    rest = said[len(said) - len(wanted) + 1 :] if wanted[:1] == ["*"] else said
    lines = wanted[1:] if wanted[:1] == ["*"] else wanted
    return len(rest) == len(lines) and all(map(fnmatchcase, rest, lines))


def judged(goal: Goal, home: Path) -> Judged:
    """Ask a goal twice, in a memory of its own."""
    options: dict[str, Any] = {
        "memory": {"path": str(home / "memory.db"), "embedder": "lexical"},
        "trace": {"folder": str(home / "runs")},
    }
    with PageComputer(direct=True) as computer:
        if goal.before:
            before = _ask(computer, goal, goal.before, goal.before_by_hand, "", options)
            assert before.result.ok, before.result.ending
        first = _ask(computer, goal, goal.say, goal.by_hand, goal.takes, options)
        second = _ask(computer, goal, goal.then, [], "", options)
        learned = [
            describe(one) for known in Memory(home / "memory.db").procedures() for one in known.programs
        ]
    return Judged(goal, first, second, learned)


def _ask(
    computer: PageComputer, goal: Goal, say: str, by_hand: list[Action], takes: str, options: dict[str, Any]
) -> Asked:
    computer.start("about:blank")
    person = Person(computer, by_hand, takes)
    ask = person if by_hand else _Silent()
    result = wiring.run(say, url=goal.url, computer=computer, yes=True, ask=ask, **options)
    return Asked(list(computer.evaluate(goal.oracle)), result, ask.questions)


class _Silent:
    """A person who never answers."""

    def __init__(self) -> None:
        self.questions: list[Clarification] = []

    def __call__(self, question: Clarification) -> None:
        self.questions.append(question)
