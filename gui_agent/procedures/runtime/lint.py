"""What in a learned procedure may go wrong without being noticed, found without running it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gui_agent.core.actions import Move, Scroll, Wait
from gui_agent.procedures.language.program import DoStep, HasRole, InState, Program, Rank, Selector
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.machine import flat

_LOOKING = (Move, Scroll, Wait)


def weak_steps(programs: Sequence[Program]) -> dict[str, tuple[str, ...]]:
    """The steps with weaknesses, in words, each with its weaknesses."""
    steps = chain.from_iterable(flat(program.steps) for program in programs)
    acts = [one.step for one in steps if isinstance(one.step, DoStep)]
    found = {step_in_words(act): tuple(weaknesses(act)) for act in acts}
    return {sentence: told for sentence, told in found.items() if told}


def weaknesses(step: DoStep) -> Iterator[str]:
    """What makes it uncertain that the step works, each with what the person can do about it."""
    if isinstance(step.action, _LOOKING):
        return
    if not step.expect:
        yield "nothing shows that it worked; add a check after it"
    if step.at is not None and all(map(_is_by_place, step.at.choices)):
        yield "only its place says what it acts on; give the element a name, or show the task once more"


def _is_by_place(selector: Selector) -> bool:
    """Whether only its number among elements of its kind selects the element."""
    return isinstance(selector.pick, Rank) and all(
        isinstance(one, HasRole | InState) for one in selector.tests
    )
