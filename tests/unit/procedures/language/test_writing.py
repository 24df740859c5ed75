"""Names that differ only in capitals or marks are told apart where it matters."""

from __future__ import annotations

from gui_agent.core.trajectory import Trajectory
from gui_agent.procedures.language.evaluate import as_written, written_otherwise
from gui_agent.testing import FakeComputer, button, link, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording, Run, acted_on


def press(*names: str) -> FakeComputer:
    return FakeComputer(
        {"page": screen(*(button(name) for name in names)), "end": screen(text("Thanks"))},
        [when("click", go="end")],
    )


def test_one_of_its_role_that_is_just_so_leaves_out_the_others() -> None:
    things = [button("ok"), button("OK"), link("Ok")]
    assert [e.name for e in as_written(things, "OK")] == ["OK", "Ok"]
    assert as_written(things, "oK") == things


def test_in_quotes_another_writing_is_another_thing() -> None:
    ask = 'Open "Fames."'
    assert written_otherwise([link("fames.")], "Fames.", ask)
    assert written_otherwise([link("Fames")], "Fames.", ask)
    assert not written_otherwise([link("Fames.")], "Fames.", ask)
    assert not written_otherwise([link("fames")], "Fames.", "Open Fames.")
    assert not written_otherwise([link("Name *")], "Name", 'Open "Name"')


def test_the_first_of_its_name_is_not_the_first_of_a_like_name(record: Record, run: Run) -> None:
    known = [
        record(press("yes", "Yes", "no"), 'Press "yes"', lambda hand: hand.click("yes")),
        record(press("No", "yes", "No"), 'Press "No"', lambda hand: hand.click("No", 1)),
    ]
    computer = press("ok", "Ok", "no")
    trajectory: Trajectory = run(computer, known, 'Press "Ok"')
    assert acted_on(trajectory) == ["Ok"]


def test_the_only_one_of_its_name_is_meant_and_of_several_none_that_is_not_just_so(
    record: Record, run: Run
) -> None:
    known = [
        record(press("yes", "no"), 'Press "yes"', lambda hand: hand.click("yes")),
        record(press("No", "yes"), 'Press "No"', lambda hand: hand.click("No")),
    ]
    only: Trajectory = run(press("ok", "Done", "done"), known, 'Press "Ok"')
    assert acted_on(only) == ["ok"]
    either: Trajectory = run(press("ok", "OK"), known, 'Press "Ok"')
    assert either.ending is not None
    assert (acted_on(either), either.ending.kind) == ([], "not_done")


def test_a_search_goes_on_past_a_like_name(record: Record, run: Run) -> None:
    def tabs(**pages: str) -> FakeComputer:
        heads = [widget("tab", name) for name in pages]
        shown = {name: screen(*heads, link(within)) for name, within in pages.items()}
        rules = [when("click", name, go=name) for name in pages]
        shown["end"] = screen(text("There you are"))
        return FakeComputer(shown, [*rules, when("click", go="end")])

    def visit(*names: str) -> object:
        def script(hand: Recording) -> None:
            for name in names:
                hand.click(name)

        return script

    known = [
        record(tabs(A="Sun", B="Moon", C="Star"), 'Find "Moon"', visit("B", "Moon")),  # type: ignore[arg-type]
        record(tabs(A="Sun", B="Moon", C="Star"), 'Find "Star"', visit("B", "C", "Star")),  # type: ignore[arg-type]
        record(tabs(A="Hill", B="Lake", C="Wood"), 'Find "Wood"', visit("B", "C", "Wood")),  # type: ignore[arg-type]
    ]
    computer = tabs(A="Oak", B="elm", C="Elm")
    trajectory: Trajectory = run(computer, known, 'Find "Elm"')
    assert acted_on(trajectory) == ["B", "C", "Elm"]
