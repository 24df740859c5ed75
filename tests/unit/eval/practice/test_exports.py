"""What trainers read of runs: every format's rows, what is left out, and that no secret is in any file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.export import export
from guiagent_eval.exports import FORMATS, Pictures, find_format
from guiagent_eval.practice.kept import kept_runs
from guiagent_eval.practice.turns import Cut, conversation, proposal_of

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Call, Reply
from gui_agent.core.observation import Mark, Point
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Baton, Decision, Turn
from gui_agent.planners.llm.decision_schema import read_text
from gui_agent.planners.llm.replies import Memo

from .conftest import steps, trajectory, write

Keep = Callable[..., Path]
Row = dict[str, Any]
LINES = [name for name in FORMATS if not find_format(name).FILE.endswith(".parquet")]


def told(run: Path, form: str, out: Path, **cut: Any) -> list[Row]:
    module = find_format(form)
    out.mkdir(exist_ok=True)
    pictures = Pictures(out)
    made = [conversation(kept, Cut(**cut)) for kept in kept_runs([str(run)])]
    return [dict(row) for one in made if one for row in module.rows(one, pictures)]


def called(*arguments: object) -> str:
    done = CliRunner().invoke(export, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def answers(messages: list[Row]) -> list[str]:
    return [one["content"] for one in messages if one["role"] == "assistant"]


def test_what_a_planner_without_a_model_did_is_told_as_a_model_would_say_it(
    keep: Keep, tmp_path: Path
) -> None:
    (row,) = told(keep(), "verl-sft", tmp_path, pictures=False)
    roles = [one["role"] for one in row["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "assistant"]
    said = [read_text(answer, Point(0, 0)) for answer in answers(row["messages"])]
    assert [one.action for turn in said for one in turn.actions] == [
        TypeText("Ada", Mark(1), replace=True),
        Click(Mark(2)),
    ]
    assert said[0].thought == "The name is Ada."
    assert said[-1].end is not None and said[-1].end.kind == "finish"
    shown = row["messages"][1]["content"]
    assert "Task: Send the name Ada" in shown and '[1] textbox "Name"' in shown
    assert "images" not in row


def test_trl_reads_calls_with_the_tools_they_are_of_and_the_pictures_in_order(
    keep: Keep, tmp_path: Path
) -> None:
    (row,) = told(keep(), "trl", tmp_path, answers="tools")
    first, second, end = (one for one in row["messages"] if one["role"] == "assistant")
    action = {"kind": "type", "text": "Ada", "at": {"mark": 1}, "replace": True}
    function = {"name": "decide", "arguments": {"thought": "The name is Ada.", "actions": [action]}}
    assert first["tool_calls"] == [{"type": "function", "function": function}]
    assert second["tool_calls"][0]["function"]["arguments"]["actions"][0]["at"] == {"mark": 2}
    assert end["tool_calls"][0]["function"]["arguments"]["end"] == {"kind": "finish"}
    assert [one["function"]["name"] for one in row["tools"]] == ["decide", "look", "read"]
    places = [part for one in row["messages"] for part in one["content"] if part["type"] == "image"]
    assert len(places) == len(row["images"]) == 3
    shown = [(tmp_path / name).read_bytes() for name in row["images"]]
    assert [data.decode("utf-8", "replace").partition(": ")[2] for data in shown] == [
        "()",
        "Ada()",
        "Ada('Thank you',)",
    ]


def test_verl_gives_no_picture_to_a_page_that_names_one(keep: Keep, tmp_path: Path) -> None:
    (row,) = told(keep(said="<image> <video>"), "verl-sft", tmp_path)
    whole = "".join(one["content"] for one in row["messages"])
    assert whole.count("<image>") == len(row["images"]) == 3 and "<video>" not in whole


def test_verl_begins_an_episode_again_by_its_case(episodes: Path, tmp_path: Path) -> None:
    won, lost = told(episodes, "verl-rl", tmp_path)
    assert [one["role"] for one in won["prompt"]] == ["system", "user"]
    assert won["data_source"] == "guiagent/toy"
    assert json.loads(won["reward_model"]["ground_truth"]) == {"task": "form", "seed": 1}
    assert (won["extra_info"]["index"], won["extra_info"]["reward"], lost["extra_info"]["reward"]) == (
        "form/1",
        1.0,
        0.0,
    )
    assert set(won) == {
        "prompt",
        "data_source",
        "ability",
        "reward_model",
        "agent_name",
        "extra_info",
        "images",
    }


def test_openenv_reads_a_record_with_each_call_and_what_came_of_it(episodes: Path, tmp_path: Path) -> None:
    won, lost = told(episodes, "openenv", tmp_path)
    keys = "episode_id messages reward done tool_trace metrics verify_metrics artifacts task extra"
    assert set(won) == set(keys.split())
    assert (won["episode_id"], won["reward"], won["done"]) == ("form/1", 1.0, True)
    typed = won["tool_trace"][0]
    assert (typed["tool_name"], typed["arguments"]["at"]) == ("type", {"mark": 1})
    assert set(typed["result"]) == {"data", "done", "metadata", "error"}
    assert [one["result"]["error"] for one in lost["tool_trace"]] == [None, "NotFound", None, None]
    assert (lost["metrics"]["void_turns"], lost["metrics"]["first_error"], lost["metrics"]["steps"]) == (
        1,
        0,
        4,
    )


def test_arpo_reads_messages_with_their_pictures_the_reward_and_the_task(
    episodes: Path, tmp_path: Path
) -> None:
    won, _ = told(episodes, "arpo", tmp_path)
    assert set(won) == {"history_messages", "eval_results", "task_configs"}
    assert won["task_configs"] | {"id": "form/1", "seed": 1} == won["task_configs"]
    images = [part for one in won["history_messages"] for part in one["content"] if part["type"] == "image"]
    assert len(images) == 3 and images[0]["image"].startswith("data:image/png;base64,")
    assert (images[0]["min_pixels"], images[0]["max_pixels"]) == (3136, 2116800)


def test_os_genesis_reads_triples_that_share_their_states(keep: Keep, tmp_path: Path) -> None:
    first, second = told(keep(void=True), "os-genesis", tmp_path)
    pairs = {f"{part}_{when}" for part in ("screen", "a11y", "state") for when in ("before", "after")}
    assert set(first) == pairs | {"action", "url", "website_name", "instruction"}
    assert first["state_after"] == second["state_before"] != first["state_before"]
    assert (
        first["a11y_after"].endswith('[3] button "Reset"')
        and '[1] textbox "Name" = "Ada"' in first["a11y_after"]
    )
    assert (tmp_path / first["screen_before"]).read_bytes() != (tmp_path / first["screen_after"]).read_bytes()


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ({}, ["Eve", "", "Ada", "", ""]),
        ({"void": "drop"}, ["Eve", "Ada", "", ""]),
        ({"void": "skip"}, None),
        ({"until_error": True}, None),
        ({"last": 2}, ["", ""]),
        ({"last": 3, "void": "drop"}, ["Ada", "", ""]),
    ],
)
def test_turns_are_left_out_as_asked(keep: Keep, tmp_path: Path, cut: Row, said: list[str] | None) -> None:
    rows = told(keep(wrong=True, void=True), "verl-sft", tmp_path, **cut)
    texts = [[_typed(answer) for answer in answers(row["messages"])] for row in rows]
    assert texts == ([said] if said is not None else [])
    if cut.get("last") == 2:
        assert "What has been done so far" in rows[0]["messages"][1]["content"]
        assert "1. Type" in rows[0]["messages"][1]["content"]


def _typed(answer: str) -> str:
    actions = read_text(answer, Point(0, 0)).actions
    return actions[0].action.text if actions and isinstance(actions[0].action, TypeText) else ""


def test_the_command_exports_what_was_won_and_does_not_write_over_a_file(
    episodes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    assert "1 rows of 1 runs, 1 left out" in called(
        episodes, "--format", "openenv", "--only", "won", "--out", out
    )
    assert json.loads((out / "metadata.json").read_text())["rows"] == 1
    again = CliRunner().invoke(export, [str(episodes), "--format", "openenv", "--out", str(out)])
    assert "exists" in str(again.exception)


def test_the_command_exports_what_a_judge_calls_a_success(episodes: Path, tmp_path: Path) -> None:
    said = tmp_path / "judgements.jsonl"
    said.write_text('{"run": "form/1", "success": false}\n{"run": "form/2", "success": true}\n')
    chosen = ("--only", "judged", "--judgements", said)
    assert "1 rows of 1 runs" in called(episodes, "--format", "openenv", *chosen, "--out", tmp_path / "data")
    (line,) = (tmp_path / "data" / "results.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["episode_id"] == "form/2"


def test_the_answers_of_a_model_are_told_as_they_came(tmp_path: Path) -> None:
    taken = steps("Ada")
    arguments = {
        "thought": "Both at once.",
        "actions": [proposal_of(step) for step in taken],
        "plan": "Send it.",
    }
    call = Call("c7", "decide", arguments)
    memo = Memo(Reply("", calls=(call,), stop="calls"), taken=2, most=5).as_text()
    planned = tuple(step.planned for step in taken)
    wrapped = encode(Baton(0, memo)).decode()  # as a cascade keeps what its planners remember
    decision = Decision(planned=planned, bookmark=wrapped, planner="model")
    run = write(
        tmp_path, replace(trajectory("Ada", taken), turns=(Turn(decision, taken[0].before, tuple(taken)),))
    )
    (row,) = told(run, "trl", tmp_path / "out", answers="tools")
    (said,) = (one["tool_calls"] for one in row["messages"] if one["role"] == "assistant")
    assert said == [{"type": "function", "function": {"name": "decide", "arguments": arguments}}]


@pytest.mark.parametrize("form", LINES)
def test_no_known_secret_is_in_any_exported_file(
    form: str, keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_DOOR", "Xyzzy-4711-plugh")
    run, out = keep("Xyzzy-4711-plugh"), tmp_path / "data"
    called(run, "--format", form, "--no-pictures", "--out", out)
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) == 2
    for path in files:
        found = path.read_text("utf-8")
        clean = Redactor({"DOOR": "Xyzzy-4711-plugh"}).text(found) == found
        assert clean, path
        assert ("${secret:DOOR}" in found) == (path.name != "metadata.json")
