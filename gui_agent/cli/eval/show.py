"""`guiagent eval show`: the figures of a run."""

from __future__ import annotations

import click


@click.command(short_help="Show the figures of a run.")
@click.argument("run", default="last")
@click.option("--html", is_flag=True, help="Write a page with tables, plots and links to failed episodes.")
@click.option("--json", "as_json", is_flag=True, help="The figures as JSON.")
def show(run: str, html: bool, as_json: bool) -> None:
    """Show RUN: its folder, its id, the beginning of its id, or `last`."""
    from gui_agent.cli.eval.compare import print_summary, summary_json
    from gui_agent.cli.eval.running import find_run

    folder = find_run(run)
    journal, records = folder.journal, folder.records()
    if html:
        from gui_agent.eval.report import write_page

        click.echo(str(write_page(folder.folder, journal, records)))
    elif as_json:
        click.echo(summary_json(records))
    else:
        recipe = journal.get("recipe", {})
        total = len(journal.get("tasks", ())) * len(journal.get("seeds", ()))
        click.echo(f"{folder.folder}: planner {recipe.get('planner')}, {len(records)} of {total} episodes")
        print_summary(records)
