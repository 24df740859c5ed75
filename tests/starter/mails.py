"""Everyday work with mail, in an account that is on this machine alone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.desktop.effects import Effect, all_of, has_bytes
from tests.starter.work import Values, Work

MAIN = ".thunderbird/main"
INSTALLED = "FDC34C9F024745EB"
"""What the program calls the place in which it is installed."""
LISTS = {
    "profiles.ini": "[Profile0]\nName=default\nIsRelative=1\nPath=main\nDefault=1\n\n[General]\n"
    f"StartWithLastProfile=1\nVersion=2\n\n[Install{INSTALLED}]\nDefault=main\nLocked=1\n",
    "installs.ini": f"[{INSTALLED}]\nDefault=main\nLocked=1\n",
}


def account(path: Path, values: Values) -> None:
    """Settings with an account of the person whose home folder it is, and with no first steps to be shown."""
    local, own, identity = "mail.server.server1", "mail.server.server2", "mail.identity.id1"
    name = path.parents[2].name
    settings = {
        "mail.accountmanager.accounts": "account1,account2",
        "mail.accountmanager.defaultaccount": "account2",
        "mail.accountmanager.localfoldersserver": "server1",
        "mail.account.account1.server": "server1",
        "mail.account.account2.server": "server2",
        "mail.account.account2.identities": "id1",
        **{f"{local}.{key}": "Local Folders" for key in ("hostname", "name")},
        f"{local}.type": "none",
        f"{local}.userName": "nobody",
        f"{local}.directory-rel": "[ProfD]Mail/Local Folders",
        **{f"{own}.{key}": name for key in ("userName", "name")},
        f"{own}.type": "pop3",
        f"{own}.hostname": "localhost",
        f"{own}.directory-rel": "[ProfD]Mail/localhost",
        **{f"{own}.{key}": False for key in ("login_at_startup", "check_new_mail")},
        f"{identity}.fullName": name.title(),
        f"{identity}.useremail": f"{name}@example.org",
        f"{identity}.valid": True,
        f"{identity}.compose_html": False,
        f"{identity}.draft_folder": "mailbox://nobody@Local%20Folders/Drafts",
        f"{identity}.smtpServer": "smtp1",
        "mail.smtpservers": "smtp1",
        "mail.smtpserver.smtp1.hostname": "localhost",
        "mail.rights.version": 1,
        "mail.provider.suppress_dialog_on_startup": True,
        "mailnews.start_page_override.mstone": "ignore",
        **dict.fromkeys(
            (
                "app.update.enabled",
                "datareporting.policy.dataSubmissionEnabled",
                "mail.compose.autosave",
                "mail.shell.checkDefaultClient",
                "mailnews.start_page.enabled",
            ),
            False,
        ),
    }
    path.write_text("".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in settings.items()))


def drafts(*parts: str) -> Effect:
    """The folder of drafts has all of these in it."""
    return all_of(*(has_bytes(f"{MAIN}/Mail/Local Folders/Drafts", part.encode()) for part in parts))


DRAFT = (
    'open Thunderbird; wait for "Local Folders" up to 60 seconds; press ctrl+n; '
    'wait until the title is "Write:*" up to 20 seconds; type "{to}" into "To"; '
    'type "{subject}" into "Subject"; press Tab; type "{text}"; press ctrl+s; wait 2 seconds'
)
PREPARED = {**{f".thunderbird/{name}": text for name, text in LISTS.items()}, f"{MAIN}/prefs.js": account}

MAILS = (
    Work(
        "draft-mail",
        'Draft a mail to {to} with the subject "{subject}" that says "{text}"',
        DRAFT,
        (
            {"to": "ida@example.com", "subject": "Tea on Monday", "text": "Will you come?"},
            {"to": "bob@example.net", "subject": "The keys", "text": "They are in the drawer."},
        ),
        {"to": "eva@example.org", "subject": "Holidays", "text": "We leave at nine."},
        lambda v: drafts(f"To: {v['to']}", f"Subject: {v['subject']}", v["text"]),
        ("thunderbird",),
        PREPARED,
    ),
)
