"""A stored run chooses nothing that gives it power; what is plain holds on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli.options import GivenSettings
from gui_agent.cli.resume import resumed_settings
from gui_agent.cli.run import resolve
from gui_agent.core.errors import ConfigError
from gui_agent.settings import Settings

NOTHING: dict[str, Any] = {"kind": None, "headed": False, "max_steps": None, "max_seconds": None}


@pytest.fixture(autouse=True)
def _no_settings_of_ones_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def given(
    *assignments: str, model: str | None = None, **options: Any
) -> Callable[[Mapping[str, Any]], Settings]:
    """The settings of somebody who gives these options now."""

    def now(usual: Mapping[str, Any]) -> Settings:
        said = GivenSettings(assignments=assignments, sections={"model": {"name": model}})
        found: Settings = resolve(**{**NOTHING, **options}, given=said, usual=usual)[0]
        return found

    return now


POWER = [
    ("computer.kind", "subprocess:Popen", "--on"),
    ("computer.kind", "virtual:work", "--on"),
    ("computer.options.executable", "/tmp/x", "--set"),
    ("computer.options.arguments", ["--x"], "--set"),
    ("computer.options.profile", "/home", "--set"),
    ("computer.options.attach", "http://a", "--set"),
    ("computer.options.direct", True, "--set"),
    ("computer.options.downloads", "/etc", "--set"),
    ("computer.options.open", "touch x", "--set"),
    ("computer.options.unheard", 1, "--set"),
    ("planner.kind", "os:system", "--planner"),
    ("planner.options.planners", ["os:system"], "--set"),
    ("grounder.kind", "os:system", "--set"),
    ("model.name", "http://evil/v1#m", "--model"),
    ("model.grounder", "https://evil/v1#m", "--grounder"),
    ("model.cheaper", "https://evil/v1#m", "--set"),
    ("model.key", "AWS_SECRET_ACCESS_KEY", "--set"),
    ("model.extra.base_url", "http://evil", "--set"),
    ("model.tape", "/home", "--set"),
    ("guard.policy", "theirs.toml", "--set"),
]


@pytest.mark.parametrize(("name", "value", "option"), POWER)
def test_what_gives_power_is_named_with_its_option(name: str, value: Any, option: str) -> None:
    stored: dict[str, Any] = value
    for key in reversed(name.split(".")):
        stored = {key: stored}
    stored["computer"] = {"kind": "browser", **stored.get("computer", {})}
    with pytest.raises(ConfigError) as told:
        resumed_settings("theirs", stored, given())
    assert f"{name} = " in str(told.value) and option in str(told.value)
    assert "\n" not in str(told.value)
    with pytest.raises(ConfigError):
        resumed_settings("theirs", stored, given(), ask=lambda question: False)


def test_a_yes_takes_it_and_the_question_shows_it() -> None:
    asked: list[str] = []

    def yes(question: str) -> bool:
        asked.append(question)
        return True

    stored = {"model": {"name": "http://mine:8000/v1#m\x1b[2K"}, "guard": {"policy": "strict.toml"}}
    found = resumed_settings("mine", stored, given(), ask=yes)
    assert found.guard.policy == "strict.toml" and found.model.name.startswith("http://mine")
    assert "strict.toml" in asked[0] and "http://mine:8000" in asked[0] and "\x1b" not in asked[0]


def test_what_is_given_now_needs_no_question() -> None:
    stored = {"model": {"name": "http://a/v1#m", "key": "KEY"}, "guard": {"policy": "theirs.toml"}}
    now = given("guard.policy=mine.toml", "model.key=KEY", model="http://b/v1#m")
    found = resumed_settings("theirs", stored, now)
    assert (found.model.name, found.model.key, found.guard.policy) == ("http://b/v1#m", "KEY", "mine.toml")


def test_another_screen_leaves_the_options_of_the_old_one() -> None:
    stored = {"computer": {"kind": "os:system", "options": {"args": ["x"], "headless": False}}}
    found = resumed_settings("theirs", stored, given(kind="virtual"))
    assert (found.computer.kind, dict(found.computer.options)) == ("virtual", {})


def test_what_is_plain_holds_on_without_limits_and_what_was_allowed_once() -> None:
    stored = {
        "computer": {"kind": "browser", "options": {"headless": False, "size": [800, 600]}},
        "planner": {"kind": "model"},
        "model": {
            "name": "anthropic/some",
            "key": "${secret}",
            "replay": True,
            "max_cost": 0.5,
            "batch": 2,
        },
        "guard": {"policy": "", "yes": True, "grants": ["send"]},
        "limits": {"steps": 2},
    }
    found = resumed_settings("mine", stored, given())
    assert dict(found.computer.options) == {"headless": False, "size": [800, 600]}
    assert (found.planner.kind, found.model.name, found.model.batch) == ("model", "anthropic/some", 2)
    assert (found.model.max_cost, found.model.replay, found.limits.steps) == (0.5, False, 50)
    assert not found.guard.yes and found.guard.grants == ()


@pytest.mark.parametrize(("stored", "own", "left"), [(100, 1, 1), (0, 1, 1), (0.5, 1, 0.5)])
def test_a_stored_run_may_cost_less_and_never_more(stored: float, own: float, left: float) -> None:
    user = Path.home() / ".config" / "guiagent"
    user.mkdir(parents=True)
    (user / "config.toml").write_text(f"[model]\nmax_cost = {own}\n")
    assert resumed_settings("theirs", {"model": {"max_cost": stored}}, given()).model.max_cost == left


@pytest.mark.parametrize("stored", [{"model": "x"}, {"computer": ["a"]}, {"model": {"name": 7}}])
def test_damaged_settings_are_told(stored: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        resumed_settings("theirs", stored, given())
