"""Targets that are found step by step: in menus, trees, result pages, lists of suggestions."""

from __future__ import annotations

import itertools

from demonstrators.script import NotSeen, Script
from demonstrators.seeing import (
    click,
    fill,
    groups,
    hover,
    labelled,
    like,
    maybe,
    named,
    nth,
    of_class,
    only,
    quoted,
    rank,
    submit,
    those,
)
from gui_agent.core.actions import Press, TypeText
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Trajectory


def menu_path(task: str, screen: Observation) -> Script:
    """Put the pointer on every item of the path and click the last one."""
    *above, last = groups(r"Select (.*)", task)[0].split(">")
    for name in above:
        screen = yield hover(named(screen, name, "menuitem"))
    yield click(named(screen, last, "menuitem"))


def in_tree(task: str, screen: Observation) -> Script:
    """Open the first closed folder until the name shows, and click it."""
    name = quoted(task)[0]
    while maybe(screen, name) is None:
        closed = [one for one in of_class(screen, "expandable") if one.role != "img"]
        screen = yield click(nth(closed, 1, "closed folder"))
    yield click(named(screen, name))


def nth_result(task: str, screen: Observation) -> Script:
    """Search, page on until the nth result shows, and click it."""
    left = rank(task)
    screen = yield fill(only(screen, "textbox"), quoted(task)[0])
    screen = yield click(named(screen, "Search", "button"))
    results = of_class(screen, "search-title")
    while left > len(results):
        left -= len(results)
        screen = yield click(named(screen, ">"))
        results = of_class(screen, "search-title")
    yield click(results[left - 1])


def suggestion(task: str, screen: Observation) -> Script:
    """Type the beginning, click the suggestion with the right ending, then submit."""
    start, *endings = quoted(task)
    ending = endings[0] if endings else ""
    screen = yield fill(labelled(screen, "Tags"), start)
    fits = [
        one
        for one in those(screen, "menuitem", "option", "listitem", "generic")
        if one.name.startswith(start) and one.name.endswith(ending)
    ]
    screen = yield click(nth(fits, 1, "suggestion"))
    yield submit(screen)


def how_many_hints(shown: Trajectory) -> str:
    """Whether the ending is given, too, and whether several suggestions fit."""
    hints = quoted(shown.task.text)
    steps = [step for step in shown.steps if step.planned.action.kind == "click"]
    offered = [one for one in steps[0].before.elements if one.role == "listitem"] if steps else []
    fits = [one for one in offered if one.name.startswith(hints[0]) and one.name.endswith((*hints, "")[1])]
    return f"{len(hints)} {'several' if len(fits) > 1 else 'one'}"


def pie_item(task: str, screen: Observation) -> Script:
    """Open the round menu and click the item."""
    screen = yield click(named(screen, "+"))
    yield click(like(screen, lambda one: one.name == quoted(task)[0], "item"))


def delete_file(task: str, screen: Observation) -> Script:
    """List the files, and remove the first one with the right ending."""
    ending = _ending(task)
    screen = yield click(like(screen, lambda one: one.name == "user$", "prompt"))
    screen = yield TypeText("ls")
    screen = yield Press(("enter",))
    fits = _files(screen, ending)
    if not fits:
        raise NotSeen(f"no file ends with {ending!r}")
    screen = yield TypeText(f"rm {fits[0]}")
    yield Press(("enter",))


def _ending(task: str) -> str:
    return "" if "no file extension" in task else groups(r"extension (\S+)", task)[0]


def _files(screen: Observation, ending: str) -> list[str]:
    """The listed files with an ending; with an empty ending, those without any."""
    after = itertools.dropwhile(lambda line: line != "ls", (one.name for one in those(screen, "text")))
    listed = itertools.takewhile(lambda line: not line.startswith("user$"), itertools.islice(after, 1, None))
    files = " ".join(listed).split()
    return [name for name in files if (name.endswith(ending) if ending else "." not in name)]


def which_files(shown: Trajectory) -> str:
    """Whether an extension is named, and whether one file has it or several."""
    ending = _ending(shown.task.text)
    several = any(len(_files(step.before, ending)) > 1 for step in shown.steps)
    return f"{bool(ending)} {several}"


def past_popup(task: str, screen: Observation) -> Script:
    """Type name and password, closing the window that interrupts, then press OK."""
    user, password = quoted(task)
    for field, text in (("Username", user), ("Password", password)):
        screen = yield fill(labelled(screen, field), text)
        cancel = maybe(screen, "Cancel", "button")
        if cancel is not None:
            screen = yield click(cancel)
            screen = yield fill(labelled(screen, field), text)
    yield submit(screen, "OK")


def where_interrupted(shown: Trajectory) -> str:
    """After which steps the window was closed."""
    return str([step.number for step in shown.steps[:-1] if step.planned.action.kind == "click"])


def step_by_step(task: str, screen: Observation) -> Script:
    """Click the arrow of the spinner until it shows the number, then submit."""
    wanted = int(groups(r"Select (-?\d+) with", task)[0])
    while (now := int(only(screen, "spinbutton").value)) != wanted:
        arrow = "ui-spinner-up" if now < wanted else "ui-spinner-down"
        screen = yield click(nth(of_class(screen, arrow), 1, "arrow"))
    yield submit(screen)


def turned(shown: Trajectory) -> str:
    """Whether the number had to grow, to shrink, or to stay."""
    moves = shown.steps[:-1]
    arrows = {step.found["at"].element for step in moves if "at" in step.found}
    classes = {arrow.attributes["class"] for arrow in arrows if arrow}
    keys = {step.planned.action.keys for step in moves if isinstance(step.planned.action, Press)}
    return f"{sorted(classes)} {sorted(keys)}"


def slide(task: str, screen: Observation) -> Script:
    """Click the handle of the slider and press arrow keys until it shows the number, then submit."""
    wanted = int(groups(r"Select (-?\d+) with", task)[0])
    if _shown_number(screen) != wanted:
        screen = yield click(nth(of_class(screen, "ui-slider-handle"), 1, "handle"))
    while (now := _shown_number(screen)) != wanted:
        screen = yield Press(("right" if now < wanted else "left",))
    yield submit(screen)


def _shown_number(screen: Observation) -> int:
    return int(like(screen, lambda one: one.is_text and one.name.lstrip("-").isdigit(), "number").name)
