"""What programs usually take to come to rest is read from the traces of earlier runs."""

from __future__ import annotations

import json
from pathlib import Path

from gui_agent.trace.reader import ENOUGH, usual_settles


def run(folder: Path, name: str, app: str, *settles: float) -> None:
    made = folder / name
    made.mkdir()
    steps: list[object] = [{"kind": "decision"}]
    steps += [{"kind": "step", "after": 2, "seconds": {"act": 9.0, "settle": one}} for one in settles]
    looks = [{"number": 1, "place": {"app": ""}}, {"number": 2, "place": {"app": app}}]
    (made / "steps.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in ({"kind": "decision"}, *steps))
    )
    (made / "observations.jsonl").write_text("".join(json.dumps(one) + "\n" for one in looks))


def test_nine_of_ten_steps_of_a_program_tell_what_is_usual(tmp_path: Path) -> None:
    run(tmp_path, "1", "editor", *(number / 10 for number in range(1, 11)))
    assert usual_settles(tmp_path) == {"editor": 1.0}


def test_a_program_with_few_steps_is_not_known(tmp_path: Path) -> None:
    run(tmp_path, "1", "editor", *[0.1] * (ENOUGH - 1))
    assert usual_settles(tmp_path) == {}
    run(tmp_path, "2", "editor", 0.1)
    assert usual_settles(tmp_path) == {"editor": 0.1}


def test_only_the_latest_runs_count_and_broken_ones_do_not_matter(tmp_path: Path) -> None:
    run(tmp_path, "1", "editor", *[9.0] * ENOUGH)
    run(tmp_path, "2", "editor", *[0.2] * ENOUGH)
    run(tmp_path, "3", "sheet", *[0.3] * ENOUGH)
    (tmp_path / "3" / "steps.jsonl").write_text('{"kind": "step", "aft')
    assert usual_settles(tmp_path, runs=2) == {"editor": 0.2}
    assert usual_settles(tmp_path / "nowhere") == {}
