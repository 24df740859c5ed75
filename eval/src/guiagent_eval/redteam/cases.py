"""Attacks by class and everyday steps, read from the TOML files beside this one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from gui_agent.core import actions as do
from gui_agent.core.actions import Proposal
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Mark, Observation, Point, Target, Words
from gui_agent.core.parsing import parse_toml
from guiagent_eval.app_data import fill_in

Step = Callable[[Observation], Proposal]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One case: a page, window or command, and an obedient planner's actions on it."""

    id: str
    group: str
    """The class of an attack, or the kind of program of everyday steps."""
    steps: tuple[str | tuple[str, ...], ...]
    """Steps in the small language of `step`, in one line or word by word."""
    page: str = ""
    """The body of a page; `H()` is the harm. Without it the steps are for a desktop."""
    start: str = ""
    """What the person opens on a desktop first."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files in the folder `{here}`; those whose name ends with `*` are executable."""
    command: tuple[str, ...] = ()
    """Words for the command line `guiagent`, which then are the whole case."""
    policy: str = ""
    yes: bool = False
    """Whether all questions are answered with yes: forbidden actions must stay forbidden."""
    agrees: int = 0
    """How many of the first questions the person answers with yes; all others with no."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers with which the pages are served."""
    unheld: bool = False
    """Whether nothing can hold it, so that it is counted apart."""
    again: int = 1
    """How often the effect must happen before it counts as harm: 2 for one that may happen once."""
    secret: str = ""
    """A file of `files` that an attack deletes, or reveals, if it did harm."""

    @property
    def where(self) -> str:
        """browser, desktop or cli."""
        return "cli" if self.command else "browser" if self.page else "desktop"


def attacks(source: Path | None = None) -> tuple[Attempt, ...]:
    """The attacks that come with the program, or those of a file of the same form.

    Raises:
        ConfigError: the file cannot be read.
    """
    return tuple(_cases("attacks.toml", "attack", source))


def everyday() -> tuple[Attempt, ...]:
    """Pages and windows with steps about which a question would only annoy."""
    return tuple(_cases("everyday.toml", "everyday", None))


def _cases(name: str, key: str, source: Path | None) -> Iterator[Attempt]:
    try:
        text = source.read_text("utf-8") if source else files(__package__).joinpath(name).read_text("utf-8")
        entries = parse_toml(text)[key]
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{source or name} holds no attacks: {error}") from error
    number: dict[str, int] = {}
    for entry in entries:
        for value in entry.get("each", [""]):
            group = entry["class"]
            number[group] = number.get(group, 0) + 1
            yield _case(entry, value, f"{group}-{number[group]}")


def _case(entry: Mapping[str, Any], value: str | list[str], name: str) -> Attempt:
    def put(text: Any) -> Any:
        if isinstance(text, str):
            for place, one in {"x": value}.items() if isinstance(value, str) else enumerate(value):
                text = text.replace(f"{{{place}}}", one)
            return text
        if isinstance(text, list):
            return tuple(put(one) for one in text)
        return {put(key): put(one) for key, one in text.items()} if isinstance(text, dict) else text

    known = {
        key: put(one) for key, one in entry.items() if key in Attempt.__dataclass_fields__ and key != "group"
    }
    return Attempt(
        id=name, group=entry["class"], steps=tuple(one for one in put(entry.get("do", ())) if one), **known
    )


def step(given: str | tuple[str, ...], here: Mapping[str, str]) -> Step:
    """An action from a line such as `click #pay`, `press ctrl+Enter`, `type #to "Ada\\n"`, `drag #a 20,30`.

    Args:
        here: the values of `{base}`, `{other}`, `{here}`.
    """
    verb, *words = shlex.split(fill_in(given, here)) if isinstance(given, str) else fill_in(list(given), here)
    words = [word.replace("\\n", "\n").replace("\\t", "\t") for word in words]

    if verb not in _VERBS:
        raise ConfigError(f"there is no step {given!r}; there are {', '.join(_VERBS)}")

    def proposal_on(screen: Observation) -> Proposal:
        try:
            return _VERBS[verb](words, lambda place=0: _target(words[place], screen))
        except (ValueError, IndexError) as error:
            raise ConfigError(f"the step {given!r} lacks a word or a number: {error}") from error

    return proposal_on


def _number(words: Sequence[str], usual: int = 1) -> int:
    return int(words[1]) if len(words) > 1 else usual


At = Callable[..., Target]
_VERBS: Mapping[str, Callable[[list[str], At], Proposal]] = {
    "click": lambda words, at: do.Click(at(), clicks=_number(words)),
    "long": lambda words, at: do.LongPress(at()),
    "check": lambda words, at: do.Check(at()),
    "choose": lambda words, at: do.Choose(at(), words[1]),
    "drag": lambda words, at: do.Drag(at(), at(1)),
    "upload": lambda words, at: do.Upload(at(), tuple(words[1:])),
    "type": lambda words, at: do.TypeText(words[1], None if words[0] == "-" else at()),
    "press": lambda words, at: do.Press(tuple(words[0].split()) or (" ",), _number(words)),
    "hold": lambda words, at: do.Hold((words[0],), float(words[1])),
    "navigate": lambda words, at: do.Navigate(words[0]),
    "open": lambda words, at: do.Open(words[0]),
    "back": lambda words, at: do.Back(),
    "switch": lambda words, at: do.Switch(words[0]),
    "scroll": lambda words, at: do.Scroll(at(), down=int(words[1])),
    "move": lambda words, at: do.Move(at()),
}


def _target(word: str, screen: Observation) -> Target:
    """`#id` is the element with this id, `12,34` a point, anything else a name."""
    if word.startswith("#"):
        for element in screen.elements:
            if element.attributes.get("id") == word[1:]:
                return Mark(element.id)
        return Words(word)
    x, comma, y = word.partition(",")
    if comma and x.isdecimal() and y.isdecimal():
        return Point(int(x), int(y))
    fits = [one for one in screen.elements if one.name == word]
    controls = [one for one in fits if not one.is_text] or fits
    return Mark(controls[0].id) if controls else Words(word)
