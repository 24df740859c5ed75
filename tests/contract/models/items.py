"""What each item of a request has to be: a value of the SDK type, and without keys unknown to it.

The SDKs take seconds to import, which each worker would pay for while it collects tests.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, get_type_hints

from pydantic import TypeAdapter


def fits(item: dict[str, Any], kind: Any, *, also: tuple[str, ...] = ()) -> None:
    """The item is a value of the SDK's type and has no key that the type does not know."""
    bare = {key: value for key, value in item.items() if key not in also}
    TypeAdapter(kind).validate_python(bare)
    assert set(bare) <= set(get_type_hints(kind)), f"unknown keys {set(bare) - set(get_type_hints(kind))}"


def known(body: dict[str, Any], kind: Any) -> None:
    """The request as a whole has no key that the SDK's method does not know."""
    assert set(body) <= set(get_type_hints(kind)), f"unknown keys {set(body) - set(get_type_hints(kind))}"


def check_responses(body: dict[str, Any]) -> None:
    from openai.types.responses import (
        ComputerToolParam,
        EasyInputMessageParam,
        FunctionToolParam,
        ResponseComputerToolCallParam,
        ResponseFunctionToolCallParam,
        ResponseInputImageParam,
        ResponseInputTextParam,
        ResponseOutputMessageParam,
        ResponseReasoningItemParam,
    )
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
    from openai.types.responses.response_input_param import ComputerCallOutput, FunctionCallOutput

    known(body, ResponseCreateParamsNonStreaming)
    kinds = {
        "message": EasyInputMessageParam,
        "computer_call": ResponseComputerToolCallParam,
        "computer_call_output": ComputerCallOutput,
        "function_call": ResponseFunctionToolCallParam,
        "function_call_output": FunctionCallOutput,
        "reasoning": ResponseReasoningItemParam,
    }
    for item in body["input"]:
        out = item["type"] == "message" and "id" in item
        shown = dict(item)
        if item["type"] == "computer_call" and "actions" in item:
            # Batches come without safety checks when there are none, and go back as they came.
            shown.setdefault("pending_safety_checks", [])
        if item["type"] == "computer_call_output":
            # `detail` is not in the type of a computer's screenshot, but the service takes it.
            shown["output"] = dict(item["output"])
            assert shown["output"].pop("detail") == "original"
            assert set(shown["output"]) == {"type", "image_url"}
        fits(shown, ResponseOutputMessageParam if out else kinds[item["type"]])
        parts = item.get("content") if item["type"] == "message" and not out else item.get("output")
        for part in parts if isinstance(parts, list) else []:
            fits(part, ResponseInputImageParam if part["type"] == "input_image" else ResponseInputTextParam)
    for tool in body.get("tools", []):
        fits(tool, ComputerToolParam if tool["type"] == "computer" else FunctionToolParam)


def check_chat(body: dict[str, Any]) -> None:
    from openai.types.chat import (
        ChatCompletionAssistantMessageParam,
        ChatCompletionContentPartImageParam,
        ChatCompletionContentPartTextParam,
        ChatCompletionFunctionToolParam,
        ChatCompletionSystemMessageParam,
        ChatCompletionToolMessageParam,
        ChatCompletionUserMessageParam,
    )
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    known(body, CompletionCreateParamsNonStreaming)
    kinds = {
        "system": ChatCompletionSystemMessageParam,
        "user": ChatCompletionUserMessageParam,
        "assistant": ChatCompletionAssistantMessageParam,
        "tool": ChatCompletionToolMessageParam,
    }
    for message in body["messages"]:
        fits(message, kinds[message["role"]], also=("reasoning_details",))
        for part in message["content"] if isinstance(message.get("content"), list) else []:
            image = part["type"] == "image_url"
            fits(part, ChatCompletionContentPartImageParam if image else ChatCompletionContentPartTextParam)
    for tool in body.get("tools", []):
        fits(tool, ChatCompletionFunctionToolParam)
    roles = [message["role"] for message in body["messages"]]
    assert not any(one == other == "user" for one, other in pairwise(roles))


def check_messages(body: dict[str, Any]) -> None:
    from anthropic.types import (
        ComputerToolset20260801Param,
        ImageBlockParam,
        TextBlockParam,
        ThinkingBlockParam,
        ToolParam,
        ToolResultBlockParam,
        ToolUseBlockParam,
    )
    from anthropic.types.beta import BetaToolComputerUse20250124Param
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    known(body, MessageCreateParamsNonStreaming)
    kinds = {
        "text": TextBlockParam,
        "image": ImageBlockParam,
        "tool_result": ToolResultBlockParam,
        "tool_use": ToolUseBlockParam,
        "thinking": ThinkingBlockParam,
    }
    for block in [*body.get("system", []), *(b for message in body["messages"] for b in message["content"])]:
        fits(block, kinds[block["type"]])
        for part in block["content"] if block["type"] == "tool_result" else []:
            fits(part, kinds[part["type"]])
            assert not block.get("is_error") or (part["type"] == "text" and part["text"])
    for tool in body.get("tools", []):
        named = {"computer_toolset_20260801": ComputerToolset20260801Param}
        named["computer_20250124"] = BetaToolComputerUse20250124Param
        fits(tool, named.get(tool.get("type", ""), ToolParam))
    roles = [message["role"] for message in body["messages"]]
    assert roles[0] == "user" and all(a != b for a, b in pairwise(roles))
    marked = json.dumps(body).count("cache_control")
    assert marked <= 4


CHECKS = {"responses": check_responses, "chat": check_chat, "messages": check_messages}
