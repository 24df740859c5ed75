"""A model is shown the nearest runs: also in other words than theirs, and after lost runs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from memory_samples import SIZE, demonstration, keep, observation, screen

from gui_agent.core.actions import Choose, Click, TypeText
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Demonstration, DemoStep, Task
from gui_agent.memory.entry import now
from gui_agent.memory.exemplars import ExemplarMemory

SITE = "site.example"
FORM = ("Name:", "E-mail:", "Country:", "Message:", "Send", "Home", "Products", "Imprint")
HELD_OUT = (
    "Send 'see you' from Grace in Norway, grace@example.org",
    "Please write 'see you' as Grace from Norway, grace@example.org",
    "Submit the contact form for Grace in Norway (grace@example.org) saying 'see you'",
    "Get in touch with them: I am Grace, grace@example.org, in Norway; tell them see you",
    "Contact them as Alan, alan@example.org, Chile: 'call me'",
    "Drop a line: 'thanks' by Mary of Peru (mary@example.org)",
    "Fill in name Linus, mail linus@example.org, country Finland and text 'hello there', then submit",
    "Let the shop know 'the parcel is late'; it comes from Edith in Malta, edith@example.org",
    "Leave a note for support saying 'broken link', signed Barbara, barbara@example.org, Japan",
    "Escribe 'hola' como Grace de Noruega, grace@example.org",
)
OTHERS = (
    ("Log in as 'ada' with the password 'x1'", ("User:", "Password:", "Log in", "Home", "Imprint"), SITE),
    ("Put two red mugs into the basket", ("Search:", "Red mug", "Add to basket", "Home", "Imprint"), SITE),
    ("Write 'see you' to Grace", ("To:", "Message:", "Send"), "mail.example"),
    ("Invite grace@example.org in Norway", ("Guest:", "Invite", "Calendar"), "calendar.example"),
    ("Submit the tax form for 2025", ("Income:", "Submit"), "tax.example"),
    ("Tell me the weather in Norway", ("Place:", "Show"), "weather.example"),
    ("Fill in the order for Linus", ("Customer:", "Order"), "shop.example"),
    ("Leave the group 'links'", ("Members", "Leave"), "chat.example"),
)


def contact() -> Demonstration:
    """The run that is remembered, with what a person put into the form."""
    shown = screen(*FORM, app=SITE, title="Contact")

    def at(name: str, role: str = "textbox") -> Fingerprint:
        return Fingerprint(role, name, screen=SIZE)

    actions = (
        TypeText("Ada", at("Name")),
        TypeText("ada@example.org", at("E-mail")),
        Choose(at("Country", "combobox"), "Canada"),
        TypeText("hi", at("Message")),
        Click(at("Send", "button")),
    )
    steps = tuple(DemoStep(action, shown, number) for number, action in enumerate(actions, start=1))
    return Demonstration("Send 'hi' from Ada in Canada, ada@example.org", steps)


@pytest.fixture(params=[0, 1, 2], ids=["untouched", "one lost run", "two lost runs"])
def known(request: pytest.FixtureRequest, memory: ExemplarMemory) -> ExemplarMemory:
    """The contact form among tasks of the same site and of others, after so many lost runs."""
    for task, names, app in OTHERS:
        keep(memory, demonstration(task, *names, app=app))
    added = keep(memory, contact())
    for _ in range(request.param):
        memory.store.note([added.id], won=False, now=now())
    return memory


def shown(memory: ExemplarMemory, task: str, names: Sequence[str] = FORM, app: str = SITE) -> list[str]:
    seen = observation(screen(*names, app=app, title="Contact"))
    return [one.task for one in memory.recall(Task(task), seen)]


def test_a_run_is_shown_for_its_task_in_other_words_also_after_lost_runs(known: ExemplarMemory) -> None:
    found = [shown(known, task) for task in HELD_OUT]
    assert sum(contact().task in tasks for tasks in found) == 10, found
    assert sum(contact().task in tasks[:1] for tasks in found) >= 9, found


def test_a_run_is_not_shown_for_another_task_elsewhere(known: ExemplarMemory) -> None:
    assert shown(known, "Turn on dark mode", ("Theme", "Volume"), "settings") == []
