"""A scripted model that operates phones by pictures alone, in the dialect of models made for that.

Of the moment it knows the picture that it was sent, of the past its own answers, and of the task its way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from guiagent_eval.model_path.answerer import AnswerScript, answer
from guiagent_eval.model_path.screen import texts

SEARCHES = 8

Word = tuple[str, int, int]
"""A text on a picture, and its middle as thousandths of the width and the height."""
Move = tuple[str, Any]
"""tap, hold, type, open, key, back, up or done, and where or what."""


def through_pictures(
    body: dict[str, Any],
    way: Sequence[str],
    seen: Callable[[], Sequence[Word]],
    say: Callable[[Sequence[Move]], str],
) -> dict[str, Any]:
    """The answer of a service whose model sees nothing but the picture; its own answers are its memory."""
    if texts(body)[-1].startswith("A task was given to an agent"):
        judged = answer(body, AnswerScript(way))["content"]
        content = say([("done", True)] if judged == "DONE" else [("up", None)])
    else:
        mine = [str(message["content"]) for message in body["messages"] if message["role"] == "assistant"]
        searched = [UP in one for one in mine]
        # Only the last answers are shown again, so each says which step it was.
        last = re.search(r"Step (\d+)", mine[-1]) if mine else None
        place = int(last[1]) + (not searched[-1]) if last else 0
        content = f"Step {place}. {say([*_moves(way, place, seen, searched)])}"
    usage = {"prompt_tokens": 900, "completion_tokens": 20}
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


UP = "I look farther down."


def _moves(
    way: Sequence[str], place: int, seen: Callable[[], Sequence[Word]], searched: Sequence[bool]
) -> Iterator[Move]:
    if place >= len(way) or (all(searched[-SEARCHES:]) and len(searched) >= SEARCHES):
        yield "done", place >= len(way)
        return
    verb, _, rest = way[place].partition(" ")
    name, _, value = rest.partition(" = ")
    if verb in ("open", "key"):
        yield verb, name
        return
    spot = next(((x, y) for word, x, y in seen() if _alike(word, name.rpartition(":")[2])), None)
    if spot is None:
        yield "up", None
        return
    yield ("hold" if verb == "hold" else "tap"), spot
    if verb == "fill":
        yield "type", value


def _alike(read: str, wanted: str) -> bool:
    """Whether what was read off a picture is a name, but for blanks and the like."""
    one, other = ("".join(filter(str.isalnum, text)).casefold() for text in (read, wanted))
    return one == other


def in_qwen(moves: Sequence[Move]) -> str:
    """Moves as the tool calls that Qwen-VL writes for phones."""
    calls: list[dict[str, Any]] = []
    for kind, what in moves:
        match kind:
            case "tap" | "hold":
                calls.append({"action": "click" if kind == "tap" else "long_press", "coordinate": list(what)})
            case "type":
                calls.append({"action": "type", "text": what})
            case "open":
                calls.append({"action": "open", "text": what})
            case "key":
                calls.append({"action": "system_button", "button": "Enter"})
            case "up":
                calls.append({"action": "swipe", "coordinate": [500, 800], "coordinate2": [500, 300]})
            case _:
                calls.append({"action": "terminate", "status": "success" if what else "failure"})
    said = [json.dumps({"name": "mobile_use", "arguments": call}) for call in calls]
    told = UP if any(kind == "up" for kind, _ in moves) else "I do it."
    return told + "\n" + "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in said)
