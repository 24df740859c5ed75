"""Shared knowledge about a screen's elements: roles, text, matching, describing, searching, abstraction."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {
    "abstraction": "CAP abstract line lines relevant surroundings weights",
    "describe": "describe_condition describe_place describe_step printable",
    "image_regions": "crop crop_hash crop_likeness image_of",
    "roles": (
        "AREAS BOXES BRANCHES BUTTONS CELLS CHOICES CHOSEN_ONCE COLOURS DIALOGS DIALOG_ANSWERS DROPDOWNS "
        "EMBEDDED ENTRIES FIELDS FRAMES GRAPHIC HEADERS HOLDERS INERT ITEMS KNOWN LABELLED LABELLING "
        "LATCHING MEASURED MENU_ITEMS NAVIGATING NOTICES NOUNS ONE_PIECE ONE_WORD_COMMANDS OPAQUE OPENERS "
        "OPERABLE OPERATED ORIENTING PASSIVE PICTURES POPPED_UP POPUPS PRESSED RADIOS RECORDS REGIONS "
        "ROLE_WORDS ROWS SCROLLED SELECTED SENTENCE_NAMED SUGGESTED SUGGESTING SURFACES TABLED TAKES_TEXT "
        "TEXTLESS TEXT_FIELDS TICKABLE TITLES TYPED_INTO UNNAMED VALUED VERBS WITH_MENUS WORDED WRITTEN_ON "
        "canonical is_a sides synonymous_roles word_set"
    ),
    "scroll_search": "A_PAGE FAR Search WAITS begin next_move way_to",
    "text": (
        "CLAUSE_WORD CURRENCIES DETERMINERS PARTLY VERY compare identifier_words is_question likeness "
        "lookalikes name_words names_a_sum read_as singular singular_words turns_direction visible"
    ),
    "words": (
        "FILLERS SMALL_WORDS STOP_WORDS attribute_words common_places distance_order "
        "letters_alike slug_words stem task_stems task_words words_alike"
    ),
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
