"""Lists beside empty ones, on topics with and without an answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tools.real_runs import Joined

from cranfield import evaluate, join
from cranfield.cli import main
from cranfield.experiments.silence import silence
from cranfield.measures import RBU
from cranfield.measures.framework.names import parse_measure
from cranfield.scoring.judged_runs import JudgedRuns

QRELS = {"1": {"a": 1, "b": 1}, "2": {"x": 0}}
RUNS = {
    "careful": {"1": {"a": 2.0}, "2": {"x": 1.0}},
    "eager": {"1": {"x": 3.0, "a": 2.0, "y": 1.0}, "2": {"x": 3.0, "y": 2.0, "z": 1.0}},
}


def joined(**asked: str) -> JudgedRuns:
    return join(QRELS, RUNS, **asked)  # type: ignore[arg-type]


def test_two_runs_by_hand() -> None:
    """Flat utility with e = 1/2: on topic 1 the runs have 1 - 1/2 and 1 - 3/2, on topic 2 they have -1/2 and -3/2."""
    found = silence(joined(), "FlatUtility(e=0.5)")["silence"]
    answered, other, every = found.rows(named=True)
    assert (answered["answer"], other["answer"], every["answer"]) == ("yes", "no", "all")
    assert (answered["lists"], answered["gained"], answered["better"], answered["place"]) == (0, 0, 1 / 2, 2)
    assert (other["lists"], other["gained"], other["better"], other["place"]) == (-1, 1, 1, 1)
    assert (every["lists"], every["gained"], every["better"], every["place"]) == (-1 / 2, 1 / 2, 3 / 4, 1)


def test_terminal_documents_have_all_of_nothing() -> None:
    """Without an answer the terminal document is perfect, at rank 1 of an empty list and at 2 and 4 of the others."""
    [_, other, _] = silence(joined(), "RBPT(p=0.5)")["silence"].rows(named=True)
    assert other["silent"] == 1 / 2
    assert other["lists"] == pytest.approx((1 / 4 + 1 / 16) / 2)


def test_where_less_is_better_silence_gains_by_what_is_less() -> None:
    [answered, *_] = silence(joined(), "ESL")["silence"].rows(named=True)
    assert answered["gained"] == pytest.approx(answered["lists"] - answered["silent"])


def test_topics_that_a_run_lacks_are_silence_if_they_are_said_to_be() -> None:
    lacking = {"half": {"1": {"a": 1.0}}}
    zero = silence(join(QRELS, lacking), "RBPT(p=0.5)")["silence"].filter(answer="no").row(0, named=True)
    said = (
        silence(join(QRELS, lacking, missing="empty"), "RBPT(p=0.5)")["silence"].filter(answer="no").row(0, named=True)
    )
    assert (zero["lists"], zero["gained"], zero["place"]) == (0, 1 / 2, 1)
    assert (said["lists"], said["gained"], said["place"]) == (1 / 2, 0, 1)


def test_relevance_levels_make_topics_without_an_answer() -> None:
    runs = join({"1": {"a": 2}, "2": {"a": 1}}, {"mine": {t: {"a": 1.0} for t in "12"}})
    assert silence(runs, "AP").notes == ("every topic has an answer",)
    strict = silence(runs, "AP", rel=2)["silence"]
    assert strict.select("answer", "topics").rows() == [("yes", 1), ("no", 1), ("all", 2)]


@pytest.mark.parametrize(
    "measure",
    ["AP", "RBU(p=0.98)", *(pytest.param(name, marks=pytest.mark.integration) for name in ("OIE", "NDCGT", "DCGU"))],
)
def test_dl19_beside_plain_loops(joined: Joined, measure: str) -> None:
    runs = joined("dl19-passage")
    row = silence(runs, measure)["silence"].filter(answer="all").row(0, named=True)
    scores = evaluate(runs, measures=measure)
    nobody: dict[str, dict[str, dict[str, float]]] = {"nobody": {topic: {} for topic in runs.topics}}
    silent = evaluate(runs.judgments, nobody, measure, missing="empty").values[0, 0]
    values = scores.values[0]
    assert row["silent"] == pytest.approx(silent.mean())
    assert row["better"] == pytest.approx(np.mean([silent[t] > run[t] for run in values for t in range(len(silent))]))
    assert row["place"] == 1 + sum(run.mean() > silent.mean() for run in values)
    assert str(parse_measure(measure)) == row["measure"]


def test_a_run_that_says_nothing_is_the_best_by_rbu(joined: Joined) -> None:
    """A list gains 1 - p at most and costs e (1 - p^n): for p = 0.98 and e = 1/20 that is more from n = 26 on."""
    assert 0.05 * (1 - 0.98**25) < 1 - 0.98 < 0.05 * (1 - 0.98**26)
    assert all(RBU(p=0.98).of([4] * relevant + [0] * (26 - relevant)) < 0 for relevant in range(27))
    for collection in ("trec8-adhoc", "covid-round1"):
        runs = joined(collection)
        assert silence(runs, "RBU(p=0.98)")["silence"]["place"].unique().to_list() == [1]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 x 0\n")
    (tmp_path / "mine.run").write_text("1 Q0 a 1 1 mine\n2 Q0 x 1 1 mine\n")
    asked = ["experiment", "silence", f"{tmp_path}/qrels.txt", f"{tmp_path}/mine.run", "-m", "FlatUtility"]
    said = CliRunner().invoke(main, asked)
    assert said.exit_code == 0
    assert [line.split()[:3] for line in said.output.splitlines() if line.startswith("FlatUtility")] == [
        ["FlatUtility", "yes", "1"],
        ["FlatUtility", "no", "1"],
        ["FlatUtility", "all", "2"],
    ]
