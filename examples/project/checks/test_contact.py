"""Run by `pytest checks`: put your own page and what it has to show here."""

from pathlib import Path

from gui_agent import Browser

PAGE = Path(__file__).parents[1] / "page.html"


def test_the_second_step_asks_for_the_country(guiagent_page: Browser) -> None:
    guiagent_page.open(PAGE.as_uri())
    guiagent_page.act('type "Ada" into "Name"')
    guiagent_page.act('type "ada@example.org" into "Email"')
    guiagent_page.act('click "Next"')
    guiagent_page.check('"Country" is shown')
