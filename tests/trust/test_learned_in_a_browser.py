"""What plain commands showed once on a page is right on another day of the page, or refused."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer
from learned_pages import CITIES, PEOPLE

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.recordings.from_run import from_trajectory

PAGE = """<!doctype html><title>People</title><body><script>
const day = %s;
const list = day.recent.map((one) => `<li><a href="#">${one}</a></li>`).join("");
const bar = `<ul>${list}</ul><p>Today is ${day.date}</p>`;
const cells = (row) => row.map((text) => `<td>${text}</td>`).join("");
const rows = day.rows.map((row) => `<tr>${cells(row)}<td><button>Edit</button></td></tr>`).join("");
const head = "<tr><th>Name<th>City<th>Manager<th></tr>";
const field = (name) => `<p><label>${name} <input></label></p>`;
let chosen = "";
window.kept = null;
const home = `<h1>People</h1>${bar}<table>${head}${rows}</table><p>Branch: <b>${day.branch}</b></p>`;
const form = `<h1>Person</h1>${bar}${field("Region")}${field("Note")}<button>Save</button>`;
document.addEventListener("click", (event) => {
  const pressed = event.target.closest("button");
  if (!pressed) return;
  if (pressed.textContent === "Edit") {
    chosen = pressed.closest("tr").cells[0].textContent;
    document.body.innerHTML = form;
    return;
  }
  window.kept = [chosen, ...[...document.querySelectorAll("input")].map((one) => one.value)];
  document.body.innerHTML = "<h1>Saved</h1>";
});
document.body.innerHTML = home;
</script>"""


@pytest.fixture(scope="module")
def computer() -> Iterator[PageComputer]:
    with PageComputer() as browser:
        yield browser


def show_day(
    computer: PageComputer, file: Path, rng: random.Random, names: list[str], include: str = ""
) -> None:
    rng.shuffle(names)
    recent = [*rng.sample(PEOPLE, 2), *rng.sample(CITIES, 1), *([include] if include else [])]
    rows = [(name, rng.choice(CITIES), rng.choice(PEOPLE)) for name in names]
    day = {"recent": recent, "rows": rows, "branch": include or rng.choice(CITIES)}
    day["date"] = f"{rng.randrange(1, 28)} May 2026"
    file.write_text(PAGE % json.dumps(day), "utf-8")
    computer.start(file.as_uri())


def act(computer: PageComputer, planner: Planner, task: str) -> Trajectory:
    guard = PolicyGuard(Policy(default="allow", unknown="allow", repeat="allow"))
    return Agent(computer, planner, guard=guard, picture=False).run(task).trajectory


def shown(computer: PageComputer, name: str, city: str, note: str) -> Demonstration:
    typed = f'type "{city}" into "Region", type "{note}" into "Note"'
    ran = act(computer, PlainPlanner(), f'click "Edit" in the row "{name}", {typed}, click "Save"')
    assert ran.ending is not None and ran.ending.kind == "done", ran.ending
    return replace(from_trajectory(ran, "browser"), task=f"Move '{name}' to '{city}'")


@pytest.mark.parametrize("seed", range(6))
def test_the_record_of_the_task_is_changed_and_what_was_typed_as_it_is_stays(
    computer: PageComputer, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    people = rng.sample(PEOPLE, 8)
    (name, other), (city, town, note) = (people[0], people[4]), rng.sample(CITIES, 3)
    show_day(computer, tmp_path / "people.html", rng, people[:4], include=note)
    programs = learn([shown(computer, name, city, note)])
    show_day(computer, tmp_path / "people.html", rng, people[4:])
    ran = act(computer, DemonstrationPlanner(programs), f"Move '{other}' to '{town}'")
    kept = computer.evaluate("window.kept")
    assert kept in ([other, town, note], None)
    assert (kept is not None) == (ran.ending is not None and ran.ending.kind == "done")
