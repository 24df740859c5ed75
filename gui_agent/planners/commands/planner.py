"""The built-in planner for plain commands: no model, no guess; its progress is kept in its bookmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.grounder.nearness import NO_PAGE
from gui_agent.core.actions import Choose, Move, Open, Scroll, TypeText, Wait
from gui_agent.core.codec import encode
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.protocols import Grounder, PlannerCapabilities, Situation
from gui_agent.core.trajectory import PERSON, Decision, Finish, GiveUp, Planned, Step, Task, Turn, bookmark
from gui_agent.elements.scroll_search import WAITS, Search
from gui_agent.planners.commands.commands import Command, Do, Unparsed, is_looking
from gui_agent.planners.commands.compiler import Planning
from gui_agent.planners.commands.parser import parse_task
from gui_agent.planners.commands.unparse import say

SECOND_LOOK = 1.0
"""Seconds after which a value read behind an action is looked at again: it may still be the old one."""
MOST_LOOKS = 5
"""A value that keeps changing is taken as it is at this look."""
LONGEST_BATCH = 12
"""Fields filled in one decision; each is matched again before it is touched."""
_LOOKING = (Wait, Scroll, Move)
"""What does not change what is there to read."""
_WORTH_A_SECOND_TRY = ("Stale", "NotFound", "Ambiguous")
"""Failures before anything was touched: the screen was still moving when it was looked at."""


class PlainPlanner(PlannerCapabilities):
    """Carries out plain commands in order; what it cannot read or find it says, and gives up."""

    name = "plain"

    def __init__(self, grounder: Grounder | None = None, *, waits: Sequence[float] = WAITS) -> None:
        """Args: waits: seconds between looks for something that is not on the screen yet."""
        self._waits = tuple(waits)
        self._grounder: Grounder = grounder or ScreenGrounder()

    def cannot_do(self, task: Task) -> str:
        commands = parse_task(task)
        return str(commands) if isinstance(commands, Unparsed) else ""

    def remaining(self, situation: Situation) -> tuple[str, ...]:
        """The commands that are not done yet, in words; none when the text was not understood."""
        commands = parse_task(situation.task)
        if isinstance(commands, Unparsed):
            return ()
        return tuple(f"{say(one)}." for one in commands[resume(situation.turns, self.name).progress.done :])

    def decide(self, situation: Situation) -> Decision:
        commands = parse_task(situation.task)
        if isinstance(commands, Unparsed):
            return Decision("", end=GiveUp(str(commands), "NotUnderstood"), planner=self.name)
        standing = resume(situation.turns, self.name)
        if standing.failed is not None:
            return self._after_failure(commands, standing, situation)
        return self._next(commands, standing, situation)

    def resume(self, situation: Situation) -> Decision | None:
        """Go on behind what the person did of the plan while the screen was theirs; None for nothing."""
        commands, last = parse_task(situation.task), situation.turns[-1] if situation.turns else None
        if last is None or last.decision.planner != PERSON or isinstance(commands, Unparsed):
            return None
        standing = resume(situation.turns, self.name)
        done = standing.progress.done
        from gui_agent.planners.commands.detours import is_done_by

        for step in last.steps:
            done += done < len(commands) and is_done_by(step, commands[done], self._grounder)
        if done == standing.progress.done:
            return None
        return self._next(commands, Standing(Progress(done), last.steps), situation)

    def _next(self, commands: tuple[Command, ...], standing: Standing, situation: Situation) -> Decision:
        progress = standing.progress
        acted = (step for turn in situation.turns[::-1] for step in turn.steps[::-1])
        done = (step for step in acted if step.outcome.good and not isinstance(step.planned.action, Wait))
        last = next(done, None)
        filled = {
            spot.element.id: getattr(step.planned.action.at, "text", "")
            for turn in situation.turns
            for step in turn.steps
            for spot in step.found.values()
            if isinstance(step.planned.action, TypeText | Choose) and step.outcome.good and spot.element
        }
        planning = Planning(situation.observation, self._grounder, standing.steps, last, filled)
        planned: list[Planned] = []
        ends: list[int] = []
        notes: dict[str, str] = {}
        at = progress.done
        while at < len(commands):
            command = commands[at]
            if planned and not isinstance(command, Do):
                break
            try:
                here = replace(progress, done=at)
                if (look := self._second_look(command, planning, here, standing, situation)) is not None:
                    return self._decision(*look, notes)
                plan = planning.plan(command)
            except (NotFound, Ambiguous) as missing:
                if planned:
                    break
                if (yes := self._agree(commands, here, standing, situation)) is not None:
                    return self._decision(*yes, notes)
                return self._search(command, missing, here, notes, standing, situation)
            if plan.unmet and planned:
                break
            if plan.unmet:
                unmet = NotFound(plan.unmet)
                return self._search(command, unmet, here, notes, standing, situation, only_wait=True)
            if not planned and not plan.planned:
                progress = replace(progress, done=at + 1, search=None, seen=None, looks=0)
            planned += plan.planned
            ends += [at] * (len(plan.planned) - 1) + [at + (not plan.unfinished)] * bool(plan.planned)
            notes |= plan.notes
            at += 1
            if plan.alone or len(planned) >= LONGEST_BATCH:
                break
        if not planned:
            here = replace(progress, done=at)
            if (yes := self._agree(commands, here, standing, situation)) is not None:
                return self._decision(*yes, notes)
            own = (turn.decision.notes for turn in situation.turns if turn.decision.planner == self.name)
            answer = _answer({name: value for read in (*own, notes) for name, value in read.items()})
            return Decision(
                "everything is done",
                end=Finish(answer, looked=is_looking(commands[-1])),
                notes=notes,
                bookmark=encode(Progress(at)).decode(),
                planner=self.name,
            )
        after = Progress(progress.done, tuple(ends), retried=progress.retried, answered=progress.answered)
        return self._decision(planned, after, notes)

    def _agree(
        self, commands: tuple[Command, ...], progress: Progress, standing: Standing, situation: Situation
    ) -> tuple[list[Planned], Progress] | None:
        """Yes to a dialog that asks for just what the last command said, where no further one answers it."""
        last, done = standing.steps[-1] if standing.steps else None, progress.done
        if last is None or not done or progress.search is not None or progress.answered == done:
            return None
        if done == len(commands) and is_looking(commands[-1]):
            return None
        from gui_agent.planners.commands.detours import agreeing

        yes = agreeing(commands[done - 1], last, situation.observation)
        return ([yes], replace(progress, ends=(done,), answered=done)) if yes is not None else None

    def _second_look(
        self,
        command: Command,
        planning: Planning,
        progress: Progress,
        standing: Standing,
        situation: Situation,
    ) -> tuple[list[Planned], Progress] | None:
        """A wait before a value is believed; None when two looks after an action saw the same, at rest."""
        acted = any(not isinstance(step.planned.action, _LOOKING) for step in standing.steps)
        busy = any("busy" in element.states for element in situation.observation.elements)
        if progress.looks >= MOST_LOOKS or not (acted or busy or progress.looks):
            return None
        value = planning.value(command)
        if value is None or (progress.looks and value == progress.seen and not busy):
            return None
        if not busy and value in _put_there(standing.steps):
            return None
        after = replace(progress, ends=(progress.done,), seen=value, looks=progress.looks + 1)
        return [Planned(Wait(SECOND_LOOK), why=f"{say(command)}: whether it stays")], after

    def _search(
        self,
        command: Command,
        missing: NotFound | Ambiguous,
        progress: Progress,
        notes: Mapping[str, str],
        standing: Standing,
        situation: Situation,
        *,
        only_wait: bool = False,
    ) -> Decision:
        from gui_agent.planners.commands.advice import end_with_advice
        from gui_agent.planners.commands.detours import uncovering

        screen = situation.observation
        begun = any(turn.steps for turn in situation.turns)
        nowhere = screen.place.url == NO_PAGE and not screen.elements and not begun
        opened = bool(standing.steps) and isinstance(standing.steps[-1].action, Open)
        if isinstance(missing, Ambiguous) and opened:
            # What a program puts away as it starts may still be there.
            look = [Planned(Wait(SECOND_LOOK), why=f"{say(command)}: a second look")]
            return self._decision(look, replace(progress, ends=(progress.done,)), notes)
        if isinstance(missing, Ambiguous) or nowhere:
            return end_with_advice(command, missing, screen, self._grounder, notes, self.name)

        waits, search = self._waits, progress.search
        move = uncovering(command, missing, screen, standing.steps, search, waits, only_wait=only_wait)
        if isinstance(move, str):
            return end_with_advice(command, missing, screen, self._grounder, notes, self.name, move)
        planned, search = move
        retried = progress.retried if search else -1
        after = replace(progress, ends=(progress.done,), search=search, retried=retried)
        return self._decision([planned], after, notes)

    def _after_failure(
        self, commands: tuple[Command, ...], standing: Standing, situation: Situation
    ) -> Decision:
        failed, progress = standing.failed, standing.progress
        assert failed is not None
        if progress.search is not None:
            return self._next(commands, standing, situation)
        again = failed.error in _WORTH_A_SECOND_TRY and not isinstance(failed.action, Wait)
        if failed.outcome.kind == "unexpected" and not again:
            from gui_agent.planners.commands.detours import is_untouched

            again = is_untouched(failed)
        if again and progress.retried != progress.done:
            retried = replace(progress, retried=progress.done)
            return self._next(commands, replace(standing, progress=retried), situation)
        command = commands[min(progress.done, len(commands) - 1)]
        return Decision("", end=GiveUp(f"{say(command)}: {failed.outcome.summary}"), planner=self.name)

    def _decision(self, planned: list[Planned], progress: Progress, notes: Mapping[str, str]) -> Decision:
        thought = "; ".join(dict.fromkeys(step.why for step in planned))
        return Decision(thought, tuple(planned), None, dict(notes), encode(progress).decode(), self.name)


def _put_there(steps: Sequence[Step]) -> set[str]:
    """The values that the last actions put into fields and that were read back: nothing is left to come."""
    actions = [step.planned.action for step in steps if step.outcome.kind == "confirmed"]
    return {action.text for action in actions if isinstance(action, TypeText)}


def _answer(notes: Mapping[str, str]) -> str:
    if len(notes) == 1:
        return next(iter(notes.values()))
    return "\n".join(f"{name}: {value}" for name, value in notes.items())


@dataclass(frozen=True, slots=True)
class Progress:
    """How many commands are done, and what is under way."""

    done: int = 0
    ends: tuple[int, ...] = ()
    """For each action of the last batch: how many commands are done once it was carried out."""
    search: Search | None = None
    retried: int = -1
    """The command that was already tried a second time."""
    seen: str | None = None
    """The value that the command in hand read at the last look; None when it has not looked yet."""
    looks: int = 0
    answered: int = -1
    """How many commands were done when a question was agreed to that the last one of them raised."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known when a decision begins: the progress, the last steps, and the one that failed."""

    progress: Progress = field(default_factory=Progress)
    steps: tuple[Step, ...] = ()
    failed: Step | None = None


def resume(turns: Sequence[Turn], planner: str) -> Standing:
    """Where the planner stands after its last decision was carried out, wholly or in part."""
    own = [turn for turn in turns if turn.decision.planner == planner]
    # Where it gave up and the person has helped since, it goes on where it stood, and tries again.
    again = bool(own) and isinstance(own[-1].decision.end, GiveUp)
    turn = next((turn for turn in reversed(own) if turn.decision.bookmark or not again), None)
    progress = bookmark(Progress, turn) if turn is not None else None
    if turn is None or progress is None:
        return Standing()
    failed = next((step for step in turn.steps if not step.outcome.good), None)
    if again:
        progress = replace(progress, search=None, retried=-1)
    carried = sum(step.outcome.good for step in turn.own_steps)
    done = progress.ends[carried - 1] if carried else progress.done
    advanced = done > progress.done
    progress = replace(progress, done=done, ends=())
    if advanced:
        progress = replace(progress, search=None, seen=None, looks=0)
    return Standing(progress, turn.steps, None if again else failed)
