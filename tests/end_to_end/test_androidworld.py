"""AndroidWorld's interfaces: its states and actions in both directions, and the server in its container."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from guiagent_eval.androidworld import AndroidWorldAgent, AndroidWorldComputer, ContainerEnv
from guiagent_eval.phone import SimulatedPhone
from guiagent_eval.phone.views import PhoneView, every

from gui_agent.core.actions import Drag, Scroll, Swipe
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Point

pytestmark = pytest.mark.nightly

numpy = pytest.importorskip("numpy")


@dataclass
class StandIn:
    """The fields of the benchmark's action, where its package is not installed."""

    action_type: str
    index: int | None = None
    x: int | None = None
    y: int | None = None
    text: str | None = None
    direction: str | None = None
    goal_status: str | None = None
    app_name: str | None = None
    keycode: str | None = None
    clear_text: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


try:
    from android_world.env.json_action import JSONAction as MakeAction
except ImportError:
    MakeAction = StandIn


class PhoneEnv:
    """The simulated phone behind the methods of AndroidWorld's environment."""

    def __init__(self) -> None:
        self.phone = SimulatedPhone()
        self.acted: list[Any] = []

    def reset(self, go_home: bool = False) -> None:
        self.phone.home()

    def get_state(self, wait_to_stabilize: bool = False) -> Any:
        views = [
            view
            for view in every([self.phone.window()])
            if not view.children or view.description or "scrollable" in view.flags
        ]
        pixels = numpy.asarray(self.phone.frame().convert("RGB"))
        return SimpleNamespace(pixels=pixels, ui_elements=[_element(view) for view in views])

    def execute_action(self, action: Any) -> None:
        self.acted.append(action)
        phone, size = self.phone, self.phone.size
        middle = Point(size.width // 2, size.height // 2)
        match action.action_type:
            case "open_app":
                phone.launch(next(one.package for one in phone.apps.values() if one.label == action.app_name))
            case "click":
                phone.tap(Point(action.x, action.y))
            case "long_press":
                phone.tap(Point(action.x, action.y), held=True)
            case "scroll":
                ends = {"down": 140, "up": size.height}
                phone.swipe(middle, Point(middle.x, ends[action.direction]))
            case "input_text":
                phone.tap(Point(action.x, action.y))
                while action.clear_text and phone.front.fields.get((phone.focus or ("", ""))[1]):
                    phone.erase()
                phone.type(action.text)
            case "navigate_back":
                phone.back()
            case "navigate_home":
                phone.home()


def _element(view: PhoneView) -> Any:
    field = view.kind.endswith("EditText")
    box = view.box
    return SimpleNamespace(
        text="" if field and view.text == view.hint else view.text,
        content_description=view.description or None,
        class_name=view.kind,
        hint_text=view.hint or None,
        bbox_pixels=SimpleNamespace(x_min=box.left, x_max=box.right, y_min=box.top, y_max=box.bottom),
        is_checked="checked" in view.flags,
        is_selected=False,
        is_focused="focused" in view.flags,
        is_scrollable="scrollable" in view.flags,
        is_clickable=bool(view.do),
        is_enabled="disabled" not in view.flags,
        resource_name=view.id or None,
    )


@pytest.fixture
def env(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> PhoneEnv:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return PhoneEnv()


def test_an_episode_is_done_and_its_answer_comes_before_its_status(env: PhoneEnv) -> None:
    agent = AndroidWorldAgent(env, make_action=MakeAction)
    agent.reset(go_home=True)
    agent.set_max_steps(10)
    ended = agent.step('open "Notes", click "Groceries", read "Note"')
    assert ended.done and "step_number" not in ended.data
    assert [one.action_type for one in env.acted[-2:]] == ["answer", "status"]
    assert env.acted[-2].text == "milk"
    assert agent.step("again") == ended, "an episode that has ended is not begun anew"
    agent.reset(go_home=True)
    assert agent.step('open "Contacts", click "Create contact", type "Zoe" into "Name", click "Save"').done
    assert "Zoe" in env.phone.state()["contacts"]["people"]


def test_what_is_not_done_is_not_told_as_done_and_the_limit_of_the_runner_holds(env: PhoneEnv) -> None:
    agent = AndroidWorldAgent(env, make_action=MakeAction)
    agent.set_max_steps(2)
    assert not agent.step('open "Settings", click "Display", tick "Dark theme", go back').done
    assert len(env.acted) == 2
    agent.reset()
    assert not agent.step('open "Settings", click "Nothing of that name"').done
    assert not any(one.action_type == "status" for one in env.acted)


def test_a_switch_has_the_name_beside_it_and_is_not_turned_twice(env: PhoneEnv) -> None:
    agent = AndroidWorldAgent(env, make_action=MakeAction)
    task = 'open "Settings", click "Display", tick "Dark theme"'
    assert agent.step(task).done
    agent.reset(go_home=True)
    env.phone.apps["com.android.settings"].stack = ["main"]
    assert agent.step(task).done
    assert env.phone.settings["secure"]["ui_night_mode"] == "2"


def test_directions_are_those_of_the_benchmark_and_what_it_lacks_is_said(env: PhoneEnv) -> None:
    computer = AndroidWorldComputer(env, MakeAction)
    env.phone.launch("com.android.settings")
    computer.perform(Scroll(Point(270, 600), down=900))
    computer.perform(Swipe(Point(400, 600), Point(100, 600)))
    assert [(one.action_type, one.direction) for one in env.acted] == [("scroll", "down"), ("swipe", "left")]
    assert any(one.name == "About phone" for one in computer.observe().elements)
    with pytest.raises(ActionFailed, match="no action for drag"):
        computer.perform(Drag(Point(1, 1), Point(2, 2)))


@pytest.fixture
def container() -> Iterator[tuple[str, list[Any]]]:
    asked: list[Any] = []

    class Server(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            place = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, place.path, parse_qs(place.query), json.loads(body or b"null")))
            said: dict[str, Any] = {"status": "success"}
            said |= {
                "pixels": [[[0, 0, 0]] * 4] * 6,
                "task_list": ["ContactsAdd"],
                "goal": "Add",
                "score": 1.0,
            }
            self.send_response(200 if place.path != "/close" else 500)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        do_GET = do_POST = _answer

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_the_server_in_the_container_is_spoken_to_in_its_words(container: tuple[str, list[Any]]) -> None:
    address, asked = container
    env = ContainerEnv(address)
    assert env.tasks() == ["ContactsAdd"] and env.begin("ContactsAdd", 1) == "Add"
    computer = AndroidWorldComputer(env, MakeAction)
    assert computer.observe().size.height == 6
    computer.execute(action_type="click", x=1, y=2)
    assert asked[-1] == ("POST", "/execute_action", {}, {"action_type": "click", "x": 1, "y": 2})
    assert ("GET", "/screenshot", {"wait_to_stabilize": ["false"]}, None) in asked
    assert env.score("ContactsAdd", 1) == 1.0
    assert asked[-1][:3] == ("POST", "/task/tear_down", {"task_type": ["ContactsAdd"], "task_idx": ["1"]})


def test_a_container_that_is_not_there_is_said_in_one_line() -> None:
    with pytest.raises(ComputerLost, match="AndroidWorld's server at"):
        ContainerEnv("http://127.0.0.1:9").tasks()
