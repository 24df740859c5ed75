"""What is not found or not clear is answered by one wording that is read and found on this very screen."""

from __future__ import annotations

import re

import pytest
from grounder_screens import element, people, screen

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Observation, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import GiveUp, Task
from gui_agent.elements import roles
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse, say
from gui_agent.planners.commands.commands import Do, Pick, Unfold
from gui_agent.planners.commands.compiler import Planning

TWINS = screen(element(1, "button", "Country"), element(2, "menuitemradio", "Country"))
GRID = screen(
    element(1, "columnheader", "Before", (10, 10, 80, 20)),
    element(2, "columnheader", "After", (110, 10, 80, 20)),
    element(3, "gridcell", "42", (10, 40, 80, 20)),
    element(4, "gridcell", "42", (110, 40, 80, 20)),
)


def refusal(command: str, shown: Observation) -> str:
    decision = PlainPlanner(waits=()).decide(Situation(Task(command), shown, ()))
    assert isinstance(decision.end, GiveUp), decision
    return decision.end.reason


@pytest.mark.parametrize(
    ("command", "shown", "advice"),
    [
        ("click Delete", people(), 'click "Delete" in the row of "Ada"'),
        ("double click Country", TWINS, 'double-click "Country" button'),
        ("click 42", GRID, 'click "42" in the column of "Before"'),
        ('click "Sned"', screen(element(1, "button", "Send")), 'click "Send"'),
        ('tick "Rmemebr me"', screen(element(1, "checkbox", "Remember me")), 'tick "Remember me"'),
    ],
)
def test_the_advice_means_one_thing_on_this_screen(command: str, shown: Observation, advice: str) -> None:
    told = re.search(r"for example: (.*)", refusal(command, shown))
    assert told is not None
    assert told.group(1) == advice
    meant = parse(advice)
    assert not isinstance(meant, Unparsed)
    assert Planning(shown, ScreenGrounder()).plan(meant[0]).planned


@pytest.mark.parametrize(
    ("command", "name"),
    [("Delet all", "Delete"), ("Log out", "Log in"), ("Sned", "Send to all"), ("Keep me out", "Keep me")],
)
def test_nothing_is_advised_that_says_less_or_more(command: str, name: str) -> None:
    assert "for example" not in refusal(f'click "{command}"', screen(element(1, "button", name)))


def test_nothing_is_advised_where_nothing_suits() -> None:
    assert "for example" not in refusal('tick "Remember me"', screen(element(1, "heading", "Remember us")))
    others = screen(element(1, "textbox", "Title"), element(2, "button", "Toggle sidebar"))
    for command in ('type "x" into "Save"', 'click "Cell B"', 'upload "a.png" to "Team photo"'):
        assert "for example" not in refusal(command, others)


def test_a_row_is_named_by_its_text_and_not_by_a_button_in_it() -> None:
    rows = [
        element(10 * row + place, role, name, (100 * place + 10, 40 * row, 80, 20))
        for row, file in ((1, "a.txt"), (2, "b.txt"))
        for place, (role, name) in enumerate((("button", "Open"), ("button", "Remove"), ("text", file)))
    ]
    assert 'click "Remove" in the row of "a.txt"' in refusal('click "Remove"', screen(*rows))


def test_a_thing_is_named_by_what_stands_just_above_it_and_not_by_a_number_beside_it() -> None:
    menu = [element(1, "text", "Issues", (10, 10, 80, 20)), element(2, "link", "New", (10, 32, 80, 20))]
    menu += [element(3, "text", "Words", (10, 110, 80, 20)), element(4, "link", "New", (10, 132, 80, 20))]
    number = element(5, "cell", "1", (300, 32, 20, 20))
    assert 'click "New" below "Issues"' in refusal('click "New"', screen(*menu, number))


def test_what_an_open_menu_holds_is_named_and_not_what_lies_elsewhere() -> None:
    shown = screen(
        element(1, "button", "Delete file", path="body/button"),
        element(2, "menu", "", (300, 10, 100, 90), path="body/div"),
        element(3, "menuitem", "Move to Trash", (300, 10, 100, 20), path="body/div/p[1]"),
        element(4, "menuitem", "Open", (300, 40, 100, 20), path="body/div/p[2]"),
    )
    reason = refusal('click "Erase"', shown)
    assert 'menuitem "Move to Trash"' in reason
    assert 'menuitem "Open"' in reason
    assert "Delete file" not in reason


ROLES = sorted(
    {
        role
        for name, group in vars(roles).items()
        if isinstance(group, frozenset) and name != "KNOWN"
        for role in group
    }
    - {"", "edit", "date", "time"}
)


@pytest.mark.parametrize("role", ROLES)
def test_every_kind_that_a_message_names_is_understood(role: str) -> None:
    assert len(ROLES) > 60
    named = Words("Programming", roles.canonical(role))
    for command in (Pick(named), Unfold(named)):
        assert parse(say(command)) == (command,), say(command)
    article = parse(f'click the {role} "Programming"')
    assert not isinstance(article, Unparsed)
    shown = screen(element(1, role, "Programming"), element(2, "link", "Programming notes"))
    assert isinstance(article[0], Do)
    found = ScreenGrounder().locate(article[0].action.at, shown).element  # type: ignore[union-attr]
    assert found is not None
    assert found.role == role


def test_two_lists_side_by_side_do_not_lend_each_other_their_buttons() -> None:
    def lists(*buttons: tuple[int, str]) -> Observation:
        left = [
            element(n, "text", name, (10, 40 * n, 80, 20), path=f"body/div[1]/ul/li[{n}]/span")
            for n, name in ((1, "Ann"), (2, "Bob"))
        ]
        right = [
            element(10 + n, "button", "Drop", (300, 40 * n, 80, 20), path=f"body/{path}/ul/li[{n}]/button")
            for n, path in buttons
        ]
        return screen(*left, *right)

    grounder = ScreenGrounder()
    own = lists((1, "div[1]"), (2, "div[1]"))
    found = grounder.locate(Words("Drop", near="Bob", relation="in the row of"), own).element
    assert found is not None
    assert found.id == 12
    with pytest.raises(NotFound):
        grounder.locate(
            Words("Drop", near="Bob", relation="in the row of"), lists((1, "div[2]"), (2, "div[2]"))
        )


@pytest.mark.parametrize(("heading", "expected"), [("Home", 2), ("Work", 4)])
def test_under_a_heading_is_up_to_the_next_one(heading: str, expected: int) -> None:
    shown = screen(
        element(1, "heading", "Home", path="body/h2[1]"),
        element(2, "button", "Edit", path="body/p[1]/button"),
        element(3, "heading", "Work", path="body/h2[2]"),
        element(4, "button", "Edit", path="body/p[2]/button"),
    )
    found = ScreenGrounder().locate(Words("Edit", near=heading, relation="under the heading"), shown).element
    assert found is not None
    assert found.id == expected
    with pytest.raises(Ambiguous):
        ScreenGrounder().locate(Words("Edit"), shown)
