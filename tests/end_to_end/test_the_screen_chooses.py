"""Two learned ways of one task: the one that can begin on the page is taken, and only a page tells which."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.cli import call
from gui_agent.settings import state_folder

PAGE = (Path(__file__).parents[1] / "pages" / "messages.html").as_uri()
FOLDED = f"{PAGE}?folded"
"""The same page with its form behind a button."""
FILL_IN = 'type "Ada" into "To", type "hi" into "Text", click "Send", wait for "Sent to Ada"'
TASK = "Send 'see you' to Grace"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of somebody who was shown both ways, in the same words."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.chdir(folder)
        settings = folder / ".config" / "guiagent" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('[memory]\nembedder = "lexical"\n[trace]\npictures = false\n')
        ways = (("open-form", PAGE, FILL_IN), ("folded-form", FOLDED, f'click "Write", {FILL_IN}'))
        for name, address, commands in ways:
            assert call(["run", commands, "--url", address, "--yes", "--quiet"]) == 0
            assert call(["learn", "last", "--task", "Send 'hi' to Ada", "--name", name]) == 0
        yield folder


def wins() -> dict[str, int]:
    from gui_agent.procedures.library.memory import Memory

    procedures = Memory(embedder="lexical").procedures()
    return {one.name: round(sum(entry.wins for entry in one.entries)) for one in procedures}


@pytest.mark.parametrize(("address", "way"), [(PAGE, "open-form"), (FOLDED, "folded-form")])
def test_the_way_that_can_begin_on_the_page_is_taken(address: str, way: str, capsys: Capture) -> None:
    before = wins()
    assert call(["run", TASK, "--url", address, "--yes", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["model_calls"] == 0
    assert "Sent to Grace: see you" in told.err
    # The win goes to the procedure that was run, and to no other.
    assert wins() == {**before, way: before[way] + 1}


def test_both_are_explained_without_a_page(capsys: Capture) -> None:
    runs = len(list(state_folder("runs").iterdir()))
    assert call(["run", TASK, "--url", PAGE, "--explain"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The screen will decide among these procedures: two procedures fit equally well")
    assert "Procedure open-form:" in said
    assert "Procedure folded-form:" in said
    assert "to = Grace" in said
    assert len(list(state_folder("runs").iterdir())) == runs


def test_where_they_begin_has_to_be_said_when_they_begin_at_different_places(capsys: Capture) -> None:
    assert call(["run", TASK, "--yes", "--quiet"]) == 4
    said = capsys.readouterr().err
    assert PAGE in said
    assert FOLDED in said
    assert "say where to begin with --url" in said


def test_nothing_is_done_where_none_of_them_can_begin(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<title>Empty</title><h1>Nothing here</h1>")
    before = wins()
    assert call(["run", TASK, "--url", (tmp_path / "empty.html").as_uri(), "--yes", "--quiet"]) == 4
    assert "the first target is not on the screen" in capsys.readouterr().err
    assert wins() == before
