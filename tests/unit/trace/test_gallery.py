"""Pictures are embedded once and small, and compared for what changed."""

from __future__ import annotations

import base64
import io
import random

from PIL import Image, ImageDraw

from gui_agent.core.observation import Box, Observation, Screenshot, Size
from gui_agent.trace.report import Gallery, changed_region


def shot(size: tuple[int, int] = (1600, 900), box: tuple[int, int, int, int] | None = None) -> Observation:
    image = Image.new("RGB", size, "white")
    if box:
        ImageDraw.Draw(image).rectangle(box, fill="navy")
    return shown(image)


def test_equal_pictures_are_embedded_once() -> None:
    gallery = Gallery([shot(), shot(), shot(box=(0, 0, 9, 9)), Observation(Size(1, 1))])
    assert len(gallery) == 2
    first, again = gallery.picture_of(shot()), gallery.picture_of(shot())
    assert first is again is not None
    assert gallery.picture_of(Observation(Size(1, 1))) is None


def test_a_picture_is_no_wider_than_the_page_needs() -> None:
    seen = shot()
    picture = Gallery([seen]).picture_of(seen)
    assert picture is not None
    assert (picture.width, picture.height) == (1600, 900), "marks are drawn in screenshot pixels"
    kind, data = picture.uri.split(",", 1)
    assert kind == "data:image/webp;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (1280, 720)


def test_a_damaged_picture_is_left_out() -> None:
    torn = shot().screenshot
    assert torn is not None
    for data in (b"", b"nonsense", torn.data[:200]):
        seen = Observation(Size(10, 10), screenshot=Screenshot(data, Size(10, 10)))
        assert Gallery([seen]).picture_of(seen) is None


def test_the_changed_region_is_found_in_screenshot_pixels() -> None:
    before, after = shot(), shot(box=(400, 300, 599, 399))
    gallery = Gallery([before, after])
    region = changed_region(gallery.picture_of(before), gallery.picture_of(after))
    assert region is not None
    assert region.iou(Box(400, 300, 200, 100)) > 0.8


def test_no_region_is_named_when_nothing_or_everything_changed() -> None:
    before, whole = shot(), shot(box=(0, 0, 1599, 899))
    other = shot(size=(800, 600))
    gallery = Gallery([before, whole, other])
    assert changed_region(gallery.picture_of(before), gallery.picture_of(before)) is None
    assert changed_region(gallery.picture_of(before), gallery.picture_of(whole)) is None
    assert changed_region(gallery.picture_of(before), gallery.picture_of(other)) is None
    assert changed_region(None, gallery.picture_of(before)) is None


def test_many_busy_pictures_stay_within_the_budget() -> None:
    noise = [Image.frombytes("RGB", (640, 400), random.Random(n).randbytes(640 * 400 * 3)) for n in range(3)]
    screens = [shown(image) for image in noise]
    tight = Gallery(screens, budget=240_000)
    roomy = Gallery(screens)
    for seen in screens:
        small, large = tight.picture_of(seen), roomy.picture_of(seen)
        assert small is not None
        assert large is not None
        assert len(small.uri) < len(large.uri)
        assert (small.width, small.height) == (640, 400)


def shown(image: Image.Image) -> Observation:
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return Observation(Size(*image.size), screenshot=Screenshot(data.getvalue(), Size(*image.size)))
