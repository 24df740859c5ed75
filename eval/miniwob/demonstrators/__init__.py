"""Scripted demonstrators: a person's way of doing each task, written as code.

They get what a person sees, the instruction and the elements on the screen, and act with mouse and
keyboard. Their recordings are what the demonstration planner learns from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from demonstrators import drawing, entering, mailing, posting, pressing, reckoning, searching, travelling
from demonstrators.script import Demonstrator, Player
from gui_agent.core.trajectory import Trajectory

__all__ = ["DEMONSTRATED", "Demonstrated", "Player"]


def all_alike(shown: Trajectory) -> str:
    """The same kind for every instance of a task."""
    return ""


def by_length(shown: Trajectory) -> str:
    """The kind of an instance by its number of steps."""
    return str(len(shown.steps))


def by_length_and_name(shown: Trajectory) -> str:
    """The kind by the number of steps, and by whether the target is the only element with its name."""
    return f"{by_length(shown)} {pressing.how_often_named(shown)}"


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """How one task is done, and a function that gives the kinds that should all be shown."""

    way: Demonstrator
    kind: Callable[[Trajectory], str] = all_alike
    looks: bool = False
    """Whether the demonstrator needs the picture."""


DEMONSTRATED: Mapping[str, Demonstrated] = {
    "book-flight": Demonstrated(travelling.book_flight, travelling.which_flight),
    "choose-date": Demonstrated(travelling.pick_date, by_length),
    "choose-list": Demonstrated(pressing.from_list),
    "click-button": Demonstrated(pressing.quoted_button),
    "click-button-sequence": Demonstrated(pressing.named_buttons),
    "click-checkboxes": Demonstrated(pressing.boxes, pressing.how_many_boxes),
    "click-checkboxes-large": Demonstrated(pressing.boxes, by_length),
    "click-checkboxes-soft": Demonstrated(reckoning.similar_words),
    "click-checkboxes-transfer": Demonstrated(pressing.boxes, pressing.how_many_boxes),
    "click-collapsible": Demonstrated(pressing.open_section),
    "click-collapsible-2": Demonstrated(pressing.link_in_sections, by_length),
    "click-color": Demonstrated(drawing.coloured_box, drawing.colour_named),
    "click-dialog": Demonstrated(pressing.the_close_button),
    "click-dialog-2": Demonstrated(pressing.dialog_button, pressing.in_quotes),
    "click-link": Demonstrated(pressing.quoted_link),
    "click-menu": Demonstrated(searching.menu_path, by_length),
    "click-option": Demonstrated(pressing.one_option),
    "click-pie": Demonstrated(searching.pie_item),
    "click-scroll-list": Demonstrated(pressing.from_scroll_list, by_length),
    "click-shades": Demonstrated(drawing.shades, drawing.shade_named, looks=True),
    "click-shape": Demonstrated(drawing.shape, drawing.which_words),
    "click-tab": Demonstrated(pressing.named_tab),
    "click-tab-2": Demonstrated(pressing.link_behind_tabs, by_length),
    "click-tab-2-hard": Demonstrated(pressing.link_behind_tabs, by_length),
    "click-test": Demonstrated(pressing.the_button),
    "click-test-2": Demonstrated(pressing.named_buttons),
    "click-widget": Demonstrated(pressing.widget, pressing.in_quotes),
    "copy-paste": Demonstrated(entering.copy_area),
    "copy-paste-2": Demonstrated(entering.copy_nth_area, entering.by_rank),
    "count-shape": Demonstrated(drawing.shape_count, drawing.which_words),
    "email-inbox": Demonstrated(mailing.errand, mailing.errand_kind),
    "email-inbox-forward-nl": Demonstrated(mailing.errand),
    "email-inbox-forward-nl-turk": Demonstrated(mailing.errand),
    "email-inbox-nl-turk": Demonstrated(mailing.errand, mailing.errand_kind),
    "enter-date": Demonstrated(entering.date_field),
    "enter-password": Demonstrated(entering.password_twice),
    "enter-text": Demonstrated(entering.quoted_text),
    "enter-text-dynamic": Demonstrated(entering.quoted_text),
    "enter-time": Demonstrated(entering.time_field, entering.half_of_the_day),
    "find-word": Demonstrated(entering.nth_word, entering.by_rank),
    "focus-text": Demonstrated(entering.focus),
    "focus-text-2": Demonstrated(entering.focus_nth, entering.by_rank),
    "grid-coordinate": Demonstrated(drawing.grid_point),
    "guess-number": Demonstrated(reckoning.guess, by_length),
    "identify-shape": Demonstrated(drawing.figure_name, drawing.what_it_was),
    "login-user": Demonstrated(entering.login),
    "login-user-popup": Demonstrated(searching.past_popup, searching.where_interrupted),
    "multi-layouts": Demonstrated(entering.movie_search),
    "multi-orderings": Demonstrated(entering.movie_search),
    "navigate-tree": Demonstrated(searching.in_tree, by_length_and_name),
    "read-table": Demonstrated(entering.table_value),
    "search-engine": Demonstrated(searching.nth_result, entering.by_rank),
    "simple-algebra": Demonstrated(reckoning.algebra, reckoning.problem_kind),
    "simple-arithmetic": Demonstrated(reckoning.arithmetic, reckoning.problem_kind),
    "social-media": Demonstrated(posting.one_button, posting.which_button),
    "social-media-all": Demonstrated(posting.many_buttons, posting.which_button),
    "social-media-some": Demonstrated(posting.many_buttons, posting.which_button),
    "terminal": Demonstrated(searching.delete_file, searching.which_files),
    "text-transform": Demonstrated(drawing.crooked_text),
    "tic-tac-toe": Demonstrated(reckoning.noughts_and_crosses, by_length),
    "unicode-test": Demonstrated(pressing.quoted_button, pressing.how_often_named),
    "use-autocomplete": Demonstrated(searching.suggestion, searching.how_many_hints),
    "use-slider": Demonstrated(searching.slide, searching.turned),
    "use-spinner": Demonstrated(searching.step_by_step, searching.turned),
}
"""Every task that has a demonstrator."""
