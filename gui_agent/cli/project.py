"""`guiagent init` begins a project, and `guiagent completion` completes commands in a shell."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from gui_agent.content import content
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import save_file, why

INIT_EXAMPLES = """\
\b
Examples:
  guiagent init shop-checks
  cd shop-checks; guiagent run --file contact.txt --url page.html; pytest checks
"""


@click.command(epilog=INIT_EXAMPLES, short_help="Begin a project: a page, a task, a test, a pipeline.")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
def init(folder: Path) -> None:
    """Write an example project into FOLDER: a page, a task for it, a test, and a pipeline for GitHub.

    No file that is there is changed.
    """
    source = content("examples/project")
    files = {path.relative_to(source): path for path in sorted(source.rglob("*")) if path.is_file()}
    files[Path("page.html")] = content("examples/contact.html")
    there = [str(name) for name in files if (folder / name).exists()]
    if there:
        raise ConfigError(f"{folder} has {', '.join(there)} already; name another folder: guiagent init NAME")
    try:
        for name, path in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {why(error)}; name another folder") from error
    for name in files:
        click.echo(folder / name)
    within = "" if folder == Path() else f"cd {folder}; "
    click.echo(f"Next: {within}guiagent run --file contact.txt --url page.html", err=True)


COMPLETION_EXAMPLES = """\
\b
Examples:
  guiagent completion --install          for the shell that you use
  guiagent completion zsh > _guiagent    the script itself
"""
_HOMES = {
    "bash": ".local/share/bash-completion/completions/guiagent",
    "zsh": ".zsh/completions/_guiagent",
    "fish": ".config/fish/completions/guiagent.fish",
}
"""Where each shell looks for completions, below the home folder."""
_ONCE = {"zsh": "fpath=(~/.zsh/completions $fpath); autoload -U compinit; compinit"}
"""What a shell's own settings need for that."""


@click.command(epilog=COMPLETION_EXAMPLES, short_help="Complete commands and options in your shell.")
@click.argument("shell", type=click.Choice(sorted(_HOMES)), required=False)
@click.option("--install", is_flag=True, help="Put the script where the shell finds it.")
@click.pass_context
def completion(context: click.Context, shell: str | None, install: bool) -> None:
    """Print the completion script of SHELL (default: the one that you use), or install it."""
    from gui_agent.settings import login_shell

    used = shell or login_shell()
    kind = get_completion_class(used)
    if kind is None or used not in _HOMES:
        raise ConfigError("your shell is none of bash, fish and zsh; name one: guiagent completion bash")
    script = kind(context.find_root().command, {}, "guiagent", "_GUIAGENT_COMPLETE").source()
    if not install:
        click.echo(script)
        return
    path = Path.home() / _HOMES[used]
    save_file(path, script.encode())
    click.echo(f"{path}; it works in the next shell")
    if used in _ONCE:
        click.echo(f"once, in ~/.zshrc: {_ONCE[used]}")
