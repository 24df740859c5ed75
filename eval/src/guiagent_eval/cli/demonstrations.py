"""What the agent of a benchmark run was shown: which demonstrations count for a task, and what is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Click
from gui_agent.core.demonstration import Demonstration, DemoStep
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import suggestion
from gui_agent.procedures.importers.folder import Collected, collect
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.constructs import use
from gui_agent.procedures.language.program import Program
from guiagent_eval.benchmark import suites
from guiagent_eval.cli.recipe import ALL, OWN, Recipe

BEGINNINGS = {"miniwob": "START"}
"""What a person has to click on the pages of a benchmark before the task begins."""


class Knowledge:
    """The procedures that the agent knows for a task; each is read and learned once. Picklable.

    Demonstrations of one task are learned together, those of different tasks never are: the instruction
    chooses among what came of them. What was learned goes along to another process, demonstrations do not.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._switch_on()
        self._collected: dict[str, Collected] = {}
        self._learned: dict[str, tuple[Program, ...]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without the demonstrations: they are large, and a worker needs those of few tasks."""
        return {**self.__dict__, "_collected": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In another process the same constructs are switched on."""
        self.__dict__.update(state)
        self._switch_on()

    def _switch_on(self) -> None:
        use(tuple(self._recipe.settings.get("planner", {}).get("domains", ())))

    @property
    def shared(self) -> tuple[str, ...]:
        """The tasks whose demonstrations are known whatever the agent works on.

        Raises:
            ConfigError: the recipe names a suite that there is not.
        """
        recipe = self._recipe
        alone = recipe.demos_of == OWN or "memory" in recipe.without
        return () if alone or not recipe.demos else tuple(demonstrated(recipe))

    def group(self, task: str) -> tuple[str, ...]:
        """The tasks whose demonstrations are known to an agent that works on this one.

        Raises:
            ConfigError: the recipe names a suite that there is not.
        """
        if not self._recipe.demos:
            return ()
        if "memory" in self._recipe.without:
            return tuple(name for name in demonstrated(self._recipe) if name == task)
        return self.shared or (task,)

    def programs(self, group: Sequence[str]) -> tuple[Program, ...]:
        """What is learned from the demonstrations of these tasks."""
        for task in group:
            if task not in self._learned:
                self._learned[task] = self._learn(task)
        return tuple(program for task in group for program in self._learned[task])

    def not_used(self, tasks: Sequence[str]) -> list[str]:
        """A line for each thing in the folders of these tasks that is not learned from as it is.

        Where nothing at all can be learned from, the last line says so.
        """
        told = [line for task in tasks for line in self._found(task).told]
        if tasks and not any(self._found(task).demonstrations for task in tasks):
            told.append(
                f"{self._recipe.demos} holds no demonstration of these tasks; give --demos a folder that "
                "holds a folder for each task"
            )
        return told

    def _learn(self, task: str) -> tuple[Program, ...]:
        demonstrations = self._found(task).demonstrations
        if "abstraction" in self._recipe.without:
            return tuple(program for one in demonstrations for program in learn([one], name=task))
        return learn(demonstrations, name=task)

    def _found(self, task: str) -> Collected:
        """What is in the folder of a task, read when it is first asked for."""
        if task not in self._collected:
            self._collected[task] = collected(self._recipe, task)
        return self._collected[task]


def collected(recipe: Recipe, task: str) -> Collected:
    """The demonstrations of a task, as many as the recipe allows, and what of its folder is not used."""
    found = collect(Path(recipe.demos) / task, recipe.max_demos)
    button = BEGINNINGS.get(recipe.benchmark, "")
    begun = tuple(_without_beginning(one, button) for one in found.demonstrations)
    return replace(found, demonstrations=begun)


def _without_beginning(demonstration: Demonstration, button: str) -> Demonstration:
    """Without the click that starts the benchmark's clock: an episode has begun when the agent sees it."""
    match demonstration.steps:
        case (DemoStep(Click(at)), *rest) if button and at.name == button:
            return replace(demonstration, steps=tuple(rest))
    return demonstration


def demonstrated(recipe: Recipe) -> list[str]:
    """The tasks whose demonstrations are pooled.

    Raises:
        ConfigError: there is no such suite.
    """
    have = sorted(path.name for path in Path(recipe.demos).iterdir() if path.is_dir())
    if recipe.demos_of == ALL:
        return have
    known = {suite.name: suite.tasks for suite in suites(recipe.benchmark)}
    if recipe.demos_of not in known:
        names = (*known, OWN, ALL)
        raise ConfigError(f"--demos-of {recipe.demos_of}: no such suite{suggestion(recipe.demos_of, names)}")
    return [task for task in have if task in known[recipe.demos_of]]
