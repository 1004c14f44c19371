"""Measures of subtopics: by hand, beside slow twins, beside ndeval, and on every road that judgments take."""

from __future__ import annotations

import itertools
import math
import pickle
import random
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.judged.joining import Rows, rank_topics
from cranfield.judged.judgments import Judgments
from cranfield.measures import REGISTRY
from cranfield.measures.framework.by_subtopic import BySubtopic
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.scoring.blocks import over_topics, score

TWINS = run_path(str(Path(__file__).with_name("twins_subtopics.py")))
slow, NAMES = TWINS["slow"], TWINS["NAMES"]
NORMALISED = set(TWINS["NORMALISED"])

Nested = dict[str, dict[str, dict[str, int]]]
Run = dict[str, list[str]]

# A topic of three nuggets, as FreshStack has them: nobody found a document that holds the third.
NUGGETS: Nested = {"q1": {"n1": {"a": 1, "b": 1}, "n2": {"b": 1, "c": 1}, "n3": {}}, "q2": {"m1": {"a": 1}}}
LIST: Run = {"q1": ["a", "x", "b"]}


def values(qrels: Any, run: Run, measures: str, topic: str = "q1", **conditions: Any) -> list[float]:
    return list(cf.evaluate(qrels, {"r": run}, measures, **conditions).by_run()["r"][topic].values())


# By hand


def test_freshstack_by_hand_on_a_topic_with_a_nugget_that_no_document_holds() -> None:
    """alpha-nDCG@10, Coverage@20 and Recall@50; q2, which the run lacks, counts 0 in all means."""
    scores = cf.evaluate(NUGGETS, {"r": LIST}, "alpha_nDCG@10,Coverage@20,R@50", subtopics="max")
    # a says n1; b at rank 3 says n1 again and n2. The best list: b says both, c and a half as much each, by id c first.
    got = 1 / math.log2(2) + (0.5 + 1) / math.log2(4)
    best = 2 / math.log2(2) + 0.5 / math.log2(3) + 0.5 / math.log2(4)
    assert list(scores.by_run()["r"]["q1"].values()) == pytest.approx([got / best, 2 / 3, 2 / 3])
    assert scores.averages[:, 0] == pytest.approx([got / best / 2, 1 / 3, 1 / 3])


def test_all_measures_by_hand() -> None:
    """Two subtopics are held by documents; the list is a (n1), x, b (n1 and n2)."""
    most_dcg, most_err = 2 * (1 + 0.5 / math.log2(3)), 2 * (1 + 0.5 / 2)
    assert values(NUGGETS, LIST, "alpha_DCG@2,ERR_IA@2") == pytest.approx([1 / most_dcg, 1 / most_err])
    assert values(NUGGETS, LIST, "P_IA@2,P_IA@5,StRecall@1,StRecall") == pytest.approx([1 / 4, 3 / 10, 1 / 2, 1])
    assert values(NUGGETS, LIST, "AP_IA") == pytest.approx([((1 + 2 / 3) / 2 + (1 / 3) / 2) / 2])
    nrbp, best = 1 + 1.5 * 0.25, 2 + 0.5 * 0.5 + 0.5 * 0.25
    assert values(NUGGETS, LIST, "NRBP,nNRBP") == pytest.approx([nrbp * 0.75 / 2, nrbp / best])
    best_err = 2 + 0.5 / 2 + 0.5 / 3
    assert values(NUGGETS, LIST, "nERR_IA@10") == pytest.approx([(1 + 1.5 / 3) / best_err])


def test_coverage_and_subtopic_recall_part_where_no_document_holds_a_nugget() -> None:
    assert values(NUGGETS, {"q1": ["b"]}, "Coverage@1,StRecall@1") == pytest.approx([2 / 3, 1])


def test_curves_and_their_ideal_lists_by_hand() -> None:
    """The best list of q1 begins with b, which says two of three nuggets: both of those that have a document."""
    for measure, at_1, at_2 in (("Coverage", 2 / 3, 2 / 3), ("StRecall", 1, 1), ("P_IA", 1, 3 / 4)):
        found = cf.curve({"q1": NUGGETS["q1"]}, {"r": LIST}, measure, last_rank=2)
        assert found.ideal is not None
        assert found.ideal[0].tolist() == pytest.approx([at_1, at_2]), measure
    shown = cf.curve(NUGGETS, {"r": LIST}, "alpha_nDCG", last_rank=3).values[0]
    each = [cf.evaluate(NUGGETS, {"r": LIST}, f"alpha_nDCG@{k}").averages[0, 0] for k in (1, 2, 3)]
    assert np.reshape(shown, (-1, 3)).mean(axis=0).tolist() == pytest.approx(each)  # of q2, too, which the run lacks


def test_vital_and_weighted_nuggets_by_hand() -> None:
    frame = pl.DataFrame(
        {
            "topic": ["q1"] * 4,
            "nugget": ["n1", "n1", "n2", "n3"],
            "doc_id": ["a", "b", "b", None],
            "relevance": [1, 1, 1, None],
            "vital": [True, True, False, True],
            "weight": [1.0, 1.0, 3.0, 4.0],
        }
    )
    asked = "Coverage(vital=True)@1,Coverage(weighted=True)@1,Coverage(vital=True,weighted=True)@1"
    asked += ",StRecall(weighted=True)@1"
    assert values(frame, {"q1": ["a"]}, asked) == pytest.approx([1 / 2, 1 / 8, 1 / 5, 1 / 4])
    plain = Judgments.of_dict({"q1": {"a": 1}})
    assert plain is not None
    for measure, lacking in (("Coverage(vital=True)@1", "vital"), ("P_IA(weighted=True)@1", "weights")):
        with pytest.raises(MeasureError, match=lacking):
            cf.evaluate(plain, {"r": {"q1": ["a"]}}, measure)


def test_what_covers_another_subtopic_counts() -> None:
    """The recall base: a document that nobody retrieved, and that alone covers a subtopic, lowers every value."""
    one: Nested = {"1": {"x": {"a": 1, "b": 1}, "y": {"a": 0}}}
    two: Nested = {"1": {"x": {"a": 1, "b": 1}, "y": {"a": 0, "c": 1}}}
    for name in NAMES:
        asked = f"{name}@2" if REGISTRY[name].at_required else name
        before, after = (values(qrels, {"1": ["b", "a"]}, asked, "1")[0] for qrels in (one, two))
        assert after < before or name == "Coverage", name


def test_ties_of_the_best_list_are_broken_by_id_even_where_rounding_parts_them() -> None:
    """Of .7 + .49 + .343 and the same in another order one is larger in floating point."""
    worth = {"x": 1, "y": 2, "z": 3}  # documents that covered each before
    qrels: Nested = {"1": {s: {f"z{s}{i}": 1 for i in range(n)} | {"a": 1, "b": 1} for s, n in worth.items()}}
    judgments = cf.join(qrels, {"r": {"1": ["a"]}}, subtopics="read").judgments
    ideal = REGISTRY["alpha_nDCG"](alpha=0.3).ideal(judgments)
    ids = judgments.ids(ideal.judgment)
    assert ids.index("b") < ids.index("a")


# Beside the slow twins


def drawn(chance: random.Random) -> tuple[dict[str, dict[str, int]], list[str]]:
    """Draw a topic's judgments, and a list."""
    documents = [f"d{i}" for i in range(7)]
    some = {
        f"s{i}": {d: chance.randint(0, 2) for d in chance.sample(documents, chance.randint(0, 6))}
        for i in range(chance.randint(1, 4))
    }
    return some, chance.sample([*documents, "x", "y"], chance.randint(0, 9))


WEIGHTS, VITAL = {"s0": 0.5, "s1": 3.0, "s2": 0.0, "s3": 1.0}, {"s0": True, "s1": False, "s2": True, "s3": True}


def settings_of(name: str, chance: random.Random) -> dict[str, Any]:
    tried: dict[str, list[float]] = {
        "alpha": [0.0, 0.25, 0.5, 0.7, 1.0],
        "beta": [0.3, 0.5, 0.8],
        "cutoff": [1, 2, 3, 5, 9],
    }
    asked = {p: chance.choice(some) for p, some in tried.items() if p in REGISTRY[name].parameters}
    return {
        **asked,
        "rel": chance.choice([None, 2.0]),
        "vital": chance.random() < 0.3,
        "weighted": chance.random() < 0.5,
    }


@each_of("name", NAMES)
def test_each_measure_equals_its_twin_by_subtopic(name: str) -> None:
    chance = random.Random(name)  # noqa: S311
    topics = {f"t{i}": drawn(chance) for i in range(40)}
    table = cf.read_qrels({topic: judged for topic, (judged, _) in topics.items()}, subtopics="read").with_columns(
        pl.col("subtopic").replace_strict(WEIGHTS, return_dtype=pl.Float64).alias("weight"),
        pl.col("subtopic").replace_strict(VITAL, return_dtype=pl.Boolean).alias("vital"),
    )
    joined = cf.join(table, {"r": {topic: ranking for topic, (_, ranking) in topics.items()}}, subtopics="read")
    for _ in range(6):
        options = settings_of(name, chance)
        found = joined.scores([REGISTRY[name](**options)]).values[0, 0]
        rel, vital, weighted = (options.pop(each) for each in ("rel", "vital", "weighted"))
        for value, (judged, ranking) in zip(found, topics.values(), strict=True):
            count = {s: (WEIGHTS[s] if weighted else 1.0) * (VITAL[s] or not vital) for s in judged}
            covers: dict[str, set[str]] = {}
            for subtopic, documents in judged.items():
                for document, grade in documents.items():
                    covered = covers.setdefault(document, set())
                    if grade >= (rel or 1) and count[subtopic]:
                        covered.add(subtopic)
            listed = [covers.get(document, set()) for document in ranking]
            assert value == pytest.approx(slow(name, listed, covers, count, **options), rel=1e-9, abs=1e-12)
        assert found.any() or vital


# Beside ndeval, which has cutoffs up to 20. At rank 1 it does not divide alpha-DCG and ERR-IA by anything.

THEIRS = {
    f"{ours}@{k}": f"{theirs}@{k}"
    for ours, theirs in {
        "alpha_DCG": "alpha-DCG", "alpha_nDCG": "alpha-nDCG", "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA",
        "P_IA": "P-IA", "StRecall": "strec",
    }.items()
    for k in (1, 2, 5, 10, 20)
    if k > 1 or ours not in {"alpha_DCG", "ERR_IA"}
} | {"NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"}  # fmt: skip


def made_up(
    chance: random.Random, topics: int, documents: int, subtopics: int, length: int
) -> tuple[Nested, dict[str, Run]]:
    ids = [f"d{i}" for i in range(documents)]
    qrels: Nested = {}
    for t in range(topics):
        qrels[f"t{t}"] = {
            f"t{t}s{s}": {
                d: chance.choice([0, 0, 1, 1, 2]) for d in chance.sample(ids, chance.randint(1, documents // 2))
            }
            for s in range(chance.randint(1, subtopics))
        }
    runs = {name: {t: chance.sample(ids, chance.randint(1, min(length, documents))) for t in qrels} for name in "ab"}
    return qrels, runs


def compare_with_ndeval(qrels: Nested, runs: dict[str, Run], alpha: float, beta: float) -> int:
    """Compare every value of every topic; return how many there were."""
    pyndeval = pytest.importorskip("pyndeval")
    rows = [(t, s, d, g) for t, of in qrels.items() for s, judged in of.items() for d, g in judged.items()]
    asked: dict[str, str] = {}
    for ours, theirs in THEIRS.items():
        kind = REGISTRY[ours.partition("@")[0]]
        parameters = {p: v for p, v in (("alpha", alpha), ("beta", beta)) if p in kind.parameters}
        measure = kind(**parameters) @ int(ours.partition("@")[2]) if "@" in ours else kind(**parameters)
        asked[str(measure)] = theirs
    found = cf.evaluate(qrels, runs, list(asked)).by_run()
    compared = 0
    for name, run in runs.items():
        scored = [(t, d, float(len(ids) - rank)) for t, ids in run.items() for rank, d in enumerate(ids)]
        expected = pyndeval.ndeval(rows, scored, measures=list(asked.values()), alpha=alpha, beta=beta)
        for topic, (measure_name, theirs) in itertools.product(run, asked.items()):
            value = found[name][topic][measure_name]
            there = expected[topic][theirs]
            there = 0.0 if math.isnan(there) else there  # nNRBP of a topic with nothing relevant: 0 / 0
            assert value == pytest.approx(there, abs=1e-12), (name, topic, measure_name)
            compared += 1
    return compared


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.0, 0.8), (0.25, 0.3), (0.9, 0.5), (1.0, 0.5)])
def test_every_value_of_ndeval(alpha: float, beta: float) -> None:
    chance = random.Random(f"{alpha} {beta}")  # noqa: S311
    for size in (6, 30):
        assert compare_with_ndeval(*made_up(chance, 3, size, 6, size), alpha, beta) > 0


@pytest.mark.slow
@given(st.integers(0, 10**9), st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 1.0]), st.sampled_from([0.2, 0.5, 0.9]))
@settings(max_examples=300)
def test_every_value_of_ndeval_whatever_the_collection(seed: int, alpha: float, beta: float) -> None:
    chance = random.Random(seed)  # noqa: S311
    compare_with_ndeval(*made_up(chance, 2, chance.randint(2, 60), 9, 60), alpha, beta)


@pytest.mark.slow
def test_every_topic_of_a_large_simulated_collection() -> None:
    assert compare_with_ndeval(*made_up(random.Random(7), 50, 600, 12, 500), 0.5, 0.5) == 2 * 50 * len(THEIRS)  # noqa: S311


def test_at_rank_1_ndeval_divides_by_nothing() -> None:
    pyndeval = pytest.importorskip("pyndeval")
    rows = [("1", s, "a", 1) for s in ("x", "y")] + [("1", "z", "b", 1)]
    there = pyndeval.ndeval(rows, [("1", "a", 1.0)], measures=["alpha-DCG@1", "ERR-IA@1"])["1"]
    assert list(there.values()) == [2, 2]
    nested: Nested = {"1": {"x": {"a": 1}, "y": {"a": 1}, "z": {"b": 1}}}
    assert values(nested, {"1": ["a"]}, "alpha_DCG@1,ERR_IA@1", "1") == pytest.approx([2 / 3, 2 / 3])


# On every road


def trec_of(qrels: Nested) -> str:
    return "".join(
        f"{t} {s} {d} {g}\n" for t, of in qrels.items() for s, judged in of.items() for d, g in judged.items()
    )


ASKED = "alpha_nDCG@5,ERR_IA@3,AP_IA,nNRBP,StRecall@2,Coverage@2"


def test_all_ways_to_give_them_are_one(tmp_path: Path) -> None:
    qrels, runs = made_up(random.Random(3), 4, 12, 4, 12)  # noqa: S311
    (tmp_path / "qrels.txt").write_text(trec_of(qrels))
    table = cf.read_qrels(tmp_path / "qrels.txt", subtopics="read")
    cf.write_qrels(table, tmp_path / "qrels.csv")
    cf.write_qrels(table, tmp_path / "again.txt")
    table.rename({"subtopic": "nugget"}).write_parquet(tmp_path / "qrels.parquet")
    lines = [
        f'{{"topic": "{t}", "nugget": "{s}", "documents": {str(judged).replace(chr(39), chr(34))}}}'
        for t, of in qrels.items()
        for s, judged in of.items()
    ]
    (tmp_path / "nuggets.jsonl").write_text("\n".join(lines))
    expected = cf.evaluate(qrels, runs, ASKED)
    assert expected.values.any()
    ways: list[Any] = [*sorted(tmp_path.iterdir()), table, table.to_arrow()]
    ways.append(table.rename({"subtopic": "iteration"}))
    for way in ways:
        assert cf.evaluate(way, runs, ASKED).by_run() == expected.by_run(), way
    assert len(ways) == 8


def test_freshstacks_own_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "test.jsonl"
    file.write_text(
        '{"query_id": "q1", "query_text": "?", "nuggets": [{"_id": "n1", "text": "..", "relevant_corpus_ids": '
        '["a", "b"], '
        '"non_relevant_corpus_ids": ["x"]}, {"_id": "n2", "text": "..", "relevant_corpus_ids": ["b", "c"]}, '
        '{"_id": "n3", "text": "..", "relevant_corpus_ids": [], "non_relevant_corpus_ids": []}]}\n'
        '{"query_id": "q2", "nuggets": [{"_id": "m1", "relevant_corpus_ids": ["a"]}]}\n'
    )
    asked = "alpha_nDCG@10,Coverage@20"
    assert cf.evaluate(file, {"r": LIST}, asked).by_run() == cf.evaluate(NUGGETS, {"r": LIST}, asked).by_run()


def test_judgments_by_subtopic_stay_so_wherever_they_go() -> None:
    qrels, runs = made_up(random.Random(4), 5, 15, 4, 15)  # noqa: S311
    expected = cf.evaluate(qrels, runs, ASKED).by_run()
    joined = cf.join(qrels, runs, subtopics="auto")
    for one in (joined, pickle.loads(pickle.dumps(joined)), cf.join(qrels, runs, subtopics="read", bounds=True)):  # noqa: S301
        assert one.scores(ASKED).by_run() == expected
    judgments = joined.judgments
    for topics in (["t3", "t1"], ["t4"]):
        some = judgments.of_topics(topics)
        some.places = None  # as all there are
        lists = {name: {topic: run[topic] for topic in topics} for name, run in runs.items()}
        found = cf.evaluate(some, lists, ASKED).by_run()
        assert found == {name: {topic: expected[name][topic] for topic in topics} for name in runs}
    again = pickle.loads(pickle.dumps(judgments.of_topics(["t0", "t2"])))  # noqa: S301
    assert again.subtopics.name.tolist() == [name for topic in ("t0", "t2") for name in qrels[topic]]
    evaluator = cf.Evaluator(qrels, ASKED)
    assert evaluator(runs).by_run() == expected


def test_topics_in_parts_and_runs_in_rows_that_a_file_holds_apart(tmp_path: Path) -> None:
    qrels, runs = made_up(random.Random(5), 6, 15, 4, 15)  # noqa: S311
    rows = [(name, t, d, float(-r)) for name, run in runs.items() for t, ids in run.items() for r, d in enumerate(ids)]
    random.Random(1).shuffle(rows)  # noqa: S311
    frame = pl.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")
    expected = cf.evaluate(qrels, runs, ASKED).by_run()
    assert cf.evaluate(qrels, frame, ASKED).by_run() == expected
    text = frame.filter(pl.col("run") == "a").select(
        pl.format("{} Q0 {} 1 {} a", "query_id", "doc_id", "score").alias("line")
    )
    (tmp_path / "a.run").write_text("\n".join(text["line"]))
    assert cf.evaluate(qrels, tmp_path / "a.run", ASKED).by_run()["a"] == expected["a"]


def test_judgments_that_are_taken_away_are_so_by_subtopic_and_other_grades_are_refused() -> None:
    joined = cf.join(NUGGETS, {"r": LIST}, subtopics="read")
    without_b = np.where(np.array(joined.judgments.document.to_list()) == "b", np.nan, joined.judgments.grade)
    found = joined.scores("StRecall@3,Coverage@3", without_b).by_run()["r"]["q1"]
    assert list(found.values()) == pytest.approx([1 / 2, 1 / 3])  # b alone says n2 in this list, and c says it, too
    with pytest.raises(InputError, match="this tries other grades, which judgments by subtopic do not define"):
        joined.scores("StRecall@3", joined.judgments.grade + 1)


def test_excluded_documents_and_judged_only() -> None:
    assert values(NUGGETS, LIST, "Coverage@3", exclude={"q1": ["b"]}) == pytest.approx([1 / 3])
    assert values(NUGGETS, LIST, "P_IA@2", judged_only=True) == values(NUGGETS, LIST, "P_IA(judged_only=True)@2")
    assert values(NUGGETS, LIST, "P_IA@2", judged_only=True) == pytest.approx([3 / 4])


# What is read, and what is refused

SECOND_COLUMN = "1 1 a 1\n1 2 a 1\n1 1 b 0\n2 1 d 1\n"
RUN = {"r": {"1": ["a"], "2": ["d"]}}


def test_subtopics_are_recognised_where_a_document_is_judged_under_several(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text(SECOND_COLUMN)
    assert cf.evaluate(file, RUN, "P_IA@1").values[0, 0].tolist() == [1, 1]
    for measures in ("AP", "AP,P_IA@1"):
        with pytest.raises(InputError, match=r"line 2: .*judged under 1 and under 2 .*--subtopics max"):
            cf.evaluate(file, RUN, measures)
    scores = cf.evaluate(file, RUN, "AP,P_IA@1", subtopics="max")
    assert scores.values[:, 0].tolist() == [[1, 1], [1, 1]]
    with pytest.raises(InputError, match=r"AP knows no subtopics, .*--subtopics max"):
        cf.evaluate(file, RUN, "P_IA@1,AP", subtopics="read")
    with pytest.raises(InputError, match="--subtopics max"):
        cf.compare(file, {**RUN, "s": RUN["r"]}, "AP")


def test_a_second_column_is_no_subtopic_where_no_document_is_judged_under_several(tmp_path: Path) -> None:
    """As covid's 0.5 and 1, which are rounds; asked for, they are read."""
    file = tmp_path / "qrels.txt"
    file.write_text("1 0.5 a 1\n1 1 b 1\n2 1 d 1\n")
    scores = cf.evaluate(file, {"r": {"1": ["a"], "2": ["d"]}}, "StRecall@1,AP")
    assert scores.values[:, 0].tolist() == [[1, 1], [0.5, 1]]
    [found] = [each for each in scores.audit.findings if each.code == "no subtopics"]
    assert found.severity == "warning"
    assert "each topic counts as its only one for StRecall@1" in found.says
    asked = cf.evaluate(file, {"r": {"1": ["a"], "2": ["d"]}}, "StRecall@1,AP", subtopics="read")
    assert asked.values[:, 0].tolist() == [[0.5, 1], [0.5, 1]]


def test_the_second_column_of_covids_qrels_is_no_subtopic(data: Path) -> None:
    qrels = data / "covid-round1" / "qrels.txt"
    table = cf.read_qrels(qrels, subtopics="auto")
    assert "subtopic" not in table.columns
    assert cf.read_qrels(qrels, subtopics="read")["subtopic"].unique().sort().to_list() == ["0.5", "1"]


def test_the_audit_says_how_many_subtopics_and_how_many_without_a_document() -> None:
    audit = cf.evaluate(NUGGETS, {"r": LIST}, "Coverage@2").audit
    assert audit is not None
    said = audit.line()
    assert "4 subtopics of 2 topics are judged, 1 of them covered by no document" in said


def test_what_is_wrong_with_nuggets_is_told_with_its_line(tmp_path: Path) -> None:
    good = '{"topic": "q1", "nugget": "n1", "documents": ["a"]}'
    for line, problem in (
        ('{"topic": "q1", "documents": ["a"]}', "line 2: names no nugget"),
        ('{"nugget": "n2", "documents": ["a"]}', "line 2: names no topic"),
        ('{"topic": "q1", "nugget": "n2", "documents": "a"}', "line 2: documents must be a list"),
        ('{"topic": "q1", "nugget": "n2", "documents": {"a": "much"}}', "line 2: documents must be a list"),
        ('{"topic": "q1", "nugget": "n2", "documents": [], "vital": "very"}', "line 2: vital must be true or false"),
        ('{"topic": "q1", "nugget": "n2", "documents": [], "weight": -1}', "line 2: the weights -1"),
        ('{"topic": "q1", "nugget": "n1", "documents": {"a": 2}}', "line 2: .* judged twice: 1, then 2"),
        ('{"topic": "q1", "nugget": ', "line 2: not JSON"),
    ):
        file = tmp_path / "nuggets.jsonl"
        file.write_text(f"{good}\n{line}\n")
        with pytest.raises(InputError, match=problem):
            cf.evaluate(file, {"r": LIST}, "Coverage@5")
    uneven = pl.DataFrame({"qid": "1", "docno": ["a", "b"], "rel": 1, "subtopic": "x", "weight": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"subtopic x of topic 1 has two values of weight: 1\.0 and 2\.0"):
        cf.evaluate(uneven, RUN, "Coverage@5")
    with pytest.raises(InputError, match="not judged by subtopic, unlike others"):
        cf.evaluate({"1": {"x": {"a": 1}}, "2": {"a": 1}}, RUN, "Coverage@5")
    with pytest.raises(InputError, match=r"give (the qrels|them) first, then the runs"):
        cf.evaluate({"r": {"1": {"a": 1}}}, {"1": {"a": 1.0}}, "AP")


def test_hostile_names_and_one_topic() -> None:
    hostile = "<script>alert(1)</script>\t'\""
    nested = {hostile: {hostile: {hostile: 1}, "": {"b": 1}}}
    with pytest.raises(InputError, match="subtopic"):
        cf.evaluate(nested, {"r": {hostile: [hostile]}}, "Coverage@1")
    del nested[hostile][""]
    assert cf.evaluate(nested, {hostile: {hostile: [hostile]}}, "Coverage@1").averages.tolist() == [[1.0]]


def test_nothing_relevant_is_0_for_every_measure() -> None:
    nothing: Nested = {"1": {"x": {"a": 0}, "y": {}}}
    asked = [f"{name}@2" if REGISTRY[name].at_required else name for name in NAMES]
    assert not cf.evaluate(nothing, {"r": {"1": ["a"]}}, asked).values.any()
    assert not cf.evaluate({"1": {"x": {}}}, {"r": {"1": ["a"]}}, asked).values.any()


# Bounds, and results that rest on them


@each_of("name", NAMES)
def test_no_completion_lies_outside_the_bounds(name: str) -> None:
    """Every set of subtopics is tried for each of two candidates; a greedy best list is not bounded for certain."""
    kind = REGISTRY[name]
    measure = kind() @ 2 if kind.at_required else kind()
    chance = random.Random(name)  # noqa: S311
    sets = [set(some) for size in range(4) for some in itertools.combinations("xyz", size)]
    inside = 0
    for _ in range(4):
        judged = {s: {d: chance.choice([0, 1]) for d in chance.sample("abc", chance.randint(0, 3))} for s in "xyz"}
        lists = {"r": chance.sample("abuv", 3), "s": ["u", "v"]}
        runs = {run: {"1": ranking} for run, ranking in lists.items()}
        if not any(judged.values()):
            continue
        scores = cf.evaluate({"1": judged}, runs, [measure], bounds=True, subtopics="read", complete=False)
        assert scores.limits is not None
        low, high = (float(scores.limits[end][0, 0, 0]) for end in (0, 1))
        done = {  # each completion a topic of its own
            str(number): {s: {**of, "u": int(s in first), "v": int(s in second)} for s, of in judged.items()}
            for number, (first, second) in enumerate(itertools.product(sets, sets))
        }
        completed = {"r": dict.fromkeys(done, lists["r"])}
        for value in cf.evaluate(done, completed, [measure], subtopics="read", complete=False).values[0, 0]:
            assert low - 1e-12 <= value <= high + 1e-12 or (name in NORMALISED and value > 1), (name, judged, lists)
            inside += low < high
    assert inside > 30


def test_compare_gate_report_and_the_rest_take_them(tmp_path: Path) -> None:
    qrels, runs = made_up(random.Random(8), 8, 20, 4, 20)  # noqa: S311
    asked = "alpha_nDCG@10,Coverage@5"
    found = cf.compare(qrels, runs, asked)
    assert found.to_polars()["measure"].unique().sort().to_list() == ["Coverage@5", "alpha_nDCG@10"]
    assert cf.compare(qrels, runs, asked, residuals=True).to_polars().height == found.to_polars().height
    assert cf.gate(qrels, runs, asked, margin=0.9).rows["on_judged"].to_list() == ["equivalent"] * 2
    assert cf.why(qrels, {"a": runs["a"]}, {"b": runs["b"]}, "Coverage@5").topic in qrels
    assert len(cf.curve(qrels, runs, "alpha_nDCG", last_rank=5).values[0, 0]) == 5
    joined = cf.join(qrels, runs, subtopics="auto")
    assert joined.of_topic("t1").scores("Coverage@5").averages[0] == pytest.approx(
        [joined.scores("Coverage@5").by_run()[name]["t1"]["Coverage@5"] for name in runs]
    )
    assert issubclass(REGISTRY["Coverage"], BySubtopic)


def test_topics_ranked_in_parts_have_the_values_of_all() -> None:
    qrels, runs = made_up(random.Random(9), 6, 15, 4, 15)  # noqa: S311
    joined = cf.join(qrels, {"a": runs["a"]}, subtopics="auto")
    table = joined.sources[0].read()
    asked = cf.parse_measures(ASKED)
    for cut in (1, 3):
        topics = list(qrels)
        blocks = [
            score(rank_topics(Rows("a", table.filter(pl.col("query_id").is_in(some))), joined.judgments), asked)
            for some in (topics[cut:], topics[:cut])
        ]
        [whole] = over_topics(blocks, joined.judgments)
        assert (whole.values == joined.score(asked, joined.grading).values).all()


def test_lists_are_cut_by_them_and_moves_tried_but_no_grades() -> None:
    assert cf.cut({"r": LIST}, oracle="alpha_nDCG@3", qrels=NUGGETS)["r"].height == 3
    moved = cf.what_if(NUGGETS, {"r": LIST}, "Coverage@2", topic="q1", moves=[("r", "b", 1)])
    assert moved.after.by_run()["r"]["q1"]["Coverage@2"] == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="which judgments by subtopic do not define"):
        cf.what_if(NUGGETS, {"r": LIST}, "Coverage@2", topic="q1", grades={"x": 1})


@pytest.mark.integration
def test_a_report_of_them_says_so(tmp_path: Path) -> None:
    qrels, runs = made_up(random.Random(10), 8, 20, 4, 20)  # noqa: S311
    file = tmp_path / "report.html"
    cf.report(qrels, runs, "alpha_nDCG@10,Coverage@5").save(file)
    text = file.read_text()
    assert "Coverage@5" in text
    assert "subtopics=max" in text
    assert "subtopics of 8 topics are judged, each covered by some document" in text
