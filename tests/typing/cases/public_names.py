"""What a program that uses the package may write, and how the type checker reads it."""

from typing import assert_type

from gui_agent import (
    Agent,
    BrowserComputer,
    Memory,
    PlainPlanner,
    Result,
    Settings,
    Task,
    Trajectory,
    learn,
    run,
    run_skill,
)
from gui_agent.core.errors import ExitCode
from gui_agent.core.protocols import Computer, Planner
from gui_agent.skills import load_skill

result = run("click Next", url="form.html", limits={"steps": 3})
assert_type(result, Result)
assert_type(result.ok, bool)
assert_type(result.exit_code, ExitCode)
run("click Next", url=3)  # expect: arg-type
run()  # expect: call-arg

computer: Computer = BrowserComputer(headless=False)
planner: Planner = PlainPlanner()
agent = Agent(computer, planner)
assert_type(agent.run(Task("click Next")), Trajectory)
agent.run(3)  # expect: arg-type
assert_type(Settings().limits.steps, int)

assert_type(load_skill("send-message").run(to="Grace"), Result)
assert_type(run_skill("send-message", {"to": "Grace"}, yes=True), Result)
assert_type(learn("runs/1", memory=Memory()).procedure.name, str)
run_skill("send-message", 3)  # expect: arg-type
