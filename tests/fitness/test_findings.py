"""Every finding of the red team has a test, or a class of attacks, that fails without its mend."""

from __future__ import annotations

from pathlib import Path

from guiagent_eval.redteam.cases import attacks

ROOT = Path(__file__).parents[1]
GUARD, UNIT = "end_to_end/guard", "unit/agent/guard"
# fmt: off
# ruff: noqa: E501
TESTS = {
    "C1 command lines by open, navigate and start": (f"{GUARD}/test_opening.py", "test_a_command_line_is_not_run_by_opening_it"),
    "C2 resume of a foreign run": (f"{GUARD}/test_foreign_runs.py", "test_resume_runs_nothing_and_sends_nothing"),
    "C2 eval resume": (f"{GUARD}/test_foreign_runs.py", "test_eval_resume_takes_no_part_key_or_program_from_the_folder"),
    "C3 spellings of keys": (f"{UNIT}/test_guard_properties.py", "test_every_spelling_of_a_key_is_judged_as_the_key_that_the_device_presses"),
    "H4 a dialog left open": (f"{GUARD}/test_dialogs_between_tasks.py", "test_the_next_task_says_no"),
    "H6 repeats": (f"{GUARD}/test_once_only.py", "test_a_page_that_came_by_paying_is_not_loaded_again"),
    "H6 several in one action": (f"{GUARD}/test_once_only.py", "test_one_action_pays_once_at_most"),
    "H7 secrets in traces, memory, terminal": ("end_to_end/test_secrets.py", "test_a_run_that_is_learned_from_leaves_no_secret_anywhere"),
    "H7 secrets in prompts": ("end_to_end/test_secrets.py", "test_a_model_never_gets_to_see_a_secret"),
    "H7 secrets on desktops": ("end_to_end/test_secrets.py", "test_a_secret_typed_on_a_desktop_is_neither_written_nor_drawn"),
    "H8 hung pages": ("end_to_end/test_time_limit.py", "test_a_page_that_does_not_answer_ends_with_the_run"),
    "H8 hung loads": ("end_to_end/test_time_limit.py", "test_a_site_that_does_not_come_to_its_end_ends_with_the_run"),
    "H8 stalled models": ("end_to_end/test_time_limit.py", "test_a_model_that_does_not_answer_ends_with_the_run"),
    "H8 frozen browsers": ("end_to_end/test_time_limit.py", "test_a_frozen_browser_ends_with_the_run"),
    "H8 locked stores": ("end_to_end/test_time_limit.py", "test_a_memory_that_stays_locked_ends_with_the_run"),
    "H8 endless holds": ("end_to_end/test_time_limit.py", "test_what_is_far_too_much_for_one_action_is_a_failed_step_that_names_the_limit"),
    "H8 names of any length": (f"{UNIT}/test_words.py", "test_a_name_of_any_length_is_judged_at_once"),
    "H9 invisible characters": (f"{UNIT}/test_words.py", "test_case_and_invisible_characters_hide_nothing"),
    "M1 forged questions": (f"{UNIT}/test_terminal.py", "test_a_page_cannot_forge_the_question"),
    "M3 domains at the network": (f"{GUARD}/test_redteam.py", "test_a_link_to_another_host_is_blocked_at_the_network"),
    "M4 words a page adds": (f"{UNIT}/test_guard_properties.py", "test_a_page_adds_no_words_for_which_something_is_allowed"),
    "M5 conditions that never fit": (f"{UNIT}/test_guard_properties.py", "test_a_condition_that_can_never_fit_is_an_error"),
    "M5 grants without a place": (f"{UNIT}/test_guard_properties.py", "test_a_grant_without_a_place_is_an_error"),
    "M7 quotes in commands": (f"{UNIT}/test_guard_properties.py", "test_quotes_do_not_hide_what_a_shell_runs"),
    "M9 private files": ("end_to_end/test_secrets.py", "test_a_run_that_is_learned_from_leaves_no_secret_anywhere"),
    "M10 environments": ("end_to_end/test_secrets.py", "test_a_run_that_is_learned_from_leaves_no_secret_anywhere"),
    "M11 guides of a folder": ("unit/skills/test_guides.py", "test_the_guides_of_the_present_folder_reach_a_model_only_when_a_person_allowed_them_as_they_are"),
    "M12 fields by all their names": (f"{UNIT}/test_fields.py", "test_a_secret_is_known_by_its_name"),
    "fields that hide what is typed": ("contract/browser/snapshot/test_snapshot_shown.py", "test_a_field_whose_letters_nobody_can_read_says_so"),
    "buttons whose words say nothing": ("end_to_end/guard/test_requests_that_leave.py", "test_what_nobody_announced_does_not_leave"),
    "H6 repeats beside a clock": (f"{UNIT}/test_guard.py", "test_what_counts_up_by_itself_makes_no_other_thing"),
    "memory rescue after damage to any page": ("unit/memory/test_memory_store.py", "test_damage_to_any_one_page_costs_no_row_that_is_not_on_it"),
    "what a person types who took over": ("end_to_end/test_take_over.py", "test_in_a_browser_the_person_passes_a_gate_and_the_plan_goes_on"),
    "attacks whose program is missing": (f"{GUARD}/test_redteam.py", "test_an_attack_whose_program_is_missing_is_left_out_and_told"),
    "L bad input": ("end_to_end/test_damaged_files.py", "test_a_damaged_file_is_one_clear_line"),
    "L lengths of requests": ("unit/server/test_live.py", "test_a_request_of_a_wrong_length_is_refused_at_once"),
}
# fmt: on
ATTACKS = {
    "H1 verbs": "verbs",
    "H2 texts that are keys": "keys",
    "H3 Enter in forms": "forms",
    "H4 dialogs": "dialogs",
    "H5 look, then act": "toctou",
    "H9 look-alikes": "names",
    "H10 shapes and icons": "looks",
    "M2 addresses with code, secret files": "addresses",
    "M6 terminals by what runs in them": "desktop",
    "M8 files with secrets": "files",
    "M12 words": "names",
    "replays and files of others": "replays",
    "injected text": "injected",
    "password and card fields": "fields",
    "frames": "frames",
    "once only": "ledger",
    "policies": "policy",
}
"""Classes of `guiagent redteam`, of which none may do harm."""


def test_every_finding_has_its_test() -> None:
    missing = [
        name for name, (file, test) in TESTS.items() if f"def {test}(" not in (ROOT / file).read_text("utf-8")
    ]
    assert missing == []


def test_every_class_of_attacks_is_tried() -> None:
    assert set(ATTACKS.values()) <= {one.group for one in attacks()}
