"""How each page family is done by hand: one short script per family, told the goal of the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.end_to_end.procedures.hand import Hand

Script = Callable[[Hand, Mapping[str, Any]], None]


def contact(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("Name", goal["who"])
    hand.type("E-mail", goal["address"])
    hand.type("Subject", goal["subject"])
    hand.choose("Topic", goal["topic"])
    hand.type("Message", goal["text"])
    hand.click("button", "Send")


def login(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("User name", goal["user"])
    hand.type("Password", goal["pass"])
    hand.click("button", "Log in")


def rowdelete(hand: Hand, goal: Mapping[str, Any]) -> None:
    row = row_of(hand, goal["who"], "Delete")
    hand.click("button", "Delete", nth=row)
    hand.click("button", "Yes, delete")


def row_of(hand: Hand, text: str, button: str) -> int:
    """The rank of the button that stands on the line of a text."""
    screen = hand.look()
    line = next(e for e in screen.elements if e.name == text)
    buttons = [e for e in screen.elements if e.role == "button" and e.name == button]
    return 1 + min(range(len(buttons)), key=lambda i: abs(buttons[i].box.center.y - line.box.center.y))


def lookup(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("Answer", goal["value"])
    hand.click("button", "Submit")


def ticks(hand: Hand, goal: Mapping[str, Any]) -> None:
    for name in goal["chosen"]:
        hand.tick(name)
    hand.click("button", "Submit")


def pages(hand: Hand, goal: Mapping[str, Any]) -> None:
    while not hand.shows(goal["who"]):
        hand.click("button", "Next")
    hand.click("link", goal["who"])


def menus(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("menuitem", goal["menu"])
    hand.click("menuitem", goal["entry"])


def rename(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("button", "Rename", beside=goal["old"])
    hand.type("New name", goal["to"])
    hand.click("button", "OK")


def calendar(hand: Hand, goal: Mapping[str, Any]) -> None:
    for _ in range(abs(goal["months"])):
        hand.click("button", "Next month" if goal["months"] > 0 else "Previous month")
    hand.click("button", goal["day"])
    hand.click("button", "Book")


def search(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("Find", goal["word"], role="searchbox")
    hand.click("button", "Search")
    links = [e for e in hand.look().elements if e.role == "link" and e.attributes.get("class") == "hit"]
    hand.click("link", links[goal["rank"] - 1].name)


def mail(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("link", beside=goal["who"])
    if goal["kind"] == "reply":
        hand.click("button", "Reply")
        hand.type("Your answer", goal["text"])
        hand.click("button", "Send")
    else:
        hand.click("button", goal["kind"].capitalize())


def tree(hand: Hand, goal: Mapping[str, Any]) -> None:
    while not hand.shows(goal["file"]):
        closed = [e for e in hand.look().elements if e.role == "button" and "collapsed" in e.states]
        hand.click("button", closed[0].name)
    hand.click("treeitem", goal["file"])
    hand.click("button", "Open")


def tabs(hand: Hand, goal: Mapping[str, Any]) -> None:
    for rank in range(2, goal["tab"] + 2):
        hand.click("tab", nth=rank)
    hand.click("link", goal["link"])


def quantity(hand: Hand, goal: Mapping[str, Any]) -> None:
    for _ in range(abs(goal["by"])):
        hand.click("button", "more" if goal["by"] > 0 else "less", beside=goal["what"])
    hand.click("button", "Order")


def switches(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.tick(goal["on"])
    hand.tick(goal["off"], on=False)
    hand.click("button", "Save")


def dates(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("Arrival", goal["iso"])
    hand.type("Guest", goal["guest"])
    hand.click("button", "Reserve")


def cheapest(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("button", "Select", nth=goal["index"] + 1)


def everyone(hand: Hand, goal: Mapping[str, Any]) -> None:
    for index in goal["indexes"]:
        hand.click("button", "Like", nth=index + 1)
    hand.click("button", "Done")


def banner(hand: Hand, goal: Mapping[str, Any]) -> None:
    if goal["there"]:
        hand.click("button", "Accept")
    hand.type("City", goal["city"])
    hand.type("Nights", goal["stay"])
    hand.click("button", "Find rooms")


def wizard(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.type("Full name", goal["who"])
    hand.click("button", "Continue")
    hand.type("City", goal["city"])
    hand.click("button", "Continue")
    hand.tick(goal["plan"], role="radio")
    hand.click("button", "Finish")


def scrolled(hand: Hand, goal: Mapping[str, Any]) -> None:
    from gui_agent.core.actions import Scroll

    while not hand.shows(goal["what"]):
        page = hand.look().elements[0]
        hand.act(Scroll(page, down=500))
    hand.click("button", "Order", nth=row_of(hand, goal["what"], "Order"))


def colours(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("button", nth=goal["index"] + 1)


def drawn(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("button", goal["count"])


def copied(hand: Hand, goal: Mapping[str, Any]) -> None:
    hand.click("button", "Return it")
    hand.type("Order number", goal["number"])
    hand.type("Reason", goal["why"])
    hand.click("button", "Submit")


def register(hand: Hand, goal: Mapping[str, Any]) -> None:
    for field, value in goal.items():
        if field in ("country", "title"):
            hand.choose(field.replace("_", " "), value)
        else:
            name = {"e_mail": "e-mail"}.get(field, field.replace("_", " "))
            hand.type(name, value, role=hand.role_of(name))
    hand.click("button", "Register")


FAMILIES: Mapping[str, Script] = {
    script.__name__: script
    for script in (
        contact, login, rowdelete, lookup, ticks, pages, menus, rename, calendar, search, mail, tree,
        tabs, quantity, switches, dates, cheapest, everyone, banner, wizard, scrolled, colours, drawn, copied,
    )
}  # fmt: skip
