"""Each text form of actions: what is understood, what is refused, and that nothing is ever run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import (
    Back,
    Click,
    Drag,
    Hold,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Proposal,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Wait,
)
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point, Size
from gui_agent.core.trajectory import Ask, Finish, GiveUp
from gui_agent.models.dialects import PointerContext, pointing, pyautogui, qwen, uitars
from gui_agent.models.families import FAMILIES
from gui_agent.models.pictures import Space

SCREEN = Size(1000, 800)
WHERE = PointerContext(Space(SCREEN, 1000, 800))
AT = Point(10, 20)


def tars(action: str) -> tuple[Proposal, ...]:
    return uitars.read_lines(f"Thought: hm\nAction: {action}", WHERE).proposals


def tool(**arguments: Any) -> tuple[Proposal, ...]:
    return qwen.read(f"<tool_call>{json.dumps({'arguments': arguments})}</tool_call>", WHERE).proposals


def code(*lines: str) -> tuple[Proposal, ...]:
    return pyautogui.read("```python\n" + "\n".join(lines) + "\n```", WHERE).proposals


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("click(start_box='(10,20)')", [Click(AT)]),
        ("click(start_box='<|box_start|>(10,20)<|box_end|>')", [Click(AT)]),
        ("click(point='<point>10 20</point>')", [Click(AT)]),
        ("click(start_box='[5, 10, 15, 30]')", [Click(AT)]),
        ("left_double(point='<point>10 20</point>')", [Click(AT, "left", 2)]),
        ("right_single(start_box='(10,20)')", [Click(AT, "right")]),
        ("drag(start_box='(10,20)', end_box='(30,40)')", [Drag(AT, Point(30, 40))]),
        ("hotkey(key='ctrl c')", [Press(("ctrl", "c"))]),
        ("hotkey(key='ctrl+shift+t')", [Press(("ctrl", "shift", "t"))]),
        ("type(content='it\\'s \"fine\", (really)')", [TypeText('it\'s "fine", (really)')]),
        ("type(content='it's start_box=(1,2) here')", [TypeText("it's start_box=(1,2) here")]),
        ("type(content='two\nlines')", [TypeText("two\nlines")]),
        ("type(content='go\\n')", [TypeText("go"), Press(("enter",))]),
        ("scroll(point='<point>10 20</point>', direction='down')", [Scroll(AT, 600)]),
        ("scroll(direction='left')", [Scroll(Point(500, 400), 0, -600)]),
        ("wait()", [Wait(5.0)]),
        ("long_press(point='<point>10 20</point>')", [LongPress(AT)]),
        ("open_app(app_name='Maps')", [Open("Maps")]),
        ("press_back()", [Back()]),
        ("click(start_box='(10,20)')\n\ntype(content='x')", [Click(AT), TypeText("x")]),
    ],
)
def test_ui_tars_actions(action: str, expected: list[Proposal]) -> None:
    assert list(tars(action)) == expected


def test_ui_tars_says_its_thought_and_its_end() -> None:
    said = uitars.read_lines("Thought: All done.\nAction: finished(content='42')", WHERE)
    assert (said.thought, said.end) == ("All done.", Finish("42"))
    assert uitars.read_lines("Action: call_user()", WHERE).end == Ask("What should be done now?")


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\\\r"), min_size=1, max_size=60))
def test_ui_tars_types_every_text_that_is_quoted_rightly(text: str) -> None:
    quoted = text.replace("'", "\\'").replace("\n", "\\n")
    typed = tars(f"type(content='{quoted}')")
    words = "".join(action.text for action in typed if isinstance(action, TypeText))
    assert words == text.removesuffix("\n")


def test_functions_in_tags_come_several_at_once() -> None:
    text = (
        "<gui_think>Fill it.</gui_think><seed:tool_call>"
        "<function=click><parameter=point><point>10 20</point></parameter></function>"
        "<function=type><parameter=content>a < b & 'c'</parameter></function></seed:tool_call>"
    )
    said = uitars.read_tagged(text, WHERE)
    assert said.thought == "Fill it."
    assert said.proposals == (Click(AT), TypeText("a < b & 'c'"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "left_click", "coordinate": [10, 20]}, [Click(AT)]),
        ({"action": "click", "coordinate": ["10", "20"]}, None),
        ({"action": "triple_click", "coordinate": [10, 20]}, [Click(AT, "left", 3)]),
        ({"action": "mouse_move", "coordinate": [10, 20]}, [Move(AT)]),
        ({"action": "drag", "coordinate": [10, 20], "coordinate2": [30, 40]}, [Drag(AT, Point(30, 40))]),
        ({"action": "swipe", "coordinate": [10, 20], "coordinate2": [30, 40]}, [Swipe(AT, Point(30, 40))]),
        ({"action": "scroll", "pixels": -5, "coordinate": [10, 20]}, [Scroll(AT, 600)]),
        ({"action": "scroll", "pixels": 500}, [Scroll(Point(500, 400), -500)]),
        ({"action": "hscroll", "pixels": 2}, [Scroll(Point(500, 400), 0, 240)]),
        ({"action": "key", "keys": ["ctrl", "S"]}, [Press(("ctrl", "S"))]),
        ({"action": "type", "text": "hi", "enter": True}, [TypeText("hi"), Press(("enter",))]),
        ({"action": "type", "text": "hi", "coordinate": [10, 20], "clear": 1}, [TypeText("hi", AT, True)]),
        ({"action": "wait", "time": 999}, [Wait(60.0)]),
        ({"action": "system_button", "button": "Back"}, [Back()]),
        ({"action": "visit_url", "url": "https://example.org"}, [Navigate("https://example.org")]),
        ({"action": "history_back"}, [Back()]),
        ({"action": "switch_tab", "text": "Invoices"}, [Switch("Invoices")]),
        ({"action": "left_click_drag", "coordinate": [30, 40]}, None),
    ],
)
def test_qwen_actions(arguments: dict[str, Any], expected: list[Proposal] | None) -> None:
    if expected is None:
        with pytest.raises(BadReply):
            tool(**arguments)
    else:
        assert list(tool(**arguments)) == expected


def test_qwen_is_offered_addresses_and_tabs_in_browsers_alone() -> None:
    for platform, has in (("browser", True), ("x11", False), ("android", False)):
        told = qwen.CALLS.actions(WHERE.space, platform)
        assert [name in told for name in ("visit_url", "history_back", "switch_tab", '"url"')] == [has] * 4


def test_qwen_drags_from_where_the_pointer_was_left() -> None:
    move = '<tool_call>{"arguments": {"action": "mouse_move", "coordinate": [10, 20]}}</tool_call>'
    drag = '<tool_call>{"arguments": {"action": "left_click_drag", "coordinate": [30, 40]}}</tool_call>'
    assert qwen.read(move + drag, WHERE).proposals[-1] == Drag(AT, Point(30, 40))


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        ({"action": "terminate", "status": "success"}, Finish("")),
        ({"action": "terminate", "status": "failure"}, GiveUp("the model ended the task as failed")),
        ({"action": "answer", "text": "42"}, Finish("42")),
        ({"action": "interact", "text": "Which?"}, Ask("Which?")),
    ],
)
def test_qwen_ends(arguments: dict[str, Any], end: Any) -> None:
    said = qwen.read(f"<tool_call>{json.dumps({'arguments': arguments})}</tool_call>", WHERE)
    assert said.end == end


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["pyautogui.click(x=10, y=20)"], [Click(AT)]),
        (["import pyautogui", "pyautogui.click(10, 20, clicks=2)"], [Click(AT, "left", 2)]),
        (["pyautogui.rightClick(10, 20)"], [Click(AT, "right")]),
        (["computer.triple_click(x=10, y=20)"], [Click(AT, "left", 3)]),
        (["pyautogui.moveTo(10, 20)", "pyautogui.dragTo(30, 40, button='left')"], [Drag(AT, Point(30, 40))]),
        (["pyautogui.scroll(-5)"], [Scroll(Point(500, 400), 600)]),
        (["pyautogui.write('hi')", "pyautogui.press('enter')"], [TypeText("hi"), Press(("enter",))]),
        (["pyautogui.hotkey('ctrl', 'c')"], [Press(("ctrl", "c"))]),
        (["pyautogui.hotkey(['ctrl', 'c'])"], [Press(("ctrl", "c"))]),
        (
            ["pyautogui.keyDown('shift')", "pyautogui.click(10, 20)", "pyautogui.keyUp('shift')"],
            [Click(AT, "left", 1, ("shift",))],
        ),
        (["time.sleep(2)"], [Wait(2.0)]),
        (["computer.hold('a', 2)"], [Hold(("a",), 2.0)]),
    ],
)
def test_pyautogui_calls(lines: list[str], expected: list[Proposal]) -> None:
    assert list(code(*lines)) == expected


@pytest.mark.parametrize(
    "line",
    [
        "__import__('os').system('touch /tmp/never')",
        "os.system('x')",
        "pyautogui.click(x=int('1'), y=2)",
        "pyautogui.click(**{'x': 1, 'y': 2})",
        "pyautogui.write(open('/etc/passwd').read())",
        "pyautogui.write(f'{1}')",
        "x = 3",
        "for i in range(3): pyautogui.click(1, 2)",
        "import os",
        "pyautogui.__class__()",
        "pyautogui.click.__call__(1, 2)",
        "(lambda: 1)()",
        "pyautogui.click(1, 2, 3, 4, 5, 6, 7)",
        "pyautogui.click(True, False)",
        "pyautogui.click(10 ** 9, 2)",
        "pyautogui.click(",
        "pyautogui.screenshot('/tmp/x')",
        "pyautogui.click()",
        "pyautogui.keyUp('a')",
    ],
)
def test_code_that_is_more_than_plain_calls_is_refused(line: str) -> None:
    with pytest.raises(BadReply) as caught:
        code(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text", "at"),
    [
        (pointing.read_pair, "(10, 20)", AT),
        (pointing.read_pair, "<think>(1, 2)</think> it is [10,20]", AT),
        (pointing.read_box, "[[0, 10, 20, 30]]", AT),
        (pointing.read_box, "<|box_start|>(0,10),(20,30)<|box_end|>", AT),
        (pointing.read_object, '{"action": "click_absolute", "x": 10, "y": 20}', AT),
        (pointing.read_object, "the point (10, 20)", AT),
    ],
)
def test_pointing_forms(read: Any, text: str, at: Point) -> None:
    assert read(text, WHERE).proposals == (Click(at),)


READERS = sorted(
    {(row.dialect.name, row.dialect.read) for row in FAMILIES if row.dialect}, key=lambda it: it[0]
)


@pytest.mark.parametrize(("name", "read"), READERS)
@given(
    text=st.one_of(
        st.text(max_size=200),
        st.text(max_size=60).map(lambda inner: f"Action: {inner}"),
        st.text(max_size=60).map(lambda inner: f"Action: click(start_box='{inner}')"),
        st.text(max_size=60).map(lambda inner: f"<tool_call>{inner}</tool_call>"),
        st.text(max_size=60).map(lambda inner: f"```python\npyautogui.{inner}\n```"),
        st.text(max_size=60).map(lambda inner: f"<function=click>{inner}</function>"),
        st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4).map(
            lambda value: (
                "<tool_call>"
                + json.dumps({"arguments": {"action": "left_click", "coordinate": value}})
                + "</tool_call>"
            )
        ),
    )
)
def test_any_text_is_read_or_refused_in_one_line(name: str, read: Any, text: str) -> None:
    try:
        said = read(text, WHERE)
    except BadReply as error:
        assert str(error)
    else:
        assert said.proposals or said.end or "tool_call" in text or "```" in text
