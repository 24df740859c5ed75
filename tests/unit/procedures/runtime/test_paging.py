"""Only controls that surely leaf through a list are taken for such."""

from __future__ import annotations

import pytest

from gui_agent.core.observation import Element
from gui_agent.procedures.language.view import View
from gui_agent.procedures.runtime.recovery import more, next_page, previous_page
from gui_agent.testing import button, field, link, row, screen, text, widget
from gui_agent.testing.builders import Item


def on(*items: Item) -> View:
    return View(screen(*items))


def name(element: Element | None) -> str:
    return element.name if element else ""


@pytest.mark.parametrize(
    "items",
    [
        [row(button("Previous", states=["disabled"]), text("page 1 of 3"), button("Next"))],
        [row(link("1"), link("2"), link("3"), link("Next ›"))],
        [field("Name"), row(link("1"), link("2"), link("Next"))],
        [link("Next", rel="next")],
        [link("Next page")],
        [row(button("‹"), text("1-10 of 52"), button("›"))],
        [button("Nächste Seite")],
        [link("Older posts")],
    ],
)
def test_a_control_that_turns_pages_is_known(items: list[Item]) -> None:
    assert next_page(on(*items)) is not None


@pytest.mark.parametrize(
    "items",
    [
        [field("Name"), row(button("Previous"), button("Next"))],
        [widget("radio", "Express"), row(text("Step 1 of 3"), button("Next"))],
        [button("Next")],
        [row(button("Back"), button("Next"))],
        [row(button("Previous"), button("Next", states=["disabled"]))],
        [row(button("Previous payment"), button("Next payment"))],
        [row(text("page 1 of 3"), button("Delete"))],
        [button("›")],
    ],
)
def test_what_may_lead_elsewhere_is_not(items: list[Item]) -> None:
    assert next_page(on(*items)) is None


def test_the_page_before_is_known_by_its_counterpart() -> None:
    view = on(row(link("« Newer"), link("Older »")))
    assert name(previous_page(view)) == "« Newer"
    assert name(next_page(view)) == "Older »"


def test_a_search_field_does_not_make_a_list_a_form() -> None:
    view = on(field("Search members"), row(button("Previous"), button("Next")))
    assert name(next_page(view)) == "Next"


def test_more_of_a_list_is_shown_by_its_one_control() -> None:
    assert name(more(on(text("Ada"), button("Show more")))) == "Show more"
    assert name(more(on(button("Load more results")))) == "Load more results"
    assert more(on(button("More"), link("More"))) is None
    assert more(on(button("More", states=["haspopup"]))) is None
    assert more(on(button("Buy more"))) is None
