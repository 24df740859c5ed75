"""What a program that uses the package may write, and how the type checker reads it."""

from dataclasses import dataclass
from typing import assert_type

from gui_agent import (
    Agent,
    AsyncBrowser,
    Browser,
    BrowserComputer,
    Memory,
    PlainPlanner,
    Result,
    Settings,
    Task,
    Trajectory,
    learn,
    run,
)
from gui_agent.core.errors import ExitCode
from gui_agent.core.protocols import Computer, Planner
from gui_agent.planners.commands.read_values import Value
from gui_agent.wiring import run_skill

result = run("click Next", url="form.html", limits={"steps": 3})
assert_type(result, Result)
assert_type(result.ok, bool)
assert_type(result.exit_code, ExitCode)
run("click Next", url=3)  # expect: arg-type
run()  # expect: call-arg

computer: Computer = BrowserComputer(headless=False)
planner: Planner = PlainPlanner()
agent = Agent(computer, planner)
assert_type(agent.run(Task("click Next")), Result)
assert_type(agent.run("click Next").trajectory, Trajectory)
agent.run(3)  # expect: arg-type
assert_type(Settings().limits.steps, int)


@dataclass
class Line:
    item: str
    price: float


with Browser("orders.html", yes=True) as page:
    assert_type(page.act("click Next"), Result)
    assert_type(page.read("Total"), Value)
    assert_type(page.read("Total", schema=float), float)
    assert_type(page.read("Tea", schema=Line), Line)
    assert_type(page.table("Lines", schema=Line), list[Line])
    assert_type(page.table("Lines")[0]["Price"], str)
    assert_type(page.find("Next").point.x, int)
    page.act(3)  # expect: arg-type


async def notebook() -> None:
    async with AsyncBrowser() as page:
        assert_type(await page.read("Total", schema=float), float)
        assert_type(await page.table("Lines", schema=Line), list[Line])


assert_type(run_skill("send-message", {"to": "Grace"}, yes=True), Result)
assert_type(learn("runs/1", memory=Memory()).procedure.name, str)
run_skill("send-message", 3)  # expect: arg-type
