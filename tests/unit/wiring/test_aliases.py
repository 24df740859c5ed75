"""What a person called things in their answers is remembered, used if it is sure, and dropped if wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent import run
from gui_agent.core.clarification import Alias, Clarification
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Result
from gui_agent.memory.aliases import AliasStore
from gui_agent.testing import FakeComputer, button, field, row, screen, text, when


def rooms(*names: str, note: str = "") -> Observation:
    return screen(
        *(row(text(name), button("Edit"), button("Delete")) for name in names),
        field("Name"),
        *([text(note)] if note else []),
        title="Rooms",
    )


def house(*names: str) -> FakeComputer:
    seen, edited = rooms(*names), rooms(*names, note="Editing")
    return FakeComputer({"rooms": seen, "edited": edited}, [when("click", "Edit", go="edited")])


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def carry_out(task: str, computer: FakeComputer, memory: Path, *answers: str) -> tuple[Result, int]:
    left, asked = list(answers), 0

    def ask(_question: Clarification) -> str | None:
        nonlocal asked
        asked += 1
        return left.pop(0) if left else None

    done = run(task, computer=computer, ask=ask, yes=True, memory={"path": str(memory)}, trace={"folder": ""})
    return done, asked


def kept(memory: Path) -> list[Alias]:
    store = AliasStore(memory)
    try:
        return store.aliases()
    finally:
        store.database.close()


def test_the_next_run_does_not_ask_again(memory: Path) -> None:
    first, asked = carry_out("click Edit", house("Kitchen", "Bath"), memory, "2")
    assert first.ok and asked == 1
    again, asked = carry_out("click Edit", house("Kitchen", "Bath"), memory)
    assert again.ok and asked == 0
    assert again.trajectory.steps[-1].found["at"].how == "alias"
    assert again.trajectory.steps[-1].found["at"].box == first.trajectory.steps[-1].found["at"].box


def test_the_answer_is_found_again_though_its_number_has_changed(memory: Path) -> None:
    carry_out("click Edit", house("Kitchen", "Bath"), memory, "2")
    again, asked = carry_out("click Edit", house("Attic", "Bath", "Kitchen"), memory)
    assert again.ok and asked == 0
    spot, bath = again.trajectory.steps[-1].found["at"].box, rooms("Attic", "Bath").elements[3].box
    assert spot is not None and spot.corner[1] == bath.corner[1]


def test_a_screen_that_does_not_show_it_for_sure_is_asked_about(memory: Path) -> None:
    carry_out("click Edit", house("Kitchen", "Bath"), memory, "2")
    unsure, asked = carry_out("click Edit", house("Attic", "Hall"), memory)
    assert asked == 1 and not unsure.ok


def test_an_answer_whose_step_failed_is_not_kept(memory: Path) -> None:
    seen = rooms("Kitchen", "Bath")
    idle = FakeComputer({"rooms": seen}, unsupported=["click"])
    failed, _ = carry_out("click Edit", idle, memory, "2")
    assert not failed.ok
    assert not memory.is_file() or kept(memory) == []


def test_a_name_after_which_a_check_fails_is_dropped(memory: Path) -> None:
    carry_out("click Edit", house("Kitchen", "Bath"), memory, "2")
    assert [one.words for one in kept(memory)] == ["edit"]
    wrong, _ = carry_out('click Edit, check "Painting" is shown', house("Kitchen", "Bath"), memory)
    assert not wrong.ok
    assert kept(memory) == []


def test_without_a_memory_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    run(
        "click Edit", computer=house("Kitchen", "Bath"), ask=lambda _: "2", yes=True,
        memory={"path": str(path), "enabled": False}, trace={"folder": ""},
    )  # fmt: skip
    assert not path.is_file()


def test_an_alias_of_a_newer_version_is_left_out(memory: Path) -> None:
    carry_out("click Edit", house("Kitchen", "Bath"), memory, "2")
    store = AliasStore(memory)
    with store.database.writing() as connection:
        connection.execute("INSERT INTO aliases VALUES ('', 'x', 'click', '{\"newer\": 1}')")
    assert [one.words for one in store.aliases()] == ["edit"]
    assert store.forget("edit") == 1
    assert store.aliases() == []
