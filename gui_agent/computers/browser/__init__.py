"""A browser page as a computer: Chromium, Chrome or Edge, driven with real mouse and keyboard input."""

from gui_agent.computers.browser.computer import BrowserComputer

__all__ = ["BrowserComputer"]
