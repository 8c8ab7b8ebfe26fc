"""Every published case of memory has a test of real behaviour, named here.

Cases of two families are about the same thing: `MEM-B` tells what the peer does, `MEM-H`
what has to be done instead. Where both can't hold, the baseline case is listed with the
test of the other behaviour, and `OVERRIDDEN` says by what.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from support import cases
from support.source_tree import ROOT

TESTS = ROOT / "tests"
DOCUMENT, PLANE, SELECTION = "memory/test_document.py", "memory/test_plane.py", "memory/test_selection.py"
READER, RENDERING, FEEDBACK = "memory/test_reader.py", "memory/test_rendering.py", "memory/test_feedback.py"
PROMOTION = "memory/test_promotion.py"
ENTRY, START, LOCKS = (
    "workspace/test_phase_entry.py",
    "workspace/test_start.py",
    "workspace/test_locks.py",
)
BOOK, RECEIPTS = "workspace/test_receipt_book.py", "workspace/test_read_receipts.py"
CLOSURE, APPROVAL = "workspace/test_closure.py", "workspace/test_approval.py"
CRASH = "workspace/test_crash_and_crowd.py"
GATE, CASES, WALK = "e2e/test_memory_gate.py", "e2e/test_memory_cases.py", "e2e/test_whole_run.py"

NAMED = {
    "MEM-B-001": (READER, "test_an_empty_plane_is_an_answer"),
    "MEM-B-002": (DOCUMENT, "test_each_heading_begins_an_entry"),
    "MEM-B-003": (DOCUMENT, "test_text_without_a_heading_is_titled_by_its_source"),
    "MEM-B-007": (PLANE, "test_every_folder_that_is_written_is_read"),
    "MEM-B-008": (PLANE, "test_every_folder_that_is_written_is_read"),
    "MEM-B-009": (PLANE, "test_only_plain_markdown_files_are_documents"),
    "MEM-B-011": (PLANE, "test_the_older_place_is_read_only_where_it_says_that_it_is_one"),
    "MEM-B-012": (PLANE, "test_the_older_place_is_read_only_where_it_says_that_it_is_one"),
    "MEM-B-013": (DOCUMENT, "test_line_ends_do_not_change_content"),
    "MEM-B-014": (DOCUMENT, "test_the_metadata_block_is_no_entry"),
    "MEM-B-015": (SELECTION, "test_a_word_counts_two_in_the_title_and_one_in_the_body_once"),
    "MEM-B-016": (SELECTION, "test_a_query_without_words_matches_nothing"),
    "MEM-B-017": (SELECTION, "test_each_changed_path_counts_three"),
    "MEM-B-018": (SELECTION, "test_an_entry_for_this_phase_counts_two_more"),
    "MEM-B-019": ("memory/test_phases.py", "test_half_phases_are_their_own"),
    "MEM-B-022": (READER, "test_no_match_is_an_answer"),
    "MEM-B-024": (SELECTION, "test_caps_are_those_given"),
    "MEM-B-025": (SELECTION, "test_ties_go_by_code_points_of_the_title"),
    "MEM-B-026": (SELECTION, "test_equal_titles_go_by_source"),
    "MEM-B-027": (SELECTION, "test_feedback_moves_a_match_by_one"),
    "MEM-B-030": (ENTRY, "test_only_the_first_4000_characters_of_the_requirements_are_searched_for"),
    "MEM-B-031": (READER, "test_the_explanation_agrees_with_the_selection"),
    "MEM-B-033": (BOOK, "test_an_entry_on_an_empty_plane_leaves_one_row_in_the_peers_layout"),
    "MEM-B-034": (BOOK, "test_recording_the_same_read_again_leaves_the_bytes_alone"),
    "MEM-B-035": (BOOK, "test_the_newest_receipt_of_a_phase_replaces_the_older"),
    "MEM-B-037": (BOOK, "test_an_entry_that_shows_something_replaces_what_its_phase_showed_before"),
    "MEM-B-038": (BOOK, "test_an_entry_that_shows_something_replaces_what_its_phase_showed_before"),
    "MEM-B-040": (BOOK, "test_shard_rows_are_carried_through"),
    "MEM-B-041": (BOOK, "test_a_shard_row_of_a_peer_precedes_the_receipt"),
    "MEM-B-042": (GATE, "test_a_damaged_file_keeps_the_gate_closed_until_an_entry_repairs_it"),
    "MEM-B-045": (RECEIPTS, "test_a_row_of_another_shape_is_no_receipt"),
    "MEM-B-047": (RECEIPTS, "test_no_file_and_an_empty_one_hold_no_receipt"),
    "MEM-B-048": (BOOK, "test_a_damaged_file_is_set_aside_and_not_lost"),
    "MEM-B-049": (ENTRY, "test_the_payload_has_the_peers_fields"),
    "MEM-B-051": (ENTRY, "test_the_owed_question_is_asked_until_the_artifact_answers_it"),
    "MEM-B-053": (ENTRY, "test_without_an_id_the_newest_run_is_entered"),
    "MEM-B-054": (ENTRY, "test_blanks_around_a_run_id_are_ignored"),
    "MEM-B-055": (ENTRY, "test_a_malformed_run_id_is_named_and_changes_nothing"),
    "MEM-B-056": (ENTRY, "test_a_malformed_run_id_is_named_and_changes_nothing"),
    "MEM-B-058": (ENTRY, "test_no_workspace_no_run_and_a_finished_run_are_told_apart"),
    "MEM-B-059": (ENTRY, "test_no_workspace_no_run_and_a_finished_run_are_told_apart"),
    "MEM-B-060": (GATE, "test_an_entry_into_the_second_artifact_opens_it"),
    "MEM-B-061": (ENTRY, "test_the_next_legal_phase_is_entered"),
    "MEM-B-063": (GATE, "test_a_run_that_was_never_entered_is_closed_and_says_how_to_open_it"),
    "MEM-B-064": (GATE, "test_one_entry_on_an_empty_plane_opens_both"),
    "MEM-B-067": (GATE, "test_a_later_phase_reports_the_order_and_an_absent_run_the_gate"),
    "MEM-B-069": (GATE, "test_a_later_phase_reports_the_order_and_an_absent_run_the_gate"),
    "MEM-B-070": (GATE, "test_advisory_warns"),
    "MEM-B-071": (CASES, "test_every_write_tool_is_gated_under_the_peers_policy_file"),
    "MEM-B-072": (FEEDBACK, "test_a_document_that_was_shown_counts_as_applied"),
    "MEM-B-073": (CLOSURE, "test_rows_of_locked_phases_are_counted_and_others_not"),
    "MEM-B-074": (CLOSURE, "test_rows_of_locked_phases_are_counted_and_others_not"),
    "MEM-B-076": (FEEDBACK, "test_both_books_are_never_merged"),
    "MEM-B-077": (FEEDBACK, "test_a_damaged_book_is_empty_and_set_aside_before_it_is_written"),
    "MEM-B-078": (FEEDBACK, "test_the_older_book_counts_while_the_current_one_is_missing_or_blank"),
    "MEM-B-079": (FEEDBACK, "test_the_bonus_is_a_sign"),
    "MEM-B-080": (FEEDBACK, "test_values_of_another_shape_are_zero_or_skipped"),
    "MEM-B-082": (WALK, "test_memory_that_was_shown_counts_once_the_run_is_closed"),
    "MEM-B-084": (RENDERING, "test_the_heading_says_what_it_is_for"),
    "MEM-B-086": (RENDERING, "test_an_empty_body_leaves_title_and_source"),
    "MEM-B-087": (READER, "test_no_match_is_an_answer"),
    "MEM-B-088": (LOCKS, "test_the_last_phase_is_refused_for_order_before_anything_else"),
    "MEM-B-089": (LOCKS, "test_then_for_open_work_then_for_memory_then_for_its_standard"),
    "MEM-B-091": (LOCKS, "test_then_for_open_work_then_for_memory_then_for_its_standard"),
    "MEM-B-094": (CASES, "test_the_last_lock_accepts_honest_work_in_any_of_its_forms"),
    "MEM-B-095": (LOCKS, "test_the_memory_gate_is_silent_for_other_phases"),
    "MEM-B-096": (CASES, "test_the_last_artifact_is_reopened_whatever_became_of_the_memory"),
    "MEM-B-097": (CASES, "test_the_last_artifact_that_is_missing_is_said_to_be_missing"),
    "MEM-B-098": (CASES, "test_a_started_run_is_not_approved_entered_or_read"),
    "MEM-B-100": (APPROVAL, "test_the_line_is_quoted_and_approves_nothing"),
    "MEM-B-101": (START, "test_a_bad_name_is_refused_before_anything_is_made"),
    "MEM-H-001": (GATE, "test_the_agent_cannot_write_its_own_receipt"),
    "MEM-H-002": (GATE, "test_a_receipt_of_another_run_is_not_authentic"),
    "MEM-H-003": (GATE, "test_a_changed_receipt_is_told_apart_from_none"),
    "MEM-H-005": (GATE, "test_memory_that_came_later_closes_the_gate_until_it_is_read"),
    "MEM-H-007": (GATE, "test_after_a_reopen_memory_is_read_again"),
    "MEM-H-008": (GATE, "test_a_loose_phase_name_opens_nothing"),
    "MEM-H-009": (CASES, "test_neither_a_redirect_nor_an_unknown_tool_goes_round_the_gate"),
    "MEM-H-010": (GATE, "test_a_link_to_the_requirements_is_the_requirements"),
    "MEM-H-013": (GATE, "test_the_run_that_owns_the_file_is_asked_not_the_active_one"),
    "MEM-H-014": (GATE, "test_every_phase_can_be_made_to_ask_for_its_own_entry"),
    "MEM-H-016": (CRASH, "test_a_killed_entry_leaves_the_old_rows_or_the_new_ones"),
    "MEM-H-017": (CASES, "test_an_entry_over_a_damaged_file_keeps_it_and_says_so"),
    "MEM-H-018": (CASES, "test_an_entry_over_a_damaged_file_keeps_it_and_says_so"),
    "MEM-H-020": (CLOSURE, "test_a_damaged_receipt_is_never_taken_for_something_shown"),
    "MEM-H-022": (ENTRY, "test_entering_an_old_run_by_name_does_not_make_it_the_newest"),
    "MEM-H-023": (ENTRY, "test_no_workspace_no_run_and_a_finished_run_are_told_apart"),
    "MEM-H-024": (READER, "test_two_clones_select_the_same"),
    "MEM-H-025": (BOOK, "test_order_does_not_depend_on_history"),
    "MEM-H-026": (SELECTION, "test_a_retired_document_is_excluded_with_all_its_entries"),
    "MEM-H-027": (SELECTION, "test_prose_about_a_status_retires_nothing"),
    "MEM-H-028": (DOCUMENT, "test_a_status_is_read_in_any_dress"),
    "MEM-H-029": (CASES, "test_memory_that_gives_orders_is_shown_as_a_quotation_of_its_source"),
    "MEM-H-030": (READER, "test_an_unfilled_form_is_said_to_be_one"),
    "MEM-H-031": (SELECTION, "test_feedback_never_makes_an_entry_relevant"),
    "MEM-H-032": (SELECTION, "test_feedback_never_makes_an_entry_relevant"),
    "MEM-H-036": (READER, "test_everything_oversized_is_bounded_and_counted"),
    "MEM-H-037": (CASES, "test_a_link_in_the_plane_is_reported_and_never_shown"),
    "MEM-H-039": (DOCUMENT, "test_a_heading_in_a_code_fence_is_code"),
    "MEM-H-040": (CASES, "test_memory_that_gives_orders_is_shown_as_a_quotation_of_its_source"),
    "MEM-H-041": (GATE, "test_the_plane_can_be_frozen_until_its_phase"),
    "MEM-H-042": (FEEDBACK, "test_settling_again_changes_nothing"),
    "MEM-H-045": (CASES, "test_the_last_lock_refuses_what_is_no_memory"),
    "MEM-H-048": (CASES, "test_the_last_lock_accepts_honest_work_in_any_of_its_forms"),
    "MEM-H-049": (LOCKS, "test_a_memory_document_that_goes_between_gate_and_lock_refuses_the_lock"),
    "MEM-H-050": (CASES, "test_a_started_run_is_not_approved_entered_or_read"),
}

# Baseline cases that can't hold together with a stronger one, and why.
OVERRIDDEN = {
    "MEM-B-003": "the title is the source relative to the plane, as MEM-H-024 asks",
    "MEM-B-007": "incidents are read: every folder that may be written is; the archive is not",
    "MEM-B-008": "skills/patterns is read, for the same reason",
    "MEM-B-012": "the older place counts only with its router: a product may have a folder called memory",
    "MEM-B-014": "metadata is no entry and is never scored, as MEM-H-030 asks",
    "MEM-B-025": "ties go by code points, as MEM-H-025 asks",
    "MEM-B-033": "the row carries one more key, with what binds it to run, plane and session",
    "MEM-B-048": "the old text is kept beside the file, as MEM-H-018 asks",
    "MEM-B-058": "a workspace without runs answers `run_not_found`, as MEM-H-023 asks",
    "MEM-B-059": "a finished run answers `run_complete`, as MEM-H-023 asks",
    "MEM-B-055": "a malformed run id answers `invalid_request`: codes are this service's own",
    "MEM-B-056": "as before",
    "MEM-B-089": "open work answers `lock_refused` with the gate `quiescence`: codes are this service's own",
    "MEM-B-100": "the line alone approves nothing, as MEM-H-050 asks",
    "MEM-B-101": "a missing and a malformed run id answer `invalid_request`",
}
PUBLISHED = [case["id"] for case in cases.load("memory.json")]


@cache
def functions(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_every_published_case_is_named_and_nothing_else():
    assert list(NAMED) == PUBLISHED
    assert set(OVERRIDDEN) <= set(PUBLISHED)


@pytest.mark.parametrize("case_id", PUBLISHED)
def test_the_named_test_exists(case_id):
    path, name = NAMED[case_id]

    assert name in functions(path)
