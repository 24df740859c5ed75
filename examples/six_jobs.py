"""Six everyday jobs, each as short as it gets; docs/python.md counts their lines beside other frameworks.

.venv/bin/python examples/six_jobs.py
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gui_agent import Browser, Result, learn, run, tool

FOLDER = Path(__file__).parent
PAGE = str(FOLDER / "contact.html")
FILL = 'type "Ada" into "Name", type "ada@example.org" into "Email", click "Next", '
SEND = 'choose "Canada" in "Country", type "hi" into "Message", tick "I agree", click "Send"'


@dataclass
class Person:
    name: str
    email: str


@tool
def shout(text: str) -> str:
    return text.upper()


def task() -> Result:
    return run('type "Ada" into "Name", click "Next"', url=PAGE)


def structured_data(page: Browser) -> Person:
    return page.read(schema=Person)


def hook() -> Result:
    return run('type "Ada" into "Name"', url=PAGE, on_step=print)


def own_tool() -> str:
    with Browser(PAGE, tools=[shout]) as page:
        return page.act('shout "ada" as "loud", type "{loud}" into "Name", read "Name"').notes["Name"]


def new_values(done: Result) -> Result:
    learn(done.folder, task="Send 'hi' from Ada in Canada, ada@example.org")
    return run("Send 'see you' from Grace in Japan, grace@example.org", yes=True)


def benchmark() -> int:
    command = "-m gui_agent eval run guiagent_eval.task_list:TaskList --option file=tasks.toml --quiet --json"
    return subprocess.run([sys.executable, *command.split()], cwd=FOLDER, check=False).returncode


if __name__ == "__main__":
    with Browser(PAGE) as page:
        page.act('type "Ada" into "Name", type "ada@example.org" into "Email"')
        print(structured_data(page))
    print(task().outcome, hook().outcome, own_tool())
    print(new_values(run(FILL + SEND, url=PAGE, yes=True)).reason)
