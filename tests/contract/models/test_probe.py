"""The probe finds out what a model's coordinates mean."""

from __future__ import annotations

import io
import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from gui_agent.models import RemoteModel, probe
from gui_agent.models.probe import SPOTS
from tests.contract.models.conftest import Answer, Service, chat, images

UNITS: dict[str, Callable[[float, float, int, int], tuple[float, float]]] = {
    "sent": lambda x, y, width, height: (round(x * width), round(y * height)),
    "thousand": lambda x, y, width, height: (round(x * 1000), round(y * 1000)),
    "unit": lambda x, y, width, height: (round(x, 4), round(y, 4)),
}


def _speaking(units: str) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:
        asked = json.dumps(body["messages"])
        (at,) = [spot for colour, _, spot in SPOTS if f"the {colour} square" in asked]
        with Image.open(io.BytesIO(b64decode(images(body)[-1]))) as image:
            width, height = image.size
        x, y = UNITS[units](at.x / 1280, at.y / 800, width, height)
        return chat(
            f'<tool_call>{{"arguments": {{"action": "left_click", "coordinate": [{x}, {y}]}}}}</tool_call>'
        )

    return answer


@pytest.mark.parametrize(
    ("name", "units", "fits", "words"),
    [
        ("Qwen3-VL-8B", "thousand", True, "grid of 1000"),
        ("Qwen2.5-VL-7B", "sent", True, "picture sent"),
        ("Qwen2.5-VL-7B", "thousand", False, "grid of 1000"),
        ("Qwen3-VL-8B", "unit", False, "parts of 1"),
    ],
)
def test_the_convention_is_recognised(
    opened: Callable[..., RemoteModel], service: Service, name: str, units: str, fits: bool, words: str
) -> None:
    service.script = [_speaking(units)]
    found = probe(opened(name))
    assert found.fits is fits and words in found.convention
    assert found.error is not None and found.error <= 3
    assert len(service.asked) == len(SPOTS)
    if name == "Qwen2.5-VL-7B" and not fits:
        assert found.families[0] == "qwen3-vl"


def test_a_model_that_does_not_point_is_reported(
    opened: Callable[..., RemoteModel], service: Service
) -> None:
    service.script = [Answer(chat("I cannot see anything."))]
    found = probe(opened("Qwen3-VL-8B"))
    assert not found.fits and found.convention == "" and found.error is None
    assert all(shot.fault for shot in found.shots)
