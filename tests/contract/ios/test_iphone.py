"""An iPhone behind WebDriverAgent keeps every promise of computers, and tasks are done on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from guiagent_platforms.ios.computer import IosComputer
from wda_phone import SETTINGS, Iphone, WdaServer

from gui_agent import Result, run
from gui_agent.core.actions import Back, Navigate, Open, Pinch, Press
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Point
from gui_agent.testing import check_computer

QUICK = {"settle_grace": 0.1, "settle_quiet": 0.05}


@pytest.fixture
def phone() -> Iphone:
    return Iphone()


@pytest.fixture
def address(phone: Iphone) -> Iterator[str]:
    with WdaServer(phone) as server:
        yield server.address


def do(address: str, task: str) -> Result:
    return run(task, computer={"kind": "ios", "options": {"name": address, **QUICK}}, yes=True)


def test_every_promise_is_kept(address: str) -> None:
    check_computer(lambda: IosComputer(name=address, **QUICK))


def test_a_form_is_filled_in_and_sent(phone: Iphone, address: str) -> None:
    result = do(
        address,
        'type "Ada" into "Name", tick "I agree", click "Send", check "Sent for Ada" is shown, click "OK"',
    )
    assert result.ok, result.reason
    assert (phone.texts["Name"], phone.agreed, phone.alert) == ("Ada", True, "")


def test_a_field_is_emptied_before_it_is_filled_in_again(phone: Iphone, address: str) -> None:
    phone.texts["Name"] = "Grace"
    assert do(address, 'type "Ada" into "Name"').ok
    assert phone.texts["Name"] == "Ada"


def test_a_row_out_of_sight_is_scrolled_to_and_opened(phone: Iphone, address: str) -> None:
    result = do(address, 'scroll to "Item 30", click "Item 30", go back')
    assert result.ok, result.reason
    assert any(abs(one[0]["actions"][0]["y"] - one[0]["actions"][-2]["y"]) > 50 for one in phone.touches)
    assert phone.opened == ""


def test_an_app_is_opened_by_its_identifier_and_what_is_none_is_refused(phone: Iphone, address: str) -> None:
    with IosComputer(name=address, **QUICK) as computer:
        computer.perform(Open(SETTINGS))
        assert computer.observe(picture=False).place.app == SETTINGS
        with pytest.raises(ActionFailed, match="give one such as"):
            computer.perform(Open("Settings"))
        with pytest.raises(ActionFailed, match="cannot POST"):
            computer.perform(Navigate("https://example.org"))
        with pytest.raises(ActionFailed, match="has no key f5"):
            computer.perform(Press(("f5",)))
        computer.perform(Press(("home",)))
        assert phone.app == "com.apple.springboard"


def test_two_fingers_pinch_around_a_point(phone: Iphone, address: str) -> None:
    with IosComputer(name=address, **QUICK) as computer:
        computer.perform(Pinch(Point(390, 800), scale=2.0))
        computer.perform(Back())
    pinched = phone.touches[0]
    starts, ends = ([finger["actions"][at]["x"] for finger in pinched] for at in (0, 2))
    assert ends[1] - ends[0] == pytest.approx(2 * (starts[1] - starts[0]), abs=2)


def test_a_session_that_ended_there_is_begun_again(phone: Iphone, address: str) -> None:
    with IosComputer(name=address, **QUICK) as computer:
        phone.session += 1
        assert computer.observe(picture=False).elements
        assert phone.session == 3


def test_a_locked_phone_is_left_alone(phone: Iphone, address: str) -> None:
    phone.locked = True
    with pytest.raises(ComputerLost, match="unlock it by hand"):
        IosComputer(name=address)
    assert not phone.touches


def test_an_address_without_webdriveragent_is_said_with_what_to_do() -> None:
    with pytest.raises(ConfigError, match="write it as http"):
        IosComputer(name="ftp://x")
    with pytest.raises(ComputerLost, match="iproxy 8100 8100"):
        IosComputer(name="http://127.0.0.1:9")


@pytest.mark.parametrize("answer", [b"hello", b"{}", b'{"value": "<a>"}', b'{"value": [1]}'])
def test_an_answer_in_another_form_ends_the_run_in_one_line(answer: bytes) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_DELETE = do_POST

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(ComputerLost) as raised:
            IosComputer(name=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert "\n" not in str(raised.value)
