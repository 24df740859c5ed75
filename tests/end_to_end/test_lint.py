"""`guiagent lint` and `check --strict` on procedures that were really learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gui_agent.cli import call

PAGE = """<!doctype html><title>Orders</title><label>Item <input id=item></label>
<button onclick="out.textContent = {answer}; item.value = ''">Order</button><p id=out></p>"""
SAY = "'Ordered ' + item.value"
NUMBER = "'Your number is 4711'"


@pytest.fixture
def learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Learn an order on a page with the given answer."""
    for folder in ("DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{folder}_HOME", str(tmp_path / folder))

    def learn(answer: str) -> str:
        page = tmp_path / "orders.html"
        page.write_text(PAGE.format(answer=answer))
        task = 'type "Tea" into "Item", click "Order"'
        assert call(["run", task, "--url", str(page), "--yes", "--quiet"]) == 0
        assert call(["learn", "last", "--task", "Order Tea", "--name", "order"]) == 0
        return "order"

    return learn


def test_a_procedure_whose_checks_follow_from_its_values_has_nothing_to_mend(
    learned: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(learned)
    name = learned(SAY)
    assert call(["lint", name]) == 0
    assert "nothing to mend" in capsys.readouterr().out
    assert call(["check", name, "--yes", "--strict"]) == 0


def test_a_step_that_nothing_checks_is_named_and_fails_a_strict_check(
    learned: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(learned)
    name = learned(NUMBER)
    assert call(["lint", name]) == 4
    assert 'Click the button "Order": nothing shows that it worked; add a check' in capsys.readouterr().out
    assert call(["check", name, "--yes"]) == 0
    assert call(["check", name, "--yes", "--strict", "--json"]) == 4
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["passed"] is False
