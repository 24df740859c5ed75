"""Scripts that act at full speed: every screen they are shown is the one after their last action."""

from __future__ import annotations

import io

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.miniwob import MiniWob
from PIL import Image

from gui_agent.core.actions import Action, Click, TypeText
from gui_agent.core.observation import Element, Observation


def the(screen: Observation, role: str, name: str = "") -> Element:
    return next(one for one in screen.elements if one.role == role and name in ("", one.name))


def test_a_script_plays_several_tasks_in_turn(benchmark: MiniWob, pictures: bool) -> None:
    for seed in range(8):
        with benchmark.episode(Case("click-button", seed)) as episode:
            wanted, shown = episode.task.text.split('"')[1], []

            def press(screen: Observation) -> Action:
                shown.append(screen)  # noqa: B023
                return Click(the(screen, "button", wanted).box.center)  # noqa: B023

            episode.play(press, picture=pictures)
            assert episode.grade().success
            assert len(shown) == 1
        with benchmark.episode(Case("enter-text", seed)) as episode:
            text, values = episode.task.text.split('"')[1], []

            def enter(screen: Observation) -> Action:
                field = the(screen, "textbox")
                values.append(field.value)  # noqa: B023
                if field.value == text:  # noqa: B023
                    return Click(the(screen, "button").box.center)
                return TypeText(text, field.box.center)  # noqa: B023

            episode.play(enter, picture=pictures)
            assert episode.grade().success
            assert values == ["", text]


def test_a_picture_shows_what_the_last_action_did(benchmark: MiniWob, pictures: bool) -> None:
    if not pictures:
        pytest.skip("no pictures are looked at")
    for seed in range(6):
        with benchmark.episode(Case("click-checkboxes", seed)) as episode:
            looks: list[tuple[bytes, bool]] = []

            def tick(screen: Observation) -> Action | None:
                box = the(screen, "checkbox")
                assert screen.screenshot is not None
                with Image.open(io.BytesIO(screen.screenshot.data)) as image:
                    inside = image.convert("RGB").crop(
                        (box.box.left, box.box.top, box.box.right, box.box.bottom)
                    )
                looks.append((inside.tobytes(), "checked" in box.states))  # noqa: B023
                return Click(box.box.center) if len(looks) < 7 else None  # noqa: B023

            episode.play(tick, picture=True)
            assert [checked for _, checked in looks] == [False, True, False, True, False, True, False]
            # The pointer is over it from the second look on, which may show.
            assert len({drawn for drawn, checked in looks[1:] if checked}) == 1
            assert {drawn for drawn, checked in looks if checked}.isdisjoint(
                drawn for drawn, checked in looks if not checked
            )


def test_a_script_that_stops_leaves_the_episode_open(benchmark: MiniWob) -> None:
    with benchmark.episode(Case("click-button", 1)) as episode:
        episode.play(lambda screen: None)
        assert episode.end_reason() == ""
        assert not episode.grade().finished


def test_what_a_script_raises_reaches_its_caller(benchmark: MiniWob) -> None:
    def fails(screen: Observation) -> Action:
        raise LookupError("no such button")

    with (
        benchmark.episode(Case("click-button", 1)) as episode,
        pytest.raises(LookupError, match="no such button"),
    ):
        episode.play(fails)
    with benchmark.episode(Case("click-button", 2)) as episode:
        assert episode.computer.observe(picture=False).elements
