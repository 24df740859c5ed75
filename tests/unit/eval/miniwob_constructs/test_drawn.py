"""What is drawn is clicked, counted and told by its look, learned from a few demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.testing import FakeComputer, button, field, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording, Run

Drawing = tuple[str, str, int]
"""Shape (or the letter itself), colour and size."""


def drawing(index: int, shape: str, colour: str, side: int) -> Element:
    letter = shape if len(shape) == 1 else ""
    attributes = {"shape": "text" if letter else shape, "color": colour, "size": f"{side}x{side}"}
    box = Box(20 + 60 * (index % 5), 60 + 60 * (index // 5), side, side)
    return widget("img", letter, box=box, attributes=attributes)


def picture(*drawings: Drawing, answers: Sequence[str] = ()) -> FakeComputer:
    drawn = [drawing(index, *one) for index, one in enumerate(drawings)]
    buttons = [button(name, box=Box(20 + 90 * i, 300, 80, 24)) for i, name in enumerate(answers)]
    rules = [when("click", name, go=f"said {name}") for name in answers]
    ends = {f"said {name}": screen(text(f"{name}, thank you")) for name in answers}
    return FakeComputer({"start": screen(*drawn, *buttons), **ends}, rules)


def saying(computer: FakeComputer, record: Record, task: str, answer: str) -> Demonstration:
    return record(computer, task, lambda hand: hand.click(answer))


def kind(trajectory: Trajectory) -> str:
    assert trajectory.ending is not None
    return trajectory.ending.kind


def clicked(trajectory: Trajectory) -> list[str]:
    return [str(step.found["at"].element) for step in trajectory.steps if "at" in step.found]


ONE = [("circle", "red", 20), ("rect", "red", 10), ("circle", "blue", 10), ("7", "red", 22)]
TWO = [("rect", "cyan", 10), ("rect", "cyan", 20), ("a", "blue", 11), ("rect", "red", 10), ("b", "red", 22)]
THREE = [("triangle", "blue", 20), ("triangle", "gray", 10), ("triangle", "gray", 20), ("circle", "gray", 10)]
COUNTS = tuple("012345")


def counted(record: Record) -> list[Demonstration]:
    return [
        saying(picture(*ONE, answers=COUNTS), record, "How many red items are there?", "3"),
        saying(picture(*TWO, answers=COUNTS), record, "How many large letters are there?", "1"),
        saying(picture(*THREE, answers=COUNTS), record, "How many grey triangles are there?", "2"),
    ]


def test_what_is_described_is_counted(record: Record, run: Run) -> None:
    trajectory = run(picture(*TWO, answers=COUNTS), counted(record), "How many aqua rectangles are there?")
    assert (kind(trajectory), clicked(trajectory)) == ("done", ['button "2"'])
    none = run(picture(*ONE, answers=COUNTS), counted(record), "How many green circles are there?")
    assert clicked(none) == ['button "0"']


def test_what_is_not_understood_is_not_counted(record: Record, run: Run) -> None:
    strange = run(picture(*TWO, answers=COUNTS), counted(record), "How many shiny circles are there?")
    assert (kind(strange), clicked(strange)) == ("not_done", [])


def test_the_first_thing_that_is_described_is_clicked(record: Record, run: Run) -> None:
    def click(index: int) -> Callable[[Recording], None]:
        def script(hand: Recording) -> None:
            hand.act(Click(hand.look().elements[index]))

        return script

    shown = [
        record(picture(*ONE), "Click on a large red item", click(0)),
        record(picture(*TWO), "Click on a letter", click(2)),
        record(picture(*THREE), "Click on a small grey triangle", click(1)),
    ]
    trajectory = run(picture(*TWO), shown, "Click on a small red shape")
    assert [step.found["at"].point for step in trajectory.steps[:1]] == [drawing(3, *TWO[3]).box.center]


def test_a_drawing_is_told_by_the_button_that_says_what_it_is(record: Record, run: Run) -> None:
    kinds = ("Circle", "Square", "Rectangle", "Number", "Letter")
    task = "What is drawn here?"
    shown = [
        saying(picture(("circle", "red", 20), answers=kinds), record, task, "Circle"),
        saying(picture(("5", "red", 20), answers=kinds[::-1]), record, task, "Number"),
        saying(picture(("rect", "blue", 30), answers=kinds), record, task, "Rectangle"),
    ]
    assert clicked(run(picture(("q", "blue", 30), answers=kinds), shown, task)) == ['button "Letter"']
    unknown = run(picture(("path", "blue", 30), answers=kinds), shown, task)
    assert (kind(unknown), clicked(unknown)) == ("not_done", [])


def test_an_equation_on_the_screen_is_solved(record: Record, run: Run) -> None:
    def paper(equation: str) -> FakeComputer:
        page = screen(widget("heading", "Equation"), text(equation), field("Answer"), button("Submit"))
        ends = {"start": page, "end": screen(text("Thank you"))}
        return FakeComputer(ends, [when("click", "Submit", go="end")])

    def answer(number: str) -> Callable[[Recording], None]:
        def script(hand: Recording) -> None:
            hand.type("Answer", number)
            hand.click("Submit")

        return script

    task = "Solve the equation and submit"
    shown = [
        record(paper("x + 3 = 9"), task, answer("6")),
        record(paper("7 - x = 12"), task, answer("-5")),
    ]
    trajectory = run(paper("2x - 4 = 0"), shown, task)
    assert kind(trajectory) == "done"
    typed = [step.action.text for step in trajectory.steps if isinstance(step.action, TypeText)]
    assert typed == ["2"]
    unreadable = run(paper("x + y = 3"), shown, task)
    assert (kind(unreadable), clicked(unreadable)) == ("not_done", [])


def crooked(letters: str) -> FakeComputer:
    places = [(30 * i, 20 + 9 * (i * 7 % 3)) for i in range(len(letters))]
    spots = [text(letter, box=Box(x, y, 20, 30)) for letter, (x, y) in zip(letters, places, strict=True)]
    rest = (field("", box=Box(10, 90, 90, 20)), button("Submit", box=Box(10, 130, 60, 20)))
    pages = {"start": screen(*spots, *rest), "end": screen(text("Thank you"))}
    return FakeComputer(pages, [when("click", "Submit", go="end")])


def copying(letters: str) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        box = next(e for e in hand.look().elements if e.role == "textbox")
        hand.act(TypeText(letters, box, replace=True))
        hand.click("Submit")

    return script


def test_letters_that_stand_apart_are_read_as_one_word(record: Record, run: Run) -> None:
    task = "Type the text below and submit"
    shown = [record(crooked(word), task, copying(word)) for word in ("aXq7", "Kz5t", "mm3R")]
    trajectory = run(crooked("pW8sd"), shown, task)
    typed = [step.action.text for step in trajectory.steps if isinstance(step.action, TypeText)]
    assert (kind(trajectory), typed) == ("done", ["pW8sd"])


def test_texts_that_nothing_explains_are_not_typed_again(record: Record, run: Run) -> None:
    task = "Type what you think and submit"
    shown = [record(crooked("abc"), task, copying(word)) for word in ("one", "two", "three")]
    trajectory = run(crooked("abc"), shown, task)
    assert (kind(trajectory), trajectory.steps) == ("not_done", ())


def test_a_single_demonstration_does_not_outvote_several(record: Record, run: Run) -> None:
    strange = picture(*ONE, answers=COUNTS)
    odd = saying(strange, record, "How many black circles are there?", "5")
    trajectory = run(strange, [*counted(record), odd], "How many black circles are there?")
    assert (kind(trajectory), clicked(trajectory)) == ("not_done", [])
