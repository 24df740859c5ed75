"""The component libraries of the matrix: which packages they are made of, and how their pages are built."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent / "pages"
CACHE = Path.home() / ".cache/guiagent/widgets"
REACT = ("react@18", "react-dom@18")
LOADERS = ("woff", "woff2", "ttf", "eot", "svg", "png", "gif")
PRODUCTION = '--banner:js=var process={env:{NODE_ENV:"production"}};'
BUILDING = 300
"""Seconds for packages to be installed, or a page to be built."""


@dataclass(frozen=True)
class Library:
    """A component library and the page with its widgets."""

    family: str
    """The folder of packages that it shares with others."""
    page: str
    """In `pages/`."""
    packages: tuple[str, ...]


LIBRARIES = {
    "MUI": Library(
        "react",
        "mui.jsx",
        (
            *REACT,
            "@mui/material@6",
            "@mui/x-date-pickers@7",
            "@mui/x-data-grid@7",
            "@mui/x-tree-view@7",
            "@emotion/react",
            "@emotion/styled",
            "dayjs",
        ),
    ),
    "Ant Design": Library("react", "antd.jsx", (*REACT, "antd@5", "dayjs")),
    "React Aria": Library("react", "aria.jsx", (*REACT, "react-aria-components", "@internationalized/date")),
    "Mantine": Library(
        "react",
        "mantine.jsx",
        (
            *REACT,
            "@mantine/core@7",
            "@mantine/dates@7",
            "@mantine/hooks@7",
            "@mantine/notifications@7",
            "dayjs",
        ),
    ),
    "PrimeReact": Library("react", "prime.jsx", (*REACT, "primereact@10", "primeicons@7")),
    "Vuetify": Library("vue", "vuetify.js", ("vue", "vuetify")),
    "Element Plus": Library("vue", "element.js", ("vue", "element-plus")),
    "Naive UI": Library("vue", "naive.js", ("vue", "naive-ui")),
    "Quasar": Library("vue", "quasar.js", ("vue", "quasar")),
    "Bootstrap": Library("elements", "bootstrap.js", ("bootstrap", "@popperjs/core")),
    "Plug-ins": Library(
        "elements",
        "plugins.js",
        (
            "choices.js",
            "flatpickr",
            "nouislider",
            "quill",
            "sortablejs",
            "tom-select",
            "tabulator-tables",
            "@tiptap/core",
            "@tiptap/starter-kit",
            "@tiptap/pm",
        ),
    ),
    "Shoelace": Library("elements", "shoelace.js", ("@shoelace-style/shoelace",)),
}


def built(name: str) -> Path:
    """The page of a library as one HTML file with its script beside it; installed and built when needed.

    Raises:
        RuntimeError: npm or esbuild failed; says how.
    """
    library = LIBRARIES[name]
    home = CACHE / library.family
    _install(home, library.packages)
    source, target = PAGES / library.page, CACHE / "build" / f"{source_name(library)}.js"
    newest = max(path.stat().st_mtime for path in PAGES.iterdir())
    if not target.exists() or target.stat().st_mtime < newest:
        loaders = [*(f"--loader:.{kind}=dataurl" for kind in LOADERS), "--loader:.js=jsx", "--jsx=automatic"]
        quiet = [PRODUCTION, "--log-level=error"]
        bundler = str(home / "node_modules/.bin/esbuild")
        _run([bundler, str(source), "--bundle", f"--outfile={target}", *loaders, *quiet], home)
    page = target.with_suffix(".html")
    styles = target.with_suffix(".css")
    style = f'<link rel="stylesheet" href="{styles.name}">' if styles.exists() else ""
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><title>{name}</title>'
        f"{style}<body style='padding: 24px'><div id=root></div>"
        f'<script src="{target.name}"></script>'
    )
    page.with_name(f"{page.stem}.frame.html").write_text(
        f"<!doctype html><title>{name}</title><h1>Frame</h1><iframe style='width:90%;height:80vh'></iframe>"
        f'<script>document.querySelector("iframe").src = "{page.name}" + location.search</script>'
    )
    return page


def source_name(library: Library) -> str:
    """The name of a library's files."""
    return library.page.partition(".")[0]


def _install(home: Path, packages: tuple[str, ...]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    names = [one if one.rfind("@") <= 0 else one[: one.rfind("@")] for one in ("esbuild", *packages)]
    if all((home / "node_modules" / name).exists() for name in names):
        return
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps", "--loglevel=error")
    _run(["npm", "install", *quiet, "esbuild", *packages], home)


def _run(command: list[str], folder: Path) -> None:
    environment_path = f"{folder / 'node_modules'}"
    done = subprocess.run(
        ["env", f"NODE_PATH={environment_path}", *command],
        cwd=folder, capture_output=True, text=True, timeout=BUILDING, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")
