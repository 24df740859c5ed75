"""Task pages of one's own, in CompWoB's form: two jobs on one page, with the installed pages' scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.miniwob import miniwob
from guiagent_eval.episodes import run_episode
from guiagent_eval.miniwob import MiniWob
from guiagent_eval.practice.stepping import SteppedSolver

from gui_agent.core.errors import ConfigError

PAGE = """<!DOCTYPE html><html><head><link rel="stylesheet" href="../core/core.css">
<script src="../core/core.js"></script><script>
var genProblem = function() {
  var word = core.sample(["red", "green", "blue"]), ticked = false;
  document.getElementById("area").innerHTML = ["red", "green", "blue"].map(
    (name) => `<label><input type="checkbox">${name}</label>`).join("") + "<button>Send</button>";
  document.querySelectorAll("label").forEach((one) => one.firstChild.onchange = () => {
    ticked = one.textContent === word; });
  document.querySelector("button").onclick = () => core.endEpisode(ticked ? 1.0 : -1.0, true);
  document.getElementById("query").innerHTML = `Select ${word}, and then click the "Send" button.`;
};
window.onload = function() { core.startEpisode(); };
</script></head><body><div id="wrap"><div id="query"></div><div id="area"></div></div></body></html>"""
NAME = "click-checkboxes_click-button"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "compositional"
    folder.mkdir()
    for name in (NAME, f"{NAME}-reverse"):
        (folder / f"{name}.html").write_text(PAGE)
    return folder


def test_a_page_of_two_jobs_is_worked_on_and_graded_by_itself(pages: Path) -> None:
    class Line:
        def __init__(self, whole: bool) -> None:
            self.whole = whole

        def ask(self, moment: dict[str, dict[str, str]]) -> str:
            seen = moment["observation"]
            color = seen["goal"].split()[1].rstrip(",")
            ticks = [{"kind": "check", "at": {"text": color, "role": "checkbox"}}] if self.whole else []
            sends = {"kind": "click", "at": {"text": "Send", "role": "button"}}
            return json.dumps({"actions": [*ticks, sends]})

    benchmark = MiniWob(pages=str(pages), slowness=10, pictures=False)
    try:
        for whole in (True, False):
            solver = SteppedSolver(Line(whole), steps=5)
            rewards = [run_episode(benchmark, solver, Case(NAME, seed)).raw for seed in (1, 2)]
            assert rewards == [1.0 if whole else -1.0] * 2
    finally:
        benchmark.teardown()


def test_the_suites_of_a_folder_are_its_tasks_with_instructions_in_order_or_reversed(pages: Path) -> None:
    benchmark = MiniWob(pages=str(pages), slowness=10)
    assert benchmark.tasks("compwob") == (NAME,)
    assert benchmark.tasks("compwob-reverse") == (f"{NAME}-reverse",)
    assert len(benchmark.tasks("all")) == 2
    with pytest.raises(ConfigError, match="all, compwob and compwob-reverse"):
        benchmark.tasks("quick")
    done = CliRunner().invoke(miniwob, ["--pages", str(pages), "--tasks", "click-nothing"])
    assert isinstance(done.exception, ConfigError) and "has no task" in str(done.exception)
