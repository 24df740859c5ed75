"""A column of posts: press a button of one user's post, of some of them or of all."""

from __future__ import annotations

from demonstrators.script import Script
from demonstrators.seeing import click, groups, maybe, of_class, only_list, quoted, scroll, those
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Trajectory

ICONS = ("reply", "retweet", "like", "share", "more")


def one_button(task: str, screen: Observation) -> Script:
    """Find the user's post and press the button, in the menu behind the dots if it is not an icon."""
    user, button = groups(r'user (@\S+), click on the "(.*)" button', task)
    icon = button.lower() if button.lower() in ICONS else "more"
    found = _icons(screen, user, icon)
    while not found:
        screen = yield scroll(only_list(screen), 100)
        found = _icons(screen, user, icon)
    screen = yield click(found[0])
    if icon == "more":
        while not (items := [one for one in those(screen, "listitem") if one.name.startswith(button)]):
            screen = yield scroll(only_list(screen), 100)
        yield click(items[0])


def many_buttons(task: str, screen: Observation) -> Script:
    """Press the button on the user's posts from top to bottom, then submit."""
    (icon,) = quoted(task)
    count, user = groups(r"on (all|\d+) posts? by (@\S+)", task)
    left = 1000 if count == "all" else int(count)
    while left:
        for post in _icons(screen, user, icon.lower()):
            if left and "active" not in post.attributes["class"]:
                screen = yield click(post)
                left -= 1
        if maybe(screen, "Submit", "button"):
            break
        if left:
            screen = yield scroll(only_list(screen), 100)
    while maybe(screen, "Submit", "button") is None:
        screen = yield scroll(only_list(screen), 100)
    found = maybe(screen, "Submit", "button")
    assert found is not None
    yield click(found)


def which_button(shown: Trajectory) -> str:
    """The requested button."""
    return quoted(shown.task.text)[0]


def _icons(screen: Observation, user: str, icon: str) -> list[Element]:
    """The icons of this kind in the posts of a user, as far as both are in sight."""
    wanted, whose, found = of_class(screen, icon), "", []
    for element in screen.elements:
        if element.is_text and element.name.startswith("@"):
            whose = element.name.split()[0]
        elif element in wanted and whose == user:
            found.append(element)
    return found
