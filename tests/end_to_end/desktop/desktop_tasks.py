"""Plain-command tasks on real programs: what is there before, what is said, what must be there afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from effects import Effect, all_of, cells, exists, gone, has_bytes, holds, inside, picture


def two_colours(path: Path) -> None:
    """A picture of 60 by 40 pixels, red on the left and blue on the right."""
    from PIL import Image

    image = Image.new("RGB", (60, 40), (255, 0, 0))
    image.paste((0, 0, 255), (30, 0, 60, 40))
    image.save(path)


def workbook(path: Path) -> None:
    """A workbook with two rows."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (("kind", "price"), ("Assam", 4), ("Ceylon", 5)):
        book.worksheets[0].append(row)
    book.save(path)


@dataclass(frozen=True)
class Task:
    """A task, the programs that it needs, and its effect."""

    name: str
    commands: str
    effect: Effect
    needs: tuple[str, ...]
    files: Mapping[str, str | Callable[[Path], None]] = field(default_factory=dict)
    """Files in the home folder: their text, or what makes them."""
    quick: bool = False
    """Runs with all other tests."""
    by_command: bool = False
    """Runs through the command line."""


UNICODE = "né 你好 € žluť Привет"

TASKS = (
    Task(
        "a text is written and saved",
        'open "Mousepad", type "shopping list", press ctrl+s, type "~/list.txt", press Enter',
        holds("list.txt", "shopping list"),
        ("mousepad",),
        quick=True,
        by_command=True,
    ),
    Task(
        "a file is opened, added to and saved under another name by the menu",
        'open "mousepad old.txt"; append "and sugar" to the text field; choose File > Save As...; '
        'type "~/new.txt" into "Name"; click "Save"',
        all_of(holds("new.txt", "milk and sugar"), holds("old.txt", "milk")),
        ("mousepad",),
        {"old.txt": "milk "},
        quick=True,
    ),
    Task(
        "a menu in a menu changes the line endings of a file",
        'open "mousepad lines.txt", choose Document > Line Ending > DOS / Windows (CR LF), press ctrl+s',
        has_bytes("lines.txt", b"one\r\ntwo"),
        ("mousepad",),
        {"lines.txt": "one\ntwo\n"},
        quick=True,
    ),
    Task(
        "words are replaced in a dialog",
        'open "mousepad tea.txt"; choose Search > Find and Replace; type "tea" into "Search for"; '
        'type "coffee" into "Replace with"; tick "Replace all in"; click "Replace All"; click "Close"; '
        'switch to "tea.txt"; press ctrl+s',
        holds("tea.txt", "coffee and coffee"),
        ("mousepad",),
        {"tea.txt": "tea and tea"},
    ),
    Task(
        "text of many scripts is typed and saved",
        f'open Mousepad, type "{UNICODE}", press ctrl+s, type "~/words.txt", press Enter',
        holds("words.txt", UNICODE),
        ("mousepad",),
        quick=True,
    ),
    Task(
        "two files are open in tabs and the first one is changed",
        'open "mousepad a.txt"; press ctrl+o; type "~/b.txt"; press Enter; '
        'wait for "second" up to 20 seconds; '
        'click the tab "a.txt"; '
        'press ctrl+End; type "!"; press ctrl+s',
        all_of(holds("a.txt", "first!"), holds("b.txt", "second")),
        ("mousepad",),
        {"a.txt": "first", "b.txt": "second"},
    ),
    Task(
        "text is carried from one window to another",
        'open "mousepad from.txt"; press ctrl+a; press ctrl+c; open FeatherPad; press ctrl+v; press ctrl+s; '
        'type "~/to.txt"; press Enter; close the window; switch to "from.txt"; close the window',
        holds("to.txt", "carry me"),
        ("mousepad", "featherpad"),
        {"from.txt": "carry me"},
    ),
    Task(
        "one of two windows is closed by its name and the other one is used",
        'open "mousepad closed-by-name.txt"; open xfce4-terminal; maximise the window; '
        'close the window "closed-by-name.txt"; type "pgrep -f closed-by-name > left; stty size > size"; '
        "press Enter",
        lambda home: not (home / "left").read_bytes() and int((home / "size").read_text().split()[0]) > 30,
        ("mousepad", "xfce4-terminal", "pgrep"),
        {"closed-by-name.txt": "1"},
        quick=True,
    ),
    Task(
        "a tab of a program is brought to the front by its name",
        'open "mousepad a.txt"; press ctrl+o; type "~/b.txt"; press Enter; '
        'wait for "second" up to 20 seconds; '
        'switch to tab "a.txt"; press ctrl+End; type "!"; press ctrl+s',
        all_of(holds("a.txt", "first!"), holds("b.txt", "second")),
        ("mousepad",),
        {"a.txt": "first", "b.txt": "second"},
    ),
    Task(
        "all text of a document is replaced, when it is said",
        'open "mousepad old.txt"; replace all text in the text area with "new"; press ctrl+s',
        holds("old.txt", "new"),
        ("mousepad",),
        {"old.txt": "one\ntwo\nthree\n"},
        quick=True,
    ),
    Task(
        "a file is opened by its path in the dialog of a Qt editor, whose list of paths takes a click",
        'open FeatherPad; press ctrl+o; type "~/old.txt" into "File name"; click "Open"; press ctrl+Home; '
        'type "new "; press ctrl+s',
        holds("old.txt", "new milk"),
        ("featherpad",),
        {"old.txt": "milk"},
        quick=True,
    ),
    Task(
        "a Qt editor writes a file",
        'open FeatherPad, type "written by Qt", press ctrl+s, type "~/qt.txt", press Enter',
        holds("qt.txt", "written by Qt"),
        ("featherpad",),
        quick=True,
    ),
    Task(
        "a Qt calculator computes and what it shows is copied",
        'open KCalc, click "1", click "2", click "+", click "3", click "0", click "=", press ctrl+c, '
        'open Mousepad, press ctrl+v, press ctrl+s, type "~/sum.txt", press Enter',
        holds("sum.txt", "42"),
        ("kcalc", "mousepad"),
    ),
    Task(
        "a calculator computes and what it shows is copied",
        "open galculator; click 7; click *; click 6; click =; choose Edit > Copy; open Mousepad; "
        'press ctrl+v; press ctrl+s; type "~/product.txt"; press Enter',
        holds("product.txt", "42"),
        ("galculator", "mousepad"),
        quick=True,
    ),
    Task(
        "a setting of a calculator is changed and kept",
        "open galculator; choose View > Scientific Mode; choose File > Quit",
        has_bytes(".config/galculator/galculator.conf", b"mode=1"),
        ("galculator",),
    ),
    Task(
        "a terminal runs a command",
        'open "Xfce Terminal"; type "echo made by $0 > made.txt"; press Enter',
        has_bytes("made.txt", b"made by"),
        ("xfce4-terminal",),
        quick=True,
    ),
    Task(
        "a terminal takes text of many scripts",
        f"open xfce4-terminal; type \"printf '%s' '{UNICODE}' > words.txt\"; press Enter",
        holds("words.txt", UNICODE),
        ("xfce4-terminal",),
    ),
    Task(
        "a terminal that exposes nothing runs a command",
        'open xterm; type "mkdir -p made/by/xterm"; press Enter',
        exists("made/by/xterm"),
        ("xterm",),
        quick=True,
    ),
    Task(
        "a folder is made in a file manager",
        'open PCManFM; choose File > Create New... > Folder; type "Letters"; press Enter',
        exists("Letters"),
        ("pcmanfm",),
        quick=True,
    ),
    Task(
        "a file is renamed in a file manager",
        'open PCManFM; click "draft.txt"; press F2; press ctrl+a; type "final.txt"; press Enter',
        all_of(holds("final.txt", "text"), gone("draft.txt")),
        ("pcmanfm",),
        {"draft.txt": "text"},
        quick=True,
    ),
    Task(
        "a file is copied into a folder",
        'open PCManFM; click "note.txt"; press ctrl+c; double-click "Archive"; wait 1 second; press ctrl+v',
        all_of(holds("Archive/note.txt", "text"), holds("note.txt", "text")),
        ("pcmanfm",),
        {"note.txt": "text", "Archive/.keep": ""},
    ),
    Task(
        "a sheet is filled in and saved as a workbook",
        "open LibreOffice Calc, type tea into cell A1, type 42 into cell B3, type 8 into cell B4, "
        'type "=B3*B4" into cell B5, press ctrl+s, type "~/sheet.xlsx", press Enter, '
        'click "Use Excel 2007–365 Format"',
        cells("sheet.xlsx", {"A1": "tea", "B3": 42, "B4": 8, "B5": "=B3*B4"}),
        ("localc",),
        quick=True,
        by_command=True,
    ),
    Task(
        "a workbook is opened, changed and saved as it was",
        'open ~/prices.xlsx; type 6 into cell B3; type "sum" into cell A5; type "=SUM(B2:B3)" into cell B5; '
        'press ctrl+s; click "Use Excel 2007–365 Format"',
        cells("prices.xlsx", {"A2": "Assam", "B3": 6, "A5": "sum", "B5": "=SUM(B2:B3)"}),
        ("localc",),
        {"prices.xlsx": workbook},
    ),
    Task(
        "a cell is made bold by a button and copied",
        "open ~/prices.xlsx; click cell A2; click Bold; press ctrl+c; click cell C7; press ctrl+v; "
        'press ctrl+s; click "Use Excel 2007–365 Format"',
        cells("prices.xlsx", {"A2": "Assam", "C7": "Assam"}),
        ("localc",),
        {"prices.xlsx": workbook},
    ),
    Task(
        "a sheet gets another name by the menu",
        "open ~/prices.xlsx; choose Sheet > Rename Sheet...; press ctrl+a; type Tea; press Enter; "
        'press ctrl+s; click "Use Excel 2007–365 Format"',
        cells("prices.xlsx", {"A2": "Assam"}, sheet="Tea"),
        ("localc",),
        {"prices.xlsx": workbook},
    ),
    Task(
        "a letter is written and saved",
        'open LibreOffice Writer, type "Dear Ada", press Enter, type "thank you", press ctrl+s, '
        'type "~/letter.odt", press Enter',
        inside("letter.odt", "content.xml", "Dear Ada.*hank you"),
        ("lowriter",),
    ),
    Task(
        "a table is inserted by a dialog",
        'open LibreOffice Writer; choose Table > Insert Table...; type "Prices" into "Name"; click "Insert"; '
        'type "tea"; press ctrl+s; type "~/table.odt"; press Enter',
        inside("table.odt", "content.xml", 'table:name="Prices".*ea<'),
        ("lowriter",),
    ),
    Task(
        "a word is made a heading by a menu in a menu",
        'open LibreOffice Writer; type "Chapter"; choose Styles > Heading 1; press ctrl+s; '
        'type "~/book.odt"; press Enter',
        inside("book.odt", "content.xml", "<text:h [^>]*>Chapter"),
        ("lowriter",),
    ),
    Task(
        "a picture is mirrored by a menu three levels deep and exported",
        'open "gimp flag.png"; wait for "(imported)" up to 90 seconds; '
        "choose Image > Transform > Flip Horizontally; "
        'choose File > Export As...; type "~/mirrored.png" into "Name"; click "Export"; '
        'wait for "Compression level" up to 30 seconds; click "Export"',
        picture("mirrored.png", (60, 40), (0, 0, 255)),
        ("gimp",),
        {"flag.png": two_colours},
    ),
    Task(
        "a new picture of a given size is made and exported",
        'open GIMP; wait for "File" up to 90 seconds; choose File > New...; type "200" into "Width"; '
        'press Tab; type "100" into "Height"; press Tab; click "OK"; wait for "[Untitled]" up to 30 seconds; '
        'choose File > Export As...; type "~/blank.png" into "Name"; click "Export"; '
        'wait for "Compression level" up to 30 seconds; click "Export"',
        picture("blank.png", (200, 100)),
        ("gimp",),
    ),
    Task(
        "a form of a page is filled in in a browser that is a program like others",
        'open ~/form.html; type "Ada" into "Name"; tick "Agree"; click "Download"; wait 2 seconds',
        lambda home: any("Ada true" in path.read_text() for path in home.rglob("*.saved")),
        ("chromium",),
        {
            "form.html": "<title>Form</title><label>Name <input id=name></label>"
            "<label><input type=checkbox id=agree> Agree</label><a id=a download='form.saved'>Download</a>"
            "<script>const a = document.getElementById('a'); a.href = '#'; a.onmousedown = () => { a.href = "
            "'data:text/plain,' + document.getElementById('name').value + ' ' + "
            "document.getElementById('agree').checked }</script>"
        },
    ),
)
