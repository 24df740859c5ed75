"""A type that was asked for: what was read as a value of it, or a run that is not done."""

from __future__ import annotations

from gui_agent import run
from gui_agent.core.errors import NotFound
from gui_agent.testing import FakeComputer, field, screen, text


def test_what_plain_commands_read_is_an_output_of_the_type() -> None:
    shown = screen(text("Total"), text("EUR 1,234.50"))
    done = run('read "Total"', computer=FakeComputer(shown), schema=str, trace={"folder": ""})
    assert done.output == done.answer


def test_a_text_that_is_no_value_of_the_type_ends_the_run_as_not_done() -> None:
    shown = FakeComputer(screen(field("Name", value="Ada")))
    done = run('read "Name"', computer=shown, schema=float, trace={"folder": ""})
    assert not done.ok
    assert isinstance(done.error, NotFound)
    assert done.output is None
