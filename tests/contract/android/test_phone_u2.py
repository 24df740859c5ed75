"""The server of uiautomator2: its client takes the simulated phone for a real one, and we use its server."""

from __future__ import annotations

from pathlib import Path

import adbutils
import pytest
from guiagent_eval.phone import PhoneServer, SimulatedPhone
from guiagent_platforms.android.client import AdbServer
from guiagent_platforms.android.computer import AndroidComputer
from phones import phone_at_hand

from gui_agent.core.actions import Click, Open, TypeText
from gui_agent.core.errors import ComputerLost
from gui_agent.testing.contract import check_computer

uiautomator2 = pytest.importorskip("uiautomator2")


def test_the_client_of_uiautomator2_takes_the_simulated_phone_for_a_real_one(adb: int) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        AdbServer().connect(server.address)
        client = uiautomator2.connect(adbutils.AdbClient(port=adb).device(server.address))
        try:
            client.app_start("com.android.contacts")
            assert 'hint=""' in client.dump_hierarchy() and "Ada Lovelace" in client.dump_hierarchy()
            assert client.screenshot().size == (540, 1140)
            client(text="Create contact").click()
            client(resourceId="com.android.contacts:id/name").set_text("Zoë")
            assert client(text="Zoë").info["className"] == "android.widget.EditText"
            client(text="Save").click()
            assert "Zoë" in server.phone.apps["com.android.contacts"].people  # type: ignore[attr-defined]
            assert not client(text="Nobody").exists
            client.swipe(200, 900, 200, 300)
            client.press("back")
            assert client.info["currentPackageName"] == "com.android.launcher3"
        finally:
            client.stop_uiautomator()
        assert not server.phone.u2_runs


def words(phone: SimulatedPhone, computer: AndroidComputer) -> dict[str, str]:
    phone.home()
    computer.perform(Open("Notes"))
    computer.settle()
    note = next(one for one in computer.observe().elements if one.name == "Ideas")
    computer.perform(Click(note.box.center), note)
    computer.settle()
    return {one.name: one.value for one in computer.observe().elements if one.role == "textbox"}


def test_hints_are_told_by_the_server_and_unsure_without_it(adb: int, tmp_path: Path) -> None:
    with phone_at_hand(tmp_path, backend="u2") as (phone, computer):
        assert words(phone, computer) == {"Title": "Ideas", "Note": "a robot"}
        body = next(one for one in computer.observe().elements if one.name == "Note")
        computer.perform(TypeText(" für Müll", body.box.center), body)
        assert phone.front.value("body") == "a robot für Müll"
        assert not any(one[:2] == ["uiautomator", "dump"] for one in phone.log)
    assert not phone.u2_runs, "the server was started here, so it is ended here"
    with phone_at_hand(tmp_path) as (phone, computer):
        assert words(phone, computer) == {"Ideas": "Ideas", "a robot": "a robot"}


def test_the_back_end_keeps_every_promise_of_computers(adb: int, tmp_path: Path) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        given = {"kept": str(tmp_path), "backend": "u2", "observe": "tree", "settle_grace": 0.1}
        check_computer(lambda: AndroidComputer(name=server.address, **given))  # type: ignore[arg-type]


def test_a_server_that_stops_in_the_middle_is_done_without(adb: int, tmp_path: Path) -> None:
    with phone_at_hand(tmp_path, backend="u2") as (phone, computer):
        assert any(one.name == "Clock" for one in computer.observe().elements)
        phone.faults["u2_dead"] = 1000
        assert any(one.name == "Clock" for one in computer.observe().elements)
        assert any(one[:2] == ["uiautomator", "dump"] for one in phone.log)


def test_a_server_of_somebody_else_is_used_and_left_running(adb: int, tmp_path: Path) -> None:
    with PhoneServer(SimulatedPhone()) as server:
        AdbServer().connect(server.address)
        client = uiautomator2.connect(adbutils.AdbClient(port=adb).device(server.address))
        try:
            with AndroidComputer(name=server.address, kept=str(tmp_path), observe="tree") as computer:
                assert any(one.name == "Clock" for one in computer.observe().elements)
            assert client.info["screenOn"], "it still runs"
        finally:
            client.stop_uiautomator()


def test_a_server_that_does_not_start_is_told_when_it_was_asked_for(adb: int, tmp_path: Path) -> None:
    phone = SimulatedPhone()
    phone.u2_refuses = "already registered"
    with pytest.raises(ComputerLost, match="already registered"), phone_at_hand(tmp_path, phone, "u2"):
        pass
    with phone_at_hand(tmp_path, phone, "auto") as (_, computer):
        assert any(one.name == "Clock" for one in computer.observe().elements)
