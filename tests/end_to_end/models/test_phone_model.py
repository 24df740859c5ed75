"""A model behind a real HTTP server does tasks of the simulated phone from the pictures that it is sent."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from guiagent_eval.app_catalogue import asked_wording, task_called
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import make
from guiagent_eval.episodes import run_episode
from guiagent_eval.model_path.solver import script
from phones import adb_server, any_adb
from PIL import Image

from gui_agent.core.observation import Box
from gui_agent.settings import Settings, override
from tests.contract.models.conftest import Service, images
from tests.end_to_end.models import phone_model

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module", autouse=True)
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


@pytest.mark.parametrize("task", ["new-contact", "wifi-on"])
def test_tasks_are_done_from_pictures_alone_in_the_dialect_of_phones(
    service: Service, tmp_path: Path, task: str
) -> None:
    reader = pytest.importorskip("gui_agent.computers.vision.ocr").TextReader()

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        def words() -> list[phone_model.Word]:
            with Image.open(io.BytesIO(base64.b64decode(images(body)[-1]))) as picture:
                pixels = numpy.asarray(picture.convert("RGB"))
            wide, high = pixels.shape[1], pixels.shape[0]
            lines = reader.lines(pixels, Box(0, 0, wide, high))
            return [(o.text, o.box.center.x * 1000 // wide, o.box.center.y * 1000 // high) for o in lines]

        return phone_model.through_pictures(body, way, words, phone_model.in_qwen)

    case = Case(f"phone.{task}", 0)
    way = script(case, asked_wording(task_called(case.task)[1], 0, goal=True)[1]).way
    service.script = [answer]
    given = {
        "guard": open_policy(),
        "limits": {"seconds": 120},
        "model": {"name": f"{service.url}/v1#GUI-Owl-1.5-8B"},
    }
    settings = override(Settings(), given)
    recipe = Recipe("apps", str(tmp_path), settings.model_dump(mode="json"), {"goal": True}, "model")
    record = run_episode(*make(recipe, Knowledge(recipe)), case)
    assert record.success and record.ending == "done", record.reason
    assert not re.search(r"\[\d+\] (button|list)", str(service.asked[0].body)), "no list of elements is sent"
