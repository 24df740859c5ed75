"""Words find the right elements in what a real browser sees of real pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Observation, Words
from gui_agent.testing import check_grounder

PAGES = Path(__file__).parents[1] / "pages"
FOUND = [
    ("forms.html", Words("Name"), "type", "name"),
    ("forms.html", Words("name", "textbox"), "click", "name"),
    ("forms.html", Words("Story"), "type", "story"),
    ("forms.html", Words("Country"), "choose", "country"),
    ("forms.html", Words("Brazil"), "choose", "country"),
    ("forms.html", Words("Colour"), "choose", "colour"),
    ("forms.html", Words("Volume", "slider"), "drag", "volume"),
    ("forms.html", Words("I agree"), "check", "agree"),
    ("forms.html", Words("agree"), "check", "agree"),
    ("forms.html", Words("Newsletters"), "check", "news"),
    ("forms.html", Words(role="radio", ordinal=2), "check", "pro"),
    ("forms.html", Words(role="radio", ordinal=-1), "check", "pro"),
    ("forms.html", Words("Dark mode", "switch"), "check", "dark"),
    ("forms.html", Words("Pasword"), "type", "password"),
    ("forms.html", Words("Notes"), "read", "notes"),
    ("forms.html", Words(role="button"), "click", "send"),
    ("forms.html", Words("SEND"), "click", "send"),
    ("drag.html", Words("Level"), "drag", "level"),
    ("drag.html", Words(role="slider"), "drag", "level"),
    ("files.html", Words("One file"), "upload", "one"),
    ("errand.html", Words("119.40"), "read", "total"),
    ("errand.html", Words("Load more"), "click", "late"),
]
REFUSED = [
    ("forms.html", Words("Nam"), "type", NotFound),
    ("forms.html", Words("Surname"), "type", NotFound),
    ("forms.html", Words("Sned"), "click", NotFound),
    ("forms.html", Words(role="radio", ordinal=3), "check", NotFound),
    ("errand.html", Words("Delete"), "click", Ambiguous),
    ("errand.html", Words("Edit", near="Zoe"), "click", NotFound),
    ("drag.html", Words(role="button"), "click", Ambiguous),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[PageComputer]:
    with PageComputer(size=(1000, 900)) as computer:
        yield computer


def seen(browser: PageComputer, page: str) -> Observation:
    browser.start((PAGES / page).as_uri())
    return browser.observe(picture=False)


@pytest.mark.parametrize(("page", "words", "verb", "wanted"), FOUND, ids=str)
def test_words_find_the_element(
    browser: PageComputer, page: str, words: Words, verb: str, wanted: str
) -> None:
    found = ScreenGrounder().locate(words, seen(browser, page), verb=verb)
    script = "([x, y]) => (document.elementFromPoint(x, y).closest('[id]') ?? {}).id"
    assert found.element is not None
    assert browser.evaluate(script, [found.point.x, found.point.y]) == wanted, (found.element, found.how)


@pytest.mark.parametrize(("page", "words", "verb", "error"), REFUSED, ids=str)
def test_words_that_fit_nothing_or_too_much_are_refused(
    browser: PageComputer, page: str, words: Words, verb: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        ScreenGrounder().locate(words, seen(browser, page), verb=verb)


@pytest.mark.parametrize("who", ["Ada", "Bob", "Cem"])
@pytest.mark.parametrize("what", ["Edit", "Delete"])
def test_a_button_in_the_row_of_someone_is_in_that_row(browser: PageComputer, who: str, what: str) -> None:
    found = ScreenGrounder().locate(Words(what, near=who), seen(browser, "errand.html"))
    script = "([x, y]) => document.elementFromPoint(x, y).closest('tr').cells[0].textContent"
    assert browser.evaluate(script, [found.point.x, found.point.y]) == who


@pytest.mark.parametrize("page", ["forms.html", "errand.html", "nested.html", "drag.html", "labels.html"])
def test_the_grounder_keeps_its_contract_on_real_screens(browser: PageComputer, page: str) -> None:
    check_grounder(ScreenGrounder(), seen(browser, page))
