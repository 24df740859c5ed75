"""`guiagent doctor`: it finds what is wrong and names what mends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.cli import doctor as checks
from gui_agent.cli.doctor import Finding
from gui_agent.settings import Settings, state_folder

Called = tuple[int, str, str]
Guiagent = Callable[..., Called]
DRIVER = checks.driver


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser and its driver, which are started, are looked at in their own tests."""
    monkeypatch.setattr(checks, "driver", lambda: Finding("browser driver", "ok", "not looked at"))
    monkeypatch.setattr(checks, "browser", lambda: Finding("browser", "ok", "not looked at"))


def by_name(told: str) -> dict[str, dict[str, str]]:
    return {finding["what"]: finding for finding in json.loads(told)["findings"]}


def test_everything_needed_is_here(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("doctor", "--all")
    assert code == 0
    assert out.endswith("everything required is installed\n")
    found = by_name(guiagent("doctor", "--json")[1])
    looked_at = {"python", "playwright", "settings", "policy", "runs folder", "display", "browser"}
    assert looked_at <= set(found)
    assert found["extra dev"]["state"] == "ok"
    assert "headless" in found["computer browser"]["options"]


def test_what_people_use_is_ready_or_named_with_the_command_that_makes_it_so(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = guiagent("doctor", "--set", "model.name=none")
    lines = dict(line.split("  ", 1) for line in out.splitlines()[:5])
    assert code == 0
    assert list(lines) == list(checks.AREAS)
    assert lines["web pages"].strip() == "ready"
    assert lines["models"].strip().startswith("not yet: --model NAME")
    monkeypatch.setattr(checks, "browser", lambda: Finding("browser", "missing", "none", "get one"))
    code, out, _ = guiagent("doctor")
    assert code == 2 and "fix: get one" in out and out.endswith("missing: browser\n")


def test_the_driver_of_browsers_says_its_version() -> None:
    found = DRIVER()
    assert found.state == "ok" and "ersion" in found.detail, found


def test_every_lack_comes_with_what_mends_it(guiagent: Guiagent) -> None:
    found = by_name(guiagent("doctor", "--json")[1])
    lacking = [finding for finding in found.values() if finding["state"] != "ok"]
    assert all(finding["fix"] for finding in lacking)


def test_what_recall_by_words_alone_loses_is_said(guiagent: Guiagent) -> None:
    found = by_name(guiagent("doctor", "--json", "--set", "memory.embedder=lexical")[1])["recall"]
    assert found["state"] == "optional"
    assert '"remove the bill" does not find what was learned as "delete the invoice"' in found["detail"]
    assert "guiagent[sentence-transformers]" in found["fix"]


def test_that_a_model_is_paid_for_the_same_task_again_is_said_with_the_setting_that_ends_it(
    guiagent: Guiagent,
) -> None:
    found = by_name(guiagent("doctor", "--json")[1])["learning"]
    assert found["state"] == "optional" and "memory.learn = 'verified'" in found["fix"]
    kept = by_name(guiagent("doctor", "--json", "--set", "memory.learn=verified")[1])["learning"]
    assert kept["state"] == "ok"


@pytest.mark.parametrize(
    ("arguments", "what", "message"),
    [
        (("--set", "memory.embedder=glove"), "recall", "choose auto, lexical"),
        (("--set", "guard.policy=typo.toml"), "policy", "typo.toml"),
        (("--runs", "file"), "runs folder", "cannot keep runs in file"),
        (("-c", "nothing.toml"), "settings", "nothing.toml: there is no such file"),
    ],
)
def test_what_is_wrong_is_missing_with_code_2(
    guiagent: Guiagent, arguments: tuple[str, ...], what: str, message: str
) -> None:
    Path("file").touch()
    Path("typo.toml").write_text('[[rule]]\neffekt = "ask"\n')
    code, out, _ = guiagent("doctor", "--json", *arguments)
    assert code == 2
    assert json.loads(out)["ok"] is False
    finding = by_name(out)[what]
    assert finding["state"] == "missing"
    assert message in finding["detail"]
    text = guiagent("doctor", *arguments)[1]
    assert text.endswith(f"missing: {what}\n")
    assert "MISSING " in text


def test_a_library_that_is_not_installed_is_missing(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "requirements", lambda: {"": ["no-such-library"], "more": ["click"]})
    code, out, _ = guiagent("doctor", "--all")
    assert code == 2
    assert "-m pip install no-such-library" in out
    assert "extra more: click" in out


@pytest.mark.parametrize(
    ("absent", "what", "fix"),
    [
        ("xauth", "display", "xvfb xauth"),
        ("openbox", "private display", "openbox"),
        ("dbus-daemon", "private display", "dbus"),
    ],
)
def test_what_a_display_is_made_of_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, absent: str, what: str, fix: str
) -> None:
    monkeypatch.setattr("gui_agent.settings.graphical", lambda: False)
    monkeypatch.setattr(checks.sys, "platform", "linux")
    monkeypatch.setattr(checks.shutil, "which", lambda name: None if name == absent else f"/bin/{name}")
    found = {"display": checks.display(), "private display": checks.private_display()}[what]
    assert found.state == "optional"
    assert found.fix == f"sudo apt-get install {fix}"


@pytest.mark.parametrize("variable", ["WAYLAND_DISPLAY", "XDG_SESSION_TYPE"])
def test_a_session_whose_windows_take_no_input_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("XDG_SESSION_TYPE", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(checks.sys, "platform", "linux")
    assert checks.display().state == "ok"
    monkeypatch.setenv(variable, "wayland")
    found = checks.display()
    assert found.state == "optional" and "X11 session" in found.fix and "Wayland" in found.detail


def test_options_are_shown_on_request(guiagent: Guiagent) -> None:
    assert "headless: bool = True" not in guiagent("doctor")[1]
    assert "headless: bool = True" in guiagent("doctor", "--options")[1]


def test_looking_leaves_nothing_behind(guiagent: Guiagent) -> None:
    guiagent("doctor")
    assert not list(state_folder("runs").glob("*"))


@pytest.mark.parametrize(("platform", "library"), [("win32", "comtypes"), ("linux", "dbus-fast")])
def test_libraries_of_other_platforms_are_not_missed(
    monkeypatch: pytest.MonkeyPatch, platform: str, library: str
) -> None:
    lines = [
        "comtypes; sys_platform == 'win32' and extra == 'desktop'",
        'dbus-fast; sys_platform == "linux" and extra == "desktop"',
        "mss; extra == 'desktop'",
    ]
    monkeypatch.setattr(checks, "requires", lambda _: lines)
    monkeypatch.setattr(checks.sys, "platform", platform)
    assert sorted(checks.requirements()["desktop"]) == [library, "mss"]


def test_a_screen_that_has_run_on_no_real_system_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from guiagent_platforms.macos.computer import MacComputer
    from guiagent_platforms.windows.computer import WindowsComputer

    for computer, system in ((WindowsComputer, "Windows"), (MacComputer, "Mac")):
        monkeypatch.setattr("gui_agent.computers.current_platform.LocalComputer", computer)
        found = {finding.what: finding for finding in checks.parts(Settings())}
        assert found["computer desktop"].detail.startswith("experimental")
        assert system in found["computer desktop"].detail
        assert "experimental" not in found["computer browser"].detail
