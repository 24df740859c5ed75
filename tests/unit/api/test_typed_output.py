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


def test_what_plain_commands_read_is_the_json_that_a_schema_asks_for() -> None:
    kinds = {"total": {"type": "number"}, "customer": {"type": "string"}, "note": {"type": "string"}}
    schema = {"type": "object", "properties": kinds, "required": ["total", "customer"]}
    shown = screen(field("Total", value="EUR 1,234.50"), field("Customer", value="Ada"))
    commands = 'read "Total", read "Customer"'
    done = run(commands, computer=FakeComputer(shown), schema=schema, trace={"folder": ""})
    assert done.output == {"total": 1234.5, "customer": "Ada"}, done.reason
    short = run('read "Total"', computer=FakeComputer(shown), schema=schema, trace={"folder": ""})
    assert not short.ok and "'customer' is a required property" in short.reason
    number = run(
        'read "Total"', computer=FakeComputer(shown), schema={"type": "number"}, trace={"folder": ""}
    )
    assert number.answer == "1234.5"
