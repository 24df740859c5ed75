"""Records become figures, comparisons and a page."""

from __future__ import annotations

from pathlib import Path

from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.episodes import verdict
from guiagent_eval.records import EvalFolder, Record, Verdict, open_cases
from guiagent_eval.report import render
from guiagent_eval.schedule import Assignment, RunLimits, Schedule
from guiagent_eval.statistics import compare, detectable, divergence, stratified_mean
from guiagent_eval.summary import sentences, summarise
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.trajectory import Ending, Task, Trajectory

JOURNAL = {"recipe": {"benchmark": "toy", "planner": "plain"}, "tasks": ["a", "b"], "seeds": [1, 2]}


def record(task: str, seed: int, kind: Verdict = "success", **rest: object) -> Record:
    return Record(task, seed, kind, **rest)  # type: ignore[arg-type]


def ended(kind: str) -> Trajectory:
    return Trajectory(Task("x"), (), Ending(kind))  # type: ignore[arg-type]


def test_the_benchmark_decides_what_a_success_is_and_the_agent_how_it_failed() -> None:
    won, lost, open_ = Grade(True, finished=True), Grade(False, finished=True), Grade(False)
    late = Grade(False, finished=True, timed_out=True)
    assert verdict(ended("not_done"), won) == "success"
    assert verdict(ended("done"), won) == "success"
    assert verdict(ended("done"), open_) == "wrong"
    unsure = Trajectory(Task("x"), (), Ending("done", "only words came", verified=False))
    assert (verdict(unsure, won), verdict(unsure, open_)) == ("unverified", "wrong")
    assert verdict(ended("done"), late) == "wrong"
    assert verdict(ended("not_done"), lost) == "wrong"
    assert verdict(ended("not_done"), open_) == "unknown"
    assert verdict(ended("not_done"), late) == "limit"
    assert verdict(ended("limit"), open_) == "limit"
    assert verdict(ended("refused"), lost) == "refused"


def test_spoiled_episodes_are_counted_apart_and_run_again(tmp_path: Path) -> None:
    run = EvalFolder.create(tmp_path / "run", {})
    for one in (record("a", 1), record("a", 2, "infrastructure"), record("b", 1, "wrong")):
        run.append(one)
    found = summarise(run.records())
    assert (found.overall.episodes, found.spoiled, found.wrong) == (2, 1, 0.5)
    assert found.mean.value == 0.5
    cases = [Case("a", 1), Case("a", 2), Case("b", 1), Case("b", 2)]
    assert open_cases(cases, run.records()) == [Case("a", 2), Case("b", 2)]


def test_a_run_with_a_person_says_how_far_questions_brought_it() -> None:
    answering = {"details": {"answers at most": 1}}
    records = [
        record("a", 1, **answering),
        record("a", 2, asked=1, **answering),
        record("a", 3, "unknown", asked=2, **answering),
        record("a", 4, "wrong", **answering),
    ]
    told = [line for line in sentences(summarise(records)) if "question" in line]
    assert told == ["done without a question: 25.0 %, with at most 1: 50.0 %; asked in 2 of 4, wrong: 1"]
    assert summarise([record("a", 1)]).questions is None


def test_a_spoiled_second_run_does_not_hide_a_counted_first_one(tmp_path: Path) -> None:
    run = EvalFolder.create(tmp_path / "run", {})
    run.append(record("a", 1))
    run.append(record("a", 1, "infrastructure"))
    assert [one.verdict for one in run.records()] == ["success"]


def test_a_spoiled_case_is_tried_again_until_its_attempts_are_used_up() -> None:
    kept: list[Record] = []
    schedule = Schedule([Case("a", 1)], RunLimits(attempts=2), kept.append)
    assert schedule.take("") == Assignment(Case("a", 1), 1)
    schedule.came(record("a", 1, "infrastructure", attempt=1))
    assert schedule.take("") == Assignment(Case("a", 1), 2)
    schedule.came(record("a", 1, "infrastructure", attempt=2))
    assert schedule.remaining == 0
    assert [one.attempt for one in kept] == [2]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)).filter(lambda pair: pair[0] <= pair[1])))
def test_the_interval_of_a_mean_holds_it(strata: list[tuple[int, int]]) -> None:
    found = stratified_mean(strata)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_more_pairs_show_smaller_changes() -> None:
    assert detectable(3200, 0.1) < detectable(200, 0.1) < detectable(0)
    # 2.8 standard errors of a mean of differences with variance 0.2
    assert abs(detectable(500, 0.2) - 2.8016 * (0.2 / 500) ** 0.5) < 1e-4


def test_runs_are_paired_by_task_and_seed() -> None:
    first = [record("a", seed, "success" if seed < 8 else "wrong") for seed in range(10)]
    second = [record("a", seed, "success" if seed > 1 else "unknown") for seed in range(11)]
    found = compare(first, second)
    assert (found.pairs, found.unpaired) == (10, 1)
    assert found.lost == (Case("a", 0), Case("a", 1))
    assert found.won == (Case("a", 8), Case("a", 9))
    assert found.by_task == ()
    assert found.gain.value == 0
    assert "chance explains it" in found.hint


def test_the_first_step_at_which_episodes_part_is_named() -> None:
    one = record("a", 1, actions=("Click x", "Click y"))
    other = record("a", 1, "wrong", actions=("Click x", "Click z"))
    shorter = record("a", 1, "unknown", ending="not_done", reason="no y", actions=("Click x",))
    found = divergence(one, other)
    assert found is not None
    assert (found.step, found.first, found.second) == (2, "Click y", "Click z")
    found = divergence(one, shorter)
    assert found is not None
    assert found.second == "(not_done: no y)"
    assert divergence(one, one) is None


def test_the_page_shows_every_task_and_links_the_reports_that_exist(tmp_path: Path) -> None:
    (tmp_path / "traces/b/2").mkdir(parents=True)
    (tmp_path / "traces/b/2/report.html").touch()
    records = [
        record("a", 1, seconds=0.4, steps=2),
        record("b", 1, "wrong", instruction="Click <b>x</b>", trace="traces/b/1"),
        record("b", 2, "unknown", trace="traces/b/2", reason="no such thing"),
    ]
    page = render(tmp_path, JOURNAL, records)
    assert 'href="traces/b/2/report.html"' in page
    assert "traces/b/1" not in page
    assert "Click &lt;b&gt;x&lt;/b&gt;" in page
    assert "<script" not in page
    assert "50.0 % success" in page


def test_the_page_of_a_run_without_episodes_is_a_page(tmp_path: Path) -> None:
    assert "0.0 % success" in render(tmp_path, JOURNAL, [])
