"""What a program does itself through its accessibility interface, without a pointer, keys or the focus."""

from __future__ import annotations

import asyncio
from typing import Any

from gui_agent.computers.atspi.bus import Bus, CallFailed, MethodCall, answer_to, ask, get
from gui_agent.computers.desktop.parts import Node
from gui_agent.computers.event_loop import turns
from gui_agent.core.actions import Action, Check, Choose, Click, TypeText
from gui_agent.core.texts import normal
from gui_agent.elements import roles

ANSWERING = 2.0
"""Maximum seconds for a program to answer; one that opens a dialog may answer only when that is closed."""
TAKING = 0.6
"""Maximum seconds for a program to show a new text or choice."""
POLL = 0.02
PRESSED = roles.ONE_PIECE - {"togglebutton"}
"""What is pressed so. Others may open a menu, which takes the person's devices if no pointer opened it."""


async def take(bus: Bus, action: Action, node: Node) -> bool:
    """Let the program of a node carry out an action; False if it does not, and a pointer has to."""
    at: Any = node.key
    match action:
        case Click(button="left", clicks=1, modifiers=()) if node.role in PRESSED:
            return "haspopup" not in node.states and await _press(bus, at)
        case Check(on=on) if node.role in roles.BOXES:
            return ("checked" in node.states) == on or await _press(bus, at)
        case Choose(option=option) if node.role == "combobox":
            return await _choose(bus, at, normal(option))
        case TypeText(text=text, replace=replace) if replace or not node.value:
            said = text.replace("\n", "") if "multiline" in node.states else text
            if node.role in roles.TEXT_FIELDS and said.isprintable() and "password" not in node.states:
                change = ask(at, "EditableText", "SetTextContents", "s", text)
                return await _put(bus, change, ask(at, "Text", "GetText", "ii", 0, -1), text)
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


async def _choose(bus: Bus, at: Any, option: str) -> bool:
    (options,) = await bus.call(ask(at, "Accessible", "GetChildren"))
    if len(options) == 1:
        (options,) = await bus.call(ask(options[0], "Accessible", "GetChildren"))
    told = await bus.many(get(one, "Accessible", "Name") for one in options)
    names = [normal(name or "") for name in told]
    if option not in names:
        return False
    is_chosen = ask(at, "Selection", "IsChildSelected", "i", names.index(option))
    return await _put(bus, is_chosen._replace(member="SelectChild"), is_chosen, True)


async def _put(bus: Bus, change: MethodCall, read: MethodCall, wanted: object) -> bool:
    await bus.call(change)
    async for _ in turns(TAKING, POLL, least=1):
        if await answer_to(bus, read) == wanted:
            return True
    return False
