"""Finding the structure of a procedure: plain sequence, loop over a list, repetition."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.demos.induce.cases import Costed
from gui_agent.demos.induce.sequences import Told, sequence
from gui_agent.demos.language import Step


def structures(told: Sequence[Sequence[Told]]) -> Costed[tuple[Step, ...]]:
    """The simplest structure that explains all demonstrations.

    Raises:
        Unexplained: none does.
    """
    return sequence(told)
