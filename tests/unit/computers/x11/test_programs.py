"""Names of programs, files and addresses become commands; nothing is given to a shell, and none is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent.computers.x11.programs import Entries, ended, resolve, with_tree
from gui_agent.core.errors import ActionFailed

WEB = "MimeType=x-scheme-handler/http;x-scheme-handler/https;\n"
TEXT = "MimeType=text/plain;\n"
ENTRY = "[Desktop Entry]\nType=Application\n"
FILES = {
    "editor.desktop": "Name=Paper\nName[de]=Papier\nGenericName=Text Editor\nExec=paper %F\n" + TEXT,
    "office-calc.desktop": "Name=Office Calc\nExec=office --calc %U\n",
    "office-writer.desktop": "Name=Office Writer\nExec=office --writer %U\n" + WEB,
    "gone.desktop": "Name=Gone\nExec=not-installed %f\n" + TEXT,
    "hidden.desktop": "Name=Hidden\nExec=paper --hidden\nHidden=true\n",
    "helper.desktop": "Name=Helper\nExec=paper --helper\nNoDisplay=true\n",
    "term.desktop": "Name=XTerm\nExec=xterm\nCategories=System;TerminalEmulator;\n",
    "boxed.desktop": "Name=Boxed\nExec=flatpak run org.boxed %U\n",
    "editor2.desktop": "Name=Idle\nExec=idle-python3.11 -n\nCategories=Development;\n",
    "python.desktop": "Name=Python\nExec=python3.11\nTerminal=true\nNoDisplay=true\n",
    "wine.desktop": "Name=Windows Programs\nExec=wine start %f\nNoDisplay=true\n"
    "MimeType=application/x-msdos-program;application/x-ms-dos-executable;\n",
    "shell.desktop": "Name=Top\nExec=top -d 1\nTerminal=true\n",
    "odd.desktop": 'Name=Odd\nExec=paper "two words" 100%% %i %k %u\n',
    "broken.desktop": 'Name=Broken\nExec=paper "no end\n',
}


PROGRAMS = ("paper", "office", "top", "xterm", "flatpak", "idle-python3.11", "python3.11", "wine")


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entries:
    folder, programs = tmp_path / "applications", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(ENTRY + text)
    for name in (*PROGRAMS, "sh", "rm", "touch", "env"):
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
    assert list(resolve(name, entries).command) == command


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Paper",
            "Papier",
            "text editor",
            "Top",
            "XTerm",
            "xterm",
            "paper",
            "office --calc",
            "Python",
            "Boxed",
        ),
        *("paper notes.txt", "paper ~/notes.txt new.md", "idle-python3.11 a.py", "idle-python3.11 -n a.py"),
        *(
            "office a.odt",
            "office --writer a.odt",
            "office https://example.org",
        ),
        *("paper script.sh",),
    ],
)
def test_what_menus_list_is_a_program_with_documents_too(entries: Entries, name: str, tmp_path: Path) -> None:
    assert resolve(name, entries, tmp_path).kind == "program"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "touch pwned",
            "rm -rf x",
            "rm x",
            "sh -c 'id > x'",
            "touch",
            "env",
            "python3.11 a.py",
            "python3.11",
        ),
        *(
            "xterm -e rm x",
            "xterm a.sh",
            "paper --eval x",
            "paper --new notes.txt",
            "flatpak run other",
        ),
        *(
            "flatpak a.txt",
            "wine a.exe",
            "env paper a.txt",
            "paper run",
            "paper x://y",
            "office http://a http://b",
        ),
        *("sh a.sh --now", "{folder}/tool --now"),
    ],
)
def test_any_other_command_line_is_a_command(entries: Entries, name: str, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("")
    tool.chmod(0o755)
    assert resolve(name.format(folder=tmp_path), entries, tmp_path).kind == "command"


@pytest.mark.parametrize(
    ("file", "mode", "kind"),
    [
        ("a.txt", 0o644, "document"),
        ("a.py", 0o644, "document"),
        ("a.py", 0o755, "executable"),
        ("report", 0o755, "executable"),
        ("setup.exe", 0o644, "executable"),
    ],
)
def test_a_file_that_runs_is_no_document(
    entries: Entries, tmp_path: Path, file: str, mode: int, kind: str
) -> None:
    path = tmp_path / file
    path.write_text("")
    path.chmod(mode)
    assert resolve(str(path), entries).kind == kind


def test_what_menus_list_is_a_program_by_its_path_too(entries: Entries, tmp_path: Path) -> None:
    assert resolve(str(tmp_path / "bin" / "paper"), entries).kind == "program"
    assert resolve(str(tmp_path / "bin" / "rm"), entries).kind == "executable"
    assert resolve(str(tmp_path / "bin" / "wine"), entries).kind == "executable"


def test_the_address_that_a_program_is_given_is_known(entries: Entries, tmp_path: Path) -> None:
    assert resolve("https://example.org/a", entries).url == "https://example.org/a"
    assert resolve("office https://example.org/a", entries, tmp_path).url == "https://example.org/a"
    assert resolve("office example.com", entries, tmp_path).url == "example.com"


def test_a_file_opens_in_the_first_program_for_it_that_is_installed(entries: Entries, tmp_path: Path) -> None:
    file = tmp_path / "a letter.txt"
    file.write_text("hi")
    assert list(resolve(str(file), entries).command) == ["paper", str(file)]


def opened(tmp_path: Path, name: str, lists: dict[str, str]) -> list[str]:
    """The command that opens a file of this name where these lists of choices are."""
    for place, text in lists.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    file = tmp_path / name
    file.write_text("hi")
    own = Entries([str(tmp_path / "applications")], [str(tmp_path / "own"), str(tmp_path / "system")])
    return list(resolve(str(file), own).command[:-1])


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
    assert list(resolve(f"{tmp_path}/", entries).command[:5]) == ["xterm", "-e", "top", "-d", "1"]


def test_a_file_that_is_no_text_is_not_opened_as_text(entries: Entries, tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(b"\0\1\2\xff\xfe" * 9)
    with pytest.raises(ActionFailed, match="no installed program opens"):
        resolve(str(tmp_path / "blob"), entries)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Papr", 'no program or file is called "Papr" .did you mean "Paper".'),
        ("Office", 'matches "Office Calc", "Office Writer"; name one of them'),
        ("Gone", 'no program or file is called "Gone"'),
        ("Hidden", "no program or file"),
        ("/no/such/file.txt", 'there is no file "/no/such/file.txt"'),
        ("ftp://example.org", "no installed program opens"),
        ("  ", "nothing to open was named"),
    ],
)
def test_what_stands_for_nothing_says_what_there_is(entries: Entries, name: str, told: str) -> None:
    with pytest.raises(ActionFailed, match=told) as failed:
        resolve(name, entries)
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
