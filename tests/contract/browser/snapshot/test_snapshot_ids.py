"""Ids stay with their element and are never used for another; what is new since the last look is marked."""

from __future__ import annotations

import contextlib
from typing import Any

from playwright.async_api import Error


def ids(eyes: Any) -> dict[str, int]:
    return {e.name: e.id for e in eyes.list()}


def new(eyes: Any) -> set[str]:
    return {e.name for e in eyes.list() if "new" in e.states}


def test_ids_stay_when_the_page_changes_around_an_element(eyes: Any) -> None:
    eyes.show("<p id=p>Text</p><button id=a>A</button><button id=b>B</button>")
    before = ids(eyes)
    eyes.js(
        """b.after(a); a.textContent = 'A2';
        p.before(Object.assign(document.createElement('button'), {textContent: 'N'}))"""
    )
    after = ids(eyes)
    assert (after["A2"], after["B"], after["Text"]) == (before["A"], before["B"], before["Text"])
    assert after["N"] not in before.values()


def test_what_was_not_there_at_the_last_look_is_marked_new_once(eyes: Any) -> None:
    eyes.show("<button id=a>A</button><button id=c hidden>C</button>")
    assert new(eyes) == set()
    eyes.js("c.hidden = false; a.insertAdjacentHTML('afterend', '<p>Words</p>')")
    assert new(eyes) == {"C", "Words"}
    assert new(eyes) == set()


def test_ids_are_never_used_again_after_reloads_and_navigations(eyes: Any, port: int) -> None:
    eyes.show("<button>A</button>")
    used = set(ids(eyes).values())
    for url in (
        f"http://127.0.0.1:{port}/names.html",
        f"http://localhost:{port}/around.html",
        f"http://localhost:{port}/around.html",
    ):
        eyes.run(eyes.page.goto(url))
        eyes.run(eyes.page.wait_for_timeout(20))
        elements = eyes.list()
        assert elements
        now = {e.id for e in elements}
        assert not now & used
        assert not any("new" in e.states for e in elements)
        used |= now


def test_ids_of_two_pages_differ(eyes: Any) -> None:
    eyes.show("<button>A</button>")
    first = set(ids(eyes).values())
    eyes.show("<button>B</button>")
    assert not first & set(ids(eyes).values())


def test_ids_of_frames_differ_from_those_around(eyes: Any) -> None:
    eyes.show("<button>A</button><iframe srcdoc='<button>B</button>'></iframe>")
    found = [e.id for e in eyes.list()]
    assert len(found) == len(set(found)) == 2


def test_the_page_sees_nothing_of_the_script(eyes: Any) -> None:
    eyes.show("<button>A</button>")
    before = eyes.js("[Object.getOwnPropertyNames(window).length, document.documentElement.outerHTML]")
    eyes.js("""window.changes = 0; new MutationObserver(list => changes += list.length).observe(document,
        {subtree: true, childList: true, attributes: true, characterData: true})""")
    eyes.list()
    after = eyes.js(
        "[Object.getOwnPropertyNames(window).length - 1, document.documentElement.outerHTML, changes]"
    )
    assert after == [*before, 0]


def test_a_page_that_spoils_its_prototypes_is_still_seen(eyes: Any) -> None:
    eyes.show(
        """<form><input name=children><input name=title><input name=id><input name=textContent>
        <input name=parentNode><input name=childNodes><input name=style><button>Go</button></form><form
        action=/pay method=post><input name=action value=/search><input name=method value=get>
        <input name=elements><input name=getAttribute><input name=querySelector><input name=parentElement>
        <button>Pay</button></form><script>
        Array.prototype.map = Array.prototype.filter = Element.prototype.getAttribute = JSON.stringify = null;
        Array.prototype.toJSON = () => 'spoilt'; Element.prototype.getBoundingClientRect = () => ({});
        document.elementFromPoint = () => null; window.getComputedStyle = null;
        window.Map = window.WeakMap = 1;
        </script>"""
    )
    assert eyes.names("button") == ["Go", "Pay"]
    assert len(eyes.list()) == 15
    pay = next(element for element in eyes.list() if element.name == "Pay")
    assert pay.does.form.posts and pay.does.form.sends == "/pay"


def test_looking_while_the_page_navigates_gives_one_page_or_the_other(eyes: Any, port: int) -> None:
    eyes.show(url=f"http://127.0.0.1:{port}/around.html")
    titles = set()
    for number in range(12):
        target = "names" if number % 2 else "around"
        with contextlib.suppress(Error):  # the page asked may be the one that is just leaving
            eyes.js(f"setTimeout(() => location.href = '/{target}.html?{number}', 0)")
        titles.add(eyes.look().title)
    assert titles <= {"Around", "Names and roles", ""}
