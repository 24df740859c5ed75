"""From a run in plain commands to a procedure, a test and a skill: the commands in a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from gui_agent.cli import call
from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.core.observation import Size
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.settings import state_folder
from gui_agent.skills import load_skill

PAGE = Path(__file__).parents[1] / "pages" / "messages.html"
COMMANDS = 'type "Ada" into "To", type "hi there" into "Text", click "Send", wait for "Sent to Ada"'
Called = tuple[int, str, str]
Guiagent = Callable[..., Called]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose owner has sent one message with plain commands, and let it be learned."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        _live_in(folder, patch)
        settings = folder / ".config" / "guiagent" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('[memory]\nembedder = "lexical"\n[trace]\npictures = false\n')
        assert call(["run", COMMANDS, "--url", str(PAGE), "--yes", "--quiet"]) == 0
        assert call(["learn", "last", "--task", "Send 'hi there' to Ada"]) == 0
    yield folder


@pytest.fixture
def guiagent(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Guiagent:
    """Calls a command in a copy of that home."""
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    _live_in(copy, monkeypatch)

    def calling(*arguments: str) -> Called:
        code = call(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return calling


def _live_in(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOME", str(folder))
    patch.setenv("XDG_STATE_HOME", str(folder / "state"))
    patch.chdir(folder)


def test_new_values_are_recognised_without_naming_the_procedure(guiagent: Guiagent) -> None:
    code, out, err = guiagent("run", "Send 'see you at 5' to Grace", "--yes", "--json")
    assert code == 0, err
    assert json.loads(out)["model_calls"] == 0
    assert "Sent to Grace: see you at 5" in err
    listed = json.loads(guiagent("memory", "list", "--json")[1])
    assert [(row["family"], round(row["wins"]), row["losses"]) for row in listed] == [("send-to", 1, 0)]


def test_an_exported_procedure_runs_by_itself_and_fails_where_the_application_is_another(
    guiagent: Guiagent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = "new/folder/test_send_to.py"
    assert guiagent("export", "send-to", "--as", "pytest", "-o", written)[:2] == (
        0,
        f"{written}: 1 test; values: to='Ada', text='hi there'\n",
    )
    code = Path(written).read_text("utf-8")
    assert "gui_agent" not in code
    launch = Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=find_executable("", "", windowless=True), args=launch.flags()
        )

        def passes(query: str = "", within: float = 60_000, **values: str) -> bool:
            monkeypatch.setenv("START", PAGE.as_uri() + query)
            module: dict[str, Any] = {}
            exec(compile(code, "test_send_to.py", "exec"), module)
            module["expect"].set_options(timeout=within)
            page = browser.new_page()
            page.set_default_timeout(within)
            try:
                module["test_send_to"](page, **values)
            except (AssertionError, PlaywrightError):
                return False
            finally:
                page.close()
            return True

        assert passes(text="hi there", to="Ada") and passes("?order=other", text="good news", to="Grace")
        assert not passes("?send=Post", within=1000, text="hi there", to="Ada")
        assert not passes("?broken", within=1000, text="hi there", to="Ada")
        browser.close()


def test_what_was_learned_in_words_like_a_command_is_run_and_no_command(guiagent: Guiagent) -> None:
    assert guiagent("learn", "last", "--task", "Fill the message form for Ada with hi there")[0] == 0
    task = "Fill the message form for Grace with good news"
    code, out, _ = guiagent("run", task, "--explain")
    assert (code, "Not the plain command (set " in out) == (0, True)
    code, _, err = guiagent("run", task, "--yes")
    assert code == 0, err
    assert "Sent to Grace: good news" in err
    code, _, err = guiagent("run", 'click "Post"', "--url", f"{PAGE.as_uri()}?send=Post", "--yes")
    assert code == 0, err


@pytest.mark.nightly
def test_the_fields_may_stand_elsewhere(guiagent: Guiagent) -> None:
    code, _, err = guiagent("run", "Send 'x y' to Ken", "--url", f"{PAGE.as_uri()}?order=other", "--yes")
    assert code == 0, err
    assert "Sent to Ken: x y" in err


@pytest.mark.nightly
def test_the_procedure_as_a_test_passes_and_fails(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("check", "send-to", "--yes", "--set", "to=Ken")
    assert code == 0
    assert '✓ "Sent to Ken: hi there" is shown' in out
    assert out.splitlines()[-1].startswith("passed: 3 of 3")
    code, out, _ = guiagent("check", "send-to", "--yes", "--json", "--url", f"{PAGE.as_uri()}?broken")
    report = json.loads(out)
    assert (code, report["passed"]) == (4, False)
    failed = [one["text"] for step in report["steps"] for one in step["expectations"] if not one["held"]]
    assert failed == ['"Sent to Ada: hi there" is shown']


def test_a_test_that_expects_nothing_fails_and_says_so(guiagent: Guiagent) -> None:
    (procedure,) = Memory(embedder="lexical").procedures()
    (shown,) = procedure.demonstrations
    blind = replace(shown, steps=tuple(replace(step, expect=()) for step in shown.steps), final=None)
    save_demonstration("blind.json", blind)
    code, out, _ = guiagent("check", "blind.json", "--yes")
    assert (code, out.splitlines()[-1].startswith("FAILED: 0 of 0 expectations hold; nothing was")) == (
        4,
        True,
    )
    code, out, _ = guiagent("check", "blind.json", "--yes", "--json")
    assert (code, json.loads(out)["passed"]) == (4, False)


@pytest.mark.nightly
def test_a_skill_is_promoted_and_run_from_both_sides(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("skills", "promote", "send-to", "--name", "send-message")
    assert code == 0
    assert 'guiagent skills run send-message --text "hi there" --to "Ada"' in out
    code, _, err = guiagent("skills", "run", "send-message", "--to", "Grace", "--text", "it's fine", "--yes")
    assert code == 0, err
    assert "Sent to Grace: it's fine" in err
    from gui_agent.wiring import run_skill

    result = run_skill(load_skill("send-message"), {"to": "Alan", "text": "see you"}, yes=True)
    assert (result.ok, result.model_calls) == (True, 0)


def test_nobody_asked_means_nothing_sent(guiagent: Guiagent) -> None:
    assert guiagent("run", "Send 'x' to Grace", "--quiet")[0] == 5


def test_what_is_not_known_is_told_with_the_nearest(guiagent: Guiagent) -> None:
    code, _, err = guiagent("run", "Find the cheapest flight for Ada", "--quiet")
    assert code == 4
    assert "no demonstration fits this instruction; the nearest is: Send '{text}' to {to}" in err


def test_explaining_starts_nothing(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("run", "Send 'see you at 5' to Grace", "--explain")
    assert code == 0
    for said in ("Procedure send-to: \"Send '{text}' to {to}\" (fits 1.00)", "to = Grace", "Learned from:"):
        assert said in out
    assert len(list(state_folder("runs").iterdir())) == 1
    code, out, _ = guiagent("run", "Find the cheapest flight for Ada", "--explain")
    assert (code, out.startswith("No procedure would run")) == (4, True)
    assert guiagent("run", 'click "Send"', "--explain")[1] == '1. click "Send"\n'


def test_a_skill_is_exported_by_its_own_name(guiagent: Guiagent) -> None:
    assert guiagent("skills", "promote", "send-to", "--name", "send-message")[0] == 0
    code, out, err = guiagent("export", "send-message", "--as", "pytest")
    assert (code, out) == (0, "test_send_message.py: 1 test; values: to='Ada', text='hi there'\n"), err


def test_what_is_forgotten_or_in_quarantine_is_not_run(guiagent: Guiagent) -> None:
    task = ("run", "Send 'x' to Grace", "--explain")
    guiagent("memory", "export", "all.jsonl")
    entry = json.loads(guiagent("memory", "list", "--json")[1])[0]["id"]
    code, out, _ = guiagent("memory", "forget", entry)
    assert (code, entry in out) == (0, True)
    assert guiagent(*task)[0] == 4
    assert "1 added" in guiagent("memory", "import", "all.jsonl")[1]
    assert "QUARANTINE: imported" in guiagent("memory", "list")[1]
    assert guiagent(*task)[0] == 4
    assert guiagent("memory", "approve", entry)[0] == 0
    assert guiagent(*task)[0] == 0
