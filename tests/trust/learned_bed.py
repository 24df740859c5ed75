"""Procedures learned from generated examples, run where everything changed that the examples did not use.

Each kind of case makes an application for one seed, shows it once or twice, and runs what was learned on
another day of the application with other values. The application itself says what was sent to it; an answer
is compared with what it holds. A case is right, refused (not learned, or not done), or wrong: something else
was sent or said, or a check holds that the application did nothing for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from unittest.mock import patch

import learned_pages as pages
from learned_pages import CITIES, PEOPLE, REASONS, STATES, Line, Sheet, code

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Press, Wait
from gui_agent.core.observation import Box, Observation
from gui_agent.core.trajectory import Demonstration, DemoStep, Task
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.recordings.from_run import postconditions, screen_of
from gui_agent.procedures.runtime.verification import verify
from gui_agent.testing import FakeComputer, OpenGuard, World, when, widget
from tests.unit.procedures.induction.conftest import Recording

Verdict = Literal["right", "refused", "wrong"]
Sent = dict[str, str]


@dataclass
class App:
    """An application on one day, and what was sent to it."""

    computer: FakeComputer
    sent: list[Sent] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """What was shown, what is asked for then, and what is right; without `sent` and `answer` a refusal."""

    shown: Sequence[Demonstration]
    app: App
    task: str
    sent: Sent | None = None
    answer: str = ""
    checked: str = ""
    """What the last step makes: it is checked only where the application made it then."""
    broken: bool = False
    """Whether the application makes nothing of what is sent."""


def run_case(seed: int) -> tuple[Verdict, str]:
    """How the case of a seed goes, and why in a few words."""
    kind, case = make_case(seed)
    verdict, reason = _judge(case)
    return verdict, f"{kind}: {reason}" if reason else kind


def cases(seed: int) -> str:
    """What kind of case a seed is."""
    return make_case(seed)[0]


def make_case(seed: int) -> tuple[str, Case]:
    rng = random.Random(seed)
    names = list(KINDS)
    kind = names[seed % len(names)]
    return kind, KINDS[kind](rng)


def _judge(case: Case) -> tuple[Verdict, str]:
    programs = learn(case.shown)
    if not programs:
        return "refused", "not learned"
    limits = Limits(patience=0.0, seconds=3.0)
    with patch("gui_agent.agent.limits.RunControl.sleep", lambda control, seconds: None):
        planner = DemonstrationPlanner(programs)
        agent = Agent(case.app.computer, planner, guard=OpenGuard(), limits=limits, picture=False)
        trajectory = agent.run(Task(case.task)).trajectory
    ending = trajectory.ending
    assert ending is not None
    wrong = [one for one in case.app.sent if one != case.sent]
    if wrong:
        return "wrong", f"{wrong[0]} was sent, not {case.sent}"
    if ending.kind != "done":
        return "refused", f"{ending.kind}: {ending.reason}"
    if ending.answer != case.answer:
        return "wrong", f"it answered {ending.answer!r}, not {case.answer!r}"
    if case.sent is None and not case.answer:
        return "wrong", "it is done, and nothing tells what was meant"
    if case.sent is not None and not case.app.sent:
        return "wrong", "it is done, and nothing was sent"
    if case.checked and case.broken:
        seen = [one for one in verify(programs, trajectory)[-1].expectations if one.held]
        vain = [one.text for one in seen if case.checked in one.text and one.text.endswith("is shown")]
        return ("wrong", f"{vain[0]} is checked, and was not made") if vain else ("right", "")
    return "right", ""


def _lay(rng: random.Random, structured: bool, *own: list[Line], include: Sequence[str] = ()) -> Observation:
    """A screen with its own blocks in order, among what lies there on that day."""
    day = list(pages.chance(rng, include))
    cut = rng.randrange(len(day) + 1)
    return Sheet(structured).add(*day[:cut], *own, *day[cut:]).observation()


def _sends(sent: list[Sent], *names: str, then: str = "saved") -> Callable[[World], None]:
    def go(world: World) -> None:
        sent.append({name: world.content_of(name) for name in names})
        world.show(then)

    return go


def _saved() -> Observation:
    return Sheet(True).add(pages.heading("Saved")).observation()


def _marks(hand: Recording, text: str, *, copies: bool) -> None:
    """Double-click the element that shows a text, and perhaps press Ctrl+C."""
    shown = next(e for e in hand.look().elements if e.value == text or (not e.value and text in e.name))
    hand.act(Click(shown, clicks=2))
    if copies:
        hand.act(Press(("ctrl", "c")))


# A text that is typed as it is, and stands on the screens of the example, too.


def _people_app(rng: random.Random, structured: bool, include: Sequence[str]) -> App:
    app = App(FakeComputer({"none": _saved()}))
    rows = [(name, rng.choice(CITIES)) for name in rng.sample(PEOPLE, rng.randrange(2, 5))]
    own = [pages.heading("People"), pages.table(("Name", "City"), rows), pages.button("New")]
    form = [pages.heading("New person"), pages.fields("Name", "City"), pages.button("Save")]
    screens = {
        "home": _lay(rng, structured, *own, include=include),
        "form": _lay(rng, structured, *form, include=include if rng.random() < 0.5 else ()),
        "saved": _saved(),
    }
    rules = [when("click", "New", go="form"), when("click", "Save", go=_sends(app.sent, "Name", "City"))]
    app.computer = FakeComputer(screens, rules)
    return app


def _constant(rng: random.Random, times: int = 1) -> Case:
    structured, city = rng.random() < 0.7, rng.choice(CITIES)
    names = rng.sample(PEOPLE, times + 1)
    shown = []
    for name in names[:-1]:
        hand = Recording(_people_app(rng, structured, [city]).computer)
        hand.click("New")
        hand.type("Name", name)
        hand.type("City", city)
        hand.click("Save")
        shown.append(hand.demonstration(f"Add '{name}'"))
    app = _people_app(rng, structured, [city] if rng.random() < 0.3 else [])
    return Case(shown, app, f"Add '{names[-1]}'", {"Name": names[-1], "City": city})


# A text that is read from the screen.


def _order_app(rng: random.Random, structured: bool, style: str, number: str, item: str) -> App:
    app = App(FakeComputer({"none": _saved()}))
    if style == "keyed":
        others = [one for one in ("Lamp", "Chair", "Table", "Desk", "Shelf") if one != item]
        rows = [(item, number), *((one, code(rng)) for one in rng.sample(others, rng.randrange(1, 4)))]
        rng.shuffle(rows)
        block = pages.table(("Item", "Number"), rows)
    elif style == "table":
        block = pages.table(("Number", "State"), [(number, rng.choice(STATES))])
    elif style == "list":
        listed = [number, *(code(rng) for _ in range(rng.randrange(2, 4)))]
        rng.shuffle(listed)
        block = pages.entries(listed)
    else:
        pairs = [("Order number", number), ("Customer", rng.choice(PEOPLE)), ("Invoice", code(rng))]
        rng.shuffle(pairs)
        block = pages.labelled(pairs, style)
    own = [pages.heading("Order"), block, pages.button("Complain")]
    form = [pages.heading("Complaint"), pages.fields("Number", "Reason"), pages.button("Submit")]
    screens = {"home": _lay(rng, structured, *own), "form": _lay(rng, structured, *form), "saved": _saved()}
    submit = _sends(app.sent, "Number", "Reason")
    rules = [when("click", "Complain", go="form"), when("click", "Submit", go=submit)]
    app.computer = FakeComputer(screens, rules)
    return app


STYLES = ("line", "colon", "field", "table", "keyed", "list")


def _copied(rng: random.Random, times: int = 1) -> Case:
    structured, style = rng.random() < 0.7, rng.choice(STYLES)
    if times > 1 and style in ("field", "list"):
        style = "line"
    items = rng.sample(("Lamp", "Chair", "Table", "Desk"), times + 1)
    reasons = rng.sample(REASONS, times + 1)

    def task(item: str, reason: str) -> str:
        return (
            f"Complain about the '{item}' that it was '{reason}'"
            if style == "keyed"
            else f"Complain: '{reason}'"
        )

    shown = []
    for item, reason in zip(items[:-1], reasons[:-1], strict=True):
        number = code(rng)
        hand = Recording(_order_app(rng, structured, style, number, item).computer)
        if times == 1:
            _marks(hand, number, copies=rng.random() < 0.5)
        hand.click("Complain")
        hand.type("Number", number)
        hand.type("Reason", reason)
        hand.click("Submit")
        shown.append(hand.demonstration(task(item, reason)))
    number = code(rng)
    app = _order_app(rng, structured, style, number, items[-1])
    right = None if style == "list" else {"Number": number, "Reason": reasons[-1]}
    return Case(shown, app, task(items[-1], reasons[-1]), right)


# An answer.


def _answered(rng: random.Random, times: int = 1) -> Case:
    structured = rng.random() < 0.7
    # Of one example nothing tells why it was that person; of two, being the first each time is a reason.
    asked = rng.choice(
        ("quoted", "unquoted", "label", "heading", "gone", *("list", "row")[: 2 * (times == 1)])
    )
    fixed = rng.choice(PEOPLE)
    style = rng.choice(("line", "colon", "field"))

    def day() -> tuple[App, str, str]:
        """The application, the question and its answer."""
        names = [fixed, *rng.sample([one for one in PEOPLE if one != fixed], 3)]
        rng.shuffle(names)
        rows = [(name, str(rng.randrange(0, 4)), rng.choice(STATES)) for name in names]
        pairs = [("Queue", rng.choice(STATES)), ("Version", f"{rng.randrange(1, 9)}.{rng.randrange(9)}")]
        pairs = pairs[asked == "gone" and len(shown) == times :]
        title = rng.choice(("Today", "This week", "All time"))
        listed = pages.table(("Name", "Logins", "State"), rows)
        recent = pages.entries(rng.sample(names, 3))
        own = [pages.heading(title), pages.labelled(pairs, style), listed, recent]
        chosen = [row for row in rows if asked == "quoted" or row[0] == fixed]
        name, logins, _ = rng.choice(chosen)
        question, answer = {
            "quoted": (f"How many logins has '{name}'?", logins),
            "unquoted": (f"How many logins has {fixed} made?", logins),
            "label": ("How is the queue?", pairs[0][1]),
            "gone": ("How is the queue?", pairs[0][1]),
            "list": ("Who is on duty now?", names[0]),
            "row": ("Who has most to do?", rows[1][0]),
            "heading": ("Which time is shown?", title),
        }[asked]
        home = Sheet(structured).add(pages.button("Statistics")).observation()
        screens = {"home": home, "end": _lay(rng, structured, *own)}
        return App(FakeComputer(screens, [when("click", "Statistics", go="end")])), question, answer

    shown: list[Demonstration] = []
    for _ in range(times):
        app, question, answer = day()
        hand = Recording(app.computer)
        hand.click("Statistics")
        shown.append(replace(hand.demonstration(question), answer=answer))
    app, question, answer = day()
    return Case(shown, app, question, answer="" if asked in ("gone", "list", "row") else answer)


# A record that is acted on.


def _record(rng: random.Random) -> Case:
    structured, named = rng.random() < 0.7, rng.random() < 0.6
    fixed = rng.choice(PEOPLE)

    def day(there: bool) -> tuple[App, list[str]]:
        names = [*rng.sample([one for one in PEOPLE if one != fixed], 3), *([fixed] if there else [])]
        rng.shuffle(names)
        app = App(FakeComputer({"none": _saved()}))
        chosen: list[str] = []

        def edit(world: World) -> None:
            top = next(e.box.top for e in world.screen.elements if e.id == world.focus)
            chosen.append(
                next(e.name for e in world.screen.elements if e.role == "cell" and e.box.top == top)
            )
            world.show("form")

        def save(world: World) -> None:
            app.sent.append({"Record": chosen[-1], "City": world.content_of("Region")})
            world.show("saved")

        managers = rng.sample(PEOPLE if rng.random() < 0.3 else CITIES, len(names))
        rows = [(name, rng.choice(CITIES), boss) for name, boss in zip(names, managers, strict=True)]
        listed = pages.table(("Name", "City", "Manager"), rows, press="Edit")
        own = [pages.heading("People"), listed]
        form = [pages.heading("Person"), pages.fields("Region"), pages.button("Save")]
        screens = {
            "home": _lay(rng, structured, *own),
            "form": _lay(rng, structured, *form),
            "saved": _saved(),
        }
        app.computer = FakeComputer(screens, [when("click", "Edit", go=edit), when("click", "Save", go=save)])
        return app, names

    def task(name: str, city: str) -> str:
        return f"Move '{name}' to '{city}'" if named else f"Use '{city}' from now on"

    app, names = day(there=True)
    one, (city, other) = rng.choice(names) if named else fixed, rng.sample(CITIES, 2)
    hand = Recording(app.computer)
    table = [e for e in hand.look().elements if e.role in ("cell", "button")]
    own = next(e for e in table if e.role == "cell" and e.name == one and e.box.left == 20)
    hand.act(Click(next(e for e in table if e.name == "Edit" and e.box.top == own.box.top)))
    hand.type("Region", city)
    hand.click("Save")
    there = rng.random() < 0.7
    app, names = day(there)
    again = rng.choice(names) if named else fixed
    right = {"Record": again, "City": other} if named or there else None
    return Case([hand.demonstration(task(one, city))], app, task(again, other), right)


# A wait.


class Slow(FakeComputer):
    """A job that runs until it was looked at some times."""

    def __init__(self, screens: dict[str, Observation], looks: int) -> None:
        super().__init__(screens, [when("click", "Start", go="run")])
        self.looks = looks

    def observe(self, *, picture: bool = True) -> Observation:
        self.looks -= self.world.current == "run"
        if self.looks < 0:
            self.world.show("end")
        return super().observe(picture=picture)


def _waited(rng: random.Random) -> Case:
    structured, style = rng.random() < 0.7, rng.choice(("line", "colon"))
    sign = rng.choice(("ready", "ready", "busy"))

    def day(looks: int) -> tuple[Slow, str]:
        failed = str(rng.randrange(1, 9))
        screens = {"home": Sheet(structured).add(pages.button("Start")).observation()}
        for name, state, count in (("run", "busy", "0"), ("end", sign, failed)):
            block = pages.labelled((("Job", state), ("Failed", count)), style)
            screens[name] = _lay(random.Random(failed), structured, pages.heading("Job"), block)
        return Slow(screens, looks), failed

    computer, failed = day(99)
    hand = Recording(computer)
    hand.click("Start")
    before = hand.look()
    computer.looks = 0
    after = hand.look()
    hand.steps.append(DemoStep(Wait(5), screen_of(before), expect=postconditions(before, after)))
    shown = replace(hand.demonstration("How many failed in the end?"), answer=failed)
    computer, failed = day(rng.randrange(3, 30))
    return Case([shown], App(computer), "How many failed in the end?", answer=failed)


# A check.


def _checked(rng: random.Random) -> Case:
    structured, broken = rng.random() < 0.7, rng.random() < 0.7
    role = rng.choice(("cell", "listitem"))

    def day(people: Sequence[str], works: bool) -> App:
        app = App(FakeComputer({"none": _saved()}))

        def save(world: World) -> None:
            name = world.content_of("Name")
            app.sent.append({"Name": name})
            world.show("home")
            if works:
                bottom = max(e.box.bottom for e in world.screen.elements)
                world.add(widget(role, name, box=Box(20, bottom + 10, 190, 24)))

        names = [[(widget(role, one))] for one in people]
        block = [
            [pages.Cell(one, f"table/tr[{n}]/td") for one in line] for n, line in enumerate(names, start=1)
        ]
        own = [pages.heading("People"), pages.button("New"), block]
        form = [pages.heading("New person"), pages.fields("Name"), pages.button("Save")]
        screens = {"home": _lay(rng, structured, *own), "form": _lay(rng, structured, *form)}
        app.computer = FakeComputer(
            screens, [when("click", "New", go="form"), when("click", "Save", go=save)]
        )
        return app

    first, second, *others = rng.sample(PEOPLE, 6)
    hand = Recording(day(others, works=True).computer)
    hand.click("New")
    hand.type("Name", first)
    hand.click("Save")
    there = [second] if broken and rng.random() < 0.7 else []
    app = day([*others[: rng.randrange(4)], *there], works=not broken)
    shown = [hand.demonstration(f"Add '{first}'")]
    return Case(shown, app, f"Add '{second}'", {"Name": second}, checked=second, broken=broken)


KINDS: dict[str, Callable[[random.Random], Case]] = {
    "constant": _constant,
    "constant, shown twice": lambda rng: _constant(rng, 2),
    "copied": _copied,
    "copied, shown twice": lambda rng: _copied(rng, 2),
    "answer": _answered,
    "answer, shown twice": lambda rng: _answered(rng, 2),
    "record": _record,
    "wait": _waited,
    "check": _checked,
}
