"""Which improvements does a measure see?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield.experiments.declared import Rows
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Seed
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.rank_correlation import spearman


@experiment
def coverage(
    runs: JudgedRuns,
    measures: MeasureNames = (
        "OIE", "nDCG", "DCG", "RBP(p=0.98)", "AP", "SetF", "R@100", "FlatUtility", "RBP(p=0.9)", "P@10", "RBP(p=0.8)",
        "iRBU(p=0.98)", "iRBU(p=0.9)", "iRBU(p=0.8)", "ERR", "RR",
    ),
    *,
    reference: MeasureNames = ("P@10", "R@100", "RR"),
    depth: Count = 100,
    topic_pairs: Count = 1000,
    seed: Seed = 7,
) -> Outcome:  # fmt: skip
    """Does a measure detect the improvements on which all reference measures agree?

    UIR(s, s'), the unanimous improvement ratio, is the share of random pairs of topics (t, t') for which s on t is at
    least as good as s' on t' by every reference measure, minus the share for which s' on t' is at least as good as s on
    t. The two topics differ on purpose, so that topic-dependent factors such as recall count. A measure's coverage is
    Spearman's correlation, over all ordered pairs of runs, of the difference of its means with UIR: all ordered pairs,
    since the order within a pair would be arbitrary.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures whose coverage is computed.
    reference
        The measures that must agree.
    depth
        The rank at which lists are cut first, so that their length has no effect.
    topic_pairs
        The number of topic pairs drawn.
    seed
        Seed of the draws.

    Tables
    ------
    coverage
        A row for each measure, the highest coverage first.
        measure : text
        coverage : number
            Spearman's correlation with UIR.
    unanimity
        A row for each ordered pair of runs.
        run_a, run_b : text
        uir : number
            UIR(run_a, run_b).

    Raises
    ------
    InputError
        If there are fewer than three runs, or a number is not positive.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.4 and Table 3.

    Examples
    --------
    On one topic AP and RR order all three runs: UIR is 1 for three ordered pairs and -1 for the reverse ones. AP's
    differences are all distinct, with ranks 1 to 6; two of SetP's (1/3, 1/3, 0) are 0.

    >>> from cranfield import join
    >>> good, late, lost = ({"1": dict(zip(found, (3.0, 2.0, 1.0)))} for found in ("axy", "xya", "xyz"))
    >>> runs = join({"1": {"a": 1}}, {"good": good, "late": late, "lost": lost})
    >>> coverage(runs, ("AP", "SetP"), reference=("RR", "AP"))["coverage"].rows()
    [('AP', 0.8783...), ('SetP', 0.8164...)]
    >>> round((13.5 / 17.5) ** 0.5, 4), round((2 / 3) ** 0.5, 4)  # by the deviations of those ranks from 3.5
    (0.8783, 0.8165)
    """
    asked, agreeing = number_measures(measures), number_measures(reference)
    if len(runs.runs) < 3:
        raise InputError(f"{counted(len(runs.runs), 'run')}; coverage is a correlation over pairs of at least three")
    cut = replace(runs, batches=tuple(batch.cut(depth) for batch in runs.batches))
    panel, judges = cut.panel(asked), cut.panel(agreeing)
    drawn = np.random.default_rng(seed).integers(len(judges.topics), size=(2, topic_pairs))
    unanimity = unanimous_improvement(judges.values, drawn)

    a, b = np.nonzero(~np.eye(len(runs.runs), dtype=bool))
    means = panel.averages
    found = spearman(means[:, a] - means[:, b], unanimity[a, b])
    covered = pl.DataFrame({"measure": panel.measures, "coverage": found})
    tables: dict[str, Rows] = {
        "coverage": covered.sort("coverage", descending=True, maintain_order=True),
        "unanimity": {
            "run_a": [runs.runs[i] for i in a], "run_b": [runs.runs[i] for i in b], "uir": unanimity[a, b]
        },
    }  # fmt: skip
    return Outcome(tables, dict.fromkeys((*panel.notes, *judges.notes)))


def unanimous_improvement(values: Floats, drawn: Integers) -> Floats:
    r"""How much more often is one run at least as good as another by every measure than the reverse?

    .. math:: UIR(s, s') = \frac{|\{(t, t'): s_t \ge s'_{t'}\}| - |\{(t, t'): s'_{t'} \ge s_t\}|}{pairs}

    where s ≥ s' means: by every measure. UIR(s', s) swaps the topics too, and so need not be -UIR(s, s').

    Shapes: values (measures, runs, topics); drawn (2, pairs); the result (runs, runs).
    """
    first, second = values[:, :, drawn[0]], values[:, :, drawn[1]]
    pairs = drawn.shape[1]
    # One run at a time against all: an array of (measures, runs, pairs) fits the memory of any machine.
    lead = [
        (one[:, np.newaxis] >= second).all(axis=0).sum(axis=1) - (one[:, np.newaxis] <= second).all(axis=0).sum(axis=1)
        for one in first.transpose(1, 0, 2)
    ]
    return np.asarray(np.array(lead) / pairs)
