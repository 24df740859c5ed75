"""Decides once what a task is: plain commands, a learned procedure, or work for a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gui_agent import plugins
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Demonstration, Task
from gui_agent.planners.commands import Command, Unparsed, parse_task, say
from gui_agent.planners.commands.looseness import bare_names, in_quotes, is_everyday
from gui_agent.settings import Settings, has_key, memory_file

if TYPE_CHECKING:
    from gui_agent.procedures.language.program import Program
    from gui_agent.procedures.library.recognise import Recognition

DEFAULTS = {"ANTHROPIC_API_KEY": "anthropic/claude-sonnet-5-5", "OPENAI_API_KEY": "openai/gpt-6-sol"}
"""Default model by the environment variable of its provider's key, if no model is named."""
Known: TypeAlias = "Demonstration | Program"
"""Input of the planner `demonstration`: a demonstration to learn from, or a learned program."""
Demo: TypeAlias = "str | Path | Known"
COMPOSED = ("auto", "model", "cascade")
"""Kinds of planners that the wiring composes; they are not single parts."""


@dataclass(frozen=True, slots=True)
class Route:
    """Which planners do a task, and why."""

    task: Task
    planners: tuple[str, ...]
    """Kinds of planners in the order in which they are asked: `plain`, `demonstration`, `model` ... or
    `none`.
    """
    why: str = ""
    """Why no planner can do it (`none`), or why a learned procedure was not used."""
    commands: tuple[Command, ...] | Unparsed = ()
    """The text as plain commands, or why it is not made of them."""
    known: tuple[Known, ...] = ()
    recognition: Recognition | None = None

    @property
    def runs(self) -> bool:
        """Whether the text alone shows that some planner can act on it."""
        if self.recognition is not None:
            return bool(self.recognition.fitting)
        return bool(self.known) or not isinstance(self.commands, Unparsed)

    def preview(self) -> list[str]:
        """The plain commands as numbered sentences, or why the text is not made of them."""
        if isinstance(self.commands, Unparsed):
            return [f"not understood: {self.commands}"]
        return [f"{number}. {say(command)}" for number, command in enumerate(self.commands, start=1)]

    def lines(self) -> list[str]:
        """The whole decision in plain lines, for `--explain`."""
        return self.recognition.lines() if self.recognition is not None else self.preview()

    def as_dict(self) -> dict[str, Any]:
        """The decision as JSON: `runs`, `lines`, and for a text that nothing can act on `position` (an index
        of a character) and `reason`.
        """
        told: dict[str, Any] = {"runs": self.runs, "lines": self.lines()}
        if isinstance(self.commands, Unparsed) and not self.runs:
            told |= {"position": self.commands.position, "reason": str(self.commands)}
        return told


def route(task: Task, settings: Settings, known: Sequence[Known] = ()) -> Route:
    """Decide who does a task: given demonstrations, plain commands, learned procedures, then a model."""
    kind, commands = settings.planner.kind, parse_task(task)
    names = (*COMPOSED, *plugins.installed_parts("planners"))
    if ":" not in kind and kind not in names:
        raise ConfigError(f'there is no planner "{kind}"{suggestion(kind, names)}')
    recognition = None if known else _recognise(settings, task, commands)
    if recognition is not None:
        known, task = recognition.programs, recognition.task_from_start
    why = recognition.reason if recognition and not known else ""
    first = "none" if why else "demonstration" if known else "plain"
    return Route(task, stages(settings, first), why, commands, tuple(known), recognition)


def stages(settings: Settings, first: str) -> tuple[str, ...]:
    """The planners that the settings want, in order; `first` is the planner that `auto` puts before a
    model.
    """
    kind = settings.planner.kind
    if kind == "cascade":
        wanted = settings.planner.options.get("planners", ("auto", "model"))
        return tuple(first if one == "auto" else one for one in wanted)
    if kind == "auto":
        return (first, "model") if has_model(settings) else (first,)
    return ("none",) if kind == "demonstration" and first == "none" else (kind,)


def has_model(settings: Settings) -> bool:
    """Whether the settings name a model, or the key of a provider is set."""
    return settings.model.name != "none" and bool(settings.model.name or default_model())


def default_model() -> str:
    """The model of the first provider whose key is set; empty if none is."""
    for variable, model in DEFAULTS.items():
        if has_key(variable):
            return model
    return ""


def _recognise(
    settings: Settings, task: Task, commands: tuple[Command, ...] | Unparsed
) -> Recognition | None:
    """The memory's answer to a task; None if it is not asked, or a plain command is meant.

    A plain command needs no procedure, unless one was learned in exactly these words. A learned procedure has
    priority over a command that only a control on the screen can explain, such as `delete Ada`.
    """
    kind = settings.planner.kind
    if kind not in ("auto", "plain", "demonstration", "cascade"):
        return None
    understood = kind != "demonstration" and not isinstance(commands, Unparsed)
    if kind == "plain" or not settings.memory.enabled:
        found = None
    elif understood:
        found = _learned_command(settings, task)
    else:
        from gui_agent.procedures.library.memory import open_memory
        from gui_agent.procedures.library.recognise import recognise

        found = recognise(task, open_memory(settings))
        if not found.fitting and kind != "demonstration":
            found = found.because(f"not understood: {commands}; as a task, {found.reason}")
    if found is None and understood and kind != "cascade":
        _check_places(task)
    return found


def _learned_command(settings: Settings, task: Task) -> Recognition | None:
    """The procedure learned in the words of plain commands; None if the commands are meant."""
    # Without a memory file, no learned procedure can be meant.
    if not memory_file(settings.memory).is_file():
        return None
    is_loose = is_everyday(task.text)
    if not is_loose and not bare_names(task.text):
        return None
    from gui_agent.procedures.library.memory import open_memory
    from gui_agent.procedures.library.recognise import recognise
    from gui_agent.wiring.learned import learned_wording

    memory = open_memory(settings)
    if not is_loose:
        return learned_wording(task, memory)
    found = recognise(task, memory)
    return found if found.fitting else None


def _check_places(task: Task) -> None:
    """Raise ConfigError for a value without a slot in the task's plain commands."""
    for name, value in task.values.items():
        if not any(f"{{{name}}}" in quoted for quoted in in_quotes(task.text)):
            raise ConfigError(
                f"{name}={value}: these commands have no place for it; write {{{name}}} where it belongs, "
                "in quotes, or its section if it is a setting, such as limits.steps=20"
            )


def load_known(demo: Demo | Sequence[Demo] | None) -> tuple[Known, ...]:
    """The demonstrations and procedures; paths are read."""
    if demo is None:
        return ()
    from gui_agent.procedures.library import store

    several = isinstance(demo, Sequence) and not isinstance(demo, str)
    given: Sequence[Any] = demo if several else (demo,)  # type: ignore[assignment]
    found = tuple(store.load_known(one) if isinstance(one, str | Path) else one for one in given)
    for source, one in zip(given, found, strict=True):
        if isinstance(one, Demonstration) and not one.steps:
            named = source if isinstance(source, str | Path) else f'"{one.task}"'
            raise ConfigError(f"the demonstration {named} has no steps; record it again")
    return found
