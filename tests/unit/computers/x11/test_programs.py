"""Names of programs, files and addresses become commands; nothing is ever given to a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.computers.x11.desktop_entries import Entries
from gui_agent.computers.x11.programs import command_for, ended, with_tree
from gui_agent.core.errors import ActionFailed

ENTRY = "[Desktop Entry]\nType=Application\n"
FILES = {
    "editor.desktop": "Name=Paper\nName[de]=Papier\nGenericName=Text Editor\nExec=paper %F\n",
    "office-calc.desktop": "Name=Office Calc\nExec=office --calc %U\n",
    "office-writer.desktop": "Name=Office Writer\nExec=office --writer %U\n",
    "gone.desktop": "Name=Gone\nExec=not-installed %f\n",
    "hidden.desktop": "Name=Hidden\nExec=paper --hidden\nHidden=true\n",
    "helper.desktop": "Name=Helper\nExec=paper --helper\nNoDisplay=true\n",
    "shell.desktop": "Name=Top\nExec=top -d 1\nTerminal=true\n",
    "odd.desktop": 'Name=Odd\nExec=paper "two words" 100%% %i %k %u\n',
    "broken.desktop": 'Name=Broken\nExec=paper "no end\n',
}
OPENS = (
    "[MIME Cache]\ntext/plain=gone.desktop;editor.desktop;\nx-scheme-handler/http=office-writer.desktop;\n"
)


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entries:
    folder, programs = tmp_path / "applications", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(ENTRY + text)
    (folder / "mimeinfo.cache").write_text(OPENS)
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


def test_the_persons_own_choice_goes_first(entries: Entries, tmp_path: Path) -> None:
    chosen = tmp_path / "mimeapps.list"
    chosen.write_text("[Default Applications]\ntext/plain=office-writer.desktop;\n")
    file = tmp_path / "a.txt"
    file.write_text("hi")
    own = Entries([str(tmp_path / "applications")], [str(chosen)])
    assert command_for(str(file), own) == ["office", "--writer", str(file)]


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
