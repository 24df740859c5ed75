"""The built-in planner for plain commands, which uses no model and keeps its progress in its bookmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat, takewhile

from gui_agent.agent.grounder import AliasGrounder, ScreenGrounder
from gui_agent.agent.grounder.nearness import NO_PAGE
from gui_agent.agent.run_effects import aimed_at
from gui_agent.core.actions import Choose, Click, Move, Open, Scroll, TypeText, Wait
from gui_agent.core.clarification import resolutions
from gui_agent.core.codec import encode
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Target, Words
from gui_agent.core.protocols import Grounder, PlannerCapabilities, Situation
from gui_agent.core.trajectory import (
    PERSON,
    Decision,
    Finish,
    GiveUp,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
    bookmark,
)
from gui_agent.elements.scroll_search import WAITS, Search
from gui_agent.planners.commands import _fallbacks as fallbacks
from gui_agent.planners.commands._advice import end_with_advice
from gui_agent.planners.commands._controls import Plan
from gui_agent.planners.commands.commands import Command, Do, Unparsed, is_looking
from gui_agent.planners.commands.compiler import Planning
from gui_agent.planners.commands.parser import parse, parse_task
from gui_agent.planners.commands.unparse import say

SECOND_LOOK = 1.0
"""Seconds before a value read after an action is read again, because the old value may still be shown."""
MOST_LOOKS = 5
"""At this look, a value that keeps changing is accepted."""
LONGEST_BATCH = 12
"""Maximum fields filled in by one decision; each is matched again before it is touched."""
_LOOKING = (Wait, Scroll, Move)
"""Actions that do not change any value on the screen."""
_WORTH_A_SECOND_TRY = ("Stale", "NotFound", "Ambiguous")
"""Failures before any input was sent: the screen was still moving."""


class PlainPlanner(PlannerCapabilities):
    """Carries out plain commands in order; gives up with the reason if it cannot read or find something."""

    name = "plain"

    def __init__(self, grounder: Grounder | None = None, *, waits: Sequence[float] = WAITS) -> None:
        """Args: waits: seconds between looks for something that is not on the screen yet."""
        self._waits = tuple(waits)
        self._grounder: Grounder = grounder or ScreenGrounder()

    def cannot_do(self, task: Task) -> str:
        commands = parse_task(task)
        return str(commands) if isinstance(commands, Unparsed) else ""

    def remaining(self, situation: Situation) -> tuple[str, ...]:
        """The remaining commands in words; none if the text was not understood."""
        commands = _commands(situation)
        if isinstance(commands, Unparsed):
            return ()
        return tuple(f"{say(one)}." for one in commands[resume(situation.turns, self.name).progress.done :])

    def decide(self, situation: Situation) -> Decision:
        commands = _commands(situation)
        if isinstance(commands, Unparsed):
            return Decision("", end=GiveUp(str(commands), "NotUnderstood"), planner=self.name)
        standing = resume(situation.turns, self.name)
        grounder = AliasGrounder(self._grounder, situation.aliases)
        decider = _Decider(commands, standing, situation, grounder, self._waits)
        return decider.go_on() if standing.failed is None else decider.decide_after_failure(standing.failed)

    def resume(self, situation: Situation) -> Decision | None:
        """Continue after the steps that the user performed while in control; None if there were none."""
        commands, last = _commands(situation), situation.turns[-1] if situation.turns else None
        if last is None or last.decision.planner != PERSON or isinstance(commands, Unparsed):
            return None
        if last.decision.bookmark:  # an answer, which `resume` counts
            return None
        before = done = resume(situation.turns, self.name).progress.done
        for step in last.steps:
            done += done < len(commands) and fallbacks.is_done_by(step, commands[done], self._grounder)
        if done == before:
            return None
        standing = Standing(Progress(done), last.steps)
        return _Decider(commands, standing, situation, self._grounder, self._waits).go_on()

    def count_commands(self, text: str) -> int:
        """How many plain commands a text consists of; 0 if it has other words."""
        commands = parse(text)
        return 0 if isinstance(commands, Unparsed) else len(commands)

    def read_target(self, text: str) -> Target | None:
        """What a text names, as behind `click`; None where it is no such text."""
        commands = parse(f"click {text}")
        match commands:
            case (Do(Click(at)),):
                return at
        return None


def _commands(situation: Situation) -> tuple[Command, ...] | Unparsed:
    """The commands of the task, with those in place that the person gave instead of one."""
    commands = parse_task(situation.task)
    if isinstance(commands, Unparsed) or not (answers := resolutions(situation.turns)):
        return commands
    instead = {one.step: one.command for one in answers if one.kind == "command"}
    return tuple(_substitute(command, instead) for command in commands)


def _substitute(command: Command, instead: Mapping[str, str]) -> Command:
    for _ in instead:  # what took its place may have been replaced as well
        given = parse(instead.get(say(command), ""))
        if isinstance(given, Unparsed) or len(given) != 1:
            break
        command = given[0]
    return command


class _Decider:
    """One decision: the commands, the run's progress in them, and the current screen."""

    def __init__(
        self,
        commands: tuple[Command, ...],
        standing: Standing,
        situation: Situation,
        grounder: Grounder,
        waits: Sequence[float],
    ) -> None:
        self._commands, self._situation = commands, situation
        self._steps, self._progress = standing.steps, standing.progress
        self._grounder, self._waits = grounder, waits
        self._screen = situation.observation
        self._notes: dict[str, str] = {}
        last, filled = None, {}
        for step in Trajectory(situation.task, situation.turns).steps:
            action = step.planned.action
            if step.outcome.good and not isinstance(action, Wait):
                last = step
                if isinstance(action, TypeText | Choose) and (on := aimed_at(step)):
                    filled[on.id] = getattr(action.at, "text", "")
        self._planning = Planning(self._screen, grounder, self._steps, last, filled)

    def go_on(self) -> Decision:
        """The actions of the next command that has any, with those of later commands if no look is needed."""
        for at, command in enumerate(self._commands[self._progress.done :], self._progress.done):
            try:
                if (look := self._second_look(command)) is not None:
                    return look
                plan = self._planning.plan(command)
            except (NotFound, Ambiguous) as missing:
                return self._agree() or self._search(command, missing)
            if plan.unmet:
                return self._search(command, NotFound(plan.unmet), only_wait=True)
            self._notes |= plan.notes
            if plan.planned:
                return self._carry_out(at, plan)
            self._progress = replace(self._progress, done=at + 1, search=None, seen=None, looks=0)
        return self._agree() or self._finish()

    def _carry_out(self, at: int, first: Plan) -> Decision:
        planned: list[Planned] = []
        ends: list[int] = []
        plans = chain([first], () if first.alone else self._plans_behind(at))
        for number, plan in enumerate(plans, at):
            planned += plan.planned
            left = [*repeat(number, len(plan.planned) - 1), number + (not plan.unfinished)]
            ends += left[: len(plan.planned)]
            if len(planned) >= LONGEST_BATCH:
                break
        return self._decide(
            planned, replace(self._progress, ends=tuple(ends), search=None, seen=None, looks=0)
        )

    def _plans_behind(self, at: int) -> Iterator[Plan]:
        """The plans of the following commands that need no further look at the screen."""
        for command in self._commands[at + 1 :]:
            try:
                plan = self._planning.plan(command) if isinstance(command, Do) else None
            except (NotFound, Ambiguous):
                return
            if plan is None or plan.unmet:
                return
            yield plan
            if plan.alone:
                return

    def _finish(self) -> Decision:
        own = (
            turn.decision.notes
            for turn in self._situation.turns
            if turn.decision.planner == PlainPlanner.name
        )
        answer = _answer({name: value for read in (*own, self._notes) for name, value in read.items()})
        done = Finish(answer, looked=is_looking(self._commands[-1]))
        return replace(
            self._decide([], Progress(len(self._commands))), thought="everything is done", end=done
        )

    def _agree(self) -> Decision | None:
        """Confirm a dialog that asks for exactly what the last command said, unless a command answers it."""
        progress, done = self._progress, self._progress.done
        if not self._steps or not done or progress.search is not None or progress.answered == done:
            return None
        if done == len(self._commands) and is_looking(self._commands[-1]):
            return None
        yes = fallbacks.agreeing(self._commands[done - 1], self._steps[-1], self._screen)
        return (
            self._decide([yes], replace(progress, ends=(done,), answered=done)) if yes is not None else None
        )

    def _second_look(self, command: Command) -> Decision | None:
        """A wait before a value is believed; None if two looks after an action saw the same value."""
        progress = self._progress
        acted = any(not isinstance(step.planned.action, _LOOKING) for step in self._steps)
        busy = any("busy" in element.states for element in self._screen.elements)
        if progress.looks >= MOST_LOOKS or not (acted or busy or progress.looks):
            return None
        value = self._planning.value(command)
        if value is None or (progress.looks and value == progress.seen and not busy):
            return None
        if not busy and value in _put_there(self._steps):
            return None
        after = replace(progress, ends=(progress.done,), seen=value, looks=progress.looks + 1)
        return self._decide([Planned(Wait(SECOND_LOOK), why=f"{say(command)}: whether it stays")], after)

    def _search(
        self, command: Command, missing: NotFound | Ambiguous, *, only_wait: bool = False
    ) -> Decision:
        screen, progress = self._screen, self._progress
        begun = any(turn.steps for turn in self._situation.turns)
        nowhere = screen.place.url == NO_PAGE and not screen.elements and not begun
        is_ambiguous = isinstance(missing, Ambiguous)
        here = replace(progress, ends=(progress.done,))
        if is_ambiguous and self._steps and isinstance(self._steps[-1].action, Open):
            # A starting program may still show elements that it is about to hide.
            return self._decide([Planned(Wait(SECOND_LOOK), why=f"{say(command)}: a second look")], here)
        extent = ""
        if not is_ambiguous and not nowhere:
            waits, search = self._waits, progress.search
            move = fallbacks.uncovering(
                command, missing, screen, self._steps, search, waits, only_wait=only_wait
            )
            if not isinstance(move, str):
                retried = progress.retried if move[1] else -1
                return self._decide([move[0]], replace(here, search=move[1], retried=retried))
            extent = move
        return end_with_advice(
            command, missing, screen, self._grounder, self._notes, PlainPlanner.name, extent
        )

    def decide_after_failure(self, failed: Step) -> Decision:
        progress = self._progress
        again = failed.error in _WORTH_A_SECOND_TRY and not isinstance(failed.action, Wait)
        if progress.search is None:
            if progress.retried == progress.done or not (again or fallbacks.is_untouched(failed)):
                step = say(self._commands[min(progress.done, len(self._commands) - 1)])
                aim = getattr(failed.planned.action, "at", None)
                end = GiveUp(
                    f"{step}: {failed.outcome.summary}",
                    failed.error,
                    failed.outcome.candidates,
                    step=step,
                    sought=aim if isinstance(aim, Words) else None,
                    verb=failed.planned.action.kind,
                )
                return Decision("", end=end, planner=PlainPlanner.name)
            self._progress = replace(progress, retried=progress.done)
        return self.go_on()

    def _decide(self, planned: list[Planned], progress: Progress) -> Decision:
        thought = "; ".join(dict.fromkeys(step.why for step in planned))
        written = encode(progress).decode()
        return Decision(thought, tuple(planned), None, self._notes, written, PlainPlanner.name)


def _put_there(steps: Sequence[Step]) -> set[str]:
    """The values that the last actions entered and that were read back, so that nothing is pending."""
    actions = [step.planned.action for step in steps if step.outcome.kind == "confirmed"]
    return {action.text for action in actions if isinstance(action, TypeText)}


def _answer(notes: Mapping[str, str]) -> str:
    if len(notes) == 1:
        return next(iter(notes.values()))
    return "\n".join(f"{name}: {value}" for name, value in notes.items())


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of completed commands, and the state of the current one."""

    done: int = 0
    ends: tuple[int, ...] = ()
    """For each action of the last batch, the number of completed commands after it."""
    search: Search | None = None
    retried: int = -1
    """Index of the command that was already retried."""
    seen: str | None = None
    """The value that the current command read at the last look; None if it has not looked yet."""
    looks: int = 0
    answered: int = -1
    """The number of completed commands when the last one's dialog was confirmed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The situation at the start of a decision: the progress, the last steps, and the failed step."""

    progress: Progress = field(default_factory=Progress)
    steps: tuple[Step, ...] = ()
    failed: Step | None = None


def resume(turns: Sequence[Turn], planner: str) -> Standing:
    """The planner's progress after its last decision was carried out, wholly or in part."""
    own = [turn for turn in turns if turn.decision.planner == planner]
    # After it gave up and the user helped, it retries at the same command.
    again = bool(own) and isinstance(own[-1].decision.end, GiveUp)
    turn = next((turn for turn in reversed(own) if turn.decision.bookmark), None)
    progress = bookmark(Progress, turn) if turn is not None else None
    settled = _steps_settled(turns, turn)
    if turn is None or progress is None:
        return Standing(Progress(settled))
    carried = sum(step.outcome.good for step in turn.own_steps)
    done = progress.ends[carried - 1] if carried else progress.done
    if done > progress.done:
        progress = replace(progress, search=None, seen=None, looks=0)
    progress = replace(progress, done=done + settled, ends=())
    if again:
        return Standing(replace(progress, search=None, retried=-1), turn.steps)
    return Standing(progress, turn.steps, next((step for step in turn.steps if not step.outcome.good), None))


def _steps_settled(turns: Sequence[Turn], last: Turn | None) -> int:
    """How many steps the person has done or left out since the last decision that keeps the progress."""
    since = takewhile(lambda turn: turn is not last, reversed(turns))
    return sum(one.kind in ("skip", "did", "shown") for one in resolutions(since))
