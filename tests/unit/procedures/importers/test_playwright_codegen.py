"""Scripts in the style of Playwright's code generator become demonstrations; nothing is lost silently."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import (
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Move,
    Navigate,
    Press,
    Recorded,
    TypeText,
    Upload,
    Wait,
)
from gui_agent.core.aiming import aim, places
from gui_agent.core.codec import decode, encode
from gui_agent.core.conditions import Shown, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.importers import Imported, import_playwright

PYTHON = """
import re
from playwright.sync_api import Playwright, sync_playwright, expect


def run(playwright: Playwright) -> None:
    browser = playwright.chromium.launch(headless=False)
    context = browser.new_context()
    page = context.new_page()
    page.goto("https://shop.example/login")
    page.get_by_label("User name").click()
    page.get_by_label("User name").fill("ada")
    page.get_by_label("User name").press("Tab")
    page.get_by_placeholder("Password").fill("${secret:SHOP}")
    page.get_by_label("Remember me").check()
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page).to_have_url("https://shop.example/?q=1")
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
    page.get_by_role("combobox", name="Sort by").select_option("Price")
    page.get_by_role("listitem").filter(has_text="Red shoes").get_by_role("button", name="Add").click()
    page.locator("#cart").hover()
    page.get_by_role("row").nth(2).dblclick()
    page.frame_locator("iframe[name=\\"pay\\"]").get_by_test_id("card").fill("4111")
    with page.expect_popup() as page1_info:
        page.get_by_role("link", name="Terms").click(modifiers=["ControlOrMeta"])
    page1 = page1_info.value
    expect(page1.get_by_text("Version 3")).to_contain_text("Version 3")
    page1.close()
    page.get_by_label("Bill").set_input_files(["a.pdf", "b.pdf"])
    page.get_by_text("Item").drag_to(page.get_by_text("Basket"))
    page.goto("https://shop.example/done")

    # ---------------------
    context.close()
    browser.close()


with sync_playwright() as playwright:
    run(playwright)
"""

JAVASCRIPT = r"""
import { test, expect } from '@playwright/test';

test('test', async ({ page }) => {
  await page.goto('https://shop.example/login');
  await page.getByLabel('User name').fill('ada; "lovelace"');
  await page.getByLabel('User name').press('Enter');
  // a comment; with a semicolon
  await page.getByRole('button', { name: 'Log in', exact: true }).click({ button: 'right' });
  await page.getByRole('button', { name: /^Pay now$/ }).click({
    clickCount: 3
  });
  await page.locator('iframe').contentFrame().getByText('It\'s here').first().click();
  const page1Promise = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Help' }).click();
  const page1 = await page1Promise;
  await page1.getByPlaceholder('Search').pressSequentially('zoom');
  await expect(page1.getByText('Loading')).not.toBeVisible();
  await expect(page1.locator('body')).toContainText('Results');
  await expect(page1.getByRole('textbox', { name: 'Search' })).toHaveValue('zoom');
  await expect(page1.getByRole('checkbox')).not.toBeChecked();
  await expect(page1).toHaveTitle(/Help/);
});
"""


def actions(imported: Imported) -> list[object]:
    """The actions, with the attributes of their targets left out: those are tested apart."""
    return [bare(step.action) for step in imported.demonstration.steps]


def bare(action: Recorded) -> object:
    if isinstance(action, Wait):
        return action
    return aim(action, {name: replace(at, attributes={}) for name, at in places(action).items()})


def control(role: str, name: str, **attributes: str) -> Fingerprint:
    return Fingerprint(role, name, attributes=attributes)


def test_a_python_script_becomes_a_demonstration() -> None:
    imported = import_playwright(PYTHON, "Buy shoes", "shop.py")
    demonstration = imported.demonstration
    assert demonstration.start == "https://shop.example/login"
    assert demonstration.origin == "import shop.py"
    assert demonstration.task == "Buy shoes"
    near = Fingerprint("button", "Add", neighbours=("Red shoes",))
    card = Fingerprint("textbox", "")
    assert actions(imported) == [
        TypeText("ada", control("textbox", "User name"), replace=True),
        TypeText("${secret:SHOP}", control("textbox", "Password"), replace=True),
        Check(control("checkbox", "Remember me")),
        Click(control("button", "Log in")),
        Choose(control("combobox", "Sort by"), "Price"),
        Click(near),
        Move(control("", "")),
        Click(Fingerprint("row", "", rank=3), clicks=2),
        TypeText("4111", card, replace=True),
        Click(control("link", "Terms"), modifiers=("ctrl",)),
        Close(),
        Upload(control("", "Bill"), ("a.pdf", "b.pdf")),
        Drag(control("", "Item"), control("", "Basket")),
        Navigate("https://shop.example/done"),
    ]
    assert imported.complete
    assert decode(Demonstration, encode(demonstration)) == demonstration


def test_a_password_that_the_task_tells_is_no_secret() -> None:
    script = 'page.get_by_label("User").fill("ada")\npage.get_by_label("Password").fill("Xy7")\n'
    told = import_playwright(script, 'Log in as "ada" with "Xy7"').demonstration.steps
    assert [step.action.text for step in told if isinstance(step.action, TypeText)] == ["ada", "Xy7"]
    hidden = import_playwright(script, "Log in").demonstration.steps
    assert "Xy7" not in repr(hidden)


def test_a_click_and_a_tab_that_do_more_than_focus_a_field_stay() -> None:
    script = """
page.get_by_label("User").click()
expect(page.get_by_text("Your names")).to_be_visible()
page.get_by_label("User").fill("ada")
page.get_by_label("User").press("Tab")
page.get_by_role("button", name="Go").click()
"""
    kinds = [step.action.kind for step in import_playwright(script, "Go").demonstration.steps]
    assert kinds == ["click", "type", "press", "click"]


def test_attributes_frames_and_selectors_are_kept() -> None:
    steps = import_playwright(PYTHON, "Buy shoes").demonstration.steps
    by_verb = {step.action.kind: step.action for step in steps if step.action.kind in ("move",)}
    move = by_verb["move"]
    assert isinstance(move, Move)
    assert move.at.attributes == {"id": "cart", "selector": "#cart"}
    card = next(s.action for s in steps if isinstance(s.action, TypeText) and s.action.text == "4111")
    assert card.at is not None
    assert card.at.attributes == {"data-testid": "card", "frame": 'iframe[name="pay"]'}


def test_expectations_become_post_conditions_of_the_step_before() -> None:
    steps = import_playwright(PYTHON, "Buy shoes").demonstration.steps
    assert steps[3].expect == (
        UrlIs("https://shop.example/[?]q=1"),
        Shown(Fingerprint("heading", "Welcome")),
    )
    assert steps[9].expect == (TextShown("Version 3"),)


def test_a_javascript_script_becomes_a_demonstration() -> None:
    imported = import_playwright(JAVASCRIPT, "Get help")
    assert imported.demonstration.start == "https://shop.example/login"
    assert actions(imported) == [
        TypeText('ada; "lovelace"', control("textbox", "User name"), replace=True),
        Press(("enter",)),
        Click(control("button", "Log in"), "right"),
        Click(control("button", "Pay now"), clicks=3),
        Click(Fingerprint("", "It's here", rank=1)),
        Click(control("link", "Help")),
        TypeText("zoom", control("textbox", "Search")),
    ]
    assert imported.demonstration.steps[-1].expect == (
        Shown(Fingerprint("", "Loading"), on=False),
        TextShown("Results"),
        ValueIs(Fingerprint("textbox", "Search"), "zoom"),
        StateIs(Fingerprint("checkbox", ""), "checked", on=False),
        TitleIs("*Help*"),
    )
    assert imported.complete, imported.remarks


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("page.mouse.click(10, 20)", "mouse.click"),
        ('page.get_by_role("button", name=re.compile("a|b")).click()', "regular expression"),
        ('page.get_by_role("button", name=name).click()', "computed"),
        ('page.get_by_role("row").nth(-1).click()', "counted from the end"),
        ('page.get_by_label("A").fill(f"{x}")', "written out"),
        ('page.get_by_role("button", name="Go").press("Enter")', "focus"),
        ('page.evaluate("window.close()")', "evaluate"),
        ('expect(page.get_by_role("list")).to_have_count(3)', "to_have_count"),
        ("for row in rows: row.click()", "code generator"),
        ("storage.clear()", "not a page"),
        ("page.keyboard.press()", "written out"),
        ('page.get_by_text("A").click(click_count=n)', "computed"),
        ("page.get_by_role().click()", "written out"),
        ("expect().to_be_visible()", "unknown form"),
        ('page.get_by_role("button")', "never used"),
    ],
)
def test_what_has_no_counterpart_is_listed(line: str, reason: str) -> None:
    script = f'page.goto("https://a.example")\npage.get_by_text("Start").click()\n{line}\n'
    imported = import_playwright("import re\n" + script, "Try")
    assert len(imported.demonstration.steps) == 1
    assert [remark.line for remark in imported.remarks] == [4]
    assert reason in imported.remarks[0].reason
    assert imported.remarks[0].dropped
    assert not imported.complete


def test_weaker_forms_are_listed_too() -> None:
    script = """
import re
page.goto("https://a.example")
page.locator("div:nth-child(3) > span").click()
page.get_by_role("button", name="Go").last.click()
page.wait_for_timeout(500)
page.get_by_label("Name").press("Control+A")
"""
    imported = import_playwright(script, "Try")
    assert imported.complete
    assert [(remark.line, remark.dropped) for remark in imported.remarks] == [
        (4, False),
        (5, False),
        (6, False),
        (7, False),
    ]
    assert actions(imported)[-2:] == [Click(control("", "Name")), Press(("ctrl", "a"))]


def test_a_locator_in_a_variable_is_followed() -> None:
    script = """
import re
page.goto("https://a.example")
row = page.get_by_role("row").filter(has_text="Ada")
row.get_by_role("button", name="Edit").click()
expect(row).not_to_contain_text("old")
"""
    imported = import_playwright(script, "Try")
    assert imported.remarks == ()
    step = imported.demonstration.steps[0]
    assert step.action == Click(Fingerprint("button", "Edit", neighbours=("Ada",)))
    assert step.expect == (TextGone("old"),)


@pytest.mark.parametrize(
    "script", ["", "import os\nos.remove('x')", "const a = 1;", "def broken(:\n  import x"]
)
def test_a_script_without_recorded_actions_is_refused(script: str) -> None:
    with pytest.raises(ConfigError):
        import_playwright(script, "Try", "some.py")


def test_a_script_is_not_run(tmp_path: object) -> None:
    script = f'import os\nopen("{tmp_path}/made", "w")\npage.goto("https://a.example")\n'
    imported = import_playwright(script, "Try")
    assert not list(tmp_path.iterdir())  # type: ignore[attr-defined]
    assert len(imported.remarks) == 1


@given(st.text(max_size=200))
def test_any_text_is_either_read_or_refused(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert import_playwright(f"await page.goto('x');\n{text}", "Try").demonstration.start == "x"


@given(st.text(max_size=30))
def test_any_typed_text_comes_over_from_both_languages(value: str) -> None:
    literal = repr(value)
    quoted = literal if literal.startswith("'") else repr(value + "'\"")
    wanted = value if literal.startswith("'") else value + "'\""
    python = import_playwright(f"import re\npage.get_by_label('A').fill({quoted})", "Try")
    assert [step.action.text for step in python.demonstration.steps] == [wanted]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ('get_by_label("Password")', "PASSWORD"),
        ('locator("input[type=password]")', "PASSWORD"),
        ('get_by_placeholder("Card PIN")', "CARD_PIN"),
        ('locator("#new-passwd")', "PASSWORD"),
    ],
)
def test_a_secret_is_referenced_and_never_kept(field: str, name: str) -> None:
    script = f"import re\npage.goto('https://a.example')\npage.{field}.fill('hunter2')\n"
    imported = import_playwright(script, "Log in")
    [step] = imported.demonstration.steps
    assert isinstance(step.action, TypeText)
    assert step.action.text == f"${{secret:{name}}}"
    assert "hunter2" not in f"{imported}"
    assert [remark.dropped for remark in imported.remarks] == [False]


@pytest.mark.parametrize(
    "line",
    [
        "page.get_by_label('Password').click()\npage.keyboard.type('hunter2')",
        "page.get_by_label(re.compile('Pass.*word')).fill('hunter2')",
        "page.get_by_label('Password').fill('hunter2' + salt)",
    ],
)
def test_no_secret_is_left_in_remarks(line: str) -> None:
    imported = import_playwright(f"import re\npage.goto('https://a.example')\n{line}\n", "Log in")
    assert "hunter2" not in f"{imported}"
    assert len(imported.remarks) == 1
