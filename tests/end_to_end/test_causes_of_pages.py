"""What real pages do that once ended wrongly or was refused; each page is the smallest of its kind.

Keys that reach nothing, labels taken for values, fields that styles hide, lists without roles, editors in frames.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.core.trajectory import Ending
from gui_agent.planners.commands import PlainPlanner

LENIENT = Limits(proof="lenient")
"""These pages keep nothing, and answer a click with a word: what is tried is where it went."""

GROUP = """<fieldset><legend>Paid with</legend><label><input type=radio name=p value=cash>Cash</label>
<label><input type=radio name=p value=card>Card</label></fieldset>"""
ARIA_GROUP = """<div id=l>Paid with</div><div role=radiogroup aria-labelledby=l>
<div role=radio aria-checked=false tabindex=0 onclick="pick(this)">Cash</div>
<div role=radio aria-checked=false tabindex=0 onclick="pick(this)">Card</div></div>
<script>function pick(e) { for (const one of document.querySelectorAll("[role=radio]"))
one.setAttribute("aria-checked", one === e); }</script>"""
CLIPPED = """<style>.c { position:absolute; width:1px; height:1px; clip:rect(0 0 0 0); overflow:hidden; }</style>
<label style="display:block"><span class=c><input type=checkbox id=u></span><i>▢</i> Urgent</label>"""
SEE_THROUGH = """<style>.s { position:relative; width:200px; border:1px solid } .s input { opacity:0; width:100% }
.s b { position:absolute; left:4px; font-weight:400; pointer-events:none }
#d { position:absolute; left:300px; top:10px; border:1px solid; display:none; background:#fff }</style>
<label for=f>Department</label><div class=s onclick="d.style.display='block'"><b id=v>Choose</b>
<input id=f role=combobox readonly aria-haspopup=listbox></div><div id=d></div>
<script>for (const name of ["Sales", "Legal", "Press"]) { const one = document.createElement("div");
one.textContent = name; one.className = "o"; one.style.cursor = "pointer";
one.onclick = () => { v.textContent = name; d.style.display = "none"; }; d.append(one); }</script>"""
NAMELESS = """<div class=field style="position:relative;width:220px;height:40px;border:1px solid" role=combobox
aria-expanded=false aria-haspopup=listbox tabindex=0 onclick="m.hidden=false"><label>Priority</label>
<span id=v></span><input readonly style="position:absolute;inset:0;opacity:0"></div>
<div id=m role=listbox hidden style="position:absolute;left:300px;top:10px;background:#fff">
<div role=option onclick="v.textContent='Low';m.hidden=true">Low</div>
<div role=option onclick="v.textContent='High';m.hidden=true">High</div></div>"""
FRAME = """<label>Body</label><iframe id=w title="Rich text" style="width:400px;height:120px"></iframe>
<script>const doc = w.contentDocument; doc.open();
doc.write("<!doctype html><body contenteditable=true aria-label='Text of the page'><p>Old</p></body>"); doc.close();</script>"""
MODELS = """<table><tr><th><a href=#list onclick="said.textContent+='list '">Countries</a></th>
<td><a href=#add title="Countries" onclick="said.textContent+='add '">Add</a></td>
<td><a href=#change title="Countries" onclick="said.textContent+='change '">Change</a></td></tr></table>"""
PREFIX = """<label>Country <input id=c list=none autocomplete=off></label><ul id=s style="list-style:none"></ul>
<script>c.oninput = () => { s.textContent = ""; for (const name of ["Norway", "North Macedonia", "Peru"])
if (c.value && name.startsWith(c.value)) { const one = document.createElement("li"); one.textContent = name;
one.onclick = () => { c.value = name; said.textContent = name; s.textContent = ""; }; s.append(one); } }</script>"""
REQUIRED = """<form onsubmit="said.textContent='sent'; return false"><label>Reason <input id=r required></label>
<button>Save</button></form>"""
BOX = """<div style="height:200px;overflow:auto"><form onsubmit="said.textContent+='sent'; return false">
<label>{} <input id=f value=old onclick="said.textContent+='field '"></label><p style="height:2500px">long</p>
<button>{}</button></form></div>"""
ON_ENTER = """<form onsubmit="said.textContent+='sent '; return false"><label>Born <input id=b></label><button>Save</button></form>
<div id=k class=calendar style="display:none;position:fixed;left:300px;top:10px;border:1px solid">
</div>
<script>for (let day = 1; day < 32; day++) k.append(day, " "); b.onfocus = () => { k.style.display = "block"; };
b.onkeydown = (e) => { if (e.key === "Enter") { k.style.display = "none"; b.blur(); } };</script>"""
DISABLED = """<label>Key <input id=k></label>
<button id=b disabled onclick="said.textContent='saved'">Save</button>"""
LINES = '<h2>Comment</h2><textarea id=t aria-label=Notes style="height:90px">one\ntwo</textarea>'
MENU = """<a href=# onclick="said.textContent='bar'"><img alt=Pause width=20 height=20></a>
<table><tr><td oncontextmenu="m.style.display='block';return false">a.zip</td></tr></table>
<div id=m style="display:none;position:absolute;left:200px;top:200px;z-index:9;background:#fff">
<a href=#1 onclick="said.textContent='menu'"><img alt=Pause width=9 height=9> Pause</a><br>
<a href=#2 onclick="said.textContent='gone'">Delete</a></div>"""
PANEL = """<label>Name <input id=a></label><button onclick="k.style.display='block'">Edit</button>
<div id=k style="display:{};position:fixed;left:300px;top:200px"><label>Name <input id=b></label></div>"""
CELL = """<table><tr><td id=c ondblclick="this.innerHTML='<input id=i value=26>'; i.focus()
i.onkeydown = (e) => {{ if (e.key === 'Enter') c.textContent = i.value }}">26</td></tr></table>"""
RENAME = """<button onclick="d.hidden=false;i.focus()">Rename</button><p id=d hidden><input id=i value=a.iso></p>"""
PICKER = """<h2>Trip</h2><label>From <input id=a onfocus="k.hidden=false"></label><br><label>To <input id=b></label>
<div id=k hidden style="position:absolute;left:0;top:90px;width:400px;height:300px;background:#fff;z-index:3">
Mo Tu We</div><script>document.addEventListener("{0}", (e) => {{ if (!k.contains(e.target) && e.target !== {1})
k.hidden = true }})</script>"""
CHIP = """<div role=listbox aria-multiselectable=true><div role=option id=c aria-selected={}
onclick="this.setAttribute('aria-selected', this.getAttribute('aria-selected') !== 'true')">Red</div></div>"""
OWN_STATE = """<input type=checkbox id=c aria-checked=false aria-label=Urgent onclick="event.preventDefault();
this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">"""
FOLDED = """<button aria-expanded=false onclick="this.setAttribute('aria-expanded', true); f.hidden = false">More
</button><div id=f hidden><label>Port <input id=b></label></div>"""
HEADED = """<h3><a href=#p onclick="f.hidden = !f.hidden; return false">Modify</a></h3><div id=f hidden>
<label><input type=radio id=b name=r> resolve</label></div>"""
LATE = """<div id=s><div class=row-skeleton style="height:20px;background:#ddd"></div></div><script>
setTimeout(() => { s.innerHTML = '<button onclick="said.textContent=1">Deploy</button>' }, 900)</script>"""
HINT = """<label>Contact <input id=a placeholder=Email></label><label>Email address <input id=b></label>"""
LABEL_ONLY = "<dl><dt>accuracy</dt><dd></dd></dl><p>Runs 3</p>"

ROWS = """<form><label>Director <input id=a></label><label>Minutes <input id=b></label></form>
<div id=d role=dialog hidden style="position:fixed;inset:0;background:#fff">Select a row
<input aria-label=Director><a href=#>Ana</a> <a href=#>Ben</a></div><script>
a.onfocus = () => { d.hidden = false };
for (const row of d.querySelectorAll("a"))
row.onclick = () => { d.hidden = true; a.value = ""; a.placeholder = row.textContent };</script>"""
"""A field whose value is a row of a dialog that it opens; what is typed into it counts for nothing."""
HOVERED = """<style>td i {{ {} }} tr:hover i {{ {} }}</style><table><tr><th>Song<th>Key<th></tr>
<tr><td>Waltz<td>G<td><i><button title=Edit onclick="said.textContent+='waltz '">✏️</button></i></tr>
<tr><td>Polka<td>D<td><i><button title=Edit onclick="said.textContent+='polka '">✏️</button></i></tr></table>"""
UNDONE = """<label>Day <input id=d type=date value=2026-11-29></label><output id=o></output>
<script>d.onchange = () => { if (!d.value) d.value = "2026-11-29"; o.textContent = d.value; };</script>"""
EMPTIED = """<form onsubmit="o.textContent='Token for ' + e.value; e.value=''; return false">
<label>Email <input id=e type=email required></label><button>Invite</button></form><p id=o></p>"""
DONE = {
    "a radio button of a group by its name": (GROUP, 'choose "Card" in "Paid with"', "p('card')", True),
    "one of a group made of roles": (ARIA_GROUP, 'choose "Card" in "Paid with"', "r('Card')", "true"),
    "a box that is clipped away": (CLIPPED, 'tick "Urgent"', "u.checked", True),
    "a box that is clipped away, twice": (CLIPPED, 'tick "Urgent", tick "Urgent"', "u.checked", True),
    "a list that shows through a field": (
        SEE_THROUGH,
        'choose "Legal" in "Department"',
        "v.textContent",
        "Legal",
    ),
    "a list whose label is inside": (NAMELESS, 'choose "High" in "Priority"', "v.textContent", "High"),
    "an editor that is the body of a frame": (
        FRAME,
        'type "New" into "Text of the page"',
        "w.contentDocument.body.innerText.trim()",
        "New",
    ),
    "an editor that is a document in design mode": (
        FRAME.replace("contenteditable=true ", "").replace(
            "doc.close();", "doc.close(); doc.designMode = 'on';"
        ),
        'type "New" into "Text of the page"',
        "w.contentDocument.body.innerText.trim()",
        "New",
    ),
    "a name before descriptions alike": (MODELS, 'click "Countries"', "said.textContent", "list "),
    "a button scrolled out of its box, beside no field": (
        BOX.format("Title", "Save"),
        'click "Save"',
        "said.textContent",
        "sent",
    ),
    "a button scrolled out of its box before a name with its word": (
        BOX.format("Default Save Path:", "Save"),
        'click "Save"',
        "said.textContent",
        "sent",
    ),
    "a field in a box, when nothing else is called so": (
        BOX.format("Default Save Path:", "Apply"),
        'click "Default Save"',
        "said.textContent",
        "field ",
    ),
    "a button scrolled out above in its box": (
        """<div id=b style="height:200px;overflow:auto"><button onclick="said.textContent='sent'">Save</button>
<p style="height:900px">long</p><button>Save a copy</button></div><script>b.scrollTop = 9999</script>""",
        'click "Save"',
        "said.textContent",
        "sent",
    ),
    "a button that is enabled a little later": (
        DISABLED + "<script>k.oninput = () => setTimeout(() => { b.disabled = false; }, 600)</script>",
        'type "stage" into "Key", click "Save"',
        "said.textContent",
        "saved",
    ),
    "all text of a field of several lines, when it is said": (
        LINES,
        'replace all text in "Notes" with "new"',
        "t.value",
        "new",
    ),
    "all text where the focus is": (
        LINES,
        'click "Notes", replace all text with "new"',
        "t.value",
        "new",
    ),
    "a large field of one line": (LINES.replace("\n", " "), 'type "new" into "Notes"', "t.value", "new"),
    "the field under a heading, when it is said": (
        LINES.replace("one\ntwo", "old"),
        'type "new" into the text area under the heading "Comment"',
        "t.value",
        "new",
    ),
    "the search field by the button of its form": (
        "<form onsubmit='return false'><input id=q> <button>Search</button></form>",
        'type "tea" into "Search"; append "!" to the search field',
        "q.value",
        "tea!",
    ),
    "a menu without roles before the bar": (
        MENU,
        'right click "a.zip", click "Pause"',
        "said.textContent",
        "menu",
    ),
    "an entry of a menu without roles": (MENU, 'delete "a.zip"', "said.textContent", "gone"),
    "a panel without roles that was opened": (
        PANEL.format("none"),
        'click "Edit", type "x" into "Name"',
        "b.value",
        "x",
    ),
    "a cell that was opened": (CELL, 'double-click "26", type "55", press Enter', "c.textContent", "55"),
    "a name that is to be changed": (RENAME, 'click "Rename", type "new"', "i.value", "new"),
    "an own calendar that goes with the keyboard": (
        PICKER.format("focusin", "a"),
        'type "x" into "From", type "y" into "To"',
        "b.value",
        "y",
    ),
    "an own calendar that goes with a click": (
        PICKER.format("mousedown", "a"),
        'type "x" into "From", type "y" into "To"',
        "b.value",
        "y",
    ),
    "a form that is sent right after a calendar took Enter": (
        ON_ENTER,
        'set "Born" to "2026-05-18", click "Save"',
        "said.textContent + b.value",
        "sent 2026-05-18",
    ),
    "an option to be ticked": (CHIP.format("false"), 'tick "Red"', "c.ariaSelected", "true"),
    "an option that is ticked": (CHIP.format("true"), 'tick "Red"', "c.ariaSelected", "true"),
    "a box that keeps its state by itself": (OWN_STATE, 'tick "Urgent"', "c.ariaChecked", "true"),
    "what is folded away": (FOLDED, 'type "80" into "Port"', "b.value", "80"),
    "what is folded below a heading that tells no state": (HEADED, 'click "resolve"', "b.checked", True),
    "what is still drawn as a skeleton": (LATE, 'click "Deploy"', "said.textContent", "1"),
    "a part of a name before a hint": (HINT, 'type "x" into "Email"', "b.value", "x"),
    "a row of the dialog that a field opens": (
        ROWS,
        'choose "Ben" in "Director", type "90" into "Minutes"',
        "a.placeholder + b.value",
        "Ben90",
    ),
    "a control that a row shows faintly under the mouse": (
        HOVERED.format("opacity:0", "opacity:1"),
        'click the pencil in the row of "Polka"',
        "said.textContent",
        "polka ",
    ),
    "a control that a row hides until the mouse is there": (
        HOVERED.format("visibility:hidden", "visibility:visible"),
        'click "Edit" in the row of "Waltz"',
        "said.textContent",
        "waltz ",
    ),
    "a control that is in a row only under the mouse": (
        HOVERED.format("display:none", "display:inline"),
        'click "Edit" next to "Polka"',
        "said.textContent",
        "polka ",
    ),
    "a day on a page that answers half-typed ones": (
        UNDONE,
        'set "Day" to "2027-01-14"',
        "o.textContent",
        "2027-01-14",
    ),
    "a form that empties a field that must be filled in": (
        EMPTIED,
        'type "a@example.org" into "Email", click "Invite"',
        "o.textContent",
        "Token for a@example.org",
    ),
    "a suggestion": (PREFIX, 'choose "Norway" in "Country"', "said.textContent", "Norway"),
}
HELPERS = """<script>
const p = (value) => document.querySelector(`[value=${value}]`).checked;
const r = (name) => [...document.querySelectorAll("[role=radio]")].find((one) => one.textContent === name)
.getAttribute("aria-checked");</script><output id=said></output>"""
NOT_DONE = {
    "typing where nothing takes it": ("<p>Only text</p>", 'type "abc"', "said.textContent", ""),
    "a value that is not there": (LABEL_ONLY, 'read "accuracy"', "said.textContent", ""),
    "a suggestion that is none": (PREFIX, 'choose "Chile" in "Country"', "c.value + said.textContent", ""),
    "what the page objects to": (REQUIRED, 'click "Save"', "said.textContent", ""),
    "a button that stays disabled": (
        DISABLED,
        'type "stage" into "Key", click "Save"',
        "said.textContent",
        "",
    ),
    "dragging what cannot be dragged": (
        "<div id=a>Honey</div><div>Milk</div>",
        'drag "Honey" below "Milk"',
        "document.body.innerText.slice(0, 5)",
        "Honey",
    ),
    "typing over several lines": (LINES, 'type "new" into "Notes"', "t.value", "one\ntwo"),
    "setting what holds several lines": (LINES, 'set "Notes" to "new"', "t.value", "one\ntwo"),
    "typing into a heading": (
        LINES.replace("one\ntwo", "old"),
        'type "new" into "Comment"',
        "t.value",
        "old",
    ),
    "a near name of what was filled in": (
        "<label>Guest name <input id=a></label>",
        'type "Eva" into "Guest name", type "3" into "Guests"',
        "a.value",
        "Eva",
    ),
    "one of two fields that were there from the beginning": (
        PANEL.format("block"),
        'click "Edit", type "x" into "Name"',
        "a.value + b.value",
        "",
    ),
    "checking nothing": (LABEL_ONLY, "check", "said.textContent", ""),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[PageComputer]:
    with PageComputer(size=(900, 600)) as computer:
        yield computer


def end(browser: PageComputer, folder: Path, page: str, commands: str) -> Ending:
    file = folder / "page.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><title>A page</title>{page}{HELPERS}", encoding="utf-8"
    )
    browser.start(file.as_uri())
    agent = Agent(
        browser,
        PlainPlanner(waits=(0.1,)),
        guard=PolicyGuard.default(yes=True),
        limits=LENIENT,
        picture=False,
    )
    run = agent.run(commands)
    assert run.ending is not None
    return run.ending


@pytest.mark.parametrize(("page", "commands", "asked", "wanted"), DONE.values(), ids=DONE)
def test_what_a_person_would_simply_do_is_done(
    browser: PageComputer, tmp_path: Path, page: str, commands: str, asked: str, wanted: object
) -> None:
    ending = end(browser, tmp_path, page, commands)
    assert (ending.kind, browser.evaluate(asked)) == ("done", wanted), ending.reason


@pytest.mark.parametrize(("page", "commands", "asked", "wanted"), NOT_DONE.values(), ids=NOT_DONE)
def test_what_came_to_nothing_is_not_done(
    browser: PageComputer, tmp_path: Path, page: str, commands: str, asked: str, wanted: object
) -> None:
    ending = end(browser, tmp_path, page, commands)
    assert (ending.kind, browser.evaluate(asked)) == ("not_done", wanted), ending.reason
    assert ending.reason
