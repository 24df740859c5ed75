"""The tree of settings: where values come from, and what a mistake in one says."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gui_agent import settings
from gui_agent.content import content
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.sections import ComputerSettings
from gui_agent.skills.pack import skill_folders
from gui_agent.wiring import make_guard


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without settings of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_later_sources_win(tmp_path: Path, home: Path) -> None:
    write(
        home / ".config/guiagent/config.toml", "[limits]\nsteps = 1\nseconds = 1.0\n[trace]\nfolder = 'mine'"
    )
    first = write(tmp_path / "first.toml", "limits.steps = 2\nlimits.seconds = 2.0")
    second = write(tmp_path / "second.toml", "limits.steps = 3")
    found = settings.override(settings.load([first, second], ["limits.steps=4"]), {"limits": {"steps": 5}})
    assert (found.limits.steps, found.limits.seconds, found.trace.folder) == (5, 2.0, "mine")
    assert settings.load([first, second], ["limits.steps=4"]).limits.steps == 4
    assert settings.load([first, second]).limits.steps == 3


def test_the_documented_defaults_are_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    table = tomllib.loads(content("configs/default.toml").read_text())
    assert settings.load(["default"]) == settings.Settings()
    assert table == {**settings.Settings().model_dump(mode="json"), "trace": table["trace"]}
    assert set(table["trace"]) == set(settings.Trace.model_fields)


@pytest.mark.parametrize(
    "name", [path.stem for path in content("configs").glob("*.toml") if path.stem != "prices"]
)
def test_every_profile_and_policy_that_comes_with_the_project_is_valid(name: str) -> None:
    if name.startswith("guard"):
        assert make_guard(settings.load(assignments=[f"guard.policy={content(f'configs/{name}.toml')}"]))
    else:
        assert settings.load([name])


def test_a_profile_that_comes_with_the_project_needs_only_its_name(tmp_path: Path) -> None:
    assert settings.load(["watch"]).computer.options == {"headless": False}
    with pytest.raises(ConfigError, match="there is no such file"):
        settings.load(["wacth"])


def test_sections_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        settings.load().limits.steps = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("limits.step = 3", 'unknown key "step" in [limits] (did you mean "steps"?)'),
        ("[compuer]\nkind = 'x'", 'unknown key "compuer" (did you mean "computer"?)'),
        ("limits.steps = 'many'", "at limits.steps: input should be a valid integer"),
        ("limits.steps = 0", "at limits.steps: input should be greater than or equal to 1"),
        ("limits.steps = ", "not valid TOML: Invalid value (at end of document)"),
        ("guard.zzz = 1", 'unknown key "zzz" in [guard]; known: grants, policy, yes'),
    ],
)
def test_a_mistake_names_the_file_and_the_key(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path / "wrong.toml", text)
    with pytest.raises(ConfigError) as caught:
        settings.load([path])
    assert str(caught.value).startswith(f"{path}: {expected}")
    assert "\n" not in str(caught.value)


def test_a_mistake_in_an_assignment_names_it() -> None:
    with pytest.raises(ConfigError, match=r'^--set limits.stps=3: unknown key "stps"'):
        settings.load(assignments=["limits.stps=3"])


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        settings.load([tmp_path / "nothing.toml"])


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("limits.steps=20", {"limits": {"steps": 20}}),
        ("a.b.c=true", {"a": {"b": {"c": True}}}),
        ('computer.kind = "my_pkg.mine:Mine"', {"computer": {"kind": "my_pkg.mine:Mine"}}),
        ("computer.kind=my_pkg.mine:Mine", {"computer": {"kind": "my_pkg.mine:Mine"}}),
        ("computer.options.size=[800, 600]", {"computer": {"options": {"size": [800, 600]}}}),
        ("trace.folder=", {"trace": {"folder": ""}}),
        ("trace.folder=a=b", {"trace": {"folder": "a=b"}}),
        ("trace.folder=1\nother = 2", {"trace": {"folder": "1\nother = 2"}}),
    ],
)
def test_assignments_take_toml_values_and_bare_words(text: str, table: dict[str, object]) -> None:
    assert settings.parse_assignment(text) == table


@pytest.mark.parametrize("text", ["limits.steps", "=3", "limits.=3", ".steps=3"])
def test_an_assignment_without_key_or_value_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write it as section\.key=value"):
        settings.parse_assignment(text)


@given(st.text())
def test_any_text_is_a_value_or_a_configuration_error(text: str) -> None:
    table = settings.parse_assignment(f"trace.folder={text}")
    assert table.keys() == {"trace"}
    assert table["trace"].keys() == {"folder"}


def test_only_known_sections_make_a_setting() -> None:
    assert settings.is_assignment("limits.steps=3")
    assert not settings.is_assignment("name=Ada")
    assert not settings.is_assignment("first.name=Ada")
    assert not settings.is_assignment("limits=3.5")


@pytest.mark.parametrize("text", ["limit.steps=3", "Limits.steps=3", "memroy.path=x", "computers.kind=x"])
def test_a_section_that_is_nearly_one_is_no_value_of_the_task(text: str) -> None:
    assert settings.is_assignment(text)
    with pytest.raises(ConfigError, match="did you mean"):
        settings.load((), [text])


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_MAIL", "correct horse")
    assert settings.secrets()["MAIL"] == "correct horse"
    assert "correct horse" not in repr(settings.load())


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    with pytest.raises(MissingKey, match="export SOME_API_KEY="):
        settings.api_key("SOME_API_KEY")
    monkeypatch.setenv("SOME_API_KEY", " abc ")
    assert settings.api_key("SOME_API_KEY") == "abc"


def test_overriding_a_table_keeps_its_other_keys() -> None:
    below = settings.load(assignments=["computer.options.scale=2"])
    above = settings.override(below, {"computer": {"options": {"headless": False}}})
    assert above.computer.options == {"scale": 2, "headless": False}
    with pytest.raises(ConfigError, match='unknown key "stepps"'):
        settings.override(below, {"limits": {"stepps": 1}})


@pytest.mark.parametrize(
    ("session", "kind", "options", "screen"),
    [
        ("wayland", "desktop", {}, "wayland"),
        ("wayland", "desktop", {"display": ":1"}, "desktop"),
        ("wayland", "browser", {}, "browser"),
        ("x11", "desktop", {}, "desktop"),
    ],
)
def test_the_desktop_is_the_wayland_session_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, session: str, kind: str, options: dict[str, str], screen: str
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("XDG_SESSION_TYPE", session)
    assert settings.screen_kind(ComputerSettings(kind=kind, options=options)) == screen


@pytest.mark.parametrize("value", ['"a\\u0000b"', "~nobody-of-that-name/x"])
def test_a_folder_that_cannot_be_is_told_when_it_is_used(value: str) -> None:
    kept = settings.load(assignments=[f"trace.folder={value}"])
    assert not Path(kept.trace.folder).exists()
    with pytest.raises(ConfigError, match="no such file"):
        make_guard(settings.load(assignments=[f"guard.policy={value}"]))


def test_a_file_that_is_nested_without_end_is_told(tmp_path: Path) -> None:
    file = write(tmp_path / "deep.toml", "a = " + "[" * 5_000 + "]" * 5_000)
    with pytest.raises(ConfigError, match="nested"):
        settings.load([file])
    with pytest.raises(ConfigError):
        settings.load(assignments=["limits.steps=" + "[" * 5_000])


@pytest.mark.skipif(sys.platform != "linux", reason="where XDG says where things are")
def test_files_are_where_xdg_says_and_old_ones_are_moved_once(
    monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(home / ".config/guiagent/config.toml", "limits.steps = 7")
    write(home / ".local/share/guiagent/memory.db", "what was learned")
    write(home / ".local/share/guiagent/skills/a/SKILL.md", "a skill")
    apart = tmp_path_factory.mktemp("apart")
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(apart))
    assert settings.load().limits.steps == 50, "a place outside of the home is one to try something apart"
    memory = settings.Settings().memory
    assert settings.memory_file(memory) == apart / "guiagent/memory.db"
    assert settings.state_folder("runs") == apart / "guiagent/runs"
    assert settings.evaluator_folder() == apart / "guiagent/evaluators"
    assert (home / ".local/share/guiagent/memory.db").is_file(), "nothing was moved there"

    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "conf"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    assert settings.load().limits.steps == 7
    assert settings.memory_file(memory).read_text() == "what was learned"
    assert (skill_folders()[-1] / "a/SKILL.md").read_text() == "a skill"
    assert not (home / ".config/guiagent").exists() and not (home / ".local/share/guiagent").exists()

    write(home / ".local/share/guiagent/memory.db", "of an older version that ran again")
    assert settings.memory_file(memory).read_text() == "what was learned", "what is there is not replaced"
    assert (home / ".local/share/guiagent/memory.db").is_file()
