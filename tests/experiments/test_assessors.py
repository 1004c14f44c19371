"""Several assessors: by hand, against qrels written anew, and on the passages that people judged again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.assessors import Documents, assessors
from cranfield.formats import read_qrels, write_qrels
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import join, open_qrels
from cranfield.selection.assessors import grades_of
from cranfield.statistics.agreement import gwet_ac

Qrels = dict[str, dict[str, int]]
ORDER = ["measure", "assessor_a", "assessor_b", "topics", "tau"]
GRADES = [2, 1, 0, 0], [1, 1, 1, 0]
RUNS = {"one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "two": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}}


def written(folder: Path, **qrels: Qrels) -> tuple[Path, ...]:
    for name, judged in qrels.items():
        write_qrels(read_qrels(judged), folder / f"{name}.txt")
    return (folder,)


def test_agreement_by_hand(tmp_path: Path) -> None:
    main = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}, "2": {"a": 1}}
    files = written(tmp_path, ann={"1": {"a": 1, "b": 1, "c": 1, "d": 0, "z": 2}}, bob={"2": {"a": 1}})
    found = assessors(join(main, RUNS), "AP", assessors=files)
    rows = {row["assessor_b"]: row for row in found["agreement"].rows(named=True) if row["assessor_a"] == "qrels"}
    ann = rows["ann"]
    assert (ann["topics"], ann["documents"]) == (1, 4)
    assert (ann["same_grade"], ann["overlap"]) == (2 / 4, 2 / 3)
    # By chance: grade 0 2/4 · 1/4, grade 1 1/4 · 3/4, grade 2 1/4 · 0; together 5/16.
    assert ann["kappa"] == pytest.approx((2 / 4 - 5 / 16) / (1 - 5 / 16))
    # One step apart twice of four. By chance: 0 and 1 2/4 · 3/4, 1 and 0 1/4 · 1/4, 2 and 1 1/4 ·
    # 3/4, and two steps, which count twice, 2 and 0 1/4 · 1/4.
    assert ann["weighted_kappa"] == pytest.approx(1 - (2 / 4) / ((6 + 1 + 3 + 2) / 16))
    assert rows["bob"]["documents"] == 1
    assert list(rows) == ["ann", "bob"]
    assert found["agreement"].height == 2
    assert (ann["ac1"], ann["ac2"]) == pytest.approx((gwet_ac(*GRADES), gwet_ac(*GRADES, "linear")))
    assert found["correlation"].select("assessor_a", "assessor_b").rows() == [("qrels", "ann"), ("qrels", "bob")]
    assert found.notes == (
        "missing topics counted 0: one (2), two (2)",
        "1 judgment by assessors left out: its document is missing from the qrels",
        "documents without a label left out: ann (1) and bob (4)",
        "ann gives 0 and 1 only, of the grades 0 to 2 of the qrels; they are treated as the same grades",
        "1 pair of assessors has no document in common: left out",
    )


def test_one_shared_document_says_nothing_of_chance(tmp_path: Path) -> None:
    main = {"1": {"a": 1, "b": 0}}
    files = written(tmp_path, ann={"1": {"a": 1}})
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 2.0, "b": 1.0}}}
    found = assessors(join(main, runs), "AP", assessors=files)
    by_pair = found["agreement"].rows(named=True)[0]
    assert (by_pair["documents"], by_pair["same_grade"]) == (1, 1.0)
    beyond_chance = ("kappa", "weighted_kappa", "alpha_nominal", "alpha_ordinal", "ac1", "ac2")
    assert [by_pair[name] for name in beyond_chance] == [None] * 6
    assert found["overall"].select("documents", "alpha_nominal", "alpha_ordinal").rows() == [(1, None, None)]
    assert found["correlation"]["tau"].to_list() == [None]  # AP is 1 for both
    agreed = cf.agreement({"qrels": main, "ann": {"1": {"a": 1}}})
    assert agreed.to_polars()["kappa"].to_list() == [None]
    assert agreed.caption().endswith("Alpha of all together needs more than one document.")


def test_the_order_of_the_runs_follows_who_judged(tmp_path: Path) -> None:
    main = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1}}
    files = written(tmp_path, like={"1": {"a": 1, "b": 0}}, unlike={"1": {"a": 0, "c": 1}})
    found = assessors(join(main, RUNS), "AP", assessors=files)["correlation"]
    assert found.select(ORDER).rows() == [
        ("AP", "qrels", "like", 1, 1.0),
        ("AP", "qrels", "unlike", 1, -1.0),
        ("AP", "like", "unlike", 1, None),  # both judged a alone, which the second found not relevant: no order
    ]


@pytest.mark.parametrize("documents", ["common", "all"])
def test_against_qrels_written_anew(documents: Documents, tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    main = {str(t): {f"d{i}": int(random.integers(0, 4)) for i in range(30)} for t in range(6)}

    def opinion(topics: range) -> Qrels:
        def of(judged: dict[str, int]) -> dict[str, int]:
            return {
                d: int(np.clip(g + random.integers(-1, 2), 0, 3)) for d, g in judged.items() if random.random() < 0.7
            }

        return {str(t): of(main[str(t)]) for t in topics}

    others = {"ann": opinion(range(4)), "bob": opinion(range(2, 6))}
    runs = {f"r{i}": {t: {d: g * i / 4 + random.normal() for d, g in main[t].items()} for t in main} for i in range(9)}
    found = assessors(join(main, runs), ("AP", "nDCG"), assessors=written(tmp_path, **others), documents=documents)
    judged = {"qrels": main, **others}
    for measure, a, b, topics, tau in found["correlation"].select(ORDER).rows():
        common = sorted(set(judged[a]) & set(judged[b]))
        means = []
        for one, other in ((judged[a], judged[b]), (judged[b], judged[a])):
            kept = {t: {d: g for d, g in one[t].items() if documents == "all" or d in other[t]} for t in common}
            means.append(cf.evaluate(kept, runs, [measure]).averages[0])
        assert topics == len(common)
        assert tau == pytest.approx(stats.kendalltau(*means).statistic)


def test_what_is_relevant_is_said_by_the_runs(tmp_path: Path) -> None:
    # Both take a and b for relevant; where grade 2 is asked for, the qrels take a alone, and ann b
    # alone.
    files = written(tmp_path, ann={"1": {"a": 1, "b": 2}})
    runs = join({"1": {"a": 2, "b": 1}}, {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}}})
    for rel, overlap, tau in ((None, 1, None), (2, 0 / 2, -1)):
        found = assessors(runs.under(rel=rel), "AP", assessors=files)
        assert found["agreement"]["overlap"].item() == overlap
        assert found["correlation"]["tau"].item() == tau
    assert found["correlation"]["measure"].item() == "AP(rel=2)"


def test_shared_topics_are_those_that_every_run_has(tmp_path: Path) -> None:
    # On topic 1 both assessors see the reciprocal rank 1/3 of one and 1/2 of two. On topic 2, which
    # two lacks, they differ; of topic 2 alone nothing can be said.
    runs = {"one": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}, "2": {"a": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}}}
    files = written(tmp_path, both={"1": {"a": 1}, "2": {"a": 0}}, second={"2": {"a": 0}})
    found = assessors(join({"1": {"a": 1}, "2": {"a": 1}}, runs, topics="shared"), "RR", assessors=files)
    assert found["correlation"].select(ORDER).rows() == [
        ("RR", "qrels", "both", 1, 1.0),
        ("RR", "qrels", "second", 0, None),
        ("RR", "both", "second", 0, None),
    ]
    assert found.notes[0] == "compared on the 1 topic that all runs have, without 2"


def test_all_together(tmp_path: Path) -> None:
    main = {"1": {"a": 1, "b": 0, "c": 0}}
    files = written(tmp_path, ann={"1": {"a": 1, "b": 0}}, bob={"1": {"a": 1, "b": 1}})
    overall = assessors(join(main, RUNS), "AP", assessors=files)["overall"]
    assert overall.select("of", "judged_by", "documents").rows() == [("assessors", 2, 2), ("assessors and qrels", 3, 2)]
    # Of four grades 1 1 0 1 there are two unequal ordered pairs of four; by chance 2 · 3 · 1 of 4 ·
    # 3.
    assert overall["alpha_nominal"][0] == pytest.approx(1 - (2 / 4) / (6 / 12))


def test_the_places_of_documents_follow_the_main_qrels() -> None:
    main = open_qrels({"7": {"x": 0, "y": 0}, "5": {"x": 1, "y": 1}})
    grade, unknown = grades_of(main, open_qrels({"5": {"y": 3}, "9": {"x": 3}, "7": {"y": 2, "w": 1}}))
    assert grade[[1, 3]].tolist() == [2, 3]
    assert np.isnan(grade[[0, 2]]).all()
    assert unknown == 2


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    runs = join({"1": {"a": 1, "b": 0}}, RUNS)
    with pytest.raises(InputError, match="no assessor is named"):
        assessors(runs, "AP")
    with pytest.raises(InputError, match="in common"):
        assessors(runs, "AP", assessors=written(tmp_path, stranger={"2": {"a": 1}}))
    written(tmp_path, fine={"1": {"a": 1}})
    same = tmp_path / "fine.txt"
    with pytest.raises(InputError, match="two assessors are called 'fine'"):
        assessors(runs, "AP", assessors=(same, same))


def test_a_file_of_several_assessors_is_each_of_them(tmp_path: Path) -> None:
    """Named in the second column of one file, or each in a file of their own: the same tables."""
    of = {"ann": {"1": {"a": 1, "b": 0}}, "bob": {"1": {"a": 0, "b": 0}}}
    runs = join({"1": {"a": 1, "b": 0}}, RUNS)
    both = tmp_path / "both.txt"
    both.write_text("".join(f"1 {name} {d} {grade}\n" for name in of for d, grade in of[name]["1"].items()))
    (tmp_path / "apart").mkdir()
    given = ((both,), written(tmp_path / "apart", **of))
    together, apart = (assessors(runs, "AP", assessors=files) for files in given)
    for table in ("agreement", "labels", "correlation"):
        assert together[table].equals(apart[table])


def test_passages_judged_again(data: Path) -> None:
    folder = data / "dl19-passage"
    runs = join(folder / "qrels.txt", sorted((folder / "runs").glob("bm25*")))
    found = assessors(runs, "nDCG@10", assessors=(folder / "qrels-assessors",))
    assert not any("qrels lack" in note for note in found.notes)  # all inside the pool, as the data's README has it
    assert found["agreement"].filter(pl.col("assessor_a") == "qrels")["documents"].is_between(1100, 1140).all()
