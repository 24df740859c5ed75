"""The scripted model reads requests as they are written, and is wrong on purpose where its kind says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from guiagent_eval.model_path.answerer import SLIP, AnswerScript, answer
from guiagent_eval.model_path.screen import find, items_on_screen

WAY = ("click New", "fill Name = Ada", "tick Member", "click button:Save")
FIRST = '⟦screen\n[1] link "New" | [2] text\n[3] Row 1 | [4] button "Edit"\n/screen⟧'
FIELDS = '[5] Name: [6] textbox\n[7] checkbox for "Member"\n[8] button "Save"'
FORM = f"⟦screen\n[1] to [2] as before\n{FIELDS}\n/screen⟧"


def asked(*contents: str, plan: str = "") -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "-"}]
    messages += [{"role": "user", "content": one} for one in contents[:-1]]
    if plan:
        function = {"name": "decide", "arguments": json.dumps({"plan": [plan]})}
        messages.append({"role": "assistant", "content": None, "tool_calls": [{"function": function}]})
    return {"tools": [{}], "messages": [*messages, {"role": "tool", "content": contents[-1]}]}


def decided(body: dict[str, Any], script: AnswerScript) -> dict[str, Any]:
    call = answer(body, script)["tool_calls"][0]["function"]
    given: dict[str, Any] = json.loads(call["arguments"])
    return given


def test_what_is_as_before_is_still_there_also_under_other_numbers() -> None:
    moved = "⟦screen\n[11] to [14] as [1] to [4] before\n/screen⟧"
    assert [(one.mark, one.name) for one in items_on_screen([FIRST, moved])] == [
        (11, "New"), (12, "text"), (13, "Row 1"), (14, "Edit")
    ]  # fmt: skip
    assert [one.mark for one in items_on_screen([FIRST, FORM])] == [1, 2, 5, 6, 7, 8]
    gone = "⟦screen\n[1] to [2] as before\n[9] Row 2\n[4] to [4] as before\n/screen⟧"
    still = "⟦screen\n[1] to [4] as before\n/screen⟧"
    assert [one.mark for one in items_on_screen([FIRST, gone, still])] == [1, 2, 9, 4]
    # A page that is back is listed by its own numbers, although another one was there in between.
    other = '⟦screen\n[20] button "Save"\n/screen⟧'
    assert [one.mark for one in items_on_screen([FIRST, other, still])] == [1, 2, 3, 4]


def test_a_thing_is_found_by_its_role_its_row_or_its_place() -> None:
    listed = items_on_screen(['⟦screen\n[1] Ada | [2] button "Edit"\n[3] Bob | [4] button "Edit"\n/screen⟧'])
    found = [find(listed, words) for words in ("Edit @ Bob", "button:#-1", "text:Ada", "Nobody")]
    assert [one and one.mark for one in found] == [4, 4, 1, None]


def test_right_answers_are_batched_until_the_screen_changes() -> None:
    first = decided(asked(FIRST), AnswerScript(WAY))
    assert first["actions"] == [{"kind": "click", "at": {"mark": 1}}]
    told = f"⟦outcome\n1. Click link New: worked\n/outcome⟧\n{FORM}"
    second = decided(asked(FIRST, told, plan=first["plan"][0]), AnswerScript(WAY))
    assert [one["kind"] for one in second["actions"]] == ["type", "check", "click"]
    assert [one["at"]["mark"] for one in second["actions"]] == [6, 7, 8]


def test_what_did_not_work_is_done_again() -> None:
    told = f"⟦outcome\n1. Click link New: FAILED\n/outcome⟧\n{FIRST}"
    again = decided(asked(FIRST, told, plan="plan 0 1 0 1 0"), AnswerScript(WAY))
    assert again["actions"] == [{"kind": "click", "at": {"mark": 1}}] and "plan 0 1 1 2 0" in again["plan"]


def test_each_second_answer_of_a_clumsy_model_is_a_slip_of_another_kind() -> None:
    thoughts = set()
    for number in range(1, 11, 2):
        body = asked(f"[99] {FIRST}", FIRST, plan=f"plan 1 1 0 {number} 0")
        thoughts.add(decided(body, AnswerScript(WAY, "clumsy"))["thought"])
        right = asked(FIRST, FIRST, plan=f"plan 1 1 0 {number + 1} 0")
        assert not decided(right, AnswerScript(WAY, "clumsy"))["thought"]
    slips = ("wrong words", "repetition", "missed mark", "too early", "stale mark")
    assert thoughts == {SLIP + one for one in slips}


def test_a_misled_model_turns_back_once_its_end_is_refused() -> None:
    script = AnswerScript(WAY, "misled", ("click Edit",))
    assert decided(asked(FIRST), script)["actions"] == [{"kind": "click", "at": {"mark": 4}}]
    ended = decided(asked(FIRST, FIRST, plan="plan 1 1 0 1 0"), script)
    assert ended["end"] == {"kind": "finish"} and ended["thought"].startswith(SLIP)
    back = asked(FIRST, f"{FIRST}\nNote: The task is not done yet: ...", plan="plan 1 1 0 2 0")
    assert decided(back, script)["actions"] == [{"kind": "click", "at": {"mark": 1}}]


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (('Click link "New"', 'Type "Ada" into "Name"', 'Tick "Member"', 'Click button "Save"'), "DONE"),
        (('Click link "New"', 'Type "Ada" into "Name"', 'Tick "Member"'), "MISSING: click button:Save"),
        (
            ('Click link "New"', *['Type "Ada" into "Name"'] * 2, 'Tick "Member"', 'Click button "Save"'),
            "MISSING: what was not asked for",
        ),
    ],
)
def test_the_verdict_is_done_only_if_the_history_has_the_way_and_nothing_besides(
    lines: tuple[str, ...], verdict: str
) -> None:
    history = "\n".join(f"{number}. {line}: worked" for number, line in enumerate(lines, 1))
    body = {"messages": [{"role": "user", "content": f"⟦history\n{history}\n/history⟧"}]}
    assert answer(body, AnswerScript(WAY))["content"].startswith(verdict)
