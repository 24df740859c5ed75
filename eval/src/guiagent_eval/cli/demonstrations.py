"""The demonstrations known to the agent of a benchmark run: which count for a task, and what is learned."""

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
from gui_agent.memory.entry import Entry, Gates, screen_text
from gui_agent.memory.exemplars import ExemplarMemory, entry_of
from gui_agent.procedures.importers.files import SCRIPTS, instruction_file, read_recording
from gui_agent.procedures.importers.imported import Failed, Imported, Incomplete
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.constructs import use
from gui_agent.procedures.language.program import Program
from guiagent_eval.baselines import LEARNING
from guiagent_eval.benchmark import Case, suites
from guiagent_eval.cli.recipe import ALL, OWN, Recipe

_FILES = re.compile(rf"\.jsonx*(\.gz)?$|\.side$|\.jsonl$|({'|'.join(map(re.escape, SCRIPTS))})$")
"""The files that are read; MiniWoB++'s server appends an `x` to a name that is taken."""
_LISTED = 5
"""Maximum number of names listed for one reason."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The demonstrations in a folder, and a line for each file in it that was changed or left out."""

    demonstrations: tuple[Demonstration, ...] = ()
    told: tuple[str, ...] = ()


def collect(folder: Path, most: int) -> Collected:
    """The first demonstrations of a folder, by name; files that cannot be used are listed and do not count.

    The folder may hold demonstrations of this project and recordings of all tools of `read_recording`.
    If a recording has no instruction, it is read from `<name>.txt` beside it.

    Args:
        most: maximum number of demonstrations.
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
    """The files collected from a folder so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.usable: list[Imported | Incomplete] = []
        self._told: list[str] = []
        self._failed: list[str] = []

    def take(self, path: Path) -> None:
        """Read one file, and list its faults."""
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
        """The demonstrations, with the values inferred from the differences of the instructions."""
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
            self._told.append(f"{self._name}: {which} not end with reward 1, not used: {names}{more}")
        return Collected(tuple(one.demonstration for one in kept), tuple(self._told))

    def _with_others(self, one: Incomplete, said: Sequence[str]) -> Imported | None:
        try:
            return one.fill_in(said)
        except ConfigError as error:
            self._told.append(str(error))
            return None


def _instruction(path: Path) -> str:
    """The text file beside a recording; empty if there is none."""
    try:
        with instruction_file(path).open(encoding="utf-8") as file:
            return " ".join(file.read(4000).split())
    except (OSError, UnicodeDecodeError):
        return ""


BEGINNINGS = {"miniwob": "START"}
"""The button that a person must click on the pages of a benchmark before the task begins."""
RECORDED = "demonstrator"
"""First word of the origin of a demonstration that the project recorded; its task and its seed follow."""


class Knowledge:
    """The procedures that the agent knows for a task; each is read and learned once. Picklable.

    Demonstrations of one task are learned together, those of different tasks never are: the instruction
    chooses among the results. Learned procedures go to another process, demonstrations do not.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._switch_on()
        self._collected: dict[str, Collected] = {}
        self._learned: dict[str, tuple[Program, ...]] = {}
        self._memories: dict[tuple[str, ...], ExemplarMemory] = {}
        self._place: tempfile.TemporaryDirectory[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The state without the demonstrations: they are large, and a worker needs those of few tasks."""
        return {**self.__dict__, "_collected": {}, "_memories": {}, "_place": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Switch the same constructs on in another process."""
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
        """The tasks whose demonstrations are known in every episode.

        Raises:
            ConfigError: the recipe names a suite that does not exist.
        """
        recipe = self._recipe
        alone = recipe.demos_of == OWN or "memory" in recipe.without
        return () if alone or not recipe.demos else tuple(demonstrated_tasks(recipe))

    def group(self, task: str) -> tuple[str, ...]:
        """The tasks whose demonstrations are known to an agent that works on this one.

        Raises:
            ConfigError: the recipe names a suite that does not exist.
        """
        if not self._recipe.demos:
            return ()
        if "memory" in self._recipe.without:
            return tuple(name for name in demonstrated_tasks(self._recipe) if name == task)
        return self.shared_tasks or (task,)

    def programs(self, group: Sequence[str]) -> tuple[Program, ...]:
        """The programs learned from the demonstrations of these tasks."""
        for task in group:
            if task not in self._learned:
                self._learned[task] = self._learn(task)
        return tuple(program for task in group for program in self._learned[task])

    def exemplars(self, case: Case) -> ShownDemonstrations | None:
        """The exemplars for a model in an episode; None if the recipe shows none.

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
            embedder=self._recipe.settings.get("memory", {}).get("embedder", "auto"),
            shown=self._recipe.exemplars,
            gates=Gates(floor=0, spread=2, overlap=2),
            budget=10_000,
        )
        # Of equally near ones the id decides: it must be the same in every process and every run.
        memory.store.add(
            replace(entry_of(one, family=task), id=f"{task}-{number}")
            for task in group
            for number, one in enumerate(self._collection(task).demonstrations)
        )
        memory.why("")  # All are embedded before an episode's time runs.
        return memory

    def not_used(self, tasks: Sequence[str]) -> list[str]:
        """A line for each file in the folders of these tasks that is changed or not used.

        If nothing at all can be used, the last line says so.
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
        """The folder of a task, read on first use."""
        if task not in self._collected:
            self._collected[task] = collect_for(self._recipe, task)
        return self._collected[task]


@dataclass(frozen=True, slots=True)
class ShownDemonstrations:
    """The demonstrations nearest to an episode, without any of that very episode.

    Results do not change their scores, so no episode depends on those before it.
    """

    memory: ExemplarMemory
    case: Case

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The nearest demonstrations, as many as the recipe says or fewer if there are fewer."""
        screen = screen_text(observation, task.text)
        own = self.memory.store.entries(family=self.case.task)
        self.memory.exclude = {one.id for one in own if self._is_of_this_episode(one, task.text, screen)}
        return self.memory.recall(task, observation, goal)

    def remember(self, trajectory: Trajectory) -> None:
        """Keeps and counts nothing."""

    def _is_of_this_episode(self, entry: Entry, task: str, screen: str) -> bool:
        match entry.origin.split():
            case [first, _, seed] if first == RECORDED:
                return seed == str(self.case.seed)
        return entry.task == task and entry.screen == screen


def collect_for(recipe: Recipe, task: str) -> Collected:
    """The demonstrations of a task, as many as the recipe allows, and the files that are not used."""
    found = collect(Path(recipe.demos) / task, recipe.max_demos)
    button = BEGINNINGS.get(recipe.benchmark, "")
    begun = tuple(_without_beginning(one, button) for one in found.demonstrations)
    return replace(found, demonstrations=begun)


def _without_beginning(demonstration: Demonstration, button: str) -> Demonstration:
    """The demonstration without the click that starts the benchmark's clock: the agent begins after it."""
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
