"""From a page that nobody has described to tasks that are solved: explore, propose, run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.practice import practice
from guiagent_eval.cli.run import run
from people import FIRST, people_server

PAGE = Path(__file__).parents[3] / "examples/contact.html"


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_the_tasks_that_walks_propose_are_solved_by_their_own_words(tmp_path: Path) -> None:
    walks, tasks = tmp_path / "walks", tmp_path / "tasks.toml"
    said = CliRunner().invoke(
        practice, ["explore", "--url", PAGE.as_uri(), "--steps", "24", "--seed", "1", "--out", str(walks)]
    )
    assert said.exit_code == 0, said.output
    said = CliRunner().invoke(practice, ["propose", str(walks), "--out", str(tasks)])
    assert said.exit_code == 0, said.output
    done = CliRunner().invoke(
        run, ["tasks", "--option", f"file={tasks}", "--out", str(tmp_path / "run"), "--quiet", "--json"]
    )
    assert done.exit_code == 0, done.output
    lines = (tmp_path / "run/episodes.jsonl").read_text().splitlines()
    verdicts = [json.loads(line)["verdict"] for line in lines]
    assert len(verdicts) > 3 and verdicts.count("success") >= 0.9 * len(verdicts), verdicts


def test_a_walk_holds_what_would_change_something_unless_its_host_is_named(tmp_path: Path) -> None:
    with people_server(tmp_path) as people:

        def explore(*given: str) -> str:
            walk = [
                "--url",
                f"{people.address}new",
                "--steps",
                "12",
                "--seed",
                "2",
                "--out",
                str(tmp_path / "w"),
            ]
            said = CliRunner().invoke(practice, ["explore", *walk, *given])
            assert said.exit_code == 0, said.output
            return said.output

        told = explore()
        assert people.rows == [*FIRST]
        assert (
            f"held, and not sent: 1 request to {people.host} that would" in told and "--allow-writes" in told
        )
        told = explore("--allow-writes", people.host)
        assert len(people.rows) > len(FIRST)
        assert f"sent: {len(people.rows) - len(FIRST)} request" in told and "held" not in told
    said = CliRunner().invoke(
        practice, ["explore", "--url", "x.example", "--out", "w", "--allow-writes", "http://x.example"]
    )
    assert said.exit_code and "write a host alone" in str(said.exception)
