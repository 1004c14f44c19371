"""The experiment on silence by score: errors by hand, on real runs beside loops, its notes and its figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS

experiment = EXPERIMENTS["abstention"]
QRELS: dict[str, dict[str, int]] = {"1": {"a": 1}, "2": {"b": 1}, "3": {}, "4": {}}
RUN = {"1": {"a": 9.0, "b": 1.0}, "2": {"b": 5.0}, "3": {"x": 7.0, "y": 6.5}, "4": {"x": 2.0}}


def test_four_topics_by_hand() -> None:
    """From 2: topics 3 and 4 are wrong; from 5: 3; from 7: 2 and 3; from 9: 2; never: 1 and 2."""
    found = experiment(cf.join(QRELS, {"r": RUN}), cost=2.0)
    curve = found["curve"]
    assert curve["threshold"].to_list() == [2, 5, 7, 9, None]
    assert curve["wrong answers"].to_list() == [2, 1, 1, 0, 0]
    assert curve["wrong silences"].to_list() == [0, 0, 1, 1, 2]
    assert curve["answered"].to_list() == [1, 0.5, 0.5, 0, 0]
    assert curve["silent"].to_list() == [0, 0, 0.5, 0.5, 1]
    assert curve["loss"].to_list() == [4 / 4, 2 / 4, 3 / 4, 1 / 4, 2 / 4]
    [best] = found["best"].rows(named=True)
    assert (best["threshold"], best["loss"], best["always"], best["never"]) == (9, 1 / 4, 1, 2 / 4)
    # Without 1 it is best never to answer (1), so 1 is met by silence; without 2 from 9, and so is 2;
    # without 3 from 5, and 3 is answered (2); without 4 from 9, and 4 is not answered.
    assert best["promised"] == (1 + 1 + 2 + 0) / 4
    assert best["separation"] == 3 / 4
    assert "2 with an answer, 2 without" in found.notes[0]
    assert found.notes[1] == "always or never answering promises as little loss as any threshold: r"


def test_who_lacks_a_topic_is_silent_there_at_every_threshold() -> None:
    run = {"1": {"a": 9.0}, "3": {"x": 1.0}}
    found = experiment(cf.join(QRELS, {"r": run, "none": {"1": {}}}))
    assert found["curve"].filter(run="r")["wrong silences"].to_list() == [1, 1, 2]
    [_, none] = found["best"].rows(named=True)
    assert (none["threshold"], none["wrong answers"], none["wrong silences"], none["promised"]) == (None, 0, 2, 0.5)
    shared = experiment(cf.join(QRELS, {"r": run}, topics="shared"))["best"].row(0, named=True)
    assert (shared["answerable"], shared["unanswerable"], shared["loss"]) == (1, 1, 0)


def test_topics_of_one_kind_have_nothing_to_tell_apart() -> None:
    every = experiment(cf.join({"1": {"a": 1}, "2": {"b": 1}}, {"r": RUN}))
    assert every.notes[0].startswith("every topic has an answer, so no threshold can help")
    [best] = every["best"].rows(named=True)
    assert (best["threshold"], best["loss"], best["always"], best["never"], best["separation"]) == (5, 0, 0, 1, None)
    none = experiment(cf.join({"3": {}, "4": {}}, {"r": RUN}))
    assert none.notes[0].startswith("no topic has an answer")
    [best] = none["best"].rows(named=True)
    assert (best["threshold"], best["loss"], best["always"], best["promised"]) == (None, 0, 1, 0)
    assert none.plot("abstention").description.endswith("loss 0.000, promised 0.000.")


def test_infinite_scores_are_the_highest() -> None:
    found = experiment(cf.join(QRELS, {"r": RUN | {"1": {"a": float("inf")}}}))
    assert found["curve"]["wrong silences"].to_list() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "covid-round1"])
def test_real_runs_beside_plain_loops(data: Path, collection: str) -> None:
    """Every third topic is made one without an answer: its judgments are taken away."""
    folder = data / collection
    judged: dict[str, dict[str, int]] = {}
    for topic, document, grade in cf.read_qrels(folder / "qrels.txt").iter_rows():
        judged.setdefault(topic, {})[document] = grade
    qrels = {topic: grades if number % 3 else {} for number, (topic, grades) in enumerate(judged.items())}
    paths = sorted((folder / "runs").iterdir())[:2]
    runs = cf.join(qrels, [*map(str, paths)])
    found = experiment(runs, cost=0.5)
    answer = {topic: any(grade > 0 for grade in grades.values()) for topic, grades in qrels.items()}
    for run, path in zip(runs.runs, paths, strict=True):
        first: dict[str, float] = {}
        for topic, _, score in cf.read_run(str(path)).iter_rows():
            first[topic] = max(score, first.get(topic, -np.inf))
        for row in found["curve"].filter(run=run).sample(12, seed=1).rows(named=True):
            least = np.inf if row["threshold"] is None else row["threshold"]
            answered = {topic for topic in qrels if first.get(topic, -np.inf) >= least}
            assert row["wrong answers"] == sum(not answer[topic] for topic in answered)
            assert row["wrong silences"] == sum(answer[topic] for topic in qrels.keys() - answered)
        [best] = found["best"].filter(run=run).rows(named=True)
        assert best["loss"] == found["curve"].filter(run=run)["loss"].min()
        assert best["loss"] <= best["promised"]


def test_the_figure_shows_the_steps_and_says_what_they_are() -> None:
    runs: dict[str, Any] = {"r": RUN, '"><b>': RUN | {"4": {"x": 8.0}}}
    figure = experiment(cf.join(QRELS, runs)).plot("abstention")
    [rows, *_] = [data for data in figure.spec["datasets"].values() if len(data) == 10]
    silent = [row["share"] for row in rows if row["error"] == "silent, with an answer"]
    assert silent == [0, 0, 0.5, 0.5, 1]
    assert "r, 2 topics with an answer, 2 without: answer from 5; wrong: 1 answer, 0 silences" in figure.description
    one = experiment(cf.join({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}))
    assert "r, 1 topic with an answer, 0 without" in one.plot("abstention").description
    never = experiment(cf.join(QRELS, {"none": {"1": {}}})).plot("abstention")
    assert "best never to answer" in never.description
    many = experiment(cf.join(QRELS, {f"r{i}": RUN for i in range(11)})).plot("abstention")
    assert len(many.spec["concat"]) == 9


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "topics.txt").write_text("1\n2\n")
    (tmp_path / "mine.run").write_text("1 Q0 a 1 5 mine\n2 Q0 x 1 1 mine\n")
    asked = ["experiment", "abstention", f"{tmp_path}/qrels.txt", f"{tmp_path}/mine.run"]
    alone = CliRunner().invoke(main, asked)
    assert "note: every topic has an answer" in alone.output
    done = CliRunner().invoke(main, [*asked, "--topics-file", f"{tmp_path}/topics.txt", "--table", "best"])
    assert done.exit_code == 0, done.output
    assert pl.Series(done.stdout.split()).str.contains("5.0000").any()
