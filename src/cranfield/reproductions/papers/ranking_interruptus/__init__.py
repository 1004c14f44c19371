"""Amigó, Mizzaro and Spina (2022): when lists should end, and which measures know it."""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.experiments.truncation import TRUNCATED
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.reproductions.claims import ClaimSetting
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.study import Study, StudyFindings

DATA: Final = "means over nine TREC ad hoc collections of 33 to 129 systems, 50 to 249 topics, lists of 1,000"
"""What the paper's experiments are on."""
NINE_TRACKS: Final = ClaimSetting(runs=33, topics=20, depth=1000, pool=50)
"""The fewest systems and the shallowest pool of the paper's nine collections; the pool is TeraByte'06's."""

PAPER: Final = Paper(
    "ranking-interruptus",
    "Ranking interruptus: when truncated rankings are better and how to measure that",
    "Amigó, Mizzaro and Spina (2022), SIGIR",
    conditions=DATA,
    of=NINE_TRACKS,
)

TERMINAL: Final = ("NDCGT", "ERRT", "RBPT(p=0.8)", "RBPT(p=0.9)", "RBPT(p=0.98)")
CASCADES: Final = ("ERRU", "RBU(p=0.8)", "RBU(p=0.9)", "RBU(p=0.98)")
RBPUS: Final = ("RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)")
UTILITIES: Final = ("FlatUtility", "DCGU", *RBPUS, *CASCADES)
CUTTING: Final = ("SetF", "FlatUtility", *TRUNCATED)
"""By which lists are cut for Figure 2."""
ARITHMETIC: Final = "This is arithmetic and needs no runs."
NINE: Final = (
    "In the paper: means over nine TREC collections of 33 to 129 systems and 50 to 249 topics. Pictures and "
    "tables here use your collections; verdicts use the first."
)


def cut_lists(study: Study) -> pl.DataFrame:
    """Return where each list of the first collection should end by each measure: run, topic, measure, length, value."""
    return study.by_name(study.of_first(study.experiment("truncation", everywhere=True), "lists"), CUTTING)


def cut_values(study: Study) -> dict[str, Floats]:
    """Return what the best lists of the first collection are worth, by measure: arrays of shape (runs, topics)."""
    panel = study.panel("AP")
    run, topic = ({name: at for at, name in enumerate(names)} for names in (panel.runs, panel.topics))
    values = dict[str, Floats]()
    for (measure,), rows in cut_lists(study).filter(pl.col("topic").is_in(panel.topics)).group_by("measure"):
        of = np.zeros((len(run), len(topic)))
        of[[run[name] for name in rows["run"]], [topic[name] for name in rows["topic"]]] = rows["value"].to_numpy()
        values[str(measure)] = of
    return values


def truncated(study: Study) -> StudyFindings:
    """Correlate cut lists and full ones, on all collections."""
    return study.experiment("truncated-correlation", everywhere=True)
