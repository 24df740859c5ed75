"""Buttons, links, tabs, sections, menus, boxes to tick and lists to choose from."""

from __future__ import annotations

from demonstrators.script import NotSeen, Script
from demonstrators.seeing import (
    click,
    groups,
    like,
    maybe,
    named,
    only,
    quoted,
    several,
    submit,
    those,
    tick,
)
from gui_agent.core.actions import Choose
from gui_agent.core.observation import Element, Mark, Observation
from gui_agent.core.trajectory import Trajectory


def the_button(task: str, screen: Observation) -> Script:
    """Click the only button."""
    yield click(only(screen, "button"))


def named_buttons(task: str, screen: Observation) -> Script:
    """Click the buttons that the instruction names in capitals."""
    for name in ("ONE", "TWO"):
        if name in task:
            screen = yield click(named(screen, name, "button"))


def quoted_button(task: str, screen: Observation) -> Script:
    """Click the button whose text is in quotes."""
    yield click(named(screen, quoted(task)[0], "button"))


def quoted_link(task: str, screen: Observation) -> Script:
    """Click the link whose text is in quotes."""
    yield click(named(screen, quoted(task)[0]))


def named_tab(task: str, screen: Observation) -> Script:
    """Click the named tab."""
    (name,) = groups(r"(Tab #\d+)", task)
    yield click(named(screen, name, "tab"))


def link_behind_tabs(task: str, screen: Observation) -> Script:
    """Go through the tabs in order until the link shows, and click it."""
    name = quoted(task)[0]
    found = maybe(screen, name, "link", "generic")
    for tab in those(screen, "tab")[1:]:
        if found is not None:
            break
        screen = yield click(named(screen, tab.name, "tab"))
        found = maybe(screen, name, "link", "generic")
    yield click(named(screen, name, "link", "generic"))


def open_section(task: str, screen: Observation) -> Script:
    """Open the only section, then submit."""
    screen = yield click(only(screen, "tab"))
    yield submit(screen)


def link_in_sections(task: str, screen: Observation) -> Script:
    """Open the sections in order until the link shows, and click it."""
    name = quoted(task)[0]
    for section in those(screen, "tab"):
        screen = yield click(named(screen, section.name, "tab"))
        found = maybe(screen, name, "link", "generic")
        if found is not None:
            yield click(found)
            return
    raise NotSeen(f"no section has the link {name!r}")


def the_close_button(task: str, screen: Observation) -> Script:
    """Click the button that closes the dialog."""
    yield click(named(screen, "Close", "button"))


def dialog_button(task: str, screen: Observation) -> Script:
    """Click the button of the dialog that is in quotes; `x` is the one that closes it."""
    name = quoted(task)[0]
    yield click(named(screen, "Close" if name == "x" else name, "button"))


def one_option(task: str, screen: Observation) -> Script:
    """Take the named radio button, then submit."""
    (name,) = groups(r"Select (.*) and click Submit", task)
    screen = yield tick(named(screen, name, "radio"))
    yield submit(screen)


def boxes(task: str, screen: Observation) -> Script:
    """Tick the boxes in the order of the instruction, then submit."""
    (listed,) = groups(r"Select (.*) and click Submit", task)
    for name in several(listed):
        screen = yield tick(named(screen, name, "checkbox"))
    yield submit(screen)


def how_many_boxes(shown: Trajectory) -> str:
    """The number of boxes: none, one or several."""
    count = len(several(groups(r"Select (.*) and click Submit", shown.task.text)[0]))
    return ("none", "one", "several")[min(count, 2)]


def from_list(task: str, screen: Observation) -> Script:
    """Choose the option in the drop-down list, then submit."""
    (name,) = groups(r"Select (.*) from the list", task)
    screen = yield Choose(Mark(only(screen, "combobox").id), name)
    yield submit(screen)


def from_scroll_list(task: str, screen: Observation) -> Script:
    """Choose the options in the open list, one after the other, then submit."""
    (listed,) = groups(r"Select (.*) from the scroll list", task)
    for name in several(listed):
        screen = yield Choose(Mark(only(screen, "listbox").id), name)
    yield submit(screen)


def widget(task: str, screen: Observation) -> Script:
    """Click the first control of the kind in quotes."""
    kind = quoted(task)[0]
    yield click(like(screen, lambda element: not element.is_text and _widget_kind(element) == kind, kind))


def _widget_kind(element: Element) -> str:
    if element.role == "textbox":
        return "textarea" if "multiline" in element.states else "text"
    return element.role


def how_often_named(shown: Trajectory) -> str:
    """Whether the last clicked element is the only one with its name."""
    last = shown.steps[-1]
    name = quoted(shown.task.text)[0]
    return "once" if sum(element.name == name for element in last.before.elements) == 1 else "often"


def in_quotes(shown: Trajectory) -> str:
    """The first text in quotes, as the kind."""
    return quoted(shown.task.text)[0]
