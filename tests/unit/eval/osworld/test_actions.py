"""OSWorld's action spaces are read, never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.osworld.actions import ActionReader
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import Click, Drag, Press, Scroll, TypeText, Wait
from gui_agent.core.errors import StepFailed
from gui_agent.core.observation import Point, Size
from gui_agent.models.pictures import NOTCH

SIZE = Size(1920, 1080)
P = Point(10, 20)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("pyautogui.click(10, 20)", [Click(P)]),
        ("import pyautogui\nimport time\npyautogui.click(10, 20, clicks=2)", [Click(P, clicks=2)]),
        ("pyautogui.rightClick(x=10, y=20); time.sleep(0.5)", [Click(P, "right"), Wait(0.5)]),
        ("pyautogui.moveTo(10, 20, duration=1)\npyautogui.dragTo(30, 40)", [Drag(P, Point(30, 40))]),
        (
            "pyautogui.mouseDown(10, 20); pyautogui.moveTo(30, 40); pyautogui.mouseUp()",
            [Drag(P, Point(30, 40))],
        ),
        ("pyautogui.keyDown('ctrl'); pyautogui.press('c'); pyautogui.keyUp('ctrl')", [Press(("ctrl", "c"))]),
        ("pyautogui.keyDown('shift'); pyautogui.click(10, 20)", [Click(P, modifiers=("shift",))]),
        ("pyautogui.hotkey('ctrl', 'shift', 't')", [Press(("ctrl", "shift", "t"))]),
        ("pyautogui.typewrite('a<b', interval=0.1)", [TypeText("a<b")]),
        ("pyautogui.press(['down', 'enter'], presses=2)", [Press(("down",), 2), Press(("enter",), 2)]),
        ("pyautogui.scroll(-3, 10, 20)", [Scroll(P, down=3 * NOTCH)]),
        ("pyautogui.hscroll(2, 10, 20)", [Scroll(P, right=2 * NOTCH)]),
        ("DONE", ["DONE"]),
        ("```FAIL```", ["FAIL"]),
        ({"action_type": "CLICK", "parameters": {"x": 10, "y": 20, "num_clicks": 2}}, [Click(P, clicks=2)]),
        (
            {"action_type": "SCROLL", "parameters": {"dx": 0, "dy": 2}},
            [Scroll(Point(960, 540), down=-2 * NOTCH)],
        ),
        ({"action_type": "TYPING", "parameters": {"text": "hi"}}, [TypeText("hi")]),
        ({"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "s"]}}, [Press(("ctrl", "s"))]),
        ({"action_type": "PRESS", "parameters": {"key": "enter"}}, [Press(("enter",))]),
        ({"action_type": "WAIT"}, [Wait(2.0)]),
    ],
)
def test_what_is_said_is_understood(said: Any, meant: list[Any]) -> None:
    assert ActionReader(SIZE).read(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "open('/tmp/ran', 'w').write('x')",
        "__import__('os').system('touch /tmp/ran')",
        "pyautogui.click(*[10, 20])",
        "pyautogui.write(open('/etc/passwd').read())",
        "pyautogui.write(f'{__import__(\"os\")}')",
        "for i in range(3): pyautogui.click(10, 20)",
        "pyautogui.screenshot('x.png')",
        "os.system('x')",
        "pyautogui.click(10 ** 10 ** 10, 1)",
        "(" * 500,
        "pyautogui.click('a', 'b')",
        {"action_type": "EXPLODE"},
        None,
        5,
    ],
)
def test_anything_else_is_refused_and_nothing_of_it_is_done(said: Any) -> None:
    with pytest.raises(StepFailed):
        ActionReader(SIZE).read(said)
    assert not Path("/tmp/ran").exists()


@given(
    st.text()
    | st.dictionaries(st.text(), st.text())
    | st.builds("pyautogui.{}({!r})".format, st.text(), st.text())
)
def test_no_text_breaks_the_reader(said: Any) -> None:
    try:
        ActionReader(SIZE).read(said)
    except StepFailed as error:
        assert str(error)
