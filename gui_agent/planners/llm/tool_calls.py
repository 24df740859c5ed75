"""Tools beside the screen that a model may call: each call is judged by the guard, and told what it gave."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError, validate_call

from gui_agent.core.codec import explain
from gui_agent.core.dialogue import Call, GuardedTool, Reply, Tool
from gui_agent.core.errors import ConfigError, Forbidden, StepFailed
from gui_agent.core.protocols import Situation
from gui_agent.core.texts import shorten, suggestion
from gui_agent.core.trajectory import Decision, ToolUse
from gui_agent.planners.llm.replies import Memo

RESULT = 8_000
"""Characters of a result at most."""
SAID = 300
"""Characters of a call in words at most: what the person is asked about, and what the history tells."""
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
        meaning: what a call means to the guard, one of `agent.guard.context.MEANINGS`; empty when it only
            reads or computes.

    Raises:
        ConfigError: a parameter's type has no JSON schema.
    """
    called = name or getattr(function, "__name__", "tool")
    checked = validate_call(config=ConfigDict(arbitrary_types_allowed=False))(function)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, checked))
        schema = adapter.json_schema()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the tool {called} takes what JSON cannot hold: {error}") from error

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


def called(reply: Reply, tools: Sequence[GuardedTool], situation: Situation, planner: str) -> Decision | None:
    """The decision that a reply makes by calling tools, once they have run; None when it calls none of them.

    Other calls beside them are not carried out, and are told so. A refusal of the guard is told as a result.
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
        thought=reply.thought or reply.text, bookmark=Memo(reply).written(), planner=planner, called=done
    )


def _carried_out(call: Call, tool: GuardedTool, situation: Situation) -> ToolUse:
    what = shorten(in_words(call), SAID)
    if call.error:
        return ToolUse(what, call.error, failed=True)
    try:
        _check(call.arguments, tool.tool)
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


def _check(arguments: Mapping[str, Any], tool: Tool) -> None:
    """
    Raises:
        ValueError: one is missing or not known; names it.
    """
    known = tool.parameters.get("properties", {})
    strange = [name for name in arguments if name not in known]
    if strange and tool.parameters.get("additionalProperties") is not True:
        raise ValueError(f'it takes no "{strange[0]}"{suggestion(strange[0], known)}')
    missing = [name for name in tool.parameters.get("required", ()) if name not in arguments]
    if missing:
        raise ValueError(f"give {', '.join(missing)}")


def in_words(call: Call) -> str:
    """A call as one would write it: `write_file(path="a.txt", text="Hello")`."""
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    return f"{call.name}({', '.join(given)})"
