"""The loop: observe, recall, decide, carry out, check, until done. Read this file first."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from gui_agent.agent._clarify import (
    MOST_ROUNDS,
    MOST_UNREADABLE,
    UNSETTLED,
    Clarifier,
    draw_choices,
)
from gui_agent.agent._page_tools import page_tools
from gui_agent.agent._rewording import Rewording, end_of_showing, showing_question
from gui_agent.agent.answers import as_json
from gui_agent.agent.executor import Executor
from gui_agent.agent.finish import Finishing, checked_ending, given_up, is_verifiable
from gui_agent.agent.grounder import AliasGrounder, ScreenGrounder
from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import STOPPED, Limits, RunControl, exclusive_use, notify, out_of_time
from gui_agent.agent.outcome import CodeReflector
from gui_agent.agent.person import Follower, Handover, Steers, obstacle
from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.core import deadline, errors
from gui_agent.core.actions import Open, Scroll, Wait
from gui_agent.core.clarification import (
    AskPerson,
    Clarification,
    KnownAliases,
    Resolution,
    Wordings,
    resolutions,
)
from gui_agent.core.codec import encode
from gui_agent.core.observation import Observation, Size
from gui_agent.core.protocols import (
    Computer,
    ExemplarSource,
    Grounder,
    Guard,
    JudgesMeanings,
    JudgesOpenings,
    Opens,
    OutsideEffects,
    Planner,
    Reflector,
    Situation,
    Verifier,
    capabilities,
)
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import (
    EVENTS,
    PERSON,
    Ask,
    Decision,
    End,
    Ending,
    Finish,
    GiveUp,
    Planned,
    Result,
    Step,
    Task,
    Trajectory,
    Turn,
)

if TYPE_CHECKING:
    from gui_agent.agent._resuming import Recalls


class Agent:
    """Does tasks on one computer with one planner.

    Planners, grounders, guards, reflectors and memories are objects with the methods of `core.protocols`;
    a part that is not given gets a default.
    """

    effects: OutsideEffects | None = None
    """What the person wants proven outside the screen; by default nothing."""
    wordings: Wordings | None = None
    """What can be said in place of a task that no planner understands; by default nothing."""

    def __init__(  # noqa: PLR0913 - the parts of an agent
        self,
        computer: Computer,
        planner: Planner,
        *,
        grounder: Grounder | None = None,
        guard: Guard | None = None,
        reflector: Reflector | None = None,
        verifier: Verifier | None = None,
        memory: ExemplarSource | None = None,
        observers: Sequence[object] = (),
        limits: Limits | None = None,
        secrets: Mapping[str, str] | None = None,
        ask: AskPerson | None = None,
        picture: bool = True,
        share_screenshots: bool = False,
        control: RunControl | None = None,
    ) -> None:
        """
        Args:
            control: stops, pauses and messages the run from elsewhere.
            verifier: judges the end of a run that a model decided, if its criteria cannot be checked by code.
            guard: if not given, the default policy, which refuses instead of asking.
            secrets: by name; only the device gets the values, all other parts get `${secret:NAME}`.
            ask: asks the person a question, a string with its choices (`core.clarification`), and returns the
                answer; None if no person can be asked.
            picture: take a screenshot with every look; without it, the run is faster and its report has no
                pictures.
            share_screenshots: whether fields that one decision fills in share one screenshot.
        """
        self.computer = computer
        self._secrets = Redactor(secrets)
        self._secret_filter = SecretFilter(computer, self._secrets, dict(secrets or {}))
        self._planner = planner
        self._grounder = grounder or ScreenGrounder()
        self._guard = guard or PolicyGuard.default()
        if isinstance(self._guard, JudgesOpenings) and isinstance(computer, Opens):
            self._guard.judge_by(computer)
        self._reflector = reflector or CodeReflector(self._grounder)
        self._verifier = verifier
        self._memory = memory
        self._observers = tuple(observers)
        self._limits = limits or Limits()
        self._ask = ask
        self._picture = picture
        self._share_screenshots = share_screenshots
        self.follower: Follower | None = None
        """Records what the person does and says during a run; by default, nothing is recorded."""
        self.aliases = KnownAliases()
        """What the person calls things; by default only what they answered in the run itself."""
        self.control = control or RunControl()
        for observer in observers:
            if isinstance(observer, Steers):
                observer.steer(self.control)
            elif not any(hasattr(observer, event) for event in EVENTS):
                raise errors.ConfigError(
                    f"{observer!r} has none of an observer's methods: {', '.join(EVENTS)}"
                )

    def run(self, task: Task | str, begun: Trajectory | None = None) -> Result:
        """Do a task, or resume a run `begun` earlier; observers always get a complete trajectory."""
        started = time.perf_counter()
        try:
            with exclusive_use(self.computer), deadline.ends_in(self._limits.seconds):
                done = self._run(_Run(self, Task(task) if isinstance(task, str) else task, begun))
            return Result(done, time.perf_counter() - started)
        finally:
            self.control.clear()

    def _run(self, run: _Run) -> Trajectory:
        ending = Ending("crashed", "the run was ended by an internal error")
        try:
            run.begin()
            ending = run.to_the_end()
        except KeyboardInterrupt:
            ending = STOPPED
        except errors.BudgetSpent as error:
            ending = Ending("limit", str(error))
        except errors.Forbidden as error:
            ending = Ending("refused", str(error), error="Forbidden")
        except errors.Unavailable as error:
            lost = Ending("lost", str(error), error=type(error).__name__)
            ending = run.out_of_time(str(error)) if deadline.is_over() else lost
        except errors.GuiAgentError as error:
            ending = Ending("crashed", str(error))
            raise
        finally:
            ending = self._secrets.value(replace(ending, calls=run.finishing.calls))
            trajectory = replace(run.trajectory, ending=ending)
            notify(self._observers, "ended", trajectory)
        if self._memory is not None:
            self._memory.remember(trajectory)
        return trajectory


class _Run:
    def __init__(self, agent: Agent, task: Task, begun: Trajectory | None = None) -> None:
        self._agent = agent
        self._limits = agent._limits
        self._control = agent.control
        self._start = task.start
        self.trajectory = Trajectory(agent._secrets.value(task, task.text), begun.turns if begun else ())
        self._aliases = agent.aliases
        self._grounder = AliasGrounder(agent._grounder, self._aliases)
        self._executor = Executor(
            agent._secret_filter,
            self._grounder,
            agent._guard,
            agent._reflector,
            limits=self._limits,
            control=self._control,
            picture=agent._picture,
            share_screenshots=agent._share_screenshots,
            values=self.trajectory.task.values,
        )
        self.finishing = Finishing(agent._grounder, agent._verifier, agent.effects)
        self._clarifier: Clarifier | None = None
        self._planner = agent._planner
        self._handover: Handover | None = None
        self._recalls: Recalls | None = None
        self._advice: list[str] = []
        self._idle = 0
        self._screen: Observation | None = None

    def begin(self) -> None:
        if not self.trajectory.turns:
            notify(self._agent._observers, "started", self.trajectory.task)
        self._screen = self._resume() if self.trajectory.turns else self._start_and_observe(self._start)
        if self._agent._memory is not None:
            from gui_agent.agent._resuming import Recalls

            self._recalls = Recalls(self._agent._memory, self._agent._secrets, self.trajectory.task)

    def _resume(self) -> Observation:
        from gui_agent.agent._resuming import resume_run

        agent = self._agent
        resumed = resume_run(
            self.trajectory, self._start, self._start_and_observe, agent._guard, agent._observers
        )
        self.trajectory = replace(self.trajectory, turns=resumed.turns)
        self._aliases.take(resolutions(resumed.turns))
        self._take_wording()
        self._advice += resumed.advice
        if resumed.refusal:
            self._control.stop(Ending("not_done", resumed.refusal))
        return resumed.screen

    def _start_and_observe(self, start: str) -> Observation:
        if start:
            try:
                self._agent._guard.check(Open(start), {}, Observation(Size(0, 0)))
                self._agent._secret_filter.start(start)
            except errors.ActionFailed as error:
                raise errors.Unavailable(str(error)) from error
            self._agent._secret_filter.settle()
        return self._executor.observe()

    def to_the_end(self) -> Ending:
        while True:
            self._attend()
            over = self._imposed_ending()
            if over is not None:
                return over
            decision = self._decide()
            if self._attend():
                continue
            if decision.planned or decision.end is None:
                went_well = self._act(decision)
                if decision.end is None or not self._accepts_end(decision.end, went_well):
                    continue
            ending = self._end(decision)
            if ending is not None:
                return ending

    def _imposed_ending(self) -> Ending | None:
        if self._control.is_stopped:
            return self._control.ending
        decided = [(t.decision, t.steps) for t in self.trajectory.turns if t.decision.planner != PERSON]
        own = sum(len(steps) + len(decision.called) for decision, steps in decided)
        if own >= self._limits.steps:
            reached = f"the limit of {self._limits.steps} steps is reached"
            return Ending("limit", f"{reached}; raise limits.steps (--max-steps)")
        if deadline.is_over():
            return self.out_of_time()
        if self._idle > self._limits.idle_decisions:
            idle = f"{self._idle} decisions in a row neither acted nor ended the task"
            return Ending("limit", "; ".join([idle, *self._advice[-1:]]))
        return None

    def _attend(self) -> bool:
        """Handle the user's pause or message. Returns True if the planner must decide again."""
        self._control.poll()
        if not self._control.has_message:
            return False
        before = self._screen or self._executor.observe()
        attended = self._handover_of().attend(self.trajectory, before, self._executor.observe)
        self._advice += self._agent._secrets.value(attended.advice)
        for turn in self._agent._secrets.value(attended.turns):
            self._add(replace(turn, steps=()))
            for step in turn.steps:
                self._take(step)
        self._screen = None if self._control.sleep_on() else attended.screen
        return True

    def _handover_of(self) -> Handover:
        if self._handover is None:
            agent, follower, held = self._agent, self._agent.follower, self._limits.held
            self._handover = Handover(self._control, agent._secret_filter, agent._observers, held, follower)
            self._planner = self._with_instructions(self._planner)
        return self._handover

    def _with_instructions(self, planner: Planner) -> Planner:
        """The planner, which follows what the person says where the run lets them say it."""
        follower = self._agent.follower
        return follower.with_instructions(planner) if follower is not None else planner

    def out_of_time(self, during: str = "") -> Ending:
        return Ending("limit", out_of_time(self._limits.seconds, during))

    def _decide(self) -> Decision:
        screen = self._screen or self._executor.observe()
        recalls, agent = self._recalls, self._agent
        situation = Situation(
            task=self.trajectory.task,
            observation=screen,
            turns=self.trajectory.turns,
            exemplars=recalls.exemplars_at(screen, len(self.trajectory.turns)) if recalls else (),
            advice=tuple(filter(None, [*self._advice, self._executor.loops.advice()])),
            platform=agent.computer.platform,
            steps_left=max(0, self._limits.steps - self._step_count()),
            text=agent._secret_filter.reader(),
            guard=guard if isinstance(guard := agent._guard, JudgesMeanings) else None,
            tools=cache(partial(page_tools, agent.computer, guard, agent._secrets, screen)),
            aliases=self._aliases,
        )
        self._advice = []
        started = time.perf_counter()
        try:
            decision = agent._secrets.value(self._planner.decide(situation))
        except errors.BadReply as error:
            decision = Decision(planner=self._planner.name, calls=error.calls)
            self._advice.append(f"The last answer could not be used: {error}")
        self._add(Turn(decision, screen, seconds=time.perf_counter() - started))
        return decision

    def _step_count(self) -> int:
        return sum(len(turn.steps) for turn in self.trajectory.turns)

    def _act(self, decision: Decision) -> bool:
        decided = before = self.trajectory.turns[-1].observation
        self._idle = 0 if decision.planned or decision.called else self._idle + 1
        self._executor.worked_on.clear()
        for place, planned in enumerate(decision.planned):
            if place and (self._attend() or self._imposed_ending() is not None):
                return False
            following = next(iter(decision.planned[place + 1 :]), None)
            step = self._carry_out(planned, decided, before, following)
            before = step.after
            done = step.planned is planned and step.outcome.good
            if not done and not (planned.optional and step.error == "NotFound"):
                return False
        if not decision.planned:
            self._screen = None
        return True

    def _carry_out(
        self, planned: Planned, decided: Observation, before: Observation, following: Planned | None
    ) -> Step:
        """Carry out a planned action, scrolling to its target first if needed. Returns the last step."""
        step: Step | None = None
        while step is None or (step.planned is not planned and step.outcome.good):
            if step is not None and self._imposed_ending() is not None:
                return step
            number, sought = self._step_count() + 1, step is not None
            step = self._executor.carry_out(number, planned, decided, before, following, is_sought=sought)
            self._take(step)
            if self._executor.broken is not None:
                raise self._executor.broken
            before = step.after
        return step

    def _accepts_end(self, end: End, went_well: bool) -> bool:
        """Whether to accept "done" when it came in the same reply as actions."""
        proven = went_well and is_verifiable(self.trajectory)
        if went_well and not proven:
            early = f'Your "{end.kind}" came too early: look first, then repeat it if it is true.'
            self._advice.append(early)
        return proven

    def _end(self, decision: Decision) -> Ending | None:
        end = decision.end
        if isinstance(end, GiveUp) and end.error == "NotUnderstood":
            return self._reword(end)
        if isinstance(end, GiveUp):
            what = obstacle(self._screen) if self._screen is not None else ""
            if (what and self._handover_of().hand_over(what)) or self._clarify(end) is not None:
                return None
            return given_up(self.trajectory, self._screen, end, what)
        if isinstance(end, Ask):
            answer = self._answer_to(end.question)
            if answer is None:
                return Ending("not_done", f"no person can answer: {end.question}")
            self._advice.append(f"You asked: {end.question} The person answered: {answer}")
            self._note(end.question, answer)
            return None
        assert isinstance(end, Finish)
        answer = end.answer
        if not decision.calls:
            answer = as_json(self.trajectory.task.wanted, answer, self.trajectory.notes)
        missing = self.finishing.missing(self.trajectory, answer, self._executor.observe)
        if not missing:
            checked, lenient = self.finishing, self._limits.proof == "lenient"
            if self._screen is not None:
                self._screen = self._executor.aftermath.last_screen(self._screen, self.trajectory)
            ending = checked_ending(
                self.trajectory,
                self._screen,
                answer,
                lenient=lenient,
                unverified=checked.unverified,
                proven=checked.proven,
            )
            return self._settle(ending) if ending.kind == "not_done" else ending
        if self.finishing.has_patience:
            self._advice.append(f"The task is not done yet: {missing}")
            self._screen = None
            return None
        return Ending("not_done", f"the planner said done, but {missing}")

    def _clarify(self, end: GiveUp) -> Resolution | None:
        """Ask the person how to go on; None if the run cannot go on with their answer."""
        if self._agent._ask is None or self._screen is None:
            return None
        if self._clarifier is None:
            self._handover_of()
            self._clarifier = Clarifier(
                self._ask_person,
                self._agent._secret_filter.observe,
                capabilities(self._planner),
                self._grounder,
                self._limits.asked,
                obeys=self._agent.follower is not None,
            )
        answered = self._clarifier.resolve(end, self._screen)
        if answered is None:
            return None
        resolution, answer, screen = answered
        if resolution.kind == "shown":
            return resolution if self._show_step(resolution, screen) else None
        decision = Decision(answer, planner=PERSON, bookmark=encode(resolution).decode())
        self._add(Turn(decision, screen))
        self._screen = screen
        self._aliases.take(resolutions(self.trajectory.turns))
        return resolution

    def _reword(self, end: GiveUp) -> Ending | None:
        """Ask what the task means that no planner understands; None if the run goes on with the answer."""
        screen, task = self._screen or self._executor.observe(), self.trajectory.task
        asking = Rewording(task, end.reason, screen, self._agent.wordings)
        draw = partial(draw_choices, screen, self._agent._secret_filter.observe)
        often = sum(one.kind == "wording" for one in resolutions(self.trajectory.turns)) >= MOST_ROUNDS
        read = None if often else asking.resolve(self._ask_person, self._limits.asked, draw)
        if read is not None and read[0].kind == "wording":
            resolution, answer, start = read
            decision = Decision(answer, planner=PERSON, bookmark=encode(resolution).decode())
            self._add(Turn(decision, screen))
            self._take_wording()
            self._screen = self._start_and_observe(start) if start else None
            return None
        if read is None or not self._show(read[0], screen, goal=task.full_text):
            refused = given_up(self.trajectory, screen, replace(end, reason=asking.refusal))
            return self._control.ending if self._control.is_stopped else refused
        ending = checked_ending(self.trajectory, self._screen, "")
        if ending.kind == "done" and ending.verified and self.trajectory.turns[-1].steps:
            return ending
        reason = "; ".join(filter(None, ("you say that it is done", ending.reason)))
        return Ending("done", reason, verified=False)

    def _take_wording(self) -> None:
        """Go on in the words of the person, if they have given some."""
        wordings, answers = self._agent.wordings, resolutions(self.trajectory.turns)
        if wordings is not None and any(one.kind == "wording" for one in answers):
            planner = wordings.take_wording(self._agent._planner)
            self._planner = planner if self._handover is None else self._with_instructions(planner)

    def _show_step(self, shown: Resolution, screen: Observation) -> bool:
        """Let the person do a step, which may be all that the task says."""
        task = self.trajectory.task
        has_acted = any(not isinstance(one.planned.action, Wait | Scroll) for one in self.trajectory.steps)
        is_all = capabilities(self._agent._planner).count_commands(task.text) == 1 and not has_acted
        shown = replace(shown, step=task.text) if is_all else shown
        return self._show(shown, screen, goal=task.full_text if is_all else "")

    def _show(self, shown: Resolution, screen: Observation, goal: str = "") -> bool:
        """Let the person do a step on the screen, or the whole `goal`; whether they say that it is done."""

        def ask(attend: Callable[[], bool]) -> str | None:
            keeps = bool(goal) and self._agent.follower is not None
            question = showing_question(goal, self._limits.asked, attend, keeps=keeps)
            said: str | None = ""
            for _ in range(1 + MOST_UNREADABLE):
                said = self._ask_person(question)
                if said is None or end_of_showing(said):
                    break
            return said

        self._control.screen = self._agent.computer
        answer, did = self._handover_of().record_work(Task(shown.step, screen.place.url), screen, ask)
        turn = self._agent._secrets.value(did or Turn(Decision(planner=PERSON), screen))
        meaning = "" if answer is None or self._control.is_stopped else end_of_showing(answer)
        is_done = meaning in ("done", "once")
        bookmark = encode(replace(shown, keeps=meaning == "done")).decode() if is_done else ""
        self._add(replace(turn, decision=replace(turn.decision, bookmark=bookmark), steps=()))
        for number, step in enumerate(turn.steps, self._step_count() + 1):
            self._take(replace(step, number=number))
        self._screen = None if self._control.is_stopped else self._executor.observe()
        return is_done

    def _settle(self, ending: Ending) -> Ending | None:
        """Ask the person about an end that the screen contradicts, or that nothing proves.

        Returns:
            The ending that stands; None if the run goes on with their answer.
        """
        resolution = self._clarify(GiveUp(ending.reason, UNSETTLED))
        if resolution is None or resolution.kind != "did":
            return ending if resolution is None else None
        reason = f"you say that it is done; {ending.reason}"
        return Ending("done", reason, ending.answer, verified=False)

    def _answer_to(self, question: str) -> str | None:
        return self._ask_person(Clarification(question, seconds=self._limits.asked)) or None

    def _ask_person(self, question: Clarification) -> str | None:
        """The person's answer without the values of secrets; the run's clock stands still meanwhile."""
        if self._agent._ask is None:
            return None
        with deadline.stop_clock():
            return self._agent._secrets.value(self._agent._ask(question))

    def _take(self, step: Step) -> None:
        turns = self.trajectory.turns
        last = replace(turns[-1], steps=(*turns[-1].steps, step))
        self.trajectory = replace(self.trajectory, turns=(*turns[:-1], last))
        self._screen = step.after
        notify(self._agent._observers, "stepped", step)

    def _add(self, turn: Turn) -> None:
        self.trajectory = replace(self.trajectory, turns=(*self.trajectory.turns, turn))
        notify(self._agent._observers, "decided", turn)

    def _note(self, name: str, value: str) -> None:
        turns = self.trajectory.turns
        decision = replace(turns[-1].decision, notes={**turns[-1].decision.notes, name: value})
        self.trajectory = replace(self.trajectory, turns=(*turns[:-1], replace(turns[-1], decision=decision)))
