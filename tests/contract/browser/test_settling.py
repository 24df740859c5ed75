"""Waiting for the effect of an action: no longer than needed, and not for what changes by itself."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

import pytest

from gui_agent.computers.browser.look import settling
from gui_agent.core.actions import Move

CAP = 3.0
"""Seconds after which a page that does not come to rest is given up."""


def seconds_of_a_question(desk: Any) -> float:
    """What one answer of the page takes, with all that the machine does beside it."""
    began = time.monotonic()
    desk.js("1")
    return time.monotonic() - began


def test_an_immediate_effect_is_settled_at_once(desk: Any) -> None:
    desk.open("restless.html")
    seconds, asking = [], []
    for _ in range(15):
        asking.append(seconds_of_a_question(desk))
        desk.use("Now")
        assert desk.settled.changed
        assert desk.settled.quiet
        assert "now" in desk.text()
        seconds.append(desk.settled.seconds)
    assert statistics.median(seconds) < 0.1 + 20 * statistics.median(asking)


def test_an_effect_counts_however_long_the_question_for_it_takes(desk: Any, monkeypatch: Any) -> None:
    ask = settling.value_of

    async def ask_late(line: Any, question: str) -> Any:
        await asyncio.sleep(0.4 if ".rest(" in question else 0)
        return await ask(line, question)

    desk.open("restless.html")
    monkeypatch.setattr(settling, "value_of", ask_late)
    for _ in range(2):
        desk.use("Now")
        assert desk.settled.changed
    desk.use("Dead")  # gets the keyboard
    desk.use("Dead")
    assert not desk.settled.changed


def test_a_click_without_effect_costs_a_short_grace(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Dead")
    asking = seconds_of_a_question(desk)
    desk.use("Dead")
    assert desk.settled.quiet
    assert desk.settled.seconds < 0.4 + 20 * asking


def test_what_a_click_fetches_is_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Load")
    assert "loaded" in desk.text()
    assert desk.settled.changed


def test_an_animation_with_an_end_is_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Fade")
    assert desk.settled.changed
    assert desk.js("document.querySelector('.fading').getAnimations().length") == 0


def test_the_glow_around_what_has_the_keyboard_is_not_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Glow")
    assert desk.settled.quiet
    assert desk.js("document.querySelector('.glowing').getAnimations().length") > 0


def test_a_series_of_changes_is_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Grow")
    assert "grown" in desk.text()


@pytest.mark.parametrize("way", ["Open by ticks", "Open by frames"])
def test_an_animation_that_shows_nothing_at_its_beginning_is_waited_for(desk: Any, way: str) -> None:
    desk.open("restless.html")
    desk.use(way)
    assert "open" in desk.text()
    assert desk.settled.quiet


@pytest.mark.parametrize("tick", [10, 40, 200])
def test_a_clock_that_ticks_does_not_hold_up(desk: Any, tick: int) -> None:
    desk.open(f"restless.html?tick={tick}")
    while desk.js("ticks") < 6:
        desk.look()
    for _ in range(3):
        desk.use("Now")
        assert desk.settled.quiet
        assert desk.settled.seconds < CAP - 0.2


def test_a_page_that_never_rests_is_given_up_at_the_cap(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Endless")
    assert desk.settled.seconds < 10 * CAP
    desk.use("Dead")
    assert desk.settled.seconds < CAP - 0.2


def test_changes_inside_frames_and_shadow_roots_are_seen(desk: Any) -> None:
    desk.open("nested.html")
    script = """() => {
      const inner = document.querySelector('iframe').contentDocument;
      inner.querySelector('button').onclick = () => setTimeout(() => { inner.body.append('one') }, 25);
      const root = document.querySelector('x-card').shadowRoot;
      root.querySelector('button').onclick = () => setTimeout(() => { root.append('two') }, 25);
    }"""
    desk.js(script)
    desk.use("Post")
    assert desk.settled.changed
    desk.use("Store")
    assert desk.settled.changed


def test_a_delay_that_a_page_puts_before_its_answer_is_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Suggest")
    assert "suggested" in desk.text()
    desk.use("Remind")
    assert desk.settled.seconds < CAP - 0.2


def test_delays_are_left_alone_when_asked(own_desk: Any) -> None:
    desk = own_desk(settle_timers=0.0)
    desk.open("restless.html")
    assert "[native code]" in desk.js("String(setTimeout)")
    for _ in range(100):  # on a busy machine the delay may be over before the look
        desk.open("restless.html")
        desk.use("Suggest")
        if "suggested" not in desk.text():
            return
    pytest.fail("each look came after the delay")


def test_a_delay_that_begins_when_the_pointer_comes_is_waited_for(desk: Any) -> None:
    desk.open("restless.html")
    desk.js("""() => {
      for (const button of document.querySelectorAll("button"))
        button.onmouseover = () => setTimeout(() => { said.textContent = `over ${button.textContent}` }, 300);
    }""")
    for name in ("Dead", "Remind", "Now"):
        desk.act(Move(desk.find(name).box.center))
        assert f"over {name}" in desk.text()


def test_what_changed_before_an_action_is_not_its_effect(desk: Any) -> None:
    desk.open("restless.html")
    desk.use("Dead")
    assert desk.settled.changed  # it has the keyboard now
    desk.js("() => { said.textContent = 'by itself' }")
    desk.look()
    desk.computer.call(lambda page: page.wait_for_timeout(50))
    desk.use("Dead")
    assert not desk.settled.changed


def test_input_in_a_frame_of_another_origin_is_an_action_too(desk: Any) -> None:
    desk.open(f"listener.html?frame={desk.address.replace('127.0.0.1', 'localhost')}/teller.html")
    desk.use("Here")
    assert desk.settled.changed
    desk.use("Idle")  # gets the keyboard
    desk.use("Idle")
    assert not desk.settled.changed
    desk.use("Tell")
    assert desk.settled.changed
    assert "told" in desk.text()
