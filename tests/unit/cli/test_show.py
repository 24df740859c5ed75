"""`guiagent show`: finding a run by its name, and listing runs."""

from __future__ import annotations

import json
import os
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.settings import state_folder

Called = tuple[int, str, str]
Guiagent = Callable[..., Called]


@pytest.fixture
def runs(guiagent: Guiagent, small_world: tuple[str, ...]) -> list[str]:
    """The ids of two runs, oldest first."""
    ids = []
    for task in ("first task", "second and much longer task"):
        guiagent("run", task, *small_world)
        ids += [path.name for path in state_folder("runs").iterdir() if path.name not in ids]
    return ids


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_the_report_is_printed_and_opened_where_there_is_a_display(
    guiagent: Guiagent, runs: list[str], opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":7")
    code, out, _ = guiagent("show", runs[0])
    report = state_folder("runs") / runs[0] / "report.html"
    assert (code, out.strip(), opened) == (0, str(report), [report.resolve().as_uri()])


@pytest.mark.parametrize(("option", "display"), [((), ""), (("--no-open",), ":7")])
def test_nothing_is_opened_without_a_display_or_when_told_so(
    guiagent: Guiagent,
    runs: list[str],
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    option: tuple[str, ...],
    display: str,
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("WAYLAND_DISPLAY", "")
    assert guiagent("show", "last", *option)[1].strip().endswith(f"{runs[1]}/report.html")
    assert opened == []


def test_a_run_is_found_by_folder_id_beginning_or_as_the_last(guiagent: Guiagent, runs: list[str]) -> None:
    wanted = str(state_folder("runs") / runs[1] / "report.html")
    stem = runs[1].removesuffix("-task")
    folder = str(state_folder("runs") / runs[1])
    for name in (folder, f"{folder}/", runs[1], stem, "last"):
        assert guiagent("show", name, "--no-open")[1].strip() == wanted, name


def test_the_report_of_a_killed_run_goes_up_to_where_it_came(guiagent: Guiagent, runs: list[str]) -> None:
    folder = state_folder("runs") / runs[0]
    (folder / "ending.json").unlink()
    (folder / "report.html").unlink()
    steps = (folder / "steps.jsonl").read_bytes()
    (folder / "steps.jsonl").write_bytes(steps[:-40])
    code, out, _ = guiagent("show", runs[0], "--no-open")
    assert code == 0
    page = Path(out.strip()).read_text()
    assert "Ada" in page
    assert "interrupted" in page.lower()


def test_an_unknown_run_names_the_nearest(guiagent: Guiagent, runs: list[str]) -> None:
    code, _, err = guiagent("show", runs[0].replace("first", "frist"))
    assert code == 2
    assert f'did you mean "{runs[0]}"' in err


def test_a_beginning_that_fits_several_runs_is_not_guessed(guiagent: Guiagent, runs: list[str]) -> None:
    code, _, err = guiagent("show", runs[0][:4])
    assert code == 2
    assert "2 runs begin with" in err


def test_runs_are_listed_newest_first(guiagent: Guiagent, runs: list[str]) -> None:
    lines = guiagent("show", "--list")[1].splitlines()
    assert [line.split()[0] for line in lines] == runs[::-1]
    assert "second and much" in lines[0]
    assert "2 steps" in lines[0]
    assert len({line.index(" done ") for line in lines}) == 1, "the columns stand below each other"
    rows = json.loads(guiagent("show", "--json")[1])
    assert [row["id"] for row in rows] == runs[::-1]
    assert rows[0]["ending"] == "done"


def test_old_runs_are_removed_wherever_the_settings_keep_them(guiagent: Guiagent, runs: list[str]) -> None:
    assert guiagent("clean", "--keep", "1")[1].startswith("0 runs removed"), "those of the last hour stay"
    old = time.time() - 7200
    for name in runs:
        os.utime(state_folder("runs") / name, (old, old))
    code, out, _ = guiagent("clean", "--keep", "1", "--set", f"trace.folder={state_folder('runs')}")
    assert (code, out.split()[0]) == (0, "1")
    assert [path.name for path in state_folder("runs").iterdir()] == runs[1:]


def test_no_runs_is_said_with_what_to_do(guiagent: Guiagent) -> None:
    code, _, err = guiagent("show")
    assert code == 2
    assert "guiagent run" in err
