"""The report as a reader sees it, in a real browser."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from gui_agent.agent.loop import Agent
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.computers.browser.launch import find_executable
from gui_agent.core.actions import Check, Click, Drag, TypeText
from gui_agent.core.conditions import TextShown
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Decision, Planned, Step, Task, Trajectory, Turn
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    checkbox,
    do,
    done,
    expecting,
    field,
    give_up,
    screen,
    text,
    when,
)
from gui_agent.trace import RunWriter, read_run, write_report
from gui_agent.trace.events import replay

PAGES = Path(__file__).parents[1] / "pages"
EVIL = '<script>window.hacked=1</script><img src=x onerror="window.hacked=2">"\'&</style></script>'
LONG = "Donaudampfschifffahrtsgesellschaft" * 6

FORM = screen(text("Contact"), field("Name"), checkbox("I agree"), button("Send"), title="Contact")
THANKS = screen(text("Thank you"), text("Your number is 4711"), title="Thanks")
SCRIPT = (
    do(
        expecting(TypeText("Ada Lovelace", Words("Name")), TextShown("Ada Lovelace")),
        Check(Words("I agree")),
        thought="Fill the fields, then send.",
    ),
    do(Click(Words("Submit", "button"))),
    do(Drag(Words("I agree"), Words("Name"))),
    do(Planned(Click(Words("Send")), why="it sends the form")),
    done("4711"),
)


def contact(root: Path, task: str = "Fill the contact form for Ada and tell me the number") -> Path:
    """A short run with one step that goes wrong."""
    computer = FakeComputer({"form": FORM, "thanks": THANKS}, [when("click", "Send", go="thanks")])
    return run(root, computer, SCRIPT, task)


def hostile(root: Path) -> Path:
    """A run on a page that wants to get into the report, with words that do not break."""
    bad = screen(text(EVIL), field(LONG), button(EVIL), title=EVIL, url=f"https://example.org/{LONG}?{EVIL}")
    lines = (
        do(TypeText(EVIL + LONG, Words(LONG)), thought=EVIL),
        do(Click(Words(EVIL)), Click(Words("nowhere" + EVIL)), thought=LONG),
        give_up(EVIL + LONG),
    )
    return run(root, FakeComputer(bad), lines, EVIL + "\n" + LONG)


class Killed(BaseException):
    """What a kill looks like from inside."""


class Kill:
    """An observer that ends the run after its first step, before anything can be put in order."""

    def started(self, task: Task) -> None: ...

    def decided(self, turn: Turn) -> None: ...

    def stepped(self, step: Step) -> None:
        raise Killed

    def ended(self, trajectory: Trajectory) -> None:
        raise Killed


def killed(root: Path) -> Path:
    """A run whose process was killed after the first step."""
    writer = RunWriter(root)
    computer = FakeComputer({"form": FORM, "thanks": THANKS})

    class Without:
        """The writer as a killed process leaves it: no ending."""

        started, decided, stepped = writer.started, writer.decided, writer.stepped

        def ended(self, trajectory: Trajectory) -> None: ...

    agent = Agent(computer, ScriptedPlanner(SCRIPT), observers=[Without(), Kill()], grounder=ExactGrounder())
    with pytest.raises(Killed):
        agent.run("Be killed")
    writer.close()
    assert writer.folder is not None
    return writer.folder


def run(root: Path, computer: FakeComputer, lines: tuple[Decision, ...], task: str) -> Path:
    writer = RunWriter(root, settings={"planner": {"kind": "scripted"}})
    agent = Agent(
        computer, ScriptedPlanner(lines), grounder=ExactGrounder(), guard=OpenGuard(), observers=[writer]
    )
    agent.run(task)
    assert writer.folder is not None
    return writer.folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for the reports of this file."""
    with sync_playwright() as playwright:
        executable = find_executable("", playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def reader(chromium: Any) -> Callable[..., Any]:
    """Opens a report as a reader would, and fails when it fetches something or its script breaks."""

    @contextmanager
    def opened(report: Path, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
        context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(60_000)
        faults: list[str] = []
        fetched: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(report.as_uri())
        yield page
        assert not faults
        assert [url for url in fetched if not url.startswith("data:")] == [report.as_uri()]
        context.close()

    return opened


WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNLOADED = """async () => {
  const images = [...document.images].filter((image) => image.checkVisibility());
  await Promise.all(images.map((image) => image.decode()));
  return images.filter((image) => image.naturalWidth === 0).length;
}"""
OUTSIDE = """() => [...document.querySelectorAll('.spot, .target, .arrow')].filter((mark) => {
  if (!mark.checkVisibility()) return false;
  const picture = mark.closest('.view').querySelector('img').getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return x < picture.left || x > picture.right || y < picture.top || y > picture.bottom;
}).length"""


@pytest.mark.parametrize("make", [contact, hostile, killed])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_fits_the_window_and_shows_its_pictures_with_marks(
    tmp_path: Path, reader: Any, make: Callable[[Path], Path], width: int, scheme: str
) -> None:
    with reader(write_report(make(tmp_path)), width, scheme) as page:
        assert page.evaluate(WIDER) <= 0
        assert page.locator(".card img").count() > 0
        assert page.evaluate(UNLOADED) == 0
        assert page.locator(".spot").count() > 0
        assert page.evaluate(OUTSIDE) == 0


def test_it_tells_the_task_the_verdict_and_every_step(tmp_path: Path, reader: Any) -> None:
    with reader(write_report(contact(tmp_path))) as page:
        assert page.locator("h1").inner_text() == "Fill the contact form for Ada and tell me the number"
        assert "Done" in page.locator(".verdict").inner_text()
        assert "4711" in page.locator(".answer").inner_text()
        titles = page.locator(".card h3").all_inner_texts()
        assert titles[0] == "Type “Ada Lovelace” into textbox “Name”"
        assert len(titles) == 6
        trouble = page.locator(".trouble").inner_text()
        assert "Not found on the screen" in trouble
        assert page.locator(".strip a").count() == 5


def test_what_a_page_says_is_text_and_nothing_else(tmp_path: Path, reader: Any) -> None:
    with reader(write_report(hostile(tmp_path))) as page:
        assert page.evaluate("window.hacked") is None
        assert page.locator("script").count() == 1
        assert page.locator("img[src=x]").count() == 0
        assert EVIL in page.locator("h1").inner_text()


def test_keys_lead_through_the_steps_and_their_pictures(tmp_path: Path, reader: Any) -> None:
    with reader(write_report(contact(tmp_path))) as page:
        page.keyboard.press("ArrowRight")
        first = page.locator(".card").first
        assert page.evaluate("document.activeElement.id") == "step-1"
        assert first.locator(".before").is_visible()
        page.keyboard.press("b")
        assert first.locator(".after").is_visible()
        assert not first.locator(".before").is_visible()
        page.keyboard.press("Enter")
        assert page.locator("#viewer").is_visible()
        page.keyboard.press("ArrowRight")
        assert "I agree" in page.locator("#viewer p").inner_text()
        page.keyboard.press("Escape")
        assert not page.locator("#viewer").is_visible()
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.id") == "step-1"
        first.get_by_role("button", name="Before").click()
        assert first.locator(".before").is_visible()
        first.locator(".before").click()
        assert page.locator("#viewer img").is_visible()
        page.get_by_role("button", name="Close").click()
        assert not page.locator("#viewer").is_visible()


def test_a_killed_run_says_so(tmp_path: Path, reader: Any) -> None:
    with reader(write_report(killed(tmp_path))) as page:
        assert "Interrupted" in page.locator(".verdict").inner_text()
        assert page.locator(".card").count() == 1
        assert "interrupted" in page.locator(".problems").inner_text()


@pytest.mark.nightly
def test_a_run_of_300_steps_still_opens(tmp_path: Path, reader: Any) -> None:
    form = screen(*(field(f"Field {number}") for number in range(1, 13)), button("Go"))
    lines = tuple(
        do(TypeText(f"value {number}", Words(f"Field {number % 12 + 1}"), replace=True))
        for number in range(300)
    )
    folder = run_long(tmp_path, FakeComputer(form), (*lines, done()))
    report = write_report(folder)
    assert report.stat().st_size < 12_000_000
    with reader(report, 390) as page:
        assert page.locator(".card h3").count() == 301
        page.locator(".strip a").last.click()
        last = page.locator("#step-300 .before img")
        last.scroll_into_view_if_needed()
        assert last.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") > 0
        assert page.evaluate(WIDER) <= 0


def test_a_run_in_a_real_browser_has_a_picture_and_a_mark_for_every_step(tmp_path: Path, reader: Any) -> None:
    task = 'type "Ada Lovelace" into "Name", tick "I agree", choose "Canada" in "Country"'
    writer = RunWriter(tmp_path)
    with BrowserComputer() as computer:
        Agent(computer, PlainPlanner(), observers=[writer]).run(
            Task(task, start=(PAGES / "forms.html").as_uri())
        )
    assert writer.folder is not None
    kept = read_run(writer.folder)
    assert kept.ending == "done"
    assert [step.means for step in kept.trajectory.steps] == ["pointer"] * 3
    assert [one.data["means"] for one in replay(kept) if one.kind == "step"] == ["pointer"] * 3
    with reader(write_report(writer.folder)) as page:
        assert page.locator(".card .spot").count() == 3
        assert "by pointer" in (page.locator("#step-1").text_content() or "")
        assert page.evaluate(UNLOADED) == 0
        assert page.evaluate(OUTSIDE) == 0
        page.locator(".toggle button[data-show=after]").first.click()
        assert page.locator("#step-1 .changed").is_visible()


def test_an_error_of_the_page_stands_at_the_step_that_caused_it(tmp_path: Path, reader: Any) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<script>function show() { console.error('no price for', 'lamp');"
        "document.body.append('Shown'); nothing.at() }"
        "</script><button onclick='show()'>Price</button>"
        "<button onclick=\"document.body.append('Calm')\">Rest</button>"
    )
    writer = RunWriter(tmp_path / "runs")
    with BrowserComputer() as computer:
        Agent(computer, PlainPlanner(), observers=[writer]).run(
            Task('click "Price", click "Rest"', start=page.as_uri())
        )
    assert writer.folder is not None
    with reader(write_report(writer.folder)) as report:
        first = report.locator("#step-1 p.console").all_inner_texts()
        assert first[0] == "no price for lamp" and "nothing is not defined" in first[1]
        assert report.locator("#step-2 .console").count() == 0


def run_long(root: Path, computer: FakeComputer, lines: tuple[Decision, ...]) -> Path:
    from gui_agent.agent.limits import Limits

    writer = RunWriter(root)
    limits = Limits(steps=400)
    Agent(
        computer,
        ScriptedPlanner(lines),
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        observers=[writer],
        limits=limits,
    ).run("Fill many fields")
    assert writer.folder is not None
    return writer.folder


def test_a_step_names_its_elements_and_the_command_that_does_the_rest_again(
    reader: Callable[..., Any], tmp_path: Path
) -> None:
    with reader(write_report(contact(tmp_path))) as page:
        strip = page.locator("nav.strip img").evaluate_all("all => all.map(one => one.naturalWidth)")
        assert strip and all(strip)
        page.locator(".elements summary").first.click()
        assert page.locator(".elements li").first.inner_text() == 'textbox "Name" target'
        for again in page.locator(".again summary").all():
            again.click()
        for command in page.locator(".again textarea").all():
            expect(command).not_to_have_value("")
        said = page.locator(".again textarea").evaluate_all("all => all.map(one => one.value)")
    commands = [shlex.split(one) for one in said]
    assert all(one[:2] == ["guiagent", "run"] for one in commands)
    first, last = commands[0][2], commands[-1][2]
    assert first.startswith('Type "Ada Lovelace" into textbox "Name"; Tick') and first.endswith(last)
    assert not isinstance(parse(first), Unparsed), "people may give it to guiagent run as it is"
