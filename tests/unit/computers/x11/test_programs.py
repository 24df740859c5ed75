"""Names of programs, files and addresses become commands; nothing is ever given to a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.computers.x11.desktop_entries import Entries
from gui_agent.computers.x11.programs import command_for, ended, with_tree
from gui_agent.core.errors import ActionFailed

HTTP, TEXT = "MimeType=x-scheme-handler/http;\n", "MimeType=text/plain;\n"
ENTRY = "[Desktop Entry]\nType=Application\n"
FILES = {
    "editor.desktop": "Name=Paper\nName[de]=Papier\nGenericName=Text Editor\nExec=paper %F\n" + TEXT,
    "office-calc.desktop": "Name=Office Calc\nExec=office --calc %U\n",
    "office-writer.desktop": "Name=Office Writer\nExec=office --writer %U\n" + HTTP,
    "gone.desktop": "Name=Gone\nExec=not-installed %f\n" + TEXT,
    "hidden.desktop": "Name=Hidden\nExec=paper --hidden\nHidden=true\n",
    "helper.desktop": "Name=Helper\nExec=paper --helper\nNoDisplay=true\n",
    "shell.desktop": "Name=Top\nExec=top -d 1\nTerminal=true\n",
    "odd.desktop": 'Name=Odd\nExec=paper "two words" 100%% %i %k %u\n',
    "broken.desktop": 'Name=Broken\nExec=paper "no end\n',
}


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entries:
    folder, programs = tmp_path / "applications", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(ENTRY + text)
    for name in ("paper", "office", "top", "xterm"):
        (programs / name).write_text("")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    return Entries([str(folder)], [])


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("Paper", ["paper"]),
        ("paper", ["paper"]),
        ("Papier", ["paper"]),
        ("text editor", ["paper"]),
        ("Calc", ["office", "--calc"]),
        ("office writer", ["office", "--writer"]),
        ("Odd", ["paper", "two words", "100%"]),
        ("Helper", ["paper", "--helper"]),
        ("Top", ["xterm", "-e", "top", "-d", "1"]),
        ("paper notes.txt --new", ["paper", "notes.txt", "--new"]),
        ("paper 'a b'; rm -rf x", ["paper", "a b;", "rm", "-rf", "x"]),
        ("http://example.org/?a=1&b=2", ["office", "--writer", "http://example.org/?a=1&b=2"]),
    ],
)
def test_a_name_becomes_a_command(entries: Entries, name: str, command: list[str]) -> None:
    assert command_for(name, entries) == command


def test_a_file_opens_in_the_first_program_for_it_that_is_installed(entries: Entries, tmp_path: Path) -> None:
    file = tmp_path / "a letter.txt"
    file.write_text("hi")
    assert command_for(str(file), entries) == ["paper", str(file)]


def opened(tmp_path: Path, name: str, lists: dict[str, str]) -> list[str]:
    """The command that opens a file of this name where these lists of choices are."""
    for place, text in lists.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    file = tmp_path / name
    file.write_text("hi")
    own = Entries([str(tmp_path / "applications")], [str(tmp_path / "own"), str(tmp_path / "system")])
    return command_for(str(file), own)[:-1]


CHOSEN = "[Default Applications]\ntext/plain=gone.desktop;office-writer.desktop;\n"
OTHER = "[Default Applications]\ntext/plain=office-calc.desktop;\n"
ADDED = "[Added Associations]\ntext/plain=office-calc.desktop;\n"
ADDED += "[Removed Associations]\ntext/plain=editor.desktop;\n"


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("lists", "command"),
    [
        ({"own/mimeapps.list": CHOSEN, "system/mimeapps.list": OTHER}, ["office", "--writer"]),
        ({"system/kde-mimeapps.list": CHOSEN}, ["office", "--writer"]),
        ({"own/mimeapps.list": CHOSEN, "own/kde-mimeapps.list": OTHER}, ["office", "--writer"]),
        ({"applications/mimeapps.list": CHOSEN}, ["office", "--writer"]),
        ({"applications/defaults.list": CHOSEN}, ["office", "--writer"]),
        ({"own/mimeapps.list": ADDED}, ["office", "--calc"]),
        ({"own/mimeapps.list": CHOSEN.replace("office-writer", "missing")}, ["paper"]),
        ({}, ["paper"]),
    ],
)
def test_the_persons_own_choice_goes_first(tmp_path: Path, lists: dict[str, str], command: list[str]) -> None:
    assert opened(tmp_path, "a.txt", lists) == command


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("name", ["a.txt", "A.TXT", "notes", "script.py", "page.xhtml.txt", "table.csv"])
def test_what_is_a_special_case_of_text_opens_as_text(tmp_path: Path, name: str) -> None:
    assert opened(tmp_path, name, {}) == ["paper"]


def test_a_program_that_cannot_be_tried_is_none(entries: Entries, tmp_path: Path) -> None:
    helper = "Name=Half\nExec=paper --half %f\nTryExec=not-installed\nMimeType=text/plain;\n"
    (tmp_path / "applications" / "a-half.desktop").write_text(ENTRY + helper)
    assert opened(tmp_path, "a.txt", {}) == ["paper"]
    assert all(entry.names != ("Half",) for entry in entries.all)


def test_a_program_of_a_terminal_opens_files_in_one(entries: Entries, tmp_path: Path) -> None:
    top = tmp_path / "applications" / "shell.desktop"
    top.write_text(top.read_text() + "MimeType=application/x-shell-top;inode/directory;\n")
    assert command_for(f"{tmp_path}/", entries)[:5] == ["xterm", "-e", "top", "-d", "1"]


def test_a_file_that_is_no_text_is_not_opened_as_text(entries: Entries, tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(b"\0\1\2\xff\xfe" * 9)
    with pytest.raises(ActionFailed, match="no installed program opens"):
        command_for(str(tmp_path / "blob"), entries)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Papr", 'no program or file is called "Papr" .did you mean "Paper".'),
        ("Office", 'may mean "Office Calc", "Office Writer"; name one of them'),
        ("Gone", 'no program or file is called "Gone"'),
        ("Hidden", "no program or file"),
        ("/no/such/file.txt", 'there is no file "/no/such/file.txt"'),
        ("ftp://example.org", "no installed program opens"),
        ("  ", "nothing to open was named"),
    ],
)
def test_what_stands_for_nothing_says_what_there_is(entries: Entries, name: str, told: str) -> None:
    with pytest.raises(ActionFailed, match=told) as failed:
        command_for(name, entries)
    assert "\n" not in str(failed.value)


def test_programs_are_told_to_show_their_elements(tmp_path: Path) -> None:
    shown = with_tree(["/usr/bin/chromium", "a.html"], tmp_path)
    assert shown[0] == "/usr/bin/chromium" and shown[-1] == "a.html"
    assert "--force-renderer-accessibility" in shown
    assert f"--user-data-dir={tmp_path / 'chromium'}" in shown
    office = with_tree(["soffice", "--calc"], tmp_path)
    assert {"--norestore", "--nologo", "--calc"} <= set(office)
    assert with_tree(["soffice", "--calc"]) == ["soffice", "--calc"]
    assert with_tree(["mousepad"]) == ["mousepad"]


def test_the_end_of_a_program_is_told_with_its_last_words() -> None:
    assert ended("/usr/bin/tool", 2, b"one\n\ntwo: bad\n\n") == "tool ended with code 2: two: bad"
    assert ended("tool", -11, b"") == "tool was ended by signal 11"
