"""`python -m gui_agent`, the same as `guiagent`."""

from gui_agent.cli import main

main()
