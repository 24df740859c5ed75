"""The parts for Inspect, run by Inspect with its mock model on a real page.

Inspect takes 6 processor seconds to import: only where a test runs,
as every worker of a quick run reads this file.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.nightly


def says(*calls: tuple[str, dict[str, str]]) -> Any:
    """The mock model that makes these calls; with its usage, which Inspect would need a download to count."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.for_tool_call("mockllm/model", name, given) for name, given in calls]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs)


def score(model: Any, home: Path, **given: Any) -> Any:
    """The log of the task that the model does, found by the name that the documents give."""
    from inspect_ai import eval as evaluate

    logs = str(home / "logs")
    (log,) = evaluate(
        "guiagent_eval/miniwob", model=model, task_args=given, log_dir=logs, display="none", max_samples=1
    )
    return log


def test_the_mock_model_solves_a_task_and_the_page_scores_it(home: Path) -> None:
    model = says(("look", {}), ("act", {"commands": 'click "Click Me!"'}), ("submit", {"answer": "done"}))
    log = score(model, home)
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert log.samples is not None
    seen = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "Click Me!" in seen[0]


def test_a_task_that_is_not_done_scores_nothing(home: Path) -> None:
    model = says(("submit", {"answer": "done"}), ("submit", {"answer": "done"}))
    # Inspect's command makes a list of `-T tasks=click-test,enter-text`.
    log = score(model, home, tasks=["click-test", "enter-text"], seeds=1)
    assert log.samples is not None and [one.id for one in log.samples] == ["click-test/0", "enter-text/0"]
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
    from guiagent_eval.inspect import reads_only
    from inspect_ai.tool import ToolCall, ToolCallView

    arguments: dict[str, Any] = {"commands": commands} if commands else {}
    call = ToolCall(id="1", function=function, arguments=arguments)
    assert asyncio.run(reads_only()("", call, ToolCallView(), [])).decision == decision
