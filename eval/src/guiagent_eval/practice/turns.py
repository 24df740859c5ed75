"""A kept run as the conversation that a model would have had, for exports and judges.

The planner's own prompts build it, so that training uses the later prompts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, cast

from gui_agent.agent.limits import identity
from gui_agent.core import dialogue
from gui_agent.core.actions import ALL, Proposal
from gui_agent.core.codec import plain
from gui_agent.core.dialogue import Asked, Call, Part, Reply, Results, Tool
from gui_agent.core.observation import Screenshot
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import PERSON, Step, Turn, unwrap
from gui_agent.planners.llm.conversation import Style, converse
from gui_agent.planners.llm.decision_schema import DECIDE, decide_tool
from gui_agent.planners.llm.planner import LOOK, READ
from gui_agent.planners.llm.rendering import fence, history_text, render
from gui_agent.planners.llm.replies import Memo, memo
from guiagent_eval.practice.kept import KeptRun

Role = Literal["system", "user", "assistant", "tool"]
BATCH = 5
"""Maximum number of actions of one decision, in the planner's default prompt."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of the conversation."""

    role: Role
    parts: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
    """An assistant's calls; its parts contain the same as JSON."""
    call: str = ""
    """The call that a tool's message answers."""

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def pictures(self) -> tuple[Screenshot, ...]:
        return tuple(part for part in self.parts if isinstance(part, Screenshot))


@dataclass(frozen=True, slots=True)
class Taken:
    """The facts about one turn of the assistant."""

    turn: Turn
    state: str
    """The state of the screen of the decision; equal for screens that a person would call the same."""
    void: bool
    """Whether the turn had no effect: no action was carried out, no tool called, no end said."""
    wrong: bool
    """Whether a step of it failed or did something unexpected."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A run as messages."""

    kept: KeptRun
    messages: tuple[Utterance, ...]
    taken: tuple[Taken, ...]
    """One for each message of the assistant, in order."""
    tools: tuple[Tool, ...] = ()
    platform: str = ""

    @property
    def first_error(self) -> int | None:
        """The index of the first turn that went wrong."""
        return next((place for place, one in enumerate(self.taken) if one.wrong), None)


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts of a run to export."""

    last: int = 0
    """Number of turns at the end in full, those before one line a step; 0 for all in full."""
    void: Literal["keep", "drop", "skip"] = "keep"
    """Turns without an effect: kept, left out, or a reason to leave out the whole run."""
    until_error: bool = False
    """End before the first turn that went wrong."""
    pictures: bool = True
    calls: bool = False
    """Whether to use calls of tools instead of JSON."""


def conversation(kept: KeptRun, cut: Cut = Cut()) -> Conversation | None:
    """The conversation of a run; None if nothing is left of it."""
    turns = spoken_turns(kept.trajectory.turns)
    if cut.void == "skip" and any(map(is_void, turns)):
        return None
    if cut.void == "drop":
        turns = [turn for turn in turns if not is_void(turn)]
    if cut.until_error:
        wrong = next((place for place, turn in enumerate(turns) if is_wrong(turn)), len(turns))
        turns = turns[:wrong]
    if not turns:
        return None
    first = max(0, len(turns) - cut.last) if cut.last else 0
    platform = _platform(kept)
    messages = [_system(platform, cut.calls), *_messages(kept, turns[:first], turns[first:], cut.pictures)]
    taken = tuple(Taken(it, identity(it.observation), is_void(it), is_wrong(it)) for it in turns[first:])
    tools = (decide_tool(platform), LOOK, READ) if cut.calls else ()
    return Conversation(kept, tuple(messages), taken, tools, platform)


def is_void(turn: Turn) -> bool:
    """Whether a turn had no effect."""
    decision = turn.decision
    return decision.end is None and not decision.called and all(step.action is None for step in turn.steps)


def is_wrong(turn: Turn) -> bool:
    """Whether a step of a turn failed or did something unexpected."""
    return any(not step.outcome.good for step in turn.steps)


def spoken_turns(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, each with a model's reply.

    Decisions of a planner without a model are written as a model's answers: one answer a step, since a
    model sees only the marks of the current screen.
    """
    made: list[Turn] = []
    for turn in map(unwrap, turns):
        known = memo(turn)
        if turn.decision.planner == PERSON or (known is not None and _understood(known.reply)):
            made.append(turn)
        else:
            made += _as_spoken(turn)
    return made


def _understood(reply: Reply) -> bool:
    """Whether a reply has the common form, not a model's own actions."""
    return bool(reply.calls or reply.text) and all(call.name and not call.error for call in reply.calls)


def _as_spoken(turn: Turn) -> Iterator[Turn]:
    decision = turn.decision
    for step in turn.steps:
        yield _with_reply(
            turn, step.number, {"thought": step.planned.why, "actions": [proposal_of(step)]}, (step,)
        )
    if decision.end is not None or not turn.steps:
        number = turn.steps[-1].number + 1 if turn.steps else 0
        end = without_defaults(decision.end) if decision.end is not None else None
        said = {"thought": decision.thought, "notes": dict(decision.notes), "end": end}
        yield _with_reply(turn, number, said, ())


def _with_reply(turn: Turn, number: int, arguments: Mapping[str, Any], steps: tuple[Step, ...]) -> Turn:
    call = Call(f"call_{number}", DECIDE, {name: item for name, item in arguments.items() if item})
    decision = replace(
        turn.decision,
        bookmark=Memo(Reply(calls=(call,), stop="calls"), taken=len(steps)).as_text(),
        planned=tuple(step.planned for step in steps),
        end=None if steps else turn.decision.end,
    )
    seen = steps[0].before if steps else turn.steps[-1].after if turn.steps else turn.observation
    return replace(turn, decision=decision, steps=steps, observation=seen)


def proposal_of(step: Step) -> dict[str, Any]:
    """The action of a step as a model proposes it, by the mark of its element."""
    made = without_defaults(step.planned.action)
    for name, found in step.found.items():
        if name in made:
            known = found.element is not None and step.before.by_id(found.element.id) is not None
            made[name] = {"mark": found.element.id} if known and found.element else plain(found.point)
    return made


def without_defaults(value: Any) -> dict[str, Any]:
    """A value of the vocabulary as JSON, without fields that have their default."""
    usual = {one.name: one.default for one in fields(value)}
    whole: dict[str, Any] = plain(value, Proposal if isinstance(value, ALL) else type(value))
    given = {
        name: item for name, item in whole.items() if name != "kind" and getattr(value, name) != usual[name]
    }
    return {"kind": whole["kind"], **given}


def _messages(
    kept: KeptRun, early: Sequence[Turn], late: Sequence[Turn], pictures: bool
) -> Iterator[Utterance]:
    """All messages but the system's, up to the last answer."""
    task = kept.trajectory.task
    situation = Situation(task, late[-1].observation, tuple(late), platform=_platform(kept))
    style = Style(pictures=len(late) + 2 if pictures else 0, recent=len(late) + 1, placed=True)
    said = list(converse(situation, style))
    if early:
        history = fence(history_text(early), "history")
        beginning = render("task", task=task, skills=[], exemplars=[], history=history)
        said[0] = Asked((beginning, *cast(Asked, said[0]).parts[1:]))
    last = max(place for place, one in enumerate(said) if isinstance(one, Reply))
    for one in said[: last + 1]:
        yield from _utterances(one)


def _utterances(one: dialogue.Turn) -> Iterator[Utterance]:
    match one:
        case Asked():
            yield Utterance("user", one.parts)
        case Reply():
            yield Utterance("assistant", (answer(one),), one.calls)
        case Results():
            for result in one.results:
                yield Utterance("tool", result.parts[:1], call=result.call)
            if rest := tuple(part for result in one.results for part in result.parts[1:]):
                yield Utterance("user", rest)


def answer(reply: Reply) -> str:
    """A reply in JSON form, for models that answer with JSON and not with calls."""
    if not reply.calls:
        return reply.text
    call = reply.calls[0]
    body = call.arguments if call.name == DECIDE else {"tool": call.name, "arguments": call.arguments}
    return json.dumps(body, ensure_ascii=False)


def _platform(kept: KeptRun) -> str:
    """The platform of a run, inferred from its elements."""
    sources = {one.source for turn in kept.trajectory.turns for one in turn.observation.elements}
    return "browser" if "dom" in sources else "android" if "android" in sources else ""


def _system(platform: str, calls: bool) -> Utterance:
    schema: Any = decide_tool(platform).parameters
    text = render(
        "system",
        screen={"browser": "web browser", "android": "phone"}.get(platform, "computer screen"),
        platform=platform,
        native=False,
        tool=DECIDE if calls else "",
        schema="" if calls else json.dumps(schema, ensure_ascii=False),
        batch=BATCH,
        reads_on=platform == "browser",
        called=[],
        skills=[],
    )
    return Utterance("system", (text,))
