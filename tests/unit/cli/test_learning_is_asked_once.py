"""A person at the terminal is asked once whether what models do is learned."""

from __future__ import annotations

import os
import pty
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gui_agent.cli import call
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Words
from gui_agent.procedures.library.memory import open_memory
from gui_agent.settings import load
from gui_agent.testing import ScriptedPlanner, do, done

Terminal = Callable[..., str]
QUESTION = "Learn from such runs"
OWN = Path("home/.config/guiagent/config.toml")


def model() -> ScriptedPlanner:
    """What decides as a model does: its calls are counted."""
    return ScriptedPlanner([do(TypeText("Ada", Words("Name")), calls=1), do(Click(Words("Next"))), done()])


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Does the small task at a terminal where one answer is typed at the question; what was shown."""
    monkeypatch.delenv("CI", raising=False)
    ours, theirs = pty.openpty()
    seen: list[str] = []

    def shown(answer: str = "", *options: str) -> str:
        seen.clear()
        keyboard = os.fdopen(os.dup(theirs), "r")
        console = os.fdopen(os.dup(theirs), "w", buffering=1)
        monkeypatch.setattr(sys, "stdin", keyboard)
        monkeypatch.setattr(sys, "stderr", console)
        reader = threading.Thread(target=_answer, args=(ours, seen, answer))
        reader.start()
        planner = ("--set", f"planner.kind={__name__}:model", "--on", "small_world:computer")
        code = call(("run", "send it to Ada", *planner, *options))
        print(END, file=console, flush=True)
        reader.join(20)
        keyboard.close()
        assert code == 0, "".join(seen)
        return "".join(seen)

    yield shown
    os.close(theirs)
    os.close(ours)


END = "the end of what is shown"


def _answer(handle: int, seen: list[str], answer: str) -> None:
    while END not in (text := "".join(seen)):
        if answer and QUESTION in text and "[y/n]" in text.partition(QUESTION)[2]:
            os.write(handle, f"{answer}\n".encode())
            answer = ""
        seen.append(os.read(handle, 4096).decode(errors="replace"))


def runs_kept() -> int:
    memory = open_memory(load())
    try:
        return len(memory.procedures())
    finally:
        memory.close()


def test_a_yes_is_kept_among_the_settings_with_the_run_and_not_asked_for_again(terminal: Terminal) -> None:
    OWN.parent.mkdir(parents=True)
    OWN.write_text("# my own\n[memory] # of tasks\nembedder = 'lexical'\n\n[limits]\nsteps = 9")
    assert QUESTION in terminal("y")
    assert OWN.read_text() == (
        "# my own\n[memory] # of tasks\nlearn = \"verified\"\nembedder = 'lexical'\n\n[limits]\nsteps = 9\n"
    )
    assert runs_kept() == 1
    assert QUESTION not in terminal()


def test_a_no_is_kept_too_and_teaches_nothing(terminal: Terminal) -> None:
    assert QUESTION in terminal("n")
    assert OWN.read_text() == '[memory]\nlearn = "asked"\n' and runs_kept() == 0
    assert QUESTION not in terminal()


def test_a_file_that_takes_no_such_line_is_left_alone_and_told(terminal: Terminal) -> None:
    OWN.parent.mkdir(parents=True)
    OWN.write_text("memory = { embedder = 'lexical' }\n")
    shown = terminal("y")
    assert (
        OWN.read_text() == "memory = { embedder = 'lexical' }\n" and "by hand" in shown and runs_kept() == 1
    )


def test_nobody_is_asked_where_nobody_sits_or_programs_read(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert QUESTION not in terminal("", "--json")
    assert QUESTION not in terminal("", "--quiet")
    monkeypatch.setenv("CI", "true")
    assert QUESTION not in terminal()
    assert not OWN.exists()


def test_the_end_of_the_input_is_no_answer_and_the_next_run_asks_again(terminal: Terminal) -> None:
    assert QUESTION in terminal("\x04") and not OWN.exists()
    assert QUESTION in terminal("n")
