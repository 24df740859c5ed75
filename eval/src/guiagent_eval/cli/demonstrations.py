"""What the agent of a benchmark run was shown: which demonstrations count for a task, and what is learned."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import why
from gui_agent.core.protocols import Exemplar
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Demonstration, DemoStep, Task, Trajectory
from gui_agent.memory.entry import Entry, Gates
from gui_agent.memory.exemplars import ExemplarMemory, entry_of, screen_text
from gui_agent.procedures.importers.files import SCRIPTS, instruction_file, read_recording
from gui_agent.procedures.importers.imported import Failed, Imported, Incomplete
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.constructs import use
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.recordings.from_run import from_trajectory
from guiagent_eval.baselines import LEARNING
from guiagent_eval.benchmark import Case, suites
from guiagent_eval.cli.recipe import ALL, OWN, Recipe

_FILES = re.compile(rf"\.jsonx*(\.gz)?$|\.side$|\.jsonl$|({'|'.join(map(re.escape, SCRIPTS))})$")
"""What is looked into; MiniWoB++'s server appends an `x` to a name that is taken."""
_LISTED = 5
"""So many names are told of those that have the same reason."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The demonstrations in a folder, and a line for each thing in it that is not among them as it was."""

    demonstrations: tuple[Demonstration, ...] = ()
    told: tuple[str, ...] = ()


def collect(folder: Path, most: int) -> Collected:
    """The first demonstrations of a folder, by name; what cannot be used is told and takes nobody's place.

    Looked into are demonstrations of this project and recordings of all tools that `read_recording` knows.
    For those that do not say what they do, the instruction is read from `<name>.txt` beside them.

    Args:
        most: so many demonstrations at most.
    """
    collector = _Collector(folder.name)
    try:
        paths = sorted(path for path in folder.iterdir() if _FILES.search(path.name) and path.is_file())
    except FileNotFoundError:
        return Collected()
    except OSError as error:
        return Collected(told=(f"{folder.name}: cannot be read: {why(error)}",))
    for path in paths:
        if len(collector.usable) >= most:
            break
        collector.take(path)
    return collector.result()


class _Collector:
    """What was found in a folder so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.usable: list[Imported | Incomplete] = []
        self._told: list[str] = []
        self._failed: list[str] = []

    def take(self, path: Path) -> None:
        """Take one file in; what is wrong with it is told."""
        source = f"{self._name}/{path.name}"
        try:
            imported = read_recording(path, _instruction(path), source)
            self.usable.append(imported)
            self._tell(source, imported)
        except Incomplete as incomplete:
            self.usable.append(incomplete)
        except Failed:
            self._failed.append(path.name)
        except ConfigError as error:
            self._told.append(str(error))

    def _tell(self, source: str, imported: Imported) -> None:
        changed = [remark for remark in imported.remarks if not remark.needless]
        if changed:
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            self._told.append(f"{source} line {changed[0]}{more}")

    def result(self) -> Collected:
        """The demonstrations, with the values that can be told from where the instructions differ."""
        said = [one.said for one in self.usable if isinstance(one, Incomplete)]
        found = [one if isinstance(one, Imported) else self._with_others(one, said) for one in self.usable]
        kept = [one for one in found if one is not None]
        inferred = [value for one in kept for value in one.inferred]
        if inferred:
            listed = ", ".join(f'"{value}"' for value in inferred[:_LISTED])
            self._told.append(f"{self._name}: not recorded, taken from the instructions: {listed}")
        if self._failed:
            count, names = len(self._failed), ", ".join(self._failed[:_LISTED])
            which = f"{count} recordings do" if count > 1 else "1 recording does"
            more = ", ..." if count > _LISTED else ""
            self._told.append(f"{self._name}: {which} not end with reward 1, not learned from: {names}{more}")
        return Collected(tuple(one.demonstration for one in kept), tuple(self._told))

    def _with_others(self, one: Incomplete, said: Sequence[str]) -> Imported | None:
        try:
            return one.fill_in(said)
        except ConfigError as error:
            self._told.append(str(error))
            return None


def _instruction(path: Path) -> str:
    """What stands in the text file beside a recording; empty when there is none."""
    try:
        with instruction_file(path).open(encoding="utf-8") as file:
            return " ".join(file.read(4000).split())
    except (OSError, UnicodeDecodeError):
        return ""


BEGINNINGS = {"miniwob": "START"}
"""What a person has to click on the pages of a benchmark before the task begins."""
RECORDED = "demonstrator"
"""First word of the origin of a demonstration that the project recorded; its task and its seed follow."""


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
        self._memories: dict[tuple[str, ...], ExemplarMemory] = {}
        self._place: tempfile.TemporaryDirectory[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the demonstrations: they are large, and a worker needs those of few tasks."""
        return {**self.__dict__, "_collected": {}, "_memories": {}, "_place": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In another process the same constructs are switched on."""
        self.__dict__.update(state)
        self._switch_on()

    def _switch_on(self) -> None:
        use(tuple(self._recipe.settings.get("planner", {}).get("domains", ())))

    @property
    def is_used(self) -> bool:
        """Whether the agent learns from demonstrations, or shows them to a model."""
        return bool(self._recipe.demos and (self._recipe.planner in LEARNING or self._recipe.exemplars))

    @property
    def shared_tasks(self) -> tuple[str, ...]:
        """The tasks whose demonstrations are known whatever the agent works on.

        Raises:
            ConfigError: the recipe names a suite that there is not.
        """
        recipe = self._recipe
        alone = recipe.demos_of == OWN or "memory" in recipe.without
        return () if alone or not recipe.demos else tuple(demonstrated_tasks(recipe))

    def group(self, task: str) -> tuple[str, ...]:
        """The tasks whose demonstrations are known to an agent that works on this one.

        Raises:
            ConfigError: the recipe names a suite that there is not.
        """
        if not self._recipe.demos:
            return ()
        if "memory" in self._recipe.without:
            return tuple(name for name in demonstrated_tasks(self._recipe) if name == task)
        return self.shared_tasks or (task,)

    def programs(self, group: Sequence[str]) -> tuple[Program, ...]:
        """What is learned from the demonstrations of these tasks."""
        for task in group:
            if task not in self._learned:
                self._learned[task] = self._learn(task)
        return tuple(program for task in group for program in self._learned[task])

    def exemplars(self, case: Case) -> ShownDemonstrations | None:
        """What a model is shown in an episode; None when the recipe wants nothing shown.

        Raises:
            MissingExtra: the search of the memory is not installed.
        """
        if not self._recipe.exemplars:
            return None
        group = self.group(case.task)
        if group not in self._memories:
            self._memories[group] = self._memory(group)
        return ShownDemonstrations(self._memories[group], case)

    def _memory(self, group: Sequence[str]) -> ExemplarMemory:
        self._place = self._place or tempfile.TemporaryDirectory(prefix="guiagent-exemplars-")
        memory = ExemplarMemory(
            Path(self._place.name) / f"{len(self._memories)}.db",
            from_trajectory,
            embedder=self._recipe.settings.get("memory", {}).get("embedder", "auto"),
            shown=self._recipe.exemplars,
            gates=Gates(floor=0, spread=2),
        )
        # Of equally near ones the id decides: it has to be the same in every process and every run.
        memory.store.add(
            replace(entry_of(one, family=task), id=f"{task}-{number}")
            for task in group
            for number, one in enumerate(self._collection(task).demonstrations)
        )
        memory.why("")  # so that all are embedded before an episode's time runs
        return memory

    def not_used(self, tasks: Sequence[str]) -> list[str]:
        """A line for each thing in the folders of these tasks that is not learned from as it is.

        Where nothing at all can be learned from, the last line says so.
        """
        told = [line for task in tasks for line in self._collection(task).told]
        if tasks and not any(self._collection(task).demonstrations for task in tasks):
            told.append(
                f"{self._recipe.demos} holds no demonstration of these tasks; give --demos a folder that "
                "holds a folder for each task"
            )
        return told

    def _learn(self, task: str) -> tuple[Program, ...]:
        demonstrations = self._collection(task).demonstrations
        if "abstraction" in self._recipe.without:
            return tuple(program for one in demonstrations for program in learn([one], name=task))
        return learn(demonstrations, name=task)

    def _collection(self, task: str) -> Collected:
        """What is in the folder of a task, read when it is first asked for."""
        if task not in self._collected:
            self._collected[task] = collect_for(self._recipe, task)
        return self._collected[task]


@dataclass(frozen=True, slots=True)
class ShownDemonstrations:
    """The demonstrations nearest to an episode, without any of that very episode.

    What came of it counts for none of them, so that no episode depends on those before it.
    """

    memory: ExemplarMemory
    case: Case

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """As many as the recipe says, nearest first; fewer where there are not so many."""
        screen = screen_text(observation, task.text)
        own = self.memory.store.entries(family=self.case.task)
        self.memory.exclude = {one.id for one in own if self._is_of_this_episode(one, task.text, screen)}
        return self.memory.recall(task, observation, goal)

    def remember(self, trajectory: Trajectory) -> None:
        """Nothing is kept and nothing counted."""

    def _is_of_this_episode(self, entry: Entry, task: str, screen: str) -> bool:
        match entry.origin.split():
            case [first, _, seed] if first == RECORDED:
                return seed == str(self.case.seed)
        return entry.task == task and entry.screen == screen


def collect_for(recipe: Recipe, task: str) -> Collected:
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


def demonstrated_tasks(recipe: Recipe) -> list[str]:
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
