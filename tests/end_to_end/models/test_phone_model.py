"""A model behind a real HTTP server does the tasks of the simulated phone; it knows only what it is sent."""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import make
from guiagent_eval.episodes import run_episode
from phones import adb_server, any_adb
from PIL import Image

from gui_agent.core.observation import Box
from gui_agent.settings import Settings, override
from tests.contract.models.conftest import Service, images
from tests.end_to_end.models import phone_model

pytestmark = pytest.mark.nightly

SOME = ("new-contact", "two-messages", "delete-note", "archive-mail")
LEAST = 36


@pytest.fixture(scope="module", autouse=True)
def adb() -> Iterator[None]:
    with adb_server(any_adb()):
        yield


def scores(
    service: Service, folder: Path, tasks: tuple[str, ...], model: str = "scripted"
) -> dict[str, tuple[bool, str]]:
    if not service.script:
        numbers = itertools.count()
        service.script = [lambda body: phone_model.through_tools(body, lambda: next(numbers))]
    given = {
        "guard": open_policy(),
        "limits": {"seconds": 120},
        "model": {"name": f"{service.url}/v1#{model}"},
    }
    settings = override(Settings(), given)
    recipe = Recipe("apps", str(folder), settings.model_dump(mode="json"), {"goal": True}, "model")
    benchmark, solver = make(recipe, Knowledge(recipe))
    found = {}
    for name in benchmark.tasks("phone"):
        if not tasks or name.partition(".")[2] in tasks:
            record = run_episode(benchmark, solver, Case(name, 0))
            found[name] = (record.success, record.ending)
    return found


def test_tasks_are_done_from_the_list_of_elements_alone(service: Service, tmp_path: Path) -> None:
    found = scores(service, tmp_path, SOME)
    assert found == {f"phone.{name}": (True, "done") for name in SOME}


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

        return phone_model.through_pictures(body, words, phone_model.in_qwen)

    service.script = [answer]
    found = scores(service, tmp_path, (task,), "GUI-Owl-1.5-8B")
    assert found == {f"phone.{task}": (True, "done")}
    assert not re.search(r"\[\d+\] (button|list)", str(service.asked[0].body)), "no list of elements is sent"


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_of_the_forty_tasks_a_model_does_thirty_six_and_is_never_wrong(
    service: Service, tmp_path: Path
) -> None:
    found = scores(service, tmp_path, ())
    assert len(found) == 40
    assert sum(success for success, _ in found.values()) >= LEAST, found
    assert not [name for name, (success, ending) in found.items() if ending == "done" and not success]
