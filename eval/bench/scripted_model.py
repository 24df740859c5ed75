"""A stand-in for a language model behind a real HTTP server, which answers the prompt by simple rules.

It uses only what a model would get: the task and the list of elements in the request's text.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

from guiagent_eval.model_path.service import ChatService

ELEMENT = re.compile(r"^\[(\d+)\]\*? (\w+)(?: \"(.*?)\")?", re.MULTILINE)
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
        said = "\n".join(_texts(body["messages"]))
        with self._lock:
            if "tools" in body:
                self.asked.append("plan")
                return called(len(self.asked), self._decided(said))
            self.asked.append("verify")
            return _spoken("DONE")

    def _decided(self, said: str) -> dict[str, Any]:
        wanted = _moves(_last(r"^Task: (.*)", said))
        screen = said.rpartition("The screen now")[2]
        if self.asked.count("plan") in self.slips:
            return {"actions": [{"kind": "click", "at": {"text": "What is not there"}}]}
        acts = [act for move in wanted if (act := _act(move, screen))]
        if not acts:
            return {"end": {"kind": "finish"}}
        planned = [{"action": act} for act in acts]
        fields = [name for kind, name, _ in wanted if kind == "fill"]
        if acts[-1]["kind"] != "click" or not fields:
            return {"actions": planned}
        # Once the button is clicked the form should be gone, and then the task is done.
        planned[-1]["expect"] = [{"kind": "text_gone", "text": fields[-1]}]
        return {"actions": planned, "end": {"kind": "finish"}}


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        content = message.get("content")
        if message["role"] == "user" and isinstance(content, list):
            texts += [part["text"] for part in content if part["type"] == "text"]
        elif message["role"] in ("user", "tool") and isinstance(content, str):
            texts.append(content)
    return texts


def _moves(task: str) -> list[tuple[str, str, str]]:
    """The moves that a task asks for, as kind, name and text: `Fill NAME with "TEXT"`, and `click NAME`."""
    fills = re.findall(r"(\w[\w ]*?) with \"(.*?)\"", task.replace("Fill ", "").replace(" and ", ", "))
    clicks = re.findall(r"[Cc]lick (?:on )?(?:the )?(?:\w+ )?\"?(\w[\w ]*)\"?", task)
    return [
        *(("fill", name.strip(), text) for name, text in fills),
        *(("click", name, "") for name in clicks),
    ]


def _act(move: tuple[str, str, str], screen: str) -> dict[str, Any] | None:
    """The action for a move; None if no element has the name or the field already holds the text."""
    kind, name, text = move
    for line in screen.splitlines():
        found = ELEMENT.match(line)
        if found is None or (found[3] or "").casefold() != name.casefold():
            continue
        mark = {"mark": int(found[1])}
        if kind == "fill" and found[2] in FIELDS:
            return None if f'= "{text}"' in line else {"kind": "type", "text": text, "at": mark}
        if kind == "click" and found[2] not in (*FIELDS, "text"):
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
