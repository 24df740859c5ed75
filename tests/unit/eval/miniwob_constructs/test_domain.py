"""The constructs of a domain are there only while it is switched on."""

from __future__ import annotations

import pytest

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.constructs import constructs, use
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.forms import in_form
from gui_agent.procedures.language.program import Applied, Const, Program
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import sentences
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run

WORD = Applied("word", (Const("a.b c"), Const(".")), ("lacks",))


def board(line: str) -> FakeComputer:
    pages = {"start": screen(text(line), field("Result"), button("Send")), "end": screen(text("Thank you"))}
    return FakeComputer(pages, [when("click", "Send", go="end")])


@pytest.fixture
def shown(record: Record) -> list[Demonstration]:
    def worked_out(line: str, result: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("Result", result)
            hand.click("Send")

        return record(board(line), "Work it out and send it", script)

    return [worked_out("3 + 4 =", "7"), worked_out("9 - 7 =", "2"), worked_out("5 x 5 =", "25")]


def test_nothing_of_it_is_there_without_it() -> None:
    assert in_form("3 + 4 =", "calculated") == "7"
    assert value_of(WORD, Scope(View.from_screen(None), {}, "")) == "c"
    use([])
    assert constructs().names == ()
    assert in_form("3 + 4 =", "calculated") is None
    assert value_of(WORD, Scope(View.from_screen(None), {}, "")) is None


def test_a_procedure_that_needs_it_can_be_read_and_does_nothing_without_it(
    shown: list[Demonstration], run: Run
) -> None:
    program = learn(shown)[0]
    use([])
    again = decode(Program, encode(program), source="a test")
    assert again == program and sentences(again)
    computer = board("8 + 1 =")
    assert run(computer, [program], "Work it out and send it").ending.kind == "not_done"  # type: ignore[union-attr, list-item]
    assert computer.performed == []


def test_nothing_is_learned_by_what_is_switched_off(shown: list[Demonstration]) -> None:
    assert any("calculated" in line for line in sentences(learn(shown)[0]))
    use([])
    assert not any("calculated" in line for program in learn(shown) for line in sentences(program))


def test_an_unknown_domain_is_an_error() -> None:
    with pytest.raises(ConfigError, match='there is no "chess"; known: miniwob'):
        use(["chess"])
