"""No command is proposed, on screens of real software, that does something else than the wish says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import pytest

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import Click
from gui_agent.core.observation import Element, Observation, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import GiveUp, Task
from gui_agent.planners.commands import PlainPlanner, commands_for_wish, parse
from gui_agent.planners.commands.commands import Do
from tests.scene.test_scene_bed import screens

SAME = ("{}, please", "I'd like to see the {}", "Could you open {}?", "Take me to my {} now")
"""Wishes for which a press of what they name is all there is to do."""
OTHER = (
    "{} is broken", "Was {} here?", "Don't {}", "{} everything today", "{} and log out", "I have {} already",
    "Where is {}?", "{} later", "Tell Ada about {}", "Is {} on?", "{} except the last",
)  # fmt: skip
"""Wishes that say more than that, or something else, with the words that nothing on a screen does."""
SAID = {"broken", "here", "everything", "today", "already", "later", "tell", "ada", "except", "last"}
MOST = 12
"""Controls of one screen."""


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def controls(screen: Observation) -> Iterator[Element]:
    """Some of the named controls, from all over the screen."""
    named = [one for one in screen.controls if one.role in ("button", "link", "tab", "menuitem") and one.name]
    return islice(iter(named[:: max(1, len(named) // MOST)]), MOST)


@pytest.fixture(scope="module")
def wished() -> list[tuple[Observation, Element]]:
    """Controls of all the screens."""
    found = (scene.screen for _, scene, _ in screens())
    return [(screen, control) for screen in found for control in controls(screen)]


def test_each_proposal_is_found_and_says_what_the_wish_says(
    wished: list[tuple[Observation, Element]],
) -> None:
    proposed = 0
    for screen, control in wished:
        for wish in (form.format(control.name) for form in SAME):
            for text, element in commands_for_wish(wish, screen, ScreenGrounder()):
                proposed += 1
                target = target_of(text)
                found = ScreenGrounder().locate(target, screen).element
                assert found is not None and found.id == element.id, (wish, text)
                said = plain(words(f"{target.text} {target.near}"))
                assert said <= plain(words(wish) | POLITE), (wish, text)
                assert plain(words(control.name) - POLITE) - said <= PRESSING, (wish, text)
    assert proposed >= 1000


def test_nothing_is_proposed_for_what_a_press_does_not_do(wished: list[tuple[Observation, Element]]) -> None:
    for screen, control in wished:
        for wish in (form.format(control.name) for form in OTHER):
            for text, _ in commands_for_wish(wish, screen, ScreenGrounder()):
                target = target_of(text)
                left = (words(wish) & SAID) - words(f"{target.text} {target.near}")
                assert not left and "?" not in wish, (wish, text)


def test_no_name_is_advised_that_leaves_out_a_word(wished: list[tuple[Observation, Element]]) -> None:
    for screen, control in wished[::10]:
        task = Task(f'click "{control.name.replace(chr(34), "")} qqqq"')
        end = PlainPlanner(waits=()).decide(Situation(task, screen)).end
        assert not isinstance(end, GiveUp) or "for example" not in end.reason, end


POLITE = words("the a an my your our this that to me now just next then so also please i need")
PRESSING = {"open", "show", "see", "view", "visit", "go", "press", "click", "hit", "tap"}


def plain(said: set[str]) -> set[str]:
    return {word.removesuffix("s").removesuffix("e").removesuffix("i") for word in said}


def target_of(text: str) -> Words:
    """What a proposed command presses."""
    commands = parse(text)
    assert isinstance(commands, tuple) and len(commands) == 1
    command = commands[0]
    assert isinstance(command, Do) and isinstance(command.action, Click)
    assert isinstance(command.action.at, Words)
    return command.action.at
