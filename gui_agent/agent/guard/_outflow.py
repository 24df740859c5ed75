"""Judges outgoing requests: expected ones pass; the user is asked about the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.agent.guard import words
from gui_agent.agent.guard._lexicon import editable, fold, identifier_words
from gui_agent.agent.guard._requests import GRAVE, SentRequest, unannounced_meanings
from gui_agent.agent.guard.addresses import carries_code
from gui_agent.agent.guard.asking import REPEAT, Consent, Question, scope_of
from gui_agent.agent.guard.ledger import MONEY, ONCE, Ledger
from gui_agent.agent.guard.policy import Effect, Policy
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action, Choose, TypeText
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Outgoing
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import LATCHING, OPERABLE, PRESSED
from gui_agent.elements.text import names_a_sum

_UNPRESSED = frozenset({"check", "choose", "upload", "drag", "scroll", "move"})
"""Kinds of actions that press nothing."""
_COVERING = GRAVE | {"submit", "submit-credentials", "unclear", "install", "permission"}
"""Meanings for which a step may send what it was allowed."""


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
    """A step under way: which meanings it was allowed, and what it touches."""

    action: Action
    observation: Observation
    meanings: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    """The words of its targets, apart and joined, and of the value that it sets; empty if that is grave."""
    presses: bool = False
    sets: bool = False
    """Whether it only sets a value: types, chooses or ticks."""
    typed: tuple[str, ...] = ()
    record: str = ""
    """The row of its target, as in `Found.record`."""


def step_underway(
    action: Action,
    found: Mapping[str, Found],
    readings: Sequence[ActionMeaning],
    observation: Observation,
    typed: tuple[str, ...],
) -> StepUnderway:
    """The step under way, after the guard has let an action pass that gives input to the page."""
    found_out: tuple[ActionMeaning | Found, ...] = (*readings, *found.values())
    touched = [*filter(None, (one.element for one in found_out))]
    operable = any(one.role in PRESSED | OPERABLE and not editable(one) for one in touched)
    given = typed_words(action)
    if action.kind in ("check", "click") and any(one.role in LATCHING for one in touched):
        given = ("true", "false")
    sets = bool(given) and "\n" not in given[0]
    return StepUnderway(
        action,
        observation,
        _COVERING.intersection(one.meaning for one in readings),
        _subjects(touched, given),
        operable and action.kind not in _UNPRESSED,
        sets,
        (*typed, *typed_words(action)),
        next(filter(None, (one.record for one in found.values())), ""),
    )


def _subjects(elements: Iterable[Element], given: Sequence[str]) -> frozenset[str]:
    """The words of what a step touches and gives, apart and joined; none if it sets something grave.

    What it gives replaces the values of the elements.
    """
    said, handles = [*given], list[str]()
    for one in elements:
        said += (*one.texts[:: 1 + bool(given)], *one.does.said)
        code = one.attributes.get("href", "")
        handles += (*map(one.attributes.get, ("id", "name"), ("", "")), code * carries_code(code))
    if given and any(words.commands(one) or names_a_sum(one.upper()) for one in said):
        return frozenset()
    apart = [*map(identifier_words, (*said, *handles))]
    return frozenset((*" ".join(apart).split(), *(one.replace(" ", "") for one in apart)))


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
        if leaves and (sent.form or doing is None or request.fresh):
            (self._forms if sent.form else self._usual).add(sent.template)
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
        url, policy = sent.request.url, self.policy
        place = replace(doing.observation.place, url=url)
        there = replace(doing.observation, place=place)
        judged = []
        for meaning in self._meanings(sent, doing):
            reading = ActionMeaning(meaning, sent.describe(meaning), url=url)
            effect, reason = policy.effect(doing.action, reading, doing.observation)
            if effect != "forbid":  # what is forbidden to the page is so wherever it sends
                effect, reason = policy.effect(doing.action, reading, there)
            if meaning == REPEAT:
                effect, reason = policy.repeat, "it has been sent before"
            known = meaning != REPEAT and sent.template in self._agreed
            agreed = effect == "ask" and (known or self.consent.covers(meaning, place))
            judged.append(Judgement("allow" if agreed else effect, reading, reason, agreed))
        return judged

    def _meanings(self, sent: SentRequest, doing: StepUnderway) -> tuple[str, ...]:
        """Meanings of a request that its step was not allowed, with `repeat` if it was sent before."""
        usual = sent.template in self._usual
        meanings = () if usual else unannounced_meanings(sent, doing, self._usual)
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
        if not agreed:
            return ()
        key = self.ledger().digest(sent)
        self.ledger().record(key, agreed[-1].reading.subject)
        self._left.add(key)
        return (key,)
