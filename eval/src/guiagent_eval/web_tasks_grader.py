"""Runs in an environment of its own and grades one episode with the package of WebArena-Verified.

That environment's Python starts it as a file; it imports nothing of ours. It reads the request as JSON and
writes the verdict as one line of JSON.
"""

# mypy: ignore-errors
# The package that this file uses is missing where types are checked.

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

from webarena_verified.api.internal.evaluator import WebArenaVerifiedEvaluator
from webarena_verified.types.config import WebArenaVerifiedConfig
from webarena_verified.types.task import WebArenaVerifiedTask


def main() -> None:
    asked = json.load(sys.stdin)
    task = WebArenaVerifiedTask.model_validate(asked["task"])
    # The package's own reader of files takes only the whole benchmark.
    reader = SimpleNamespace(get_task_by_id=lambda number: task)
    config = WebArenaVerifiedConfig(environments=asked["environments"])
    result = WebArenaVerifiedEvaluator(config=config, reader=reader).evaluate_task(
        task_id=task.task_id, agent_response=asked["answer"], network_trace=Path(asked["record"])
    )
    if not result.evaluators_results:
        sys.exit(str(result.error_msg))
    told = "; ".join(reason_of(one) for one in result.evaluators_results if one.score != 1.0)
    print(json.dumps({"score": result.score, "reason": told, "release": version("webarena-verified")}))


def reason_of(failed) -> str:
    said = chain.from_iterable(one.assertion_msgs or () for one in failed.assertions or ())
    return f"{failed.evaluator_name}: {failed.error_msg or ' '.join(said)}"


if __name__ == "__main__":
    main()
