"""Turns a command into its standard wording, which parses to the same command."""

from __future__ import annotations

from typing import TypeAlias

from gui_agent.core import actions, conditions
from gui_agent.core.actions import Proposal
from gui_agent.core.conditions import Condition
from gui_agent.core.observation import Mark, Point, Target, Words
from gui_agent.core.texts import table
from gui_agent.elements.roles import REGIONS, sides
from gui_agent.planners.commands import commands

SPELLED = table(",=comma ;=semicolon .=period :=colon \"=quote '=apostrophe +=plus -=minus")
"""Keys whose characters have a meaning in a sentence, with their names."""
_ENDS = {"down": "bottom", "up": "top", "left": "end", "right": "end"}
_CLICKS = {1: "click", 2: "double-click", 3: "triple-click"}


def say(command: commands.Command) -> str:
    match command:
        case commands.Do(action):
            return _action(action)
        case commands.Pick(option):
            return f"select {place(option)}"
        case commands.Unfold(item, opened):
            return f"{'unfold' if opened else 'collapse'} {place(item)}"
        case commands.Invoke(verb, what):
            return f"{verb} {place(what)}" if what else verb
        case commands.Put(value, into):
            return f"set {place(into)} to {quote(value)}"
        case commands.Append(text, to):
            return f"append {quote(text)} to {place(to)}"
        case commands.ScrollBy() | commands.ScrollTo() | commands.DragBeside() | commands.DragBy():
            return _move(command)
        case commands.Read(what, name):
            return f"read {place(what)}" + (f" as {quote(name)}" if name else "")
        case commands.Copy(what, into):
            return f"copy {place(what)} into {place(into)}"
        case commands.Verify(condition, within):
            stated = _condition(condition)
            return f"wait until {stated} up to {within:g} seconds" if within else f"check {stated}"


def _move(command: commands.ScrollBy | commands.ScrollTo | commands.DragBeside | commands.DragBy) -> str:
    match command:
        case commands.ScrollBy():
            return _scroll(command)
        case commands.ScrollTo(target):
            return f"scroll to {place(target)}"
        case commands.DragBeside(target, beside, side):
            to = "to the " if side in ("left of", "right of") else ""
            return f"drag {place(target)} {to}{side} {place(beside)}"
        case commands.DragBy(target, (right, down)):
            return f"drag {place(target)} by {right},{down}"


def quote(text: str) -> str:
    """The text in double quotes, on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def place(target: Target) -> str:
    match target:
        case Point(x, y):
            return f"{x},{y}"
        case Mark(number):
            return f"element {number}"
        case Words(text, role, ordinal, near, relation):
            rank = str(Words(" ", ordinal=ordinal)).split(" ")[0] if ordinal else ""
            article = "" if text or rank else "the"
            words = " ".join(filter(None, (article, rank, quote(text) if text else "", role)))
            if relation == "for" and (near in REGIONS or sides(near)):
                return f"{words} in the {near}"
            return f"{words} {relation} {quote(near)}" if near else words


def _scroll(command: commands.ScrollBy) -> str:
    words = f"scroll {command.direction}"
    if command.to_end:
        words += f" to the {_ENDS[command.direction]}"
    elif command.pixels:
        words += f" by {command.pixels}"
    return f"{words} in {place(command.within)}" if command.within else words


def _action(action: Proposal) -> str:
    match action:
        case actions.Click() | actions.Move() | actions.LongPress() | actions.Pinch():
            return _touch(action)
        case actions.Drag(at, to) | actions.Swipe(at, to):
            return f"{action.kind} {place(at)} to {place(to)}"
        case actions.Scroll(at, down, right):
            return f"scroll {place(at)} by {right},{down}"
        case actions.TypeText(text, at, replace):
            if at is None:
                return f"type {quote(text)}"
            return f"type {quote(text)} into {place(at)}" if text or not replace else f"clear {place(at)}"
        case actions.Choose(at, option):
            return f"choose {quote(option)} in {place(at)}"
        case actions.Select(at, text):
            return f"select the words {quote(text)} in {place(at)}"
        case actions.Check(at, on):
            return f"{'tick' if on else 'untick'} {place(at)}"
        case actions.Upload(at, files):
            names = ", ".join(map(quote, files))
            return f"upload {names} to {place(at)}" if at != Words() else f"upload {names}"
        case _:
            return _without_place(action)


_Touch: TypeAlias = (
    actions.Click[Target] | actions.Move[Target] | actions.LongPress[Target] | actions.Pinch[Target]
)


def _touch(action: _Touch) -> str:
    """The wording of an action on one target without a text."""
    match action:
        case actions.Click(at, "left", clicks, modifiers):
            return f"{'-'.join((*modifiers, _CLICKS.get(clicks, 'click')))} {place(at)}"
        case actions.Click(at, button):
            return f"{button}-click {place(at)}"
        case actions.Move(at):
            return f"hover over {place(at)}"
        case actions.LongPress(at):
            return f"long press {place(at)}"
        case actions.Pinch(at, scale):
            return f"pinch {'open' if scale >= 1 else 'close'} {place(at)} by {scale:g}"


def _without_place(action: Proposal) -> str:
    match action:
        case actions.Press(keys, times):
            return f"press {_chord(keys)}" + (f" {times} times" if times > 1 else "")
        case actions.Hold(keys, seconds):
            return f"hold {_chord(keys)} for {seconds:g} seconds"
        case actions.Open(name):
            return f"open {quote(name)}"
        case actions.Navigate(url, new_tab):
            return f"go to {quote(url)}" + (" in a new tab" if new_tab else "")
        case actions.Back():
            return "go back"
        case actions.Switch(to):
            return f"switch to {quote(to)}"
        case actions.Close():
            return "close the tab"
        case actions.Rotate(to):
            return f"rotate to {to}"
        case actions.Wait(seconds, ""):
            return f"wait {seconds:g} seconds"
        case actions.Wait(seconds, until):
            return f"wait for {quote(until)} up to {seconds:g} seconds"
        case _:
            return action.kind


def _chord(keys: tuple[str, ...]) -> str:
    return "+".join(SPELLED.get(key, key) for key in keys)


def _condition(condition: Condition[Target]) -> str:
    match condition:
        case conditions.TextShown(text):
            return f"{quote(text)} is shown"
        case conditions.TextGone(text):
            return f"{quote(text)} is gone"
        case conditions.ValueIs(of, value):
            return f"{place(of)} is {quote(value)}"
        case conditions.StateIs(of, state, on):
            return f"{place(of)} is {'' if on else 'not '}{state}"
        case conditions.TitleIs(pattern):
            return f"the title is {quote(pattern)}"
        case conditions.FileExists(path, ""):
            return f"the file {quote(path)} exists"
        case conditions.UrlIs(pattern):
            return f"the address is {quote(pattern)}"
        case _:
            return str(condition)
