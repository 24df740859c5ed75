"""What the type checker must accept."""

from gui_agent.agent.guard import AnswersQuestions, KeepsLedger, PolicyGuard, TerminalApprover
from gui_agent.core.actions import Action, Click, Drag, Press, Proposal, TypeText, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.observation import Mark, Point, Target, Words
from gui_agent.core.protocols import Approver, Computer, Grounder, Guard, Observer, Planner
from gui_agent.core.trajectory import Planned
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedApprover,
    ScriptedPlanner,
    Witness,
    button,
    screen,
)

grounded: Action = Click(Point(1, 2))
proposed: Proposal = grounded  # a device action is also something a planner may say
mixed: Proposal = Drag(Mark(3), Words("Bin"))
waiting: Proposal = Wait(until="Done")
planned = Planned(Click(Words("Send")))

named: dict[str, Target] = places(Click(Mark(1)))
aimed: Action = aim(Click(Words("Send")), {"at": Point(1, 2)})

computer: Computer = FakeComputer(screen(button("Send")))
computer.perform(grounded)
computer.perform(Press(("enter",)))
computer.perform(TypeText("hello"))

planner: Planner = ScriptedPlanner([])
grounder: Grounder = ExactGrounder()
guards: list[Guard] = [OpenGuard(), PolicyGuard.default()]
ledger: KeepsLedger = PolicyGuard.default()
observer: Observer = Witness()
approvers: list[Approver] = [ScriptedApprover()]
asker: AnswersQuestions = TerminalApprover()
