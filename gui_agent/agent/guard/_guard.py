"""The guard: judges each action by what it would mean, then allows it, asks the person or refuses."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain, islice, product

from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard import addresses, hosts, words
from gui_agent.agent.guard._lexicon import editable
from gui_agent.agent.guard._outflow import (
    WITHOUT_INPUT,
    Judgement,
    RequestJudge,
    StepUnderway,
    meanings_of,
    step_underway,
    typed_words,
)
from gui_agent.agent.guard.asking import (
    REPEAT,
    TO_REPEAT,
    AnyApprover,
    Consent,
    Grants,
    Question,
    scope_of,
)
from gui_agent.agent.guard.kept_answers import KeptAnswers
from gui_agent.agent.guard.ledger import (
    BROKE_OFF,
    IRREVERSIBLE,
    ONCE,
    Ledger,
    LedgerKeeper,
    SideEffect,
    press_of,
)
from gui_agent.agent.guard.meaning import HARMLESS, classify, typed_keys
from gui_agent.agent.guard.policy import Policy, careful, origin_of
from gui_agent.agent.guard.vocabulary import MEANINGS, ActionMeaning
from gui_agent.core.actions import Action, Click, Hold, Press, TypeText
from gui_agent.core.errors import Forbidden
from gui_agent.core.keys import RELOADING, chord
from gui_agent.core.observation import Observation, Place
from gui_agent.core.protocols import SOCKET, HoldsRequests, Opening, Opens, Outgoing
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found, found_element
from gui_agent.elements.roles import ENTRIES, FIELDS, LATCHING, NAVIGATING
from gui_agent.elements.text import names_a_sum
from gui_agent.scene import Scene

AFTER = 2.0
"""For this many seconds after a refusal, requests from the page stay blocked."""
LINE = 2000
"""How many characters of a terminal line are judged together."""
_FOCUSING = frozenset({"tab", "shift", "escape", "pageup", "pagedown", "home", "end"})
_LEAVING = HARMLESS | {"close", "navigate"}
"""What may be done on a page outside the allowed domains: look, and leave."""
_LABEL, _TOLD = 60, 6
"""How many letters of a value, and how many fields and sums, a question quotes."""
_FAULTS = (
    ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError, re.error,
)  # fmt: skip
"""Errors that judging an action may raise; each becomes a refusal."""


def _no_step() -> None:
    """The default when no step is under way."""


def at_terminal() -> bool:
    """Whether a person can be asked: standard input and standard error are both a terminal."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and not stream.closed and stream.isatty() for stream in streams)


class PolicyGuard:
    """A guard that follows a policy. Create one per run: it stores the run's grants and side effects."""

    def __init__(
        self,
        policy: Policy,
        approver: AnyApprover | None = None,
        *,
        yes: bool | Grants = False,
        ledger: Ledger | LedgerKeeper | None = None,
        kept: KeptAnswers | None = None,
    ) -> None:
        """
        Args:
            approver: puts questions to the person; with None, the guard refuses instead of asking.
            yes: True answers yes to every question of the policy; `Grants` limits it to meanings and hosts.
            ledger: the side effects of earlier runs, if this run resumes them.
            kept: the person's answers of earlier runs, where "always" is kept.
        """
        self._policy = policy
        granted = yes if isinstance(yes, Grants) else Grants.yes() if yes else Grants()
        self._consent = Consent(approver, granted, kept)
        self._kept = ledger
        self._about: tuple[SideEffect, ...] = ()
        """Side effects of the action last checked."""
        self._unmoved: tuple[SideEffect, ...] = ()
        """Side effects since the last other action; a clock that changed does not make one of them new."""
        self._recorded: tuple[str, ...] = ()
        self._sent: dict[str, str] = {}
        """By page address without query: the last side effect sent from that page, in words."""
        self._opening: Callable[[str], Opening] | None = None
        self._typing = ("", "")
        """The program that received keys, and its line that has not been entered yet."""
        self._holder: HoldsRequests | None = None
        self._doing: Callable[[], StepUnderway | None] = _no_step
        """Builds the step under way, whose requests are judged; called only when a request arrives."""
        self._gives_no_input = True
        """Whether no step under way gives input to a page, so that what reads needs no judgement."""
        self._refused = 0.0
        self._typed: tuple[str, ...] = ()
        self._outflow = RequestJudge(policy, self._consent, lambda: self._ledger)

    @cached_property
    def _ledger(self) -> Ledger:
        return self._kept.ledger if isinstance(self._kept, LedgerKeeper) else self._kept or Ledger()

    @classmethod
    def default(cls, approver: AnyApprover | None = None, *, yes: bool | Grants = False) -> PolicyGuard:
        """A guard with the default policy."""
        return cls(careful(), approver, yes=yes)

    def judge_by(self, computer: Opens) -> None:
        """From now on, judge what an action opens by what this computer would start."""
        self._opening = computer.opening
        if isinstance(computer, HoldsRequests):
            self._holder = computer
            # If the policy never asks, nothing is held; the ledger still needs a record of what was sent.
            computer.hold(self._may_leave if self._policy.asks or self._kept is not None else None)
            domains = self._policy.domains
            computer.confine((lambda url: hosts.origin_fits(url, domains)) if domains else None)

    def check(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        self._about = ()
        try:
            readings = classify(action, found, observation, self._opening, self._line_before(observation))
            readings = tuple(map(partial(_with_record, found=found), readings))
            judged = [self._judge(action, reading, observation) for reading in readings]
            about = _side_effects(action, readings, found, observation)
        except _FAULTS as fault:
            raise Forbidden(
                f"refused, because judging this {action.kind} failed: {shorten(repr(fault))}; "
                "report it, or go another way"
            ) from fault
        self._refuse_forbidden(judged, about, action)
        asked = [
            one
            for one in judged
            if one.effect == "ask"
            and not self._consent.covers(one.reading.meaning, _place_of_target(one.reading, observation))
        ]
        press = self._press(action, found, observation)
        done = self._effect_to_repeat(about, press) or self._act_sent_again(action, readings, observation)
        if done and self._policy.repeat != "allow" and not self._consent.covers(REPEAT, observation.place):
            self._ask_again(done, asked, readings, action, observation)
        elif asked:
            self._ask_first(asked, action, observation)
        for one in about:
            self._ledger.note_action(one.key, one.what, one.form)
        if press:
            self._ledger.note_press(describe(action, readings[0]), press)
        self._about = about
        if self._holder is not None:
            self._refused = 0.0
            step = partial(step_underway, action, found, readings, observation, self._typed)
            self._doing, self._gives_no_input = cache(step), action.kind in WITHOUT_INPUT
            self._outflow.has_acted = True

    def _line_before(self, observation: Observation) -> str:
        """What was typed into the program in front and has not been entered yet."""
        program, line = self._typing
        return line if program == observation.place.app else ""

    def _effect_to_repeat(self, about: Sequence[SideEffect], press: str) -> str:
        """The earlier side effect that this action would repeat, or may repeat, in words; empty if there is
        none.
        """
        if not about and not press:
            return ""  # nothing was sent, so the ledger need not be read yet
        forms = [*(one.form for one in about), *filter(None, [press])]
        doubts = map(self._ledger.doubt, forms)
        acts = (self._ledger.act_in_words(one.key) for one in about)
        again = (before.what for before, now in product(self._unmoved, about) if now.repeats(before))
        return next(filter(None, chain(doubts, acts, again)), "")

    def _press(self, action: Action, found: Mapping[str, Found], observation: Observation) -> str:
        """The identity of a press on a page, if a ledger is kept; empty for controls that only lead to a
        view.
        """
        element = found_element(found) if action.kind in ("click", "long_press") else None
        if self._holder is None or self._kept is None or element is None:
            return ""
        leads = element.role in NAVIGATING | ENTRIES | FIELDS | LATCHING
        return "" if leads else press_of(element, observation)

    def take_sent_requests(self) -> tuple[str, ...]:
        sent, self._outflow.sent = self._outflow.sent, ()
        return sent

    def take_kept_answers(self) -> tuple[str, ...]:
        used, self._consent.used = tuple(dict.fromkeys(self._consent.used)), ()
        return used

    def _may_leave(self, request: Outgoing) -> bool:
        if request.kind == SOCKET:
            self._outflow.record_frame(request)
            return True
        if request.method == "GET" and self._gives_no_input:
            return True
        doing = None if 0 < self._refused < time.monotonic() else self._doing()
        try:
            leaves = self._outflow.may_leave(request, doing)
        except _FAULTS:
            leaves = False  # it is held, and judged again where the fault can be told
        if self._refused and not leaves:
            self._refused = time.monotonic() + AFTER
        return leaves

    def check_requests(self) -> bool:
        """Release the requests that the action last checked has caused, asking about unexpected ones."""
        holder, held = self._holder, self._holder.held_requests if self._holder is not None else ()
        if holder is None or not held or (doing := self._doing()) is None:
            return False
        allowed = False
        try:
            self._outflow.ask_about(held, doing, self._recorded)
            allowed = True
        except (Forbidden, *_FAULTS) as fault:
            self._refused = time.monotonic() + AFTER
            if isinstance(fault, Forbidden):
                raise
            raise Forbidden(f"refused, because judging a request failed: {shorten(repr(fault))}") from fault
        finally:
            holder.release(allowed)
        return True

    def end_step(self) -> None:
        """End the step; from now on, pages send requests on their own."""
        if self._holder is not None and self._holder.held_requests:
            self._holder.release(False)
        if not self._refused:
            self._doing, self._gives_no_input = _no_step, True

    def check_meaning(self, meaning: str, what: str, observation: Observation) -> None:
        """Allow or refuse something that no device action does, such as a tool of the program."""
        action, reading = Press(("enter",)), ActionMeaning(meaning, what)
        judged = self._judge(action, reading, observation)
        if judged.effect not in ("allow", "ask"):
            raise Forbidden(f"{what} is forbidden: {judged.reason}")
        if judged.effect == "ask" and not self._consent.covers(meaning, observation.place):
            self._ask(f"{what}? {judged.reason}", (meaning,), reading, action, observation)

    def check_call(self, what: str, observation: Observation) -> None:
        self.check_meaning("unclear", what, observation)
        step = StepUnderway(Press(("enter",)), observation, meanings=frozenset({"unclear"}))
        self._doing, self._gives_no_input = lambda: step, False
        self._refused, self._outflow.has_acted = 0.0, True

    def note_delivery(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        """Record the side effects of the action last checked, which has been carried out."""
        self._recorded = tuple(one.key for one in self._about)
        for one in self._about:
            self._ledger.record(one.key, one.what, one.form)
            self._sent[_page_or_program(observation)] = one.what
        if self._about:
            self._unmoved += self._about
        elif not _is_harmless(action):
            self._unmoved = ()
        self._about = ()
        self._typed = (*self._typed[-200:], *typed_words(action))
        line = self._line_before(observation) + typed_keys(action)
        self._typing = (observation.place.app, re.split(r"[\r\n]", line)[-1][-LINE:])

    def _act_sent_again(
        self, action: Action, readings: Sequence[ActionMeaning], observation: Observation
    ) -> str:
        if isinstance(action, Press) and {"alt", "right"} == set(chord(action.keys)):
            return next(reversed(self._sent.values()), "") if observation.place.url else ""
        again = any(one.element is not None and words.retries(one.element.name) for one in readings)
        return self._sent.get(_page_or_program(observation), "") if again else ""

    @property
    def done_before(self) -> tuple[str, ...]:
        """What was sent, paid or submitted so far, in words."""
        return self._ledger.entries

    def _judge(self, action: Action, reading: ActionMeaning, observation: Observation) -> Judgement:
        policy = self._policy
        if reading.meaning == "script-address":
            why = "an address must not carry code; give a plain http(s) address"
            return Judgement("forbid", reading, why)
        if policy.domains:
            here, there = origin_of(reading, observation.place.url), reading.url
            goes = action.kind in ("navigate", "open", "type") and bool(reading.url)
            leaves = goes or addresses.scheme_of(reading.url) in ("http", "https")
            if leaves and not hosts.origin_fits(there, policy.domains):
                return Judgement("forbid", reading, _outside_in_words(hosts.host_of(there), policy))
            inside = not observation.place.url or hosts.origin_fits(here, policy.domains)
            if not inside and action.kind not in _LEAVING:
                return Judgement("forbid", reading, _outside_in_words(hosts.host_of(here), policy))
        if policy.folders and reading.file and not addresses.is_in_folders(reading.file, policy.folders):
            allowed = ", ".join(policy.folders)
            return Judgement("forbid", reading, f"it is outside the allowed folders {allowed}")
        effect, reason = policy.effect(action, reading, observation)
        return Judgement(effect, reading, reason)

    def _refuse_forbidden(
        self, judged: Sequence[Judgement], about: Sequence[SideEffect], action: Action
    ) -> None:
        """Refuse what a rule forbids, and a single action that would repeat its side effect."""
        for judgement in judged:
            # An unknown decision is a refusal.
            if judgement.effect not in ("allow", "ask"):
                raise Forbidden(
                    f"{describe(action, judgement.reading)} is forbidden: {judgement.reason}",
                    advice="only another guard policy allows it",
                )
        if about and times_in_words(action):
            raise Forbidden(f"{about[0].what} would do it more than once; act once, without a hold")

    def _ask_first(self, asked: Sequence[Judgement], action: Action, observation: Observation) -> None:
        gravest, reading = asked[0], asked[0].reading
        because = filter(None, (_contents(reading, observation), reading.because, gravest.reason))
        text = f"{describe(action, reading)}? {'; '.join(because)}"
        self._ask(text, meanings_of(asked), reading, action, observation)

    def _ask_again(
        self,
        done: str,
        asked: Sequence[Judgement],
        readings: Sequence[ActionMeaning],
        action: Action,
        observation: Observation,
    ) -> None:
        subject = next((reading for reading in readings if reading.meaning in ONCE), readings[0])
        before = (
            "may have been done already" if BROKE_OFF in done else "was done already with the same contents"
        )
        refusal = Forbidden(f"{done} {before}; check whether it took effect", advice=TO_REPEAT)
        if self._policy.repeat == "forbid":
            raise refusal
        text = f"{describe(action, subject)} a second time? {_contents(subject, observation)}; it {before}"
        self._ask(text, (REPEAT, *meanings_of(asked)), subject, action, observation, refusal)

    def _ask(
        self,
        text: str,
        meanings: tuple[str, ...],
        reading: ActionMeaning,
        action: Action,
        observation: Observation,
        alone: Forbidden | None = None,
    ) -> None:
        question = Question(text, meanings, scope_of(_place_of_target(reading, observation)), reading.box)
        self._consent.ask(question, action, observation, alone)


def describe(action: Action, reading: ActionMeaning) -> str:
    """An action in words, such as `click button "Send" (send something)`."""
    meaning = MEANINGS.get(reading.meaning, reading.meaning)
    return f"{action.kind} {reading.subject}{times_in_words(action)} ({meaning})"


def _contents(reading: ActionMeaning, observation: Observation) -> str:
    """Where an action acts, what it would take along, and for which sum, in words."""
    told, element = f"on {scope_of(_place_of_target(reading, observation))}", reading.element
    if element is None or reading.meaning not in IRREVERSIBLE:
        return told
    label_of = Scene.from_screen(observation).label_of
    parts = (
        f'{one.name or label_of(one)} "{shorten(one.value, _LABEL)}"' if one.value else one.name
        for one in context.companions(element, observation)
        if (editable(one) and one.value and "password" not in one.states)
        or (one.is_text and names_a_sum(one.name))
    )
    taken = ", ".join(shorten(one, 2 * _LABEL) for one in islice(parts, _TOLD))
    return f"{told}, with {taken}" if taken else told


def _with_record(reading: ActionMeaning, found: Mapping[str, Found]) -> ActionMeaning:
    """The reading with the row of its target in the subject: a page may have many "Delete" buttons."""
    records = [one.record for one in found.values() if one.record and one.element is reading.element]
    return replace(reading, subject=f"{reading.subject} in the row of {records[0]}") if records else reading


def _side_effects(
    action: Action, readings: Sequence[ActionMeaning], found: Mapping[str, Found], observation: Observation
) -> tuple[SideEffect, ...]:
    """The effects of an action that must not happen twice."""
    filled = _screen_at_newline(action, found, observation)
    return tuple(
        SideEffect.read(describe(action, one), one, filled) for one in readings if one.meaning in ONCE
    )


def _is_harmless(action: Action) -> bool:
    if not isinstance(action, Press):
        return action.kind in HARMLESS
    pressed = chord(action.keys)
    return tuple(map(str.lower, pressed)) in RELOADING or _FOCUSING.issuperset(pressed)


def times_in_words(action: Action) -> str:
    """How often or how long one action acts, such as ` 3 times`; empty when it acts once."""
    match action:
        case Click(clicks=times) | Press(times=times) if times != 1:
            return f" {times} times"
        case Hold(seconds=seconds):
            return f" for {seconds:g} s"
    return ""


def _page_or_program(observation: Observation) -> str:
    return re.split(r"[?#]", observation.place.url or observation.place.app, maxsplit=1)[0]


def _screen_at_newline(action: Action, found: Mapping[str, Found], observation: Observation) -> Observation:
    before = found_element(found)
    if not isinstance(action, TypeText) or before is None or "\n" not in action.text:
        return observation
    filled = replace(before, value=("" if action.replace else before.value) + action.text.split("\n")[0])
    elements = tuple(filled if one.id == before.id else one for one in observation.elements)
    return replace(observation, elements=elements)


def _place_of_target(reading: ActionMeaning, observation: Observation) -> Place:
    return replace(observation.place, url=origin_of(reading, observation.place.url))


def _outside_in_words(host: str, policy: Policy) -> str:
    return f"{host or 'that address'} is outside the allowed domains {', '.join(policy.domains)}"
