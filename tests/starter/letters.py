"""Everyday work with texts in a word processor, and with slides."""

from __future__ import annotations

from tests.end_to_end.desktop.effects import all_of, has_bytes, inside
from tests.starter.documents import letter, slides
from tests.starter.work import Work

WRITER = ("lowriter",)
IMPRESS = ("loimpress",)
CONTENT = "content.xml"

LETTERS = (
    Work(
        "write-document",
        'Write the document {file} with the text "{text}" in the word processor',
        'open LibreOffice Writer; type "{text}"; press ctrl+s; type "~/{file}"; press Enter',
        ({"text": "Dear Ada", "file": "letter.odt"}, {"text": "Minutes of Monday", "file": "notes.odt"}),
        {"text": "Invitation to tea", "file": "card.odt"},
        lambda v: inside(v["file"], CONTENT, v["text"]),
        WRITER,
    ),
    Work(
        "write-heading",
        'Write the document {file} with the heading "{heading}" in the word processor',
        'open LibreOffice Writer; type "{heading}"; choose Styles > Heading 1; press ctrl+s; '
        'type "~/{file}"; press Enter',
        ({"heading": "Chapter", "file": "book.odt"}, {"heading": "Our plans", "file": "plans.odt"}),
        {"heading": "Recipes", "file": "kitchen.odt"},
        lambda v: inside(v["file"], CONTENT, f"<text:h [^>]*>{v['heading']}"),
        WRITER,
    ),
    Work(
        "export-document",
        "Export the document {file} as {pdf} from the word processor",
        'open "~/{file}"; choose File > Export As > Export as PDF...; click "Export"; press ctrl+a; '
        'type "~/{pdf}"; press Enter; wait 2 seconds',
        ({"file": "letter.odt", "pdf": "out.pdf"}, {"file": "notes.odt", "pdf": "print.pdf"}),
        {"file": "card.odt", "pdf": "mail.pdf"},
        lambda v: has_bytes(v["pdf"], b"%PDF"),
        WRITER,
        {"{file}": letter},
    ),
    Work(
        "save-for-word",
        "Save the document {file} as {docx} for Word",
        'open "~/{file}"; press ctrl+shift+s; press ctrl+a; type "~/{docx}"; press Enter; '
        'click "Use Word 2007 Format"',
        ({"file": "letter.odt", "docx": "out.docx"}, {"file": "notes.odt", "docx": "send.docx"}),
        {"file": "card.odt", "docx": "mail.docx"},
        lambda v: inside(v["docx"], "word/document.xml", "<w:t"),
        WRITER,
        {"{file}": letter},
    ),
    Work(
        "insert-table",
        "Insert a table called {name} into the document {file}",
        'open "~/{file}"; choose Table > Insert Table...; type "{name}" into "Name"; '
        'click the button "Insert"; '
        "press ctrl+s",
        ({"file": "letter.odt", "name": "Prices"}, {"file": "notes.odt", "name": "Guests"}),
        {"file": "card.odt", "name": "Dishes"},
        lambda v: inside(v["file"], CONTENT, f'table:name="{v["name"]}"'),
        WRITER,
        {"{file}": letter},
    ),
    Work(
        "replace-in-document",
        'Replace "{old}" by "{new}" everywhere in the document {file}',
        'open "~/{file}"; choose Edit > Find and Replace...; type "{old}" into "Find"; '
        'type "{new}" into "Replace"; click "Replace All"; click "Close"; press ctrl+s',
        (
            {"old": "Oslo", "new": "Bergen", "file": "letter.odt"},
            {"old": "Ida", "new": "Eva", "file": "notes.odt"},
        ),
        {"old": "cake", "new": "bread", "file": "card.odt"},
        lambda v: all_of(
            inside(v["file"], CONTENT, v["new"]), inside(v["file"], CONTENT, f"^(?!.*{v['old']})")
        ),
        WRITER,
        {"{file}": letter},
    ),
    Work(
        "make-document-bold",
        "Make the whole text of the document {file} bold",
        'open "~/{file}"; press ctrl+a; press ctrl+b; press ctrl+s',
        ({"file": "letter.odt"}, {"file": "notes.odt"}),
        {"file": "card.odt"},
        lambda v: inside(v["file"], CONTENT, 'fo:font-weight="bold"'),
        WRITER,
        {"{file}": letter},
    ),
)
SLIDES = (
    Work(
        "add-slide",
        "Add an empty slide to the presentation {file}",
        'open "~/{file}"; choose Slide > New Slide; press ctrl+s',
        ({"file": "talk.odp"}, {"file": "lesson.odp"}),
        {"file": "report.odp"},
        lambda v: inside(v["file"], CONTENT, "(<draw:page .*){3}"),
        IMPRESS,
        {"{file}": slides},
    ),
    Work(
        "duplicate-slide",
        "Duplicate the first slide of the presentation {file}",
        'open "~/{file}"; choose Slide > Duplicate Slide; press ctrl+s',
        ({"file": "talk.odp"}, {"file": "lesson.odp"}),
        {"file": "report.odp"},
        lambda v: inside(v["file"], CONTENT, "(<draw:page .*){3}"),
        IMPRESS,
        {"{file}": slides},
    ),
    Work(
        "rename-slide",
        "Rename the first slide of the presentation {file} to {name}",
        'open "~/{file}"; choose Slide > Rename Slide...; press ctrl+a; type "{name}"; press Enter; '
        "press ctrl+s",
        ({"file": "talk.odp", "name": "Welcome"}, {"file": "lesson.odp", "name": "Today"}),
        {"file": "report.odp", "name": "Sales"},
        lambda v: inside(v["file"], CONTENT, f'draw:name="{v["name"]}"'),
        IMPRESS,
        {"{file}": slides},
    ),
    Work(
        "export-slides",
        "Export the presentation {file} as {pdf}",
        'open "~/{file}"; click "Export Directly as PDF"; press ctrl+a; type "~/{pdf}"; '
        "press Enter; wait 2 seconds",
        ({"file": "talk.odp", "pdf": "out.pdf"}, {"file": "lesson.odp", "pdf": "print.pdf"}),
        {"file": "report.odp", "pdf": "mail.pdf"},
        lambda v: has_bytes(v["pdf"], b"%PDF"),
        IMPRESS,
        {"{file}": slides},
    ),
)
