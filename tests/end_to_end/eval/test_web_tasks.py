"""Tasks of our own in the public forms of WebArena, WebArena-Verified and WebVoyager, on our own website."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from click.testing import CliRunner
from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.cli.run import resume, run
from guiagent_eval.web_tasks import PACKAGE, WebTasks

from gui_agent.agent.loop import Agent
from gui_agent.content import content
from gui_agent.core.dialogue import Reply, Request
from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.trajectory import Ending, Task, Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.settings import evaluator_folder
from gui_agent.testing import ScriptedModel

Table = Mapping[str, Any]
PAGE = """<title>Shop</title><h1>Orders</h1><a href="/orders/7?view=full">Order 7</a><p id="note">%s</p>
<form method="post" action="/notes">
<label>Note <input name="note[text]"></label><button>Save</button></form>"""


@pytest.fixture
def shop() -> Iterator[str]:
    """The address of a shop with an order and a form that keeps notes."""
    notes: list[str] = []

    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((PAGE % " ".join(notes)).encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            notes.append(parse_qs(body)["note[text]"][0])
            self.send_response(302)
            self.send_header("Location", "/")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def arena(number: int, **checks: Any) -> Table:
    """A task in WebArena's form."""
    return {
        "task_id": number,
        "sites": ["shopping"],
        "require_login": False,
        "start_url": "__SHOPPING__",
        "intent": "See to the orders",
        "eval": {"reference_answers": None, "reference_url": "", "program_html": [], **checks},
    }


def program(locator: str, url: str = "last", **wanted: Any) -> Table:
    return {"url": url, "locator": locator, "required_contents": wanted}


def verified(kind: str, data: list[Any] | None, **event: Any) -> Table:
    """A task in WebArena-Verified's form."""
    schema = {"type": "array", "items": {"type": "number"}} if data else {"type": "null"}
    expected = {"task_type": kind, "status": "SUCCESS", "retrieved_data": data}
    checks = [{"evaluator": "AgentResponseEvaluator", "results_schema": schema, "expected": expected}]
    if event:
        checks.append({"evaluator": "NetworkEventEvaluator", "expected": event})
    text = "See to the orders"
    return {
        **{"task_id": 1, "intent_template_id": 1, "revision": 1, "sites": ["shopping"]},
        **{"start_urls": ["__SHOPPING__"], "intent": text, "intent_template": text, "instantiation_dict": {}},
        "eval": checks,
    }


def answered(kind: str, data: list[Any] | None = None) -> str:
    return json.dumps({"task_type": kind, "status": "SUCCESS", "retrieved_data": data, "error_details": None})


def written(folder: Path, *tables: Table) -> str:
    file = folder / "tasks.json"
    file.write_text(json.dumps(tables))
    return str(file)


def grade(tasks: WebTasks, words: str = "", answer: str = "") -> Grade:
    """The grade of the first task once somebody has done something on its page and has answered."""
    [name, *_] = tasks.tasks("all")
    with tasks.episode(Case(name, 0)) as episode:
        done = Trajectory(episode.task)
        if words:
            result = Agent(episode.computer, PlainPlanner()).run(Task(words))
            assert result.ok, result.reason
            done = result.trajectory
        episode.ended(replace(done, ending=Ending("done", answer=answer)))
        return episode.grade()


NOTE = program(
    "document.querySelector('[id=\"note\"').outerText", "__SHOPPING__/", must_include=["late |OR| slow"]
)


@pytest.mark.parametrize(
    ("checks", "words", "answer"),
    [
        (
            {"eval_types": ["url_match"], "reference_url": "__SHOPPING__/orders/7?view=full"},
            'click "Order 7"',
            "",
        ),
        (
            {"eval_types": ["program_html"], "program_html": [NOTE]},
            'type "Late" into "Note", click "Save"',
            "",
        ),
        (
            {
                "eval_types": ["string_match", "program_html"],
                "reference_answers": {"must_include": ["7"]},
                "program_html": [program("", must_include=["Orders"])],
            },
            "",
            "Order 7 is open.",
        ),
    ],
)
def test_who_does_a_task_of_webarena_gets_1_and_who_does_nothing_gets_0(
    tmp_path: Path, shop: str, checks: Table, words: str, answer: str
) -> None:
    tasks = WebTasks(written(tmp_path, arena(1, **checks)), {"shopping": shop})
    idle = grade(tasks)
    assert (idle.success, idle.raw) == (False, 0.0)
    assert idle.reason
    assert grade(tasks, words, answer).success


def test_a_task_that_begins_on_two_pages_has_a_tab_for_each_and_the_first_in_front(
    tmp_path: Path, shop: str
) -> None:
    task = {**arena(1, eval_types=[]), "start_url": "__SHOPPING__/first |AND| __SHOPPING__/second"}
    tasks = WebTasks(written(tmp_path, task), {"shopping": shop})
    with tasks.episode(Case("1", 0)) as episode:
        place = episode.computer.observe(picture=False).place
        assert (place.url, len(place.others)) == (f"{shop}/first", 1)


def test_a_single_character_has_to_be_a_word_of_the_answer(tmp_path: Path, shop: str) -> None:
    checks = {"eval_types": ["string_match"], "reference_answers": {"must_include": ["1"]}}
    tasks = WebTasks(written(tmp_path, arena(1, **checks)), {"shopping": shop})
    assert not grade(tasks, answer="There are 10 orders").success


@pytest.mark.slow
@pytest.mark.skipif(
    not (evaluator_folder() / PACKAGE).is_dir(), reason="webarena-verified has no environment of its own here"
)
@pytest.mark.parametrize(
    ("table", "words", "answer"),
    [
        (
            verified(
                "mutate",
                None,
                url="__SHOPPING__/notes",
                http_method="POST",
                post_data={"note[text]": "late"},
                response_status=302,
            ),
            'type "late" into "Note", click "Save"',
            answered("MUTATE"),
        ),
        (
            verified("navigate", None, url="__SHOPPING__/orders/7", query_params={"view": ["full"]}),
            'click "Order 7"',
            answered("NAVIGATE"),
        ),
        (verified("retrieve", [1]), "", answered("RETRIEVE", [1])),
    ],
)
def test_the_package_of_webarena_verified_grades_the_answer_and_the_traffic(
    tmp_path: Path, shop: str, table: Table, words: str, answer: str
) -> None:
    tasks = WebTasks(written(tmp_path, table), {"shopping": shop})
    assert (grade(tasks).raw, grade(tasks, words, "Done.").raw) == (0.0, 0.0)
    done = grade(tasks, words, answer)
    assert done.success
    assert PACKAGE in done.details


def test_without_that_package_the_error_says_how_to_get_it(
    tmp_path: Path, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIAGENT_EVALUATORS", str(tmp_path / "none"))
    tasks = WebTasks(written(tmp_path, verified("retrieve", [1])), {"shopping": shop})
    with pytest.raises(
        BenchmarkError, match=rf"-m venv {tmp_path}/none/{PACKAGE} && .*pip install {PACKAGE}"
    ):
        grade(tasks)


class Judge(ScriptedModel):
    """A model that calls a run a success if it answered 1."""

    def __init__(self) -> None:
        super().__init__([self.verdict] * 9)

    def verdict(self, request: Request) -> Reply:
        said = "".join(str(part) for turn in request.turns for part in getattr(turn, "parts", ()))
        score = 5 if "answer\n1\n" in said else 1
        return Reply(f"Reason: the answer\nEvidence:\nScore: {score}")


def test_a_model_grades_the_tasks_of_webvoyager_if_a_person_names_one(tmp_path: Path, shop: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(
        json.dumps({"web_name": "Shop", "id": "Shop--0", "ques": "How many orders?", "web": shop})
    )
    assert WebTasks(str(file)).refusals == {"Shop--0": "no code grades it: give --option judge=MODEL"}
    tasks = WebTasks(str(file), judge=f"{__name__}:Judge")
    assert not grade(tasks).success
    assert not grade(tasks, answer="2").success
    assert grade(tasks, answer="1").success


def test_the_list_says_which_tasks_cannot_be_had_and_why(tmp_path: Path) -> None:
    answers = {"eval_types": ["string_match"], "reference_answers": {"fuzzy_match": ["one"]}}
    html = {"eval_types": ["program_html"]}
    refused = {
        "fuzzy_match asks a model; only code grades here": answers,
        "program_html: the program func:latest_order() is not run": {
            **html,
            "program_html": [program("", "func:latest_order()", exact_match="1")],
        },
        "program_html: the program document.body.remove() is not run": {
            **html,
            "program_html": [program("document.body.remove()", exact_match="1")],
        },
        "give --option site.gitlab=ADDRESS": {"eval_types": ["url_match"], "reference_url": "__GITLAB__/x"},
    }
    tables = [arena(number, **checks) for number, checks in enumerate(refused.values())]
    good = arena(9, eval_types=["url_match"], reference_url="__WIKIPEDIA__/x |OR| __SHOPPING__/x")
    locked = {**arena(10, eval_types=[]), "require_login": True}
    file = written(tmp_path, *tables, good, locked)
    sites = ["--option", "site.shopping=http://127.0.0.1:1", "--option", "site.wikipedia=http://127.0.0.1:2"]
    asked = ["guiagent_eval.web_tasks:WebTasks", "--option", f"file={file}", *sites]
    told = CliRunner().invoke(run, [*asked, "--list"], catch_exceptions=False).stdout
    lines = [f"{number} refused: {why}" for number, why in enumerate(refused)]
    assert told.splitlines() == [
        "9",
        *lines,
        "10 refused: it needs a login: give --option login=FILE of `guiagent login`",
    ]
    with pytest.raises(ConfigError, match="cannot run 0: fuzzy_match asks a model"):
        CliRunner().invoke(run, [*asked, "--tasks", "0"], catch_exceptions=False, standalone_mode=False)


def test_a_stopped_run_goes_on_with_its_options_given_again(tmp_path: Path) -> None:
    folder, file = tmp_path / "run", ["--option", f"file={content('examples') / 'tasks.toml'}"]
    asked = ["tasks", *file, "--tasks", "name", "--out", str(folder), "--quiet"]
    CliRunner().invoke(run, asked, catch_exceptions=False)
    (folder / "episodes.jsonl").write_text("")
    done = CliRunner().invoke(resume, [str(folder), *file, "--quiet", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["overall"]["successes"] == 1


@pytest.mark.parametrize(
    "text", ["{", "[1]", '[{"task_id": 1, "intent": "x"}]', '[{"id": "../x", "ques": "", "web": ""}]']
)
def test_a_file_without_a_known_form_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "tasks.json").write_text(text)
    with pytest.raises(ConfigError) as refused:
        WebTasks(str(tmp_path / "tasks.json"))
    assert "tasks.json" in str(refused.value)
    assert "\n" not in str(refused.value)
