"""A question in the middle of a run of six steps is asked and answered through every door."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent import Browser, Memory, learn, run
from gui_agent.core.actions import TypeText
from gui_agent.core.clarification import Clarification
from gui_agent.integrations import schedules
from gui_agent.memory.aliases import AliasStore
from tests.end_to_end.integrations.test_http import Served
from tests.end_to_end.integrations.test_mcp import over_stdio, told
from tests.end_to_end.integrations.test_workbench import quoted

PAGE = """<!doctype html><title>Rooms</title><h1>Rooms</h1>
<p><label>Name <input id=name></label> <label>City <input></label></p>
<table><tr><th>Room<th>Heating<th></tr>
<tr><td>Kitchen<td>on<td><button onclick="edit('Kitchen')">Edit</button></tr>
<tr><td>Bath<td>off<td><button onclick="edit('Bath')">Edit</button></tr></table>
<p><label>Note <input id=note></label> <button onclick="save()">Keep</button></p>
<p><label>Result <output id=said></output></label></p>
<script>
  let room = "", filled = 0;
  const say = (text) => document.getElementById("said").textContent = text;
  const edit = (name) => { room = name; say("Editing " + name); };
  const save = () => say("Kept for " + document.getElementById("name").value + " in " + room);
  document.getElementById("name").onchange = () => { filled += 1; document.title = "Rooms " + filled; };
</script>"""
TASK = (
    'type "Ada" into Name, type "Oslo" into City, click Edit, type "warm" into Note, click Keep, '
    "read Result as said"
)
CHOICE = '2 button "Edit", in the row of "Bath"'
BATH = "Kept for Ada in Bath"


@pytest.fixture
def address(tmp_path: Path) -> str:
    page = tmp_path / "rooms.html"
    page.write_text(PAGE, encoding="utf-8")
    return page.as_uri()


def number_of(question: str, words: str) -> str:
    """The number of the choice whose text has these words, as a person reads it."""
    found = re.search(rf"^ *(\d+)  .*{words}", question, re.MULTILINE)
    assert found is not None, question
    return found[1]


def test_in_python(address: str) -> None:
    asked: list[Clarification] = []

    def ask(question: Clarification) -> str:
        asked.append(question)
        return number_of(question, "Bath")

    done = run(TASK, url=address, ask=ask)
    assert done.ok and done.answer == BATH
    assert len(asked) == 1
    kinds = [step.action.kind for step in done.trajectory.steps if step.action]
    assert kinds[:5] == ["type", "type", "click", "type", "click"]
    again = run(TASK.replace("Ada", "Bob"), url=address)
    assert again.answer == "Kept for Bob in Bath"


def test_a_procedure_learned_from_it_holds_the_control_and_not_the_question(
    address: str, tmp_path: Path
) -> None:
    memory = {"path": str(tmp_path / "memory.db"), "embedder": "lexical"}
    task = TASK.replace("read Result as said", 'wait for "Kept for"')
    done = run(task, url=address, ask=lambda question: number_of(question, "Bath"), memory=memory)
    learn(
        done.folder, task="Keep 'warm' for 'Ada' of 'Oslo'", memory=Memory(memory["path"], embedder="lexical")
    )
    store = AliasStore(memory["path"])
    assert store.forget("edit") == 1
    asked: list[str] = []

    def ask(question: Clarification) -> str:
        asked.append(question)
        return "yes"

    again = run("Keep 'cold' for 'Bob' of 'Rome'", url=address, ask=ask, memory=memory)
    assert again.ok
    assert not any("could be" in question for question in asked)
    assert any(one.name == BATH.replace("Ada", "Bob") for one in again.trajectory.steps[-1].after.elements)


def test_a_learned_procedure_on_a_changed_page_asks_and_goes_on(address: str, tmp_path: Path) -> None:
    memory = {"path": str(tmp_path / "memory.db"), "embedder": "lexical"}
    task = TASK.replace("Edit,", "Edit in the row of Bath,").replace("read Result as said", 'wait for "Kept"')
    done = run(task, url=address, memory=memory)
    learn(
        done.folder, task="Keep 'warm' for 'Ada' of 'Oslo'", memory=Memory(memory["path"], embedder="lexical")
    )
    page = tmp_path / "rooms.html"
    changed = PAGE.replace(">Keep<", ">Store<").replace("City <input>", "City <input disabled>")
    page.write_text(changed, encoding="utf-8")
    answers = {"City": "skip", "Keep": "click Store", "says": "yes"}
    asked: list[str] = []

    def ask(question: Clarification) -> str:
        asked.append(question.question)
        return next(answer for words, answer in answers.items() if words in question.question)

    again = run("Keep 'cold' for 'Bob' of 'Rome'", url=address, ask=ask, memory=memory)
    assert again.ok, again.trajectory.ending
    assert len(asked) == 3
    assert [step.action.text for step in again.trajectory.steps if isinstance(step.action, TypeText)][
        -1
    ] == "cold"
    assert any(one.name == BATH.replace("Ada", "Bob") for one in again.trajectory.steps[-1].after.elements)


def test_at_a_terminal(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "gui_agent", "run", TASK, "--url", address]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown, has_answered, end = "", False, time.monotonic() + 120
        while time.monotonic() < end:
            try:
                shown += os.read(ours, 4096).decode(errors="replace")
            except OSError:  # the other side is closed
                break
            if "or stop:" in shown and not has_answered:
                has_answered = True
                os.write(ours, f"{number_of(shown.replace(chr(13), ''), 'Bath')}\n".encode())
        code = process.wait(timeout=60)
    os.close(ours)
    assert code == 0, shown
    assert BATH in shown and "picture: " in shown


def test_later_by_resume(address: str, tmp_path: Path) -> None:
    def guiagent(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gui_agent", *words],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
        )  # fmt: skip

    first = guiagent("run", TASK, "--url", address)
    assert first.returncode == 4
    assert "guiagent resume last --answer" in first.stderr
    then = guiagent("resume", "last", "--answer", number_of(first.stderr, "Bath"), "--json")
    assert then.returncode == 0, then.stderr
    assert json.loads(then.stdout)["answer"] == BATH


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def test_over_http(served: Served, address: str) -> None:
    began = served.web.post("/runs", json={"task": TASK, "url": address}).json()["run"]
    question = served.asks(began)
    now = served.web.get(f"/runs/{began}").json()["question"]
    assert [one["number"] for one in now["choices"]] == [1, 2]
    assert now["choices"][1]["box"]["width"] > 0
    picture = served.web.get(f"/runs/{began}/question.png")
    assert picture.headers["content-type"] == "image/png" and picture.content[:4] == b"\x89PNG"
    answer = number_of(now["text"], "Bath")
    served.web.post(f"/runs/{began}/answers", json={"question": question, "answer": answer})
    assert served.ended(began)["result"]["answer"] == BATH
    assert served.web.get(f"/runs/{began}/question.png").status_code == 404


def test_in_the_workbench(served: Served, address: str) -> None:
    began = served.web.post("/runs", json={"task": TASK, "url": address}).json()["run"]
    served.asks(began)
    with Browser(served.app.url, yes=True) as person:
        person.run(f'open "{served.base}/", check "2 things could be" is shown')
        person.run(f"click {quoted(CHOICE)}")
    assert served.ended(began)["result"]["answer"] == BATH


def test_by_a_click_in_the_live_view(served: Served, address: str) -> None:
    began = served.web.post("/runs", json={"task": TASK, "url": address}).json()["run"]
    served.asks(began)
    box = served.web.get(f"/runs/{began}").json()["question"]["choices"][1]["box"]
    with Browser(served.app.url, yes=True) as person:
        person.run(f'open "{served.base}/runs/{began}/view/", check "2 things could be" is shown')
        shown = next(one for one in person.computer.observe().elements if one.role in ("img", "image"))
        across, down = shown.box.width / 1280, shown.box.height / 800
        x = shown.box.left + round((box["left"] + box["width"] / 2) * across)
        y = shown.box.top + round((box["top"] + box["height"] / 2) * down)
        person.run(f"click {x},{y}")
        assert served.ended(began)["result"]["answer"] == BATH


def test_over_mcp(address: str) -> None:
    from mcp_types import ElicitResult

    async def answer(_context: object, asked: object) -> ElicitResult:
        text = str(getattr(asked, "message", ""))
        return ElicitResult(action="accept", content={"answer": number_of(text, "Bath")})

    async def work() -> dict[str, object]:
        async with over_stdio("2026-07-28", answer) as client:
            return told(await client.call_tool("run_task", {"task": TASK, "url": address}))

    result = asyncio.run(work())["result"]
    assert isinstance(result, dict) and result["answer"] == BATH


def test_in_robot_framework(address: str, tmp_path: Path) -> None:
    suite = tmp_path / "rooms.robot"
    suite.write_text(
        "*** Settings ***\nLibrary    gui_agent.integrations.robot\n*** Test Cases ***\nA Room Is Edited\n"
        f"    Open Screen    {address}\n"
        f"    ${{said}} =    Run Task    {TASK}    answer=2\n"
        f"    Should Be Equal    ${{said}}    {BATH}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "robot", "--output", "NONE", "--log", "NONE", "--report", "NONE", str(suite)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_once_for_all_rows_of_a_list(address: str, tmp_path: Path) -> None:
    from gui_agent.api.row_list import run_list

    asked: list[str] = []

    def ask(question: Clarification) -> str:
        asked.append(question)
        return number_of(question, "Bath")

    rows = [{"name": "Ada"}, {"name": "Bob"}, {"name": "Cleo"}]
    task = TASK.replace("Ada", "{name}")
    done = run_list(task, rows, out=tmp_path / "out.csv", url=address, ask=ask)
    assert done.count("done") == 3
    assert len(asked) == 1
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        assert [row["said"] for row in csv.DictReader(file)] == [
            f"Kept for {one['name']} in Bath" for one in rows
        ]


def test_a_schedule_leaves_its_question_to_be_answered_later(address: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "gui_agent", "schedule", TASK, "--name", "rooms", "--cron", "0 9 * * *",
         "--url", address],
        check=True, timeout=60,
    )  # fmt: skip
    assert schedules.carry_out("rooms") != 0
    then = subprocess.run(
        [sys.executable, "-m", "gui_agent", "resume", "last", "--answer", "2", "--json"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    assert json.loads(then.stdout)["answer"] == BATH, then.stderr


def test_a_schedule_waits_for_its_answer_on_the_open_screen(address: str, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "gui_agent"]
    told_to = tmp_path / "told.jsonl"
    note = tmp_path / "note.py"
    note.write_text(f"import sys; open({str(told_to)!r}, 'a').write(sys.stdin.read() + '\\n')", "utf-8")
    subprocess.run(
        [*program, "schedule", TASK, "--name", "waits", "--cron", "0 9 * * *", "--url", address,
         "--wait", "2", "--then", f"{sys.executable} {note}"],
        check=True, timeout=60,
    )  # fmt: skip
    early = subprocess.run([*program, "schedules", "answer", "waits", "2"], check=False, timeout=60)
    assert early.returncode == 2
    with subprocess.Popen([*program, "schedules", "run", "waits"], stdin=subprocess.DEVNULL) as working:
        end = time.monotonic() + 60
        while not schedules.open_question("waits") and time.monotonic() < end:
            time.sleep(0.1)
        question = schedules.open_question("waits")
        assert 'in the row of "Bath"' in subprocess.check_output([*program, "schedules"], text=True)
        answer = number_of(question, "Bath")
        subprocess.run([*program, "schedules", "answer", "waits", answer], check=True, timeout=60)
        assert working.wait(60) == 0
    asked, done = (json.loads(line) for line in told_to.read_text("utf-8").splitlines())
    assert asked["ending"] == "asks" and len(asked["choices"]) == 2
    assert done["answer"] == BATH and done["steps"] == 6
    assert schedules.open_question("waits") == ""
