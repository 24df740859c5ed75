"""Turns episodes into figures, per task and in total, with intervals and failure classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from guiagent_eval.records import Record
from guiagent_eval.statistics import Interval, stratified_mean, wilson

HUMAN = "human_steps"
"""The detail of an episode with the number of steps that a person needed."""
ANSWERS = "answers at most"
"""The detail of an episode with the number of questions that its person answers."""
WRONG = ("wrong", "unsaved")
"""Verdicts on an agent that said done although it was not."""


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """The figures of one task."""

    task: str
    episodes: int
    successes: int
    share: Interval
    lenient: float
    """Share of episodes with any positive reward, as some published figures count success."""
    reward: float
    """Mean of the benchmark's own reward."""
    verdicts: Mapping[str, int] = field(default_factory=dict)
    steps: float = 0.0
    """Median steps of successful episodes."""
    seconds: float = 0.0
    """Median seconds of successful episodes."""
    calls: float = 0.0
    """Mean model calls per episode."""
    tokens: int = 0
    cost: float = 0.0
    human: float = 0.0
    """Steps of successful episodes for each step that a person needed, if known."""
    known: int = 0
    """Number of those episodes."""
    split: Mapping[str, float] = field(default_factory=dict)
    """Mean seconds of the agent per episode by class: see, think, act, wait."""


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    """How far questions to the person brought a run whose person answers some."""

    most: int
    """Questions that were answered in an episode at most."""
    asked: int
    """Number of episodes in which the agent asked something."""
    unasked: Interval
    """Share of episodes that were done without a question."""
    done: Interval
    """Share of episodes that were done at all."""
    wrong: int
    """Number of episodes that ended as done and were not, asked or not."""


@dataclass(frozen=True, slots=True)
class EvalSummary:
    """The figures of a whole run."""

    tasks: tuple[TaskSummary, ...]
    overall: TaskSummary
    mean: Interval
    """Mean of the tasks' success rates: every task counts the same."""
    spoiled: int
    """Number of episodes that the machinery spoiled and that are not counted."""
    questions: QuestionSummary | None = None
    """Only of a run whose person answers questions."""

    @property
    def wrong(self) -> float:
        """Share of episodes in which the agent claimed a wrong result."""
        return sum(self.overall.verdicts.get(one, 0) for one in WRONG) / max(1, self.overall.episodes)

    @property
    def is_graded(self) -> bool:
        """Whether the benchmark has more than success or failure: full and partial rewards."""
        return not self.overall.reward == self.overall.lenient == self.overall.share.value

    @property
    def cost_per_success(self) -> float:
        return self.overall.cost / self.overall.successes if self.overall.successes else 0.0


def summarise(records: Sequence[Record]) -> EvalSummary:
    """The figures of these episodes; spoiled ones are counted apart."""
    counted = [record for record in records if record.is_counted]
    by_task: dict[str, list[Record]] = {}
    for record in counted:
        by_task.setdefault(record.task, []).append(record)
    tasks = tuple(_task(name, by_task[name]) for name in sorted(by_task))
    mean = stratified_mean([(task.successes, task.episodes) for task in tasks])
    spoiled = len(records) - len(counted)
    return EvalSummary(tasks, _task("all", counted), mean, spoiled, _questions(counted))


def _questions(records: Sequence[Record]) -> QuestionSummary | None:
    most, count = max((record.details.get(ANSWERS, 0) for record in records), default=0), len(records)
    if not most:
        return None
    won = [record for record in records if record.success]
    return QuestionSummary(
        most=most,
        asked=sum(record.asked > 0 for record in records),
        unasked=wilson(sum(not record.asked for record in won), count),
        done=wilson(len(won), count),
        wrong=sum(record.verdict in WRONG for record in records),
    )


def _task(name: str, records: Sequence[Record]) -> TaskSummary:
    won = [record for record in records if record.success]
    count = len(records)
    return TaskSummary(
        task=name,
        episodes=count,
        successes=len(won),
        share=wilson(len(won), count),
        lenient=sum(record.lenient for record in records) / max(1, count),
        reward=sum(record.reward for record in records) / max(1, count),
        verdicts=dict(Counter(str(record.verdict) for record in records)),
        steps=median(record.steps for record in won) if won else 0,
        seconds=median(record.seconds for record in won) if won else 0,
        calls=sum(record.model_calls for record in records) / max(1, count),
        tokens=sum(record.tokens for record in records),
        cost=sum(record.cost for record in records),
        human=_against_people(won),
        known=sum(HUMAN in record.details for record in won),
        split=_split(records),
    )


def _against_people(won: Sequence[Record]) -> float:
    known = [record for record in won if record.details.get(HUMAN)]
    theirs = sum(record.details[HUMAN] for record in known)
    return sum(record.steps for record in known) / theirs if theirs else 0.0


def _split(records: Sequence[Record]) -> dict[str, float]:
    timed = [record.split for record in records if record.split]
    parts = dict.fromkeys(part for one in timed for part in one)
    return {part: sum(one.get(part, 0.0) for one in timed) / len(timed) for part in parts}


@dataclass(frozen=True, slots=True)
class AppSummary:
    """The figures of the tasks of one application, each tried in several wordings."""

    app: str
    tasks: int
    attempts: int
    first: Interval
    """Share of tasks that were done at the first wording."""
    any: Interval
    """Share of tasks that were done at one of the wordings."""
    wrong: Interval
    """Share of attempts that ended as done and were not."""
    seconds: float
    """Median seconds of successful attempts."""


def by_app(records: Sequence[Record], wordings: int) -> tuple[AppSummary, ...]:
    """The figures of each application and of `all`; none if the tasks are not named `application.task`.

    Args:
        wordings: consecutive episodes that are the same task in other words.
    """
    counted = [record for record in records if record.is_counted]
    if not counted or not all("." in record.task for record in counted):
        return ()
    groups: dict[str, list[Record]] = {}
    for record in sorted(counted, key=lambda one: one.task):
        groups.setdefault(record.task.partition(".")[0], []).append(record)
    if len(groups) > 1:
        groups["all"] = counted
    return tuple(_app(name, group, wordings) for name, group in groups.items())


def _app(name: str, records: Sequence[Record], wordings: int) -> AppSummary:
    first = [record for record in records if record.seed % wordings == 0]
    by_instance: dict[tuple[str, int], bool] = {}
    for record in records:
        instance = record.task, record.seed // wordings
        by_instance[instance] = by_instance.get(instance, False) or record.success
    return AppSummary(
        app=name,
        tasks=len({record.task for record in records}),
        attempts=len(records),
        first=wilson(sum(record.success for record in first), len(first)),
        any=wilson(sum(by_instance.values()), len(by_instance)),
        wrong=wilson(sum(record.verdict in WRONG for record in records), len(records)),
        seconds=median([record.seconds for record in records if record.success] or [0.0]),
    )


FAILURES = (*WRONG, "unverified", "unknown", "limit", "refused", "crashed")
"""Classes of failures that have a column if they occur."""


def percent(share: float) -> str:
    """A share in percent, as in tables."""
    return f"{100 * share:.1f}"


def between(interval: Interval) -> str:
    """The interval of a share, in percent."""
    return f"{100 * interval.low:.0f}-{100 * interval.high:.0f}"


def columns(summary: EvalSummary) -> list[str]:
    """The classes of failures that occurred, and tokens and cost if there were any."""
    return [name for name in FAILURES if summary.overall.verdicts.get(name)]


def row(task: TaskSummary, summary: EvalSummary) -> list[str]:
    """The cells of one task, in the order of `headings`."""
    rewards = [percent(task.lenient), f"{task.reward:.2f}"] if summary.is_graded else []
    cells = [
        task.task,
        str(task.episodes),
        percent(task.share.value),
        between(task.share),
        *rewards,
        *[str(task.verdicts.get(name, 0) or "") for name in columns(summary)],
        f"{task.steps:g}" if task.successes else "",
        f"{task.seconds:.2f}" if task.successes else "",
    ]
    models = [f"{task.calls:.1f}", str(task.tokens), f"{task.cost:.2f}"] if uses_models(summary) else []
    return [*cells, *models]


def headings(summary: EvalSummary) -> list[str]:
    """The names of the columns."""
    rewards = ["raw > 0 %", "reward"] if summary.is_graded else []
    models = ["calls", "tokens", "cost"] if uses_models(summary) else []
    names = ["task", "episodes", "success %", "95 %", *rewards, *columns(summary), "steps", "seconds"]
    return [*names, *models]


def uses_models(summary: EvalSummary) -> bool:
    """Whether a model was asked at all."""
    return bool(summary.overall.calls)


def sentences(summary: EvalSummary) -> list[str]:
    """The figures of the whole run in words."""
    overall, mean = summary.overall, summary.mean
    rewards = [
        f"{overall.episodes} episodes: {percent(overall.lenient)} % with raw reward > 0, "
        f"mean reward {overall.reward:.3f} (with the benchmark's discount for time)"
    ]
    strict = ", raw reward = 1 in time"
    if not summary.is_graded:
        rewards, strict = [], f", {overall.episodes} episodes"
    lines = [
        f"mean of {len(summary.tasks)} tasks: {percent(mean.value)} % success "
        f"(95 %: {percent(mean.low)} to {percent(mean.high)}){strict}",
        *rewards,
        f"wrong with confidence: {percent(summary.wrong)} %; successful episodes took "
        f"{overall.seconds:.2f} s and {overall.steps:g} steps (medians)",
    ]
    if (told := summary.questions) is not None:
        lines.append(
            f"done without a question: {percent(told.unasked.value)} %, with at most {told.most}: "
            f"{percent(told.done.value)} %; asked in {told.asked} of {overall.episodes}, wrong: {told.wrong}"
        )
    if any(overall.split.values()):
        parts = ", ".join(f"{part} {seconds:.2f} s" for part, seconds in overall.split.items())
        lines.append(f"the agent's time per episode: {parts} (means)")
    if overall.known:
        lines.append(
            f"steps for each that a person needed: {overall.human:.2f} ({overall.known} successful episodes)"
        )
    if uses_models(summary):
        lines.append(
            f"model calls per episode: {overall.calls:.1f}; {overall.tokens} tokens; "
            f"cost {overall.cost:.2f}, {summary.cost_per_success:.4f} per success"
        )
    if summary.spoiled:
        lines.append(f"{summary.spoiled} episodes were spoiled by the machinery and are not counted")
    return lines
