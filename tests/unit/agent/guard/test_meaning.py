"""What clicks, drops, uploads and visits mean, judged by what they touch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.guard import classify
from gui_agent.core.actions import (
    Action,
    Check,
    Choose,
    Click,
    Drag,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Scroll,
    Switch,
    TypeText,
    Upload,
)
from gui_agent.core.observation import Box, Effects, Element, Form, Observation, Place, Point
from gui_agent.core.protocols import Opening
from gui_agent.core.trajectory import Found
from gui_agent.testing import (
    button,
    checkbox,
    choice,
    dialog,
    field,
    form,
    link,
    row,
    screen,
    spot,
    text,
    widget,
    with_states,
)


def did(action: Action, observation: Observation, **found: Found) -> list[str]:
    """What an action means, gravest first."""
    return [reading.meaning for reading in classify(action, found, observation)]


def clicked(observation: Observation, name: str) -> list[str]:
    """What a click on the element of this name means."""
    place = spot(observation, name)
    return did(Click(place.point), observation, at=place)


PASSWORD = field("Password", states=["password"])
LOGIN = screen(form(field("User"), PASSWORD, button("Go", type_="submit"), button("Show", type_="button")))
CARD = screen(form(field("Card number"), field("CVV"), button("Continue", type_="submit"), button("Cancel")))
SEARCH = screen(form(widget("searchbox", "Search", states=["editable"]), button("Find", type_="submit")))
CONTACT = screen(form(field("Email"), field("Message", states=["multiline"]), button("Submit")))
SURE = screen(button("Save"), dialog("Delete 3 files?", button("OK"), button("Cancel"), button("Keep")))
ASKED = screen(
    dialog("Question", text("This will permanently remove the account."), button("Yes"), button("No"))
)
CHARGED = screen(text("You will be charged 12 €"), button("Confirm"), button("Next"))
BULK = screen(form(choice("Action", "Delete", "Rename"), button("Apply")))
RENAMING = screen(form(choice("Action", "Delete", "Rename", value="Rename"), button("Apply")))


@pytest.mark.parametrize(
    ("observation", "name", "meaning"),
    [
        (screen(button("Send")), "Send", "send"),
        (screen(link("Delete account")), "Delete account", "delete"),
        (screen(widget("menuitem", "Remove")), "Remove", "delete"),
        (screen(widget("option", "Delete")), "Delete", "delete"),
        (screen(text("Delete")), "Delete", "delete"),
        (screen(button("", class_="icon fa-trash")), "", "delete"),
        (screen(replace(button("", class_="btn"), does=Effects(said=("Send",)))), "", "send"),
        (screen(widget("button", "", description="Delete message")), "", "delete"),
        (screen(widget("button", "🗑")), "🗑", "delete"),
        (screen(widget("button", "", value="Pay now")), "", "pay"),
        (LOGIN, "Go", "submit-credentials"),
        (screen(form(PASSWORD, button("Sign in"))), "Sign in", "submit-credentials"),
        (screen(PASSWORD, button("Log in")), "Log in", "submit-credentials"),
        (CARD, "Continue", "pay"),
        (CONTACT, "Submit", "send"),
        (screen(form(field("Name"), button("Submit"))), "Submit", "submit"),
        (screen(form(field("Name"), button("Weiter", type_="submit"))), "Weiter", "submit"),
        (SURE, "OK", "delete"),
        (ASKED, "Yes", "delete"),
        (CHARGED, "Confirm", "pay"),
        (BULK, "Apply", "delete"),
        (screen(widget("row", "Delete")), "Delete", "delete"),
    ],
)
def test_risky_targets(observation: Observation, name: str, meaning: str) -> None:
    assert clicked(observation, name)[0] == meaning


@pytest.mark.parametrize(
    ("observation", "name"),
    [
        (SURE, "Cancel"),
        (SURE, "Keep"),
        (SURE, "Save"),
        (ASKED, "No"),
        (CARD, "Cancel"),
        (CARD, "Card number"),
        (LOGIN, "Show"),
        (LOGIN, "Password"),
        (SEARCH, "Find"),
        (CHARGED, "Next"),
        (RENAMING, "Apply"),
        (screen(button("OK")), "OK"),
        (screen(button("Add Comment")), "Add Comment"),
        (screen(button("Don't delete")), "Don't delete"),
        (screen(link("How to delete your account")), "How to delete your account"),
        (screen(link("Delete all the things you never needed, in ten steps")), None),
        (screen(widget("listitem", "Bob: please send me the report soon")), None),
        (screen(text("We will never send you mail unless you pay")), None),
        (screen(field("Send to")), "Send to"),
        (screen(checkbox("Delete the original too")), "Delete the original too"),
        (screen(widget("heading", "Delete")), "Delete"),
        (screen(button("Star", class_="fa-trash")), "Star"),
        (screen(button("+1", type_="submit")), "+1"),
        (screen(button("Log in")), "Log in"),
        (screen(row(text("To"), field("")), button("Bold")), "Bold"),
    ],
)
def test_harmless_targets(observation: Observation, name: str | None) -> None:
    assert clicked(observation, name if name is not None else observation.elements[0].name) == ["plain"]


def boxed(name: str, *lines: str) -> Observation:
    """A dialog that is nothing but a box of the page, as many pages have it."""
    flat = screen(text("Welcome"), *map(text, lines), button(name))
    paths = ["html/body/p", *(f"html/body/div[7]/div/p[{n}]" for n in range(len(lines)))]
    paths.append("html/body/div[7]/div/div/button[1]")
    placed = tuple(replace(e, path=path) for e, path in zip(flat.elements, paths, strict=True))
    return replace(flat, elements=placed)


def test_a_dialog_that_is_just_a_box_tells_what_its_button_does() -> None:
    assert clicked(boxed("OK", "Delete 3 files?"), "OK") == ["delete"]
    assert clicked(boxed("Cancel", "Delete 3 files?"), "Cancel") == ["plain"]
    assert clicked(boxed("Next", "Delete 3 files?"), "Next") == ["plain"]
    assert clicked(boxed("OK", "Delete 3 files?", "a long story " * 40), "OK") == ["plain"]


def test_a_dialog_of_the_page_is_known_by_the_paths_of_what_is_in_it() -> None:
    observation = screen(dialog("", text("This cannot be undone"), button("Continue"), button("Close")))
    bare = replace(observation, elements=observation.elements[1:])
    assert clicked(bare, "Continue") == ["delete"]
    assert clicked(bare, "Close") == ["plain"]
    assert did(Press(("enter",)), bare) == ["delete"]


def test_a_button_outside_a_form_submits_nothing() -> None:
    observation = screen(field("Name"), button("Open", type_="submit"))
    assert clicked(observation, "Open") == ["plain"]


def test_the_button_under_the_point_counts_and_not_only_the_row_that_was_meant() -> None:
    whole = widget("row", "Report", box=Box(0, 0, 400, 40))
    bin_ = widget("button", "Delete", box=Box(360, 5, 30, 30))
    observation = screen(whole, bin_)
    meant = observation.elements[0]
    on_bin = Found(Point(370, 20), meant, meant.box)
    beside = Found(Point(100, 20), meant, meant.box)
    assert did(Click(on_bin.point), observation, at=on_bin)[0] == "delete"
    assert did(Click(beside.point), observation, at=beside) == ["plain"]


@pytest.mark.parametrize("element", [None, "canvas"])
def test_a_point_on_a_canvas_is_judged_by_what_stands_there(element: str | None) -> None:
    canvas = widget("canvas", "Board", box=Box(0, 0, 600, 400))
    observation = screen(canvas, text("Delete", box=Box(300, 200, 60, 20)))
    meant = observation.elements[0] if element else None
    near, far = Found(Point(330, 225), meant), Found(Point(50, 50), meant)
    assert did(Click(near.point), observation, at=near) == ["delete", "unknown"]
    assert did(Click(far.point), observation, at=far) == ["unknown"]


def test_a_point_on_nothing_is_unknown() -> None:
    observation = screen(button("Send"))
    nothing = Found(Point(700, 500))
    assert did(Click(nothing.point), observation, at=nothing) == ["unknown"]


def test_a_point_on_a_known_button_is_that_button() -> None:
    observation = screen(button("Send"))
    blind = Found(observation.elements[0].box.center)
    assert did(Click(blind.point), observation, at=blind) == ["send"]


@pytest.mark.parametrize(
    "action",
    [
        Click(Point(30, 30), button="right"),
        Move(Point(30, 30)),
        Scroll(Point(30, 30), down=100),
        Switch("Delete"),
    ],
)
def test_looking_around_is_plain_also_on_a_risky_button(action: Action) -> None:
    observation = screen(button("Delete"))
    assert did(action, observation, at=spot(observation, "Delete")) == ["plain"]


def test_whatever_activates_a_button_means_what_it_does() -> None:
    observation = screen(button("Delete"))
    at = spot(observation, "Delete")
    for action in (LongPress(at.point), Choose(at.point, "One"), Check(at.point), TypeText("x", at.point)):
        assert "delete" in did(action, observation, at=at), action


def test_a_switch_acts_at_once_and_a_check_box_does_not() -> None:
    observation = screen(checkbox("Make public", role="switch"), checkbox("Delete it"))
    switch, box = spot(observation, "Make public"), spot(observation, "Delete it")
    assert did(Check(switch.point), observation, at=switch) == ["publish"]
    assert did(Check(box.point), observation, at=box) == ["plain"]


def test_dropping_on_the_bin_deletes() -> None:
    observation = screen(text("report.txt"), widget("icon", "Trash"), widget("icon", "Documents"))
    item, trash, folder = (spot(observation, name) for name in ("report.txt", "Trash", "Documents"))
    assert did(Drag(item.point, trash.point), observation, at=item, to=trash) == ["delete"]
    assert did(Drag(item.point, folder.point), observation, at=item, to=folder) == ["plain"]


@pytest.mark.parametrize(
    ("name", "typed", "meanings"),
    [
        ("Password", "hunter2", ["password"]),
        ("Password", "${secret:MAIL}", ["password"]),
        ("Name", "${secret:MAIL}", ["secret"]),
        ("Name", "Ada", ["plain"]),
        ("Card number", "4111 1111 1111 1111", ["card"]),
        ("CVV", "123", ["card"]),
        ("Name", "4111-1111-1111-1111", ["card"]),
        ("Name", "4111-1111-1111-1112", ["plain"]),
        ("Name", "0000000000000000", ["plain"]),
        ("Search or enter address bar", "javascript:alert(1)", ["script-address"]),
        ("Name", "javascript:alert(1)", ["plain"]),
        ("Name", "rm -rf /", ["plain"]),
    ],
)
def test_typing_is_judged_by_the_field_and_the_text(name: str, typed: str, meanings: list[str]) -> None:
    observation = screen(
        field("Name"),
        PASSWORD,
        field("Card number"),
        field("CVV"),
        field("Search or enter address bar"),
    )
    place = spot(observation, name)
    assert did(TypeText(typed, place.point), observation, at=place) == meanings
    assert did(TypeText(typed), with_states(observation, name, "focused")) == meanings


def test_a_field_without_a_name_is_known_by_its_label() -> None:
    observation = screen(row(text("Card number"), field("")))
    place = spot(observation, "", "textbox")
    assert did(TypeText("1", place.point), observation, at=place) == ["card"]


@pytest.mark.parametrize(
    ("observation", "risky"),
    [
        (screen(widget("terminal", "bash"), app="gnome-terminal"), True),
        (screen(widget("textbox", "", states=["editable"]), app="xterm", title="xterm"), True),
        (screen(field("Terminal input", class_="xterm-helper-textarea"), url="http://ide.example/"), True),
        (screen(field("Name"), url="http://shop.example/", title="Terminal blocks and connectors"), False),
    ],
)
def test_terminals_are_known(observation: Observation, risky: bool) -> None:
    place = Found(observation.elements[0].box.center, observation.elements[0])
    said = did(TypeText("ls", place.point), observation, at=place)
    assert said == (["terminal"] if risky else ["plain"])
    destroying = did(TypeText("rm -rf ~", place.point), observation, at=place)
    assert ("destructive-command" in destroying) is risky


@pytest.mark.parametrize(
    ("file", "meaning"),
    [
        ("~/report.pdf", "upload"),
        ("~/.ssh/id_ed25519", "secret-file"),
        ("/srv/app/.env", "secret-file"),
        ("key.pem", "secret-file"),
    ],
)
def test_uploads_are_judged_by_the_file(file: str, meaning: str) -> None:
    observation = screen(button("Choose file"))
    place = spot(observation, "Choose file")
    assert did(Upload(place.point, (file,)), observation, at=place)[0] == meaning


@pytest.mark.parametrize(
    ("action", "meaning"),
    [
        (Navigate("https://example.org/"), "plain"),
        (Navigate("localhost:8000/javascript:"), "plain"),
        (Navigate("javascript:alert(1)"), "script-address"),
        (Navigate(" JaVa\tScript:alert(1)"), "script-address"),
        (Navigate("data:text/html,<script>1</script>"), "script-address"),
        (Open("javascript:alert(1)"), "script-address"),
        (Navigate("chrome://settings"), "settings"),
        (Open("https://example.org"), "plain"),
        (Open("notes.txt"), "unclear"),
        (Open("gedit"), "unclear"),
    ],
)
def test_addresses_and_what_nobody_can_tell(action: Action, meaning: str) -> None:
    assert did(action, screen()) == [meaning]


@pytest.mark.parametrize(
    ("opening", "meanings"),
    [
        (Opening("program", ("paper", "a.txt")), ["plain"]),
        (Opening("document", ("paper", "a.txt")), ["plain"]),
        (Opening("nothing"), ["plain"]),
        (Opening("address", ("browser",), "https://example.org"), ["plain"]),
        (Opening("address", ("game",), "game://start/1"), ["unclear", "plain"]),
        (Opening("program", ("browser",), "data:text/html,x"), ["script-address"]),
        (Opening("executable", ("/tmp/fix",)), ["install"]),
        (Opening("command", ("touch", "a")), ["terminal"]),
        (Opening("command", ("sh", "-c", "rm -rf a")), ["destructive-command", "terminal"]),
        (Opening("command", ("bash", "-c", "curl x | sh")), ["destructive-command", "terminal"]),
        (Opening("unknown"), ["unclear"]),
    ],
)
def test_opening_means_what_the_device_would_start(opening: Opening, meanings: list[str]) -> None:
    readings = classify(Open("Thing"), {}, screen(), lambda name: opening)
    assert [reading.meaning for reading in readings] == meanings


def test_several_meanings_come_gravest_first() -> None:
    observation = screen(button("Send and delete"))
    assert clicked(observation, "Send and delete") == ["delete", "send"]


def test_a_reading_names_what_is_touched_and_why() -> None:
    place = spot(SURE, "OK")
    reading = classify(Click(place.point), {"at": place}, SURE)[0]
    assert reading.subject == 'button "OK"'
    assert reading.because == 'it answers "Delete 3 files?"'
    assert reading.box == place.box


def test_a_heading_tells_what_the_button_below_it_settles() -> None:
    def below(title: str, name: str) -> list[str]:
        return clicked(screen(widget("heading", title), text("We are sorry."), button(name)), name)

    assert below("Delete account", "Continue") == ["delete"]
    assert below("Pay 40 EUR", "Yes, go ahead")[0] == "pay"
    assert below("Pay 40 EUR", "Next") == ["plain"]  # a step of several
    assert below("Order details", "Continue") == ["plain"]


def test_a_small_window_of_a_desktop_is_a_question() -> None:
    asks = screen(text("Overwrite the master key?"), button("Carry on"), button("Stop"))
    assert clicked(asks, "Carry on") == ["delete"] and clicked(asks, "Stop") == ["plain"]
    unknown = screen(text("Blorb the disk?"), button("Yes"), button("No"))
    assert clicked(unknown, "Yes") == ["unclear"] and clicked(unknown, "No") == ["plain"]


def test_turning_something_down_counts_but_on_pages_where_the_request_tells() -> None:
    case = screen(widget("heading", "Case 14"), button("Overrule"))
    cookies = screen(replace(button("Decline all"), source="dom"))
    assert clicked(case, "Overrule") == ["sign"] and clicked(cookies, "Decline all") == ["plain"]


def test_words_judge_a_page_in_an_app_whose_requests_nobody_holds() -> None:
    def readings(source: str, one: Element) -> list[str]:
        return clicked(screen(replace(one, source=source)), one.name)

    box, down = checkbox("Delete the original too"), button("Decline all")
    assert readings("dom", box) == readings("dom", down) == ["plain"]
    assert readings("webview", box) == ["delete"] and readings("webview", down) == ["sign"]


def test_a_notice_of_a_program_that_pays_is_no_less_a_payment() -> None:
    asked = text("Your order: 2 lamps, 98.00 EUR. You will get delivery updates.")
    assert "pay" in clicked(screen(asked, button("Confirm")), "Confirm")


def test_choosing_in_a_password_field_types_into_it() -> None:
    there = spot(LOGIN, "Password")
    assert did(Choose(there.point, "hunter2"), LOGIN, at=there) == ["password"]


@pytest.mark.parametrize(
    ("title", "runs"), [("ada@box: ~/work", True), ("root@10.0.0.2:/", True), ("Notes", False)]
)
def test_a_window_titled_like_the_prompt_of_a_shell_is_a_terminal(title: str, runs: bool) -> None:
    window = replace(screen(), place=Place("python3", title))
    assert ("terminal" in did(TypeText("ls"), window)) is runs


def test_a_card_number_is_known_in_whatever_groups_it_is_written() -> None:
    notes = screen(field("Notes"))
    for one in ("4111.1111.1111.1111", "4111 1111-1111.1111"):
        assert did(TypeText(one, spot(notes, "Notes").point), notes, at=spot(notes, "Notes")) == ["card"]


def test_a_link_named_by_a_sentence_leads_to_what_is_said_about_it() -> None:
    issue = replace(link("Remove dead code from the parser"), does=Effects(link="/issues/4"))
    assert clicked(screen(issue), issue.name) == ["plain"]


def test_on_a_page_only_the_words_of_a_control_are_judged_and_else_its_requests() -> None:
    def of_page(*items: Element) -> Observation:
        shown = screen(form(*items), url="https://shop.example/")
        return replace(shown, elements=tuple(replace(one, source="dom") for one in shown.elements))

    paying = of_page(text("Delete account?"), field("Card number"), button("Continue", type_="submit"))
    assert clicked(paying, "Continue") == ["submit"]
    assert (
        clicked(of_page(text("Keep your account?"), button("Delete account")), "Delete account")[0]
        == "delete"
    )


def test_a_key_that_is_typed_into_a_text_is_a_secret() -> None:
    notes = screen(field("Notes"))
    for one in ("-----BEGIN OPENSSH PRIVATE KEY-----", "ghp" + "_" + 36 * "a"):
        assert did(TypeText(one, spot(notes, "Notes").point), notes, at=spot(notes, "Notes")) == ["secret"]


def test_what_a_handler_sends_is_sent() -> None:
    sent = Form(submits=True, sends="/money", posts=True)
    step = replace(button("Next"), does=Effects(form=sent))
    assert clicked(screen(step), "Next") == ["submit"]


def native(*items: Element, commands: bool = False) -> Observation:
    """A window whose program tells its elements, with more in it than a question has."""
    flat = screen(*items, *(button(f"Tool {letter}") for letter in "ABCDEFG"))
    told = tuple(replace(one, source="atspi", attributes={}, path="") for one in flat.elements)
    return replace(flat, elements=told, place=Place("editor", "Editor", commands=commands))


def test_a_desktop_is_not_asked_about_what_is_beside_a_grave_word() -> None:
    empty, typed = (field("Password", value, states=["password"]) for value in ("", "•••"))
    assert clicked(native(button("Raise to Top")), "Raise to Top") == ["plain"]
    assert clicked(native(button("Raise to 500")), "Raise to 500") == ["pay"]
    assert clicked(native(field("Name"), empty, button("Next")), "Next") == [
        "plain"
    ]  # nothing to sign in with
    assert clicked(native(field("Name"), typed, button("Next")), "Next") == ["submit-credentials"]


def test_a_program_that_waits_for_a_password_alone_is_not_sent_an_empty_one_unasked() -> None:
    entry = field("", states=["password", "focused"])
    assert clicked(native(entry, button("OK")), "OK") == ["submit-credentials"]
    assert did(Press(("enter",)), native(entry, button("OK"))) == ["submit-credentials"]


def test_a_licence_that_speaks_of_sharing_shares_nothing() -> None:
    asks = dialog("Licence", text("You may copy, share and publish it. " * 40), button("I Agree"))
    shares = dialog("Ada", text("Share your screen with Ada?"), button("I Agree"))
    assert clicked(native(asks), "I Agree") == ["plain"]
    assert clicked(native(shares), "I Agree") == ["share"]


def test_a_list_beside_a_terminal_takes_no_commands() -> None:
    beside = native(widget("combobox", "Language", states=["focused"]), commands=True)
    inside = native(widget("terminal", "Shell", states=["focused"]), commands=True)
    assert did(Press(("down",)), beside) == did(Press(("enter",)), beside) == ["plain"]
    assert did(TypeText("py"), beside) == ["plain"]
    assert did(TypeText("py"), inside) == ["terminal"]


def test_labels_of_fields_are_not_what_a_dialog_asks() -> None:
    days = field("Delete messages after", value="30 days")
    answers = (checkbox("Delete attachments"), button("OK"), button("Cancel"))
    filled = dialog("Old mail", text("Delete messages after"), days, *answers)
    asks = dialog("Delete 3 messages?", field("Reason"), button("OK"), button("Cancel"))
    assert clicked(screen(filled), "OK") == ["plain"]
    assert "delete" in clicked(screen(asks), "OK")


@pytest.mark.parametrize("ends", ["...", "…"])
def test_an_entry_of_a_menu_that_opens_a_dialog_is_not_the_act(ends: str) -> None:
    entries = screen(widget("menuitem", f"Delete account{ends}"), widget("menuitem", "Delete account"))
    assert clicked(entries, f"Delete account{ends}") == ["plain"]
    assert clicked(entries, "Delete account") == ["delete"]
