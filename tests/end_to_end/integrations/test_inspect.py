"""The parts for Inspect, run by Inspect with its mock model on a real page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.inspect import miniwob, reads_only
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall, ToolCallView

pytestmark = pytest.mark.nightly


def says(*calls: tuple[str, dict[str, str]]) -> Any:
    """The mock model that makes these calls; with its usage, which Inspect would need a download to count."""
    outputs = [ModelOutput.for_tool_call("mockllm/model", name, given) for name, given in calls]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs)


def test_the_mock_model_solves_a_task_and_the_page_scores_it(home: Path) -> None:
    model = says(("look", {}), ("act", {"commands": 'click "Click Me!"'}), ("submit", {"answer": "done"}))
    (log,) = evaluate(miniwob(), model=model, log_dir=str(home / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert log.samples is not None
    seen = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "Click Me!" in seen[0]


def test_a_task_that_is_not_done_scores_nothing(home: Path) -> None:
    model = says(("submit", {"answer": "done"}))
    (log,) = evaluate(miniwob(), model=model, log_dir=str(home / "logs"), display="none")
    assert log.results is not None and log.results.scores[0].metrics["accuracy"].value == 0.0


@pytest.mark.parametrize(
    ("function", "commands", "decision"),
    [
        ("look", "", "approve"),
        ("act", 'read "Total"', "approve"),
        ("act", 'click "Send"', "escalate"),
        ("act", 'read "Total", click "Send"', "escalate"),
        ("act", "whatever you like", "escalate"),
    ],
)
def test_what_only_reads_is_approved(function: str, commands: str, decision: str) -> None:
    arguments: dict[str, Any] = {"commands": commands} if commands else {}
    call = ToolCall(id="1", function=function, arguments=arguments)
    assert asyncio.run(reads_only()("", call, ToolCallView(), [])).decision == decision
