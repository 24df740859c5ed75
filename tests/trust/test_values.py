"""Values are data: what a row, a caller or a page gives arrives letter by letter, and does nothing else.

`run_case(seed)` draws a sentence, a door through which its value comes, and a value made to break out of it;
the oracle is the world behind the fake computer. `python -m tests.trust.test_values 5000` counts thousands.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest

from gui_agent import ConfigError, LiveScreen, run, run_list, tool
from gui_agent.core.errors import GuiAgentError
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, button, field, screen, text, when

Verdict = tuple[Literal["right", "refused", "wrong"], str]
CASES = 120
QUOTES = "\"'`´“”„‟‘’‚‛«»‹›「」『』〝〞＂＇"
PAIRS = ('""', "''", "“”", "„“", "«»", "‘’")
"""Quotes that a sentence can have around its values."""
COMMANDS = (
    'click "Delete"',
    "click «Delete»",
    "press Enter",
    'type "x" into "Note"',
    "go to https://example.org",
    "Delete",
    "verify that nothing is shown",
    'read "Note" as "name"',
)
JOINTS = (", ", " then ", "\n", "; ", ". ", " and ", ",", "\r\n", "\u2028")
PIECES = (
    *QUOTES, "\\", "\\\\", "\\n", "C:\\new\\t", "{name}", "{{name}}", "{other}", "{", "}", "${secret:PIN}",
    "${secret}", "$", "%s", "%22", "&quot;", "<b>", "Ada", "O'Neil", "then", "into", "into \"Note\"", "as",
    "120,80", "*", "#", "--yes",     "é", "漢字", "عربى", "\t", "  ",
)  # fmt: skip
SENTENCES = (
    'type {q} into "Name", click "Send"',
    'replace "Name" by {q}, then click "Send"',
    'set "Name" to {q}; click "Send"',
)
SECRET = "4711-secret"


def drawn_value(draw: random.Random) -> str:
    """A text that ends quotes of all kinds, goes on with commands, and names other things."""
    kind = draw.randrange(4)
    command, joint = draw.choice(COMMANDS), draw.choice(JOINTS)
    if kind == 0:
        mark = draw.choice(QUOTES)
        return f"Ada{mark} into {mark}Name{mark}{joint}{command}{joint}type {mark}"
    if kind == 1:
        pair = draw.choice(PAIRS)
        return f"{pair[1]} into {pair[0]}Name{pair[1]}{joint}{command}"
    if kind == 2:
        return f"Ada{joint}{command}{joint}{draw.choice(PIECES)}"
    return "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 8)))


def world(lines: bool) -> FakeComputer:
    fields = (field("Name", states=["multiline"] if lines else ()), field("Note"))
    form = screen(text("People"), *fields, button("Send"), button("Delete"), title="New person")
    # Another page: that the form was sent is plain to see, so no run waits for it.
    sent = screen(text("All people"), title="People")
    return FakeComputer({"form": form, "sent": sent}, [when("click", "Send", go="sent")])


def secrets(folder: Path) -> dict[str, str]:
    (folder / "pin").write_text(SECRET, "utf-8")
    return {"PIN": f"file:{folder / 'pin'}"}


def through_rows(sentence: str, value: str, computer: FakeComputer, folder: Path) -> None:
    done = run_list(
        sentence.replace("VALUE", "{name}"),
        [{"name": value}],
        computer=computer,
        yes=True,
        settings=Settings.model_validate({"secrets": secrets(folder)}),
        out=folder / "results.csv",
    )
    if done.count("done") != 1:
        raise ConfigError(done.rows[0]["reason"] if done.rows else done.held)


def through_act(sentence: str, value: str, computer: FakeComputer, folder: Path) -> None:
    with LiveScreen(computer, yes=True, secrets=secrets(folder)) as steps:
        steps.act(sentence.replace("VALUE", "{a name}"), **{"a name": value})


def through_run(sentence: str, value: str, computer: FakeComputer, folder: Path) -> None:
    done = run(
        sentence.replace("VALUE", "{name}"),
        values={"name": value},
        computer=computer,
        yes=True,
        trace={"folder": ""},
        secrets=secrets(folder),
    )
    done.raise_for_status()


def through_a_tool(sentence: str, value: str, computer: FakeComputer, folder: Path) -> None:
    @tool
    def look_up() -> str:
        return value

    with LiveScreen(computer, yes=True, secrets=secrets(folder), tools=[look_up]) as steps:
        steps.act(f'look up as "it", {sentence.replace("VALUE", "{it}")}')


DOORS: Mapping[str, Callable[[str, str, FakeComputer, Path], None]] = {
    "rows": through_rows,
    "act": through_act,
    "run": through_run,
    "tool": through_a_tool,
}


def run_case(seed: int) -> Verdict:
    """One value through one door: whether it arrived as it is, was refused untouched, or neither."""
    draw = random.Random(seed)
    pair, door, value = draw.choice(PAIRS), draw.choice(list(DOORS)), drawn_value(draw)
    before, after = draw.choice((("", ""), ("", ""), ("A", ""), ("", " z")))
    sentence = draw.choice(SENTENCES).format(q=f"{pair[0]}{before}VALUE{after}{pair[1]}")
    value = value.strip() if door == "rows" else value  # as the cells of a table are read
    told = f"seed {seed}: {value!r} by {door} into {sentence!r}"
    lines = draw.random() < 0.7
    computer = world(lines)
    with TemporaryDirectory() as folder:
        try:
            DOORS[door](sentence, value, computer, Path(folder))
            fault = ""
        except GuiAgentError as error:
            fault = str(error)
    acts = [f"{one.kind} {getattr(one, 'text', '')}".strip() for one in computer.performed]
    held = computer.world.content_of("Name")
    if fault and not acts:
        return "refused", f"{told}: {fault}"
    if held == before + value + after and len(acts) == 2 and not computer.world.content_of("Note"):
        return "right", told  # a row whose end nothing verifies is told as unclear, and its value arrived
    return "wrong", f"{told}: {fault} {acts}, the field holds {held!r}"


@pytest.mark.parametrize("first", range(0, CASES, CASES // 4))
def test_a_value_arrives_as_it_is_and_does_nothing_else(first: int) -> None:
    told = [run_case(seed) for seed in range(first, first + CASES // 4)]
    assert [why for verdict, why in told if verdict == "wrong"] == []
    refused = [why for verdict, why in told if verdict == "refused"]
    assert all("a value must not name a secret" in why or "takes as keys" in why for why in refused)
    assert len(refused) < len(told) / 2


if __name__ == "__main__":
    many = [run_case(seed) for seed in range(int(sys.argv[1]))]
    print(Counter(verdict for verdict, _ in many))
    print("\n".join(why for verdict, why in many if verdict == "wrong"))
