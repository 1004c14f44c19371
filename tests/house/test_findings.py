"""What hard use has found wrong, point by point, and the tests that would have failed: each of them is there."""

from __future__ import annotations

import ast
from pathlib import Path

from tools.each import each_of

HERE = Path(__file__).parents[1]

WRONG_OR_TOO_MUCH = {
    "0. bounds of measures with a recall base were unsound": (
        "measures/test_bounds.py::test_what_is_hidden_is_revealed_within_the_bounds",
        "measures/test_bounds.py::test_hide_and_reveal_on_real_runs",
        "measures/test_bounds.py::test_a_relevant_document_of_another_run_lowers_what_depends_on_the_recall_base",
    ),
    "1. the best end of a list was decided by rounding": (
        "stopping/test_exact_ends.py::test_the_best_end_is_that_of_800_digits",
    ),
    "2. judging stopped far too early": (
        "selection/test_audits.py::test_what_a_method_chose_says_nothing_of_what_it_left",
        "selection/test_audits.py::test_campaigns_err_no_more_often_than_they_may",
        "selection/test_audits.py::test_on_real_collections_no_bound_is_below_what_is_left",
    ),
    "3. whatever is unjudged, by tests that are not monotone": (
        "selection/test_status.py::test_one_more_relevant_document_of_the_leader_undoes_what_t_decides",
        "selection/test_status.py::test_no_difference_that_grows_makes_p_larger",
        "comparison/test_comparing.py::test_what_t_calls_certain_is_certain_by_wilcoxons_test",
    ),
    "4. documents were chosen by rounding noise": (
        "experiments/test_judging_experiment.py::test_every_choice_is_the_heaviest_by_the_definition",
        "selection/test_judging.py::test_a_residual_is_what_is_open_however_little",
    ),
    "5. axioms were called violated where the search only ended": (
        "axioms/test_axioms.py::test_a_threshold_that_is_not_found_is_open",
        "axioms/test_axioms.py::test_what_is_small_is_no_tie",
        "axioms/test_axioms.py::test_every_small_n_is_tried",
    ),
    "6. the guide offered measures that lack what it promised": (
        "measures/test_guide.py::test_where_missed_documents_weigh_they_do",
        "measures/test_guide.py::test_where_what_stands_above_counts_it_does",
        "measures/test_guide.py::test_measures_of_a_lists_end_take_a_missing_topic_for_an_empty_list",
    ),
    "7. the difference needed was read off near-empty bins": (
        "experiments/test_swap.py::test_a_bin_with_few_comparisons_is_judged_with_those_above",
        "experiments/test_swap.py::test_the_difference_needed_does_not_hang_on_the_seed",
    ),
    "8. one relevance level for every collection": (
        "cli/test_experiment_command.py::test_every_experiment_takes_the_relevance_level",
    ),
    "9. more decimals than ten repetitions support": (
        "experiments/test_downsampling.py::test_the_default_supports_the_digits_of_the_page",
    ),
    "10. geometric means under another measure's values": (
        "comparison/test_comparing.py::test_geometric_means_are_compared_by_logarithms",
        "experiments/test_correlation.py::test_a_geometric_mean_is_ranked_by_its_logarithms",
    ),
    "11. grades from 1,024 on": ("measures/test_large_grades.py::test_only_the_distance_to_the_largest_grade_counts",),
    "12. Rndcg with a relevance level, and trec_eval byte for byte": (
        "scoring/test_trec_eval_itself.py::test_a_few_runs_of_each_collection",
    ),
    "13. Twist is 0 elsewhere too, and other claims": ("house/test_claims.py",),
    "14. agreement on one document, and a lost rank that nobody lost": (
        "experiments/test_assessors.py::test_one_shared_document_says_nothing_of_chance",
        "experiments/test_reusability.py::test_nobody_is_named_where_nobody_lost_a_rank",
    ),
    "15. letters, what a comparison says of itself, the order of the runs": (
        "comparison/test_comparison_tables.py::test_26_runs_have_letters_and_27_have_numbers",
        "comparison/test_comparing.py::test_the_long_table_says_how_it_was_found",
        "comparison/test_comparing.py::test_intervals_that_hold_for_one_pair_at_a_time_are_said",
        "comparison/test_comparing.py::test_the_long_table_has_the_omnibus_test_of_each_measure",
        "statistics/test_tukey.py::test_the_order_of_the_systems_makes_no_difference",
    ),
    "16. pages against facts": ("benchmarks/test_benchmark_experiments.py::test_scripts_find_what_ours_finds",),
    "17. names that mean something else elsewhere": (
        "measures/test_names_elsewhere.py::test_the_measure_of_diversity_is_told_from_a_share_of_the_best_list",
        "measures/test_names_elsewhere.py::test_another_highest_grade_is_said_where_it_matters",
    ),
}


@each_of("point", WRONG_OR_TOO_MUCH)
def test_every_point_has_its_tests(point: str) -> None:
    for named in WRONG_OR_TOO_MUCH[point]:
        path, _, function = named.partition("::")
        tree = ast.parse((HERE / path).read_text(encoding="utf-8"))
        there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert function in there if function else there, named
