"""A planner before recorded screens: an oracle is always right, and one wrong act in ten costs a tenth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner
from guiagent_eval.cli.judge import offline
from guiagent_eval.practice import mind2web
from guiagent_eval.practice import offline as own
from guiagent_eval.practice.kept import KeptRun, kept_runs

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.dialogue import Reply, Request, Traits, pictures
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Mark, Point, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned
from gui_agent.testing import pointing_at

Keep = Callable[..., Path]


def one(folder: Path) -> KeptRun:
    return next(kept_runs([str(folder)]))


def oracle(situation: Situation) -> Decision:
    """What was done: the name by a mark, Send by words, and an end."""
    name = situation.task.text.removeprefix("Send the name ")
    value = situation.observation.elements[0].value
    if any(element.name == "Thank you" for element in situation.observation.elements):
        return Decision(end=Finish())
    act = Click(Words("Send")) if value == name else TypeText(name, Mark(1), replace=True)
    return Decision(planned=(Planned(act),))


def test_an_oracle_does_all_of_a_run_and_who_gives_up_nothing(keep: Keep) -> None:
    run = one(keep())
    right = own.figures([own.compare_run(run, oracle)])
    assert (right["steps"].value, right["progress"], right["tasks"].value) == (1.0, 1.0, 1.0)
    null = own.figures([own.compare_run(run, lambda situation: Decision(end=GiveUp("no")))])
    assert (null["steps"].value, null["progress"], null["tasks"].value) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("patches", "hits", "reached"), [(0, (False,), 0), (1, (False, True, True), 3)])
def test_a_miss_ends_a_run_unless_it_is_patched(keep: Keep, patches: int, hits: Any, reached: int) -> None:
    def wrong_name(situation: Situation) -> Decision:
        right = oracle(situation)
        typed = right.planned and isinstance(right.planned[0].action, TypeText)
        return Decision(planned=(Planned(TypeText("Eve", Mark(1), replace=True)),)) if typed else right

    said = own.compare_run(one(keep()), wrong_name, patches=patches)
    assert (said.hits, said.reached, said.steps, said.success) == (hits, reached, 3, False)


@pytest.mark.parametrize(
    ("point", "inside"), [(Point(0, 0), False), (Point(30, 70), True), (Point(20, 60), False)]
)
def test_a_point_counts_strictly_inside_the_recorded_element(keep: Keep, point: Point, inside: bool) -> None:
    run = one(keep())
    send = run.trajectory.steps[1]
    assert send.found["at"].box is not None or send.found["at"].element is not None
    box = send.found["at"].box or send.found["at"].element.box  # type: ignore[union-attr]
    aimed = Point(point.x - 20 + box.left, point.y - 60 + box.top)
    turn = run.trajectory.turns[1]
    assert own.is_same(Decision(planned=(Planned(Click(aimed)),)), turn, ScreenGrounder()) is inside


def candidate(number: int, tag: str = "button", rank: int | None = None) -> dict[str, Any]:
    made = {"tag": tag, "backend_node_id": str(number), "attributes": "{}", "is_original_target": True}
    return made | ({"rank": rank} if rank is not None else {})


def action(number: int, operation: str = "CLICK", value: str = "", rank: int | None = None) -> dict[str, Any]:
    page = (
        f'<html backend_node_id="1"><button backend_node_id="{number}" title="Go">Next <b>page</b></button>'
    )
    return {
        "action_uid": f"uid-{number}",
        "raw_html": page,
        "cleaned_html": page + '<a backend_node_id="99">Other</a></html>',
        "operation": {"op": operation, "original_op": operation, "value": value},
        "pos_candidates": [candidate(number, rank=rank)],
        "neg_candidates": [candidate(99, "a")],
    }


def task(name: str, *actions: dict[str, Any]) -> dict[str, Any]:
    about = {"annotation_id": name, "website": "shop", "domain": "Shopping", "subdomain": "Any"}
    told = [f"[button] Next -> {one['operation']['op']}" for one in actions]
    return {**about, "confirmed_task": f"Do {name}", "action_reprs": told, "actions": list(actions)}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three tasks with ten steps, in two files."""
    folder = tmp_path / "mind2web"
    folder.mkdir()
    typed, chosen = action(21, "TYPE", "two red lamps"), action(22, "SELECT", "Large")
    first = [
        task("one", *(action(number) for number in range(11, 15))),
        task("two", typed, chosen, action(23)),
    ]
    (folder / "train_0.json").write_text(json.dumps(first))
    (folder / "train_1.json").write_text(
        json.dumps([task("three", *(action(number) for number in range(31, 34)))])
    )
    return folder


def right(task: mind2web.RecordedTask, number: int) -> str:
    return f"`{task.steps[number].target}`"


def scores(files: Path, say: mind2web.Says) -> own.Rows:
    return mind2web.figures([mind2web.score(one, say) for one in mind2web.tasks_in(files)])


def test_mind2web_gives_an_oracle_everything_and_one_wrong_element_in_ten_costs_a_tenth(files: Path) -> None:
    all_right = scores(files, right)
    assert (all_right["tasks"], all_right["element_acc"].value, all_right["action_f1"]) == (3, 1.0, 1.0)
    assert (all_right["step_success"].value, all_right["success"].value) == (1.0, 1.0)

    def slips(task: mind2web.RecordedTask, number: int) -> str:
        return "`CLICK [99]`" if (task.name, number) == ("one", 2) else right(task, number)

    slipped = scores(files, slips)
    assert (slipped["element_acc"].value, slipped["step_success"].value) == (0.9, 0.9)
    assert slipped["action_f1"] == 1.0 and slipped["success"].value == pytest.approx(2 / 3)
    nothing = scores(files, lambda task, number: "")
    assert (nothing["element_acc"].value, nothing["action_f1"], nothing["success"].value) == (0.0, 0.0, 0.0)


def test_mind2web_counts_the_words_of_a_value_and_misses_what_is_no_candidate(files: Path) -> None:
    said = {0: "`TYPE [21] [red lamps]`", 1: "`SELECT [22] [Large]`", 2: "`CLICK [23]`"}
    two = next(one for one in mind2web.tasks_in(files) if one.name == "two")
    score = mind2web.score(two, lambda task, number: said[number])
    assert score.elements == (1, 1, 1) and score.steps == (0, 1, 1) and not score.success
    assert score.f1 == (pytest.approx(2 * 3 / 7), 1.0, 1.0)
    (files / "train_0.json").write_text(json.dumps([task("far", action(11, rank=60))]))
    (files / "train_1.json").unlink()
    far = mind2web.score(next(mind2web.tasks_in(files)), lambda task, number: "`CLICK [11]`")
    assert (far.elements, far.f1, far.steps) == ((0,), (0.0,), (0,))


class First:
    """A model that clicks the first element it is shown."""

    name, traits = "own/first", Traits()
    asked: ClassVar[list[str]] = []

    def complete(self, request: Request) -> Reply:
        text = str(request.turns[-1].parts[0])  # type: ignore[union-attr]
        First.asked.append(text)
        return Reply(f"`CLICK [{text.partition('⟦elements')[2].partition('[')[2].partition(']')[0]}]`")


def test_the_command_asks_a_model_with_the_candidates_of_each_step(files: Path) -> None:
    First.asked.clear()
    done = CliRunner().invoke(
        offline, [f"mind2web:{files}", "--model", f"{__name__}:First", "--json"], catch_exceptions=False
    )
    found = json.loads(done.output)
    assert (found["tasks"], found["element_acc"]["value"], found["step_success"]["value"]) == (3, 1.0, 0.8)
    assert "[11] button Go Next page\n[99] a Other" in First.asked[0]
    assert "Task: Do one\nDone before:\nNone" in First.asked[0]
    assert "Done before:\n[button] Next -> CLICK\nNext" in First.asked[1]


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """A folder of AgentStudio with pictures, and nothing in its files yet."""
    from PIL import Image

    (tmp_path / "images").mkdir()
    for name in ("one.png", "two.jpg"):
        Image.new("RGB", (100, 80), "white").save(tmp_path / "images" / name)
    return tmp_path


def invoke(what: str, model: type, *more: str) -> Any:
    given = [what, "--model", f"{__name__}:{model.__name__}", *more]
    return CliRunner().invoke(offline, given, catch_exceptions=True)


class Points:
    """A model that points at (20, 15), also where it is shown the place again, twice as large."""

    name, traits = "own/points", Traits()

    def complete(self, request: Request) -> Reply:
        (shot,) = pictures(request.turns[0])
        return pointing_at(20 * shot.size.width // 100, 15 * shot.size.width // 100)


def test_groundui_counts_points_strictly_inside_the_box_of_all_and_by_platform(studio: Path) -> None:
    rows = [
        ("web", "one.png", [10, 10, 30, 20]),
        ("web", "one.png", [20, 10, 30, 20]),
        ("mobile", "two.jpg", [0, 0, 21, 16]),
    ]
    about = {"source": "own", "resolution": [100, 80], "raw_instruction": ""}
    told = [
        {**about, "image": name, "instruction": "the gear", "bbox": box, "platform": kind}
        for kind, name, box in rows
    ]
    (studio / "metadata.jsonl").write_text("\n".join(map(json.dumps, told)))
    found = json.loads(invoke(f"groundui:{studio}", Points, "--json").output)
    assert found.pop("steps") == 3
    assert {name: one["value"] for name, one in found.items()} == {
        "all": pytest.approx(2 / 3),
        "web": 0.5,
        "mobile": 1.0,
    }
    shown = invoke(f"groundui:{studio}", Points).output
    assert "of 3" in shown and "66.7" in shown


class Names:
    """A model that always says B in the end, after naming A in its thoughts."""

    name, traits = "own/names", Traits()
    asked: ClassVar[list[Request]] = []

    def complete(self, request: Request) -> Reply:
        Names.asked.append(request)
        return Reply("A would move the page. Perhaps Answer: A? No.\nAnswer: [B]")


def test_idm_asks_with_both_screens_which_act_of_the_action_space_it_was(studio: Path) -> None:
    Names.asked.clear()
    about = {
        "obs_before": "one.png",
        "obs_after": "two.jpg",
        "bbox": None,
        "metadata": {"repr": ""},
        "source": "own",
    }
    acts = [("click", ["type", "click", "scroll"]), ("type", ["type", "click"])]
    told = [
        {
            **about,
            "action_id": str(n),
            "instruction": "Buy",
            "platform": "web",
            "operation": right,
            "action_space": space,
        }
        for n, (right, space) in enumerate(acts)
    ]
    (studio / "idm.jsonl").write_text("\n".join(map(json.dumps, told)))
    found = json.loads(invoke(f"idm:{studio}", Names, "--json").output)
    assert (found["steps"], found["all"]["value"], found["web"]["value"]) == (2, 0.5, 0.5)
    text, *shots = Names.asked[0].turns[-1].parts  # type: ignore[union-attr]
    assert "A: type\nB: click\nC: scroll\nGoal: Buy" in str(text)
    assert [shot.media_type for shot in shots] == ["image/png", "image/jpeg"]  # type: ignore[union-attr]


@pytest.mark.parametrize("line", ["", "{", '{"image": "gone.png", "bbox": [0, 0, 1, 1]}'])
def test_a_folder_that_is_not_agentstudios_is_told(studio: Path, line: str) -> None:
    if line:
        (studio / "metadata.jsonl").write_text(line)
    done = invoke(f"groundui:{studio}", Points)
    assert isinstance(done.exception, ConfigError) and str(studio) in str(done.exception)
