"""How a task is read: as plain commands, or as something that was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import PlainPlanner, bare_names
from gui_agent.settings import Settings
from gui_agent.wiring.demos_loading import Known

if TYPE_CHECKING:
    from gui_agent.procedures.recognition import Recognition


def recognised(settings: Settings, task: Task, demos: Sequence[Known]) -> Recognition | None:
    """What the memory makes of a task; None where it is not asked, or a plain command is meant.

    Plain commands need no procedure unless one was learned in these very words, and demonstrations that are
    given go before those in the memory.

    Raises:
        ConfigError: the memory cannot be used, or plain commands were given values.
    """
    kind = settings.planner.kind
    if demos or kind not in ("auto", "plain", "demonstration", "cascade"):
        return None
    plain = PlainPlanner()
    commands = kind != "demonstration" and plain.understands(task.text)
    found = None
    if kind != "plain" and settings.memory.enabled and (not commands or bare_names(task.text)):
        found = _asked(settings, task, commands=commands)
    if found is None and commands and kind != "cascade":
        _demand_no_values(task)
    if found is None or found.fitting or commands or kind == "demonstration":
        return found
    return found.because(f"{plain.preview(task.text)[-1]}; as a task, {found.reason}")


def _asked(settings: Settings, task: Task, *, commands: bool) -> Recognition | None:
    """What the memory makes of a task, which may be understood as plain commands."""
    from gui_agent.procedures.memory import open_memory
    from gui_agent.procedures.readings import meant_instead
    from gui_agent.procedures.recognition import recognise

    return (meant_instead if commands else recognise)(task, open_memory(settings))


def _demand_no_values(task: Task) -> None:
    """Refuse values that would be ignored.

    Raises:
        ConfigError: the task has values, for which plain commands have no use.
    """
    if task.values:
        name, value = next(iter(task.values.items()))
        raise ConfigError(
            f"{name}={value}: plain commands have no slots for values; write it into the commands, "
            "or with its section if it is a setting, such as limits.steps=20"
        )
