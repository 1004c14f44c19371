"""Ideal, full-scale, worst and reranked runs: by hand, as what they must score, and from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.options import ReferenceKind

QRELS = {"1": {"a": 1, "b": 2, "c": 0, "d": -1}, "2": {"a": 0}}
RUN = {"2": {"x": 1.0}, "1": {"d": 9.0, "c": 8.0, "x": 7.0, "a": 6.0}}


def documents(kind: ReferenceKind, length: int = 4) -> list[str]:
    [run] = cf.reference_runs(QRELS, kind=kind, length=length).values()
    return run.filter(query_id="1").sort("score", descending=True)["doc_id"].to_list()


def test_the_lists_by_hand() -> None:
    assert documents("ideal") == ["b", "a"]
    assert documents("full-scale") == ["unjudged-1", "unjudged-2", "a", "b"]
    assert documents("full-scale", length=2) == documents("full-scale")  # twice the recall base at least
    assert documents("worst", length=2) == ["unjudged-1", "unjudged-2"]
    reranked = cf.reference_runs(QRELS, {"bm25": RUN}, kind="reranked")["bm25"]
    assert reranked.filter(query_id="1").rows() == [("1", "a", 4), ("1", "c", 3), ("1", "x", 2), ("1", "d", 1)]
    assert reranked.filter(query_id="2").rows() == [("2", "x", 1)]


def test_a_topic_with_nothing_relevant_has_an_empty_ideal_list() -> None:
    [source] = cf.reference_runs(QRELS).sources
    assert source.empty_topics == ("2",)


grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)
lists = st.lists(st.sampled_from("abcdefghxyz"), unique=True, min_size=1)


@settings(derandomize=True, database=None)
@given(grades, lists)
def test_no_order_is_better_and_none_worse(judged: dict[str, int], ranked: list[str]) -> None:
    qrels, run = {"1": judged}, {"run": {"1": ranked}}
    measures = ["nDCG", "AP", "P@3", "R@3", "CG@4", "RBP"]

    def values(kind: ReferenceKind, runs: dict[str, dict[str, list[str]]] | None = None) -> list[float]:
        found = cf.reference_runs(qrels, runs, kind=kind)
        by_topic = cf.evaluate(qrels, found, measures, missing="empty").means["value"]
        return [float(value) for value in by_topic]

    as_it_is = cf.evaluate(qrels, run, measures).means["value"].to_list()
    reranked, ideal, worst = values("reranked", run), values("ideal"), values("worst")
    for lowest, value, own_best, best in zip(worst, as_it_is, reranked, ideal, strict=True):
        assert lowest == 0 <= value <= own_best + 1e-12 <= best + 2e-12
    everything = {"run": {"1": [*ranked, *(d for d in judged if d not in ranked)]}}
    assert values("reranked", everything) == pytest.approx(ideal)


def test_what_the_paper_says_of_these_runs() -> None:
    """ρ, σ⁺, σ⁻ and τ of the ideal, the worst and the full-scale run of Figures 4 to 6."""
    qrels = {"1": dict(zip("abcdefg", (3, 3, 2, 2, 1, 1, 1), strict=True))}
    measures = ["Recovery@15", "ForwardSpace@15", "BackwardSpace@15", "Twist@15"]

    def values(kind: ReferenceKind) -> list[float]:
        found = cf.evaluate(qrels, cf.reference_runs(qrels, kind=kind, length=15), measures)
        return found.means["value"].to_list()

    assert values("ideal") == [1, 1, 1, 1]
    assert values("worst") == [0, 1, 0, 0]
    assert values("full-scale") == [7 / 13, 0, 0, 7 / 26]


def test_the_curve_of_the_full_scale_run_is_that_of_the_run_written_out() -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1}}
    kinds: tuple[ReferenceKind, ...] = ("full-scale", "worst")
    written = {kind: cf.reference_runs(qrels, kind=kind, length=6) for kind in kinds}
    runs = {f"my {name}": run[name] for name, run in written.items()}
    for measure in ("CRP", "RP", "nDCG", "RBP"):
        found = cf.curve(qrels, runs, measure, last_rank=6, beside=("full-scale", "worst"), length=6)
        assert found.beside_values.tolist() == found.values.tolist()
        assert found.beside_averages.tolist() == found.averages.tolist()


def test_the_full_scale_run_stands_beside_relative_positions_and_what_else_is_asked() -> None:
    """R = 1, length 4: RP -1 0 0 3."""
    qrels, run = {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}
    found = cf.curve(qrels, run, "CRP", last_rank=4, length=4)
    assert (found.beside, found.beside_averages.tolist()) == (("full-scale",), [[-1, -1, -1, 2]])
    assert found.means["run"].unique(maintain_order=True).to_list() == ["r", "ideal", "full-scale"]
    assert found.per_topic.height == 3 * 4
    assert "full-scale: that list reversed" in found.caption()
    assert cf.curve(qrels, run, "CRP", last_rank=4, beside=()).beside == ()
    assert cf.curve(qrels, run, "CG", last_rank=4).beside == ()
    assert cf.curve(qrels, run, "CRP(judged_only=True)", last_rank=4).beside == ()


@settings(derandomize=True, database=None)
@given(st.lists(grades, min_size=1, max_size=3), st.lists(lists, min_size=1, max_size=4))
@pytest.mark.integration  # four seconds
def test_the_curve_of_a_reranked_run_is_that_of_the_run_written_out(
    judged: list[dict[str, int]], ranked: list[list[str]]
) -> None:
    qrels = {str(topic): grades for topic, grades in enumerate(judged)}
    runs = {"one": {str(topic): docs for topic, docs in enumerate(ranked)}, "two": {"0": ranked[-1]}}
    written = cf.reference_runs(qrels, runs, kind="reranked")
    for measure in ("CG(gains={-1:-2})", "RBP", "AP", "P(judged_only=True)"):
        found = cf.curve(qrels, runs, measure, last_rank=6, beside=["reranked"])
        again = cf.curve(qrels, written, measure, last_rank=6)
        assert found.beside_values.tolist() == again.values.tolist()
        assert found.beside_averages.tolist() == again.averages.tolist()


def test_each_run_has_its_reranked_list_beside_it() -> None:
    """Of topic 1 the run has grades -1, 0, unjudged, 1; the best order is 1, 0, unjudged, -1."""
    runs = {"bm25": RUN, "dense": {"1": {"b": 1.0}}}
    found = cf.curve(QRELS, runs, "CG(gains={-1:-1})", last_rank=4, beside=("worst", "reranked"), topics="shared")
    assert found.values[0, 0].tolist() == [-1, -1, -1, 0]
    assert found.beside_values[1, 0].tolist() == [1, 1, 1, 0]
    assert found.beside_averages.tolist() == [[0] * 4, [0.5, 0.5, 0.5, 0], [2] * 4]  # dense has topic 1 alone
    lists = ["bm25", "dense", "ideal", "worst", "bm25 reranked", "dense reranked"]
    assert found.table().columns == ["rank", *lists]
    assert found.per_topic.filter(topic="2")["run"].unique(maintain_order=True).to_list() == [
        "bm25", "ideal", "worst", "bm25 reranked"
    ]  # fmt: skip
    assert "reranked: the run's own documents in the best order" in found.caption()
    assert cf.Curves.from_dict(found.to_dict()) == found
    assert cf.curve(QRELS, RUN, "P(judged_only=True)", beside=("reranked",)).beside == ("reranked",)


def test_what_cannot_be() -> None:
    refusals: dict[str, Callable[[], object]] = {
        "reranked needs runs": lambda: cf.reference_runs(QRELS, kind="reranked"),
        "the ideal run follows from the qrels; leave the runs out": lambda: cf.reference_runs(QRELS, {"r": RUN}),
        "kind must be": lambda: cf.reference_runs(QRELS, kind="best"),  # type: ignore[arg-type]
        "length must be at least 1": lambda: cf.reference_runs(QRELS, kind="worst", length=0),
        "a judged document is called unjudged-": lambda: cf.reference_runs({"1": {"unjudged-7": 1}}, kind="worst"),
        "a run is called 'full-scale', as the reversed ideal list": lambda: cf.curve(QRELS, {"full-scale": RUN}, "CRP"),
        "a run is called 'a reranked', as the reranked one": lambda: cf.curve(
            QRELS, {"a": RUN, "a reranked": RUN}, beside=("reranked",)
        ),
        "has unjudged documents": lambda: cf.curve(QRELS, RUN, "P(judged_only=True)", beside=("worst",)),
        "beside must be a list": lambda: cf.curve(QRELS, RUN, "P", beside=("ideal",)),  # type: ignore[arg-type]
        "averaged by ratios only": lambda: cf.curve(QRELS, RUN, average="vectors", beside=("worst",)),
    }
    for told, refused in refusals.items():
        with pytest.raises(cf.InputError, match=told):
            refused()


def test_on_the_command_line(tmp_path: Path) -> None:
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    cf.write_run(cf.read_run(RUN), tmp_path / "bm25.run.gz")

    def run(*arguments: object) -> str:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    qrels, out = tmp_path / "qrels.txt", tmp_path / "out"
    assert run("reference", qrels, "-o", out) == f"{out}/ideal.txt\n"
    run("reference", qrels, "--kind", "full-scale", "--length", "4", "-o", out)
    assert (out / "ideal.txt").read_text() == "1 Q0 b 1 2.0 ideal\n1 Q0 a 2 1.0 ideal\n"
    assert run("reference", qrels, tmp_path / "bm25.run.gz", "--kind", "reranked", "-o", out).endswith("bm25.run.gz\n")
    assert cf.read_run(out / "bm25.run.gz")["doc_id"].to_list() == ["a", "c", "x", "d", "x"]
    shown = run(
        "curve", "-m", "CG", qrels, out / "bm25.run.gz", "--last-rank", "1", "--beside", "full-scale,worst", "--quiet"
    )
    assert shown.split()[:5] == ["rank", "bm25", "ideal", "full-scale", "worst"]
    assert shown.split()[5:] == ["1", "0.5000", "1.0000", "0.0000", "0.0000"]
    shown = run(
        "curve", "-m", "CG", qrels, tmp_path / "bm25.run.gz", "--last-rank", "1", "--beside", "reranked", "--quiet"
    )
    assert shown == "rank    bm25   ideal  bm25 reranked\n   1  0.0000  1.0000         0.5000\n"
