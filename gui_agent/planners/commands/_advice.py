"""Suggests one wording that works on this screen for a command with a missing or ambiguous target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from gui_agent.agent.executor import MOST_CANDIDATES
from gui_agent.agent.grounder.candidates import suitability
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation, Relation, Words, on_one_line, share_columns
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Decision, GiveUp
from gui_agent.elements.roles import LABELLING
from gui_agent.elements.text import name_words
from gui_agent.elements.words import STOP_WORDS, letters_alike
from gui_agent.planners.commands.commands import Command, Copy, Do, Invoke, Put, Read, ScrollTo, Verify
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.unparse import say
from gui_agent.scene import Scene

_MOST_NAMES = 40
"""Maximum number of names to try for one element."""
_LONGEST = 60
"""Maximum characters of a name that a person would repeat."""
_BELOW = 30
"""Maximum pixels below a text at which a person reads the text as a heading."""
_AKIN = 0.75
"""Minimum similarity of two words that may be the same one misspelled."""


def with_advice(
    command: Command, error: NotFound | Ambiguous, observation: Observation, grounder: Grounder
) -> str:
    """The error with a verified wording for one of its candidates.

    A wording is given only if it parses to the same command and finds the candidate.
    """
    if isinstance(command, Verify):
        return str(error)
    verb = _verb(command)
    # A control must be of a suitable kind; a mere text cannot be operated.
    least = 0.8 if verb == "read" else 0.88
    for element in error.candidates:
        if isinstance(error, NotFound) and not _is_what_is_said(command, element):
            continue
        if not element.name or len(element.name) > _LONGEST or suitability(element, verb) < least:
            continue
        for names, _ in zip(_names_of_element(element, observation), range(_MOST_NAMES), strict=False):
            wording = _wording_for(command, names, element, observation, grounder, verb)
            if wording:
                return f"{error}; for example: {wording}"
    return str(error)


def end_with_advice(
    command: Command,
    missing: NotFound | Ambiguous,
    screen: Observation,
    grounder: Grounder,
    notes: Mapping[str, str],
    planner: str,
    extent: str = "",
) -> Decision:
    """Give up on a command with a working wording; `extent` says how far the search went."""
    reason = f"{say(command)}: {with_advice(command, missing, screen, grounder)}{extent}"
    unmet = isinstance(command, Verify) and not missing.candidates
    error = "CheckFailed" if unmet else type(missing).__name__
    words, verb = missing.sought or (None, "")
    candidates = tuple(missing.candidates[:MOST_CANDIDATES])
    end = GiveUp(reason, error, candidates, step=say(command), sought=words, verb=verb)
    return Decision("", end=end, notes=dict(notes), planner=planner)


def _wording_for(
    command: Command, names: Words, element: Element, observation: Observation, grounder: Grounder, verb: str
) -> str:
    said = _rename(command, names)
    return verified_wording(said, names, element, observation, grounder, verb) if said is not None else ""


def verified_wording(
    command: Command, names: Words, element: Element, screen: Observation, grounder: Grounder, verb: str
) -> str:
    """A command in words, if they are read as that command and its names find the element; else empty."""
    try:
        found = grounder.locate(names, screen, verb=verb).element
    except (NotFound, Ambiguous):
        return ""
    text = say(command)
    return text if found is not None and found.id == element.id and parse(text) == (command,) else ""


def _is_what_is_said(command: Command, element: Element) -> bool:
    """Whether a name has a similar word for each that a command says, and none besides."""
    inner, key = _naming(command)
    said = {*name_words(normal(getattr(inner, key).text))} - STOP_WORDS if key else set()
    own = {*name_words(normal(element.name))} - STOP_WORDS
    return not said or all(
        any(letters_alike(one, other) >= _AKIN for other in others)
        for some, others in ((said, own), (own, said))
        for one in some
    )


def _verb(command: Command) -> str:
    match command:
        case Do(action):
            return action.kind
        case Put():
            return "set"
        case Read() | Copy() | ScrollTo():
            return "read"
    return "click"


def _naming(command: Command) -> tuple[Any, str]:
    """The command's object with the target, and its first field that names one; empty if none does."""
    inner: Any = command.action if isinstance(command, Do) else command
    named = (one.name for one in fields(inner) if isinstance(getattr(inner, one.name), Words))
    return inner, "" if isinstance(command, Invoke) else next(named, "")


def texts_named(command: Command) -> tuple[str, ...]:
    """The texts whose presence on the screen means that the command's target is there."""
    inner, key = _naming(command)
    return (getattr(inner, key).text, getattr(inner, key).near) if key else ()


def _rename(command: Command, names: Words) -> Command | None:
    inner, key = _naming(command)
    changed: Any = replace(inner, **{key: names}) if key else None
    return Do(changed) if key and isinstance(command, Do) else cast("Command | None", changed)


def _names_of_element(element: Element, observation: Observation) -> Iterator[Words]:
    plain = Words(element.name)
    yield plain
    yield replace(plain, role=element.role)
    others = [e for e in observation.elements if e.name and len(e.name) <= _LONGEST and e.id != element.id]
    record = Scene.from_screen(observation).records.record_of(element)
    if record is not None and record.keys[0].name:
        # The key of a record is what people call it; another value in its row may be anything.
        yield replace(plain, near=record.keys[0].name, relation="in the row of")
        others = [one for one in others if one not in record.parts]
    for relation, other in _relations(element, others):
        yield replace(plain, near=other.name, relation=relation)
    for rank in (1, 2, 3, 4, 5, -1):
        yield replace(plain, ordinal=rank)
        yield replace(plain, role=element.role, ordinal=rank)


def _relations(element: Element, others: Sequence[Element]) -> Iterator[tuple[Relation, Element]]:
    """Relations to other elements that a person would use to name the element, the most specific first."""
    own = {*name_words(normal(element.name))}
    # People identify rows by the nearest text; a number does not identify a row.
    for one in sorted(others, key=lambda e: (e.role not in LABELLING, e.box.gap(element.box))):
        if {*name_words(normal(one.name))} <= own or not any(map(str.isalpha, one.name)):
            continue
        if on_one_line(one.box, element.box):
            yield "in the row of", one
        elif one.is_text and share_columns(element.box, one.box) and 0 < one.box.gap(element.box) <= _BELOW:
            yield "below", one
    yield from (
        ("in the column of", e)
        for e in others
        if e.role == "columnheader" and share_columns(e.box, element.box)
    )
    yield from (("under the heading", e) for e in reversed(others) if e.role == "heading")
