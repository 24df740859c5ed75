"""Names and roles are those of the browser's own accessibility tree."""

from __future__ import annotations

from typing import Any

import pytest

SAME_ROLE = {
    "image": "img",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "ColorWell": "button",
    "DisclosureTriangle": "button",
    "Canvas": "canvas",
    "LayoutTableCell": "cell",
}
"""The browser's internal roles for things that have no ARIA role of their own."""
UNNAMED_THERE = {"l-empty": "Fallback", "l-title": "From title", "l-title-inside": "Inner title"}
"""Where the browser finds no name and the specification, and a person, would take the hint."""


def browsers_own_tree(eyes: Any) -> dict[str, tuple[str, str]]:
    """Role and name by `id` attribute, as the browser tells them to assistive technology."""

    async def ask() -> dict[str, tuple[str, str]]:
        session = await eyes.page.context.new_cdp_session(eyes.page)
        tree = await session.send("Accessibility.getFullAXTree")
        await session.send("DOM.getDocument", {"depth": -1})
        found = {}
        for node in tree["nodes"]:
            if node.get("ignored") or "backendDOMNodeId" not in node:
                continue
            told = await session.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})
            flat = told["node"].get("attributes", [])
            identity = dict(zip(flat[::2], flat[1::2], strict=True)).get("id", "")
            role = node["role"]["value"]
            if identity and not identity.startswith("part-"):
                found[identity] = (SAME_ROLE.get(role, role), " ".join(node["name"]["value"].split()))
        return found

    return eyes.run(ask())


@pytest.mark.parametrize(("page", "least"), [("names.html", 100), ("labels.html", 30)])
def test_every_control_has_the_role_and_name_of_the_accessibility_tree(
    eyes: Any, page: str, least: int
) -> None:
    eyes.show(name=page, viewport={"width": 1000, "height": 2600})
    ours = {e.attributes["id"]: (e.role, e.name) for e in eyes.list() if "id" in e.attributes}
    own_parts = ("picker", "date-time-edit", "details-content", "alttext-image")
    theirs = {key: value for key, value in browsers_own_tree(eyes).items() if key not in own_parts}
    assert len(theirs) >= least
    for key in UNNAMED_THERE.keys() & theirs.keys():
        assert theirs[key][1] == ""
        theirs[key] = (theirs[key][0], UNNAMED_THERE[key])
    assert {key: ours.get(key) for key in theirs} == theirs


def test_a_hint_that_is_not_the_name_is_the_description(eyes: Any) -> None:
    eyes.show(
        """<input aria-label="Street" placeholder="Street and number">
        <button title="To the server">Send</button>"""
    )
    assert [(e.name, e.description) for e in eyes.list()] == [
        ("Street", "Street and number"),
        ("Send", "To the server"),
    ]


def test_symbols_of_icon_fonts_are_left_out_of_names(eyes: Any) -> None:
    eyes.show("<style>button::before { content: '\\e001' }</style><button>Star</button>")
    assert eyes.names("button") == ["Star"]


@pytest.mark.parametrize(
    "grid",
    [
        "<table aria-labelledby=h><caption>Of May</caption><tr><th>Name<th>Price<tr><td>Tea<td>42</table>",
        """<div role=grid aria-labelledby=h><p>Of May</p><div role=row><i role=columnheader>Name</i><i
        role=columnheader>Price</i></div><div role=row><i role=gridcell>Tea</i>
        <i role=gridcell>42</i></div></div>""",
    ],
    ids=["table", "grid"],
)
def test_a_labelled_grid_tells_its_headers_and_what_stands_outside_its_cells(eyes: Any, grid: str) -> None:
    eyes.show(f"<h2 id=h>Orders</h2>{grid}")
    found = {e.name: e.labels for e in eyes.list()}
    assert "Of May" in found
    assert "Price" in found["42"]
    assert found["Tea"] == ("Name",)
