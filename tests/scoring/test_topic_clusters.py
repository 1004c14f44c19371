"""Topics that belong together: how clusters are read, and what rests on them at every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison.methods import TESTS
from cranfield.comparison.planning import plan_topics
from cranfield.experiments import certificate
from cranfield.formats import read_qrels
from cranfield.judged.topic_ids import shared_prefixes
from cranfield.scoring.clusters import Clusters
from cranfield.scoring.panel import scores_of
from cranfield.statistics.weighted_means import weighted_means, weighted_t_interval

SIZES = [3, 1, 4, 2, 5, 2, 3, 1]
TOPICS = [f"{talk}_{turn}" for talk, size in enumerate(SIZES, 31) for turn in range(1, size + 1)]
CLUSTERS = {topic: topic.partition("_")[0] for topic in TOPICS}
ALONE = {topic: topic for topic in TOPICS}
RANDOM = np.random.default_rng(1)
QRELS = {topic: {d: int(RANDOM.integers(0, 2)) for d in "abcdef"} | {"g": 1} for topic in TOPICS}
RUNS = {name: {topic: list(RANDOM.permutation([*"abcdefg"])) for topic in TOPICS} for name in ("old", "now", "new")}
TWO = {name: RUNS[name] for name in ("old", "now")}


def table(values: dict[str, list[float]], topics: list[str] = TOPICS) -> pl.DataFrame:
    rows = [(run, topic, "AP", x) for run, of in values.items() for topic, x in zip(topics, of, strict=True)]
    return pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")


def test_clusters_are_read_from_files_frames_and_dicts(tmp_path: Path) -> None:
    words, cells, own = tmp_path / "c.txt", tmp_path / "c.csv", tmp_path / "own.csv"
    words.write_text("".join(f"{topic} {of}\n" for topic, of in CLUSTERS.items()))
    cells.write_text("cluster,topic\n" + "".join(f"{of},{topic}\n" for topic, of in CLUSTERS.items()))
    own.write_text("topic,talk\n" + "".join(f"{topic},{of}\n" for topic, of in CLUSTERS.items()))
    frame = pl.DataFrame({"topic": TOPICS, "conversation": list(CLUSTERS.values())})
    expected = [talk for talk, size in enumerate(SIZES) for _ in range(size)]
    for given in (words, cells, frame, CLUSTERS, {topic: int(of) for topic, of in CLUSTERS.items()}):
        assert Clusters.taken(given).over(TOPICS).tolist() == expected
    found = cf.compare(QRELS, RUNS, "AP", clusters=str(own), columns={"cluster": "talk"})
    assert found.clusters == 8


def test_a_certificate_reads_clusters_by_the_names_of_their_columns(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("topic,talk\n" + "".join(f"{topic},{of}\n" for topic, of in CLUSTERS.items()))
    qrels = "".join(f"{topic} 0 {d} {grade}\n" for topic, of in QRELS.items() for d, grade in of.items())
    (tmp_path / "qrels.txt").write_text(qrels)
    for name, lists in TWO.items():
        lines = (f"{t} Q0 {d} {at} {-at} {name}\n" for t, of in lists.items() for at, d in enumerate(of, 1))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("qrels.txt", "old.run", "now.run")]
    clusters = ["--clusters", str(tmp_path / "own.csv"), "--columns", "cluster=talk"]
    done = CliRunner().invoke(main, ["experiment", "certificate", *files, *clusters, "-m", "AP", "--resamples", "99"])
    assert done.exit_code == 0, done.output
    assert "bootstrap-t over 21 topics in 8 clusters)" in done.output
    assert "look like parts of" not in done.output


@each_of(
    ("given", "problem"),
    [
        ({"31_1": "31"}, r"20 of 21 topics have no cluster: 31_2, 31_3, .*; give each topic one; a single topic"),
        (CLUSTERS | {"31_1": ""}, "the cluster is missing"),
        (dict.fromkeys(TOPICS, "1"), "all 21 topics are in one cluster"),
        (7, "clusters must be a file, a DataFrame or a dict, not 7"),
        (pl.DataFrame({"topic": ["31_1"] * 2, "cluster": ["a", "b"]}), "topic '31_1' has a second cluster: a and b"),
    ],
)  # fmt: skip
def test_what_is_no_clustering_is_refused(given: Any, problem: str) -> None:
    for call in (
        lambda: cf.compare(QRELS, RUNS, "AP", clusters=given),
        lambda: cf.gate(QRELS, TWO, "AP", clusters=given),
        lambda: plan_topics(cf.evaluate(QRELS, RUNS, "AP"), 0.1, clusters=given),
    ):
        with pytest.raises(cf.InputError, match=problem):
            call()


def test_a_comparison_by_hand() -> None:
    """Four clusters of two: their means differ by .1, .2, .3 and .2: t = .2 / √(.02/3 / 4), with 3 degrees."""
    topics = [f"{k}.{j}" for k in range(4) for j in range(2)]
    apart = [0.0, 0.2, 0.1, 0.3, 0.2, 0.4, 0.3, 0.1]
    scores = table({"x": [0.5 + each for each in apart], "y": [0.5] * 8}, topics)
    clusters = {topic: topic[0] for topic in topics}
    found = cf.compare_scores(scores, clusters=clusters, worthwhile=0.1)
    [row] = found.to_polars().iter_rows(named=True)
    assert (row["difference"], row["statistic"]) == pytest.approx((0.2, 0.2 / np.sqrt(0.02 / 3 / 4)))
    assert row["p"] == pytest.approx(0.01628, abs=1e-5)  # t = 4.899
    assert row["p_adjusted"] == 2 / 2**4  # of 16 patterns two reach it
    assert row["topics_needed"] == 2 * row["clusters_needed"]
    assert row["effect"] == pytest.approx(0.2 / np.sqrt(np.var(apart) + 0.02 / 3 / 4))
    assert "Means over 8 topics in 4 clusters" in found.caption()
    assert "paired cluster-robust t-test" in found.method
    assert "4 clusters are too few for any verdict; at least 6 are needed" in found.notes
    assert "On 8 topics in 4 clusters, x does not differ" in found.paragraph()
    assert cf.Comparison.from_dict(found.to_dict()) == found


def test_unequal_clusters_are_their_means_weighted_by_size() -> None:
    found = cf.compare(QRELS, TWO, "AP", clusters=CLUSTERS)
    scores = cf.evaluate(QRELS, TWO, "AP").values[0]
    means = [
        (scores[0] - scores[1])[[of == talk for of in CLUSTERS.values()]].mean() for talk in map(str, range(31, 39))
    ]
    sizes = np.array(SIZES, float)
    by_hand = weighted_means([means], sizes, 1 / sizes)
    [row] = found.to_polars().iter_rows(named=True)
    assert row["difference"] == pytest.approx(by_hand.mean[0])
    assert row["statistic"] == pytest.approx(by_hand.mean[0] / by_hand.error[0])
    low, high = weighted_t_interval([means], sizes, variances=1 / sizes)
    assert (row["low"], row["high"]) == pytest.approx((low[0], high[0]))


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert one.height == other.height
    for name in one.columns:
        if one[name].dtype.is_float():
            ours, theirs = (table[name].fill_null(-1.0).to_list() for table in (one, other))
            assert ours == pytest.approx(theirs, rel=1e-12, nan_ok=True), name
        else:
            assert one[name].to_list() == other[name].to_list(), name


@each_of("test", ["t", "randomisation"])
def test_clusters_of_one_topic_change_no_number(test: str) -> None:
    options: Any = {"margin": 0.05, "worthwhile": 0.1, "test": test, "resamples": 500}
    one, other = (cf.compare(QRELS, RUNS, ["AP", "RR"], clusters=of, **options).to_polars() for of in (None, ALONE))
    same(one, other.drop("clusters_needed"))


def test_nor_of_gates_certificates_and_plans() -> None:
    one, other = (cf.gate(QRELS, TWO, ["AP", "RR"], clusters=of).to_polars() for of in (None, ALONE))
    same(one.drop("why"), other.drop("why"))
    for less, more in zip(one["why"], other["why"], strict=True):
        assert more.replace("cluster", "topic") == less
    joined = cf.join(QRELS, RUNS)
    found, alone = (certificate(joined, "AP", clusters=of, resamples=99) for of in (None, ALONE))
    for name in ("ranks", "pairs", "documents"):
        same(found[name], alone[name])
    scores = cf.evaluate(QRELS, RUNS, "AP")
    plan, planned = (plan_topics(scores, 0.1, clusters=of).to_polars() for of in (None, ALONE))
    same(plan.drop("anova"), planned.drop("anova", "design_effect", "clusters"))
    assert planned["anova"].to_list() == [None]
    assert planned["design_effect"][0] == pytest.approx(1)


def test_copies_of_topics_are_worth_no_more_than_one() -> None:
    """Each topic twice: as independent topics p falls; in clusters nothing changes but the number of topics."""
    values = {"x": list(RANDOM.random(12)), "y": list(RANDOM.random(12))}
    once = [str(topic) for topic in range(12)]
    twice = [f"{topic}-{copy}" for copy in (1, 2) for topic in once]
    doubled = table({run: of * 2 for run, of in values.items()}, twice)
    one, other, naive = (
        cf.compare_scores(table(values, once)),
        cf.compare_scores(doubled, clusters={topic: topic.partition("-")[0] for topic in twice}),
        cf.compare_scores(doubled),
    )
    for name in ("difference", "low", "high", "p", "p_adjusted", "detectable"):
        assert other.to_polars()[name].to_list() == pytest.approx(one.to_polars()[name].to_list()), name
    assert naive.to_polars()["p"][0] < one.to_polars()["p"][0]
    plan = plan_topics(doubled, 0.1, clusters={topic: topic.partition("-")[0] for topic in twice}).to_polars()
    assert plan["design_effect"][0] == pytest.approx(2 * 23 / 22)
    assert plan["t"][0] == 2 * plan["clusters"][0] == 2 * plan_topics(table(values, once), 0.1).to_polars()["t"][0]


def test_other_tests_and_questions_are_refused() -> None:
    scores = table({"x": list(RANDOM.random(21)), "y": list(RANDOM.random(21))})
    for name in TESTS:
        if not TESTS[name].of_clusters:
            with pytest.raises(
                cf.InputError, match=f"in clusters, and {name} is not defined with clusters; t and rando"
            ):
                cf.compare_scores(scores, clusters=CLUSTERS, test=name, baseline="y" if name == "dunnett" else None)
    with pytest.raises(cf.InputError, match="max-t is not defined with clusters; those that take p-values alone"):
        cf.compare_scores(scores, clusters=CLUSTERS, correction="max-t")


def test_weights_and_clusters_together() -> None:
    """Weights of 1 change nothing; a topic that counts twice is two topics of its cluster."""
    scores = cf.evaluate(QRELS, TWO, ["AP", "RR"])
    for test in ("t", "randomisation"):
        alone = cf.compare_scores(scores, clusters=CLUSTERS, test=test).to_polars()
        same(
            cf.compare_scores(scores, clusters=CLUSTERS, weights=dict.fromkeys(TOPICS, 1.0), test=test).to_polars()
            .drop("detectable"),
            alone.drop("detectable", "clusters_needed", strict=False),
        )  # fmt: skip
    weights = {topic: 2.0 if topic == TOPICS[0] else 1.0 for topic in TOPICS}
    [row] = (
        cf.compare_scores(scores, clusters=CLUSTERS, weights=weights).to_polars().filter(measure="AP").rows(named=True)
    )
    values = scores.values[0]
    twice = [*(values[0] - values[1]), values[0, 0] - values[1, 0]]
    assert row["difference"] == pytest.approx(np.mean(twice))
    gated = cf.gate(QRELS, TWO, "AP", clusters=CLUSTERS, weights=weights)
    assert gated.rows["difference"][0] == pytest.approx(-np.mean(twice))
    assert gated.rows["low"][0] == pytest.approx(-row["high"])
    with pytest.raises(cf.InputError, match="in clusters, and wilcoxon is not defined with clusters; t and randomis"):
        cf.compare_scores(scores, clusters=CLUSTERS, weights=weights, test="wilcoxon")


def test_groups_of_topics_in_clusters_are_tested_by_clusters() -> None:
    """Each group as if it were all; a group of one cluster has its differences, and no test."""
    random = np.random.default_rng(1)
    topics = [f"{talk}_{turn}" for talk in range(17) for turn in range(4)]
    values = {run: list(random.random(68) + shift) for run, shift in (("x", 0.3), ("y", 0.0))}
    scores, clusters = table(values, topics), {topic: topic.partition("_")[0] for topic in topics}
    group = {t: "early" if int(clusters[t]) < 8 else "late" if int(clusters[t]) < 16 else "last" for t in topics}
    rows = cf.compare_groups(scores, group, clusters=clusters, correction="none", margin=0.1).to_polars()
    for name in ("early", "late"):
        some = scores.filter(pl.col("topic").is_in([t for t in topics if group[t] == name]))
        alone = cf.compare_scores(some, clusters=clusters, correction="none", margin=0.1).to_polars()
        for column in ("difference", "low", "high", "p", "p_adjusted", "p_not_worse", "not_worse", "effect"):
            assert rows.filter(group=name)[column][0] == pytest.approx(alone[column][0]), column
    [last] = rows.filter(group="last").rows(named=True)
    assert last["too_small"] and last["p"] is last["not_worse"] is None and last["topics"] == 4
    weighted = cf.compare_groups(scores, group, clusters=clusters, weights=dict.fromkeys(topics, 3.0)).to_polars()
    assert weighted["p"].to_list() == pytest.approx(rows["p"].to_list())


def test_scores_of_a_table_rest_on_its_clusters() -> None:
    random = np.random.default_rng(2)
    topics = [f"{talk}_{turn}" for talk in range(9) for turn in range(3)]
    values = {run: list(random.random(27) + shift) for run, shift in (("x", 0.2), ("y", 0.0), ("z", 0.1))}
    clusters = {topic: topic[0] for topic in topics}
    scores = scores_of(table(values, topics), clusters=clusters)
    compared = cf.compare_scores(scores, correction="holm").to_polars()
    assert cf.compare_scores(table(values, topics), clusters=clusters).to_polars().equals(compared)
    behind = scores.behind_best()
    assert behind["clusters"].to_list() == [9] * 3
    told = {row["run"]: row["below"] for row in behind.rows(named=True)}
    pairs = compared.filter(pl.col("run_a") == "x")
    assert {run: told[run] for run in "yz"} == dict(pairs.select("run_b", "significant").iter_rows())
    means = np.array(values["x"]).reshape(9, 3).mean(axis=1)
    [low] = scores.intervals().filter(run="x")["low"]
    assert low == pytest.approx(means.mean() - 2.306004 * means.std(ddof=1) / 3, abs=1e-6)
    assert "paired cluster-robust t-test" in scores.plot("leaderboard").subtitle
    assert "27 topics in 9 clusters" in scores.caption()
    [alone] = scores.of_topics([t for t in topics if t[0] == "1"]).intervals().filter(run="x").rows(named=True)
    assert alone["low"] is None and alone["topics"] == 3
    with pytest.raises(cf.InputError, match="in clusters, but residuals are tested topic by topic"):
        cf.compare(QRELS, RUNS, "AP", clusters=CLUSTERS, residuals=True)
    assert cf.compare(QRELS, TWO, "AP", clusters=CLUSTERS, dominance=True).clusters == 8


def test_a_column_of_clusters_counts_at_every_door() -> None:
    values = {"x": list(RANDOM.random(21)), "y": list(RANDOM.random(21) + 0.1)}
    plain = table(values)
    column = plain.with_columns(pl.col("topic").replace_strict(CLUSTERS).alias("cluster"))
    for scores, clusters in ((column, None), (plain, CLUSTERS)):
        board = cf.leaderboard(scores, clusters=clusters, worthwhile=0.05, resamples=199)
        compared = cf.compare_scores(scores, clusters=clusters, worthwhile=0.05, baseline="y").to_polars()
        assert compared["clusters_needed"][0] > 8
        assert board.rows["detectable"][1] == pytest.approx(compared["detectable"][0])
        assert board.rows["more_topics"][1] == compared["topics_needed"][0] - 21
        assert board.rows["more_clusters"][1] == compared["clusters_needed"][0] - 8
        assert "more clusters" in board.table().columns
        assert "21 topics in 8 clusters: topics of one cluster are drawn together" in board.notes
    alone = cf.leaderboard(plain, worthwhile=0.05, resamples=199)
    assert alone.rows["detectable"][1] != pytest.approx(board.rows["detectable"][1])
    assert any("look like parts of 6 clusters" in note for note in alone.notes)
    groups = {topic: topic > "34" for topic in TOPICS}
    by_column, by_file = cf.compare_groups(column, groups), cf.compare_groups(plain, groups, clusters=CLUSTERS)
    assert by_column.to_polars().equals(by_file.to_polars()) and "cluster-robust" in by_column.says


def test_a_gate_counts_clusters() -> None:
    found = cf.gate(QRELS, TWO, "AP", clusters=CLUSTERS)
    assert found.clusters == 8
    assert "21 topics in 8 clusters, margin 0.01, paired cluster-robust t-test, two-sided" in found.caption()
    assert "below 25 clusters with sign flips" in found.caption()
    assert "more clusters like these: " in found.rows["why"][0]
    few = cf.gate(QRELS, TWO, "AP", clusters={topic: int(topic[:2]) % 5 for topic in TOPICS})
    assert few.rows["why"][0] == "too few clusters for any verdict: at least 6"
    groups = {topic: "first" if topic < "34" else "last" for topic in TOPICS}
    by_group = cf.gate(QRELS, TWO, "AP", clusters=CLUSTERS, groups=groups).by_group
    assert by_group is not None
    assert by_group["verdict"].to_list() == ["undecided"] * 2
    of_one = cf.gate(
        QRELS, TWO, "AP", clusters=CLUSTERS, groups={t: "one" if t[:2] == "35" else "rest" for t in TOPICS}
    )
    assert of_one.by_group is not None
    assert dict(of_one.by_group.select("group", "verdict").iter_rows())["one"] is None  # five topics of one cluster


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    file, scores = tmp_path / "c.txt", tmp_path / "s.csv"
    file.write_text("".join(f"{topic} {of}\n" for topic, of in CLUSTERS.items()))
    values = {"x": list(RANDOM.random(21)), "y": list(RANDOM.random(21))}
    table(values).write_csv(scores)
    done = CliRunner().invoke(main, ["compare", "--scores", str(scores), "--clusters", str(file), "--format", "csv"])
    assert done.exit_code == 0, done.output
    shown = pl.read_csv(done.stdout.encode())
    expected = cf.compare_scores(table(values), clusters=CLUSTERS).to_polars()
    assert shown["p"].to_list() == pytest.approx(expected["p"].to_list())
    assert "21 topics look like" not in done.stderr
    naive = CliRunner().invoke(main, ["compare", "--scores", str(scores)])
    assert "19 topics look like parts of 6 clusters (31_1 and 31_2 of 31)" in naive.stderr
    assert "reads lines such as `31_1 31`" in naive.stderr
    planned = CliRunner().invoke(main, ["topics", str(scores), "--clusters", str(file)])
    assert "21 topics in 8 clusters: paired cluster-robust t-test" in planned.stderr


def test_the_audit_says_where_ids_look_clustered_until_clusters_are_given() -> None:
    for clusters, looks in ((None, True), (CLUSTERS, False)):
        for found in (cf.compare(QRELS, TWO, "AP", clusters=clusters), cf.gate(QRELS, TWO, "AP", clusters=clusters)):
            assert found.audit is not None
            assert ("clusters" in {each.code for each in found.audit.findings}) is looks


@each_of(
    ("topics", "clustered"),
    [
        ([f"doc{d}#{q}" for d in range(6) for q in (0, 3)], True),
        ([f"owner__repo{r}-{n}" for r in range(5) for n in (11099, 12)], True),
        ([f"9-{p}_{turn}" for p in range(5) for turn in range(3)], True),
        ([f"{t}.{s}" for t in range(1, 51) for s in range(1, 4)], True),
        ([f"2020-{n}" for n in range(1, 51)], False),  # one prefix
        ([f"{year}-{n}" for year in range(2015, 2024) for n in range(10)], False),  # years are no clusters
        ([f"2020-{month:02}-{day:02}" for month in range(1, 10) for day in (1, 2)], False),
        ([f"PLAIN-{n}" for n in range(300)], False),
        ([f"q{n}_1" for n in range(50)], False),  # nothing is shared
        ([*(f"{k}_{j}" for k in range(6) for j in (1, 2)), *map(str, range(100, 120))], False),  # most are alone
        ([], False),
    ],
)  # fmt: skip
def test_the_rule_for_ids(topics: list[str], clustered: bool) -> None:
    assert (shared_prefixes(topics) is not None) is clustered


@each_of("name", ["trec8-adhoc", "dl19-passage", "covid-round1", "llmjudge-2024"])
def test_real_collections_of_independent_topics_do_not_look_clustered(data: Path, name: str) -> None:
    assert shared_prefixes(read_qrels(data / name / "qrels.txt")["query_id"].unique().to_list()) is None
