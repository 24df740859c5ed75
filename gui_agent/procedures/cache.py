"""What was learned from demonstrations, kept beside them, so that it is learned once and not at every run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import gui_agent.demos
from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.demos.program import Program
from gui_agent.memory.store import Store


def compiled(
    store: Store, name: str, ids: Sequence[str], learn: Callable[[], tuple[Program, ...]]
) -> tuple[Program, ...]:
    """The programs of a procedure: those that were kept for these demonstrations, else learned now and kept.

    Args:
        ids: the entries whose demonstrations they are learned from.
        learn: learns them.

    Raises:
        ConfigError: the memory cannot be read.
    """
    content = f"{learner()} {store.content(ids)}"
    kept = store.compiled(name, content)
    if kept:
        # A form that this version does not know is learned anew, as if nothing had been kept.
        with suppress(ConfigError):
            return decode(tuple[Program, ...], kept.encode(), source=f"compiled {name}")
    programs = learn()
    # A memory that can only be read is as good, only slower.
    with suppress(GuiAgentError):
        store.keep_compiled(name, content, encode(programs, tuple[Program, ...]).decode())
    return programs


@cache
def learner() -> str:
    """A digest of the code that learns: what another version has learned is not taken for one's own."""
    digest = hashlib.sha256()
    folder = Path(gui_agent.demos.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
