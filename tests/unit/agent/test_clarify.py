"""A run that does not know what a step means asks the person, and goes on with the answer."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from PIL import Image

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.clarification import Clarification, KnownAliases, resolutions
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box, Observation
from gui_agent.core.protocols import Planner, Recorder
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.planners.cascade import InstructedPlanner
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    checkbox,
    dialog,
    done,
    field,
    give_up,
    link,
    row,
    screen,
    text,
    when,
    widget,
)

ROOMS = screen(
    row(text("Kitchen"), button("Edit")),
    row(text("Bath"), button("Edit")),
    field("Name"),
    checkbox("I agree"),
    button("Save"),
    title="Rooms",
)
SAVED = screen(text("All is saved"), button("Back"), title="Rooms")


class Person:
    """Somebody who gives these answers, and remembers what was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers, self.asked = list(answers), list[Clarification]()

    def __call__(self, question: Clarification) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0)


def rooms() -> FakeComputer:
    edit = (when("click", "Edit", go="edited"), when("click", "Save", go="saved"))
    return FakeComputer({"rooms": ROOMS, "edited": with_text(ROOMS, "Editing"), "saved": SAVED}, edit)


def with_text(seen: Observation, words: str) -> Observation:
    more = screen(text(words))
    return replace(seen, elements=(*seen.elements, replace(more.elements[0], id=900)))


def run(
    task: str, person: Person | None, computer: FakeComputer | None = None, **options: object
) -> Trajectory:
    agent = Agent(
        computer or rooms(),
        PlainPlanner(waits=()),
        guard=OpenGuard(),
        limits=Limits(patience=0.05, **options),  # type: ignore[arg-type]
        ask=person,
    )
    return agent.run(task).trajectory


def touched(trajectory: Trajectory) -> list[Box | None]:
    return [found.box for step in trajectory.steps for found in step.found.values()]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def edits(of: Observation = ROOMS) -> Sequence[Box]:
    return [one.box for one in of.elements if one.name == "Edit"]


@pytest.mark.parametrize(
    "answer", ["2", " 2. ", "the button in the row of Bath", "click Edit in the row of Bath"]
)
def test_the_run_goes_on_with_what_the_person_chooses(answer: str) -> None:
    person = Person(answer)
    done = run("click Edit", person)
    assert ending(done).kind == "done"
    assert touched(done) == [edits()[1]]
    assert len(person.asked) == 1


def test_other_words_that_begin_with_the_name_are_no_command() -> None:
    seen = screen(row(text("Kitchen"), button("Delete")), row(text("Bath"), button("Delete")), title="Rooms")
    computer = FakeComputer({"rooms": seen, "saved": SAVED}, [when("click", "Delete", go="saved")])
    ended = run("click Delete", Person("Delete in the row of Bath"), computer)
    assert touched(ended) == [[one.box for one in seen.elements if one.name == "Delete"][1]]
    assert [one.kind for one in resolutions(ended.turns)] == ["alias"]


def test_what_takes_no_text_is_no_answer_for_typing() -> None:
    seen = screen(button("Save"), field("Name"))
    person = Person("2", "Name")
    ended = run('type "Ada" into "Full title"', person, FakeComputer({"seen": seen}))
    assert str(person.asked[1]).startswith('button "Save" takes no text.')
    assert touched(ended) == [seen.elements[1].box]


def test_a_point_of_the_picture_is_an_answer() -> None:
    at = edits()[0].center
    done = run("click Edit", Person(f"{at.x},{at.y}"))
    assert touched(done) == [edits()[0]]


def test_what_is_asked_tells_the_choices_apart() -> None:
    person = Person("1")
    run("click Edit", person)
    texts = [one.text for one in person.asked[0].choices]
    assert texts == ['button "Edit", to the right of "Kitchen"', 'button "Edit", to the right of "Bath"']
    assert "2  button" in str(person.asked[0])


def test_the_picture_frames_and_numbers_the_choices() -> None:
    person = Person("1")
    run("click Edit", person)
    picture = person.asked[0].picture()
    assert picture is not None
    shown = Image.open(io.BytesIO(picture.data)).convert("RGB")
    for choice in person.asked[0].choices:
        assert shown.getpixel((choice.box.left - 2, choice.box.top + 4)) == (0xD0, 0x10, 0x30)


def test_nothing_that_was_done_before_is_done_again() -> None:
    person = Person("1")
    done = run('type "Ada" into Name, click Edit, click Save', person)
    assert ending(done).kind == "done"
    assert [step.action.kind for step in done.steps if step.action] == ["type", "click", "click"]


def test_what_is_missing_is_asked_about_with_the_controls_that_suit() -> None:
    person = Person(None)
    missing = run("click Dispatch", person)
    assert ending(missing).kind == "not_done"
    assert [one.text for one in person.asked[0].choices][-1] != ""
    assert any('"Save"' in one.text for one in person.asked[0].choices)
    assert len(person.asked[0].choices) <= 9


@pytest.mark.parametrize(("answer", "told"), [("skip", "left out"), ("did it", "done by you")])
def test_a_step_may_be_left_out_or_done_by_the_person(answer: str, told: str) -> None:
    done = run("click Dispatch, click Save", Person(answer))
    assert ending(done).kind == "done"
    assert f"{told}" in ending(done).reason
    assert not ending(done).verified
    assert [step.planned.why for step in done.steps] == ['click "Save"']


def test_stop_ends_the_run_as_without_a_person() -> None:
    stopped = run("click Edit", Person("stop"))
    alone = run("click Edit", None)
    assert ending(stopped) == ending(alone)
    assert ending(stopped).error == "Ambiguous"


def test_what_is_no_answer_is_asked_again_twice() -> None:
    person = Person("", "17", "banana")
    ended = run("click Edit", person)
    assert ending(ended).kind == "not_done"
    assert [str(one).partition("\n")[0] for one in person.asked[1:]] == [
        "That is no answer.",
        "There is no number 17.",
    ]


def test_an_answer_holds_for_the_rest_of_the_run() -> None:
    person = Person("2")
    computer = FakeComputer(
        {"rooms": ROOMS, "more": with_text(ROOMS, "Once")}, [when("click", "Edit", go="more")]
    )
    done = run("click Edit, click Edit", person, computer)
    assert touched(done) == [edits()[1], edits()[1]]
    assert len(person.asked) == 1


def test_an_answer_for_one_record_means_the_same_control_of_another() -> None:
    seen = screen(
        row(text("Kitchen"), button(""), button("")),
        row(text("Bath"), button(""), button("")),
    )
    computer = FakeComputer({"rooms": seen, "more": with_text(seen, "Once")}, [when("click", "", go="more")])
    person = Person("3")
    done = run("click pencil in the row of Bath", person, computer)
    assert len(person.asked) == 1
    assert ending(done).kind == "done"


def test_the_clock_of_the_run_stands_still_while_the_person_thinks() -> None:
    def slow(_question: Clarification) -> str:
        time.sleep(0.6)
        return "1"

    agent = Agent(
        rooms(),
        PlainPlanner(waits=()),
        guard=OpenGuard(),
        limits=Limits(seconds=0.5, patience=0.05),
        ask=slow,
    )
    assert agent.run("click Edit").ok


def test_a_choice_that_went_away_meanwhile_is_asked_again() -> None:
    computer = rooms()

    def ask(question: Clarification) -> str | None:
        asked.append(question)
        if len(asked) == 1:
            computer.world.show("saved")
        return "1" if len(asked) == 1 else "stop"

    asked: list[Clarification] = []
    agent = Agent(computer, PlainPlanner(waits=()), guard=OpenGuard(), limits=Limits(patience=0.05), ask=ask)
    assert not agent.run("click Edit").ok
    assert "number 1 is gone" in str(asked[1])


def test_a_secret_is_not_shown_in_a_question() -> None:
    seen = screen(row(text("hunter2"), button("Edit")), row(text("Bath"), button("Edit")))
    person = Person("2")
    agent = Agent(
        FakeComputer({"a": seen, "b": SAVED}, [when("click", "Edit", go="b")]),
        PlainPlanner(waits=()),
        guard=OpenGuard(),
        limits=Limits(patience=0.05),
        ask=person,
        secrets={"PASSWORD": "hunter2"},
    )
    agent.run("click Edit")
    assert "hunter2" not in str(person.asked[0])
    assert "${secret:PASSWORD}" in str(person.asked[0])


def test_an_answer_is_on_record_and_a_resumed_run_knows_it() -> None:
    person = Person("2")
    first = run("click Edit, click Dispatch", Person("2", None))
    assert [one.kind for one in resolutions(first.turns)] == ["alias"]
    agent = Agent(
        rooms(), PlainPlanner(waits=()), guard=OpenGuard(), limits=Limits(patience=0.05), ask=person
    )
    known = KnownAliases()
    known.take(resolutions(first.turns))
    agent.aliases = known
    assert known.answered[0].words == "edit"


def test_an_effect_that_nothing_shows_is_confirmed_by_the_person() -> None:
    quiet = FakeComputer({"rooms": ROOMS})
    person = Person("yes")
    done = run("press F9", person, quiet)
    assert ending(done).kind == "done"
    assert not ending(done).verified
    assert "you say that it is done" in ending(done).reason
    assert ending(run("press F9", Person("no"), FakeComputer({"rooms": ROOMS}))).error == "Unproven"


def choices_of(task: str, seen: Observation) -> list[str]:
    person = Person(None)
    run(task, person, FakeComputer({"seen": seen}))
    return [one.text for one in person.asked[0].choices]


def test_names_that_only_contain_the_words_are_offered_with_other_controls() -> None:
    seen = screen(button("Page Index"), button("On this page"), button(""), button("Print"))
    texts = choices_of('click "page"', seen)
    assert texts[:2] == ['button "Page Index"', 'button "On this page"']
    assert texts[-1] == 'button "Print"'
    assert len(texts) == 4


def test_the_whole_screen_is_offered_where_nothing_in_front_suits() -> None:
    notice = text("?")
    seen = screen(replace(notice, attributes={**notice.attributes, "notice": "popup"}), button("Save"))
    assert 'button "Save"' in choices_of('click "Dispatch"', seen)


def test_controls_near_the_field_with_the_keyboard_come_first() -> None:
    links = [link(f"Place {n}") for n in range(12)]
    seen = screen(*links, row(field("Title", states=["focused"]), button("Make it")), link("Help"))
    texts = choices_of('click "create"', seen)
    assert texts[:2] == ['textbox "Title"', 'button "Make it"']


def test_controls_that_share_words_come_before_others() -> None:
    seen = screen(*(button(f"Tool {n}") for n in range(12)), button("New text file"))
    assert choices_of('click "create file"', seen)[0] == 'button "New text file"'


def test_parts_of_drawings_come_after_all_other_controls() -> None:
    arrows = [widget("img", "", attributes={"shape": "path"}) for _ in range(9)]
    texts = choices_of('click "Dispatch"', screen(*arrows, button("Save"), button("")))
    assert 'button "Save"' in texts[:2]


def test_controls_of_one_name_are_told_apart_by_their_colours() -> None:
    ticks = [widget("generic", "✔", attributes={"color": shade}) for shade in ("limegreen", "firebrick")]
    assert choices_of('click "✔"', screen(row(*ticks))) == ['generic "✔", in green', 'generic "✔", in red']


def test_the_same_kind_of_detail_tells_all_apart() -> None:
    seen = screen(
        widget("heading", "List of cases"),
        text("Cases"),
        link("Create New"),
        link("Show All"),
        text("Keywords"),
        link("Create New"),
    )
    assert choices_of("click Create New", seen) == [
        'link "Create New", below "Cases"',
        'link "Create New", below "Keywords"',
    ]


def test_a_control_without_a_name_is_told_by_the_control_beside_it() -> None:
    seen = screen(row(field("Search"), button(""), button("Edit")))
    assert 'button, to the right of "Search"' in choices_of("click the gear", seen)


def test_a_link_and_a_button_of_one_name_are_told_apart_by_their_place() -> None:
    seen = screen(
        widget("heading", "Page"), link("Delete"), widget("heading", "Fields"), row(button("Delete"))
    )
    assert choices_of("click Delete", seen) == [
        'link "Delete", under "Page"',
        'button "Delete", under "Fields"',
    ]


def test_a_secret_in_an_answer_is_not_on_record() -> None:
    person = Person('type "hunter2" into Name')
    agent = Agent(
        rooms(),
        PlainPlanner(waits=()),
        guard=OpenGuard(),
        limits=Limits(patience=0.05),
        ask=person,
        secrets={"PASSWORD": "hunter2"},
    )
    done = agent.run("click Dispatch").trajectory
    answers = resolutions(done.turns)
    assert [one.command for one in answers] == ['type "${secret:PASSWORD}" into Name']
    assert "hunter2" not in repr(done)


def test_yes_says_nothing_of_which_one_is_meant() -> None:
    person = Person("yes", "stop")
    assert ending(run("click Edit", person)).kind == "not_done"
    assert len(person.asked) == 2


class Obedient:
    """Lets a run carry out what the person says, as the wiring does."""

    def recorder(self) -> Recorder:
        raise ConfigError("nothing is recorded here")

    def keep(self, trajectory: Trajectory) -> None:
        raise AssertionError("nothing was recorded")

    def with_instructions(self, planner: Planner) -> Planner:
        return InstructedPlanner(planner, ExactGrounder(), [].append)


def obeyed(planner: Planner, task: str, person: Person, computer: FakeComputer | None = None) -> Trajectory:
    agent = Agent(computer or rooms(), planner, guard=OpenGuard(), limits=Limits(patience=0.05), ask=person)
    agent.follower = Obedient()
    return agent.run(task).trajectory


def asking_again() -> FakeComputer:
    """A page whose button "Share" opens a dialog with a question."""
    asked = screen(
        *ROOMS.elements[:2],
        dialog("A copy?", text("Is a copy kept?"), button("Cancel"), button("With a copy")),
        title="Rooms",
    )
    first = screen(button("Share"), text("Ada"), title="Rooms")
    clicks = [when("click", "Share", go="asked"), when("click", "With a copy", go="saved")]
    return FakeComputer({"first": first, "asked": asked, "saved": SAVED}, clicks)


@pytest.mark.parametrize("answer", ["2", "With a copy", 'click "With a copy"', "the last button"])
def test_a_dialog_that_is_left_open_is_answered_by_the_person_and_the_run_goes_on(answer: str) -> None:
    person = Person(answer)
    ended = obeyed(PlainPlanner(waits=()), "click Share", person, asking_again())
    assert [one.text for one in person.asked[0].choices] == ['button "Cancel"', 'button "With a copy"']
    assert "Is a copy kept" in str(person.asked[0])
    assert ending(ended).kind == "done", ending(ended)
    assert [step.planned.why for step in ended.steps] == ['click "Share"', 'click "With a copy"']


def test_yes_is_no_answer_to_a_dialog_without_such_a_button() -> None:
    person = Person("yes", "no", "stop")
    ended = obeyed(PlainPlanner(waits=()), "click Share", person, asking_again())
    assert len(person.asked) == 3
    assert ending(ended).kind == "not_done"


def test_commands_that_come_first_are_done_before_the_step_is_tried_again() -> None:
    first = screen(button("Menu"), title="Rooms")
    seen = {"first": first, "rooms": ROOMS, "saved": SAVED}
    computer = FakeComputer(seen, [when("click", "Menu", go="rooms"), when("click", "Save", go="saved")])
    person = Person('first click Menu, type "Bath" into Name')
    ended = obeyed(PlainPlanner(waits=()), "click Save", person, computer)
    assert ending(ended).kind == "done", ending(ended)
    assert [action.kind for action in computer.performed] == ["click", "type", "click"]


def test_a_planner_that_gives_up_goes_on_after_what_the_person_says() -> None:
    planner = ScriptedPlanner([give_up("the form is closed"), done()])
    person = Person("click Save")
    ended = obeyed(planner, "keep it", person)
    assert str(person.asked[0]).startswith("the form is closed")
    assert ending(ended).kind == "done", ending(ended)
    assert [step.planned.why for step in ended.steps] == ['click "Save"']
