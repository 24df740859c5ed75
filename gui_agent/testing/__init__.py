"""The testing kit: a fake computer, scripted parts, screens in one line, and contract checks for adapters."""

from gui_agent.testing.builders import (
    button,
    checkbox,
    choice,
    dialog,
    field,
    form,
    link,
    row,
    screen,
    text,
    widget,
)
from gui_agent.testing.computer import FakeComputer
from gui_agent.testing.scripted import (
    ExactGrounder,
    OpenGuard,
    ScriptedApprover,
    ScriptedPlanner,
    Witness,
    ask,
    do,
    done,
    expecting,
    give_up,
)
from gui_agent.testing.world import Rule, World, when

__all__ = [
    "ExactGrounder",
    "FakeComputer",
    "OpenGuard",
    "Rule",
    "ScriptedApprover",
    "ScriptedPlanner",
    "Witness",
    "World",
    "ask",
    "button",
    "checkbox",
    "choice",
    "dialog",
    "do",
    "done",
    "expecting",
    "field",
    "form",
    "give_up",
    "link",
    "row",
    "screen",
    "text",
    "when",
    "widget",
]
