"""The experiments, one function each.

Written by `python -m tools.write_stubs` from what there is at run time: do not edit it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from cranfield.experiments.experiment import EXPERIMENTS as EXPERIMENTS
from cranfield.experiments.experiment import Experiment as Experiment
from cranfield.experiments.experiment import Outcome as Outcome
from cranfield.experiments.experiment import experiment as experiment
from cranfield.experiments.findings import Findings as Findings
from cranfield.experiments.work import Work as Work
from cranfield.plumbing.tables import Frame
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.measures.framework.names import MeasureNames

def abstention(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    *,
    cost: float = 1.0,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """From which score of its first document on should a system answer, and when is it better to abstain?"""

def archetypes(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    *,
    n: int = 1000,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which effort archetypes do runs follow, and how often?"""

def assessors(
    runs: JudgedRuns | Mapping[str, JudgedRuns] | None = None,
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    assessors: str | Path | Iterable[str | Path] = (),
    scores: Path | None = None,
    circular: str | Iterable[str] = (),
    matched: str | Iterable[str] = (),
    documents: Literal['common', 'all'] = 'common',
    weights: Literal['linear', 'quadratic'] = 'linear',
    kinds: Path | None = None,
    best: int = 10,
    pool: int = 10,
    resamples: int = 1000,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do the assessors agree, and would another assessor have ranked the runs differently?"""

def axioms(
    measures: MeasureNames = ('AUC', 'Kendall', 'Spearman', 'P@10', 'R@10', 'Rprec', 'RR', 'SetF', 'AP', 'nDCG', 'Q', 'Bpref', 'ERR', 'RBP(p=0.8)', 'iRBU(p=0.8)', 'iRBU(p=0.98)', 'NDCGT', 'ERRT', 'RRT', 'RBPT(p=0.8)', 'FlatUtility', 'RBU(p=0.8)', 'RBU(p=0.98)', 'DCGU', 'ERRU', 'RBPU(p=0.8)', 'OIE'),
    *,
    longest: int = 7,
    top_grade: int = 2,
    random: int = 2000,
    largest: int = 5000,
    sweep: str | None = None,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which axioms of rankings, and of truncated rankings, does a measure satisfy?"""

def budgets(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('R', 'nDCG'),
    *,
    budgets: tuple[float, ...] | None = None,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How good is each run within a budget, and which run leads?"""

def calibration(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('nDCG@10', 'AP', 'RR'),
    *,
    sizes: int | Iterable[int] = (6, 10, 25, 50),
    times: int = 400,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How often do 95% intervals and verdicts at 5% hold on scores like these?"""

def certificate(
    runs: JudgedRuns | Mapping[str, JudgedRuns] | None = None,
    measures: MeasureNames = ('nDCG@10',),
    *,
    scores: str | Path | Frame | Mapping[str, object] | None = None,
    topics: Literal['all', 'shared'] = 'all',
    not_run: float = 0.5,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 7,
    clusters: str | Path | Frame | Mapping[str, str] | None = None,
    most: int = 100,
    every_pair: bool = False,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which ranks are certain, which are likely, and what would settle the others?"""

def conflation(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'nDCG(base=10)'),
    *,
    kind: Literal['tau_b', 'tau_a', 'tau_ap', 'tau_ap_symmetric', 'spearman', 'pearson'] = 'tau_b',
    top: float = 0.75,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do more grades make measures disagree?"""

def correlation(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    kind: Literal['tau_b', 'tau_a', 'tau_ap', 'tau_ap_symmetric', 'spearman', 'pearson'] = 'tau_b',
    top: float = 0.75,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How similarly do measures rank the runs?"""

def coverage(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('OIE', 'nDCG', 'DCG', 'RBP(p=0.98)', 'AP', 'SetF', 'R@100', 'FlatUtility', 'RBP(p=0.9)', 'P@10', 'RBP(p=0.8)', 'iRBU(p=0.98)', 'iRBU(p=0.9)', 'iRBU(p=0.8)', 'ERR', 'RR'),
    *,
    reference: MeasureNames = ('P@10', 'R@100', 'RR'),
    depth: int = 100,
    topic_pairs: int = 1000,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Does a measure detect the improvements on which all reference measures agree?"""

def cut_guarantee(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('R',),
    *,
    levels: float | Iterable[float] = (0.1, 0.2, 0.3),
    splits: int = 2000,
    learned_on: float = 0.5,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do lists that are cut with a guarantee lose no more than promised, on topics that the rule never saw?"""

def discriminative_power(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    test: Literal['bootstrap', 'randomised-tukey', 't', 'wilcoxon', 'randomisation'] = 'bootstrap',
    alphas: float | Iterable[float] = (0.05, 0.01),
    resamples: int = 1000,
    top: float = 0.75,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which measure finds the most pairs of runs significantly different?"""

def dominance(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    *,
    depth: int | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which runs are at least as good at every rank and grade, so that P, DCG and RBP agree on their order?"""

def downsampling(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    pools: Literal['stratified', 'random', 'shallow'] = 'stratified',
    rates: float | Iterable[float] = (0.9, 0.7, 0.5, 0.3, 0.1),
    pool_depths: int | Iterable[int] = (100, 50, 30, 20, 10, 5),
    repetitions: int = 100,
    top: float = 0.75,
    marked: bool = False,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How robust is the ranking of the runs when fewer documents are judged?"""

def effort_gain(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)'),
    *,
    effort: MeasureNames = 'Twist',
    bounds: float | Iterable[float] = (0.25, 0.5, 0.75),
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How much effort did the gain cost the user?"""

def estimation(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP',),
    *,
    baseline: str = '',
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How much better is each run than a baseline, by topic and on average, and how certain is that?"""

def expert_labels(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('P@10',),
    *,
    cheap: str | Path | Iterable[str | Path] = (),
    per_topic: int | Iterable[int] = (5, 10, 20, 40),
    design: Literal['weighted', 'uniform'] = 'weighted',
    baseline: str = '',
    widening: float = 0.1,
    samples: int = 50,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How many expert labels does a result need, with and without cheap judges?"""

def influence(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP',),
    *,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which topics decide the order of the runs?"""

def judging(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    *,
    methods: str | Iterable[str] = ('pool', 'A', 'B', 'C'),
    budgets: int | Iterable[int] = (1000, 2000, 5000, 10000, 20000),
    p: float = 0.8,
    evaluation_p: float | Iterable[float] = (0.5, 0.8, 0.95),
    varied: str = 'C',
    top: float = 0.3333333333333333,
    renew_every: int = 1,
    scope: Literal['topic', 'system'] = 'topic',
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which method of choosing documents to judge learns most from a given number of judgments?"""

def near_duplicates(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    *,
    p: float = 0.9,
    depth: int = 100,
    threshold: float = 0.9,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which runs are almost the same, and which are of one kind?"""

def outcome(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'nDCG@10', 'RR', 'P@10', 'R@100'),
    *,
    outcomes: str | Path | Frame | Mapping[str, Mapping[str, float]] | None = None,
    kind: Literal['tau_b', 'tau_a', 'tau_ap', 'tau_ap_symmetric', 'spearman', 'pearson'] = 'tau_b',
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Does the measure predict an outcome, such as a correct answer or a purchase?"""

def portrait(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('Twist',),
    *,
    beside: MeasureNames = ('AP', 'nDCG@10', 'RBP(p=0.8)', 'P@10'),
    alpha: float = 0.05,
    repetitions: int = 30,
    longest: int = 5,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How does a new measure compare with well-known ones?"""

def reusability(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    teams: Path | None = None,
    pool_depth: int | None = None,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How much does a run lose if it did not contribute to the pool?"""

def risk(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP',),
    *,
    baseline: str = '',
    alpha: float = 1.0,
    margin: float = 0.1,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which topics does a run hurt against a baseline, and do its gains on others outweigh that?"""

def score_distributions(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('SetF',),
    *,
    bins: int = 20,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do a run's scores separate relevant documents from the others, and where should its lists be cut?"""

def sensitivity(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('nDCG@100', 'RBPU', 'RBU', 'OIE'),
    *,
    sweep: str = 'gains={1:1,2:2,3:3}|{1:1,2:4,3:10}|{1:1,2:10,3:100}, base=2|10, p=0.8|0.9|0.98, e=0.025|0.05|0.1, docs=5000|20000|1000000, beta=1|1.05|1.1',
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How much does the ranking of runs depend on the parameters of a measure?"""

def significance(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('nCG(gains={1:1,2:10,3:100},averaged=True)@200', 'nDCG(base=2,gains={1:1,2:10,3:100},averaged=True)@200'),
    *,
    tests: str | Iterable[str] = ('anova', 'friedman'),
    alpha: float = 0.01,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do tests of means and tests of ranks find the same differences, and do these differences matter?"""

def silence(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'nDCG', 'SetF', 'FlatUtility', 'NDCGT', 'ERRT', 'RBPT(p=0.8)', 'RBPT(p=0.9)', 'RBPT(p=0.98)', 'RBU(p=0.8)', 'RBU(p=0.9)', 'RBU(p=0.98)', 'DCGU', 'ERRU', 'RBPU(p=0.8)', 'RBPU(p=0.9)', 'RBPU(p=0.98)', 'OIE'),
    *,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Which measures reward a system that returns nothing, and by how much?"""

def stopping(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('OIE', 'RBPU(p=0.9)', 'RBPU(p=0.98)', 'DCGU', 'SetF'),
    *,
    folds: int = 5,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Can a system learn where to end its lists from scores and ranks alone?"""

def swap(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('AP', 'Bpref', 'RBP(p=0.8,rel=1)', 'nDCG(base=10)', 'Twist'),
    *,
    sizes: int | Iterable[int] = (),
    repetitions: int = 5000,
    width: float = 0.01,
    bins: int = 21,
    accepted: float = 0.05,
    fewest: int = 500,
    top: float = 0.75,
    seed: int = 7,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """How large must a difference be so that other topics seldom reverse it?"""

def truncated_correlation(
    collections: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('NDCGT', 'ERRT', 'RBPT(p=0.8)', 'RBPT(p=0.9)', 'RBPT(p=0.98)', 'RBU(p=0.8)', 'RBU(p=0.9)', 'RBU(p=0.98)', 'DCGU', 'ERRU', 'RBPU(p=0.8)', 'RBPU(p=0.9)', 'RBPU(p=0.98)', 'OIE'),
    *,
    full: MeasureNames = ('AP', 'nDCG', 'DCG', 'ERR', 'RBP(p=0.8)', 'RBP(p=0.9)', 'RBP(p=0.98)', 'iRBU(p=0.8)', 'iRBU(p=0.9)', 'iRBU(p=0.98)', 'OIE'),
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Do runs cut at their best length rank like the full runs?"""

def truncation(
    runs: JudgedRuns | Mapping[str, JudgedRuns],
    measures: MeasureNames = ('SetF', 'FlatUtility', 'NDCGT', 'ERRT', 'RBPT(p=0.8)', 'RBPT(p=0.9)', 'RBPT(p=0.98)', 'RBU(p=0.8)', 'RBU(p=0.9)', 'RBU(p=0.98)', 'DCGU', 'ERRU', 'RBPU(p=0.8)', 'RBPU(p=0.9)', 'RBPU(p=0.98)', 'OIE'),
    *,
    rel: float | None = None,
    work: Work | None = None,
) -> Findings:
    """Where should each list have ended, by truncation-aware measures?"""
