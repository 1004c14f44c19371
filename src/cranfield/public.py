"""What `import cranfield` offers: every public name, grouped by what one does with it, and the module it lives in.

This is the one list of them: what ``cranfield.<name>`` finds, ``dir(cranfield)``,
``from cranfield import *``, the stub that editors and type checkers read, and the pages of the
documentation all follow from it. The measures are not listed: they are found in their registry.
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from types import FunctionType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cranfield.measures import Measure

PUBLIC_NAMES: Final[dict[str, dict[str, str]]] = {
    "Measuring runs": {
        "evaluate": "scoring.evaluation",
        "evaluate_all": "scoring.collection_scores",
        "CollectionScores": "scoring.collection_scores",
        "Evaluator": "scoring.evaluation",
        "evidence": "scoring.evidence",
        "chunks_as_documents": "scoring.evidence",
        "spans_as_qrels": "scoring.evidence",
        "Scores": "scoring.scores",
        "Audit": "judged.audit",
        "curve": "lists.curves",
        "Curves": "lists.curves",
        "trace": "lists.tracing",
        "Trace": "lists.tracing",
        "archetypes": "lists.archetypes",
        "reference_runs": "lists.references",
        "ties": "lists.ties",
        "join": "scoring.judged_runs",
        "JudgedRuns": "scoring.judged_runs",
        "Judgments": "judged.judgments",
        "what_if": "lists.altering",
        "WhatIf": "lists.altering",
        "Alterable": "lists.altering",
        "Changes": "lists.altering",
        "choose": "measures.framework.guide",
        "searches": "lists.searches",
        "SearchScores": "lists.searches",
    },
    "Comparing runs and rankings": {
        "compare": "comparison",
        "compare_scores": "comparison",
        "compare_groups": "comparison",
        "GroupComparison": "comparison",
        "Comparison": "comparison",
        "compare_all": "comparison.collection_comparison",
        "CollectionComparison": "comparison.collection_comparison",
        "leaderboard": "comparison.leaderboard",
        "Leaderboard": "comparison.leaderboard",
        "gate": "comparison.gating",
        "keep": "comparison.history",
        "KeptScores": "comparison.history",
        "Since": "comparison.history",
        "why": "pairs.why",
        "Why": "pairs.why",
        "overtake": "pairs.overtaking",
        "Overtaking": "pairs.overtaking",
        "Gate": "comparison.gating",
        "kendall_tau": "statistics.rank_correlation",
        "tau_ap": "statistics.rank_correlation",
        "rbo": "statistics.rank_overlap",
        "overlap_of_runs": "lists.overlap",
        "compare_interleaved": "comparison.interleaving",
        "Interleaving": "comparison.interleaving",
        "correlate": "comparison.correlating",
        "reconcile": "compat.reconciling",
        "Reconciled": "compat.reconciling",
        "plan_topics": "comparison.planning",
    },
    "Reading and writing": {
        "read_qrels": "formats",
        "check": "checks",
        "Checked": "checks",
        "read_run": "formats",
        "read_runs": "formats",
        "Runs": "formats",
        "read_golden": "formats.golden_records",
        "GoldenSet": "formats.golden",
        "read_documents": "formats.documents",
        "Documents": "formats.documents",
        "Document": "formats.documents",
        "read_searches": "formats.searches",
        "Searches": "formats.searches",
        "conflate": "selection.conflation",
        "read_topics": "formats.topic_files",
        "read_scores": "scoring.panel",
        "judge_clicks": "selection.clicks",
        "click_intervals": "selection.clicks",
        "write_qrels": "formats",
        "write_run": "formats",
        "to_dict": "formats",
        "to_frame": "formats",
        "to_tuples": "formats",
        "QrelsLike": "formats.like",
        "RunsLike": "formats.like",
        "SpansLike": "formats.stretches",
        "ChunksLike": "formats.stretches",
    },
    "Measures by name, and your own": {
        "Measure": "measures",
        "measure": "measures.framework.functions",
        "REGISTRY": "measures.framework.measure",
        "parse_measure": "measures.framework.names",
        "parse_measures": "measures.framework.names",
        "MeasureNames": "measures.framework.names",
        "load_measures": "measures.framework.own",
        "conventions": "conventions",
        "conform": "conformance",
        "Conformity": "conformance",
        "write_suite": "conformance",
    },
    "Experiments": {
        "experiments": "experiments",
        "Findings": "experiments",
    },
    "Figures": {
        "plot": "plotting",
        "Figure": "plots",
    },
    "Reports": {
        "report": "reports",
        "Report": "reports",
        "review": "reports",
        "Review": "reports",
    },
    "Papers done once more": {
        "reproduce": "reproductions",
        "Reproduction": "reproductions",
    },
    "Choosing what to judge": {
        "Candidates": "selection",
        "Judging": "selection",
        "Status": "selection",
        "stop_rules": "selection.stop_rules",
        "records": "selection.records",
        "uniform_sample": "selection.sampling",
        "stratified_sample": "selection.sampling",
        "proportional_sample": "selection.sampling",
        "prior_sample": "selection.sampling",
        "weighted_sample": "selection.sampling",
        "calibrate": "selection.grade_chances",
        "combine_judges": "selection.combining",
        "CombinedLabels": "selection.combining",
        "estimate": "selection.estimates",
        "Estimates": "selection.estimates",
        "release": "selection.published_sample",
        "gate_by_sample": "selection.sample_gate",
        "SampleGate": "selection.sample_gate",
    },
    "Agreement of assessors": {
        "agreement": "selection.assessors",
        "Agreement": "selection.assessors",
        "percent_agreement": "statistics.agreement",
        "cohen_kappa": "statistics.agreement",
        "fleiss_kappa": "statistics.agreement",
        "gwet_ac": "statistics.agreement",
        "krippendorff_alpha": "statistics.agreement",
    },
    "Lists that end where they should": {
        "cut": "stopping.cutting",
    },
    "Simulated collections": {
        "simulate": "campaigns",
        "Campaign": "campaigns",
        "write_campaign": "campaigns",
    },
    "Errors": {
        "CranfieldError": "plumbing.errors",
        "InputError": "plumbing.errors",
        "MeasureError": "plumbing.errors",
    },
}
"""By group and name, the module below ``cranfield``: the name is one of its own, or the module itself is meant."""

PUBLIC_MODULES: Final = ("experiments", "stop_rules", "records", "conventions")
"""Names that stand for a module; a function may be called as its module is, too."""

HOMES: Final = {name: home for group in PUBLIC_NAMES.values() for name, home in group.items()}
"""The same, by name."""


def found(name: str) -> object:
    """Find a public name; its module is imported now, if it was not yet, so that the command line starts at once.

    Functions and classes look at what they are given (`cranfield.plumbing.argument_checks`), but for measures, whose
    parameters are checked where they are declared.

    >>> found("evaluate").__module__, found("nDCG").__name__, found("experiments").__name__
    ('cranfield', 'nDCG', 'cranfield.experiments')
    """
    if name in HOMES:
        module = import_module(f"cranfield.{HOMES[name]}")
        return module if is_module(name) else guarded(name, getattr(module, name))
    if not name.startswith("_") and name in measures():
        return measures()[name]
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}", name=name, obj=modules["cranfield"])


def guarded(name: str, offered: object) -> object:
    """Return what is offered so that it looks at its arguments."""
    from cranfield.plumbing import argument_checks

    if isinstance(offered, FunctionType):
        return argument_checks.guarded(offered)
    if isinstance(offered, type) and name != "Measure":
        argument_checks.guard(offered)
    return offered


def is_module(name: str) -> bool:
    """Tell whether a public name stands for its module."""
    return name in PUBLIC_MODULES


def measures() -> dict[str, type[Measure]]:
    """Return the measures by all their names."""
    from cranfield.measures.framework.measure import by_name

    return by_name()


def names() -> list[str]:
    """Return all public names, those of measures included."""
    return sorted({"__version__", *HOMES, *measures()})
