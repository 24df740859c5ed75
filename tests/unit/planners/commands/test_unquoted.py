"""Names and values of a plain command that stand in no quotes."""

from __future__ import annotations

import pytest

from gui_agent.planners.commands import bare_names, is_everyday


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Fill the contact form for Hans with h@x.org", ("contact form for Hans", "h@x.org")),
        ('fill "Name" with Hans', ("Hans",)),
        ("click Next", ("Next",)),
        ('click "Next"', ()),
        ('choose "Canada" in "Country"', ()),
        ("click the first button", ()),
        ("wait 60 seconds", ()),
        ("click A, click B", ()),
        ("Book a flight to Oslo", ()),
        ("", ()),
    ],
)
def test_what_is_in_no_quotes_is_bare_in_the_only_command(text: str, bare: tuple[str, ...]) -> None:
    assert bare_names(text) == bare


@pytest.mark.parametrize(
    ("text", "everyday"),
    [
        ("Delete Ada", True),
        ("Search for tea", True),
        ("go to Orders", True),
        ("what is the total?", True),
        ('delete "Ada"', False),
        ('please delete the "Ada"', False),
        ('delete the button "Ada"', False),
        ('Please delete the visitor "Ada" for me', True),
        ('click the visitor "Ada"', False),
        ("click Send", False),
        ("make it so", False),
    ],
)
def test_an_everyday_wording_may_mean_something_learned(text: str, everyday: bool) -> None:
    assert is_everyday(text) is everyday
