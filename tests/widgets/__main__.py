"""The command `scripts/widgets`: runs a part of the widget matrix and writes its table."""

from __future__ import annotations

import argparse
import sys

from tests.widgets import report


def main() -> int:
    """Run it; returns 1 when a cell is wrong in silence."""
    parser = argparse.ArgumentParser(prog="scripts/widgets", description=__doc__)
    parser.add_argument("part", choices=["web", "desktop", "report"])
    parser.add_argument("--library", "--toolkit", action="append", default=[], help="only this one")
    parser.add_argument("--kind", action="append", default=[], help="only this kind of widget")
    parser.add_argument("--frame", action="store_true", help="put each page into an iframe")
    parser.add_argument("--trace", default="", help="a folder for the traces of the runs")
    asked = parser.parse_args()
    if asked.part == "report":
        report.report()
        return 0
    wrong = _web(asked) if asked.part == "web" else _desktop(asked)
    report.report()
    return min(wrong, 1)


def _web(asked: argparse.Namespace) -> int:
    from tests.widgets.web.libraries import LIBRARIES
    from tests.widgets.web.matrix import cells

    wrong = 0
    for library in asked.library or LIBRARIES:
        done: list[report.Cell] = []
        for cell in cells(library, asked.kind, frame=asked.frame, trace=asked.trace):
            show(cell)
            done.append(cell)
        wrong += sum(cell.verdict == "wrong" for cell in done)
        report.keep("web", f"{library} in a frame" if asked.frame else library, done)
    return wrong


def _desktop(asked: argparse.Namespace) -> int:
    try:
        from tests.widgets.desktop.matrix import cells  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        sys.exit("the desktop part is not there")
    wrong = 0
    for toolkit, done in cells(asked.library, asked.kind, show):
        wrong += sum(cell.verdict == "wrong" for cell in done)
        report.keep("desktop", toolkit, done)
    return wrong


def show(cell: report.Cell) -> None:
    """One line for a cell."""
    line = f"{report.MARKS[cell.verdict]} {cell.library}: {cell.kind} ({cell.seconds} s)"
    sys.stdout.write(line + (f"  {cell.reason}" if cell.reason and cell.verdict != "right" else "") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
