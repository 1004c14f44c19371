"""Judging: by hand, and against plain loops that choose by the definition and rewrite the qrels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.campaigns import simulate
from cranfield.experiments import Findings, Work
from cranfield.experiments.judging import judging
from cranfield.measures.user_models import RBP
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.scoring.judged_runs import JudgedRuns, join
from cranfield.scoring.scores import Scores
from cranfield.selection import METHODS, Candidates
from cranfield.selection.simulation import Simulation

Grades = dict[str, dict[str, float]]
Ranks = dict[str, dict[str, dict[str, int]]]

BUDGETS = (5, 20, 60)
PS = (0.5, 0.8)


def ranking(*documents: str) -> dict[str, dict[str, float]]:
    return {"1": {document: -float(rank) for rank, document in enumerate(documents)}}


@pytest.fixture(scope="module")
def campaign() -> tuple[Grades, dict[str, pl.DataFrame]]:
    """A dozen runs, some odd, of six topics, of which the qrels have five; not all documents are judged."""
    made = simulate(systems=12, topics=6, depth=8, pool_depth=4)
    qrels: Grades = {}
    for topic, document, grade in made.qrels.rows():
        qrels.setdefault(topic, {})[document] = grade
    return dict(list(qrels.items())[:5]), dict(made.runs())


@pytest.fixture(scope="module")
def study(campaign: tuple[Grades, dict[str, pl.DataFrame]]) -> JudgedRuns:
    return join(*campaign)


@pytest.fixture(scope="module")
def simulation(study: JudgedRuns) -> Simulation:
    return Simulation(Candidates.gather(study).of_topics(study.topics), study.judgments)


@pytest.fixture(scope="module")
def found(study: JudgedRuns) -> Findings:
    return judging(study, budgets=BUDGETS, evaluation_p=PS, top=0.5)


def ranks_of(runs: dict[str, pl.DataFrame], topics: Grades) -> Ranks:
    ranks: Ranks = {}
    for name, table in runs.items():
        ranks[name] = {}
        for topic in topics:
            rows = table.filter(query_id=topic).sort("score", "doc_id", descending=True)
            if rows.height:
                ranks[name][topic] = {document: i for i, document in enumerate(rows["doc_id"], 1)}
    return ranks


def documents_of(simulation: Simulation, places: Integers) -> list[tuple[str, str]]:
    candidates = simulation.candidates
    return [(candidates.topics[candidates.topic[place]], candidates.document[int(place)]) for place in places]


@pytest.mark.parametrize("bypass", [False, True])
@pytest.mark.parametrize("method", ["pool", "A", "B", "C"])
def test_every_choice_is_the_heaviest_by_the_definition(
    campaign: tuple[Grades, dict[str, pl.DataFrame]], simulation: Simulation, method: str, bypass: bool
) -> None:
    qrels, runs = campaign
    p, ranks = 0.8, ranks_of(runs, qrels)
    open_ = {(t, d) for topics in ranks.values() for t, retrieved in topics.items() for d in retrieved}
    base = {(run, t): 0.0 for run, topics in ranks.items() for t in topics}
    residual = dict.fromkeys(base, 1.0)

    def weight(topic: str, document: str) -> float:
        parts = [0.0]
        for run, topics in ranks.items():
            if document in topics.get(topic, {}):
                c, b, r = (1 - p) * p ** (topics[topic][document] - 1), base[run, topic], residual[run, topic]
                parts.append({"pool": c, "A": c, "B": c * r, "C": c * r * (b + r / 2) ** 3}[method])
        return max(parts) if method == "pool" else sum(parts)

    session = simulation.session(method, RBP(p=p), 80, bypass=bypass)
    for topic, document in documents_of(simulation, session):
        assert weight(topic, document) == pytest.approx(max(weight(t, d) for t, d in open_), rel=1e-9)
        open_.remove((topic, document))
        grade = qrels[topic].get(document)
        if bypass and grade is None:
            continue
        for run, topics in ranks.items():
            if document in topics.get(topic, {}):
                c = (1 - p) * p ** (topics[topic][document] - 1)
                base[run, topic] += c * max(grade or 0, 0) / 2  # grades go up to 2
                residual[run, topic] -= c
    judged = sum(d in qrels[t] for t, d in documents_of(simulation, session))
    assert (judged if bypass else len(session)) == 80
    assert judged < len(session)  # the qrels lack some of them


def rewritten(
    campaign: tuple[Grades, dict[str, pl.DataFrame]], chosen: list[tuple[str, str]], measures: list[str], extra: int
) -> Scores:
    """Evaluate with qrels that hold the chosen documents, those never judged as grade 0.

    A document that no run has keeps every topic in the qrels and, with grade 2, their scale.
    """
    qrels, runs = campaign
    smaller: Grades = {topic: {"in no run": extra} for topic in qrels}
    for topic, document in chosen:
        smaller[topic][document] = qrels[topic].get(document, 0)
    return cf.evaluate(smaller, runs, measures)


def test_ranges_and_residuals_are_those_of_an_evaluation_under_rewritten_qrels(
    campaign: tuple[Grades, dict[str, pl.DataFrame]], study: JudgedRuns, simulation: Simulation, found: Findings
) -> None:
    names = [f"{name}(p=0.8)" for name in ("RBP", "RBPProjected", "RBPResidual")]
    ap = study.scores([cf.measures.REGISTRY["AP"]()]).averages[0]
    by_ap = np.argsort(-ap, kind="stable")
    top = by_ap[:6]
    for method in ("pool", "C"):
        session = simulation.session(method, RBP(p=0.8), BUDGETS[-1])
        for budget in BUDGETS:
            chosen = documents_of(simulation, session[:budget])
            means = rewritten(campaign, chosen, names, 2).averages[:, by_ap]
            rows = found["ranges"].filter(method=method, budget=budget)
            assert rows["run"].to_list() == [study.runs[i] for i in by_ap]
            assert rows["place"].to_list() == list(range(1, 13))
            assert rows["base"].to_list() == pytest.approx(means[0].tolist())
            assert rows["projected"].to_list() == pytest.approx(means[1].tolist())
            assert rows["residual"].to_list() == pytest.approx(means[2].tolist())
            assert rows["top"].to_list() == pytest.approx((means[0] + means[2]).tolist())
            for p in PS:
                residual = rewritten(campaign, chosen, [f"RBPResidual(p={p})"], 2).averages[0][top].mean()
                rows = found["residuals"].filter(method=method, budget=budget, p=0.8, evaluation_p=p)
                assert rows["residual"].item() == pytest.approx(residual)


@pytest.mark.integration
def test_significance_is_that_of_scipy_pair_by_pair(
    campaign: tuple[Grades, dict[str, pl.DataFrame]], study: JudgedRuns, simulation: Simulation, found: Findings
) -> None:
    names = [f"{name}(p=0.8)" for name in ("RBP", "RBPProjected", "RBPResidual")]
    best = np.sort(np.argsort(-study.scores([cf.measures.REGISTRY["AP"]()]).averages[0], kind="stable")[:6])

    def share(mine: np.ndarray, others: np.ndarray) -> float:
        wins = 0
        for a in range(6):
            for b in range(a + 1, 6):
                better, other = (a, b) if mine[a].mean() >= mine[b].mean() else (b, a)
                difference = np.round(mine[better] - others[other], 12)
                wins += bool(difference.any() and stats.wilcoxon(difference, alternative="greater").pvalue <= 0.05)
        return wins / 15

    seen = set()
    for method in ("pool", "A", "B", "C"):
        session = simulation.session(method, RBP(p=0.8), BUDGETS[-1])
        for budget in BUDGETS:
            chosen = documents_of(simulation, session[:budget])
            base, projection, residual = rewritten(campaign, chosen, names, 2).values[:, best]
            precision = rewritten(campaign, chosen, ["AP"], 0).values[0, best]
            of_rbp, of_ap = found["significance"].filter(method=method, budget=budget).rows()
            expected = [share(base, base), share(base, base + residual), share(base, projection)]
            assert of_rbp[3:] == pytest.approx(expected)
            assert of_ap[3:] == (pytest.approx(share(precision, precision)), None, None)
            seen |= {*expected}
    assert len(seen) > 2  # not all of them 0


def test_relevant_documents_are_counted(
    campaign: tuple[Grades, dict[str, pl.DataFrame]], simulation: Simulation, found: Findings
) -> None:
    qrels, _ = campaign
    for method, budget, missing, relevant, judged, considered in found["relevant"].rows():
        session = documents_of(simulation, simulation.session(method, RBP(), budget, bypass=missing == "bypassed"))
        answers = [qrels[topic].get(document) for topic, document in session]
        assert relevant == sum(grade is not None and grade > 0 for grade in answers)
        assert judged == sum(grade is not None for grade in answers)
        assert considered == len(answers)
        assert budget == (judged if missing == "bypassed" else considered)


def test_more_judgments_find_no_less(found: Findings) -> None:
    by_session = found["relevant"].group_by("method", "missing", maintain_order=True)
    for _, rows in by_session:
        assert rows["relevant"].is_sorted() and rows["considered"].is_sorted()


def test_overlap_and_ranking(study: JudgedRuns, simulation: Simulation, found: Findings) -> None:
    for method, budget, p, other, common in found["overlap"].rows():
        sessions = [simulation.session(method, RBP(p=q), budget) for q in (p, other)]
        assert (method, common) == ("C", len({*sessions[0].tolist()} & {*sessions[1].tolist()}))
    full = study.scores([RBP()]).averages[0]
    for method, budget, tau in found["ranking"].rows():
        rows = dict(found["ranges"].filter(method=method, budget=budget).select("run", "base").rows())
        base = [round(rows[run], 12) for run in study.runs]
        assert tau == pytest.approx(stats.kendalltau(base, full.round(12)).statistic)


def test_identification_follows_from_the_ranges_after_each_judgment(study: JudgedRuns) -> None:
    last = 150
    found = judging(study, methods=("pool", "C"), varied="pool", budgets=tuple(range(1, last + 1)), top=0.5)
    best = study.runs[int(study.scores([RBP()]).averages[0].argmax())]
    ranges = found["ranges"].partition_by("method", "budget", as_dict=True)
    for method, name, leads_from, certain_from in found["identification"].rows():
        leads, certain = [], []
        for budget in range(1, last + 1):
            rows = ranges[method, budget]
            mine, others = rows.row(by_predicate=pl.col("run") == best, named=True), rows.filter(pl.col("run") != best)
            leads.append(mine["base"] > max(others["base"]) + 1e-12)
            certain.append(mine["base"] > max(others["top"]) + 1e-12)
        expected = [
            next(b for b in range(1, last + 1) if all(holds[b - 1 :])) if holds[-1] else None
            for holds in (leads, certain)
        ]
        assert name == best
        assert [leads_from, certain_from] == expected
        assert leads_from is not None


def test_identification_by_hand() -> None:
    runs = {"one": ranking("a", "b"), "two": ranking("c", "d")}
    found = judging(
        join({"1": {"a": 1, "b": 0, "c": 0, "d": 0}, "2": {"x": 1}}, runs),
        methods=("pool",),
        p=0.5,
        budgets=(9,),
        top=1,
    )
    # a, c (as heavy, and the later id), b, d. From a on, one has 0.5; two could have 1, 0.5, 0.5
    # and last 0.25.
    assert found["identification"].rows() == [("pool", "one", 1, 4)]


def test_the_example_of_table_1() -> None:
    runs = {
        "1": ranking("18", "22", "15", "13", "11", "25", "10", "84"),
        "2": ranking("22", "10", "11", "19", "38", "18", "33", "17"),
        "3": ranking("21", "35", "16", "11", "38", "33", "18", "17"),
        "4": ranking("10", "18", "11", "22", "87", "13", "17", "20"),
    }
    qrels = {"1": {"18": 1, "22": 1, "13": 1}, "2": {"x": 1}}
    found = judging(join(qrels, runs), methods=("A",), budgets=(6,), top=1)  # 18 22 11 10 21 13
    rows = found["ranges"].filter(method="A").sort("run")
    known = (
        0.2 + 0.16 + 0.8**3 / 5 + 0.8**4 / 5 + 0.8**6 / 5,
        0.2 + 0.16 + 0.8**2 / 5 + 0.8**5 / 5,
        0.2 + 0.8**3 / 5 + 0.8**6 / 5,
        0.2 + 0.16 + 0.8**2 / 5 + 0.8**3 / 5 + 0.8**5 / 5,
    )
    rows = rows.with_columns(pl.col("residual", "base", "projected") * 2)  # the topic that no run has counts 0
    assert rows["residual"].to_list() == pytest.approx([1 - weight for weight in known])
    assert rows["residual"].to_list() == pytest.approx(
        [0.41, 0.44, 0.65, 0.34], abs=0.01
    )  # the paper adds rounded numbers
    assert rows["base"][0] == pytest.approx(0.2 + 0.16 + 0.8**3 / 5)
    assert rows["projected"][0] == pytest.approx((0.2 + 0.16 + 0.8**3 / 5) / known[0])
    # The qrels lack 11, 10 and 21; passing them by, there are but three to judge.
    counts = dict.fromkeys(("relevant", "judged"), 3) | {"considered": 6}
    relevant = found["relevant"].filter(missing="not relevant").row(0, named=True)
    assert {name: relevant[name] for name in counts} == counts


def test_what_is_relevant_is_said_by_the_runs() -> None:
    # Of grade 2 is b alone, at rank 2 of one. The order is a, c (as heavy, and the later id), b, d.
    runs = {"one": ranking("a", "b"), "two": ranking("c", "d")}
    qrels = {"1": {"a": 1, "b": 2, "c": 0, "d": 0}, "2": {"x": 2}}
    found = judging(join(qrels, runs, rel=2), methods=("pool",), p=0.5, budgets=(1, 3), top=1)
    relevant = found["relevant"].filter(missing="not relevant").select("budget", "relevant")
    assert relevant.rows() == [(1, 0), (3, 1)]
    one = found["ranges"].filter(method="pool", budget=3, run="one").row(0, named=True)
    assert (one["base"], one["top"]) == ((1 / 4 + 0) / 2, (1 / 4 + 1 / 4 + 0) / 2)  # topic 2, which it lacks, counts 0
    assert found["significance"]["measure"].unique(maintain_order=True).to_list() == ["RBP(p=0.5,rel=2)", "AP(rel=2)"]
    assert found["identification"]["leads_from"].to_list() == [3]  # before, both have 0


def test_shared_topics_are_those_that_every_run_has() -> None:
    runs = {"one": {t: {"a": 1.0} for t in "12"}, "two": {t: {"x": 1.0} for t in "123"}}
    qrels = {"1": {"a": 1, "x": 0}, "2": {"a": 1, "x": 0}, "3": {"x": 1}}
    found = judging(join(qrels, runs, topics="shared"), methods=("pool",), p=0.2, budgets=(9,), top=1)
    assert found["relevant"]["considered"].to_list() == [4, 4]  # a and x of topics 1 and 2
    ranges = found["ranges"].filter(method="pool").sort("run")
    assert ranges["base"].to_list() == [0.8, 0]
    assert ranges["residual"].to_list() == pytest.approx([0.2, 0.2])
    assert found["ranges"].filter(method="qrels")["budget"].to_list() == [4, 4]
    # With i of one's documents judged and j of two's, 0.8 i is above 2 - 0.8 j from i + j = 3 on.
    assert found["identification"]["certain_from"].to_list() == [3]
    assert "compared on the 2 topics that all runs have, without 3" in found.notes


def test_lists_must_have_their_unjudged_documents(study: JudgedRuns) -> None:
    with pytest.raises(InputError, match="unjudged documents"):
        judging(study.under(judged_only=True), top=0.5)


def test_where_everything_is_judged_methods_agree(study: JudgedRuns, simulation: Simulation) -> None:
    everything = len(simulation.candidates)
    found = judging(study, methods=tuple(METHODS), budgets=(everything, 10 * everything), top=0.5)
    assert found["ranking"]["tau"].to_list() == pytest.approx([1.0] * 2 * len(METHODS))
    ranges = found["ranges"].filter(pl.col("method") != "qrels").group_by("run").agg(pl.col("base", "top"))
    for base, top in ranges.select("base", "top").rows():
        assert base == pytest.approx([base[0]] * len(base))
        assert top == pytest.approx([top[0]] * len(top))
    known = int((~np.isnan(simulation.grade)).sum())
    assert set(found["relevant"]["judged"]) == {known}
    assert set(found["overlap"]["common"]) == {everything}
    beyond = f"{everything} documents are fewer than budget {10 * everything}"
    assert beyond in found.notes


def test_other_settings(study: JudgedRuns) -> None:
    plain = judging(study, methods=("C", "random"), budgets=(30,), top=0.5)
    for name, value in (("renew_every", 25), ("scope", "system"), ("p", 0.95)):
        other = judging(study, methods=("C", "random"), budgets=(30,), top=0.5, **{name: value})
        assert other.settings[name] == value
        assert not other["ranges"].filter(method="C").equals(plain["ranges"].filter(method="C")), name
    again, others = (judging(study, methods=("C", "random"), budgets=(30,), top=0.5, seed=seed) for seed in (7, 8))
    assert all(again[name].equals(plain[name]) for name in plain.tables)
    chosen = [x["ranges"].filter(method="random")["residual"].to_list() for x in (plain, others)]
    assert chosen[0] != chosen[1]
    without = judging(study, methods=("pool",), budgets=(30,), top=0.5)
    assert without["overlap"].height == 0


def test_what_was_interrupted_is_taken_up_again(study: JudgedRuns, found: Findings, tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, of: int) -> None:
        if done == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        judging(study, budgets=BUDGETS, evaluation_p=PS, top=0.5, work=Work(stop, tmp_path))
    assert len(list(tmp_path.rglob("*.parquet"))) == 3
    again = judging(study, budgets=BUDGETS, evaluation_p=PS, top=0.5, work=Work(folder=tmp_path))
    assert len(list(tmp_path.rglob("*.parquet"))) == 4 + 4 + 1
    assert all(again[name].equals(found[name]) for name in found.tables)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"methods": ("D",)}, "no method 'D'"),
        ({"methods": ()}, "methods is empty; give one at least"),
        ({"budgets": (5, 5)}, "each once"),
        ({"budgets": (0,)}, "at least 1"),
        ({"p": 1.0}, "below 1"),
        ({"evaluation_p": (0.5, 2.0)}, "below 1"),
        ({"renew_every": 0}, "at least 1"),
        ({"top": 0.05}, "fewer than two"),
    ],
)
def test_what_makes_no_study_is_refused(study: JudgedRuns, options: dict[str, object], said: str) -> None:
    with pytest.raises((InputError, MeasureError), match=said):
        judging(study, **options)


def test_one_topic_is_too_few_and_none_to_judge_as_well() -> None:
    runs = {"one": ranking("a"), "two": ranking("b")}
    with pytest.raises(InputError, match="one topic"):
        judging(join({"1": {"a": 1}}, runs), top=1)
    with pytest.raises(InputError, match="no documents for the topics of the qrels"):
        Candidates.gather(runs).of_topics(("8", "9"))


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["trec8-adhoc", "covid-round1"])
def test_method_c_finds_more_relevant_documents_than_pooling(data: Path, collection: str) -> None:
    folder = data / collection
    runs = join(folder / "qrels.txt", [folder / "runs"])
    simulation = Simulation(Candidates.gather(runs), runs.judgments)
    pool, c = (
        (simulation.grade[simulation.session(method, RBP(), 5_000, bypass=True)] > 0).sum() for method in ("pool", "C")
    )
    assert c > 1.05 * pool
