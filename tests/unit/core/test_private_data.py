"""Personal data: what is found in a text, and that nobody but the device gets it in a run."""

from __future__ import annotations

import io
import re
import stat
from pathlib import Path

import pytest
from PIL import Image

from gui_agent import LiveScreen
from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.core.actions import Navigate, TypeText
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.observation import Box, Point
from gui_agent.core.private_data import KnownSecrets, PrivateData
from gui_agent.core.redaction import Redactor
from gui_agent.settings import Settings, load, override
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from gui_agent.testing.computer import World
from gui_agent.wiring import run
from gui_agent.wiring.learned import learn

ALL = ("mail", "phone", "card", "iban", r"CUSTOMER=K-\d{6}")
KEY = b"of this installation"
MAIL, CARD, IBAN = "ada@example.org", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"


def hidden(said: str) -> str:
    return re.sub(r"_[0-9a-f]{6,32}\}", "}", PrivateData(ALL, KEY).hide(said))


@pytest.mark.parametrize(
    ("said", "becomes"),
    [
        (f"Mail {MAIL}, or Ada.B+x@mail.example.co.uk.", "Mail ${secret:MAIL}, or ${secret:MAIL}."),
        ("?to=ada%40example.org&x=1", "?to=${secret:MAIL}&x=1"),
        (f"Card {CARD} or 5500-0000-0000-0004", "Card ${secret:CARD} or ${secret:CARD}"),
        ("Order 4111111111111112, 0000000000000000", "Order 4111111111111112, 0000000000000000"),
        (f"to {IBAN} BY FRIDAY", "to ${secret:IBAN} BY FRIDAY"),
        ("GB82WEST12345698765432, not GB83WEST12345698765432", "${secret:IBAN}, not GB83WEST12345698765432"),
        ("call +44 20 7946 0958 or (030) 901820-11", "call ${secret:PHONE} or ${secret:PHONE}"),
        ("2026-11-25, 01.02.2026 10:00, 12,345,678.90", "2026-11-25, 01.02.2026 10:00, 12,345,678.90"),
        ("K-123456 and K-12", "${secret:CUSTOMER} and K-12"),
        ("type ${secret:MAIL_0a0a0a}", "type ${secret:MAIL}"),
    ],
)  # fmt: skip
def test_personal_data_are_told_from_what_only_looks_alike(said: str, becomes: str) -> None:
    assert hidden(said) == becomes


@pytest.mark.parametrize("wrong", ["post", "=x", "A B=x", "A=(", "mail card"])
def test_what_is_no_pattern_is_said(wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"privacy\.patterns: "):
        PrivateData([wrong], KEY)


def private_border(computer: FakeComputer) -> SecretFilter:
    known = KnownSecrets()
    known.private = PrivateData(ALL, KEY)
    return SecretFilter(computer, Redactor(known), {})


def test_a_screen_comes_without_them_in_words_and_picture_and_takes_them_by_reference() -> None:
    computer = FakeComputer(screen(field("Mail"), text(f"Write to {MAIL}", box=Box(20, 400, 300, 24))))
    border = private_border(computer)
    seen = border.observe()
    assert MAIL not in repr(seen) and seen.screenshot is not None
    picture = Image.open(io.BytesIO(seen.screenshot.data)).convert("RGB")
    assert len(picture.crop((20, 400, 320, 424)).getcolors() or []) == 1, "it is painted over"
    name = re.search(r"\$\{secret:MAIL_\w+\}", repr(seen))
    assert name is not None
    at = seen.elements[0].box.center
    border.perform(TypeText(name[0], Point(at.x, at.y)))
    assert computer.observe().elements[0].value == MAIL


def test_an_address_may_hold_them(monkeypatch: pytest.MonkeyPatch) -> None:
    computer = FakeComputer(screen(field("Mail")))
    border, done = private_border(computer), []
    computer.world.add(text(MAIL, box=Box(20, 400, 300, 24)))
    assert MAIL not in repr(border.observe())
    monkeypatch.setattr(computer, "perform", lambda action, expected=None: done.append(action))
    reference = PrivateData(ALL, KEY).hide(MAIL)
    border.perform(Navigate(f"https://shop.example/?for={reference}"))
    assert done == [Navigate(f"https://shop.example/?for={MAIL}")]


def test_a_run_types_what_its_trace_does_not_tell(tmp_path: Path) -> None:
    got: list[str] = []

    def sent(world: World) -> None:
        got.append(world.content_of("Card"))
        world.add(text(f"Charged {world.content_of('Card')}", box=Box(20, 400, 300, 24)))

    computer = FakeComputer({"form": screen(field("Card"), button("Pay"))}, [when("click", "Pay", go=sent)])
    settings = override(Settings(), {"privacy": {"patterns": ALL}, "trace": {"folder": str(tmp_path)}})
    task = f'type "{CARD}" into "Card", click "Pay", verify that "Charged {CARD}" is shown'
    result = run(task, computer=computer, settings=settings, yes=True)
    assert result.ok, result.reason
    assert got == [CARD]
    kept = [
        path for path in tmp_path.rglob("*") if path.is_file() and path.suffix in (".json", ".jsonl", ".html")
    ]
    assert kept and [path.name for path in kept if CARD[:9] in path.read_text("utf-8")] == []
    assert CARD[:9] not in result.answer + result.reason


def test_a_reference_is_the_same_in_every_run_of_an_installation_and_in_no_other() -> None:
    first, again = PrivateData(ALL, KEY).hide(MAIL), PrivateData(ALL, KEY).hide(MAIL)
    assert first == again != PrivateData(ALL, b"of another one").hide(MAIL)
    assert re.fullmatch(r"\$\{secret:MAIL_[0-9a-f]{32}\}", first)


def test_no_value_is_taken_for_another_one_of_thousands() -> None:
    private = PrivateData(["mail"], KEY)
    shown = {private.hide(f"{number}@example.org") for number in range(20_000)}
    assert len(shown) == len(private.found) == 20_000


def test_a_run_does_not_know_what_another_one_has_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = override(Settings(), {"privacy": {"patterns": ["mail"]}, "trace": {"folder": str(tmp_path)}})
    page = screen(field("Mail"), text(f"Write to {MAIL}", box=Box(20, 400, 300, 24)))
    with LiveScreen(FakeComputer(page), settings=settings, yes=True) as steps:
        told = steps.act('verify that "Write to" is shown')
        name = re.search(r"\$\{secret:MAIL_\w+\}", repr(told.turns[-1].observation))
        assert name is not None
        steps.act(f'type "{name[0]}" into "Mail"')
        assert steps.observe().elements[0].value == MAIL, "the same screen has shown it"
    with pytest.raises(MissingKey, match="give personal data directly"):
        run(f'type "{name[0]}" into "Mail"', computer=FakeComputer(page), settings=settings)


def test_what_was_learned_with_personal_data_is_run_with_others_and_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = override(load(), {"privacy": {"patterns": ["mail"]}})
    sent: list[str] = []

    def form() -> FakeComputer:
        shown = screen(field("To"), field("Text"), button("Send"), title="Messages")
        return FakeComputer({"form": shown}, [when("click", "Send", go=told)])

    def told(world: World) -> None:
        sent.append(world.content_of("To"))
        world.add(text(f"Sent to {sent[-1]}", box=Box(20, 400, 300, 24)))

    filled = f'type "{MAIL}" into "To", type "hello" into "Text", click "Send"'
    task = f'{filled}, verify that "Sent to {MAIL}" is shown'
    shown = run(task, computer=form(), settings=settings, yes=True)
    learn(shown.folder, task=f"Send hello to {MAIL}", name="send")
    for who in (MAIL, "grace@example.com"):
        done = run(f"Send hello to {who}", computer=form(), settings=settings, yes=True)
        assert done.ok, done.reason
    assert sent == [MAIL, MAIL, "grace@example.com"]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in kept if re.search(rb"(ada|grace)@", path.read_bytes())] == []
    (key,) = [path for path in kept if path.name == "private.key"]
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
