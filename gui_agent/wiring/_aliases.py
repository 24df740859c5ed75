"""Remembers what the person called things in a run, and drops the names that proved wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from gui_agent.core.clarification import Alias, KnownAliases, alias_key, application_of, resolutions
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import ALIAS, Step, Trajectory
from gui_agent.settings import Settings, memory_file

if TYPE_CHECKING:
    from gui_agent.memory.aliases import AliasStore


def known_aliases(settings: Settings) -> KnownAliases:
    """The aliases of the memory, which is read when the screen does not show what a step names."""
    is_kept = settings.memory.enabled and memory_file(settings.memory).is_file()
    return KnownAliases(partial(_load_aliases, settings)) if is_kept else KnownAliases()


def _load_aliases(settings: Settings) -> Sequence[Alias]:
    found: Sequence[Alias] = ()
    with _open_store(settings, "the names given in earlier runs cannot be read") as store:
        found = store.aliases()
    return found


@contextmanager
def _open_store(settings: Settings, failure: str) -> Iterator[AliasStore]:
    """The aliases of the memory; an error inside the block becomes a warning that begins with `failure`."""
    from gui_agent.memory.aliases import AliasStore

    store = AliasStore(memory_file(settings.memory))
    try:
        yield store
    except GuiAgentError as error:
        warnings.warn(f"{failure}: {error}", stacklevel=5)
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
    with _open_store(settings, "the memory did not keep what you called things") as store:
        if new:
            store.add(new)
        for application, words, verb in wrong:
            store.forget(words, application, verb)


def _aliases_used(step: Step) -> Iterator[tuple[str, str, str]]:
    """Application, words and verb of each alias by which a step found its targets."""
    action = step.planned.action
    for name, found in step.found.items():
        target = getattr(action, name, None)
        if found.how == ALIAS and isinstance(target, Words):
            yield application_of(step.before.place), alias_key(target), action.kind
