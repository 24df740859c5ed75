"""What a program does itself through its accessibility interface, without a pointer, keys or the focus."""

from __future__ import annotations

import asyncio
from typing import Any

from gui_agent.computers.atspi.bus import Bus, CallFailed, answer_to, ask, get
from gui_agent.computers.desktop.fields import CHECKED
from gui_agent.computers.desktop.parts import Node
from gui_agent.core.actions import Action, Check, Click, TypeText
from gui_agent.elements import roles

ANSWERING = 2.0
"""Maximum seconds for a program to answer; one that opens a dialog may answer only when that is closed."""
PRESSED = roles.ONE_PIECE - {"togglebutton"}
"""What is pressed so. Others may open a menu, which takes the person's devices if no pointer opened it."""


async def take(bus: Bus, action: Action, node: Node) -> bool:
    """Let the program of a node carry out an action; False if it does not, and a pointer has to."""
    at: Any = node.key
    match action:
        case Click(button="left", clicks=1, modifiers=()) | Check() if node.role in PRESSED:
            is_left = getattr(action, "on", None) is bool(node.states & CHECKED)
            return is_left or ("haspopup" not in node.states and await _press(bus, at))
        case TypeText(text=text, replace=replace) if replace or not node.value:
            if node.role in roles.TEXT_FIELDS and text.isprintable() and "password" not in node.states:
                await bus.call(ask(at, "EditableText", "SetTextContents", "s", text))
                return bool(await answer_to(bus, ask(at, "Text", "GetText", "ii", 0, -1)) == text)
    return False


async def _press(bus: Bus, at: Any) -> bool:
    """Do the first of an object's actions, its click; what the program may have done is not done again."""
    if not await answer_to(bus, get(at, "Action", "NActions")):
        return False
    try:
        (taken,) = await asyncio.wait_for(bus.call(ask(at, "Action", "DoAction", "i", 0)), ANSWERING)
    except (CallFailed, TimeoutError):
        return True
    return bool(taken)
