"""A policy may answer in the language that it was trained on; what it says is read, and never run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guiagent_eval.practice.spoken import reply_of

from gui_agent.core import actions as do
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Mark, Point, Size
from gui_agent.core.trajectory import Decision, Finish
from gui_agent.planners.llm.replies import decision

SIZE = Size(160, 210)
AT = Point(50, 100)
CALL = {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [50, 100]}}
DECIDED = {"actions": [{"kind": "click", "at": {"mark": 2}}]}


def decided(said: str) -> Decision:
    return decision(reply_of(said, SIZE), batch=5, name="outside", screen=SIZE)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (json.dumps(DECIDED), do.Click(Mark(2))),
        (json.dumps({"name": "decide", "arguments": DECIDED}), do.Click(Mark(2))),
        ("click('2')", do.Click(Mark(2))),
        ("fill('3', 'it\\'s (5)')", do.TypeText("it's (5)", Mark(3), replace=True)),
        ("select_option('4', 'Peru')", do.Choose(Mark(4), "Peru")),
        ("keyboard_press('ctrl+a')", do.Press(("ctrl", "a"))),
        ("go_back()", do.Back()),
        ("pyautogui.click(50, 100)", do.Click(AT)),
        ("I see it.\n```python\npyautogui.click(x=50, y=100)\n```", do.Click(AT)),
        ("Thought: there.\nAction: click(start_box='(50,100)')", do.Click(AT)),
        ("<function=click><parameter=point><point>50 100</point></parameter></function>", do.Click(AT)),
        (f"It is there.\n<tool_call>{json.dumps(CALL)}</tool_call>", do.Click(AT)),
        (json.dumps(CALL), do.Click(AT)),
    ],
)
def test_an_answer_is_read_in_the_language_that_it_is_in(said: str, meant: do.Proposal) -> None:
    (planned,) = decided(said).planned
    assert planned.action == meant


@pytest.mark.parametrize("said", ["send_msg_to_user('5')", "Action: finished(content='5')"])
def test_an_end_is_read_with_its_answer(said: str) -> None:
    assert decided(said).end == Finish("5")


@pytest.mark.parametrize(
    "said",
    [
        "click(__import__('pathlib').Path('ran').touch())",
        "pyautogui.click(__import__('pathlib').Path('ran').touch())",
        "```python\nimport pathlib; pathlib.Path('ran').touch(); pyautogui.click(1, 1)\n```",
        "click('two')",
        "pyautogui.click(500, 100)",
        "fly('2')",
        "go on",
    ],
)
def test_what_cannot_be_read_is_told_and_never_run(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadReply):
        decided(said)
    assert not Path("ran").exists()
