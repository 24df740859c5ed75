"""A real IMAP server (Dovecot) on this machine, with one empty mailbox."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from imaplib import IMAP4, Time2Internaldate
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep, time

import pytest

PASSWORD = "h1dden-mailbox-word"
USER = "ada@example.org"

CONFIG = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
default_internal_user = {inner}
default_internal_group = {group}
default_login_user = {login}
first_valid_uid = 0
mail_location = maildir:{folder}/mail
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


@dataclass(frozen=True)
class MailServer:
    """The address of the server, and what came into its mailbox."""

    port: int
    tls_port: int
    certificate: Path
    """The self-made one of its host 0.0.0.0, which is this machine but not called so."""
    process: subprocess.Popen[bytes]

    def source(self, more: str = "") -> str:
        """The mailbox as a source of codes from bank.example, whose password is in the variable MAILBOX."""
        return f"imap:127.0.0.1:{self.port}/{USER}?from=bank.example&password=env:MAILBOX{more}"

    def tls_source(self) -> str:
        return self.source().replace(f"127.0.0.1:{self.port}", f"0.0.0.0:{self.tls_port}")

    def deliver(
        self,
        text: str,
        sender: str = "Bank <no-reply@bank.example>",
        subject: str = "Your code",
        page: str = "",
    ) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, USER, subject
        if text:
            mail.set_content(text)
        if page:
            mail.add_alternative(page, subtype="html")
        self.deliver_bytes(mail.as_bytes())

    def deliver_bytes(self, mail: bytes) -> None:
        with self._inbox() as inbox:
            inbox.append("INBOX", "", Time2Internaldate(time()), mail)

    def flags(self) -> list[bytes]:
        """The flags of each mail that is there, such as that it was read."""
        with self._inbox() as inbox:
            inbox.select(readonly=True)
            answer = inbox.uid("FETCH", "1:*", "(FLAGS)")[1]
        return [line.partition(b"FLAGS ")[2] for line in filter(None, answer)]

    def stop(self) -> None:
        """End it with the processes that serve open connections; again does nothing."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    @contextmanager
    def _inbox(self) -> Iterator[IMAP4]:
        with IMAP4("127.0.0.1", self.port, 10) as inbox:
            inbox.login(USER, PASSWORD)
            yield inbox


@contextmanager
def mail_server() -> Iterator[MailServer]:
    path = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")
    if path is None or shutil.which("openssl") is None:
        pytest.skip("dovecot or openssl is not installed: scripts/setup programs")
    with TemporaryDirectory(prefix="mail-") as folder:
        yield from _served(path, Path(folder))


def _served(path: str, folder: Path) -> Iterator[MailServer]:
    with closing(socket.socket()) as one, closing(socket.socket()) as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, tls_port = one.getsockname()[1], other.getsockname()[1]
    make = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=mail -addext subjectAltName=IP:0.0.0.0"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", *make.split(), *files], check=True, capture_output=True)
    me = pwd.getpwuid(os.getuid())
    login = me.pw_name
    if me.pw_uid == 0:  # it does not serve mail of root
        me, login = pwd.getpwnam("dovecot"), "dovenull"
        os.chown(folder, me.pw_uid, me.pw_gid)
    group = grp.getgrgid(me.pw_gid).gr_name
    users = {"inner": me.pw_name, "group": group, "login": login, "uid": me.pw_uid, "gid": me.pw_gid}
    config = CONFIG.format(folder=folder, password=PASSWORD, port=port, tls_port=tls_port, **users)
    (folder / "dovecot.conf").write_text(config)
    process = subprocess.Popen([path, "-F", "-c", str(folder / "dovecot.conf")], start_new_session=True)
    server = MailServer(port, tls_port, folder / "cert.pem", process)
    try:
        until = monotonic() + 20
        while True:
            try:
                server.flags()
                break
            except (OSError, IMAP4.error):
                assert process.poll() is None and monotonic() < until, (folder / "log").read_text()
                sleep(0.1)
        yield server
    finally:
        server.stop()
