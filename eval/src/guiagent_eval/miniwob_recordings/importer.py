"""Recordings of MiniWoB++'s own recorder as demonstrations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from gui_agent.core.actions import Choose, Drag, Recorded, TypeText
from gui_agent.core.aiming import aim, places
from gui_agent.core.conditions import Condition, TextGone, TextShown
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Element, Fingerprint, Observation, Point, Size
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.elements.words import common_places
from gui_agent.procedures.importers.imported import (
    Failed,
    Imported,
    Incomplete,
    Remark,
    is_secret,
    secret_name,
)
from gui_agent.procedures.language.template import tokens
from gui_agent.procedures.recordings.from_run import postconditions, volatile
from gui_agent.scene.fingerprints import fingerprint
from guiagent_eval.miniwob_recordings.acts import drafts, row_around, texts_in, used
from guiagent_eval.miniwob_recordings.effects import DraftAct, as_mentioned, words
from guiagent_eval.miniwob_recordings.page import PageReader
from guiagent_eval.miniwob_recordings.recording import EventRecording, PageNode, PageState
from guiagent_eval.miniwob_recordings.roles import OPERABLE

_IN_PIECES = re.compile(r"\S( \S)+")
SEEN = Size(160, 210)
"""The part of the page in which the recorder listens to the mouse."""


def import_miniwob(recording: EventRecording, source: str, chosen: Sequence[str] = ()) -> Imported:
    """A recording as a demonstration of its instruction.

    Args:
        source: name of the file, for messages and for the origin.
        chosen: the options chosen in drop-down lists, in order: the recorder does not keep them.

    Raises:
        Failed: the recording did not succeed at its task.
        Incomplete: an option was chosen in a list and is not given.
        ConfigError: the recording has no action.
    """
    if recording.raw_reward != 1:
        raise Failed(f"{source}: its reward is {recording.raw_reward:g}, not 1: only success is used")
    steps = as_mentioned(drafts(recording.events, recording.moments[-1]), recording.utterance)
    if not steps:
        raise ConfigError(f"{source}: nothing was done in this recording")
    lists = [step for step in steps if _is_open(step)]
    if len(lists) != len(chosen):
        fault = f"{source}: the option chosen in a list is neither in the recording nor in its instruction"

        def fill_in(others: Sequence[str]) -> Imported:
            options = _inferred_choices(recording.utterance, others, steps)
            if options is None:
                raise ConfigError(fault)
            return replace(import_miniwob(recording, source, options), inferred=options)

        raise Incomplete(fault, recording.utterance, fill_in)
    for step, option in zip(lists, chosen, strict=True):
        if isinstance(step.action, Choose):
            step.action = replace(step.action, option=option)
    return _Writer(recording, steps).write(source)


def _inferred_choices(said: str, others: Sequence[str], steps: Sequence[DraftAct]) -> tuple[str, ...] | None:
    """The options chosen in the lists of a recording: the parts by which its instruction differs from others.

    The recorder keeps that a list was used, and not the option. A successful recording did what its
    instruction asks for. None if the instruction does not differ in as many parts as there are lists.
    """
    begun = [step.typed for step in steps if _is_open(step)]
    typed = {normal(step.action.text) for step in steps if isinstance(step.action, TypeText)}
    left = [value for value in _differing(said, others) if normal(value) not in typed]
    fits = len(left) == len(begun)
    fits = fits and all(normal(a).startswith(normal(b)) for a, b in zip(left, begun, strict=True))
    return tuple(left) if fits else None


def _differing(said: str, others: Sequence[str]) -> list[str]:
    """The parts of an instruction that are not in all of the others, in order."""
    own = tokens(said)
    common = set(range(len(own)))
    for other in others:
        common &= common_places([token.text for token in own], [token.text for token in tokens(other)])
    runs = groupby(range(len(own)), key=lambda place: place in common)
    spans = [list(places) for shared, places in runs if not shared]
    return [said[own[span[0]].start : own[span[-1]].end].strip("\"'") for span in spans]


def _is_open(step: DraftAct) -> bool:
    """Whether an option was chosen that the recording does not contain."""
    return isinstance(step.action, Choose) and not step.action.option


class _Writer:
    """Turns the steps of one recording into those of a demonstration."""

    def __init__(self, recording: EventRecording, steps: Sequence[DraftAct]) -> None:
        self._recording = recording
        self._steps = steps
        self._reader = PageReader((0, 0, SEEN.width, SEEN.height), used(recording.events))
        self._chosen: dict[int, list[str]] = {}
        self._remarks: list[Remark] = []

    def write(self, source: str) -> Imported:
        """The demonstration."""
        screens: list[Observation] = []
        for step in self._steps:
            screens.append(self._look(step.before))
            if isinstance(step.action, Choose) and step.node is not None:
                self._chosen.setdefault(step.node.ref, []).append(step.action.option)
        screens.append(self._look(self._recording.moments[-1]))
        done = tuple(
            self._step(number, step, screens[number], screens[number + 1], last=step is self._steps[-1])
            for number, step in enumerate(self._steps)
        )
        final = Screen(SEEN, elements=screens[-1].elements)
        demonstration = Demonstration(
            self._recording.utterance, done, platform="browser", final=final, origin=f"import {source}"
        )
        return Imported(demonstration, tuple(self._remarks))

    def _look(self, moment: PageState) -> Observation:
        """The screen, with the options chosen in its lists so far."""
        elements = self._reader.read(moment.page)
        chosen: dict[int, str] = {}
        for ref, options in self._chosen.items():
            if node := moment.nodes.get(ref):
                shown = [one.text for one in node.children if one.text in options]
                chosen[self._reader.number(node)] = "\n".join(shown or options[-1:])
        return Observation(SEEN, tuple(replace(e, value=chosen.get(e.id, e.value)) for e in elements))

    def _step(
        self, number: int, draft: DraftAct, before: Observation, after: Observation, *, last: bool
    ) -> DemoStep:
        at = self._target(draft, before)
        to = self._drop_target(draft, before, at)
        marks: dict[str, Fingerprint] = {}
        for name, point in places(draft.action).items():
            element = to if name == "to" else at
            marks[name] = fingerprint(element, before) if element is not None else _place(point)
        action = self._without_secret(number, aim(draft.action, marks), at)
        own = at.id if at is not None and places(draft.action) else 0
        return DemoStep(
            action=action,
            screen=Screen(before.size, elements=before.elements),
            element=own,
            to_element=to.id if to is not None else 0,
            # The end of the episode hides the effect of the last step.
            expect=() if last else _sure(postconditions(before, after, own), elsewhere=draft.elsewhere),
        )

    def _target(self, draft: DraftAct, screen: Observation) -> Element | None:
        """The innermost control among the targets of an action, or else the innermost element."""
        if draft.node is None:
            return None
        way = [draft.node, *(node for node in draft.before.lineage if node.ref != draft.node.ref)]
        way = [inner for node in way for inner in (node, *_labelled_fields(node))]
        ids = [self._reader.number(node) for node in way]
        there = [element for number in ids if number and (element := screen.by_id(number)) is not None]
        control = next((e for e in there if e.role in OPERABLE), None)
        if control is not None:
            return control
        if self._stands_for_row(draft, there):
            return there[0]
        own = screen.by_id(self._reader.text_number(draft.node))
        point = next(iter(places(draft.action).values()), None)
        meant = _telling(there[0] if there else None, own or _text_at(point, screen))
        return meant or self._first_text(draft.node, screen)

    def _stands_for_row(self, draft: DraftAct, there: Sequence[Element]) -> bool:
        """Whether the clicked element is unrelated to the task, but another element in its row is not."""
        row = row_around(draft.before)
        if row is None or draft.node is None or not there or there[0].id != self._reader.number(row):
            return False
        return self._is_mentioned(*texts_in(row)) and not self._is_mentioned(draft.node.text)

    def _first_text(self, node: PageNode, screen: Observation) -> Element | None:
        """The first lasting text in an element that was clicked at an empty place: it can be found again."""
        inside = {self._reader.text_number(inner) for inner in node.walk()}
        texts = [e for e in screen.elements if e.id in inside and not volatile(e.name)]
        return next((e for e in texts if any(letter.isalpha() for letter in e.name)), None)

    def _is_mentioned(self, *texts: str) -> bool:
        """Whether the instruction mentions one of these texts."""
        return any(words(text) in words(self._recording.utterance) for text in texts if tokens(text))

    def _drop_target(self, draft: DraftAct, screen: Observation, dragged: Element | None) -> Element | None:
        if not isinstance(draft.action, Drag):
            return None
        point = draft.action.to
        there = [e for e in screen.elements if e.box.contains(point) and e is not dragged]
        return min(there, key=lambda e: (e.box.area, e.is_text), default=None)

    def _without_secret(self, number: int, action: Recorded, at: Element | None) -> Recorded:
        """The action without a text typed into a password field, unless the instruction contains it."""
        if not isinstance(action, TypeText) or action.at is None or at is None or not action.text:
            return action
        if not is_secret(action.at) or action.text in self._recording.utterance:
            return action
        name = secret_name(action.at)
        self._remarks.append(
            Remark(number + 1, "not shown", f"the secret is not stored; provide it as {name}", dropped=False)
        )
        return replace(action, text=f"${{secret:{name}}}")


def _labelled_fields(node: PageNode) -> list[PageNode]:
    """The one field inside a label."""
    fields = [inner for inner in node.walk() if inner.tag in ("input", "select", "textarea")]
    return fields if node.tag == "label" and len(fields) == 1 else []


def _sure(found: Sequence[Condition[Fingerprint]], *, elsewhere: bool) -> tuple[Condition[Fingerprint], ...]:
    """The conditions that hold wherever an element is, and with texts as they were on the page.

    The recorder puts spaces between pieces of a text: `l s` may have been `ls`.
    """

    def doubtful(one: Condition[Fingerprint]) -> bool:
        return isinstance(one, TextShown | TextGone) and (elsewhere or bool(_IN_PIECES.fullmatch(one.text)))

    return tuple(one for one in found if not doubtful(one))


def _text_at(point: Point | None, screen: Observation) -> Element | None:
    """The smallest text at a point."""
    there = [e for e in screen.elements if e.is_text and point is not None and e.box.contains(point)]
    return min(there, key=lambda e: e.box.area, default=None)


def _telling(inner: Element | None, text: Element | None) -> Element | None:
    """The clicked element, or the text at that place if that says more."""
    if inner is None or text is None:
        return inner or text
    vague = inner.role == "generic" and inner.box.area > 4 * text.box.area
    return text if vague or not (inner.name or inner.role == "img") else inner


def _place(point: Point) -> Fingerprint:
    """A fingerprint of a bare point."""
    return Fingerprint(role="", name="", box=Box(point.x, point.y, 1, 1), screen=SEEN)
