"""A person's jobs in the workbench of `guiagent serve`, done in a real browser by plain commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent import Browser
from gui_agent.cli import call
from gui_agent.procedures.library.learning import learn
from gui_agent.procedures.library.memory import open_memory
from gui_agent.testing import FakeComputer, button, field, screen
from tests.end_to_end.integrations.test_http import Served

PUT = 'type "Ada" into "Name", read "Name" as said'


def form() -> FakeComputer:
    """The screen on which the runs work that a person begins."""
    return FakeComputer(screen(field("Name"), button("Send"), app="Mailer"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    made = Served(
        computer={"kind": f"{__name__}:form"},
        trace={"folder": str(folder / "runs")},
        memory={"path": str(folder / "memory.db"), "embedder": "lexical"},
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def person(served: Served) -> Iterator[Browser]:
    """The browser of the person, which came in once with the token."""
    with Browser(served.app.url, yes=True) as browser:
        yield browser


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def begin(served: Served, task: str) -> str:
    return str(served.web.post("/runs", json={"task": task}).json()["run"])


def test_a_task_is_run_its_report_found_and_run_again(served: Served, person: Browser) -> None:
    person.run(f'open "{served.base}/", type {quoted(PUT)} into "Task", click "Run", wait for "done"')
    person.run(f'open "{served.base}/", type "ada name" into "Find a run", click "Find"')
    person.run('check "Done" is shown, click the first "Run again", wait for "done"')
    first, again = served.registry.runs[-2:]
    assert first.result and again.result and first.result["notes"] == again.result["notes"] == {"said": "Ada"}
    person.run(f'open "{served.base}/", click the first "Report", check "Run report" is shown')


def test_a_question_that_waits_is_answered(served: Served, person: Browser) -> None:
    run = begin(served, 'click "Send"')
    served.asks(run)
    person.run(f'open "{served.base}/", check "Waits for you" is shown, click "Allow once"')
    assert served.ended(run)["result"]["ending"] != "refused"
    person.run('wait until "Waits for you" is gone')


def test_a_run_may_send_without_asking_and_the_same_task_asks_again_later(
    served: Served, person: Browser
) -> None:
    person.run(f'''open "{served.base}/", type 'click "Send"' into "Task", click "Screen, login, model"''')
    person.run('tick "May send and submit without asking", click "Run", wait for "All runs"')
    sent = served.registry.runs[-1]
    served.ended(sent.id)
    assert sent.result is not None and sent.result["ending"] != "refused"
    assert not any(event.kind == "question" for event in sent.events)
    again = served.web.post(f"/again/{sent.id}").json()["run"]
    question = served.asks(again)
    served.web.post(f"/runs/{again}/answers", json={"question": question, "answer": "no"})
    assert served.ended(again)["result"]["ending"] == "refused"


def test_the_pages_speak_the_language_of_the_browser(served: Served) -> None:
    def page(languages: str) -> str:
        return served.web.get("/", headers={"Accept-Language": languages}).text

    assert '<html lang="de">' in page("de-AT,de;q=0.9,en;q=0.8") and "Ausführen" in page(
        "fr,de;q=0.5,en;q=0.4"
    )
    assert '<html lang="en">' in page("en-GB,de;q=0.9") and '<html lang="en">' in page("x;q=nonsense,*")


def test_an_answer_for_good_is_offered_where_there_is_a_place_for_it(served: Served, person: Browser) -> None:
    run = begin(served, 'click "Send"')
    served.asks(run)
    person.run(f'open "{served.base}/", click "Always: send on Mailer"')
    assert served.ended(run)["result"]["ending"] != "refused"
    assert call(["policy", "remove", "send@Mailer"]) == 0


def test_a_run_is_paused_told_something_taken_over_and_stopped(served: Served, person: Browser) -> None:
    run = begin(served, "wait 500 seconds")
    person.run(f'open "{served.base}/", click "Watch and steer", click "Pause", check "Paused" is shown')
    person.run('type "take the other one" into "Message to the run", click "Say"')
    person.run('click "Take over", check "The screen is yours" is shown, click "Hand back", click "Stop"')
    assert served.ended(run)["result"]["ending"] == "stopped"
    person.run('click "All runs", check "Ended" is shown')


def test_what_was_learned_runs_with_the_values_of_its_form(served: Served, person: Browser) -> None:
    result = served.ended(begin(served, PUT))["result"]
    learn(
        result["folder"],
        task="Put 'Ada' there",
        name="put-name",
        memory=open_memory(served.registry.settings),
    )
    person.run(f'open "{served.base}/", click "Learned", click "put-name", check "What it does" is shown')
    person.run('check "varies with the task: text, such as Ada" is shown')
    person.run('type "Grace" into the first field, click "Run", wait for "done"')
    ran = served.registry.runs[-1]
    assert ran.result is not None and ran.result["ok"]
    assert any("Grace" in event.text for event in ran.events)


def test_a_list_is_uploaded_run_and_its_failed_rows_are_shown(
    served: Served, person: Browser, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text("name\nAda\nBo\n")
    task = 'type "{name}" into "Name", check "Ada" is shown'
    person.run(f'open "{served.base}/rows", type {quoted(task)} into "Task"')
    person.run(f'upload "{tmp_path / "people.csv"}" to "Rows", click "Run the list"')
    person.run('wait for "1 row to look at", check "1 done" is shown, check "Row 2" is shown')


def test_schedules_and_logins_are_listed(served: Served, person: Browser) -> None:
    person.run(f'open "{served.base}/", click "Schedules", scroll to the bottom')
    person.run('check "Nothing is scheduled" is shown, click "Logins", check "No login is kept" is shown')


def test_pages_of_the_workbench_need_the_token_and_change_nothing_without_the_header(served: Served) -> None:
    import httpx2

    run = begin(served, PUT)
    served.ended(run)
    with httpx2.Client(base_url=served.base) as stranger:
        for path in ("/", "/learned", "/rows", "/schedules", "/logins", "/news", f"/reports/{run}"):
            assert stranger.get(path).status_code == 401, path
        stranger.get(f"/?token={served.app.token}")
        page = stranger.get("/")
        assert page.status_code == 200 and page.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert stranger.post(f"/again/{run}").status_code == 403
    assert served.web.get("/reports/other").status_code == 404
