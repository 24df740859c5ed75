"""Grounding by what the person calls things: names that came from their answers to questions."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.agent.grounder.candidates import Candidate
from gui_agent.agent.grounder.nearness import near_candidates
from gui_agent.agent.grounder.screen import free_point
from gui_agent.core.aiming import sole
from gui_agent.core.clarification import Alias, KnownAliases, alias_key, application_of
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Fingerprint, Observation, Target, Words
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import ALIAS, Found
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import KEPT_ATTRIBUTES, fingerprint, neighbours

_STABLE = tuple(key for key in KEPT_ATTRIBUTES if key not in ("href", "color"))
"""Attributes that a control keeps while its state and its record change."""


def alias_of(words: Words, verb: str, element: Element, screen: Observation) -> Alias:
    """The name for an element that was chosen on this screen."""
    return Alias(
        words=alias_key(words),
        verb=verb,
        mark=fingerprint(element, screen),
        application=application_of(screen.place),
        record=_key_of_record(element, screen),
    )


class AliasGrounder:
    """Finds what aliases name, where the screen shows it for sure, and leaves the rest to another grounder.

    An error says which words were looked for, so that the person can be asked about them.
    """

    def __init__(self, inner: Grounder, aliases: KnownAliases) -> None:
        self._inner, self._aliases = inner, aliases

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        if not isinstance(target, Words):
            return self._inner.locate(target, observation, verb=verb)
        answered = self._aliases.answered
        named = named_element(target, verb, observation, answered) if answered else None
        if named is None:
            try:
                return self._inner.locate(target, observation, verb=verb)
            except (NotFound, Ambiguous) as error:
                named = named_element(target, verb, observation, self._aliases.earlier)
                if named is None:
                    error.sought = error.sought or (target, verb)
                    raise
        record = Scene.from_screen(observation).records.in_words(named)
        return Found(free_point(named, observation), named, named.box, how=ALIAS, record=record)


def named_element(words: Words, verb: str, screen: Observation, aliases: Sequence[Alias]) -> Element | None:
    """The one element that an alias of this application means by these words; None without certainty."""
    key, application = alias_key(words), application_of(screen.place)
    for alias in reversed(aliases):
        if (alias.words, alias.verb, alias.application) != (key, verb, application):
            continue
        found = _match(alias, words, screen)
        if found is not None:
            return found
    return None


def _match(alias: Alias, words: Words, screen: Observation) -> Element | None:
    alike = [one for one in screen.elements if _is_alike(one, alias.mark, screen)]
    if words.near:
        alike = _near_what_is_named(alike, words, screen)
    elif alias.record:
        alike = [one for one in alike if _key_of_record(one, screen) == alias.record]
    for tell_apart in (_with_nearest_neighbour, _with_most_neighbours):
        if len(alike) > 1:
            alike = tell_apart(alike, alias.mark, screen)
    return sole(alike)


def _near_what_is_named(alike: Sequence[Element], words: Words, screen: Observation) -> list[Element]:
    pool = [Candidate(one, 1.0, (), ALIAS) for one in alike]
    try:
        return [one.element for one in near_candidates(pool, words, screen)] if pool else []
    except (NotFound, Ambiguous):
        return []


def _key_of_record(element: Element, screen: Observation) -> str:
    record = Scene.from_screen(screen).records.record_of(element)
    return record.keys[0].name if record is not None else ""


def _is_alike(element: Element, mark: Fingerprint, screen: Observation) -> bool:
    if (element.role, normal(element.name)) != (mark.role, normal(mark.name)):
        return False
    if mark.name:
        return True
    label = Scene.from_screen(screen).label_of(element)
    drawn = all(element.attributes.get(key, "") == mark.attributes.get(key, "") for key in _STABLE)
    return drawn and normal(label) == normal(mark.label)


def _with_nearest_neighbour(alike: list[Element], mark: Fingerprint, screen: Observation) -> list[Element]:
    """Those beside the text that was nearest to the chosen one; all, where that is beside none."""
    nearest = mark.neighbours[:1]
    return [one for one in alike if nearest and neighbours(one, screen)[:1] == nearest] or alike


def _with_most_neighbours(alike: list[Element], mark: Fingerprint, screen: Observation) -> list[Element]:
    """Those with the most of the neighbours that the chosen one had: at least two of them."""
    shared = [len({*mark.neighbours} & {*neighbours(one, screen)}) for one in alike]
    most = max(shared)
    return [one for one, count in zip(alike, shared, strict=True) if count == most > 1]
