"""A scripted model's moves in the words of each wire format that has actions of its own.

Places are fractions of the screen, and each way of speaking turns them into its family's coordinates with
nothing but the size of the picture that it was sent.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.contract.models.conftest import (
    chat,
    computer_call,
    member,
    messages,
    responses,
    single,
    text_answer,
)

Spot = tuple[float, float]
"""A place as fractions of the width and the height of the screen."""
Units = tuple[Any, Any]
NUMBERS = itertools.count(1)
SCROLL = 600
"""Pixels that one scroll goes down."""


@dataclass(frozen=True)
class Move:
    """One action of the script: a click, a drag to a place, a scroll down, a text or a chord of keys."""

    kind: str
    at: Spot | None = None
    to: Spot | None = None
    text: str = ""


Say = Callable[[Sequence[tuple[Move, Units | None, Units | None]]], Any]


@dataclass(frozen=True)
class Way:
    """How one family answers: its name, its wire, the units of its places, and the words for its moves."""

    model: str
    wire: str
    grid: int
    """Units over the whole picture; 0 for pixels of the picture that was sent."""
    say: Say
    """The answer for some moves; for none that the task is done."""

    def answer(self, moves: Sequence[Move], sent: tuple[int, int]) -> Any:
        """The answer of the service, given the size of the picture in the request."""
        return self.say([(move, self._units(move.at, sent), self._units(move.to, sent)) for move in moves])

    def _units(self, spot: Spot | None, sent: tuple[int, int]) -> Units | None:
        if spot is None:
            return None
        if self.grid:
            return round(spot[0] * self.grid), round(spot[1] * self.grid)
        return int(spot[0] * sent[0]), int(spot[1] * sent[1])


def _openai(moves: Sequence[tuple[Move, Any, Any]]) -> Any:
    actions: list[dict[str, Any]] = []
    for move, at, to in moves:
        match move.kind:
            case "click":
                actions.append({"type": "click", "x": at[0], "y": at[1], "button": "left"})
            case "drag":
                path = [{"x": spot[0], "y": spot[1]} for spot in (at, to)]
                actions.append({"type": "drag", "path": path})
            case "scroll":
                actions.append({"type": "scroll", "x": at[0], "y": at[1], "scroll_x": 0, "scroll_y": SCROLL})
            case "keys":
                actions.append({"type": "keypress", "keys": move.text.upper().split("+")})
            case _:
                actions.append({"type": "type", "text": move.text})
    number = next(NUMBERS)
    if not actions:
        return text_answer("responses", "DONE:")
    thought = {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [],
        "encrypted_content": f"sealed{number}",
    }
    answer = responses(thought, computer_call(*actions))
    answer["output"][1] |= {"id": f"cu_{number}", "call_id": f"call_{number}"}
    return answer


def _claude(move: Move, at: Any, to: Any) -> tuple[str, dict[str, Any]]:
    match move.kind:
        case "click":
            return "left_click", {"coordinate": list(at)}
        case "drag":
            return "left_click_drag", {"start_coordinate": list(at), "coordinate": list(to)}
        case "scroll":
            given = {"coordinate": list(at), "scroll_direction": "down", "scroll_amount": SCROLL // 120}
            return "scroll", given
        case "keys":
            return "key", {"text": move.text}
        case _:
            return "type", {"text": move.text}


def _toolset(moves: Sequence[tuple[Move, Any, Any]]) -> Any:
    uses = []
    for spoken in moves:
        name, given = _claude(*spoken)
        uses.append(member(name, f"toolu_{next(NUMBERS)}", **given))
    thought = {"type": "thinking", "thinking": "There it is.", "signature": f"s{next(NUMBERS)}"}
    return messages(thought, *uses) if uses else text_answer("messages", "DONE:")


def _older(moves: Sequence[tuple[Move, Any, Any]]) -> Any:
    uses = []
    for spoken in moves:
        name, given = _claude(*spoken)
        uses.append({**single(name, **given), "id": f"toolu_{next(NUMBERS)}"})
    return messages(*uses) if uses else text_answer("messages", "DONE:")


def _tars(moves: Sequence[tuple[Move, Any, Any]]) -> Any:
    lines = []
    for move, at, to in moves:
        match move.kind:
            case "click":
                lines.append(f"click(start_box='({at[0]},{at[1]})')")
            case "drag":
                lines.append(f"drag(start_box='({at[0]},{at[1]})', end_box='({to[0]},{to[1]})')")
            case "scroll":
                lines.append(f"scroll(start_box='({at[0]},{at[1]})', direction='down')")
            case "keys":
                lines.append(f"hotkey(key='{move.text.replace('+', ' ')}')")
            case _:
                lines.append(f"type(content='{move.text}')")
    said = "\n\n".join(lines) or "finished(content='')"
    return chat(f"Thought: There it is.\nAction: {said}")


def _qwen(moves: Sequence[tuple[Move, Any, Any]]) -> Any:
    calls: list[dict[str, Any]] = []
    for move, at, to in moves:
        match move.kind:
            case "click":
                calls.append({"action": "left_click", "coordinate": list(at)})
            case "drag":
                calls.append({"action": "mouse_move", "coordinate": list(at)})
                calls.append({"action": "left_click_drag", "coordinate": list(to)})
            case "scroll":
                calls.append({"action": "scroll", "coordinate": list(at), "pixels": -SCROLL})
            case "keys":
                calls.append({"action": "key", "keys": move.text.split("+")})
            case _:
                calls.append({"action": "type", "text": move.text})
    written = [json.dumps({"name": "computer_use", "arguments": call}) for call in calls or [ENDED]]
    return chat("I do it.\n" + "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in written))


ENDED: dict[str, Any] = {"action": "terminate", "status": "success"}
WAYS: dict[str, Way] = {
    "openai computer": Way("gpt-5.4", "responses", 0, _openai),
    "anthropic toolset": Way("claude-sonnet-5-5", "messages", 0, _toolset),
    "anthropic older tool": Way("claude-haiku-4-5", "messages", 0, _older),
    "ui-tars text": Way("UI-TARS-1.5-7B", "chat", 0, _tars),
    "qwen tool call": Way("Qwen3-VL-8B-Instruct", "chat", 1000, _qwen),
}
