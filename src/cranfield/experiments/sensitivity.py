"""How much depends on the parameters of a measure?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from cranfield.experiments.best_runs import that_rank_nothing
from cranfield.experiments.declared import Columns, Rows, long_columns, pair_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.sweeps import read_sweep, require_known, settings_of, taken_by
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.differences import pairs as all_pairs
from cranfield.statistics.on_paper import places, side
from cranfield.statistics.rank_correlation import correlation_matrix

USUAL = (
    "gains={1:1,2:2,3:3}|{1:1,2:4,3:10}|{1:1,2:10,3:100}, base=2|10, p=0.8|0.9|0.98, "
    "e=0.025|0.05|0.1, docs=5000|20000|1000000, beta=1|1.05|1.1"
)
"""The values in the papers, and others on either side of single values."""
MOST_SETTINGS = 100
"""The correlations of more settings would be unreadable."""


@experiment
def sensitivity(
    runs: JudgedRuns, measures: MeasureNames = ("nDCG@100", "RBPU", "RBU", "OIE"), *, sweep: str = USUAL
) -> Outcome:
    """How much does the ranking of runs depend on the parameters of a measure?

    Each measure is tried with every combination of values of its parameters. Under each of these settings the runs are
    ranked by their means over topics, and the rankings are correlated by Kendall's τ_b and by τ_AP, which emphasises
    the top. Parameters with little effect have correlations near 1.

    The settings of all measures are correlated with each other, which answers two questions: whether a parameter
    matters (``parameters``), and under which of its values two measures agree (``pairs``). Merging grades is such a
    parameter: gains={1:1,2:1,3:1} merges three grades into one, and rel=1|2|3 moves the threshold of binary measures.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        One or more; a measure without any of the parameters is used as it is.
    sweep
        Parameters and their values, ``p=0.5|0.8, e=0.01|0.05``: values as in measure names, separated by |, and None
        for an omitted parameter. By default, each measure is swept over its own parameters.

    Tables
    ------
    parameters
        A row for each measure and each parameter swept: over the pairs of settings that differ only in this parameter.
        measure, parameter : text
        pairs : whole number
            The number of such pairs.
        lowest, mean : number
            Tau-b.
        lowest_ap, mean_ap : number
            Tau_AP, averaged over both directions.
        furthest : whole number
            The most places that any run moves.
        run : text
            Which run that is; null where none moves.
        setting_a, setting_b : text
            The two settings between which it moves.
    pairs
        A row for each pair of settings.
        setting_a, setting_b : text
        tau, tau_ap : number
        furthest : whole number
            The most places that any run moves.
        run : text
            Which run that is; null where none moves.
    matrix
        The same τ_b, a row for each setting.
        setting : text
        <measure> : number
    places
        The means and places behind the correlations.
        setting, run : text
        mean : number
            Over the topics, as defined by the measure.
        place : whole number
            1 is the best; runs with equal means share their first place.

    Raises
    ------
    InputError
        If no measure has a requested parameter, or fewer than two settings or runs remain to compare.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), on weights
    and the base of the logarithm; Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are
    better and how to measure that", SIGIR, section 3.4, on the size of the collection.

    Examples
    --------
    A patient user would rather have two relevant documents late than one early: at p = 0.5 the
    first place is worth 1/2, and the next two 1/4 + 1/8; at p = 0.9 they are worth more than it.

    >>> from cranfield import join
    >>> one, two = ({"1": dict(zip(found, (3.0, 2.0, 1.0)))} for found in ("axy", "xab"))
    >>> found = sensitivity(join({"1": {"a": 1, "b": 1}}, {"one": one, "two": two}), "RBP", sweep="p=0.5|0.9")
    >>> found["parameters"].select("parameter", "lowest", "furthest").rows()
    [('p', -1.0, 1)]
    >>> found["places"].select("setting", "run", "place").rows()  # doctest: +NORMALIZE_WHITESPACE
    [('RBP(p=0.5)', 'one', 1), ('RBP(p=0.5)', 'two', 2),
     ('RBP(p=0.9)', 'one', 2), ('RBP(p=0.9)', 'two', 1)]
    """
    asked = number_measures(measures)
    swept, usual = read_sweep(sweep), sweep == USUAL
    if not usual:
        require_known(swept, asked)
    of_each = {measure: settings_of(measure, taken_by(measure, swept) if usual else swept) for measure in asked}
    settings = list(dict.fromkeys(setting for each in of_each.values() for setting in each))
    if len(settings) < 2:
        raise InputError(f"fewer than two settings of {asked[0]}; sweep one of its parameters over two values")
    if len(settings) > MOST_SETTINGS:
        raise InputError(f"{len(settings)} settings are too many to compare; the limit is {MOST_SETTINGS}")
    if len(runs.runs) < 2:
        raise InputError("a single run has no ranking; give at least two")
    panel = runs.panel(settings)
    place = places(panel.averages)
    pairs = _pairs(panel.measures, panel.runs, panel.averages, place)
    tables: dict[str, Rows] = {
        "parameters": _by_parameter(of_each, swept, pairs),
        "pairs": pairs,
        "matrix": {"setting": panel.measures}
        | dict(zip(panel.measures, correlation_matrix(panel.averages), strict=True)),
        "places": long_columns({"setting": panel.measures, "run": panel.runs}, mean=panel.means, place=place),
    }
    return Outcome(tables, (*panel.notes, *that_rank_nothing(panel.measures, panel.averages), *_extremes(pairs)))


def _pairs(settings: Sequence[str], runs: Sequence[str], averages: Floats, places: Integers) -> pl.DataFrame:
    a, b = all_pairs(len(settings))
    moves = np.abs(places[a] - places[b])
    return pl.DataFrame(
        pair_columns(settings, "setting")
        | {
            "tau": correlation_matrix(averages)[a, b],
            "tau_ap": correlation_matrix(averages, "tau_ap_symmetric")[a, b],
            "furthest": moves.max(axis=1),
            "run": [runs[i] if far else None for i, far in zip(moves.argmax(axis=1), moves.max(axis=1), strict=True)],
        }
    )


def _by_parameter(
    of_each: Mapping[Measure, Sequence[Measure]], swept: Mapping[str, object], pairs: pl.DataFrame
) -> Rows:
    """Summarise, for each measure and parameter, the pairs of settings that differ only in it."""
    of = {(row["setting_a"], row["setting_b"]): row for row in pairs.rows(named=True)}
    of |= {(b, a): row for (a, b), row in of.items()}  # where two measures share settings
    rows = list[Columns]()
    for measure, settings in of_each.items():
        for name in swept:
            alone = [of[str(a), str(b)] for a, b in combinations(settings, 2) if _differing(a, b) == {name}]
            if alone:
                rows.append({"measure": str(measure), "parameter": name} | _summed_up(alone))
    if not rows:
        raise InputError(
            f"no two settings of {', '.join(map(str, of_each))} differ in one of {', '.join(swept)} alone; name a "
            "measure that has one of them"
        )
    return rows


def _summed_up(pairs: Sequence[Columns]) -> Columns:
    found = pl.DataFrame(pairs)
    worst = found.row(int(found["furthest"].arg_max() or 0), named=True)
    return {
        "pairs": found.height,
        "lowest": found["tau"].min(),
        "mean": found["tau"].mean(),
        "lowest_ap": found["tau_ap"].min(),
        "mean_ap": found["tau_ap"].mean(),
    } | {name: worst[name] for name in ("furthest", "run", "setting_a", "setting_b")}


def _differing(a: Measure, b: Measure) -> set[str]:
    return {name for name in a.parameters if getattr(a, name) != getattr(b, name)}


def _extremes(pairs: pl.DataFrame) -> Iterator[str]:
    least = pairs.row(int(pairs["tau"].arg_min() or 0), named=True)
    alike = pairs.height - 1 - int(np.count_nonzero(side(pairs["tau"].fill_null(np.inf).to_numpy() - least["tau"])))
    more = f", and {counted(alike, 'more pair')}" * (alike > 0)
    yield f"lowest tau {least['tau']:.3f}: {least['setting_a']} and {least['setting_b']}{more}"
    most = pairs.row(int(pairs["furthest"].arg_max() or 0), named=True)
    runs = pairs.filter(pl.col("furthest") == most["furthest"])["run"].unique(maintain_order=True).to_list()
    if most["furthest"]:
        yield (
            f"{named(runs, 3)} {'moves' if len(runs) == 1 else 'move'} furthest, {counted(most['furthest'], 'place')}: "
            f"{f'{runs[0]} ' * (len(runs) > 1)}from {most['setting_a']} to {most['setting_b']}"
        )
