"""A model behind a real HTTP server does tasks of real MiniWoB++ pages with the actions it was trained on.

The scripted model finds colours in the picture that it was sent; where other things are the test sees for it.
It says places in its family's units for the picture that was sent: size, mapping and replay are all tried.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.miniwob import MiniWob
from PIL import Image, ImageColor

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Trajectory
from gui_agent.models import open_model
from gui_agent.planners.llm import ModelPlanner
from tests.contract.models.conftest import Service, images
from tests.contract.models.items import CHECKS
from tests.end_to_end.models.speaking import WAYS, Move, Spot, Way

pytestmark = pytest.mark.nightly


class Eyes:
    """What the script can see: the picture of the request, and the elements that the test sees for it."""

    def __init__(self, picture: Image.Image, screen: Observation) -> None:
        self.picture, self.screen = picture, screen

    def named(self, name: str, *roles: str) -> Spot:
        """The middle of the element of this name."""
        found = [each for each in self.screen.elements if each.name.casefold() == name.casefold()]
        return self._middle(next(each for each in found if not roles or each.role in roles))

    def nth(self, role: str, number: int = 0) -> Spot:
        """The middle of an element of this role, counted from 0."""
        return self._middle([each for each in self.screen.elements if each.role == role][number])

    def coloured(self, colour: str) -> Spot:
        """The middle of what has this colour in the picture."""
        wanted, (width, height) = ImageColor.getrgb(colour), self.picture.size
        pixels = self.picture.load()
        assert pixels is not None
        found = [(x, y) for y in range(height) for x in range(width) if _near(pixels[x, y], wanted)]
        assert found, f"nothing is {colour}"
        middle = sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)
        return (middle[0] + 0.5) / width, (middle[1] + 0.5) / height

    def _middle(self, element: Any) -> Spot:
        at, size = element.box.center, self.screen.size
        return (at.x + 0.5) / size.width, (at.y + 0.5) / size.height


def _near(one: Any, other: Sequence[int]) -> bool:
    return all(abs(a - b) < 40 for a, b in zip(one, other, strict=True))


def click(at: Spot) -> Move:
    return Move("click", at)


def typed(at: Spot, text: str) -> list[Move]:
    return [click(at), Move("type", text=text)]


def words(said: str) -> list[str]:
    return re.findall(r'"(.*?)"', said)


def options(said: str, see: Eyes, role: str) -> list[Move]:
    named = re.findall(r"Select (.*) and click", said)[0]
    chosen = [] if named == "nothing" else named.split(", ")
    return [*(click(see.named(name, role)) for name in chosen), click(see.named("Submit"))]


PAGES: dict[str, Callable[[str, Eyes], list[Move]]] = {
    "click-test": lambda said, see: [click(see.nth("button"))],
    "click-test-2": lambda said, see: [click(see.named("ONE"))],
    "click-button": lambda said, see: [click(see.named(words(said)[0], "button"))],
    "unicode-test": lambda said, see: [click(see.named(words(said)[0], "button"))],
    "click-link": lambda said, see: [click(see.named(words(said)[0], "generic", "link"))],
    "click-tab": lambda said, see: [click(see.named(re.findall(r"Tab #\d", said)[0]))],
    "click-color": lambda said, see: [click(see.coloured(re.findall(r"the (\w+) colored", said)[0]))],
    "click-option": lambda said, see: options(said, see, "radio"),
    "click-checkboxes": lambda said, see: options(said, see, "checkbox"),
    "click-collapsible": lambda said, see: [click(see.nth("tab")), click(see.named("Submit"))],
    "focus-text-2": lambda said, see: [click(see.nth("textbox", int(re.findall(r"\d", said)[0]) - 1))],
    "enter-text": lambda said, see: [
        *typed(see.nth("textbox"), words(said)[0]),
        click(see.named("Submit")),
    ],
    "login-user": lambda said, see: [
        *typed(see.nth("textbox", 0), words(said)[0]),
        *typed(see.nth("textbox", 1), words(said)[1]),
        click(see.named("Login")),
    ],
    "enter-password": lambda said, see: [
        *typed(see.nth("textbox", 0), words(said)[0]),
        *typed(see.nth("textbox", 1), words(said)[0]),
        click(see.named("Submit")),
    ],
    "copy-paste": lambda said, see: [
        click(see.nth("textbox", 0)),
        Move("keys", text="ctrl+a"),
        Move("keys", text="ctrl+c"),
        click(see.nth("textbox", 1)),
        Move("keys", text="ctrl+v"),
        click(see.named("Submit")),
    ],
    "drag-box": lambda said, see: [
        Move("drag", see.named("s"), see.named("L")),
        click(see.named("Submit")),
    ],
    "scroll-text-2": lambda said, see: [
        Move("scroll", see.nth("textbox")),
        click(see.named("Submit")),
    ],
}


class Watched:
    """The model planner, with a window for the test on the screen that it decides on."""

    name = "watched"

    def __init__(self, planner: ModelPlanner) -> None:
        self._planner = planner
        self.screen: Observation | None = None

    def decide(self, situation: Situation) -> Decision:
        """Let the model planner ask over the wire."""
        self.screen = situation.observation
        return self._planner.decide(situation)


class AnswerScript:
    """Plays the model: the moves of the page, looked up anew for each answer, then the end."""

    def __init__(self, way: Way, moves: Callable[[Eyes], list[Move]], screen: Callable[[], Any]) -> None:
        self._way, self._moves, self._screen = way, moves, screen
        self._said, self._all = 0, 1

    def __call__(self, body: dict[str, Any]) -> Any:
        with Image.open(io.BytesIO(base64.b64decode(images(body)[-1]))) as shown:
            picture = shown.convert("RGB")
        if self._said == self._all:
            return self._way.answer([], picture.size)
        moves = self._moves(Eyes(picture, self._screen()))
        left, self._all = moves[self._said :], len(moves)
        # A click and what is typed there are said in one answer, the rest one by one.
        count = 2 if len(left) > 1 and left[1].kind == "type" else 1
        self._said += count
        return self._way.answer(left[:count], picture.size)


def run(pages: MiniWob, service: Service, way: Way, page: str, *, yes: bool = True) -> tuple[Trajectory, Any]:
    address = f"{service.url}{'' if way.wire == 'messages' else '/v1'}#{way.model}"
    model = open_model(address, wire=way.wire, key=lambda variable: "")  # type: ignore[arg-type]
    # Models that were trained on nothing else get their own actions by themselves.
    planner = Watched(ModelPlanner(model, native=True if model.traits.tools else None))
    with pages.episode(Case(page, 11)) as episode:
        said = episode.task.text
        service.script = [AnswerScript(way, lambda see: PAGES[page](said, see), lambda: planner.screen)]
        agent = Agent(episode.computer, planner, guard=PolicyGuard.default(yes=yes))
        trajectory = agent.run(said).trajectory
        grade = episode.grade()
    model.close()
    return trajectory, grade


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("page", PAGES)
def test_a_task_is_done_with_the_models_own_actions(
    pages: MiniWob, service: Service, way: str, page: str
) -> None:
    trajectory, grade = run(pages, service, WAYS[way], page)
    told = (trajectory.task.text, trajectory.ending, [step.outcome for step in trajectory.steps])
    assert grade.success, told
    assert all(turn.decision.calls == 1 for turn in trajectory.turns)
    assert len(service.asked) == trajectory.model_calls == len(trajectory.turns)
    for asked in service.asked:
        CHECKS[WAYS[way].wire](asked.body)
        assert images(asked.body)
    # Each place went through the grounder, and the effect of each action was judged.
    placed = [step for step in trajectory.steps if step.planned.action.kind in ("click", "drag", "scroll")]
    assert placed and all("at" in step.found or "start" in step.found for step in placed)
    assert all(step.outcome.good for step in trajectory.steps)


@pytest.mark.parametrize("way", WAYS)
def test_the_guard_stops_the_models_own_actions_too(pages: MiniWob, service: Service, way: str) -> None:
    trajectory, grade = run(pages, service, WAYS[way], "login-user", yes=False)
    assert not grade.success
    refused = [step for step in trajectory.steps if step.error == "Forbidden"]
    assert refused and "needs approval" in refused[0].outcome.summary
    told = str(service.asked[-1].body)
    assert "needs approval" in told
    for asked in service.asked:
        CHECKS[WAYS[way].wire](asked.body)
