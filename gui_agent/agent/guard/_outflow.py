"""Judges outgoing requests: expected ones pass; the user is asked about the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gui_agent.agent.guard._lexicon import editable, fold
from gui_agent.agent.guard._requests import GRAVE, SentRequest, site_of, unannounced_meanings
from gui_agent.agent.guard.asking import REPEAT, Consent, Question, scope_of
from gui_agent.agent.guard.hosts import host_of
from gui_agent.agent.guard.ledger import MONEY, ONCE, Ledger
from gui_agent.agent.guard.policy import Effect, Policy
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action, Choose, TypeText
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Outgoing
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import OPERABLE, PRESSED, word_set
from gui_agent.elements.text import singular

_MONEY, _REMOVAL, _DISCLOSURE = "pay transfer sign", "delete unsubscribe format", "send publish share"
_ALIKE = tuple(map(word_set, (_MONEY, _REMOVAL, _DISCLOSURE, "submit-credentials password")))
"""Groups of meanings: permission for one covers the others."""
_UNPRESSED = frozenset({"check", "choose", "upload", "drag"})
"""Kinds of actions that set a value and press nothing."""
_COVERING = frozenset({"submit", "submit-credentials", "unclear", "install", "permission"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the policy decides about one meaning of an action."""

    effect: Effect
    reading: ActionMeaning
    reason: str
    agreed: bool = False


def meanings_of(judged: Sequence[Judgement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.reading.meaning for one in judged))


@dataclass(frozen=True, slots=True)
class StepUnderway:
    """A step under way: which meanings it was allowed, and which words announced it."""

    action: Action
    observation: Observation
    meanings: frozenset[str] = frozenset()
    words: str = ""
    """All names of its targets."""
    presses: bool = False
    typed: tuple[str, ...] = ()
    record: str = ""
    """The row of its target, as in `Found.record`."""

    def allows(self, meaning: str) -> bool:
        """Whether the step was allowed this meaning or one of the same group."""
        alike = [group for group in _ALIKE if meaning in group]
        return not self.meanings.isdisjoint({meaning}.union(*alike))

    def announces(self, said: Iterable[str]) -> bool:
        """Whether a word of the step begins with one of these words: "credit" does not begin with "edit"."""
        return any(len(word) > 2 and f" {singular(word)}" in self.words for word in said)


def step_underway(
    action: Action,
    found: Mapping[str, Found],
    readings: Sequence[ActionMeaning],
    observation: Observation,
    typed: tuple[str, ...],
) -> StepUnderway:
    """The step under way, after the guard has let an action pass that gives input to the page."""
    touched: tuple[ActionMeaning | Found, ...] = (*readings, *found.values())
    elements = [*filter(None, (one.element for one in touched))]
    said = chain.from_iterable((*one.texts, *one.does.said, *one.does.form.words) for one in elements)
    apart = [re.sub(r"[\W_]+", " ", fold(one)) for one in said]
    words = " ".join(["", *apart, *(one.replace(" ", "") for one in apart)])
    only_looks = action.kind in ("scroll", "move")
    operable = any(one.role in PRESSED | OPERABLE and not editable(one) for one in elements)
    presses = operable and not only_looks and action.kind not in _UNPRESSED
    covers = GRAVE if only_looks else GRAVE | _COVERING
    meant = covers.intersection(one.meaning for one in readings)
    record = next((one.record for one in found.values() if one.record), "")
    known = tuple(one for one in (*typed, *typed_words(action)) if len(one) > 1)
    return StepUnderway(action, observation, meant, words, presses, known, record)


def typed_words(action: Action) -> tuple[str, ...]:
    """What an action types or chooses, folded; empty for other actions."""
    match action:
        case TypeText(text=told) | Choose(option=told):
            return (fold(told).strip(),)
    return ()


@dataclass(eq=False)
class RequestJudge:
    """Judges the outgoing requests of one run's pages."""

    policy: Policy
    consent: Consent
    ledger: Callable[[], Ledger]
    sent: tuple[str, ...] = ()
    """Requests since the last step that change something, as in `Step.requests`."""
    has_acted: bool = False
    """Whether the page has been given any input."""
    _usual: set[str] = field(default_factory=set, init=False)
    """Requests that pages send on their own."""
    _agreed: set[str] = field(default_factory=set, init=False)
    _left: set[str] = field(default_factory=set, init=False)
    """Requests allowed by a yes in this run: `_agreed` by template, `_left` by their key in the ledger."""
    _met: set[str] = field(default_factory=set, init=False)
    """Hosts of the requests that pages send on their own."""
    _forms: set[str] = field(default_factory=set, init=False)
    """Templates of the forms that were sent; reloading their page sends them again."""

    def may_leave(self, request: Outgoing, doing: StepUnderway | None) -> bool:
        """Whether a request may leave at once; without a step under way, every request may."""
        sent = SentRequest.from_request(request)
        judged = self._judgements(sent, doing) if doing is not None else []
        leaves = all(one.effect == "allow" for one in judged)
        self._note(sent, [one for one in judged if leaves and one.agreed])
        if leaves and not request.fresh:
            self._record(sent)
        if (doing is None or (leaves and request.fresh)) and not sent.form:
            self._usual.add(sent.template)
            self._met.add(host_of(sent.request.url))
        if leaves and sent.form:
            self._forms.add(sent.template)
        return leaves

    def ask_about(self, held: Iterable[Outgoing], doing: StepUnderway, noted: tuple[str, ...]) -> None:
        """Ask about the requests held back. Raises Forbidden: all of them must fail.

        Args:
            noted: ledger keys of the action itself; they are taken back as well if the person refuses.
        """
        try:
            for sent in map(SentRequest.from_request, held):
                judged = [one for one in self._judgements(sent, doing) if one.effect != "allow"]
                for no in (one for one in judged if one.effect != "ask"):
                    raise Forbidden(f"{no.reading.subject}, which is forbidden: {no.reason}")
                if judged:
                    meanings = meanings_of(judged)
                    scope = scope_of(replace(doing.observation.place, url=sent.request.url))
                    where = f", in the row of {doing.record}" if doing.record else ""
                    text = f"{judged[0].reading.subject}{where}? {judged[0].reason}"
                    question = Question(text, meanings, scope)
                    self.consent.ask(question, doing.action, doing.observation)
                    if MONEY.isdisjoint(meanings) and not sent.form:
                        self._agreed.add(sent.template)
                    noted += self._note(sent, judged)
                self._record(sent)
        except Forbidden as refusal:
            self.ledger().take_back(noted)
            raise Forbidden(f"{refusal}; nothing was sent", advice=refusal.advice) from refusal

    def _judgements(self, sent: SentRequest, doing: StepUnderway) -> list[Judgement]:
        page, url, policy = doing.observation.place.url, sent.request.url, self.policy
        place = replace(doing.observation.place, url=page if site_of(url) == site_of(page) else url)
        there = replace(doing.observation, place=place)
        judged = []
        for meaning in self._meanings(sent, doing):
            reading = ActionMeaning(meaning, sent.describe(doing.action.kind, meaning), url=url)
            told = policy.repeat, "it has been sent before"
            effect, reason = told if meaning == REPEAT else policy.effect(doing.action, reading, there)
            known = meaning != REPEAT and sent.template in self._agreed
            agreed = effect == "ask" and (known or self.consent.covers(meaning, place))
            judged.append(Judgement("allow" if agreed else effect, reading, reason, agreed))
        return judged

    def _meanings(self, sent: SentRequest, doing: StepUnderway) -> tuple[str, ...]:
        """Meanings of a request that its step was not allowed, with `repeat` if it was sent before."""
        usual = sent.template in self._usual
        meanings = () if usual else unannounced_meanings(sent, doing, self._met)
        if sent.form and sent.template in self._forms and not doing.presses:
            return (REPEAT,)  # a reload of the page that this form returned
        ledger = self.ledger()
        again = bool(sent.changes and ledger.request_sent_before(sent))
        if not again and meanings:
            key = ledger.digest(sent)
            once = key not in self._left or not ONCE.isdisjoint(meanings)
            again = once and bool(ledger.act_in_words(key))
        return (REPEAT, *meanings) if again else meanings

    def record_frame(self, frame: Outgoing) -> None:
        """Record a frame sent through a socket; a socket cannot be held back."""
        self._record(SentRequest.from_request(frame))

    def _record(self, sent: SentRequest) -> None:
        """Record a changing request sent after the first input, unless pages send it on their own."""
        if self.has_acted and sent.changes and sent.template not in self._usual:
            self.sent += (self.ledger().note_request(sent),)

    def _note(self, sent: SentRequest, agreed: Sequence[Judgement]) -> tuple[str, ...]:
        keys = tuple(self.ledger().digest(sent) for _ in agreed[:1])
        for key in keys:
            self.ledger().record(key, agreed[-1].reading.subject)
        self._left.update(keys)
        return keys
