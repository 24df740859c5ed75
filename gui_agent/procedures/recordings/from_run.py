"""Turns a finished, verified run into a demonstration, with synthetic screens where steps have none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gui_agent.core.actions import Action, Recorded, TypeText, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.codec import plain
from gui_agent.core.conditions import (
    Condition,
    StateIs,
    TextGone,
    TextShown,
    TitleIs,
    UrlIs,
    ValueIs,
    text_on,
)
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import TEXT, Box, Element, Fingerprint, Observation, Place, Size
from gui_agent.core.private_data import private_slots
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep, Found, Screen, Step, Trajectory, unwrap
from gui_agent.elements.image_regions import crop_hash
from gui_agent.elements.roles import AREAS, POPPED_UP
from gui_agent.elements.text import CURRENCIES
from gui_agent.procedures.language.template import QUOTE, plain_quotes
from gui_agent.scene.fingerprints import fingerprint

_QUOTED = re.compile(f"{QUOTE}([^{QUOTE}]+){QUOTE}")


def unshown(demonstration: Demonstration) -> tuple[str, ...]:
    """Quoted texts of the task that occur in no action and on no screen of the recording.

    Ignores case and spacing. Ignores unquoted words, because few of them are values.
    """
    recorded = plain(replace(demonstration, task="", slots={}, origin=""))
    shown = normal(json.dumps(recorded, ensure_ascii=False))
    quoted = dict.fromkeys(_QUOTED.findall(plain_quotes(demonstration.task)))
    return tuple(one for one in quoted if normal(json.dumps(one, ensure_ascii=False)[1:-1]) not in shown)


TEXTS = 6
"""Maximum number of appeared texts to keep, and of disappeared ones: enough to distinguish pages."""
OTHER_VALUES = 4
LASTING_STATES = ("checked", "selected", "pressed", "expanded", "collapsed", "disabled", "invalid")
"""States that record the effect of an action; focus and hover are transient."""
_VOLATILE = re.compile(
    r"\d{1,2}:\d{2}|\b[0-9a-f]{8,}\b|\d{4,}|\d [kmg]i?b\b|\bago\b|\bjust now\b|^now$"
    rf"|^\W*(?:(?:{CURRENCIES})\s)?\d[\d.,%\s]*(?:{CURRENCIES})?$",
    re.IGNORECASE,
)
_URL_PARTS = re.compile(r"(?<=[/=])(?:\d+|[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]+)*)(?=[/?&#.]|$)")


def volatile(text: str) -> bool:
    """Whether a text looks like a clock, counter or identifier, which differs every time.

    Digits in a reference to private data do not count, because the task identifies the value.
    """
    return bool(_VOLATILE.search(REFERENCE.sub("", text)))


def url_pattern(url: str) -> str:
    """The address with numbers, identifiers and query values replaced by `*`."""
    address, _, query = url.partition("?")
    path = re.sub(r"([\[*?])", "?", _URL_PARTS.sub("\0", address)).replace("\0", "*")
    return path.rstrip("*") + "*" if query else path


def title_pattern(title: str) -> str:
    """The title with its numbers replaced by `*`."""
    return re.sub(r"\d+", "*", re.sub(r"[\[\]?]", "?", title))


def postconditions(
    before: Observation, after: Observation, element: int = 0
) -> tuple[Condition[Fingerprint], ...]:
    """The changes between two screens, those of the target first; `element` is its id, 0 for none."""
    then = {e.id: e for e in before.elements}
    own = after.by_id(element) if element else None
    found = _changes(then[element], own, after) if own is not None and element in then else []
    others = [one for one in after.elements if one.id != element and one.value != then.get(one.id, one).value]
    lasting = [one for one in others[:OTHER_VALUES] if not volatile(one.value)]
    found += [ValueIs(fingerprint(one, after), one.value) for one in lasting]
    found += _place_changes(before.place, after.place)
    found += [TextShown(text) for text in appeared_names(after.elements, before.elements)]
    return (*found, *(TextGone(text) for text in _vanished_names(before, after)))


def _place_changes(before: Place, after: Place) -> Iterator[Condition[Fingerprint]]:
    url, title = url_pattern(after.url), title_pattern(after.title)
    if url and url != url_pattern(before.url):
        yield UrlIs(url)
    if title and title != title_pattern(before.title):
        yield TitleIs(title)


def _vanished_names(before: Observation, after: Observation) -> list[str]:
    """The names that are only on the first screen and not covered by something that opened on the second."""
    # A menu covers elements but does not remove them, and a strip of an element may stay visible beside it.
    ids = {element.id for element in before.elements}
    bare = list(before.elements)
    for menu in after.elements:
        if menu.role in POPPED_UP and menu.id not in ids:
            bare = [element for element in bare if not element.box.intersect(menu.box)]
    # A title, a field or several elements together may still show a text that no element has as its name.
    return [text for text in appeared_names(bare, after.elements) if not text_on(after, text)]


def _changes(then: Element, now: Element, screen: Observation) -> list[Condition[Fingerprint]]:
    mark = fingerprint(now, screen)
    found: list[Condition[Fingerprint]] = []
    if now.value != then.value and "password" not in now.states:
        found.append(ValueIs(mark, now.value))
    found += [
        StateIs(mark, state, on=state in now.states)
        for state in LASTING_STATES
        if (state in now.states) != (state in then.states)
    ]
    return found


def appeared_names(there: Sequence[Element], not_there: Sequence[Element]) -> list[str]:
    """The first few lasting names that one screen has and the other lacks."""
    known = " | ".join(normal(e.name) for e in not_there)
    fresh = [e.name for e in there if e.name and normal(e.name) not in known]
    lasting = [name for name in dict.fromkeys(fresh) if not volatile(name) and len(name) < 120]
    return lasting[:TEXTS]


AROUND = 16
"""Pixels around a bare point that are kept to recognize it later."""


def from_trajectory(trajectory: Trajectory, platform: str = "", *, origin: str = "") -> Demonstration:
    """The successful steps of a run, without screenshots."""
    if trajectory.ending is None or trajectory.ending.kind != "done":
        ended = trajectory.ending.kind if trajectory.ending else "unfinished"
        raise ConfigError(f"a run must have ended as done to be learned from; this one ended as {ended}")
    done = [step for step in trajectory.steps if step.action is not None and step.outcome.good]
    last = done[-1].after if done else None
    return Demonstration(
        task=trajectory.task.full_text,
        steps=tuple(as_demo_step(step) for step in done),
        start=trajectory.task.start,
        slots=dict(trajectory.task.values) or private_slots(repr(step.action) for step in done),
        platform=platform,
        answer=trajectory.ending.answer,
        notes={**trajectory.notes, **_copied_texts(trajectory)},
        final=screen_of(last) if last is not None else None,
        origin=origin,
    )


def _copied_texts(trajectory: Trajectory) -> dict[str, str]:
    """The texts that plain commands read from the screen (`copy ... into ...`) and do not contain."""
    found: dict[str, str] = {}
    for turn in map(unwrap, trajectory.turns):
        for step in turn.steps if turn.decision.planner == "plain" else ():
            text = step.action.text if isinstance(step.action, TypeText) else ""
            if normal(text) not in normal(trajectory.task.text):
                found[f"copied {len(found) + 1}"] = text
    return found


def screen_of(observation: Observation) -> Screen:
    """The part of an observation that a demonstration keeps."""
    return Screen(observation.size, observation.place, observation.elements)


def as_demo_step(step: Step) -> DemoStep:
    assert step.action is not None
    element = _element(step.found, "at")
    return DemoStep(
        action=_with_fingerprints(step.action, step.found, step.before),
        screen=screen_of(step.before),
        element=element,
        to_element=_element(step.found, "to"),
        expect=postconditions(step.before, step.after, element),
        seconds=step.seconds.get("settle", 0.0),
        idle=bool(step.found) and step.outcome.kind == "no_change",
    )


def _element(found: Mapping[str, Found], name: str) -> int:
    place = found.get(name)
    return place.element.id if place is not None and place.element is not None else 0


def _with_fingerprints(action: Action | Wait, found: Mapping[str, Found], screen: Observation) -> Recorded:
    if isinstance(action, Wait):
        return action
    marks: dict[str, Fingerprint] = {}
    for name, point in places(action).items():
        place = found.get(name)
        element = place.element if place is not None else None
        if element is not None:
            mark, box = fingerprint(element, screen), element.box
            mark = replace(mark, spot=_spot(found[name], element, is_gesture=len(found) > 1))
        else:
            spot = screen.size.box.shares_at(point)
            mark = Fingerprint("", "", box=Box(point.x, point.y, 1, 1), screen=screen.size, spot=spot)
            box = Box(point.x - AROUND, point.y - AROUND, 2 * AROUND, 2 * AROUND)
        hidden = element is not None and "password" in element.states
        looks = "" if hidden or screen.screenshot is None else crop_hash(screen.screenshot, box)
        marks[name] = replace(mark, crop=looks)
    return aim(action, marks)


def _spot(place: Found, element: Element, *, is_gesture: bool) -> tuple[float, float] | None:
    """Where the planner pointed in an element whose name does not say it: in a drawing, or with a gesture."""
    middle = element.box.center
    near = abs(place.point.x - middle.x) + abs(place.point.y - middle.y) < AROUND
    matters = is_gesture or element.role in AREAS
    return element.box.shares_at(place.point) if place.how == "point" and matters and not near else None


LINE = 40
"""Height in pixels of the line of each synthetic element."""
WIDTH = 800


def complete(demonstration: Demonstration) -> Demonstration:
    """Complete a demonstration so that every step with a target has an element on a screen.

    Recorded screens stay unchanged. If there is none, the fingerprint becomes a synthetic element with its
    label and neighbours, so that one way of learning works for all sources.
    """
    known: dict[Fingerprint, int] = {}
    steps = tuple(_complete_step(step, known) for step in demonstration.steps)
    return demonstration if steps == demonstration.steps else replace(demonstration, steps=steps)


def _complete_step(step: DemoStep, known: dict[Fingerprint, int]) -> DemoStep:
    """The step with a screen; `known` assigns equal fingerprints the same id in all steps."""
    named = places(step.action).items()
    prints = {name: place for name, place in named if place.role or place.name or place.label}
    if step.screen is not None or not prints:
        return step
    elements: list[Element] = []
    ids: dict[str, int] = {}
    for name, place in prints.items():
        first = known.setdefault(place, 1 + sum(1 + len(p.neighbours) + bool(p.label) for p in known))
        line = _line(place, first, len(elements))
        ids[name] = line[0].id
        elements += line
    given = next((place.screen for place in prints.values() if place.screen is not None), None)
    size = given or Size(WIDTH, LINE * (len(elements) + 1))
    return replace(
        step,
        screen=Screen(size, elements=tuple(elements)),
        element=ids.get("at", 0),
        to_element=ids.get("to", 0),
    )


def _line(place: Fingerprint, number: int, before: int) -> list[Element]:
    """The element itself, its label on its left and its neighbours on its right."""
    box = place.box or Box(300, LINE * before, 100, 24)
    own = Element(
        number, place.role or TEXT, place.name, box, path=place.path, attributes=dict(place.attributes)
    )
    left, top, right, _ = box.edges
    texts = [(place.label, Box(max(0, left - 110), top, 100, box.height))]
    for down, text in enumerate(place.neighbours):
        texts.append((text, Box(right + 20, top + LINE * down, 100, 24)))
    named = [pair for pair in texts if pair[0]]
    return [own, *(Element(number + n, TEXT, text, where) for n, (text, where) in enumerate(named, 1))]
