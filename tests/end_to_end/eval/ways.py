"""How a person does some MiniWoB++ tasks: reads the instruction, looks at the page, uses mouse and keys."""

from __future__ import annotations

import random
import re
from calendar import month_name
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page


@dataclass
class Hand:
    """Mouse and keyboard of someone who sees the page and has the habits that a number stands for."""

    page: Page
    habit: random.Random
    at: tuple[float, float] = (80, 190)
    pause: float = field(default=25)
    """Milliseconds between two keys."""

    def see(self, selector: str, text: str = "") -> Locator:
        """What fits and can be seen, in the order of the page."""
        found = self.page.locator(f"#area {selector}:visible")
        return found.filter(has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")) if text else found

    def click(self, thing: Locator, at: float = 0.5) -> None:
        """Move there, press and release the left button, somewhere in the middle of it.

        Args:
            at: how far from its left side.
        """
        box = thing.bounding_box()
        assert box is not None, thing
        spread = min(0.15, at / 3)
        near = (self.habit.uniform(at - spread, at + spread), self.habit.uniform(0.35, 0.65))
        x, y = box["x"] + box["width"] * near[0], box["y"] + box["height"] * near[1]
        self.page.mouse.move(x, y, steps=3)
        self.page.wait_for_timeout(self.habit.uniform(60, 140))
        self.page.mouse.down()
        self.page.wait_for_timeout(self.habit.uniform(20, 60))
        self.page.mouse.up()

    def keys(self, text: str, *, slips: bool = True) -> None:
        """Type, now and then with a slip that is put right at once."""
        slip = slips and self.habit.random() < 0.3 and len(text) > 2
        for place, letter in enumerate(text):
            if slip and place == len(text) // 2:
                self.page.keyboard.type("q", delay=self.pause)
                self.page.keyboard.press("Backspace", delay=self.pause)
            if letter.isupper():
                self.page.keyboard.down("Shift")
            self.page.keyboard.type(letter, delay=self.pause)
            if letter.isupper():
                self.page.keyboard.up("Shift")

    def press(self, key: str) -> None:
        """Press one key."""
        self.page.keyboard.press(key, delay=self.pause)

    def write(self, thing: Locator, text: str) -> None:
        """Click into a field and type."""
        self.click(thing)
        self.keys(text)

    def fill(self, fields: list[Locator], texts: list[str]) -> None:
        """Fill fields one after the other; some people go on with Tab, some with the mouse."""
        tab = self.habit.random() < 0.5
        for number, (thing, text) in enumerate(zip(fields, texts, strict=True)):
            if number and tab:
                self.press("Tab")
                self.keys(text)
            else:
                self.write(thing, text)

    def submit(self) -> None:
        """Press the button at the end of a form."""
        self.click(self.see("button", "Submit"))


Way = Callable[[Hand, str], None]


def quoted(said: str) -> list[str]:
    """What stands in double quotes."""
    return re.findall(r'"([^"]*)"', said)


def click_button(hand: Hand, said: str) -> None:
    hand.click(hand.see("button", quoted(said)[0]).first)


def enter_text(hand: Hand, said: str) -> None:
    hand.write(hand.see("input"), quoted(said)[0])
    hand.submit()


def login_user(hand: Hand, said: str) -> None:
    fields = hand.see("input")
    hand.fill([fields.nth(0), fields.nth(1)], quoted(said))
    hand.click(hand.see("button", "Login"))


def enter_password(hand: Hand, said: str) -> None:
    fields = hand.see("input")
    hand.fill([fields.nth(0), fields.nth(1)], quoted(said) * 2)
    hand.submit()


def click_checkboxes(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" and click Submit.")
    for one in [] if wanted == "nothing" else wanted.split(", "):
        label = hand.see("label", one)
        hand.click(label if hand.habit.random() < 0.5 else label.locator("input"))
    hand.submit()


def click_option(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" and click Submit.")
    label = hand.see("label", wanted)
    hand.click(label if hand.habit.random() < 0.5 else label.locator("input"))
    hand.submit()


def choose_list(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" from the list and click Submit.")
    hand.click(hand.see("select"))
    hand.keys(wanted[:1] if hand.habit.random() < 0.2 else wanted)
    hand.press("Enter")
    hand.submit()


def click_tab_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    tabs = hand.see("a.ui-tabs-anchor")
    for number in range(tabs.count()):
        if number:
            hand.click(tabs.nth(number))
            hand.page.wait_for_timeout(80)
        if link := hand.see("span.alink", wanted).all():
            hand.click(link[0])
            return


def click_collapsible_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    heads = hand.see("h3")
    for number in range(-1, heads.count()):
        if number >= 0:
            hand.click(heads.nth(number))
            hand.page.wait_for_timeout(450)
        if link := hand.see("span.alink", wanted).all():
            hand.click(link[0])
            return


def email_inbox(hand: Hand, said: str) -> None:
    who = re.search(r"by (\w+)", said)
    assert who is not None
    row = hand.see(".email-thread").filter(has=hand.page.locator(".email-sender", has_text=who[1])).first
    while not row_in_sight(hand, row):
        hand.page.mouse.move(70, 130)
        hand.page.mouse.wheel(0, 40)
        hand.page.wait_for_timeout(60)
    if "important" in said or "Delete" in said or "delete" in said:
        hand.click(row.locator(".star" if "important" in said else ".trash"))
        return
    hand.click(row.locator(".email-subject"))
    if "eply" in said:
        hand.click(hand.see(".email-reply"))
        hand.write(hand.see("#reply-text"), quoted(said)[0])
        hand.click(hand.see("#send-reply"))
        return
    to = re.search(r"to (\w+)", said)
    assert to is not None
    hand.click(hand.see(".email-forward"))
    hand.write(hand.see(".forward-sender"), to[1])
    hand.click(hand.see("#send-forward"))


def row_in_sight(hand: Hand, row: Locator) -> bool:
    """Whether the row of a list that scrolls is wholly in its window."""
    box, window = row.bounding_box(), hand.see("#main").bounding_box()
    assert box is not None and window is not None
    return box["y"] + box["height"] <= window["y"] + window["height"]


def use_spinner(hand: Hand, said: str) -> None:
    number = re.search(r"-?\d+", said)
    assert number is not None
    arrow = hand.see(".ui-spinner-up" if int(number[0]) > 0 else ".ui-spinner-down")
    for _ in range(abs(int(number[0]))):
        hand.click(arrow)
    hand.submit()


def search_engine(hand: Hand, said: str) -> None:
    hand.write(hand.see("#search-text"), quoted(said)[0])
    hand.click(hand.see("#search"))
    found = re.search(r"(\d+)(?:st|nd|rd|th)", said)
    assert found is not None
    place = int(found[1]) - 1
    for _ in range(place // 3):
        hand.click(hand.see("#pagination a", ">"))
        hand.page.wait_for_timeout(60)
    hand.click(hand.see("a.search-title").nth(place % 3))


def navigate_tree(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    opened: set[str] = set()
    while True:
        if leaf := hand.see("span.file:visible, #area span.folder", wanted).all():
            hand.click(leaf[0])
            return
        shut = [one for one in hand.see("span.folder").all() if one.inner_text() not in opened]
        opened.add(shut[0].inner_text())
        hand.click(shut[0])
        hand.page.wait_for_timeout(80)


def click_dialog_2(hand: Hand, said: str) -> None:
    wanted = quoted(said)[0]
    button = ".ui-dialog-titlebar-close" if wanted == "x" else ".ui-dialog-buttonset button"
    shown = hand.page.locator(f"{button}:visible")
    hand.click(shown if wanted == "x" else shown.filter(has_text=wanted))


def enter_date(hand: Hand, said: str) -> None:
    found = re.search(r"(\d+)/(\d+)/(\d+)", said)
    assert found is not None
    hand.click(hand.see("input"), at=0.06)
    hand.keys("".join(found.groups()), slips=False)
    hand.submit()


def enter_time(hand: Hand, said: str) -> None:
    found = re.search(r"(\d+):(\d+) ([AP]M)", said)
    assert found is not None
    hand.click(hand.see("input"), at=0.06)
    hand.keys(f"{int(found[1]):02}{found[2]}{found[3][0].lower()}", slips=False)
    hand.submit()


def click_scroll_list(hand: Hand, said: str) -> None:
    wanted = said.removeprefix("Select ").removesuffix(" from the scroll list and click Submit.").split(", ")
    hand.page.mouse.move(60, 80)
    window = hand.see("select").bounding_box()
    for number, name in enumerate(wanted):
        option = hand.page.locator("#area option").filter(has_text=re.compile(rf"^{re.escape(name)}$"))
        for turn in (-200, *[20] * 40):
            box = option.bounding_box()
            assert box is not None and window is not None
            if window["y"] <= box["y"] and box["y"] + box["height"] <= window["y"] + window["height"]:
                break
            hand.page.mouse.wheel(0, turn)
            hand.page.wait_for_timeout(40)
        if number:
            hand.page.keyboard.down("Control")
        hand.click(option)
        if number:
            hand.page.keyboard.up("Control")
    hand.submit()


def copy_paste(hand: Hand, said: str) -> None:
    for thing, letter in ((hand.see("textarea"), "c"), (hand.see("input"), "v")):
        hand.click(thing)
        for key in ("a", letter) if letter == "c" else (letter,):
            hand.page.keyboard.down("Control")
            hand.press(key)
            hand.page.keyboard.up("Control")
    hand.submit()


def use_autocomplete(hand: Hand, said: str) -> None:
    begins, ends = (*quoted(said), "")[:2]
    hand.click(hand.see("input"))
    hand.keys(begins)
    hand.page.wait_for_timeout(700)
    for entry in hand.page.locator(".ui-menu-item:visible").all():
        if entry.inner_text().startswith(begins) and entry.inner_text().endswith(ends):
            hand.click(entry)
            break
    hand.submit()


def choose_date(hand: Hand, said: str) -> None:
    found = re.search(r"(\d+)/(\d+)/(\d+)", said)
    assert found is not None
    hand.click(hand.see("#datepicker"))
    shown = hand.page.locator(".ui-datepicker-month:visible")
    hand.page.wait_for_timeout(400)
    while shown.inner_text() != month_name[int(found[1])]:
        hand.click(hand.page.locator(".ui-datepicker-prev:visible"))
        hand.page.wait_for_timeout(60)
    day = re.compile(rf"^{int(found[2])}$")
    hand.click(hand.page.locator(".ui-datepicker-calendar a:visible").filter(has_text=day).first)
    hand.page.wait_for_timeout(300)
    hand.submit()


def use_slider(hand: Hand, said: str) -> None:
    number = re.search(r"-?\d+", said)
    assert number is not None
    handle = hand.see(".ui-slider-handle")
    hand.click(handle)
    while (left := int(number[0]) - int(hand.see("#val").inner_text())) != 0:
        for _ in range(abs(left)):
            hand.press("ArrowRight" if left > 0 else "ArrowLeft")
    hand.submit()


def terminal(hand: Hand, said: str) -> None:
    hand.click(hand.see("#terminal"))
    hand.keys("ls", slips=False)
    hand.press("Enter")
    names = hand.see(".terminal-output").last.inner_text().split()
    ending = re.search(r"extension \.(\w+)", said)
    fits = [name for name in names if (name.endswith(f".{ending[1]}") if ending else "." not in name)]
    hand.keys(f"rm {fits[0]}", slips=False)
    hand.press("Enter")


def social_media(hand: Hand, said: str) -> None:
    user = re.search(r"user (@\w+)", said)
    assert user is not None
    post = (
        hand.see(".media")
        .filter(has=hand.page.locator(".username", has_text=re.compile(rf"^{user[1]}$")))
        .first
    )
    window = hand.page.locator("#area").bounding_box()
    button = quoted(said)[0]
    icon = {"Reply": ".reply", "Retweet": ".retweet", "Like": ".like"}.get(button, ".more")
    for _ in range(40):
        box = post.locator(icon).bounding_box()
        assert box is not None and window is not None
        if box["y"] + box["height"] < window["y"] + window["height"] - (60 if icon == ".more" else 0):
            break
        hand.page.mouse.move(70, 130)
        hand.page.mouse.wheel(0, 20)
        hand.page.wait_for_timeout(40)
    hand.click(post.locator(icon))
    if icon == ".more":
        hand.click(post.locator("li:visible", has_text=button))


def multi_orderings(hand: Hand, said: str) -> None:
    found = re.search(r"Search for (\w+) movies directed by (\w+) from year (\w+)", said)
    assert found is not None
    told = dict(zip(("Genre", "Director", "Year"), found.groups(), strict=True))
    for row in hand.see("tr").all():
        hand.write(row.locator("input"), told[row.locator("th").inner_text().strip()])
    hand.click(hand.see(".final"))


WAYS: dict[str, Way] = {
    "choose-date": choose_date,
    "choose-list": choose_list,
    "click-button": click_button,
    "click-checkboxes": click_checkboxes,
    "click-collapsible-2": click_collapsible_2,
    "click-dialog-2": click_dialog_2,
    "click-option": click_option,
    "click-scroll-list": click_scroll_list,
    "click-tab-2": click_tab_2,
    "copy-paste": copy_paste,
    "email-inbox": email_inbox,
    "enter-date": enter_date,
    "enter-password": enter_password,
    "enter-text": enter_text,
    "enter-time": enter_time,
    "login-user": login_user,
    "multi-orderings": multi_orderings,
    "navigate-tree": navigate_tree,
    "search-engine": search_engine,
    "social-media": social_media,
    "terminal": terminal,
    "use-autocomplete": use_autocomplete,
    "use-slider": use_slider,
    "use-spinner": use_spinner,
}
