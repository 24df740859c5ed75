"""Plain commands operate every kind of control on the project's own pages, in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.commands import PlainPlanner

PAGES = Path(__file__).parents[1] / "pages"


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageComputer]:
    with PageComputer(size=(1000, 900), downloads=str(tmp_path_factory.mktemp("downloads"))) as browser:
        yield browser


def done(computer: PageComputer, page: str, commands: str) -> Trajectory:
    """What became of the commands on a freshly opened page."""
    computer.start(page if page.startswith("http") else (PAGES / page).as_uri())
    agent = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True), picture=False)
    trajectory = agent.run(commands).trajectory
    assert trajectory.ending is not None
    return trajectory


def said(computer: PageComputer, element: str = "said") -> str:
    return str(computer.evaluate("(id) => document.getElementById(id).textContent", element))


def assert_done(trajectory: Trajectory) -> None:
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done", trajectory.ending.reason


def test_a_form_with_every_kind_of_field(computer: PageComputer) -> None:
    run = done(
        computer,
        "forms.html",
        """
        type "Ada Lovelace" into Name, append " and Milan" to City
        type "one\\ntwo" into Notes; set Amount to 42; type 2026-11-20 into Day
        type "A new story" into Story, clear the "Story" field, type "Twice" into Story
        choose Canada in Country and choose "Apple", "Cherry" from Fruits
        choose Dark green in Colour; tick I agree; untick Newsletter; select Pro; switch on Dark mode
        click Send, check "sent" is shown, check Name is "Ada Lovelace", check I agree is ticked
        """,
    )
    assert_done(run)
    fields = ["name", "city", "notes", "amount", "day", "country", "colour", "story"]
    script = (
        "(ids) => ids.map((id) => { const e = document.getElementById(id); return e.value ?? e.textContent })"
    )
    assert computer.evaluate(script, fields) == [
        "Ada Lovelace",
        "Rome and Milan",
        "one\ntwo",
        "42",
        "2026-11-20",
        "Canada",
        "Dark green",
        "Twice",
    ]
    assert computer.evaluate("[...fruits.selectedOptions].map((option) => option.text)") == [
        "Apple",
        "Cherry",
    ]
    assert computer.evaluate("[agree.checked, news.checked, pro.checked]") == [True, False, True]
    assert computer.evaluate("dark.getAttribute('aria-checked')") == "true"


def test_fields_inside_a_frame(computer: PageComputer) -> None:
    assert_done(
        done(computer, "nested.html", "type Elm into Street, choose Peru in Land, tick Fine, click Post, "
             'check "ElmPerutrue" is shown')
    )  # fmt: skip


def test_fields_inside_a_shadow_root(computer: PageComputer) -> None:
    assert_done(
        done(computer, "nested.html", "type 1234 into Card; choose Giro in Kind; tick Keep; click Store; "
             'check "1234trueGiro" is shown')
    )  # fmt: skip


def test_a_canvas_by_coordinates_keys_and_the_other_mouse_button(computer: PageComputer) -> None:
    assert_done(done(computer, "pointing.html", 'click at 120,80, check "canvas 100 60" is shown'))
    assert_done(done(computer, "pointing.html", 'press ctrl+k, check "palette" is shown'))
    assert_done(done(computer, "pointing.html", 'right-click Target, check "context" is shown'))
    assert_done(done(computer, "pointing.html", 'double click the Target button, check "double" is shown'))


def test_a_covered_button_behind_a_banner(computer: PageComputer) -> None:
    assert_done(done(computer, "pointing.html", 'click Accept, click Order, check "ordered" is shown'))


def test_a_menu_that_opens_on_hover(computer: PageComputer) -> None:
    assert_done(done(computer, "pointing.html", 'hover over File, click Export, check "exported" is shown'))
    assert_done(done(computer, "errand.html", "click the Menus tab, choose File > Export as PDF"))
    assert said(computer) == "Export as PDF"


def test_dragging(computer: PageComputer) -> None:
    run = done(computer, "drag.html", "drag Gamma to Alpha; drag Parcel to Shelf; drag the slider by 200,0")
    assert_done(run)
    assert computer.evaluate("[...list.children].map((item) => item.textContent)")[0] == "Gamma"
    assert said(computer) == "parcel true"
    assert int(computer.evaluate("level.value")) > 30


def test_tabs_of_the_browser(computer: PageComputer) -> None:
    run = done(
        computer,
        "tabs.html",
        'click Open second, wait for "Second page", type hello into Remark, press the Press button, '
        'check "pressed" is shown, read Remark, close the tab, check the title is "First tab"',
    )
    assert_done(run)
    assert run.ending is not None
    assert run.ending.answer == "hello"


def test_dialogs_of_the_browser_and_of_the_page(computer: PageComputer) -> None:
    run = done(computer, "dialogs.html", "click Prompt, type Ada into the text field, click OK")
    assert_done(run)
    assert said(computer) == "Ada"
    assert_done(done(computer, "dialogs.html", "click Confirm, click Cancel"))
    assert said(computer) == "no"
    assert_done(done(computer, "errand.html", "click Delete in the row of Bob, click Delete"))
    assert said(computer) == "deleted Bob"


def test_files_go_up(computer: PageComputer, tmp_path: Path) -> None:
    first, second = tmp_path / "a b.txt", tmp_path / "c.txt"
    for file in (first, second):
        file.write_text("x")
    assert_done(done(computer, "files.html", f'upload "{first}" to "One file"'))
    assert said(computer) == "a b.txt"
    assert_done(done(computer, "files.html", f'upload "{first}", "{second}" to "Many files"'))
    assert said(computer) == "a b.txt, c.txt"


def test_a_missing_file_is_named_before_a_person_is_asked_about_it(
    computer: PageComputer, tmp_path: Path
) -> None:
    computer.start((PAGES / "files.html").as_uri())
    asked: list[object] = []
    guard = PolicyGuard.default(lambda question: bool(asked.append(question)))
    missing = f'upload "{tmp_path / "none.txt"}" to "One file"'
    trajectory = Agent(computer, PlainPlanner(), guard=guard, picture=False).run(missing).trajectory
    assert trajectory.ending is not None
    assert "there is no file" in trajectory.ending.reason
    assert not asked


def test_tabs_of_a_page_rich_text_and_a_list_that_scrolls(computer: PageComputer) -> None:
    run = done(
        computer, "errand.html", 'click Settings, type "Kind regards" into Signature, click "Colour 31"'
    )
    assert_done(run)
    assert said(computer) == "picked Colour 31"
    assert said(computer, "signature") == "Kind regards"


def test_values_are_read_from_tables_and_beside_labels(computer: PageComputer) -> None:
    run = done(
        computer,
        "errand.html",
        'read Price in the row of "Cem" as price, read Total as total, check "Ada" is shown',
    )
    assert_done(run)
    assert run.ending is not None
    assert run.ending.answer == "price: 99.90\ntotal: 119.40"


def test_what_comes_late_is_waited_for(computer: PageComputer) -> None:
    assert_done(done(computer, "errand.html", "click Load more, click Older orders"))
    assert said(computer) == "reached"


def test_what_is_far_below_is_scrolled_to(computer: PageComputer) -> None:
    assert_done(done(computer, "forms.html", "scroll to the bottom, scroll to the top, click Send"))
    computer.start((PAGES / "inside.html").as_uri())
    assert_done(done(computer, "inside.html", "scroll to Deep, click Deep"))


def test_what_is_not_there_ends_the_run_with_the_nearest_names(computer: PageComputer) -> None:
    run = done(computer, "errand.html", 'click "Setings page"')
    assert run.ending is not None
    assert run.ending.exit_code == 4
    assert 'no "Setings page" here; nearest: tab "Settings"' in run.ending.reason
    assert computer.evaluate("window.scrollY") == 0


def test_what_must_hold_and_does_not_ends_the_run(computer: PageComputer) -> None:
    run = done(computer, "errand.html", 'check Total is "1.00"')
    assert run.ending is not None
    assert (run.ending.kind, run.ending.exit_code) == ("not_done", 4)
    assert 'it is "119.40"' in run.ending.reason


def test_two_of_the_same_are_asked_about_not_guessed(computer: PageComputer) -> None:
    run = done(computer, "errand.html", "click Delete")
    assert run.ending is not None
    assert "3 things could be" in run.ending.reason
    assert not run.steps


def test_what_is_no_plain_command_touches_nothing(computer: PageComputer) -> None:
    run = done(computer, "errand.html", "click Settings, book me a flight")
    assert run.ending is not None
    assert run.ending.exit_code == 4
    assert "'book me a flight' is not a plain command" in run.ending.reason
    assert not run.steps


def test_a_download_is_saved_and_told(tmp_path: Path) -> None:
    (tmp_path / "report.csv").write_text("a,b\n1,2\n")
    page = tmp_path / "page.html"
    page.write_text('<title>Files</title><a href="report.csv" download>Get report</a>')
    saved = tmp_path / "saved"
    with PageComputer(downloads=str(saved)) as browser:
        browser.start(page.as_uri())
        run = Agent(browser, PlainPlanner(), picture=False).run('click "Get report", wait 1 second')
        assert_done(run)
        told = [notice for step in run.steps for notice in step.after.notices]
        while not any("report.csv" in notice for notice in told):  # it may take longer on a busy machine
            told += browser.observe(picture=False).notices
        assert (saved / "report.csv").read_text() == "a,b\n1,2\n"


def test_keys_wait_for_what_is_still_loading(computer: PageComputer) -> None:
    assert_done(done(computer, "loading.html", 'click "Delete", press Enter'))
    assert said(computer) == "deleted"


@pytest.mark.nightly
def test_keys_are_not_pressed_behind_what_never_loads(computer: PageComputer) -> None:
    run = done(computer, "loading.html", 'click "Upload", press Enter')
    assert run.ending is not None
    assert (run.ending.kind, said(computer)) == ("not_done", "")
    assert "still loading after this step: click" in run.ending.reason


class Protected(BaseHTTPRequestHandler):
    """A page that is free to be seen, asks for what is not, and is not held up when that is refused."""

    def do_GET(self) -> None:
        body = (
            b"<input aria-label=Name><script>fetch('/secret').then(r => document.title = r.status)</script>"
        )
        self.send_response(401 if self.path == "/secret" else 200)
        if self.path == "/secret":
            self.send_header("WWW-Authenticate", 'Basic realm="secret"')
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def protected() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Protected)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_prompt_of_the_browser_that_nobody_sees_does_not_hold_the_page_back(
    computer: PageComputer, protected: str
) -> None:
    assert_done(done(computer, protected, 'type "Ada" into Name, check Name is "Ada", check title is "401"'))


def test_a_site_behind_a_login_of_the_browser_says_how_to_give_it(
    computer: PageComputer, protected: str
) -> None:
    run = done(computer, protected, f"go to {protected}/secret")
    assert run.ending is not None
    assert run.ending.kind == "not_done"
    assert "NAME:PASS@" in run.ending.reason
