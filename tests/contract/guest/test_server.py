"""The server of a guest answers like OSWorld's, quickly, and only who may ask."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import RemoteComputer
from private import until
from serving import TOKEN, served

from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.testing import check_computer


@pytest.fixture(scope="module")
def guest() -> Iterator[GuestClient]:
    with served("--allow-execute", "--rename", "mousepad=Editor") as client:
        with RemoteComputer(client.address, guest_token=TOKEN) as computer:
            until(lambda: computer.observe(picture=False).controls, "the editor")
        yield client


@pytest.fixture(scope="module")
def closed() -> Iterator[GuestClient]:
    """A guest that runs no commands and takes small files only."""
    with served("--max-upload", "1", program="") as client:
        yield client


def raw(guest: GuestClient, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    line = http.client.HTTPConnection(guest.host, guest.port, timeout=100)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    line.request(method, path, body, {"Content-Type": "application/json", **names})
    answer = line.getresponse()
    return answer.status, answer.read()


def test_a_guest_keeps_every_promise_of_a_computer(guest: GuestClient) -> None:
    check_computer(lambda: RemoteComputer(guest.address, guest_token=TOKEN))


def test_a_screen_is_seen_through_osworlds_routes_alone(guest: GuestClient) -> None:
    """The adapter for OSWorld's own server; input needs its Python library, see test_osworlds_input.py."""
    from guiagent_platforms.remote.computer import osworld_desktop

    with osworld_desktop(GuestClient(guest.address, TOKEN)) as desktop:
        seen = desktop.observe()
        assert seen.screenshot and seen.size == seen.screenshot.size
        assert any(one.role == "menuitem" for one in seen.elements), [str(one) for one in seen.elements]
        assert seen.place.app == "mousepad"


def test_files_come_and_go_whole(guest: GuestClient) -> None:
    assert (
        guest.upload("/setup/upload", "~/deep/er/file.bin", b"\0\xff" * 1000).line
        == "File Uploaded: 2000 bytes"
    )
    assert guest.form("/file", {"file_path": "~/deep/er/file.bin"}).data == b"\0\xff" * 1000
    assert guest.form("/file", {"file_path": "~/no-such-file"}).status == 404
    mode = guest.post("/execute", {"command": "stat -c %a ~/deep/er/file.bin", "shell": True}).json()
    assert mode["output"].strip() == "644", "as OSWorld's own server leaves it"
    folder = guest.post("/execute", {"command": "echo $HOME", "shell": True}).json()["output"].strip()
    tree = guest.post("/list_directory", {"path": f"{folder}/deep"}).json()["directory_tree"]
    inner = {"type": "directory", "name": "er", "children": [{"type": "file", "name": "file.bin"}]}
    assert tree == {"type": "directory", "name": "deep", "children": [inner]}


def test_commands_answer_as_osworlds_server_does(guest: GuestClient) -> None:
    told = guest.post("/setup/execute", {"command": ["sh", "-c", "echo out; echo err >&2; exit 3"]}).json()
    assert told == {"status": "success", "output": "out\n", "error": "err\n", "returncode": 3}
    assert guest.post("/execute", {"command": "no-such-program-here"}).status == 500
    told = guest.post("/run_python", {"code": "print(6 * 7)"}).json()
    assert (told["status"], told["output"], told["return_code"]) == ("success", "42\n", 0)
    told = guest.post("/run_bash_script", {"script": "echo a; echo b >&2; exit 4"}).json()
    assert (told["status"], told["output"], told["returncode"]) == ("error", "a\nb\n", 4)
    asked = {"command": "true", "verification": {"command_success": "false"}, "max_wait_time": 0.2}
    assert guest.post("/execute_with_verification", asked).status == 500


def test_the_tree_is_xml_of_osworlds_form(guest: GuestClient) -> None:
    root = ElementTree.fromstring(guest.get("/accessibility").json()["AT"])
    programs = {one.get("name"): one for one in root.findall("application")}
    assert root.tag == "desktop-frame" and "Editor" in programs, list(programs)
    menus = [one for one in programs["Editor"].iter("menu") if one.get("name") == "File"]
    space = "{https://accessibility.ubuntu.example.org/ns/%s}"
    assert menus and menus[0].get(space % "state" + "showing") == "true"
    assert menus[0].get(space % "component" + "screencoord", "").startswith("(")


def test_windows_are_found_by_title_and_class(guest: GuestClient) -> None:
    assert guest.form("/window_size", {"app_class_name": "Mousepad"}).json()["width"] > 100
    assert guest.form("/window_size", {"app_class_name": "nobody"}).status == 500
    for path in ("/setup/activate_window", "/setup/close_window"):
        assert guest.post(path, {"window_name": "no such window"}).ok
    assert guest.post("/screen_size").json() == {"width": 1024, "height": 768}
    assert guest.get("/platform").line == "Linux"
    assert guest.get("/screenshot").data.startswith(b"\x89PNG")


def test_a_repeated_request_is_done_once(guest: GuestClient) -> None:
    action = {"action": {"kind": "press", "keys": ["x"]}}
    head = {"Authorization": f"Bearer {TOKEN}", "X_Request_Id": "the-same"}
    body = json.dumps({"action": {"kind": "press", "keys": ["no-such-key"]}}).encode()
    first = raw(guest, "POST", "/v1/perform", body, **head)
    again = raw(guest, "POST", "/v1/perform", json.dumps(action).encode(), **head)
    assert first == again and first[0] == 409, "the second one was carried out"


def test_nobody_comes_in_without_the_token(closed: GuestClient) -> None:
    assert raw(closed, "GET", "/screenshot")[0] == 401
    assert raw(closed, "GET", "/screenshot", Authorization="Bearer wrong")[0] == 401
    with pytest.raises(ComputerLost, match="token"):
        GuestClient(closed.address).get("/screenshot")
    page = {"Authorization": f"Bearer {TOKEN}", "Origin": "https://example.org"}
    assert raw(closed, "POST", "/v1/settle", b"{}", **page)[0] == 403, "a web page was let in"


@pytest.mark.parametrize(
    "path",
    [
        "/execute",
        "/setup/execute",
        "/setup/launch",
        "/run_python",
        "/run_bash_script",
        "/execute_with_verification",
    ],
)
def test_commands_are_off_unless_they_are_allowed(closed: GuestClient, path: str) -> None:
    asked = {"command": "touch ~/ran", "shell": True, "code": "open('ran', 'w')", "script": "touch ~/ran"}
    assert closed.post(path, asked).status == 403
    assert closed.form("/file", {"file_path": "~/ran"}).status == 404


def test_an_action_runs_no_command_either(closed: GuestClient) -> None:
    with (
        RemoteComputer(closed.address, guest_token=TOKEN) as computer,
        pytest.raises(ActionFailed, match="run a command"),
    ):
        computer.start("sh -c 'touch ~/ran'")
    assert closed.form("/file", {"file_path": "~/ran"}).status == 404


def test_what_is_too_large_is_refused(closed: GuestClient) -> None:
    assert closed.upload("/setup/upload", "~/large", b"x" * 2_000_000).status == 413
    assert closed.form("/file", {"file_path": "~/large"}).status == 404


def test_a_server_without_a_token_refuses_names_that_pages_may_take() -> None:
    with served("--no-token", program="", token="") as client:
        assert client.get("/platform").ok
        assert raw(client, "GET", "/platform", Host="evil.example:80")[0] == 403


def test_it_listens_openly_only_with_a_token(capfd: pytest.CaptureFixture[str]) -> None:
    from gui_agent.cli import main

    with pytest.raises(SystemExit) as ending:
        main(["guest", "serve", "--host", "0.0.0.0", "--no-token"])
    assert ending.value.code == 2 and "--no-token" in capfd.readouterr().err


@pytest.mark.nightly
def test_what_is_not_understood_is_a_client_error(guest: GuestClient, tmp_path: Path) -> None:
    """Every route, with nonsense of many kinds: never an unhandled error, and the server lives on."""
    nonsense = [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"path": 5}',
        b'{"path": "\\u0000"}',
        b'{"command": []}',
        b"\xff" * 9,
    ]
    paths = guest.get("/openapi.json").json()["paths"]
    assert len(paths) >= 33
    head = {"Authorization": f"Bearer {TOKEN}"}
    for path, methods in paths.items():
        if "recording" in path:
            continue
        for body in nonsense if "requestBody" in methods.get("post", {}) else nonsense[:1]:
            for kind in (
                "application/json",
                "multipart/form-data; boundary=x",
                "application/x-www-form-urlencoded",
            ):
                status, told = raw(guest, next(iter(methods)).upper(), path, body, **head, Content_Type=kind)
                assert b"Internal Server Error" not in told, (path, body, kind, status)
    assert guest.get("/platform").line == "Linux"
