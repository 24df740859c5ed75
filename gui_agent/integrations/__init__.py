"""Doors for other programs: MCP, HTTP, commands on handles, Robot Framework, pytest, Gymnasium, Inspect."""
