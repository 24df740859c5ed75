"""Programs as flat instructions, and the cursor that says how far a run has come.

Planners are stateless, so the position must fit into a few bytes of text: an index into the flat
instructions, loop counters and noted values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from gui_agent.core.geometry import STRICT
from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.steps import (
    DoStep,
    Every,
    ForEach,
    Guided,
    Remember,
    Steer,
    Step,
    Survey,
    Until,
    When,
)
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.recovery import Hunt


@dataclass(frozen=True, slots=True)
class Instruction:
    """One flat instruction: a step, the end of a loop's body (`back`), or a loop's head.

    `jump` is where to go when a head has nothing left to do, or, for `back`, the head.
    """

    op: Literal["do", "remember", "for_each", "every", "until", "guided", "when", "steer", "survey", "back"]
    step: Step | None = None
    jump: int = 0
    loop: int = -1
    """Index of the innermost loop head around it, -1 outside of loops."""


def flat(steps: tuple[Step, ...]) -> tuple[Instruction, ...]:
    """The steps as flat instructions."""
    code: list[Instruction] = []
    _append(steps, code, -1)
    return tuple(code)


def _append(steps: tuple[Step, ...], code: list[Instruction], loop: int) -> None:
    for step in steps:
        match step:
            case DoStep():
                code.append(Instruction("do", step, loop=loop))
            case Remember():
                code.append(Instruction("remember", step, loop=loop))
            case Steer():
                code.append(Instruction("steer", step, loop=loop))
            case When(body=body):
                head = len(code)
                code.append(Instruction("when", step, loop=loop))
                _append(body, code, loop)
                code[head] = Instruction("when", step, len(code), loop)
            case Survey(body=body):
                head = len(code)
                code.append(Instruction("survey", step, loop=loop))
                _append(body, code, head)
                code[head] = Instruction("survey", step, len(code), loop)
            case ForEach(body=body) | Every(body=body) | Until(body=body) | Guided(body=body):
                head = len(code)
                code.append(Instruction(step.kind, step, loop=loop))
                _append(body, code, head)
                code.append(Instruction("back", None, head, loop))
                code[head] = Instruction(step.kind, step, len(code), loop)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a run of a program has come."""

    at: int = 0
    counts: Mapping[int, int] = field(default_factory=dict, hash=False)
    """Finished rounds by loop head."""
    tried: Mapping[int, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Elements acted on in finished rounds, by loop head."""
    acted: tuple[int, ...] = ()
    """Elements acted on in the present round."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    attempts: int = 0
    """How often it was waited for an effect, or an action was tried again, at this instruction."""
    hunt: Hunt | None = None
    """The search for the target of this instruction; None when none is under way."""
    awaiting: int = -1
    """Index of the instruction whose post-conditions are still to be seen; -1 when none are."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Bookmark:
    """What the planner writes down: which program with which values, and the cursor after each action."""

    program: str
    """Its address, see `program.address`; empty before one was chosen."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    cursors: tuple[Cursor, ...] = ()
    """`cursors[k]` holds after k of the decision's actions."""
    rivals: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    """Programs that the instruction fits as well and that have done the same so far, with their values."""
    repaired: Mapping[int, Fingerprint] = field(default_factory=dict, hash=False)
    """What another planner acted on in place of the target of an instruction that was not found."""
    answered: str = ""
    """The address of the program that the person chose; empty when nobody was asked."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


def rest_in_words(program: Program, cursor: Cursor, scope: Scope) -> tuple[str, ...]:
    """The steps from a cursor on, with the values of the run where these are known."""
    rest = flat(program.steps)[cursor.at :]
    return tuple(step_in_words(one.step, scope) for one in rest if one.step is not None)
