"""What a page sends because of an input is judged by what it is, whatever the button says."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from obedient import Obedient, errors
from person_browser import person_browser
from playwright.sync_api import sync_playwright
from private import until

from gui_agent import from_page
from gui_agent.agent.guard import Grants, Ledger
from gui_agent.agent.guard._requests import SentRequest
from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.computers.browser.look.settling import POPUP_PATIENCE
from gui_agent.core.actions import Check, Choose, Click, Navigate, Press, Proposal, TypeText
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Size, Words
from gui_agent.core.protocols import Outgoing
from gui_agent.testing import ScriptedApprover

ORDER = (
    "fetch('/api/orders', {method: 'POST', body: JSON.stringify("
    "{items: [{sku: 'a'}, {sku: 'b'}], total: 98.00, currency: 'EUR'})}).catch(() => 0)"
)
DELETION = "fetch('/api/projects/7', {method: 'DELETE'}).catch(() => 0)"
MESSAGE = "navigator.sendBeacon('/x', JSON.stringify({to: 'ada@example.org', text: 'Hello'}))"
BLOCKING = "(() => {const x = new XMLHttpRequest(); x.open('POST', '/x', false); x.send('1')})()"
WORKER = (
    "<script>work = new Worker(URL.createObjectURL(new Blob(["
    "`onmessage = () => fetch('BASE/x', {method: 'POST', body: '1'})`])))</script>"
)
ASKS = (
    "<script>ask = (query) => fetch('/graphql', {method: 'POST', body: JSON.stringify({query})});"
    "ask('QUERY')</script>"
)
FLAGS = Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ()).flags()
ZXQ = Click(Words("zxq"))
LEFT = "<form method=post action=/pay><input autofocus onblur=form.submit()></form><p>zxq"


def arrived(obedient: Obedient, count: int) -> list[str]:
    """What was sent, once so much of it has come: a run does not wait until the server has noted it."""
    until(lambda: len(obedient.sent) >= count, f"the arrival of {count}")
    return obedient.sent


def button(handler: str, name: str = "zxq") -> str:
    return f'<button onclick="{handler.replace(chr(34), "&quot;")}">{name}</button>'


@pytest.mark.parametrize(
    ("page", "step"),
    [
        (button(ORDER), ZXQ),
        (button(DELETION), ZXQ),
        (button(MESSAGE), ZXQ),
        (button(BLOCKING), ZXQ),
        (WORKER + button("work.postMessage('')"), ZXQ),
        (button("go()") + "<script>go = () => location = '/harm/7/delete'</script>", ZXQ),
        (button("setTimeout(() => {" + ORDER + "}, 150)"), ZXQ),
        (button("f.submit()") + "<form id=f method=post target=_blank action=/orders></form>", ZXQ),
        (LEFT, Press(("tab",))),
        (LEFT, ZXQ),
        (button("parent.zxq()") + f"<script>zxq = () => {ORDER}</script>", ZXQ),
        (button("fetch('/x', {method: 'POST', body: JSON.stringify({a: 1, b: [2, {c: 3}]})})"), ZXQ),
        (button("fetch('/x', {method: 'POST', body: 'a=1&b=2'})", "Next"), Click(Words("Next"))),
        (button("fetch('/x', {method: 'PUT', body: JSON.stringify({a: 1, b: 2})})"), ZXQ),
        (
            button("fetch('/x', {method: 'POST', body: JSON.stringify({query: 'mutation { wuf }', k: {}})})"),
            ZXQ,
        ),
        (button("fetch('FAR/x', {method: 'POST', mode: 'no-cors', body: 'a=1&b=2'})"), ZXQ),
        (ASKS.replace("QUERY", "query A { k }") + button("ask('mutation B { deleteIt }')"), ZXQ),
    ],
)
def test_what_nobody_announced_does_not_leave(obedient: Obedient, page: str, step: Proposal) -> None:
    far = obedient.address.replace("127.0.0.1", "localhost")
    obedient.page(page.replace("BASE", obedient.address).replace("FAR", far))
    done = obedient.run(step)
    assert errors(done) == ["Forbidden"] and "nothing was sent" in done.steps[0].outcome.summary
    assert set(obedient.sent) <= {"/graphql"}


def test_a_window_that_never_comes_as_its_form_was_refused_is_not_waited_for(obedient: Obedient) -> None:
    obedient.page(button("f.submit()") + "<form id=f method=post target=_blank action=/orders></form>")
    assert errors(obedient.run(ZXQ)) == ["Forbidden"]
    obedient.computer.start(obedient.address)
    assert obedient.computer.settle().seconds < POPUP_PATIENCE


@pytest.mark.parametrize(
    "handler",
    [
        "fetch('/cart/items', {method: 'POST', body: '{}'})",
        "fetch('/posts/3/like', {method: 'POST'})",
        "fetch('/graphql', {method: 'POST', body: JSON.stringify({query: '{ orders { id } }'})})",
        "fetch('/zxqs/7', {method: 'POST'})",
        "navigator.sendBeacon('/collect', 'event=click')",
        "fetch('/drafts/7', {method: 'DELETE'})",
        "fetch('/zxqs/7', {method: 'PUT', body: JSON.stringify({at: '20261126084951032', a: 1})})",
        "save()",
    ],
)
def test_what_changes_little_or_is_what_the_button_says_leaves_unasked(
    obedient: Obedient, handler: str
) -> None:
    save = "<script>save = () => fetch('/store', {method: 'POST'})</script>"
    obedient.page(save + button(handler, name := "Save" if handler == "save()" else "zxq"))
    assert errors(obedient.run(Click(Words(name)))) == [""]
    arrived(obedient, 1)


def sending(method: str, path: str, body: str) -> str:
    return f"fetch('{path}', {{method: '{method}', body: JSON.stringify({body})}})"


@pytest.mark.parametrize(
    ("page", "step"),
    [
        (
            f'<label><input type=checkbox onchange="{sending("PUT", "/me", "{weekly: this.checked}")}">'
            "Weekly summary</label>",
            Check(Words("Weekly summary")),
        ),
        (
            "<form method=post action=/stock><label>Warehouse <select name=house onchange=form.submit()>"
            "<option>North<option>South</select></label></form>",
            Choose(Words("Warehouse"), "South"),
        ),
        (button(sending("POST", "/calendar", "{day: 12}"), "12"), Click(Words("12"))),
        (button(sending("POST", "/panels", "{collapsed: 1}"), "Collapse"), Click(Words("Collapse"))),
        (
            """<form name=f method=post action=/stock><input type=hidden name=what></form>"""
            """<script>const back = (what) => { f.what.value = what; f.submit() }</script>"""
            """<a href="javascript:back('grid page two')">2</a>""",
            Click(Words("2")),
        ),
    ],
)
def test_what_names_the_thing_that_the_step_touched_leaves_unasked(
    obedient: Obedient, page: str, step: Proposal
) -> None:
    obedient.page(page)
    assert "Forbidden" not in errors(obedient.run(step))  # a choice may lead to another page at once
    arrived(obedient, 1)


def test_a_tick_that_makes_something_public_does_not_speak_for_its_request(obedient: Obedient) -> None:
    ticked = "<input type=checkbox name=public onchange=form.submit()>Public profile"
    obedient.page(f"<form method=post action=/me><label>{ticked}</label></form>")
    assert errors(obedient.run(Check(Words("Public profile")))) == ["Forbidden"] and obedient.sent == []


def test_a_yes_to_one_meaning_covers_no_other(obedient: Obedient) -> None:
    obedient.page(button(sending("POST", "/x", "{iban: 'NO9386011117947', amount: 900}"), "Buy now"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(Click(Words("Buy now")), person=person)) == ["Forbidden"]
    assert "transfer of money" in person.questions[1] and obedient.sent == []


def test_a_grant_for_a_host_does_not_cover_its_neighbour(obedient: Obedient) -> None:
    port = obedient.address.rpartition(":")[2]
    obedient.page(button(ORDER.replace("'/api", f"'http://b.shop.localhost:{port}/api")))
    grants = Grants.parse([f"pay@a.shop.localhost:{port}"])
    done = obedient.run(ZXQ, start=f"http://a.shop.localhost:{port}/", yes=grants)
    assert errors(done) == ["Forbidden"] and obedient.sent == []


def test_what_was_typed_leaves_with_all_that_goes_with_it_whatever_the_button_says(
    obedient: Obedient,
) -> None:
    sending = "fetch('/x', {method: 'POST', body: JSON.stringify({a: n.value, b: 2, c: [3, 4]})})"
    obedient.page("<input id=n aria-label=wuf>" + button(sending))
    assert errors(obedient.run(TypeText("lamp", Words("wuf")), ZXQ)) == ["", ""]
    assert arrived(obedient, 1) == ["/x"]


@pytest.mark.parametrize(
    ("handler", "error"),
    [
        ("send('/collect', 'event=click')", ""),
        ("send('/x', 'a=1')", "Forbidden"),
        ("send('/collect', 'said=' + n.value)", "Forbidden"),
        ("send('/log/setup', 'dns=6.6.6.6')", "Forbidden"),
    ],
)
def test_another_site_hears_that_a_page_is_used_and_nothing_else(
    obedient: Obedient, handler: str, error: str
) -> None:
    far = obedient.address.replace("127.0.0.1", "localhost")
    sends = f"send = (at, body) => fetch('{far}' + at, {{method: 'POST', mode: 'no-cors', body}})"
    obedient.page(f"<script>{sends}</script><input id=n aria-label=wuf>" + button(handler))
    assert errors(obedient.run(TypeText("a lamp", Words("wuf")), ZXQ)) == ["", error]
    assert len(arrived(obedient, 0 if error else 1)) == (not error)


def test_what_says_what_it_is_about_leaves_at_the_own_site(obedient: Obedient) -> None:
    obedient.page(button(sending("POST", "/docs/7/ops", "{bold: [3, 9]}"), "B"))
    assert errors(obedient.run(Click(Words("B")))) == [""] and arrived(obedient, 1) == ["/docs/7/ops"]


@pytest.mark.parametrize(
    "handler",
    [
        "navigator.sendBeacon('/orders', JSON.stringify({items: [1], total: 98}))",
        "fetch('/notes/7', {method: 'DELETE', keepalive: true})",
    ],
)
def test_nothing_grave_is_sent_while_the_agent_goes_elsewhere(obedient: Obedient, handler: str) -> None:
    obedient.page(f"<p>here</p><script>addEventListener('pagehide', () => {{ {handler} }})</script>")
    obedient.page("<p>there</p>", "/there")
    going = Navigate(f"{obedient.address}/there")
    assert errors(obedient.run(Click(Words("here")), going)) == ["", "Forbidden"] and obedient.sent == []


def test_a_request_that_cannot_be_judged_is_refused(
    obedient: Obedient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(request: Outgoing) -> SentRequest:
        raise ValueError(request.url)

    obedient.page(button(sending("POST", "/docs/7/ops", "{bold: [3, 9]}")))
    monkeypatch.setattr(SentRequest, "from_request", fail)
    done = obedient.run(ZXQ)
    assert errors(done) == ["Forbidden"] and "judging a request failed" in done.steps[0].outcome.summary
    assert obedient.sent == []


def test_a_yes_covers_one_thing_of_its_own_meaning(obedient: Obedient) -> None:
    both = f"{DELETION}; {DELETION.replace('/api/projects/7', '/account')}"
    obedient.page(button(both, "Delete project"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(Click(Words("Delete project")), person=person)) == ["Forbidden"]
    assert "/account" not in obedient.sent


def test_a_sum_that_nobody_saw_is_asked_about(obedient: Obedient) -> None:
    obedient.page(button(ORDER, "Buy now for 9 EUR"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(Click(Words("Buy now for 9 EUR")), person=person)) == ["Forbidden"]
    assert "98 EUR" in person.questions[1] and obedient.sent == []
    obedient.page(button(ORDER, "Buy now for 98 EUR"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(Click(Words("Buy now for 98 EUR")), person=person)) == [""]


def test_the_question_tells_what_would_be_sent_and_money_is_asked_about_each_time(obedient: Obedient) -> None:
    obedient.page(button(ORDER))
    person = ScriptedApprover([True, True])
    assert errors(obedient.run(ZXQ, ZXQ, ZXQ, person=person)) == ["", "", "Forbidden"]
    assert arrived(obedient, 2) == ["/api/orders"] * 2
    host = obedient.address.partition("//")[2]
    told = f"this step would send to {host}: order or payment (POST /api/orders), 98 EUR?"
    assert person.questions[0].startswith(told)


def test_anything_else_is_asked_about_once_for_all_things_of_its_kind(obedient: Obedient) -> None:
    obedient.page(button(f"n = 7; {BLOCKING.replace('/x', '/x/' + chr(39) + ' + n++ + ' + chr(39))}"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(ZXQ, ZXQ, person=person)) == ["", ""]
    assert len(person.questions) == 1 and len(arrived(obedient, 2)) == 2


@pytest.mark.parametrize(
    ("body", "within_a_run"),
    [("{a: 1, b: 2, at: Date.now()}", ""), ("{items: [1, 2], total: 98, currency: 'EUR'}", "Forbidden")],
)
def test_what_left_after_a_yes_is_not_sent_again_by_a_run_that_goes_on(
    obedient: Obedient, tmp_path: Path, body: str, within_a_run: str
) -> None:
    obedient.page(button(f"fetch('/x', {{method: 'POST', body: JSON.stringify({body})}}).catch(() => 0)"))
    file = tmp_path / "ledger.jsonl"
    assert errors(obedient.run(ZXQ, ZXQ, yes=True, ledger=Ledger(file))) == ["", within_a_run]
    before = len(arrived(obedient, 1 if within_a_run else 2))
    done = obedient.run(ZXQ, yes=True, ledger=Ledger(file))
    assert errors(done) == ["Forbidden"] and "repeat" in done.steps[0].outcome.advice
    assert len(obedient.sent) == before


def test_a_step_that_was_allowed_as_what_it_does_is_not_asked_about_again(obedient: Obedient) -> None:
    obedient.page(button(DELETION, "Delete project"))
    person = ScriptedApprover([True])
    assert errors(obedient.run(Click(Words("Delete project")), person=person)) == [""]
    assert len(person.questions) == 1


def test_what_a_page_sends_by_itself_is_let_pass_also_during_a_step(obedient: Obedient) -> None:
    obedient.page(
        f"<script>setTimeout(() => fetch('/beat', {{method: 'POST', body: '1'}}))</script>{button('0')}"
        "<script>setInterval(() => fetch('/beat', {method: 'POST', body: '1'}), 20)</script>"
    )
    assert errors(obedient.run(ZXQ)) == [""] and "/beat" in arrived(obedient, 1)


def test_the_gate_stands_in_a_browser_with_a_profile(obedient: Obedient, tmp_path: Path) -> None:
    obedient.page(button(ORDER))
    with BrowserComputer(profile=str(tmp_path)) as computer:
        assert errors(replace(obedient, computer=computer).run(ZXQ)) == ["Forbidden"] and obedient.sent == []


def test_the_gate_stands_in_an_attached_browser(obedient: Obedient, tmp_path: Path) -> None:
    obedient.page(button(ORDER))
    own = ["--headless", "--remote-debugging-port=0", f"--user-data-dir={tmp_path}", "about:blank"]
    with subprocess.Popen(
        [find_executable("", ""), *FLAGS, *own], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            told = next(line for line in process.stderr if "DevTools listening on" in line)
            with BrowserComputer(attach=told.split("DevTools listening on ", 1)[1].strip()) as computer:
                assert errors(replace(obedient, computer=computer).run(ZXQ)) == ["Forbidden"]
                assert obedient.sent == []
        finally:
            process.kill()


def test_the_gate_stands_in_the_tab_that_a_person_lends_by_the_extension(
    obedient: Obedient, tmp_path: Path
) -> None:
    far = obedient.address.replace("127.0.0.1", "localhost")
    obedient.page(button(ORDER), "/frame")
    with person_browser(tmp_path) as person, person.lent(person.open_tab("about:blank")[1]) as computer:
        lent = replace(obedient, computer=computer)
        for body in (
            button(ORDER),
            button(BLOCKING),
            WORKER.replace("BASE", obedient.address) + button("work.postMessage('')"),
            f"<iframe src='{far}/frame'></iframe>",
        ):
            lent.page(body)
            assert errors(lent.run(ZXQ)) == ["Forbidden"]
        lent.page(button("f.submit()") + "<form id=f method=post target=_blank action=/orders></form>")
        assert errors(lent.run(ZXQ)) == ["ActionFailed"]
    assert obedient.sent == []


def test_the_gate_stands_in_a_lent_page_and_leaves_other_tabs_alone(obedient: Obedient) -> None:
    obedient.page(button(ORDER))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_executable("", ""), args=FLAGS)
        mine, other = browser.new_page(), browser.new_page()
        mine.goto(obedient.address)
        other.goto(obedient.address)
        with from_page(mine) as steps:
            with pytest.raises(Forbidden, match="nothing was sent"):
                steps.act('click "zxq"')
            assert obedient.sent == []
            with other.expect_request_finished():
                other.click("text=zxq")
            assert obedient.sent == ["/api/orders"]
        with mine.expect_request_finished():
            mine.click("text=zxq")
        browser.close()
    assert obedient.sent == ["/api/orders"] * 2
