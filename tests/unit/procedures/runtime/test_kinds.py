"""What is asked for by name may be another kind of control than was shown, and nothing else may."""

from __future__ import annotations

from gui_agent.core.trajectory import Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Captioned, Const, HasRole, Program, Selector, Slot
from gui_agent.procedures.language.view import View
from gui_agent.procedures.runtime.locate import of_another_kind
from gui_agent.testing import FakeComputer, button, checkbox, choice, link, screen, text, widget
from tests.unit.procedures.induction.conftest import Record, Run

PRESSED = Selector((HasRole("tab"), Captioned(Slot("on"))))


def named(asked: str, *things: object, selector: Selector = PRESSED, **options: str) -> str:
    scope = Scope(View(screen(*things)), {"on": asked}, f"Click on {asked}")  # type: ignore[arg-type]
    found = of_another_kind(selector, scope, **options)
    return "" if found is None else f"{found.role} {found.name}"


def test_a_name_finds_another_thing_that_is_pressed() -> None:
    assert named("Imprint", link("Imprint"), link("Contact")) == "link Imprint"
    assert named("Imprint", text("Imprint"), checkbox("Imprint")) == ""
    assert named("Imprint", link("Imprint"), button("Imprint")) == ""


def test_people_name_the_kind_of_a_thing() -> None:
    assert named("the Save button", button("Save"), button("Close"), link("Save as")) == "button Save"
    assert named("button Save", button("Save"), button("Close")) == "button Save"
    assert named("Link named Contact", link("Contact"), link("Imprint")) == "link Contact"
    assert named("the Save button", link("Save")) == ""


def test_the_button_is_the_only_one() -> None:
    assert named("the button", text("Press it"), button("Go")) == "button Go"
    assert named("the button", button("Go"), button("Stop")) == ""


def test_a_fixed_name_finds_nothing_else() -> None:
    fixed = Selector((HasRole("tab"), Captioned(Const("Imprint"))))
    assert named("x", link("Imprint"), selector=fixed) == ""


def test_a_list_with_the_option_stands_in_for_another() -> None:
    lists = Selector((HasRole("listbox"),))
    hues, sizes = choice("Hue", "Red", "Blue"), choice("Size", "Small", "Large")
    assert named("x", hues, sizes, selector=lists, option="blue") == "combobox Hue"
    assert named("x", hues, sizes, selector=lists, option="Green") == ""


def picked(record: Record) -> tuple[Program, ...]:
    page = screen(checkbox("Tea"), checkbox("Milk"), checkbox("Juice"))

    def some(*names: str) -> object:
        return record(
            FakeComputer(page),
            f"Select {', '.join(names)}",
            lambda hand: [hand.tick(n) for n in names] and None,
        )

    return learn([some("Tea", "Juice"), some("Milk"), some("Juice", "Milk")])  # type: ignore[list-item]


def ticked(run: Run, known: tuple[Program, ...], task: str) -> tuple[str, list[str]]:
    radios = [checkbox(name, role="radio") for name in ("Soup", "Salad", "Bread")]
    computer = FakeComputer(screen(*radios, widget("generic", "menu")))
    trajectory: Trajectory = run(computer, known, task)
    assert trajectory.ending is not None
    now = [e.name for e in computer.observe(picture=False).elements if "checked" in e.states]
    return trajectory.ending.kind, now


def test_one_of_a_group_is_ticked_but_never_several_after_another(record: Record, run: Run) -> None:
    known = picked(record)
    assert ticked(run, known, "Select Salad") == ("done", ["Salad"])
    assert ticked(run, known, "Select Salad, Soup") == ("not_done", [])
