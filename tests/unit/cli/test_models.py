"""`guiagent models` and `guiagent skills`: what a person is told about models and guides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Called

Guiagent = Callable[..., Called]
QWEN = "http://localhost:8000/v1#Qwen3-VL-8B"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_model_it_says_what_to_set(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("models")
    assert code == 0 and "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give --model" in out


def test_each_model_is_told_with_its_wire_actions_picture_coordinates_and_price(guiagent: Guiagent) -> None:
    code, out, _ = guiagent(
        "models", "--model", QWEN, "--grounder", "http://localhost:9000/v1#UI-TARS-1.5-7B"
    )
    assert code == 0
    planner, grounder = out.split("grounder: ")
    assert "localhost:8000/v1 (chat)" in planner and "1920 x 1088" in planner and "to 1000" in planner
    assert "a function tool (Qwen-VL tool calls with --set model.native=always)" in planner
    assert "your own server" in planner and "none is sent" in planner
    assert "points only: UI-TARS lines" in grounder and "1932 wide and 1092 high" in grounder


def test_what_the_settings_say_of_the_model_counts(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = guiagent("models", "--model", "http://h/v1#mine", "--set", "model.family=ui-tars-1.5")
    assert code == 0 and "UI-TARS lines (JSON with --set model.native=never)" in out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    code, out, _ = guiagent("models", "--set", "model.native=always")
    assert "ANTHROPIC_API_KEY (set)" in out and "the tool computer_toolset_20260801" in out
    assert "per million tokens" in out


def test_a_probe_without_a_model_or_a_server_says_so(guiagent: Guiagent) -> None:
    assert guiagent("models", "probe")[0] == 2
    code, _, err = guiagent("models", "probe", "--model", "nonsense")
    assert code == 2 and "openai/MODEL" in err


def test_guides_are_listed_shown_and_added(guiagent: Guiagent, tmp_path: Path) -> None:
    guide = tmp_path / "own.md"
    guide.write_text(
        '---\nname: abacus\ndescription: "How to count."\napp: abacus\n---\n# Abacus\n- Slide.\n'
    )
    assert guiagent("skills", "add", str(guide))[0] == 0
    code, out, _ = guiagent("skills", "list")
    assert code == 0 and "abacus" in out and "libreoffice" in out
    assert "- Slide." in guiagent("skills", "show", "abacus")[1]
    code, _, err = guiagent("skills", "show", "libreofice")
    assert code == 2 and 'did you mean "libreoffice"' in err
