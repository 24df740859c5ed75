"""Three packages are made from this tree: the product, its platforms, and the worlds that test it."""

from __future__ import annotations

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

from syntax_trees import ROOT

PACKAGES = {"gui_agent": ROOT, "guiagent_platforms": ROOT / "platforms", "guiagent_eval": ROOT / "eval"}


def project(folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def test_they_have_one_version_and_ask_for_each_other_in_it() -> None:
    version = project(ROOT)["version"]
    assert {project(folder)["version"] for folder in PACKAGES.values()} == {version}
    product = project(ROOT)
    asked = [*product["dependencies"], *chain.from_iterable(product["optional-dependencies"].values())]
    for folder in PACKAGES.values():
        asked += project(folder)["dependencies"]
    own = [one for one in asked if one.startswith("guiagent")]
    assert own and all(one.endswith(f"=={version}") for one in own)


def test_each_names_only_its_own_parts() -> None:
    for package, folder in PACKAGES.items():
        for group, points in project(folder)["entry-points"].items():
            for name, value in points.items():
                assert value.partition(".")[0].partition(":")[0] == package, f"{group} {name}"


def test_the_product_needs_neither_of_the_others() -> None:
    assert not [one for one in project(ROOT)["dependencies"] if one.startswith("guiagent")]
