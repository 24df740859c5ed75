"""The planner that asks a language model: one call for each decision."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError, validate_call

from gui_agent.agent.answers import misfit
from gui_agent.core import dialogue
from gui_agent.core.actions import Wait
from gui_agent.core.conditions import Condition, StateIs, TextGone
from gui_agent.core.dialogue import (
    Asked,
    Call,
    GuardedTool,
    Model,
    Part,
    Reply,
    Request,
    Results,
    Tool,
    ToolResult,
    Traits,
)
from gui_agent.core.errors import ActionFailed, BadReply, ConfigError, Forbidden, StepFailed, Unavailable
from gui_agent.core.observation import Box, Mark, Observation, Target
from gui_agent.core.protocols import Situation
from gui_agent.core.texts import ELLIPSES, normal, shorten
from gui_agent.core.trajectory import Decision, GiveUp, Planned, Task, ToolUse, Trajectory
from gui_agent.core.validation_errors import explain
from gui_agent.elements.image_regions import crop
from gui_agent.elements.roles import OPERABLE
from gui_agent.planners.llm import replies as answers
from gui_agent.planners.llm.conversation import Rung, Style, converse, enlargement, rung
from gui_agent.planners.llm.decision_schema import DECIDE, decide_tool, decision_form
from gui_agent.planners.llm.rendering import fence, render
from gui_agent.planners.llm.replies import Memo

RESULT = 8_000
"""Maximum characters of a tool's result."""
SAID = 300
"""Maximum characters of a call in words, in questions to the user and in the history."""
_FAULTS = (
    StepFailed,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
)


def from_function(function: Callable[..., Any], meaning: str = "", name: str = "") -> GuardedTool:
    """A Python function as a tool: its parameters become the schema, its docstring the description.

    Args:
        meaning: its meaning for the guard, one of `agent.guard.vocabulary.MEANINGS`; empty if it only
            reads or computes.
    """
    called = name or getattr(function, "__name__", "tool")
    checked = validate_call(config=ConfigDict(arbitrary_types_allowed=False))(function)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, checked))
        schema = adapter.json_schema()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the tool {called} has parameters that JSON cannot express: {error}") from error

    def run(arguments: Mapping[str, Any]) -> str:
        try:
            value = checked(**arguments)
        except ValidationError as error:
            raise TypeError(explain(error)) from error
        if value is None:
            return "Done."
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    about = inspect.getdoc(function) or called.replace("_", " ")
    return GuardedTool(Tool(called, about, schema), run, lambda arguments: meaning)


def decision_by_calls(
    reply: Reply, tools: Sequence[GuardedTool], situation: Situation, planner: str
) -> Decision | None:
    """The decision of a reply that calls tools, after they ran; None if it calls none of them.

    A call of `decide` next to them is not carried out, and the model is informed. A refusal is a result.
    """
    named = {tool.tool.name: tool for tool in tools}
    if not any(call.name in named for call in reply.calls):
        return None
    done = tuple(
        _carried_out(call, named[call.name], situation)
        if call.name in named
        else ToolUse(call.name, "Not carried out: call it by itself.", failed=True)
        for call in reply.calls
    )
    return Decision(
        thought=reply.thought or reply.text, bookmark=Memo(reply).as_text(), planner=planner, called=done
    )


def _carried_out(call: Call, tool: GuardedTool, situation: Situation) -> ToolUse:
    what = shorten(in_words(call), SAID)
    if call.error:
        return ToolUse(what, call.error, failed=True)
    try:
        schema = {"additionalProperties": False, **tool.tool.parameters}
        if fault := misfit(json.dumps(schema), json.dumps(call.arguments), "arguments"):
            raise ValueError(fault)
        if tool.own_words and (quote := _quote(str(call.arguments[tool.own_words]), situation)):
            raise Forbidden(f"what a screen or a file says is not run: {shorten(quote)}")
        meaning = tool.meaning(call.arguments)
        if meaning and situation.guard is None:
            raise Forbidden("no guard judges calls of tools here")
        if meaning and situation.guard is not None:
            situation.guard.check_meaning(meaning, what, situation.observation)
        result = tool.run(call.arguments)
    except _FAULTS as fault:
        return ToolUse(what, f"It failed: {shorten(str(fault) or type(fault).__name__, 400)}", failed=True)
    cut = f"{result[:RESULT]}\n(cut: {len(result)} characters in all)" if len(result) > RESULT else result
    return ToolUse(what, cut)


def _quote(command: str, situation: Situation) -> str:
    """The first part of a command line that stands on a screen of the run or in the result of a tool, and not
    in the person's task; empty if there is none. A single word, such as the name of a file, is no command.
    """
    run = Trajectory(situation.task, situation.turns)
    elements = chain.from_iterable(one.elements for one in (*run.screens, situation.observation))
    texts = chain.from_iterable((one.name, one.value) for one in elements)
    uses = chain.from_iterable(turn.decision.called for turn in situation.turns)
    seen = _one_line(" ".join([*texts, *map(attrgetter("result"), uses)]))
    task = _one_line(situation.task.full_text)
    parts = map(_one_line, re.split(r"[\n;|&]+", command))
    return next((part for part in parts if " " in part and part in seen and part not in task), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def in_words(call: Call) -> str:
    """A call in Python syntax: `write_file(path="a.txt", text="Hello")`."""
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    return f"{call.name}({', '.join(given)})"


PAGE = 8_000
"""Maximum characters of one answer."""
AROUND = 2
"""Lines before and after a line with the searched words."""
_CORNER = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}

LOOK = Tool(
    "look",
    "Enlarge a part of the picture.",
    {"type": "object", "properties": {"from": _CORNER, "to": _CORNER}, "required": ["from", "to"]},
)
READ = Tool(
    "read",
    "All texts in front, a `part` (from 1), or lines around `find`.",
    {
        "type": "object",
        "properties": {
            "find": {"type": "string"},
            "part": {"type": "integer"},
        },
    },
)
LOOKING = (LOOK, READ)
LARGER = "That part, enlarged:"


def only_looks(reply: Reply) -> bool:
    """Whether a reply only asks to see more."""
    names = {tool.name for tool in LOOKING}
    return bool(reply.calls) and all(call.look or call.name in names for call in reply.calls)


def answers_to_looks(reply: Reply, situation: Situation) -> dialogue.Turn:
    return Results(tuple(ToolResult(call.id, _answer_parts(call, situation)) for call in reply.calls))


def _answer_parts(call: Call, situation: Situation) -> tuple[Part, ...]:
    if call.error:
        return (call.error,)
    if call.name == READ.name:
        return (_read(call.arguments, situation),)
    shot = situation.observation.screenshot
    if shot is None:
        return ("There is no picture of this screen; go by the texts.",)
    region = call.region or _region(call.arguments, situation.observation)
    # Points refer to the last picture, so the whole screen follows.
    return (
        (LARGER, crop(shot, region, enlargement(region)), "And the whole screen:", shot)
        if region
        else (shot,)
    )


def _region(given: Mapping[str, Any], observation: Observation) -> Box | None:
    one, other = given.get("from"), given.get("to")
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return None
    try:
        (left, right), (top, bottom) = (sorted((int(one[side]), int(other[side]))) for side in ("x", "y"))
    except (KeyError, TypeError, ValueError):
        return None
    part = Box.from_edges(left, top, right, bottom)
    return part.intersect(observation.size.box)


def _read(given: Mapping[str, Any], situation: Situation) -> str:
    lines = list(filter(None, map(_one_line, _whole(situation).splitlines())))
    wanted = given.get("find")
    if isinstance(wanted, str) and wanted.strip():
        if not (near := _lines_around(wanted, lines)):
            far = "" if situation.text is not None else " of what is in sight; scroll for more"
            return f"These words were not found; searched {len(lines)} lines{far}."
        lines = near
    text = "\n".join(lines) or "Nothing."
    parts = [text[start : start + PAGE] for start in range(0, len(text), PAGE)]
    number = given.get("part")
    number = min(max(1, number), len(parts)) if isinstance(number, int) else 1
    told = fence(parts[number - 1], "text")
    return f"Part {number} of {len(parts)}:\n{told}" if len(parts) > 1 else told


def _lines_around(words: str, lines: Sequence[str]) -> list[str]:
    """The lines with the words, with those around them."""
    near: set[int] = set()
    for number, line in enumerate(lines):
        if normal(words) in normal(line):
            near.update(range(number - AROUND, number + AROUND + 1))
    return [line for number, line in enumerate(lines) if number in near]


def _whole(situation: Situation) -> str:
    """The complete text; if the computer reads only the visible part, the complete texts of its elements."""
    if situation.text is not None:
        try:
            return situation.text()
        except ActionFailed as failure:
            return f"It cannot be read now: {failure}"
    return "\n".join(
        f"{one}\n{one.value}" if one.value else one.name for one in situation.observation.elements
    )


T = TypeVar("T")
_LOG = logging.getLogger(__name__)
RETRY = 120.0
"""Seconds after which a model whose service was down is asked again."""
SKILL = "skill_"
"""Prefix of the tool name of a promoted skill."""
READY, WAITS = 10.0, 2
"""Seconds for a busy screen to become ready before a model is asked, and how many such waits may fail."""
BUSY = "the screen is busy"
LOOKS = 3
"""Maximum extra looks that a model may ask for before it decides."""

Skills = Callable[[Task, Observation], Sequence[str]]
"""Finds the guides for the programs on the screen, as texts for the prompt."""


class Relay:
    """Two models as one: the second answers for a while if the first is down or overloaded."""

    def __init__(self, first: Model, second: Model) -> None:
        self.name = first.name
        self._first, self._second = first, second
        self._down_until = 0.0

    @property
    def traits(self) -> Traits:
        return self._first.traits

    def complete(self, request: Request) -> Reply:
        return self.ask(lambda model: model.complete(request))

    def ask(self, question: Callable[[Model], T]) -> T:
        """The result of a question to whichever model is available."""
        if time.monotonic() >= self._down_until:
            try:
                return question(self._first)
            except Unavailable as down:
                self._down_until = time.monotonic() + RETRY
                _LOG.warning("%s; %s takes over", down, self._second.name)
        return question(self._second)


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form and the maximum length of a model's answer."""

    form: Literal["auto", "tools", "json"] = "auto"
    """`json` asks for JSON constrained to a schema of the screen; `auto` switches to it after the model
    answered without a call, as when its chat template knows no tools."""
    tokens: int = 4096
    """Maximum tokens of one answer."""


class ModelPlanner:
    """Decides with a language model that sees the screen and the list of its elements.

    Stateless: the conversation is rebuilt from the turns of the situation, and the model's earlier replies
    are in the bookmarks of those turns.
    """

    name = "model"

    def __init__(
        self,
        model: Model,
        *,
        cheaper: Model | None = None,
        batch: int = 5,
        pictures: int = 6,
        marks: bool = False,
        native: bool | None = None,
        answer: AnswerForm = AnswerForm(),
        skills: Skills | None = None,
        tools: Sequence[GuardedTool] = (),
        spent: Callable[[], float] | None = None,
        approve: Callable[[str], bool] | None = None,
    ) -> None:
        """
        Args:
            cheaper: takes over when nine tenths of the budget are used.
            batch: maximum actions of one decision.
            pictures: maximum screens shown as pictures, including the current one.
            marks: draw the numbers of the elements on the picture.
            native: let the model use its own computer tool; by default only models that accept no other.
            tools: further tools for the model; the guard checks each call first.
            spent: the share of the budget used, 0 to 1.
            approve: asks the user about a provider's safety question; if no user is there, the answer is no.
        """
        self._model = model
        self._cheaper = cheaper
        self._batch = batch
        self._wanted = Style(pictures, native=bool(native), marks=marks)
        self._native = native
        self._answer = answer
        self._form = answer.form
        self._skills = skills
        self._tools = tuple(tools)
        self._spent = spent or (lambda: 0.0)
        self._approve = approve or (lambda question: False)

    def _style(self, model: Model) -> Style:
        traits = model.traits
        own = traits.computer and not traits.tools if self._native is None else self._native
        return replace(self._wanted, pictures=min(self._wanted.pictures, traits.pictures), native=own)

    def decide(self, situation: Situation) -> Decision:
        if (wait := _wait_until_ready(situation)) is not None:
            return Decision(planned=(wait,), planner=self.name)
        step = rung(self._spent())
        model = self._cheaper if step.cheaper and self._cheaper is not None else self._model
        if isinstance(model, Relay):
            return model.ask(lambda one: self._ask_until_clear(one, situation, step))
        return self._ask_until_clear(model, situation, step)

    def _ask_until_clear(self, model: Model, situation: Situation, step: Rung) -> Decision:
        style = self._style(model)
        skills = self._skills(situation.task, situation.observation) if self._skills else ()
        turns = converse(situation, style, skills)
        calls, looks, repaired = 0, 0, False
        while True:
            try:
                calls += 1
                reply = model.complete(self._request(model, situation, turns, step.shrink, style.native))
            except BadReply as error:
                if repaired:
                    raise BadReply(str(error), calls) from error
                repaired, turns = True, self._shorten_question(situation, style, skills, str(error))
                continue
            if looks < LOOKS and only_looks(reply):
                looks += 1
                turns = (*turns, reply, answers_to_looks(reply, situation))
                continue
            decision = decision_by_calls(reply, (*self._tools, *situation.tools()), situation, self.name)
            if decision is not None:
                return replace(decision, calls=calls)
            try:
                found = answers.decision(
                    reply,
                    batch=self._batch,
                    name=self.name,
                    screen=situation.observation.size,
                    native=style.native,
                )
            except BadReply as error:
                if repaired:
                    raise BadReply(str(error), calls) from error
                repaired, turns = True, (*turns, reply, _fault(reply, str(error)))
                if self._form == "auto" and self._calls(model, style.native) and not reply.calls:
                    self._form, turns = "json", converse(situation, style, skills)
                continue
            pictured = style.pictures > 0 and situation.observation.screenshot is not None
            return self._with_consent(replace(found, calls=calls, pictured=pictured), reply)

    def _request(
        self, model: Model, situation: Situation, turns: Sequence[dialogue.Turn], shrink: float, native: bool
    ) -> Request:
        tools = self._calls(model, native)
        looking = LOOKING if model.traits.pictures and self._wanted.pictures else (READ,)
        task, platform = situation.task.text, situation.platform
        all_tools = (*self._tools, *situation.tools()) if tools else ()
        offered = [one.tool for one in all_tools if one.fits(task, platform)]
        return Request(
            purpose="plan",
            turns=tuple(turns),
            system=self._system(situation, [one.name for one in offered], tools, native, model.traits.ends),
            tools=(decide_tool(platform), *looking, *offered) if tools else (),
            must_call=tools,
            schema=decision_form(situation.observation, platform) if self._form == "json" else None,
            computer=native,
            platform=platform,
            max_tokens=self._answer.tokens,
            shrink=shrink,
            cache_key=cache_key(situation.task),
        )

    def _calls(self, model: Model, native: bool) -> bool:
        return model.traits.tools and not native and self._form != "json"

    def _system(
        self, situation: Situation, named: Sequence[str], tools: bool, native: bool, ends: bool
    ) -> str:
        platform = situation.platform
        schema: Any = decide_tool(platform).parameters
        return render(
            "system",
            platform=platform,
            native=native,
            ends=ends,
            tool=DECIDE if tools else "",
            schema="" if tools or native else json.dumps(schema, ensure_ascii=False),
            batch=self._batch,
            reads_on=situation.text is not None,
            called=[name for name in named if not name.startswith(SKILL)],
            skills=[name for name in named if name.startswith(SKILL)],
        )

    def _shorten_question(
        self, situation: Situation, style: Style, skills: Sequence[str], fault: str
    ) -> tuple[dialogue.Turn, ...]:
        less = replace(style, recent=1, listing=style.listing // 2)
        told = f"Your last answer could not be used: {fault}"
        return converse(replace(situation, advice=(*situation.advice, told)), less, skills)

    def _with_consent(self, decided: Decision, reply: Reply) -> Decision:
        checks = [*chain.from_iterable(call.checks for call in reply.calls)]
        if not checks:
            return decided
        asked = "; ".join(
            str(check.get("message") or check.get("code") or "no reason given") for check in checks
        )
        question = f"The model's provider asks whether to allow this: {asked}"
        if self._approve(question):
            return decided
        return replace(decided, planned=(), end=GiveUp(f"{question}; it was not allowed"))


def _wait_until_ready(situation: Situation) -> Planned | None:
    """A wait until the screen is not busy any more; None if it is ready, or has been waited for.

    A screen that is still loading is not worth a call. What stays busy is waited for only once,
    and after `WAITS` waits without success there are no more.
    """
    steps = chain.from_iterable(turn.steps for turn in situation.turns)
    waits = [step for step in steps if step.planned.why == BUSY]
    known = {*chain.from_iterable(step.planned.expect for step in waits)}
    elements = situation.observation.elements
    ready: list[Condition[Target]] = [
        StateIs(Mark(one.id), "busy", on=False) for one in elements if "busy" in one.states
    ]
    if not any(one.role in OPERABLE for one in elements):
        # Where nothing can be operated, "Connecting to the server..." says that something will come.
        ready += [TextGone(one.name) for one in elements if one.name.endswith(ELLIPSES)]
    if known.issuperset(ready) or sum(not step.outcome.good for step in waits) >= WAITS:
        return None
    return Planned(Wait(READY), tuple(ready), why=BUSY, optional=True)


def cache_key(task: Task) -> str:
    """Equal for all requests of a run, also when it is resumed or replayed: they share a prefix."""
    beginning = f"{task.start} {task.text}"
    return f"guiagent-{hashlib.sha256(beginning.encode()).hexdigest()[:24]}"


def _fault(reply: Reply, fault: str) -> dialogue.Turn:
    told = f"Nothing was carried out: {fault}. Answer again."
    if not reply.calls:
        return Asked((told,))
    return Results(tuple(ToolResult(call.id, (told,), failed=True) for call in reply.calls))
