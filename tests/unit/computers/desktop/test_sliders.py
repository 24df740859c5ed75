"""A slider is moved by keys until it shows the number, or is not done."""

from __future__ import annotations

import pytest
from fakes import FakeDevice, node, window

from gui_agent.computers.desktop import fields
from gui_agent.computers.desktop.acting import Acting
from gui_agent.computers.desktop.parts import Node
from gui_agent.core.actions import TypeText
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point

AT = Point(5, 5)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "SLIDING", 0.05)


class Slider(FakeDevice):
    """A slider that a click moves to where it is clicked, and keys by a step."""

    def __init__(self, step: float, clicked: float = 50.0, most: float = 100.0) -> None:
        super().__init__(window(1, active=True))
        self.value, self._step, self._clicked, self._most = 0.0, step, clicked, most

    def press_button(self, button: str) -> None:
        self.value = self._clicked

    def press_key(self, key: str) -> None:
        ways = {"right": self._step, "left": -self._step, "home": -self.value}
        self.value = min(max(self.value + ways[key], 0.0), self._most)

    def nodes(self) -> list[Node]:
        return [node("slider", "slider", "Volume", value=f"{self.value:.6g}")]


def slid(device: Slider, text: str) -> float:
    Acting(device, device.nodes, lambda _: device.nodes()[0]).perform(TypeText(text, AT, replace=True))
    return device.value


@pytest.mark.parametrize(
    ("device", "text", "value"),
    [
        (Slider(1), "70", 70),
        (Slider(1), "12 %", 12),
        (Slider(1, clicked=49.6), "70", 70),
        (Slider(0.05, clicked=0.5, most=1), "0.3", 0.3),
        (Slider(-1), "70", 70),
        (Slider(10), "70", 70),
    ],
)
def test_a_slider_is_moved_to_the_number(device: Slider, text: str, value: float) -> None:
    assert slid(device, text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("device", "text", "why"),
    [
        (Slider(0), "70", "stays at 0 and does not reach 70"),
        (Slider(10), "77", "does not reach 77"),
        (Slider(1), "loud", "takes a number only"),
    ],
)
def test_a_slider_that_does_not_come_to_the_number_is_not_done(device: Slider, text: str, why: str) -> None:
    with pytest.raises(ActionFailed, match=why):
        slid(device, text)


def test_a_slider_that_tells_no_value_is_not_typed_into() -> None:
    slider = node("slider", "slider", "Volume")
    device = FakeDevice(window(1, active=True))
    with pytest.raises(ActionFailed, match="does not report its value"):
        Acting(device, lambda: [slider], lambda _: slider).perform(TypeText("70", AT, replace=True))
    assert device.told == []
