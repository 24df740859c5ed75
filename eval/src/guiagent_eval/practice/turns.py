"""A kept run as the conversation that a model would have had, for exports and judges.

The planner's own prompts build it, so that training uses the later prompts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from typing import Any, Literal, cast

from gui_agent.agent.limits import identity
from gui_agent.core import dialogue
from gui_agent.core.actions import ALL, Proposal
from gui_agent.core.codec import plain
from gui_agent.core.dialogue import Asked, Call, Part, Reply, Results, Tool
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Screenshot
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import PERSON, Decision, Finish, Step, Turn, unwrap
from gui_agent.elements.describe import describe_step
from gui_agent.planners.llm.conversation import Style, converse
from gui_agent.planners.llm.decision_schema import DECIDE, decide_tool
from gui_agent.planners.llm.planner import LOOK, READ
from gui_agent.planners.llm.rendering import fence, history_text, render
from gui_agent.planners.llm.replies import Memo, memo
from gui_agent.procedures.runtime.history import bookmark_of
from guiagent_eval.practice.answers import COMPUTER, JSON, TOOLS, Language, language
from guiagent_eval.practice.kept import KeptRun

Role = Literal["system", "user", "assistant", "tool"]
DONE = "All is done."
"""The thought of the turn that ends a run which the page has ended."""
BATCH = 5
"""Maximum number of actions of one decision, in the planner's default prompt."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of the conversation."""

    role: Role
    parts: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
    """An assistant's calls, if its answers are calls and not text."""
    tool: str = ""
    """The tool whose call a tool's message answers."""

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
    answers: str = JSON
    """The form of the answers, one of `answers.FORMS` or the name of a family of models."""
    ends: bool = False
    """Add the turn that says so to a run that went well and whose page ended it."""


def conversation(kept: KeptRun, cut: Cut = Cut()) -> Conversation | None:
    """The conversation of a run; None if nothing is left of it.

    Raises:
        Unwritable: a step cannot be said in this form of answers.
        ConfigError: there is no such form, or it needs the pictures that are left out.
    """
    own = language(cut.answers)
    turns = _chosen_turns(kept, cut, own)
    if not turns:
        return None
    if own is not None and not (cut.pictures and turns[-1].observation.screenshot):
        told = "points at pictures, and there are none; use --answers json"
        raise ConfigError(f"{kept.name}: --answers {cut.answers} {told}")
    first = max(0, len(turns) - cut.last) if cut.last else 0
    situation = _situation(kept, turns[first:])
    said: Sequence[dialogue.Turn] = _turns_of(situation, turns[:first], cut.pictures, own)
    tools: tuple[Tool, ...] = (COMPUTER,) if own and own.calls else ()
    if cut.answers == TOOLS:
        tools = (decide_tool(situation.platform), LOOK, READ)
    system = _system(situation.platform, cut.answers == TOOLS, own)
    if own is not None:
        request = own.request(said, system, situation.platform)
        said, system = request.turns, request.system
    messages = (*_utterances(system, said, bool(tools)),)
    if own is not None:
        messages = tuple(replace(one, parts=(*map(own.part_in_size, one.parts),)) for one in messages)
    taken = tuple(Taken(it, identity(it.observation), is_void(it), is_wrong(it)) for it in turns[first:])
    return Conversation(kept, messages, taken, tools, situation.platform)


def _chosen_turns(kept: KeptRun, cut: Cut, own: Language | None) -> Sequence[Turn]:
    """The turns to tell, each with a model's reply; none if the run is left out."""
    turns = spoken_turns(_turns_with_end(kept) if cut.ends else kept.trajectory.turns, own)
    if cut.void == "skip" and any(map(is_void, turns)):
        return ()
    if cut.void == "drop" or own:
        turns = [turn for turn in turns if not is_void(turn)]
    return [*takewhile(lambda turn: not is_wrong(turn), turns)] if cut.until_error else turns


def is_void(turn: Turn) -> bool:
    """Whether a turn had no effect."""
    decision = turn.decision
    return decision.end is None and not decision.called and all(step.action is None for step in turn.steps)


def is_wrong(turn: Turn) -> bool:
    """Whether a step of a turn failed or did something unexpected."""
    return any(not step.outcome.good for step in turn.steps)


def _turns_with_end(kept: KeptRun) -> list[Turn]:
    """The turns of a run; one that went well ends with a turn that says so."""
    turns = [*kept.trajectory.turns]
    if kept.is_won and turns and all(turn.decision.end is None for turn in turns):
        last = turns[-1]
        turns.append(Turn(Decision(DONE, end=Finish()), last.screens[-1]))
    return turns


def spoken_turns(turns: Sequence[Turn], own: Language | None = None) -> list[Turn]:
    """The turns, each with a model's reply.

    Decisions of a planner without a model, and all decisions in a model's own language, are written as a
    model's answers: one answer a step, since a model sees only the marks of the current screen.
    """
    made: list[Turn] = []
    for turn in map(unwrap, turns):
        known = memo(turn)
        told = known is not None and own is None and _understood(known.reply)
        made += [turn] if turn.decision.planner == PERSON or told else _as_spoken(turn, own)
    return made


def _understood(reply: Reply) -> bool:
    """Whether a reply has the common form, not a model's own actions."""
    return bool(reply.calls or reply.text) and all(call.name and not call.error for call in reply.calls)


def _as_spoken(turn: Turn, own: Language | None) -> Iterator[Turn]:
    decision, number = turn.decision, 0
    for step in turn.steps:
        number, thought = step.number, _reason_of(turn, step)
        if own and step.action:
            reply = own.reply(number, thought, step, None, step.before.size)
        else:  # In a model's own language, a turn without an action is left out.
            reply = _decision_reply(number, thought=thought, actions=[proposal_of(step)])
        yield _with_reply(turn, reply, (step,))
    end = decision.end
    if own and end is not None:
        yield _with_reply(turn, own.reply(number + 1, decision.thought, None, end, turn.screens[-1].size), ())
    elif end is not None or not turn.steps:
        said = without_defaults(end) if end is not None else None
        reply = _decision_reply(number + 1, thought=decision.thought, notes=dict(decision.notes), end=said)
        yield _with_reply(turn, reply, ())


def _reason_of(turn: Turn, step: Step) -> str:
    """Why a step was taken; in place of a procedure's reason, which lacks the values, the step itself."""
    return f"{describe_step(step)}." if bookmark_of(turn) else step.planned.why


def _decision_reply(number: int, **arguments: Any) -> Reply:
    call = Call(f"call_{number}", DECIDE, {name: item for name, item in arguments.items() if item})
    return Reply(calls=(call,), stop="calls")


def _with_reply(turn: Turn, reply: Reply, steps: tuple[Step, ...]) -> Turn:
    decision = replace(
        turn.decision,
        bookmark=Memo(reply, taken=len(steps)).as_text(),
        planned=tuple(step.planned for step in steps),
        end=None if steps else turn.decision.end,
    )
    seen = steps[0].before if steps else turn.screens[-1]
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


def _situation(kept: KeptRun, late: Sequence[Turn]) -> Situation:
    """The run as a planner sees it before its last answer, with the platform that its elements come from."""
    sources = {one.source for turn in kept.trajectory.turns for one in turn.observation.elements}
    platform = "browser" if "dom" in sources else "android" if "android" in sources else ""
    return Situation(kept.trajectory.task, late[-1].observation, tuple(late), platform=platform)


def _turns_of(
    situation: Situation, early: Sequence[Turn], pictures: bool, own: Language | None
) -> list[dialogue.Turn]:
    """All turns but the system's, up to the last answer."""
    late = len(situation.turns)
    style = Style(late + 2 if pictures else 0, late + 1, placed=True, native=own is not None)
    said = list(converse(situation, style))
    if early:
        history = fence(history_text(early), "history")
        beginning = render("task", task=situation.task, skills=[], exemplars=[], history=history)
        said[0] = Asked((beginning, *cast(Asked, said[0]).parts[1:]))
    last = max(place for place, one in enumerate(said) if isinstance(one, Reply))
    return said[: last + 1]


def _utterances(system: str, said: Iterable[dialogue.Turn], calls: bool) -> Iterator[Utterance]:
    """The messages. Where answers are text, what came of one is a part of the next question."""
    names: dict[str, str] = {}
    if system:
        yield Utterance("system", (system,))
    for one in said:
        match one:
            case Asked():
                yield Utterance("user", one.parts)
            case Reply():
                names = {call.id: call.name for call in one.calls if calls}
                yield Utterance(
                    "assistant", (one.text if calls else answer(one),), one.calls if calls else ()
                )
            case Results():
                yield from (
                    Utterance("tool", it.parts[:1], tool=names[it.call]) for it in one.results if calls
                )
                if rest := tuple(part for it in one.results for part in it.parts[int(calls) :]):
                    yield Utterance("user", rest)


def answer(reply: Reply) -> str:
    """A reply as text, for models that answer with JSON or in a language of their own and not with calls."""
    if not reply.calls:
        return reply.text
    call = reply.calls[0]
    body = call.arguments if call.name == DECIDE else {"tool": call.name, "arguments": call.arguments}
    return json.dumps(body, ensure_ascii=False)


def _system(platform: str, calls: bool, own: Language | None) -> str:
    schema: Any = decide_tool(platform).parameters
    return render(
        "system",
        platform=platform,
        native=own is not None,
        ends=own is not None and not own.calls,
        tool=DECIDE if calls else "",
        schema="" if calls else json.dumps(schema, ensure_ascii=False),
        batch=BATCH,
        reads_on=platform == "browser",
        called=[],
        skills=[],
    )
