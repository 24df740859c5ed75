"""What a program that uses the package may write, and how the type checker reads it."""

from typing import assert_type

from gui_agent import Agent, BrowserComputer, PlainPlanner, Result, Settings, Task, Trajectory, run
from gui_agent.core.errors import ExitCode
from gui_agent.core.protocols import Computer, Planner

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
