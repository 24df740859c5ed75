"""Interfaces for other programs: MCP, HTTP, shell commands, Robot Framework, pytest, Gymnasium, Inspect."""
