"""A search goes on where something loads, and stops turning the wheel where nothing moves."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.actions import Click, Scroll, Wait
from gui_agent.core.observation import Box, Mark, Observation
from gui_agent.core.trajectory import Outcome, OutcomeKind, Planned, Step
from gui_agent.elements.scroll_search import WAITS, Search, begin, next_move
from gui_agent.testing import button, screen, text, widget

PAGE = replace(screen(text("feed")), more={"below": 9_000, "above": 9_000})


def moves(
    observation: Observation, kind: OutcomeKind = "changed", waits: tuple[float, ...] = (0.1,)
) -> list[Planned]:
    """All moves of a search in which each has this outcome."""
    search: Search = begin(observation)
    last: Step | None = None
    made: list[Planned] = []
    while (move := next_move(search, observation, last, "it", waits=waits)) is not None:
        made.append(move[0])
        search = move[1]
        last = Step(1, move[0], observation, observation, Outcome(kind, "so"))
        assert len(made) < 100
    return made


def test_a_page_that_does_not_move_is_turned_once_each_way() -> None:
    turned = [one for one in moves(PAGE, "no_change") if isinstance(one.action, Scroll)]
    assert len(turned) == 2


STATIC = replace(screen(text("Page")), more={"below": 40_000}, words=frozenset(("page", "chapter", "one")))


def test_what_no_word_of_the_page_is_like_is_not_walked_for() -> None:
    made = [one for one, _, _ in walk(STATIC, named=("Nowhere",))]
    turned = [one.action.down for one in made if isinstance(one.action, Scroll)]
    assert len(turned) <= 4
    assert sum(turned[:-1]) >= 40_000
    shorter = replace(STATIC, more={"below": 10_000})
    assert len(walk(shorter, named=("Chapter",))) > 8
    assert len(walk(shorter, named=("Chaptr two",))) > 8


def test_of_a_very_long_page_the_next_screens_and_the_last_are_looked_at() -> None:
    made = walk(STATIC, named=("Chapter",))
    turned = [one.action.down for one, _, _ in made if isinstance(one.action, Scroll)]
    assert all(0 < down < 600 for down in turned[:4])
    assert turned[4] >= 40_000
    assert turned[5] < -30_000
    assert len(turned) == 6
    assert [one.action.seconds for one, _, _ in made if isinstance(one.action, Wait)] == [WAITS[0]]
    assert "looked through" in made[-1][1].extent(made[-1][2])


def test_a_page_that_loads_more_on_the_way_is_walked_from_its_start() -> None:
    loaded = replace(STATIC, words=STATIC.words | {"two"})
    made = walk(STATIC, named=("Nowhere",), then=loaded)
    turned = [one.action.down for one, _, _ in made if isinstance(one.action, Scroll)]
    assert turned[1] < -40_000 / 4
    assert len([down for down in turned if 0 < down < 1000]) > 8


def test_a_search_that_did_not_reach_the_end_says_how_far_it_looked() -> None:
    long = replace(STATIC, words=frozenset())
    search, shown = walk(long)[-1][1:]
    assert "of about" in search.extent(shown)
    assert "screens" not in begin(long).extent(long)


def walk(
    page: Observation, named: tuple[str, ...] = (), then: Observation | None = None
) -> list[tuple[Planned, Search, Observation]]:
    """The moves of a search through a page that scrolls as far as it is turned; it may load more then."""
    search, last, made, above = begin(page), None, [], 0
    length, shown = page.more["below"], page
    while (move := next_move(search, shown, last, "it", named=named)) is not None:
        planned, search = move
        turn = planned.action.down if isinstance(planned.action, Scroll) else 0
        above = min(max(above + turn, 0), length)
        page = then if then is not None and turn > 0 else page
        after = replace(page, more={"above": above, "below": length - above})
        last = Step(1, planned, shown, after, Outcome("changed", "so"))
        shown = after
        made.append((planned, search, shown))
        assert len(made) < 100
    return made


def test_a_search_leaves_most_steps_of_a_run_to_the_task() -> None:
    endless = replace(
        PAGE,
        elements=tuple(
            replace(widget("list", f"List {n}", states=["scrollable"]), id=n, box=one.box)
            for n in range(9)
            for one in [replace(text("x"), box=screen(text("y")).elements[0].box)]
        ),
    )
    assert len(moves(endless)) <= 30


def test_what_loads_is_waited_for_longer() -> None:
    still = screen(text("All"))
    busy = screen(text("All"), widget("progressbar", "Loading", states=["busy"]))
    assert len(moves(still)) == 1
    waits = [one.action.seconds for one in moves(busy) if isinstance(one.action, Wait)]
    assert sum(waits) >= 5
    assert len(moves(screen())) > len(moves(still))


def test_only_the_dialog_in_front_is_looked_through() -> None:
    behind = widget("list", "Behind", states=["scrollable"])
    dialog = widget("dialog", "Choose")
    shown = screen(behind, dialog)
    boxes = {one.name: one for one in shown.elements}
    assert not [one for one in moves(shown) if one.action == Scroll(Mark(boxes["Behind"].id))]
    assert not [one for one in moves(shown) if isinstance(one.action, Scroll)]


def test_folded_sections_of_the_dialog_in_front_are_looked_into() -> None:
    behind = replace(widget("button", "Menu", states=["collapsed"]), id=1, box=Box(10, 10, 50, 20))
    dialog = replace(widget("dialog", "Replace"), id=2, box=Box(200, 100, 300, 300))
    more = replace(widget("togglebutton", "Replace All", states=["collapsed"]), id=3)
    popup = replace(widget("button", "Options", states=["collapsed", "haspopup"]), id=4)
    inside = [replace(one, box=Box(220, 200, 80, 20)) for one in (more, popup)]
    shown = replace(PAGE, more={}, elements=(behind, dialog, *inside))
    clicked = [one.action for one in moves(shown) if isinstance(one.action, Click)]
    assert clicked == [Click(Mark(more.id))]


def test_a_section_without_what_is_searched_for_is_closed_again() -> None:
    dialog = replace(widget("dialog", "Replace"), id=2, box=Box(200, 100, 300, 300))
    more = replace(widget("togglebutton", "All", states=["expanded"]), id=3, box=Box(220, 200, 80, 20))
    shown = replace(PAGE, more={}, elements=(dialog, more))
    move = next_move(replace(begin(shown), sections=(more.id,), looks=1), shown, None, "it")
    assert move is not None
    assert move[0].action == Click(Mark(more.id))


def test_a_page_that_is_still_being_built_is_waited_for_as_long_as_controls_come() -> None:
    shown = [screen(text("Page"), *(button(f"B{at}") for at in range(count))) for count in range(9)]

    def waits(grows: int) -> int:
        """How often it waits for a page on which the first looks find one more control each."""
        search, last, count = begin(shown[0]), None, 0
        while (move := next_move(search, shown[min(count, grows)], last, "it", waits=(0.1,))) is not None:
            before, count, search = shown[min(count, grows)], count + 1, move[1]
            last = Step(count, move[0], before, shown[min(count, grows)], Outcome("changed", "so"))
            assert isinstance(move[0].action, Wait)
        return count

    assert [waits(grows) for grows in (0, 1, 2, 8)] == [1, 2, 3, 4]
