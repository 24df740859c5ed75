"""Translates CSS, XPath, text, aria and role selectors to fingerprints of their elements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from gui_agent.core.observation import Fingerprint
from gui_agent.core.texts import table

UNKNOWN = Fingerprint(role="", name="")
SELECTOR = "selector"
"""Attribute that keeps the original selector of the recording."""

_TAGS = table(
    "a=link button=button textarea=textbox select=combobox option=option img=img h1=heading"
    " h2=heading h3=heading li=listitem tr=row td=cell dialog=dialog"
)
_INPUTS = table(
    "checkbox=checkbox radio=radio submit=button button=button reset=button image=button"
    " search=searchbox number=spinbutton range=slider"
)
_ATTRIBUTE = r"\[\s*(?P<key>[\w-]+)\s*[*^$~|]?=\s*(?P<quote>[\"']?)(?P<value>.*?)(?P=quote)\s*\]"
_PIECE = re.compile(
    rf"(?P<tag>^[a-zA-Z][\w-]*)|#(?P<id>(?:[\w-]|\\.)+)|\.(?P<class>(?:[\w-]|\\.)+)|{_ATTRIBUTE}"
    r"|:nth-(?:of-type|child)\((?P<nth>\d+)\)|:has-text\((?P<q>[\"'])(?P<has>.*?)(?P=q)\)"
)
_NAMED = re.compile(
    r"(css|xpath|text|role|id|name|linkText|partialLinkText|data-testid|data-test-id|data-test)="
)
_ROLE = re.compile(r"(?P<role>[\w-]+)(?:\[name\*?=(?P<quote>[\"'])(?P<name>.*?)(?P=quote)\w?\])?$")
_ARIA_ROLE = re.compile(r"^(?P<name>.*?)\[role=[\"'](?P<role>[\w-]+)[\"']\]$", re.DOTALL)
_XPATH_TEST = re.compile(r"\[@(?P<key>[\w-]+)\s*=\s*[\"'](?P<value>[^\"']*)[\"']\]")


def read_selector(selector: str) -> Fingerprint:
    """The fingerprint for a selector of any common engine; unknown properties stay empty.

    Supports `css=`, `xpath=`, `text=`, `role=`, `id=`, `data-testid=`, and Recorder's `aria/`, `text/`,
    `xpath/`, `pierce/`. The fingerprint keeps the selector itself among its attributes.
    """
    engine, rest = _engine(selector.strip() or "*")
    match engine:
        case "text":
            found = replace(UNKNOWN, name=rest.strip().strip("\"'"))
        case "aria":
            named = _ARIA_ROLE.match(rest)
            found = Fingerprint(named["role"], named["name"]) if named else replace(UNKNOWN, name=rest)
        case "role":
            role = _ROLE.match(rest)
            found = Fingerprint(role["role"], role["name"] or "") if role else UNKNOWN
        case "xpath":
            found = _xpath(rest)
        case "css":
            found = _css(rest)
        case "linkText" | "partialLinkText":
            found = Fingerprint("link", rest)
        case _:
            found = replace(UNKNOWN, attributes={engine: rest})
    return replace(found, attributes={**found.attributes, SELECTOR: selector})


def with_attributes(found: Fingerprint, role: str = "", **attributes: str) -> Fingerprint:
    """The fingerprint with further attributes, and with this role if it has none."""
    return replace(found, role=found.role or role, attributes={**found.attributes, **attributes})


def telling(found: Fingerprint) -> bool:
    """Whether a fingerprint has more than a selector, which only works on one version of a page."""
    return bool(
        found.name
        or found.label
        or found.neighbours
        or found.attributes.keys() - {SELECTOR, "tag", "class", "type", "frame"}
    )


def weaknesses(found: Fingerprint) -> list[str]:
    """The remark for a fingerprint that has only a selector; otherwise none."""
    return [] if telling(found) else ["the element has only a selector and no name"]


BY_VALUE = "the option is known only by its value; its text may differ"
"""The remark for an option whose visible text is not in the recording."""


def read_selectors(selectors: Iterable[str]) -> Fingerprint:
    """The fingerprint for all selectors of one element; earlier selectors take precedence."""
    return reduce(merge, map(read_selector, selectors), UNKNOWN)


def merge(best: Fingerprint, other: Fingerprint) -> Fingerprint:
    """Merge two fingerprints of one element; `best` takes precedence."""
    return replace(
        best,
        role=best.role or other.role,
        name=best.name or other.name,
        path=best.path or other.path,
        attributes={**other.attributes, **best.attributes},
        rank=best.rank or other.rank,
    )


def _engine(selector: str) -> tuple[str, str]:
    engine, slash, rest = selector.partition("/")
    if slash and engine in ("pierce", "aria", "text", "xpath"):
        return engine.replace("pierce", "css"), rest
    if selector.startswith(("//", "(//", "..")):
        return "xpath", selector
    if selector[0] in "\"'" and selector[-1] == selector[0] and len(selector) > 2:
        return "text", selector
    named = _NAMED.match(selector)
    if named:
        return named[1], selector[named.end() :]
    return "css", selector


def _css(selector: str) -> Fingerprint:
    """The last compound of a CSS selector; a purely structural selector becomes the path as a whole."""
    selector, _, counted = selector.partition(">> nth=")
    compounds = re.split(r"\s*>>\s*|\s*>\s*|\s+(?![^\[(]*[\])])", selector.strip())
    tag, name = "", ""
    attributes: dict[str, str] = {}
    for piece in _PIECE.finditer(compounds[-1]):
        if piece["tag"]:
            tag = piece["tag"].lower()
        elif piece["id"]:
            attributes["id"] = piece["id"].replace("\\", "")
        elif piece["class"]:
            attributes["class"] = f"{attributes.get('class', '')} {piece['class']}".strip()
        elif piece["key"]:
            attributes[piece["key"]] = piece["value"]
        elif piece["has"]:
            name = piece["has"]
    path = _path(compounds) if len(compounds) > 1 else ""
    found = _of_tag(tag, name, path, attributes)
    return replace(found, rank=int(counted) + 1) if counted.isdecimal() else found


def _of_tag(tag: str, name: str, path: str, attributes: dict[str, str]) -> Fingerprint:
    role = attributes.pop("role", "") or _role(tag, attributes.get("type", ""))
    name = name or attributes.pop("aria-label", "")
    if tag:
        attributes["tag"] = tag
    return Fingerprint(role, name or attributes.get("placeholder", ""), path=path, attributes=attributes)


def _path(compounds: list[str]) -> str:
    steps: list[str] = []
    for compound in compounds:
        tag = re.match(r"[a-zA-Z][\w-]*", compound)
        nth = re.search(r":nth-(?:of-type|child)\((\d+)\)", compound)
        steps.append((tag[0].lower() if tag else "*") + (f"[{nth[1]}]" if nth else ""))
    return "/".join(steps)


def _xpath(expression: str) -> Fingerprint:
    last = expression.rstrip("/").rsplit("/", 1)[-1]
    tag_match = re.match(r"[a-zA-Z][\w-]*", last)
    tag = tag_match[0].lower() if tag_match else ""
    attributes = {test["key"]: test["value"] for test in _XPATH_TEST.finditer(last)}
    text = re.search(r"text\(\)\s*(?:=|,)\s*[\"']([^\"']*)[\"']", last)
    return _of_tag(tag, text[1] if text else "", re.sub(r"^\(?/+", "", expression), attributes)


def _role(tag: str, kind: str) -> str:
    if tag == "input" or (not tag and kind):
        # An input without a type may also be a button or a check box; the role is left to the action.
        return _INPUTS.get(kind, "textbox" if tag and kind else "")
    return _TAGS.get(tag, "")
