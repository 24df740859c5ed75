"""`guiagent learn`, `memory` and `skills` without a screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.settings import state_folder

Called = tuple[int, str, str]
Guiagent = Callable[..., Called]
DEMO = {
    "task": "Send 'hi' to Ada",
    "steps": [
        {
            "action": {
                "kind": "type",
                "text": "hi",
                "at": {"role": "textbox", "name": "Text"},
                "replace": True,
            },
            "expect": [{"kind": "value_is", "of": {"role": "textbox", "name": "Text"}, "value": "hi"}],
        },
        {"action": {"kind": "type", "text": "Ada", "at": {"role": "textbox", "name": "To"}, "replace": True}},
        {"action": {"kind": "click", "at": {"role": "button", "name": "Send"}}},
    ],
}


@pytest.fixture(autouse=True)
def settings(undisturbed: None) -> None:
    own = Path.home() / ".config" / "guiagent" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[memory]\nembedder = "lexical"\n')
    Path("send.json").write_text(json.dumps(DEMO))


@pytest.fixture
def entry(guiagent: Guiagent) -> str:
    """The id of the demonstration, which is learned."""
    code, out, _ = guiagent("learn", "send.json", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["procedure"], told["new"]) == ("send-to", True)
    return str(told["entry"])


def test_nothing_is_said_to_be_nothing(guiagent: Guiagent) -> None:
    assert guiagent("memory", "list")[1].startswith("the memory ")
    assert guiagent("memory", "why", "Send it")[1] == "the memory has nothing similar\n"
    assert json.loads(guiagent("memory", "stats")[1])["entries"] == 0
    assert guiagent("memory", "check")[0] == 0
    for command in (("forget", "abc"), ("approve", "abc"), ("export", "all.jsonl"), ("rescue",)):
        code, _, err = guiagent("memory", *command)
        assert (code, len(err.splitlines())) == (2, 1), command
    assert not (Path.home() / ".local").exists()


@pytest.mark.usefixtures("entry")
def test_a_procedure_is_shown_as_numbered_sentences_with_its_origin(guiagent: Guiagent, entry: str) -> None:
    for name in ("send-to", entry):
        code, out, _ = guiagent("memory", "show", name)
        assert code == 0
        assert '1. Type {text} in the textbox "Text".' in out
        assert "file send.json" in out


def test_a_procedure_can_be_written_out_edited_and_run(guiagent: Guiagent, entry: str) -> None:
    out = guiagent("memory", "show", "send-to", "--json")[1]
    Path("procedure.json").write_text(out)
    code, out, _ = guiagent("run", "Send 'yes' to Grace", "--demo", "procedure.json", "--explain")
    assert (code, "to = Grace" in out) == (0, True)
    assert guiagent("run", "Send 'yes' to Grace", "--demo", "send.json", "--explain")[0] == 0


def test_words_like_a_command_that_were_learned_are_what_was_learned(guiagent: Guiagent) -> None:
    Path("fill.json").write_text(json.dumps({**DEMO, "task": "Fill the letter to Ada with hi"}))
    assert guiagent("learn", "fill.json")[0] == 0
    task = ("run", "Fill the letter to Grace with bye", "--explain")
    code, out, _ = guiagent(*task)
    assert (code, out.startswith("Procedure fill-the-letter-to:")) == (0, True)
    assert guiagent(*task, "--planner", "plain")[1] == '1. set "letter to Grace" to "bye"\n'
    assert guiagent(*task, "--set", "to=Ken")[1].count("to = Ken") == 1


@pytest.mark.parametrize("more", [("--explain",), ("--planner", "plain"), ()])
def test_a_value_that_plain_commands_would_ignore_is_a_mistake(
    guiagent: Guiagent, more: tuple[str, ...]
) -> None:
    code, out, err = guiagent("run", 'click "Next"', "--set", "foo=1", *more)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("guiagent: foo=1: these commands have no place for it")
    assert not state_folder("runs").exists()


def test_unknown_names_are_told_with_the_nearest(guiagent: Guiagent, entry: str) -> None:
    code, _, err = guiagent("memory", "show", "sned-to")
    assert (code, 'did you mean "send-to"' in err) == (2, True)
    assert guiagent("check", "sned-to")[0] == 2
    assert guiagent("skills", "promote", "sned-to")[0] == 2


def test_a_file_that_is_not_there_is_told_as_such(guiagent: Guiagent, entry: str) -> None:
    for command in ("learn", "check"):
        code, _, err = guiagent(command, "nothing.json")
        assert (code, err) == (2, "guiagent: nothing.json: there is no such file\n")


def test_a_value_that_was_never_used_is_told(guiagent: Guiagent) -> None:
    code, out, err = guiagent("learn", "send.json", "--task", "Send 'hello' to Ada")
    assert (code, "learned from 1 demonstration" in out) == (0, True)
    assert err.startswith('warning: "hello" does not occur in the recording')
    assert err.count("\n") == 1 and "guiagent memory forget " in err
    assert guiagent("learn", "send.json")[2] == ""


def test_a_demonstration_without_steps_is_refused(guiagent: Guiagent) -> None:
    Path("none.json").write_text('{"task": "Send it", "steps": []}')
    said = "guiagent: none.json: it has no steps, so nothing can be learned from it\n"
    assert guiagent("learn", "none.json") == (2, "", said)
    assert guiagent("memory", "list")[1].endswith("is empty\n")


def test_why_names_both_uses(guiagent: Guiagent, entry: str) -> None:
    out = guiagent("memory", "why", "Send 'x' to Grace")[1]
    assert f"{entry} " in out
    assert "As a procedure:" in out
    assert "to = Grace" in out


def test_the_same_is_learned_once(guiagent: Guiagent, entry: str) -> None:
    assert guiagent("learn", "send.json")[1] == f"known already: {entry} in send-to\n"


def test_all_of_a_procedure_is_forgotten(guiagent: Guiagent, entry: str) -> None:
    assert guiagent("memory", "forget", "--procedure", "send-to")[1] == "forgotten: 1\n"
    code, _, err = guiagent("memory", "forget", "--procedure", "send-to")
    assert (code, "no entry matches" in err) == (2, True)
    assert guiagent("memory", "forget")[0] == 2


def test_a_damaged_memory_is_found_and_rescued(guiagent: Guiagent, entry: str) -> None:
    path = Path.home() / ".local/share/guiagent/memory.db"
    for beside in path.parent.glob("memory.db-*"):
        beside.unlink()
    path.write_bytes(b"no database at all, but long enough to look like one" * 100)
    code, _, err = guiagent("memory", "list")
    assert (code, "memory rescue" in err) == (2, True)
    assert guiagent("memory", "check")[0] == 2
    assert "0 entries saved" in guiagent("memory", "rescue")[1]
    assert guiagent("memory", "check")[0] == 0


def test_skills_are_listed_shown_and_say_what_they_take(guiagent: Guiagent, entry: str) -> None:
    assert "no runnable skills yet" in guiagent("skills", "list", "--from", "packs")[1]
    assert "rename-file" in guiagent("skills", "list")[1], "those of the project are there anywhere"
    code, out, _ = guiagent("skills", "promote", "send-to", "--name", "send-message", "--into", "packs")
    assert code == 0
    assert out.splitlines()[1].startswith("guiagent skills run --from packs send-message --text")
    assert "send-message" in guiagent("skills", "list", "--from", "packs")[1]
    assert guiagent("skills", "show", "send-message", "--from", "packs")[1].startswith(
        "---\nname: send-message"
    )
    code, out, _ = guiagent("skills", "run", "--from", "packs", "send-message", "--help")
    assert (code, "--to TEXT" in out, "such as Ada" in out) == (0, True, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--to", "Ada"), "give a value for text"),
        (("--too", "Ada"), "No such option"),
        (("--to",), "requires an argument"),
        (("--to", "Ada", "--text", "x", "--set", "colour=red"), 'no parameter "colour"'),
    ],
)
def test_what_is_wrong_with_parameters_is_one_line_and_code_2(
    guiagent: Guiagent, entry: str, options: tuple[str, ...], said: str
) -> None:
    guiagent("skills", "promote", "send-to")
    code, _, err = guiagent("skills", "run", "send-to", *options)
    assert (code, len(err.splitlines())) == (2, 1), err
    assert said in err


def test_a_verified_run_is_kept_when_asked_for(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    assert guiagent("run", "Fill in the form for Ada", "--learn", "--quiet", *small_world)[0] == 0
    rows = json.loads(guiagent("memory", "list", "--json")[1])
    assert [(row["kind"], row["origin"].startswith("run ")) for row in rows] == [("run", True)]
    assert guiagent("run", "a task", "--quiet", *small_world)[0] == 0
    assert len(json.loads(guiagent("memory", "list", "--json")[1])) == 1


def test_a_memory_of_a_project_can_be_named(guiagent: Guiagent) -> None:
    own = ("--set", "memory.path=memory/team.db")
    assert guiagent("learn", "send.json", *own)[0] == 0
    assert Path("memory/team.db").is_file()
    assert guiagent("run", "Send 'x' to Ken", "--explain", *own)[0] == 0
    assert guiagent("run", "Send 'x' to Ken", "--explain")[0] == 4
    assert guiagent("run", "Send 'x' to Ken", "--explain", *own, "--set", "memory.enabled=false")[0] != 0
