"""The section of a report on a cheap judge beside the qrels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.reports.elements import ReportTable, Words, unfolded
from cranfield.reports.reporting import evidence_of
from cranfield.reports.section import SECTIONS
from cranfield.reports.sentence import read_in

QRELS = {topic: {"a": 1, "b": 1, "c": 0, "d": 0} for topic in "1234"}
RUNS = {
    "lexical": {topic: ["a", "c"] for topic in "1234"},
    "<b>dense": {topic: ["c", "d"] if topic == "1" else ["a", "b"] for topic in "1234"},
    "third": {topic: ["d", "c"] for topic in "1234"},
}
LABELS = {topic: {"a": 1, "b": 0, "c": 1, "d": 0} for topic in "1234"}
"""Of 16 documents half have the qrels' grade, four a higher one and four a lower one."""
KINDS = "lexical old\n<b>dense new\nthird old\n"


def written(path: Path, labels: Any) -> Path:
    path.write_text("".join(f"{t} 0 {d} {label}\n" for t, of in labels.items() for d, label in of.items()))
    return path


def section(folder: Path, labels: Any = LABELS, **asked: Any) -> Any:
    cheap = written(folder / "model.txt", labels)
    evidence = evidence_of(QRELS, RUNS, ["P@2"], None, 7, cheap=cheap, **asked)
    return SECTIONS["judges"].of(evidence, read_in("judges", evidence))


def sentences(found: Any) -> list[str]:
    return [sentence for block in found.blocks if isinstance(block, Words) for sentence in block.sentences]


def test_without_labels_there_is_none() -> None:
    assert SECTIONS["judges"].of(evidence_of(QRELS, RUNS, ["P@2"], None, 7)) is None


def test_what_it_says(tmp_path: Path) -> None:
    """By the labels P@2 is 1, 1/2 and 1/2; by the qrels 1/2, 3/4 and 0: lexical and third each gain a half."""
    (tmp_path / "kinds.txt").write_text(KINDS)
    found = section(tmp_path, kinds=tmp_path / "kinds.txt", circular="lexical")
    said = sentences(found)
    assert said[0].startswith(
        "model gives 50% of 16 documents the grade of the qrels, 25% a higher and 25% a lower one; its mean label is "
        "as high as the mean grade (95% interval on topics like these: "
    )
    assert said[1].startswith("model and the qrels agree with a kappa of 0.0000, or ")
    assert said[2].startswith(
        "model gives the better of two documents of a topic the higher label in 50% of cases, ties counting half"
    )
    assert said[3] == "By its labels, model puts lexical first in P@2, 0.2500 behind <b>dense by the qrels."
    assert said[4] == (
        "The leaderboards of 3 runs in P@2 by model and by the qrels have a Kendall's τ_b of 0.0000 (4 topics); model "
        "ties 1 pair of runs, the qrels 0."
    )
    assert (
        "model favours lexical and third most: by P@2, lexical has 1.0000 (rank 1) by the labels and 0.5000 (rank 2) "
        "by the qrels; the mean of all runs is 0.6667 and 0.4167."
    ) in said
    beginnings = (
        "lexical, made with model, scores by P@2 1.0000 (rank 1)",
        "model favours runs of the kind old most (2 runs): by P@2 they average 0.7500 by the labels and 0.2500 by the",
    )
    assert all(any(sentence.startswith(beginning) for sentence in said) for beginning in beginnings)
    tables = {block.name: block for block in unfolded(found.blocks) if isinstance(block, ReportTable)}
    assert {*tables} == {
        f"assessors-{name}"
        for name in ("against_qrels", "by_topic", "leaderboards", "orders", "pairs", "circular", "bias")
    }
    assert "--documents all --kinds" in tables["assessors-bias"].command


def test_labels_of_another_scale_and_labels_that_lack(tmp_path: Path) -> None:
    scored = {t: {d: label / 3 + 0.1 for d, label in of.items() if d != "d"} for t, of in LABELS.items()}
    said = sentences(section(tmp_path, scored))
    assert said[0] == (
        "model has no label for 4 documents of the qrels and has 12 labels that are no grades of the qrels, so only "
        "the order of its labels is used."
    )
    assert said[2] == (
        "The runs' first 10 ranks, sorted by the labels of model, would have rank 2 by P@2 and the qrels (0.5000)."
        # a and c
    )


def test_a_judge_who_says_the_same_of_all(tmp_path: Path) -> None:
    said = sentences(section(tmp_path, {t: dict.fromkeys(of, 0) for t, of in LABELS.items()}))
    assert "By its labels, model ties all 3 runs in P@2." in said
    assert not any("favours" in sentence for sentence in said)


@each_of("asked", [{"runs": ["lexical"]}, {"topics": ["1"]}])
def test_one_run_or_topic(asked: dict[str, list[str]], tmp_path: Path) -> None:
    topics, names = asked.get("topics", [*QRELS]), asked.get("runs", [*RUNS])
    runs = {name: {topic: RUNS[name][topic] for topic in topics} for name in names}
    cheap = written(tmp_path / "model.txt", LABELS)
    found = cf.report({topic: QRELS[topic] for topic in topics}, runs, ["P@2"], cheap=cheap)
    [section] = [section for section in found.document.sections if section.name == "judges"]
    said = sentences(section)
    assert f" of {4 * len(topics)} documents the grade of the qrels, " in said[0]
    assert not any("Not for these runs" in sentence or "nan" in sentence for sentence in said)


def test_what_is_refused(tmp_path: Path) -> None:
    cheap = written(tmp_path / "model.txt", LABELS)
    with pytest.raises(cf.InputError, match="circular names 'x', which is no run; the runs are lexical"):
        cf.report(QRELS, RUNS, "P@2", cheap=cheap, circular="x")
    with pytest.raises(cf.InputError, match="need the labels of a cheap judge"):
        cf.report(QRELS, RUNS, "P@2", circular="third")
    with pytest.raises(cf.InputError, match="no document of a topic in common with the qrels"):
        cf.report({"9": {"a": 1}}, {"r": {"9": ["a"]}}, "P@2", cheap=cheap)


def asked(folder: Path, *words: str) -> Result:
    qrels, cheap = written(folder / "qrels.txt", QRELS), written(folder / "model.txt", LABELS)
    for number, run in enumerate(RUNS.values()):
        lines = [f"{t} Q0 {d} 1 {-rank} r{number}\n" for t, found in run.items() for rank, d in enumerate(found)]
        (folder / f"r{number}.run").write_text("".join(lines))
    runs = [str(folder / f"r{number}.run") for number in range(len(RUNS))]
    given = [str(cheap) if word == "LABELS" else word for word in words]
    return CliRunner().invoke(main, ["report", str(qrels), *runs, "-m", "P@2", *given])


def test_the_command(tmp_path: Path) -> None:
    found = asked(tmp_path, "--cheap", "LABELS", "--circular", "r2", "--sentences", "--format", "csv")
    assert found.exit_code == 0, found.output
    assert "r2, made with model, scores by P@2 0.5000" in found.output
    assert asked(tmp_path, "--circular", "r2", "--sentences").exit_code == 2
    assert asked(tmp_path, "--cheap", "LABELS", "--check").exit_code == 2
