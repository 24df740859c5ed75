from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gui_agent.core.dialogue import Asked, Reply, Request, Results, ToolResult
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point, Screenshot, Size
from gui_agent.models.codec import ModelView, prepare
from gui_agent.models.families import CLAUDE, QWEN2_LARGE, QWEN3, THOUSAND, UNIT, family
from gui_agent.models.pictures import PictureRule, Space, picture

sizes = st.builds(Size, st.integers(200, 4000), st.integers(200, 4000))


@pytest.mark.parametrize(
    ("screen", "factor", "most", "sent"),
    [
        (Size(1920, 1080), 28, 16384 * 28 * 28, Size(1932, 1092)),
        (Size(1920, 1080), 32, 12_000_000, Size(1920, 1088)),
        (Size(1366, 768), 28, 16384 * 28 * 28, Size(1372, 756)),
        (Size(1366, 768), 32, 12_000_000, Size(1376, 768)),
        (Size(2560, 1440), 28, 16384 * 28 * 28, Size(2548, 1428)),
        (Size(1920, 1080), 28, 1_003_520, Size(1316, 728)),
    ],
)
def test_sides_are_rounded_as_the_image_processor_does(
    screen: Size, factor: int, most: int, sent: Size
) -> None:
    assert PictureRule(most=most, factor=factor).size(screen) == sent


@given(sizes)
def test_a_picture_keeps_to_the_limits_and_to_its_aspect(screen: Size) -> None:
    sent = CLAUDE.size(screen)
    assert sent.width * sent.height <= 1_150_000 and max(sent.width, sent.height) <= 1568
    assert abs(sent.width / screen.width - sent.height / screen.height) < 0.02
    for rule in (QWEN2_LARGE, QWEN3):
        rounded = rule.size(screen)
        assert rounded.width % rule.factor == rounded.height % rule.factor == 0
        assert rounded.width * rounded.height <= rule.most


@given(sizes, st.builds(Size, st.integers(64, 2000), st.integers(64, 2000)))
def test_a_cap_is_kept(screen: Size, cap: Size) -> None:
    sent = CLAUDE.size(screen, cap)
    assert sent.width <= max(cap.width, 1) and sent.height <= max(cap.height, 1)


@given(sizes, st.sampled_from([None, THOUSAND, UNIT]), st.floats(0, 0.999), st.floats(0, 0.999))
def test_points_stay_inside_and_in_order(
    screen: Size, grid: tuple[float, float] | None, first: float, second: float
) -> None:
    sent = QWEN2_LARGE.size(screen)
    space = Space(screen, *(grid or (sent.width, sent.height)), grid=grid is not None)
    low, high = sorted((first, second))
    one = space.point(low * space.width, low * space.height)
    other = space.point(high * space.width, high * space.height)
    assert screen.contains(one) and screen.contains(other)
    assert one.x <= other.x and one.y <= other.y
    assert abs(one.x - low * screen.width) <= screen.width / space.width + 1 or grid == UNIT


@given(sizes, st.data())
def test_pixels_of_a_picture_of_the_same_size_are_themselves(screen: Size, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, screen.width - 1))
    y = data.draw(st.integers(0, screen.height - 1))
    space = Space(screen, screen.width, screen.height)
    assert space.point(x, y) == Point(x, y)
    assert space.units(Point(x, y)) == (x, y)


@given(sizes, st.sampled_from([None, THOUSAND, UNIT]), st.data())
def test_units_and_point_are_opposites(
    screen: Size, grid: tuple[float, float] | None, data: st.DataObject
) -> None:
    at = Point(data.draw(st.integers(0, screen.width - 1)), data.draw(st.integers(0, screen.height - 1)))
    sent = CLAUDE.size(screen)
    space = Space(screen, *(grid or (sent.width, sent.height)), grid=grid is not None)
    again = space.point(*space.units(at))
    unit = max(screen.width / min(space.width, 1000 if grid else space.width), 1) if grid != UNIT else 2
    assert abs(again.x - at.x) <= max(unit, screen.width / 1000) + 1
    assert abs(again.y - at.y) <= max(screen.height / sent.height, screen.height / 1000) + 1


@pytest.mark.parametrize("wrong", [(-1, 5), (5, -1), (100, 5), (5, 50), (float("nan"), 5), (float("inf"), 5)])
def test_a_point_outside_is_told_with_the_picture_size(wrong: tuple[float, float]) -> None:
    with pytest.raises(BadReply, match=r"outside the picture; .*100 wide and 50 high"):
        Space(Size(200, 100), 100, 50).point(*wrong)


def test_the_last_line_of_a_grid_is_the_edge_of_the_picture() -> None:
    space = Space(Size(1280, 800), 1000, 1000, grid=True)
    assert space.point(1000, 1000) == Point(1279, 799)
    with pytest.raises(BadReply, match="1000 at the right"):
        space.point(1001, 3)


def test_a_picture_is_resized_once_and_left_alone_when_it_fits() -> None:
    written = io.BytesIO()
    Image.new("RGB", (100, 60), "red").save(written, "PNG")
    shot = Screenshot(written.getvalue(), Size(100, 60))
    media, data = picture(shot, Size(100, 60))
    assert (media, base64.b64decode(data)) == ("image/png", shot.data)
    _, small = picture(shot, Size(50, 30))
    assert Image.open(io.BytesIO(base64.b64decode(small))).size == (50, 30)
    assert picture(shot, Size(50, 30))[1] is small


@pytest.mark.parametrize(("model", "told"), [("qwen3-vl", (500, 501)), ("kimi-k2", (0.5004, 0.5006))])
def test_what_is_told_of_a_place_is_what_the_model_would_write(model: str, told: tuple[float, float]) -> None:
    """Outcomes and lists count as the answers do: one meaning of coordinates in a request."""
    shot = Screenshot(b"", Size(1280, 800))
    said = "1. Click the point (640, 400): worked"
    results = Results((ToolResult("c", (said,)),))
    request = Request("plan", (Asked(("[3] img at the point (640, 400)", shot)), Reply(), results))
    view = ModelView(model, family(model), "chat").for_request(request)
    turns = prepare(request, view).turns
    place = f"the point ({told[0]:g}, {told[1]:g})"
    assert turns[0] == Asked((f"[3] img at {place}", shot))
    assert turns[2] == Results((ToolResult("c", (f"1. Click {place}: worked",)),))
