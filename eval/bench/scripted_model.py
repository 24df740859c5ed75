"""A stand-in for a language model behind a real HTTP server, which answers the prompt by simple rules.

It uses only what a model would get: the task and the list of elements in the request's text.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from typing import Any

from guiagent_eval.model_path.screen import ListedItem, items_on_screen, texts
from guiagent_eval.model_path.service import ChatService

FIELDS = ("textbox", "searchbox", "combobox")


class ScriptedService(ChatService):
    """Answers chat completions at once; `slips` names decisions that point at a missing element."""

    def __init__(self, slips: frozenset[int] = frozenset()) -> None:
        self.asked: list[str] = []
        """The purpose of each call: plan or verify."""
        self.slips = slips
        self._lock = threading.Lock()
        super().__init__()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        said = texts(body)
        with self._lock:
            if "tools" in body:
                self.asked.append("plan")
                return called(len(self.asked), self._decided(said))
            self.asked.append("verify")
            return _spoken("DONE")

    def _decided(self, said: Sequence[str]) -> dict[str, Any]:
        wanted, listed = _moves(_last(r"^Task: (.*)", "\n".join(said))), items_on_screen(said)
        if self.asked.count("plan") in self.slips:
            return {"actions": [{"kind": "click", "at": {"text": "What is not there"}}]}
        acts = [act for move in wanted if (act := _act(move, listed))]
        if not acts:
            return {"end": {"kind": "finish"}}
        planned = [{"action": act} for act in acts]
        fields = [name for kind, name, _ in wanted if kind == "fill"]
        if acts[-1]["kind"] != "click" or not fields:
            return {"actions": planned}
        # Once the button is clicked the form should be gone, and then the task is done.
        planned[-1]["expect"] = [{"kind": "text_gone", "text": fields[-1]}]
        return {"actions": planned, "end": {"kind": "finish"}}


def _moves(task: str) -> list[tuple[str, str, str]]:
    """The moves that a task asks for, as kind, name and text: `Fill NAME with "TEXT"`, and `click NAME`."""
    fills = re.findall(r"(\w[\w ]*?) with \"(.*?)\"", task.replace("Fill ", "").replace(" and ", ", "))
    clicks = re.findall(r"[Cc]lick (?:on )?(?:the )?(?:\w+ )?\"?(\w[\w ]*)\"?", task)
    return [
        *(("fill", name.strip(), text) for name, text in fills),
        *(("click", name, "") for name in clicks),
    ]


def _act(move: tuple[str, str, str], listed: Sequence[ListedItem]) -> dict[str, Any] | None:
    """The action for a move; None if no element has the name or the field already holds the text."""
    kind, name, text = move
    for one in listed:
        if one.name.casefold() != name.casefold():
            continue
        mark = {"mark": one.mark}
        if kind == "fill" and one.role in FIELDS:
            return None if f'= "{text}"' in one.line else {"kind": "type", "text": text, "at": mark}
        if kind == "click" and one.role not in (*FIELDS, "text"):
            return {"kind": "click", "at": mark}
    return None


def _last(pattern: str, text: str) -> str:
    found = re.findall(pattern, text, re.MULTILINE)
    return found[-1] if found else ""


def called(number: int, arguments: dict[str, Any]) -> dict[str, Any]:
    """An answer that calls the tool `decide`."""
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return _choice({"role": "assistant", "tool_calls": [call]}, "tool_calls")


def _spoken(text: str) -> dict[str, Any]:
    return _choice({"role": "assistant", "content": text}, "stop")


def _choice(message: dict[str, Any], reason: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 1000, "completion_tokens": 50}
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}], "usage": usage}
