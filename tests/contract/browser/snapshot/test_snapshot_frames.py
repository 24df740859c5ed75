"""Shadow roots and frames: in place, clipped, named by their path, clickable where they are drawn."""

from __future__ import annotations

from typing import Any

import pytest

OUTER = """<body style="margin:0"><p>Around</p>
<iframe style="margin:10px;border:7px solid;padding:5px;width:300px;height:120px;{style}" srcdoc="
  <body style='margin:8px'><button id=b onclick='parent.clicked=1'>Inside</button> <span>words</span>
  <div style='height:900px'></div><button>Deep</button>"></iframe><button>After</button>"""


@pytest.mark.parametrize(
    "style",
    ["", "transform:scale(1.5);transform-origin:0 0", "zoom:1.5", "position:absolute;top:200px;left:250px"],
)
def test_what_is_in_a_frame_is_clicked_where_it_is_drawn(eyes: Any, style: str) -> None:
    eyes.show(OUTER.format(style=style))
    inside = eyes.one("Inside")
    assert inside.path == "iframe>html/body/button[1]"
    eyes.click(inside)
    assert eyes.js("window.clicked") == 1
    hit = eyes.at(inside.box.center)
    assert hit is not None
    assert hit.id == inside.id
    assert "Deep" not in eyes.names()


def test_a_scrolled_frame_shows_what_it_was_scrolled_to(eyes: Any) -> None:
    eyes.show(OUTER.format(style=""))
    eyes.js("frames[0].scrollTo(0, 9999)")
    assert eyes.names("button") == ["Deep", "After"]


def test_an_overlay_of_the_page_covers_a_frame(eyes: Any) -> None:
    eyes.show(OUTER.format(style="") + '<div style="position:fixed;inset:0;background:#fff">Cover</div>')
    assert eyes.names() == ["Cover"]


def test_frames_in_frames_and_several_frames_are_told_apart_by_path(eyes: Any) -> None:
    inner = "<iframe srcdoc='<button>B</button>' width=200 height=80></iframe>"
    eyes.show(
        f"""<iframe srcdoc="<button>A</button>" width=200 height=90></iframe>
        <iframe srcdoc="<button>C</button>{inner}" width=300 height=200></iframe>"""
    )
    eyes.run(
        eyes.page.wait_for_function("frames.length==2&&frames[1].frames[0]?.document.querySelector('button')")
    )
    assert {e.name: e.path for e in eyes.list()} == {
        "A": "iframe[1]>html/body/button",
        "C": "iframe[2]>html/body/button",
        "B": "iframe[2]>iframe>html/body/button",
    }


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_frames_of_other_origins_and_other_sites_are_merged(
    eyes: Any, port: int, host: str, ratio: float
) -> None:
    eyes.show(url=f"http://127.0.0.1:{port}/around.html", device_scale_factor=ratio)
    if host == "127.0.0.1":
        eyes.js("document.querySelector('iframe').sandbox = 'allow-scripts'")
    eyes.js(f"document.querySelector('iframe').src = 'http://{host}:{port}/inside.html'")
    eyes.run(eyes.page.frame_locator("iframe").locator("#b").wait_for())
    elements = eyes.list()
    assert [e.name for e in elements] == ["Before", "Inside", "Field", "After"]
    inside = eyes.one("Inside")
    assert inside.path == "iframe>html/body/button[1]"
    eyes.click(inside, ratio)
    eyes.run(eyes.page.frame_locator("iframe").get_by_text("clicked").wait_for())
    said = eyes.one("clicked")
    assert said.role == "text"
    hit = eyes.at(eyes.one("Field", "textbox").box.center)
    assert hit is not None
    assert (hit.id, hit.editable) == (eyes.one("Field", "textbox").id, True)


def test_a_frame_that_moves_to_another_site_is_followed(eyes: Any, port: int) -> None:
    eyes.show(url=f"http://127.0.0.1:{port}/around.html")
    for host in ("127.0.0.1", "localhost", "127.0.0.1", "localhost"):
        eyes.js(f"document.querySelector('iframe').src = 'http://{host}:{port}/inside.html?{host}'")
        eyes.run(eyes.page.wait_for_timeout(50))
        eyes.run(eyes.page.frame_locator("iframe").locator("#b").wait_for())
        assert "Inside" in eyes.names()


CARD = """<x-card><b slot="title">Slotted</b><button>Given</button></x-card><script>
customElements.define('x-card', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML = `<style>:host{display:block}</style>
  <p><label>Street <input></label></p>
  <h2><slot name="title"></slot></h2><div><slot></slot><x-leaf></x-leaf></div>` } });
customElements.define('x-leaf', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML =
    '<button onclick="window.clicked=1">Leaf</button>' } });</script>"""


def test_open_shadow_roots_are_looked_into(eyes: Any) -> None:
    eyes.show(CARD)
    elements = eyes.list()
    assert [(e.role, e.name) for e in elements] == [
        ("text", "Street"),
        ("textbox", "Street"),
        ("heading", "Slotted"),
        ("button", "Given"),
        ("button", "Leaf"),
    ]
    leaf = eyes.one("Leaf")
    assert leaf.path == "html/body/x-card/#/div/x-leaf/#/button"
    eyes.click(leaf)
    assert eyes.js("window.clicked") == 1
    hit = eyes.at(leaf.box.center)
    assert hit is not None
    assert hit.id == leaf.id
