"""Judges outgoing requests: expected ones pass; the user is asked about the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gui_agent.agent.guard._lexicon import editable, fold, identifier_words
from gui_agent.agent.guard._requests import GRAVE, SentRequest
from gui_agent.agent.guard.asking import REPEAT, Consent, Question, scope_of
from gui_agent.agent.guard.hosts import is_same_site
from gui_agent.agent.guard.ledger import MONEY, ONCE, Ledger
from gui_agent.agent.guard.policy import Effect, Policy
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action, Choose, TypeText
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Outgoing
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import OPERABLE, PRESSED

_UNPRESSED = frozenset({"check", "choose", "upload", "drag", "scroll", "move"})
"""Kinds of actions that press nothing."""
WITHOUT_INPUT = frozenset({"navigate", "open", "back", "switch", "close", "rotate", "wait"})
"""Kinds of actions that give no input to the current page."""
_SETTING = frozenset({"check", "choose", "drag", "type"})
_COVERING = GRAVE | {"submit", "submit-credentials", "unclear", "install", "permission"}
"""Meanings for which a step may send what it was allowed."""
_SUM = re.compile(r"\d+(?:\.\d+)?")
_LEAVING = frozenset({"logout", "signout", "confirm", "confirmed"})
"""Parts of an address, and names of fields, for which even a GET request may end something."""


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
    has_input: bool = True
    """Whether it gives input to the page, so that what the page then sends is the step's."""
    meanings: frozenset[str] = frozenset()
    said: str = ""
    """The words of its targets, without blanks."""
    presses: bool = False
    sets: bool = False
    """Whether it only sets a value: types, chooses, ticks or drags."""
    typed: tuple[str, ...] = ()
    record: str = ""
    """The row of its target, as in `Found.record`."""
    frames: tuple[str, ...] = ()
    """Addresses of the frames that hold its targets."""

    def is_own(self, url: str) -> bool:
        """Whether an address belongs to the site of the page, or of the frame that it touches."""
        return any(is_same_site(url, one) for one in (self.observation.place.url, *self.frames))

    def shows(self, sent: SentRequest) -> bool:
        """Whether the person could see, or the agent typed, the sums and addresses in a request."""
        seen = chain.from_iterable((*one.texts, one.value) for one in self.observation.elements)
        shown = fold("\n".join((*seen, *self.typed)))
        sums = {*map(float, _SUM.findall(shown.replace(",", ".")))}
        asked = map(float, _SUM.findall(" ".join(sent.holds("amount"))))
        to = (one for one in (*sent.holds("recipient"), *sent.holds("payee")) if "@" in one or len(one) > 14)
        return sums.issuperset(asked) and all(fold(one) in shown for one in to)


def step_underway(
    action: Action,
    found: Mapping[str, Found],
    readings: Sequence[ActionMeaning],
    observation: Observation,
    typed: tuple[str, ...],
) -> StepUnderway:
    """The step under way, after the guard has let an action pass."""
    given = typed_words(action)
    places: tuple[ActionMeaning | Found, ...] = (*readings, *found.values())
    touched = [one.element for one in places if one.element is not None]
    return StepUnderway(
        action,
        observation,
        action.kind not in WITHOUT_INPUT,
        _COVERING.intersection(one.meaning for one in readings),
        identifier_words(" ".join(chain.from_iterable(one.texts for one in touched))).replace(" ", ""),
        action.kind not in _UNPRESSED and any(map(_is_pressed, touched)),
        action.kind in _SETTING and "\n" not in "".join(given),
        (*typed, *given),
        next(filter(None, (one.record for one in found.values())), ""),
        tuple(filter(None, (one.does.frame for one in touched))),
    )


def _is_pressed(element: Element) -> bool:
    return element.role in PRESSED | OPERABLE and not editable(element)


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
    _covered: tuple[StepUnderway | None, dict[str, str]] = field(default=(None, {}), init=False)
    """The last step, and by meaning that it was allowed the one kind of request that this covers."""
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
        if sent.form and not doing.has_input:
            return ()  # going back to what a form returned
        meanings = () if sent.template in self._usual else self._new_meanings(sent, doing)
        if sent.form and sent.template in self._forms and not doing.presses:
            return (REPEAT,)  # a reload of the page that this form returned
        ledger = self.ledger()
        again = bool(sent.changes and ledger.request_sent_before(sent))
        if not again and meanings:
            key = ledger.digest(sent)
            once = key not in self._left or not ONCE.isdisjoint(meanings)
            again = once and bool(ledger.act_in_words(key))
        return (REPEAT, *meanings) if again else meanings

    def _new_meanings(self, sent: SentRequest, doing: StepUnderway) -> tuple[str, ...]:
        """The grave meanings of a request that its step was not allowed, or `unclear`."""
        own = doing.is_own(sent.request.url)
        given = typed_words(doing.action) if doing.sets else ()
        grave = sent.meanings(makes=not doing.sets, given=given)
        if grave:
            return tuple(one for one in grave if not (own and self._is_covered((one,), sent, doing)))
        if _is_clear(sent, doing, own):
            return ()
        agreed = doing.meanings - {"submit"}
        return () if own and self._is_covered(agreed, sent, doing) else ("unclear",)

    def _is_covered(self, meanings: Iterable[str], sent: SentRequest, doing: StepUnderway) -> bool:
        """Whether the step was allowed one of these meanings, and has sent nothing else of that meaning."""
        if self._covered[0] is not doing:
            self._covered = (doing, {})
        if not MONEY.isdisjoint(meanings) and not doing.shows(sent):
            return False
        allowed = doing.meanings.intersection(meanings)
        return any(self._covered[1].setdefault(one, sent.template) == sent.template for one in allowed)

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


def _is_clear(sent: SentRequest, doing: StepUnderway, own: bool) -> bool:
    """Whether a request without a grave meaning is the step's own, or tells nothing to another site."""
    if sent.only_asks:
        named = {*sent.parts[-1:], *(key for key, value in sent.fields if value)} & _LEAVING
        return sent.request.kind != "Document" or all(one in doing.said for one in named)
    if sent.request.fresh or not doing.has_input:
        return True
    if not own:
        return sent.is_light and not sent.carries(doing.typed)
    # A form that something else sends holds all that was typed.
    filled = not sent.form or doing.meanings
    return not sent.has_code(doing.typed) and bool(sent.is_readable or (filled and sent.repeats(doing.typed)))
