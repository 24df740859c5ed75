"""From runs and files to demonstrations in the memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.memory.exemplars import entry_of
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.testing import ScriptedPlanner, give_up
from gui_agent.trace import RunWriter
from gui_agent.wiring import learn

Shown = Callable[..., Demonstration]
SCRIPT = """
import re
from playwright.sync_api import Page, expect

def test_example(page: Page) -> None:
    page.goto("https://mail.example/")
    page.get_by_label("To").fill("Ada")
    page.get_by_role("button", name="Send").click()
    page.mouse.click(10, 20)
"""


@pytest.fixture
def kept(tmp_path: Path, office: Any) -> Callable[..., Path]:
    """The folder of a run that was written while it happened."""

    def keeping(planner: Any, task: str) -> Path:
        from gui_agent.agent.loop import Agent
        from gui_agent.testing import OpenGuard

        writer = RunWriter(tmp_path / "runs", pictures=False)
        Agent(office.open(), planner, guard=OpenGuard(), observers=[writer], picture=False).run(task)
        assert writer.folder is not None
        return Path(writer.folder)

    return keeping


def test_a_verified_run_becomes_a_procedure_with_slots(
    kept: Callable[..., Path], office: Any, memory: Memory
) -> None:
    folder = kept(office.by_hand("Ada", "hi"), "Send 'hi' to Ada")
    learned = learn(folder, memory=memory)
    assert (learned.procedure.name, learned.new) == ("send-to", True)
    assert {one.name for one in learned.procedure.programs[0].parameters} == {"to", "text"}
    assert learned.procedure.entries[0].origin == f"run {folder.name}"
    assert not learn(folder, memory=memory).new


def test_a_run_that_failed_is_refused_with_the_reason(kept: Callable[..., Path], memory: Memory) -> None:
    folder = kept(ScriptedPlanner([give_up("no such person")]), "Send 'hi' to Ada")
    with pytest.raises(ConfigError, match="ended as not_done; only finished, verified runs"):
        learn(folder, memory=memory)
    assert not memory.exists


def test_plain_commands_need_to_be_told_what_they_are_for(
    kept: Callable[..., Path], office: Any, memory: Memory
) -> None:
    folder = kept(office.by_hand("Ada", "hi"), 'type "Ada" into "To", click "Send"')
    with pytest.raises(ConfigError, match="--task"):
        learn(folder, memory=memory)
    assert learn(folder, task="Send 'hi' to Ada", memory=memory).procedure.name == "send-to"


@pytest.mark.parametrize("said", ['Click "Ada"', "Click Ada", "click Ada, click hi"])
def test_a_plain_command_is_no_way_to_say_what_commands_are_for(
    kept: Callable[..., Path], office: Any, memory: Memory, said: str
) -> None:
    folder = kept(office.by_hand("Ada", "hi"), 'type "Ada" into "To", click "Send"')
    with pytest.raises(
        ConfigError, match=r"--task is a plain command itself \(.*describe the purpose of these commands"
    ):
        learn(folder, task=said, memory=memory)
    assert not memory.exists


def test_what_only_reads_like_a_plain_command_says_what_commands_are_for(
    kept: Callable[..., Path], office: Any, memory: Memory
) -> None:
    folder = kept(office.by_hand("Ada", "hi"), 'type "Ada" into "To", click "Send"')
    learned = learn(folder, task="Fill the letter to Ada with hi", memory=memory)
    assert learned.procedure.programs[0].templates == ("Fill the letter to {to} with {text}",)


def test_what_one_program_explains_joins_its_procedure(shown: Shown, memory: Memory, tmp_path: Path) -> None:
    for number, (to, words) in enumerate((("Ada", "hi"), ("Grace", "see you at 5"))):
        save_demonstration(tmp_path / f"{number}.json", shown(to, words))
        learned = learn(tmp_path / f"{number}.json", memory=memory)
    assert (learned.procedure.name, len(learned.procedure.demonstrations)) == ("send-to", 2)


def test_a_name_can_be_given_and_must_be_one(shown: Shown, memory: Memory, tmp_path: Path) -> None:
    save_demonstration(tmp_path / "demo.json", shown("Ada", "hi"))
    assert learn(tmp_path / "demo.json", name="greet", memory=memory).procedure.name == "greet"
    with pytest.raises(ConfigError, match="no name for a procedure"):
        learn(tmp_path / "demo.json", name="Greet people!", memory=memory)


def test_a_script_is_imported_with_remarks(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    with pytest.raises(ConfigError, match="describe what the script does"):
        learn(tmp_path / "script.py", memory=memory)
    learned = learn(tmp_path / "script.py", task="Write to Ada", memory=memory)
    assert learned.procedure.start == "https://mail.example/"
    assert learned.procedure.entries[0].kind == "import"
    assert any("mouse" in str(remark) for remark in learned.remarks)


def test_what_untrusted_hosts_showed_waits_for_approval(
    kept: Callable[..., Path], office: Any, tmp_path: Path
) -> None:
    folder = kept(office.by_hand("Ada", "hi"), "Send 'hi' to Ada")
    memory = Memory(tmp_path / "careful.db", embedder="lexical", untrusted=[""])
    learned = learn(folder, memory=memory)
    assert "untrusted" in learned.quarantined
    assert memory.procedures() == []
    with pytest.raises(ConfigError, match="quarantine"):
        memory.procedure(learned.entry)
    memory.exemplars.store.quarantine(learned.entry, "")
    assert [procedure.name for procedure in memory.procedures()] == ["send-to"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("demo.json", '{"task": "x", "steps": [{"action": {"kind": "clik"}}]}', "clik"),
        ("recording.json", '{"steps": [{"type": "navigate", "url": "https://a.example/"}]}', "describe what"),
        ("nothing.json", None, "cannot be read"),
    ],
)
def test_files_that_teach_nothing_are_told_in_one_line(
    name: str, content: str | None, said: str, memory: Memory, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError) as told:
        learn(tmp_path / name, memory=memory)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_trajectories_are_left_as_they_are(send: Callable[..., Trajectory]) -> None:
    trajectory = send("Ada", "hi")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"


def test_one_more_beside_two_hundred_procedures_is_learned_within_a_second(
    tmp_path: Path, memory: Memory
) -> None:
    script = tmp_path / "recorded.py"
    script.write_text(SCRIPT)
    known = {f"{act}-the-{thing}" for act in ACTS.split() for thing in THINGS.split()}
    first = learn(script, task='Send a letter to "Ada"', memory=memory).procedure.demonstrations[0]
    memory.exemplars.store.add(
        entry_of(
            replace(first, task=f'{name.replace("-", " ")} for "Ada"', start=f"https://{name}.example/"),
            kind="import",
            family=name,
        )
        for name in known
    )
    other = tmp_path / "other.py"
    other.write_text(SCRIPT.replace("mail.example", "parcels.example").replace('"Send"', '"Ship"'))
    began = process_time()
    learned = learn(other, task='Ship a parcel to "Eve", address "Ada"', memory=memory)
    assert process_time() - began < 1.0
    assert learned.new and learned.procedure.name not in known
    assert known < set(memory.names()) and len(known) == 200


ACTS = "order book rename archive move print export import sign pay"
THINGS = "car house form room ticket plane boat list plan note key seat song film page bill cup pen map hat"


@pytest.mark.parametrize("name", ["", "moods"])
def test_a_recording_that_nothing_can_be_learned_from_is_not_kept_and_says_why(
    shown: Shown, memory: Memory, tmp_path: Path, name: str
) -> None:
    save_demonstration(tmp_path / "mood.json", replace(shown("Ada", "hi"), answer="She is glad of it"))
    with pytest.raises(ConfigError, match="not learned: nothing on the last screen explains the answer"):
        learn(tmp_path / "mood.json", name=name, memory=memory)
    assert not memory.procedures()
