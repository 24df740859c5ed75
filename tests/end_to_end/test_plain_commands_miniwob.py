"""Plain commands do tasks of real MiniWoB++ pages with real input; the page itself says whether it is right.

Each instruction is put into plain commands the way a person would put it, or it is a plain
command already and is given as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.miniwob import MiniWob, MiniWobEpisode

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.commands import PlainPlanner

pytestmark = pytest.mark.nightly

AsSaid = Callable[[str], str]


def as_it_stands(utterance: str) -> str:
    return utterance


def put(pattern: str, command: str) -> AsSaid:
    r"""What the pattern finds in the instruction, put into the command (`\1` ...)."""

    def say(utterance: str) -> str:
        found = re.fullmatch(pattern, utterance)
        assert found is not None, utterance
        return found.expand(command)

    return say


def spun(utterance: str) -> str:
    number = int(re.findall(r"-?\d+", utterance)[0])
    way = "up" if number > 0 else "down"
    return f'click the "{way}" button {abs(number)} times, click Submit' if number else "click Submit"


def dialog(utterance: str) -> str:
    name = re.findall(r'"(.*)"', utterance)[0]
    return f'click the "{"Close" if name == "x" else name}" button'


def mailed(utterance: str) -> str:
    name = re.findall(r"by ([\w-]+)", utterance)[0]
    if "delete" in utterance or "trash" in utterance:
        return f"click the trash icon in the row of {name}"
    if "star" in utterance or "important" in utterance:
        return f"click the star icon in the row of {name}"
    text = re.findall(r'"(.*)"', utterance)
    if "reply" in utterance.lower():
        return f'click "{name}", click "Reply", type "{text[0]}" into the textbox, click the send icon'
    to = re.findall(r"to ([\w-]+)", utterance)[0]
    return f'click "{name}", click "Forward", type "{to}" into "to", click the send icon'


def tweeted(utterance: str) -> str:
    user, button = re.findall(r'user (@[\w-]+), click on the "(.*)" button', utterance)[0]
    if button in ("Reply", "Retweet", "Like"):
        return f'click the "{button.lower()}" icon near "{user}"'
    more = f'the "more" icon near "{user}"'
    return f'hover over {more}, click {more}, click "{button}"'


SEARCHED = r"Search for (.+) movies directed by (.+) from year (\d+)\."
PAGES: dict[str, AsSaid] = {
    "click-test": as_it_stands,
    "click-test-2": as_it_stands,
    "click-button": as_it_stands,
    "unicode-test": as_it_stands,
    "click-link": as_it_stands,
    "click-tab": as_it_stands,
    "click-option": as_it_stands,
    "click-checkboxes": as_it_stands,
    "choose-list": as_it_stands,
    "enter-text": as_it_stands,
    "enter-date": as_it_stands,
    "enter-time": as_it_stands,
    "click-scroll-list": put(r"Select (.*) from the scroll list(.*)", r"Select \1 from the list\2"),
    "click-dialog-2": dialog,
    "click-collapsible-nodelay": as_it_stands,
    "focus-text-2": put(r"Focus into the (.*) input textbox\.", r"click the \1 textbox"),
    "form-sequence-2": put("(.*)", r"\1, click Submit"),
    "enter-password": put(
        r'Enter the password "(.*)" into both.*',
        r'type "\1" into "Password", type "\1" into "Verify password", click Submit',
    ),
    "login-user": put(
        r'Enter the username "(.*)" and the password "(.*)" into.*',
        r'type "\1" into Username, type "\2" into Password, click Login',
    ),
    "multi-orderings": put(
        SEARCHED, r"type \1 into Genre, type \2 into Director, type \3 into Year, click Submit"
    ),
    "copy-paste": put(".*", "copy the text area into the text field, click Submit"),
    "read-table": put(r"Enter the value of (.*) into.*", r"copy \1 into the text field, press Submit"),
    "scroll-text-2": put(
        r"Scroll the textarea to the (\w+) .*", r"scroll the textarea to the \1, hit submit"
    ),
    "highlight-text": put(".*", "triple-click the text, click Submit"),
    "use-spinner": spun,
    "email-inbox": mailed,
    "click-menu": put("Select (.*)", r"Select \1"),
}
PAGES["click-collapsible-nodelay"] = put(".*", "click the first tab, click the Submit button")
SEEDS = (11, 12)


@pytest.fixture(scope="module")
def pages() -> Iterator[MiniWob]:
    miniwob = MiniWob(slowness=10)
    miniwob.setup()
    yield miniwob
    miniwob.teardown()


def run(episode: MiniWobEpisode, command: str) -> Trajectory:
    guard = PolicyGuard.default(yes=True)
    return Agent(episode.computer, PlainPlanner(), guard=guard, picture=False).run(command)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_task_is_done_by_plain_commands(pages: MiniWob, page: str, seed: int) -> None:
    with pages.episode(Case(page, seed)) as episode:
        command = PAGES[page](episode.task.text)
        trajectory = run(episode, command)
        grade = episode.grade()
    assert grade.success, (episode.task.text, command, trajectory.ending, grade)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_post_is_not_taken_by_its_author_while_others_are_out_of_sight(pages: MiniWob, seed: int) -> None:
    with pages.episode(Case("social-media", seed)) as episode:
        ending = run(episode, tweeted(episode.task.text)).ending
        grade = episode.grade()
    assert ending is not None and (ending.kind, ending.error) == ("not_done", "NotFound")
    assert not grade.finished
