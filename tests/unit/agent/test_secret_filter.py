"""What passes the border around a computer: texts, pictures, errors and actions."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image

from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.core.actions import Action, Choose, Navigate, TypeText
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Box, Effects, Element, Observation, Place, Point, Screenshot, Size
from gui_agent.core.redaction import Redactor
from gui_agent.testing import FakeComputer
from gui_agent.wiring.secrets import BoundSecret

SECRET = "Zq7!Vault"
SIZE = Size(200, 100)
GREY, WHITE = (0x6B, 0x72, 0x80), (255, 255, 255)
FIELD = Element(1, "textbox", "Token", Box(10, 10, 50, 20), states=frozenset({"editable", "focused"}))


class Screen(FakeComputer):
    """Shows one observation after the other, and keeps what it was given to do."""

    def __init__(self, *seen: Observation) -> None:
        super().__init__(seen[0])
        self.seen = list(seen)
        self.done: list[tuple[Action, Element | None]] = []

    def observe(self, *, picture: bool = True) -> Observation:
        return self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]

    def perform(self, action: Action, expected: Element | None = None) -> None:
        self.done.append((action, expected))


def picture(kind: str = "png") -> Screenshot:
    sink = io.BytesIO()
    Image.new("RGB", (SIZE.width, SIZE.height), WHITE).save(sink, kind.upper())
    return Screenshot(sink.getvalue(), SIZE, f"image/{kind}")  # type: ignore[arg-type]


def looked(*elements: Element, kind: str = "png", **more: object) -> Observation:
    return replace(Observation(SIZE, elements, screenshot=picture(kind)), **more)  # type: ignore[arg-type]


def border(*seen: Observation) -> tuple[SecretFilter, Screen]:
    screen = Screen(*seen)
    return SecretFilter(screen, Redactor({"TOKEN": SECRET}), {"TOKEN": SECRET}), screen


def colour(seen: Observation) -> Callable[[int, int], tuple[int, ...]]:
    assert seen.screenshot is not None
    image = Image.open(io.BytesIO(seen.screenshot.data)).convert("RGB")

    def at(x: int, y: int) -> tuple[int, ...]:
        found = image.getpixel((x, y))
        assert isinstance(found, tuple)
        return found

    return at


def test_nothing_that_is_seen_holds_the_secret() -> None:
    shown = Element(
        1,
        "text",
        f"key: {SECRET}",
        Box(0, 0, 40, 10),
        attributes={"href": "/?q=Zq7%21vault", "title": SECRET},
    )
    place = Place("example.org", f"Hello {SECRET}", "http://example.org/?q=Zq7!Vault#Zq7%21Vault", (SECRET,))
    wall, _ = border(looked(shown, place=place, notices=(f"{SECRET}.txt was downloaded",)))
    seen = wall.observe()
    assert "vault" not in repr(replace(seen, screenshot=None)).lower()
    assert seen.elements[0].name == "key: ${secret:TOKEN}"
    assert colour(seen)(5, 5) == GREY
    assert colour(seen)(100, 50) == WHITE


def test_the_words_of_a_page_hold_no_piece_of_a_secret() -> None:
    seen = looked(words=frozenset({"page", "zq7", "vault", "avault2"}))
    assert border(seen)[0].observe().words == {"page", "zq7"}  # pieces as short as that are in many words


def test_the_device_gets_the_secret_and_its_own_element_back() -> None:
    filled = replace(FIELD, value=f"old {SECRET}")
    wall, screen = border(looked(filled))
    seen = wall.observe()
    assert seen.elements[0].value == "old ${secret:TOKEN}"
    wall.perform(TypeText("${secret:TOKEN}", Point(20, 20)), seen.elements[0])
    assert screen.done == [(TypeText(SECRET, Point(20, 20)), filled)]


def test_a_field_that_shows_only_a_piece_of_what_was_typed_shows_nothing() -> None:
    wall, _ = border(looked(FIELD), looked(replace(FIELD, value="Zq7!Va")))
    before = wall.observe()
    wall.perform(TypeText("${secret:TOKEN}", Point(20, 20)), before.elements[0])
    after = wall.observe()
    assert after.elements[0].value == "${secret}"
    assert (colour(after)(20, 20), colour(after)(100, 50)) == (GREY, WHITE)


def test_the_part_of_a_secret_that_a_field_took_is_hidden_wherever_it_comes_up() -> None:
    echo = Element(2, "text", "Zq7!Va is no key", Box(10, 50, 90, 20))
    sent = Place("example.org", "", "http://example.org/?key=zq7%21va")
    wall, _ = border(looked(FIELD, echo), looked(replace(FIELD, value="Zq7!Va")), looked(echo, place=sent))
    before = wall.observe()
    assert before.elements[1].name == echo.name
    wall.perform(TypeText("${secret:TOKEN}", Point(20, 20)), before.elements[0])
    wall.observe()
    after = wall.observe()
    assert after.elements[0].name == "${secret} is no key"
    assert after.place.url == "http://example.org/?key=${secret}"


def test_a_password_field_is_painted_over_as_soon_as_it_holds_something() -> None:
    password = Element(1, "textbox", "Password", Box(0, 0, 40, 10), states=frozenset({"password"}))
    wall, _ = border(looked(password), looked(replace(password, value="hunter2")))
    assert colour(wall.observe())(5, 5) == WHITE
    seen = wall.observe()
    assert seen.elements[0].value == "•" * 7
    assert colour(seen)(5, 5) == GREY


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_where_no_element_tells_what_became_of_it_the_window_is_painted_over(kind: str) -> None:
    windows = {7: Box(0, 0, 100, 100), 8: Box(50, 50, 50, 50)}
    read = Element(2, "text", "Zq7lVau1t", Box(10, 10, 40, 10), source="ocr")
    wall, _ = border(looked(kind=kind, windows=windows), looked(read, kind=kind, windows=windows))
    wall.observe()
    wall.perform(TypeText("${secret:TOKEN}", Point(20, 20)))
    seen = wall.observe()
    at = colour(seen)
    assert all(abs(a - b) < 8 for a, b in zip(at(20, 20), GREY, strict=True))
    assert at(75, 75) == WHITE, "what lies on top of it stays in sight"
    assert at(150, 50) == WHITE
    assert seen.elements[0].name == "${secret}"


def test_without_windows_the_whole_picture_of_that_program_is_painted_over() -> None:
    here, there = Place("example.org"), Place("example.com")
    wall, _ = border(looked(place=here), looked(place=here), looked(place=there), looked(place=here))
    wall.observe()
    wall.perform(TypeText("${secret:TOKEN}"))
    assert [colour(wall.observe())(150, 50) for _ in range(3)] == [GREY, WHITE, GREY]


def test_a_picture_that_cannot_be_painted_is_not_shown() -> None:
    broken = Screenshot(b"no picture", SIZE)
    wall, _ = border(Observation(SIZE, (replace(FIELD, value=SECRET),), screenshot=broken))
    assert wall.observe().screenshot is None


def test_a_secret_goes_into_fields_only() -> None:
    wall, screen = border(looked())
    with pytest.raises(ActionFailed, match="only be typed"):
        wall.perform(Navigate("http://example.org/?${secret:TOKEN}"))
    wall.perform(Choose(Point(1, 1), "${secret:TOKEN}"))
    assert screen.done == [(Choose(Point(1, 1), SECRET), None)]


def test_errors_of_the_device_do_not_tell_the_secret() -> None:
    wall, screen = border(looked())

    def fails(action: Action, expected: Element | None = None) -> None:
        raise ActionFailed(f'only "{SECRET[:6]}" of "{SECRET}" was typed')

    screen.perform = fails  # type: ignore[method-assign]
    with pytest.raises(ActionFailed) as caught:
        wall.perform(TypeText("${secret:TOKEN}"))
    assert SECRET not in str(caught.value)


BANK = Place("chromium", "", "https://bank.example/login")
FOREIGN = replace(FIELD, does=Effects(frame="https://evil.test"))


@pytest.mark.parametrize("aim", ["element", "point", "focus", "unknown"])
@pytest.mark.parametrize(("field", "typed"), [(FIELD, True), (FOREIGN, False)], ids=["page", "frame"])
def test_a_bound_secret_is_typed_into_no_frame_of_another_host(aim: str, field: Element, typed: bool) -> None:
    shown = field if aim == "focus" else replace(field, states=field.states - {"focused"})
    screen = Screen(looked(shown, place=BANK))
    values = {"TOKEN": BoundSecret(SECRET, ("bank.example",))}
    wall = SecretFilter(screen, Redactor(values), values)
    wall.observe()
    at = field.box.center if aim in ("element", "point") else None
    action = TypeText("${secret:TOKEN}", at)
    expected = shown if aim == "element" else None
    if typed:
        wall.perform(action, expected)
        assert screen.done[0][0] == TypeText(SECRET, at)
    else:
        with pytest.raises(ActionFailed, match=r"typed at bank\.example only; this is evil\.test"):
            wall.perform(action, expected)
        assert screen.done == []


@pytest.mark.parametrize(
    ("place", "typed"),
    [
        (Place("chromium", "", "https://bank.example/login"), True),
        (Place("chromium", "", "https://sub.bank.example/"), True),
        (Place("chromium", "", "https://bank.example.evil.test/"), False),
        (Place("bank.example", "", "https://evil.test/?bank.example"), False),
        (Place("notebank.example", "", "http://notbank.example/"), False),
        (Place("vault", ""), True),
        (Place("", ""), False),
    ],
)
def test_a_bound_secret_is_typed_nowhere_else(place: Place, typed: bool) -> None:
    screen = Screen(looked(FIELD, place=place))
    values = {"TOKEN": BoundSecret(SECRET, ("bank.example", "*.bank.example", "Vault"))}
    wall = SecretFilter(screen, Redactor(values), values)
    wall.observe()
    action = TypeText("${secret:TOKEN}", Point(20, 20))
    if typed:
        wall.perform(action, FIELD)
        assert screen.done[0][0] == TypeText(SECRET, Point(20, 20))
    else:
        with pytest.raises(ActionFailed, match="typed at bank"):
            wall.perform(action, FIELD)
        assert screen.done == []
