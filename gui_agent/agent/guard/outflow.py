"""What pages want to send: what a step has announced leaves, about the rest the person is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.agent.guard.addresses import host_of
from gui_agent.agent.guard.asking import REPEAT, Consent, Question, scope_of
from gui_agent.agent.guard.ledger import MONEY, ONCE, Ledger, key_of_request
from gui_agent.agent.guard.meaning import Doing
from gui_agent.agent.guard.policy import Effect, Policy
from gui_agent.agent.guard.requests import Sent, site_of, unannounced_meanings
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.errors import Forbidden
from gui_agent.core.protocols import Outgoing


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the policy says to one reading of an action."""

    effect: Effect
    reading: ActionMeaning
    reason: str
    agreed: bool = False


def meanings_of(judged: Sequence[Judgement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.reading.meaning for one in judged))


@dataclass(eq=False)
class Outflow:
    """Judges what leaves the pages of one run."""

    policy: Policy
    consent: Consent
    ledger: Callable[[], Ledger]
    _usual: set[str] = field(default_factory=set, init=False)
    """What pages send without any input, by its template."""
    _agreed: set[str] = field(default_factory=set, init=False)
    _left: set[str] = field(default_factory=set, init=False)
    """What was let leave after a yes in this run, by its key in the ledger; before, by its template."""
    _met: set[str] = field(default_factory=set, init=False)
    """The hosts of what pages send without any input."""
    _forms: set[str] = field(default_factory=set, init=False)
    """The forms that were sent, which a page that is loaded again sends again."""

    def leaves(self, request: Outgoing, doing: Doing | None) -> bool:
        """Whether a request leaves at once; without a step under way all that pages send does."""
        sent = Sent.of(request)
        judged = self._judgements(sent, doing) if doing is not None else []
        leaves = all(one.effect == "allow" for one in judged)
        self._note(sent, [one for one in judged if leaves and one.agreed])
        if (doing is None or (leaves and request.fresh)) and not sent.form:
            self._usual.add(sent.template)
            self._met.add(host_of(sent.request.url))
        if leaves and sent.form:
            self._forms.add(sent.template)
        return leaves

    def agree(self, held: Iterable[Outgoing], doing: Doing, noted: tuple[str, ...]) -> None:
        """Ask about what was held back. Raises Forbidden: all of it is to fail.

        Args:
            noted: what the ledger has of the action itself, which was not done either in that case.
        """
        try:
            for sent in map(Sent.of, held):
                judged = [one for one in self._judgements(sent, doing) if one.effect != "allow"]
                for no in (one for one in judged if one.effect != "ask"):
                    raise Forbidden(f"{no.reading.subject}, which is forbidden: {no.reason}")
                if judged:
                    meanings = meanings_of(judged)
                    scope = scope_of(replace(doing.observation.place, url=sent.request.url))
                    question = Question(f"{judged[0].reading.subject}? {judged[0].reason}", meanings, scope)
                    self.consent.ask(question, doing.action, doing.observation)
                    if MONEY.isdisjoint(meanings) and not sent.form:
                        self._agreed.add(sent.template)
                    noted += self._note(sent, judged)
        except Forbidden as refusal:
            self.ledger().take_back(noted)
            raise Forbidden(f"{refusal}; nothing was sent", advice=refusal.advice) from refusal

    def _judgements(self, sent: Sent, doing: Doing) -> list[Judgement]:
        page, url, policy = doing.observation.place.url, sent.request.url, self.policy
        place = replace(doing.observation.place, url=page if site_of(url) == site_of(page) else url)
        there = replace(doing.observation, place=place)
        usual = sent.template in self._usual
        meanings = () if usual else unannounced_meanings(sent, doing, self._met)
        if sent.form and sent.template in self._forms and not doing.presses:
            meanings = (REPEAT,)  # the page that came by it is loaded again
        elif meanings and (key := key_of_request(sent)) and self.ledger().act_in_words(key):
            once = key not in self._left or not ONCE.isdisjoint(meanings)
            meanings = (REPEAT, *meanings) if once else meanings
        judged = []
        for meaning in meanings:
            reading = ActionMeaning(meaning, sent.describe(doing.action.kind, meaning), url=url)
            told = policy.repeat, "it was sent already"
            effect, reason = told if meaning == REPEAT else policy.effect(doing.action, reading, there)
            known = meaning != REPEAT and sent.template in self._agreed
            agreed = effect == "ask" and (known or self.consent.covers(meaning, place))
            judged.append(Judgement("allow" if agreed else effect, reading, reason, agreed))
        return judged

    def _note(self, sent: Sent, agreed: Sequence[Judgement]) -> tuple[str, ...]:
        keys = tuple(key_of_request(sent) for _ in agreed[:1])
        for key in keys:
            self.ledger().record(key, agreed[-1].reading.subject)
        self._left.update(keys)
        return keys
