"""A computer that is none of ours is recorded and shown by what it brings for that."""

from __future__ import annotations

from PIL import Image

from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.core.protocols import Recorder
from gui_agent.integrations.runs import grabber
from gui_agent.testing import FakeComputer, screen
from gui_agent.wiring import make_recorder


class Kiosk(FakeComputer):
    """It counts the recorders that were asked for."""

    platform = "kiosk"

    def __init__(self) -> None:
        super().__init__(screen())
        self.keeps_to_itself: list[bool] = []

    def make_recorder(self, secrecy: Secrecy) -> Recorder:
        self.keeps_to_itself.append(secrecy.all_typed)
        return ...  # type: ignore[return-value]

    def grab(self) -> Image.Image:
        return Image.new("RGB", (3, 2))


def test_a_computer_that_brings_its_recorder_is_recorded() -> None:
    kiosk = Kiosk()
    make_recorder(kiosk, all_typed=True)
    assert kiosk.keeps_to_itself == [True]


def test_a_computer_that_gives_pictures_is_shown() -> None:
    assert grabber(Kiosk())().size == (3, 2)
