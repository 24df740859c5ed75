"""Unrelated recordings that are learned into one memory, in any order, all stay usable."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Demonstration, Task, Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn as learn_programs
from gui_agent.procedures.library.learning import learn
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.recognise import Recognition, recognise
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.procedures.recordings.from_run import from_trajectory

pytestmark = pytest.mark.nightly

SCRIPT = """<script>
const held = (e) => e.name + "=" + (e.type === "checkbox" || e.type === "radio" ? e.checked : e.value);
const kept = (what) => { document.body.innerHTML = "<p>Done</p>"; window.kept = what; };
document.addEventListener("click", (event) => {
  const pressed = event.target.closest("button, a");
  if (!pressed || pressed.tagName === "A") return;
  const row = pressed.closest("li");
  kept([pressed.textContent, ...(row ? [row.firstChild.textContent.trim()] : []),
        ...[...document.querySelectorAll("input, select")].map(held)].join(" "));
});
</script>"""


def field(name: str) -> str:
    return f'<p><label>{name} <input name="{name}"></label></p>'


def box(name: str, kind: str = "checkbox") -> str:
    return f'<p><label><input type="{kind}" name="{name}"> {name}</label></p>'


def listed(press: str, *names: str) -> str:
    rows = "".join(f"<li>{name} <button>{press}</button></li>" for name in names)
    return f"<ul>{rows}</ul>"


def chosen(name: str, *options: str) -> str:
    inside = "".join(f"<option>{option}</option>" for option in options)
    return f'<p><label>{name} <select name="{name}">{inside}</select></label></p>'


PAGES = {
    "/office/authors/add": field("Name") + "<button>Save</button>",
    "/office/countries/add": field("Name") + "<button>Save</button>",
    "/office/notes": field("Title") + field("Note") + "<button>Save note</button>",
    "/office/drafts": listed("Delete", "Plan", "Report", "Letter"),
    "/office/settings": chosen("Language", "English", "German", "French") + "<button>Apply</button>",
    "/office/alerts": box("Mail") + box("Push") + box("Letters") + "<button>Apply</button>",
    "/office/": '<p><a href="countries/add">Countries</a> <a href="authors/add">Authors</a></p>',
    "/shop/": field("To") + field("Date") + "<button>Book</button>",
    "/shop/authors/add": field("Full name") + field("Born") + "<button>Create</button>",
    "/shop/messages": field("To") + field("Text") + "<button>Send</button>",
    "/shop/cart": listed("Remove", "Lamp", "Chair", "Table"),
    "/shop/poll": box("Red", "radio") + box("Blue", "radio") + "<button>Vote</button>",
    "/shop/find": field("Search") + "<button>Find</button>",
}


@dataclass(frozen=True)
class Taught:
    """What somebody does on a page, and what is asked for later."""

    page: str
    commands: str
    task: str
    again: str
    kept: str
    """What the page has to have got then."""


EVERYTHING = (
    Taught(
        "/office/authors/add",
        'type "Ada Lovelace" into "Name", click "Save"',
        "Add the author 'Ada Lovelace'",
        "Add the author 'Grace Hopper'",
        "Save Name=Grace Hopper",
    ),
    Taught(
        "/office/countries/add",
        'type "Norway" into "Name", click "Save"',
        "Add the country 'Norway'",
        "Add the country 'Sri Lanka'",
        "Save Name=Sri Lanka",
    ),
    Taught(
        "/office/notes",
        'type "first" into "Title", type "first note" into "Note", click "Save note"',
        "Add the note 'first note' under 'first'",
        "Add the note 'buy milk' under 'home'",
        "Save note Title=home Note=buy milk",
    ),
    Taught(
        "/office/drafts",
        'click "Delete" next to "Report"',
        "Delete the draft 'Report'",
        "Delete the draft 'Letter'",
        "Delete Letter",
    ),
    Taught(
        "/office/settings",
        'choose "German" in "Language", click "Apply"',
        "Set the language to 'German'",
        "Set the language to 'French'",
        "Apply Language=French",
    ),
    Taught(
        "/office/alerts",
        'tick "Push", click "Apply"',
        "Turn on the alert 'Push'",
        "Turn on the alert 'Letters'",
        "Apply Mail=false Push=false Letters=true",
    ),
    Taught(
        "/office/",
        'click "Countries", type "Peru" into "Name", click "Save"',
        "Go and add the country 'Peru'",
        "Go and add the country 'Chad'",
        "Save Name=Chad",
    ),
    Taught(
        "/shop/",
        'type "Oslo" into "To", type "3 May 2026" into "Date", click "Book"',
        "Book a trip to 'Oslo' on '3 May 2026'",
        "Book a trip to 'Rome' on '4 June 2027'",
        "Book To=Rome Date=4 June 2027",
    ),
    Taught(
        "/shop/authors/add",
        'type "Alan Turing" into "Full name", click "Create"',
        "Add the author 'Alan Turing'",
        "Add the author 'Edsger Dijkstra'",
        "Create Full name=Edsger Dijkstra Born=",
    ),
    Taught(
        "/shop/messages",
        'type "Ada" into "To", type "hi there" into "Text", click "Send"',
        "Send 'hi there' to 'Ada'",
        "Send 'see you' to 'Grace'",
        "Send To=Grace Text=see you",
    ),
    Taught(
        "/shop/cart",
        'click "Remove" next to "Chair"',
        "Take the 'Chair' out of the cart",
        "Take the 'Table' out of the cart",
        "Remove Table",
    ),
    Taught(
        "/shop/poll",
        'tick "Blue", click "Vote"',
        "Vote for 'Blue'",
        "Vote for 'Red'",
        "Vote Red=true Blue=false",
    ),
    Taught(
        "/shop/find",
        'type "lamp" into "Search", click "Find"',
        "Find 'lamp'",
        "Find 'desk'",
        "Find Search=desk",
    ),
)


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        shown = PAGES.get(self.path)
        self.send_response(200 if shown else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>{self.path}</title>{shown or 'nothing'}{SCRIPT}".encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, str]]:
    """The same pages at two hosts, one for each application."""
    servers = {name: ThreadingHTTPServer(("127.0.0.1", 0), _Pages) for name in ("office", "shop")}
    for server in servers.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {name: f"http://127.0.0.1:{server.server_port}" for name, server in servers.items()}
    for server in servers.values():
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def computer() -> Iterator[PageComputer]:
    with PageComputer() as browser:
        yield browser


def address(hosts: dict[str, str], taught: Taught) -> str:
    return hosts[taught.page.split("/")[1]] + taught.page


def act(computer: PageComputer, planner: Planner, task: Task) -> Trajectory:
    """Let a planner do a task where it begins."""
    computer.start(task.start)
    guard = PolicyGuard(Policy(default="allow", unknown="allow", repeat="allow"))
    return Agent(computer, planner, guard=guard, picture=False).run(task).trajectory


@pytest.fixture(scope="module")
def shown(computer: PageComputer, hosts: dict[str, str]) -> list[Demonstration]:
    """What real runs in plain commands show, with what they were for."""
    found: list[Demonstration] = []
    for taught in EVERYTHING:
        trajectory = act(computer, PlainPlanner(), Task(taught.commands, start=address(hosts, taught)))
        assert trajectory.ending is not None
        assert trajectory.ending.kind == "done", f"{taught.commands}: {trajectory.ending.reason}"
        found.append(replace(from_trajectory(trajectory, "browser"), task=taught.task))
    return found


def learned(shown: list[Demonstration], order: list[int], folder: Path) -> Memory:
    memory = Memory(folder / "memory.db", embedder="lexical")
    for number in order:
        save_demonstration(folder / f"{number}.json", shown[number])
        assert learn(folder / f"{number}.json", memory=memory).new
    return memory


def asked(memory: Memory, text: str, start: str) -> Recognition:
    return recognise(Task(text, start=start), memory)


@pytest.mark.parametrize("seed", range(5))
def test_each_stays_the_procedure_that_it_is_alone(
    shown: list[Demonstration], hosts: dict[str, str], tmp_path: Path, seed: int
) -> None:
    order = list(range(len(shown)))
    random.Random(seed).shuffle(order)
    memory = learned(shown, order, tmp_path)
    assert len(memory.procedures()) == len(shown)
    for taught, demonstration in zip(EVERYTHING, shown, strict=True):
        for text in (taught.task, taught.again):
            found = asked(memory, text, address(hosts, taught)).choice
            assert found is not None, f"{text}: {asked(memory, text, address(hosts, taught)).reason}"
            assert [one.task for one in found.procedure.demonstrations] == [taught.task]
            (alone,) = learn_programs([demonstration])
            assert found.program.steps == alone.steps


def test_all_run_with_new_values(
    computer: PageComputer, shown: list[Demonstration], hosts: dict[str, str], tmp_path: Path
) -> None:
    memory = learned(shown, list(reversed(range(len(shown)))), tmp_path)
    got: dict[str, str] = {}
    for taught in EVERYTHING:
        known = asked(memory, taught.again, address(hosts, taught))
        assert known.fitting, f"{taught.again}: {known.lines()}"
        trajectory = act(computer, DemonstrationPlanner(known.programs), known.task_from_start)
        assert trajectory.ending is not None
        assert trajectory.ending.kind == "done", f"{taught.again}: {trajectory.ending.reason}"
        got[taught.again] = computer.evaluate("window.kept")
    assert got == {taught.again: taught.kept for taught in EVERYTHING}


def test_the_same_task_shown_again_joins_and_another_one_says_what_it_is_apart_from(
    computer: PageComputer, shown: list[Demonstration], hosts: dict[str, str], tmp_path: Path
) -> None:
    memory = learned(shown, list(range(len(shown))), tmp_path)
    author = EVERYTHING[0]
    trajectory = act(
        computer,
        PlainPlanner(),
        Task('type "Alan Kay" into "Name", click "Save"', start=address(hosts, author)),
    )
    again = replace(from_trajectory(trajectory, "browser"), task="Add the author 'Alan Kay'")
    save_demonstration(tmp_path / "again.json", again)
    joined = learn(tmp_path / "again.json", memory=memory)
    assert (joined.apart, len(joined.procedure.demonstrations)) == ("", 2)
    save_demonstration(tmp_path / "other.json", replace(again, task="Add the painter 'Alan Kay'"))
    other = learn(tmp_path / "other.json", memory=memory)
    assert other.apart.startswith("add-the-")
    assert len(other.procedure.demonstrations) == 1
