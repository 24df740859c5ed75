"""What a policy says in the language that it was trained on, as an answer of guiagent's own planner.

Everything is read as data: a text is compared with tables of names, and its values are numbers and texts.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gui_agent.core.dialogue import Call, Reply
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Size
from gui_agent.core.parsing import parse_json
from gui_agent.models.dialects import Dialect, PointerContext, pyautogui, qwen, uitars
from gui_agent.models.pictures import Space
from gui_agent.planners.llm.decision_schema import DECIDE

MARKS: tuple[tuple[str, Dialect], ...] = (
    ("<tool_call>", qwen.CALLS),
    ("<function", uitars.TAGGED),
    ("Action:", uitars.LINES),
    ("pyautogui.", pyautogui.CODE),
    ("computer.", pyautogui.CODE),
)
"""What shows a language, and who reads it; the points are pixels of the picture."""
BROWSERGYM = {
    "click": "click at",
    "hover": "move at",
    "fill": "type at text",
    "select_option": "choose at option",
    "check": "check at",
    "keyboard_type": "type text",
    "keyboard_press": "press keys",
    "goto": "navigate url",
    "go_back": "back",
    "send_msg_to_user": "finish answer",
}
"""The actions of BrowserGym by their names: a kind of ours, and the names of the arguments in order."""
_NAMED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_VALUE = re.compile(r"""\s*(?:(['"])((?:[^\\]|\\.)*?)\1|(-?[\d.]+))\s*(?:,|$)""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def reply_of(said: str, size: Size) -> Reply:
    """An answer as a reply: JSON of `decide`, a call of a tool as JSON, or a language of MARKS or BrowserGym.

    Raises:
        BadReply: it is in one of these languages, and cannot be read.
    """
    call = _json_call(said)
    if call.get("name") == DECIDE:
        return Reply(json.dumps(call["arguments"]))
    text = f"<tool_call>{said}</tool_call>" if call else said
    for mark, dialect in MARKS:
        if mark in text and not text.startswith("{"):
            read = dialect.read(text, PointerContext(Space(size, size.width, size.height)))
            made = Call("said", "computer", proposals=read.proposals, end=read.end)
            return Reply(said, read.thought, (made,))
    named = _NAMED.fullmatch(said.strip())
    return _by_name(*named.groups()) if named and named[1] in BROWSERGYM else Reply(said)


def _json_call(said: str) -> dict[str, Any]:
    """A call of a tool, as `{"name": ..., "arguments": ...}`; empty for anything else."""
    try:
        call = parse_json(said)
    except ValueError:
        return {}
    return call if isinstance(call, dict) and {"name", "arguments"} <= call.keys() else {}


def _by_name(name: str, arguments: str) -> Reply:
    """An action of BrowserGym as JSON of `decide`."""
    kind, *names = BROWSERGYM[name].split()
    texts = [_ESCAPED.sub(_letter, one[2] or one[3] or "") for one in _VALUE.finditer(arguments)]
    given: dict[str, Any] = dict(zip(names, texts, strict=False))
    if _VALUE.sub("", arguments).strip() or not given.get("at", "1").isdigit():
        raise BadReply(f"{name} takes {', '.join(names) or 'nothing'}, as numbers and texts in quotes")
    if "at" in given:
        given["at"] = {"mark": int(given["at"])}
    if "keys" in given:
        given["keys"] = given["keys"].split("+")
    act = {"kind": kind, **given, **({"replace": True} if name == "fill" else {})}
    return Reply(json.dumps({"end": act} if kind == "finish" else {"actions": [act]}))


def _letter(escaped: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(escaped[1], escaped[1])
