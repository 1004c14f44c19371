"""When should a system stay silent, and how often is it wrong to?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.experiments.declared import Columns
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Positive
from cranfield.plumbing.tables import QUERY, SCORE
from cranfield.plumbing.wording import named
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.ranks import chance_above
from cranfield.stopping.abstaining import Thresholds, left_out


@experiment
def abstention(runs: JudgedRuns, *, cost: Positive = 1.0) -> Outcome:
    """From which score of its first document on should a system answer, and when is it better to abstain?

    Some questions have no answer in the collection (unanswerable questions, also called no-answer questions). A system
    can stay silent where the score of its first document is below a threshold. It then makes two errors: it answers
    what has no answer, and it is silent where there was one. Every threshold is tried on the judged topics. The loss of
    a topic is ``cost`` for a wrong answer, 1 for a wrong silence, and 0 otherwise.

    The least loss on the judged topics is hindsight. The loss that the chosen threshold promises is estimated by
    leaving out one topic at a time: the threshold that is best on all others decides it. The mean of these losses is
    unbiased for a threshold chosen on one topic less, if the topics to come are drawn as the judged ones were, with the
    same share of questions without an answer.

    A question without an answer is a topic of the qrels with no document of a grade above 0, or of the lowest
    relevant grade where one is given; or a topic that ``topics_file`` lists and nobody judged. A topic that a run
    lacks, or whose list is empty, is silence at every threshold.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; their files are read again for the scores.
    cost
        What a wrong answer costs, where a wrong silence costs 1.

    Tables
    ------
    best
        A row for each run, in the order given.
        run : text
        answerable, unanswerable : whole number
            The number of topics with and without an answer.
        threshold : number
            The lowest first score that is answered, best on these topics; of several, the lowest. Null if
            it is best never to answer.
        wrong answers, wrong silences : whole number
            The errors of this threshold on these topics.
        loss : number
            The mean loss of this threshold on these topics, in hindsight.
        promised : number
            The mean loss of topics that were left out: what to expect on other topics.
        always, never : number
            The mean loss if the run answers wherever it has a list, and if it never answers.
        separation : number
            The chance that a topic with an answer has a higher first score than one without, a tie counting half.
    curve
        A row for each run and threshold, the lowest first.
        run : text
        threshold : number
            The lowest first score that is answered; null in the last row, where nothing is.
        wrong answers, wrong silences : whole number
        answered : number
            The share of the topics without an answer that are answered.
        silent : number
            The share of the topics with an answer that are not.
        loss : number
            The mean loss over all topics.

    Paper: Chow (1970), "On optimum recognition error and reject tradeoff", IEEE Transactions on Information
    Theory 16(1), on rejecting at a cost; Luntz and Brailovsky (1969), on leaving one out.

    Examples
    --------
    Topics 3 and 4 have no answer. A threshold of 5 answers topic 3 wrongly, and nothing else is wrong.

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {}, "4": {}}
    >>> run = {"1": {"a": 9.0}, "2": {"b": 5.0}, "3": {"x": 7.0}, "4": {"x": 2.0}}
    >>> found = abstention(join(qrels, {"mine": run}))
    >>> found["best"].select("threshold", "wrong answers", "wrong silences", "loss", "promised").rows()
    [(5.0, 1, 0, 0.25, 0.5)]
    """
    answer = runs.judgments.recall_base(runs.grading.rel) > 0
    best, curves = list[Columns](), list[pl.DataFrame]()
    for number, run in enumerate(runs.runs):
        there = runs.present[number] | (runs.reading.lacked != "left out")
        row, curve = _of_run(run, _first_scores(runs, number)[there], answer[there], cost)
        best.append(row)
        curves.append(curve)
    return Outcome({"best": best, "curve": pl.concat(curves)}, _notes(best, answer))


def _first_scores(runs: JudgedRuns, number: int) -> Floats:
    """Return the score of each topic's first document, which is finite; -inf where the list is empty."""
    ranked = read_ranked(runs.sources[number], runs.reading)
    most = np.finfo(np.float64).max
    firsts = dict(ranked.group_by(QUERY).agg(pl.col(SCORE).first().clip(-most, most)).iter_rows())
    return np.array([firsts.get(topic, -np.inf) for topic in runs.topics])


def _of_run(run: str, first: Floats, answer: Booleans, cost: float) -> tuple[Columns, pl.DataFrame]:
    """Try all thresholds on one run."""
    topics, answerable = len(answer), int(answer.sum())
    found = Thresholds.of(first, answer)
    loss = found.losses(cost) / max(topics, 1)
    curve = pl.DataFrame(
        {
            "run": run,
            "threshold": pl.Series([None if np.isinf(each) else each for each in found.threshold], dtype=pl.Float64),
            "wrong answers": found.wrong_answers,
            "wrong silences": found.wrong_silences,
            "answered": found.wrong_answers / max(topics - answerable, 1),
            "silent": found.wrong_silences / max(answerable, 1),
            "loss": loss,
        }
    )
    best = curve.drop("answered", "silent").row(int(np.argmin(loss)), named=True)
    row: Columns = {"run": run, "answerable": answerable, "unanswerable": topics - answerable} | best
    row["promised"] = float(left_out(first, answer, cost).mean()) if topics else 0.0
    row |= {"always": float(loss[0]), "never": float(loss[-1])}
    return row | {"separation": chance_above(first[answer], first[~answer])}, curve


def _notes(best: Sequence[Columns], answer: Booleans) -> Iterator[str]:
    if answer.all() or not answer.any():
        which = "every topic has" if answer.all() else "no topic has"
        yield (
            f"{which} an answer, so no threshold can help; an unanswerable question is a topic whose grades are all 0, "
            "or one listed only in --topics-file"
        )
        return
    sizes = list({(row["answerable"], row["unanswerable"]) for row in best})
    of = f" ({sizes[0][0]} with an answer, {sizes[0][1]} without)" if len(sizes) == 1 else ""
    yield f"promised: the expected loss on topics drawn as these were{of}, estimated by leaving out one at a time"
    useless = pl.DataFrame(best).filter(pl.col("promised") >= pl.min_horizontal("always", "never"))["run"].to_list()
    if useless:
        yield f"always or never answering promises as little loss as any threshold: {named(useless)}"
