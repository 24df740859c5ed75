"""Remembers what the person called things in a run, and drops the names that proved wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from gui_agent.core.clarification import Alias, KnownAliases, alias_key, application_of, resolutions
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import ALIAS, Step, Trajectory
from gui_agent.settings import Settings, memory_file


def known_aliases(settings: Settings) -> KnownAliases:
    """The aliases of the memory, which is read when the screen does not show what a step names."""
    is_kept = settings.memory.enabled and memory_file(settings.memory).is_file()
    return KnownAliases(partial(_load_aliases, settings)) if is_kept else KnownAliases()


def _load_aliases(settings: Settings) -> Sequence[Alias]:
    from gui_agent.memory.aliases import AliasStore

    store = AliasStore(memory_file(settings.memory))
    try:
        return store.aliases()
    except GuiAgentError as error:
        warnings.warn(f"the names given in earlier runs cannot be read: {error}", stacklevel=2)
        return ()
    finally:
        store.database.close()


def remember_aliases(settings: Settings, trajectory: Trajectory) -> None:
    """Keep the aliases by which a step went well; forget those by which a step failed."""
    known = KnownAliases()
    known.take(resolutions(trajectory.turns))
    good: set[tuple[str, str, str]] = set()
    used: set[tuple[str, str, str]] = set()
    for step in trajectory.steps:
        used.update(_aliases_used(step))
        good.update(_aliases_used(step) if step.outcome.good else ())
    if trajectory.ending is not None and trajectory.ending.error == "CheckFailed":
        good.clear()  # what the check looks for may be missing because a name was wrong
    new = [one for one in known.answered if (one.application, one.words, one.verb) in good]
    if settings.memory.enabled and (new or used - good):
        _change(settings, new, used - good)


def _change(settings: Settings, new: Sequence[Alias], wrong: Iterable[tuple[str, str, str]]) -> None:
    from gui_agent.memory.aliases import AliasStore

    store = AliasStore(memory_file(settings.memory))
    try:
        if new:
            store.add(new)
        for application, words, verb in wrong:
            store.forget(words, application, verb)
    except GuiAgentError as error:
        warnings.warn(f"the memory did not keep what you called things: {error}", stacklevel=4)
    finally:
        store.database.close()


def _aliases_used(step: Step) -> Iterator[tuple[str, str, str]]:
    """Application, words and verb of each alias by which a step found its targets."""
    action = step.planned.action
    for name, found in step.found.items():
        target = getattr(action, name, None)
        if found.how == ALIAS and isinstance(target, Words):
            yield application_of(step.before.place), alias_key(target), action.kind
