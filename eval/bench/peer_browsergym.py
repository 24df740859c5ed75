"""BrowserGym's MiniWoB++ solving three tasks, for bench_miniwob.py: JSON lines in, seconds out.

The environment always takes pictures; its defaults are kept. The pages are those of the package `miniwob`,
whose folder is the first argument; a system browser is used if there is one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from playwright import sync_api

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
if BROWSER:
    launch = sync_api.BrowserType.launch

    def with_system_browser(self: Any, **options: Any) -> Any:
        """Uses the browser of this machine instead of the one that this Playwright would download."""
        options["executable_path"] = BROWSER
        options["args"] = [*(options.get("args") or []), "--no-sandbox"]
        return launch(self, **options)

    sync_api.BrowserType.launch = with_system_browser  # type: ignore[method-assign]

os.environ["MINIWOB_URL"] = Path(sys.argv[1]).as_uri() + "/"  # noqa: TID251

import browsergym.miniwob  # noqa: E402, F401
import gymnasium  # noqa: E402


def solved(env: Any, task: str, seed: int) -> None:
    """Solve one episode by the obvious script."""
    seen, _ = env.reset(seed=seed)
    over = False
    for _ in range(12):
        seen, _, terminated, truncated, _ = env.step(next_step(task, seen["goal"], seen))
        over = terminated or truncated
        if over:
            return


def next_step(task: str, say: str, seen: Any) -> str:
    """The action for the screen, in the environment's own language."""
    nodes = seen["axtree_object"]["nodes"]
    named: dict[tuple[str, str], dict[str, Any]] = {}
    for node in nodes:
        key = (node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""))
        if node.get("browsergym_id"):
            named.setdefault(key, node)
    if task == "click-button":
        return (
            f"click('{named[('button', re.findall(chr(34) + '(.*?)' + chr(34), say)[0])]['browsergym_id']}')"
        )
    if task == "enter-text":
        text = say.split('"')[1]
        field = next(node for (role, _), node in named.items() if role == "textbox")
        if field.get("value", {}).get("value", "") != text:
            return f"fill('{field['browsergym_id']}', '{text}')"
        return f"click('{named[('button', 'Submit')]['browsergym_id']}')"
    for name in say.removeprefix("Select ").removesuffix(" and click Submit.").split(", "):
        box = named.get(("checkbox", name))
        if box is not None and not checked(box):
            return f"click('{box['browsergym_id']}')"
    return f"click('{named[('button', 'Submit')]['browsergym_id']}')"


def checked(node: dict[str, Any]) -> bool:
    """Whether a checkbox of the accessibility tree is ticked."""
    return any(
        one["name"] == "checked" and one["value"]["value"] in (True, "true")
        for one in node.get("properties", ())
    )


def main() -> None:
    open_: dict[str, Any] = {}
    for line in sys.stdin:
        task, episodes, _picture = json.loads(line)
        if task not in open_:
            for env in open_.values():
                env.close()
            open_.clear()
            open_[task] = gymnasium.make(f"browsergym/miniwob.{task}")
            solved(open_[task], task, 1)
        began = time.perf_counter()
        for seed in range(episodes):
            solved(open_[task], task, seed)
        print("seconds", time.perf_counter() - began, flush=True)
    for env in open_.values():
        env.close()


if __name__ == "__main__":
    main()
