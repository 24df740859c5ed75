"""The Robot Framework library and the pytest plug-in, run by the real tools on a real page."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.end_to_end.integrations.conftest import Site

SUITE = """\
*** Settings ***
Library           gui_agent.integrations.robot.GuiAgent
Suite Teardown    Close Screen

*** Variables ***
${{PIN: Secret}}    %{{PIN}}

*** Test Cases ***
Values Are Typed And Read
    Open Screen    {url}
    Act            type "Ada" into "Name"
    ${{name}} =    Read    Name
    Should Be Equal    ${{name}}    Ada
    Check          "Total" is "EUR 12.50"
    Take Picture

What Is Missing Fails With Candidates
    Act            click "Fly away"

Sending Is Refused
    Act            click "Send message"

A Secret Stays Secret
    Open Screen    {url}login
    Type Secret    ${{PIN}}    PIN
    Run Keyword And Expect Error    *shows it*    Type Secret    ${{PIN}}    User
    Take Picture
"""


def tool(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a tool says."""
    import os

    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=110, check=False
    )


@pytest.mark.nightly
def test_a_suite_of_robot_framework_runs_with_pictures_and_secrets(site: Site, home: Path) -> None:
    (home / "suite.robot").write_text(SUITE.format(url=site.url))
    done = tool("robot", "suite.robot", PIN="tiger-4711")
    output = (home / "output.xml").read_text()
    states = {
        test.attrib["name"]: test.find("status").attrib["status"]  # type: ignore[union-attr]
        for test in ET.fromstring(output).iter("test")
    }
    assert states == {
        "Values Are Typed And Read": "PASS",
        "What Is Missing Fails With Candidates": "FAIL",
        "Sending Is Refused": "FAIL",
        "A Secret Stays Secret": "PASS",
    }, done.stdout
    assert "nearest" in output and output.count("data:image/") == 5
    assert "tiger-4711" not in output + (home / "log.html").read_text() + done.stdout
    assert "${secret:ROBOT1}" in output
    assert site.posted == []


@pytest.mark.nightly
def test_a_dry_run_opens_nothing_and_libdoc_knows_the_types(home: Path) -> None:
    (home / "suite.robot").write_text(SUITE.format(url="http://127.0.0.1:9/"))
    dry = tool("robot", "--dryrun", "suite.robot", PIN="x")
    assert dry.returncode == 0, dry.stdout
    told = tool("robot.libdoc", "gui_agent.integrations.robot.GuiAgent", "show", "Type Secret").stdout
    assert "`value` (type: `Secret`)" in told
    whole = tool("robot.libdoc", "gui_agent.integrations.robot.GuiAgent", "list").stdout.split("\n")
    assert {"Act", "Read", "Read Table", "Check", "Run Task"} <= set(whole)


@pytest.mark.nightly
def test_a_test_gets_a_page_and_a_picture_when_it_fails(site: Site, home: Path) -> None:
    (home / "test_orders.py").write_text(
        f"def test_good(guiagent_page):\n    guiagent_page.open('{site.url}')\n"
        "    assert guiagent_page.read('Total') == 'EUR 12.50'\n\n"
        f"def test_bad(guiagent_page):\n    guiagent_page.open('{site.url}')\n"
        "    guiagent_page.act('click \"Fly\"')\n"
    )
    done = tool(
        "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "--junitxml", "out.xml", "test_orders.py"
    )
    cases = {case.attrib["name"]: case for case in ET.parse(home / "out.xml").getroot().iter("testcase")}
    assert cases["test_good"].find("failure") is None, done.stdout
    assert "nearest" in (cases["test_bad"].find("failure").text or "")  # type: ignore[union-attr]
    (picture,) = [one.attrib["value"] for one in cases["test_bad"].iter("property")]
    assert Path(picture).stat().st_size > 1000


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_learned_procedures_are_test_cases(site: Site, home: Path) -> None:
    task = 'type "Ada" into "Name", click "Press me"'
    assert tool("gui_agent", "run", task, "--url", site.url, "--quiet", "--runs", "runs").returncode == 0
    learned = tool(
        "gui_agent", "learn", "last", "--task", "Greet Ada nicely", "--runs", "runs", "--name", "press"
    )
    assert learned.returncode == 0, learned.stderr
    options = ["-p", "no:cacheprovider", "--junitxml", "out.xml", "--guiagent-procedures"]
    (home / "test_none.py").write_text("")
    done = tool("pytest", *options, "all", "test_none.py")
    (case,) = ET.parse(home / "out.xml").getroot().iter("testcase")
    assert case.attrib["name"] == "procedure:press" and len(case.findall("failure")) == 0, done.stdout
    missing = tool("pytest", *options, "nothing", "test_none.py")
    assert missing.returncode == 1 and "nothing" in missing.stdout
