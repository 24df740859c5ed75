"""What the person does with a run: they hold it, speak to it, and take it over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from loop_runs import QUICK, contact

from gui_agent.agent.limits import Limits, RunControl
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Wait
from gui_agent.core.observation import Observation, Words
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import PERSON, Decision, Trajectory
from gui_agent.planners.cascade import InstructedPlanner
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import ExactGrounder, FakeComputer, OpenGuard, ScriptedPlanner, do, done
from gui_agent.testing.scripted import Line


class Hand:
    """A person who does something the first time they are asked, and then other things."""

    def __init__(self, *does: str, after: float = 0.0) -> None:
        self.does, self.after = list(does), after
        self.said: list[str] = []
        self.attended = True

    def steer(self, control: RunControl) -> None:
        control.listen(self._act)

    def _act(self, control: RunControl) -> None:
        if not self.does or (control.held and not control.granted):
            return
        what = self.does.pop(0)
        if control.held and self.after:
            time.sleep(self.after)
        if what.startswith("say "):
            control.tell(what[4:])
        elif what.startswith("click "):
            x, y = map(int, what[6:].split())
            from gui_agent.core.observation import Point

            control.act(Click(Point(x, y)))
        else:
            getattr(control, what)()

    def tell(self, what: str) -> None:
        self.said.append(what)

    def started(self, *_: object) -> None: ...

    decided = stepped = ended = started


def run(
    hand: Hand, planner: Planner | Sequence[Line], limits: Limits = QUICK, task: str = "contact"
) -> tuple[Trajectory, FakeComputer, Planner]:
    computer = contact()
    made = ScriptedPlanner(planner) if isinstance(planner, Sequence) else planner
    agent = Agent(
        computer, made, grounder=ExactGrounder(), guard=OpenGuard(), limits=limits, observers=[hand]
    )
    return agent.run(task).trajectory, computer, made


def test_a_pause_does_not_eat_the_time_of_the_run_and_looks_again() -> None:
    seen: list[Situation] = []

    def look(situation: Situation) -> Decision:
        seen.append(situation)
        return done()

    trajectory, _, _ = run(Hand("pause", "resume", after=2.1), [look], Limits(seconds=2.0))
    assert trajectory.ending is not None and trajectory.ending.kind == "done"
    assert "The person held the run" in seen[0].advice[0]


def test_a_pause_has_a_limit_of_its_own() -> None:
    trajectory, _, _ = run(Hand("pause"), [done()], Limits(held=0.2))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "limit" and "limits.held" in trajectory.ending.reason


def test_a_pause_in_a_batch_drops_the_rest_of_it() -> None:
    agent: list[Agent] = []

    def hold(situation: Situation) -> Decision:
        agent[0].control.pause()
        agent[0].control.listen(lambda control: control.granted and control.resume())
        return do(Click(Words("Idle")), Click(Words("Send")))

    computer = contact()
    planner = ScriptedPlanner([hold, done()])
    agent.append(Agent(computer, planner, grounder=ExactGrounder(), guard=OpenGuard()))
    assert agent[0].run("x").ending.kind == "done"  # type: ignore[union-attr]
    assert computer.performed == []


def test_a_wait_that_the_person_interrupts_goes_on_when_the_run_does() -> None:
    began: list[float] = []
    held: list[float] = []

    def wait(situation: Situation) -> Decision:
        began.append(time.monotonic())
        return do(Wait(1.0))

    def hold(control: RunControl) -> None:
        if control.granted:
            control.resume()
        elif began and not held and time.monotonic() - began[0] > 0.1:  # it is under way
            held.append(time.monotonic())
            control.pause()

    def end(situation: Situation) -> Decision:
        assert situation.observation.place.title == "Thanks", "it decides by a screen from before the rest"
        return done()

    class Slow(FakeComputer):
        """Shows the next page in the last part of the wait."""

        def observe(self, *, picture: bool = True) -> Observation:
            seen = super().observe(picture=picture)
            late = began and time.monotonic() - began[0] > 0.8
            return replace(seen, place=replace(seen.place, title="Thanks")) if late else seen

    screens = {"form": contact().world.screen}
    agent = Agent(Slow(screens), ScriptedPlanner([wait, end]), grounder=ExactGrounder(), guard=OpenGuard())
    agent.control.listen(hold)
    assert agent.run("x").ending.kind == "done"  # type: ignore[union-attr]
    assert held and time.monotonic() - began[0] >= 1.0


def test_what_the_person_says_is_heard_before_the_next_decision_and_kept() -> None:
    heard: list[str] = []

    def listen(situation: Situation) -> Decision:
        heard.extend(turn.decision.thought for turn in situation.turns if turn.decision.planner == PERSON)
        return done()

    trajectory, _, _ = run(Hand("say use the second account"), [listen])
    assert heard == ["use the second account"]
    assert trajectory.turns[0].decision.thought == "use the second account"


def test_a_message_of_commands_is_done_first_and_the_plan_goes_on() -> None:
    said: list[str] = []
    planner = InstructedPlanner(PlainPlanner(ExactGrounder(), waits=()), ExactGrounder(), said.append)
    task = 'click "Send", wait for "Thank you"'
    trajectory, computer, _ = run(Hand('say tick "I agree"'), planner, task=task)
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    assert [action.kind for action in computer.performed][:2] == ["check", "click"]
    assert said == []


def test_a_message_that_is_no_command_is_answered_and_changes_nothing() -> None:
    said: list[str] = []
    planner = InstructedPlanner(PlainPlanner(ExactGrounder(), waits=()), ExactGrounder(), said.append)
    trajectory, _, _ = run(Hand("say please be nice to them"), planner, task='click "Send"')
    assert trajectory.ending is not None and trajectory.ending.kind == "done"
    assert len(said) == 1 and "not understood" in said[0]


def test_while_the_screen_is_theirs_the_person_acts_and_then_hands_it_back() -> None:
    computer = contact()
    place = next(one for one in computer.observe().elements if one.name == "Send").box.center
    hand = Hand("take_over", f"click {place.x} {place.y}", "resume")
    trajectory, computer, _ = run(hand, [done()])
    assert trajectory.ending is not None and trajectory.ending.kind == "done"
    assert computer.observe().place.title == "Thanks"
    assert "the screen is yours; hand it back when done" in hand.said


def test_nobody_acts_in_the_name_of_the_person_while_the_run_goes_on() -> None:
    _, computer, _ = run(Hand("click 5 5"), [done()])
    assert computer.performed == []


def test_a_held_run_can_be_stopped() -> None:
    trajectory, _, _ = run(Hand("pause", "stop"), [done()])
    assert trajectory.ending is not None and trajectory.ending.kind == "stopped"
