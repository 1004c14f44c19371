"""Judges combined without an expert: Dawid and Skene's chances from the definition, and what is written."""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing.errors import InputError
from cranfield.selection.cheap_labels import grouped
from cranfield.selection.combining import combine_judges, dawid_skene

JUDGES = {
    "ann": {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 1}},
    "bob": {"1": {"a": 5, "b": 5, "c": 2, "d": 2}},
    "eve": {"1": {"a": 0, "b": 1, "c": 0, "d": 1, "e": 0}, "2": {"z": 1}},
}


def plain(labels: list[list[int | None]], start: list[int], classes: int, rounds: int) -> list[list[float]]:
    """Chances of classes, from the definition: documents, judges and labels one by one."""
    documents = range(len(start))
    chance = [[float(start[i] == k) for k in range(classes)] for i in documents]
    for _ in range(rounds):
        share = [sum(chance[i][k] for i in documents) / len(start) for k in range(classes)]
        said: list[dict[tuple[int | None, int], float]] = []
        for of in labels:
            there = sorted({label for label in of if label is not None})
            size = [sum(chance[i][k] for i in documents if of[i] is not None) + 1 for k in range(classes)]
            said.append({
                (label, k): (sum(chance[i][k] for i in documents if of[i] == label) + 1 / len(there)) / size[k]
                for label in there for k in range(classes)
            })  # fmt: skip
        for i in documents:
            weight = [
                share[k] * prod(one[of[i], k] for one, of in zip(said, labels, strict=True) if of[i] is not None)
                for k in range(classes)
            ]  # fmt: skip
            chance[i] = [of / sum(weight) for of in weight]
    return chance


def test_dawid_and_skene_from_the_definition() -> None:
    random = np.random.default_rng(1)
    labels = [[None if random.random() < 0.2 else int(random.integers(0, 3)) for _ in range(14)] for _ in range(4)]
    start = random.integers(0, 2, 14)
    codes = [grouped(np.array([np.nan if label is None else label for label in of])) for of in labels]
    chance, said = dawid_skene(codes, start)
    np.testing.assert_allclose(chance, plain(labels, start.tolist(), 2, 500), atol=1e-3)
    for each in said:
        np.testing.assert_allclose(each.sum(axis=0), 1)


def test_judges_whose_errors_are_independent_are_found_out() -> None:
    random = np.random.default_rng(6)
    truth = random.random(2000) < 0.3
    right = {"good": 0.95, "fair": 0.8, "poor": 0.65, "wrong": 0.2}
    labels = {name: {"1": {f"d{i}": int(t if random.random() < share else not t) for i, t in enumerate(truth)}}
              for name, share in right.items()}  # fmt: skip
    found = combine_judges(labels, classes=2)
    said = found.judges.filter(pl.col("class") == pl.col("label"))
    shares = dict(said.group_by("judge").agg(pl.col("chance").mean()).iter_rows())
    assert shares == pytest.approx(right, abs=0.05)
    relevant = found.to_polars()["relevance"].to_numpy() > 0.5
    assert (relevant == truth).mean() > 0.95
    assert sum(labels["good"]["1"][f"d{i}"] == t for i, t in enumerate(truth)) / 2000 <= (relevant == truth).mean()


def test_the_mean_place_by_hand() -> None:
    found = combine_judges(JUDGES, method="mean").to_polars()
    # ann: three of five are 1, the places from 2/5 to 1; bob: two of four are 5; eve has 0 0 0 and 1 1 1.
    ann, bob, eve = (0.7, 0.2), (0.75, 0.25), (0.75, 0.25)
    wanted = {
        "a": (ann[0] + bob[0] + eve[1]) / 3,
        "b": (ann[0] + bob[0] + eve[0]) / 3,
        "c": (ann[1] + bob[1] + eve[1]) / 3,
        "d": (ann[1] + bob[1] + eve[0]) / 3,
        "e": (ann[0] + eve[1]) / 2,
        "z": eve[0],
    }
    assert dict(found.select("doc_id", "relevance").iter_rows()) == pytest.approx(wanted)
    assert found["judges"].to_list() == [3, 3, 3, 3, 2, 1]


def test_what_is_written_is_one_more_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, of in JUDGES.items():
        Path(f"{name}.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, row in of.items() for d, g in row.items()))
    done = CliRunner().invoke(main, ["combine", "ann.txt", "bob.txt", "eve.txt", "-o", "combined.csv"])
    assert done.exit_code == 0, done.stderr
    assert "note: 2 documents without a label by some judge: combined from the others" in done.stderr
    wanted = combine_judges(JUDGES)
    assert cf.read_qrels("combined.csv")["relevance"].to_list() == wanted.to_polars()["relevance"].to_list()
    assert type(wanted).from_dict(wanted.to_dict()) == wanted


@pytest.mark.parametrize(
    ("labels", "asked", "says"),
    [
        ({"ann": JUDGES["ann"]}, {}, "combining needs the labels of two or more judges; only 'ann' is given"),
        ({}, {}, "none is given"),
        (JUDGES, {"classes": 1}, "classes"),
        (JUDGES, {"method": "vote"}, "method"),
        (JUDGES, {"method": "mean", "classes": 4}, "classes apply to the method errors"),
    ],
)
def test_what_cannot_be_combined(
    labels: dict[str, dict[str, dict[str, int]]], asked: dict[str, int], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        combine_judges(labels, **asked)  # type: ignore[arg-type]


def test_a_judge_without_a_label_says_nothing() -> None:
    alone = combine_judges({"ann": JUDGES["ann"], "bob": JUDGES["bob"]}, classes=2)
    found = combine_judges({"ann": JUDGES["ann"], "bob": JUDGES["bob"], "eve": {"1": {}}}, classes=2)
    np.testing.assert_allclose(found.to_polars()["relevance"], alone.to_polars()["relevance"])
    assert found.judges["judge"].unique(maintain_order=True).to_list() == ["ann", "bob"]


@pytest.mark.integration
def test_33_judges_of_llmjudge_order_documents_better_together(data: Path, tmp_path: Path) -> None:
    folder = data / "llmjudge-2024"
    combine_judges(folder / "labels").to_polars().write_parquet(tmp_path / "together.parquet")
    runs = cf.join(folder / "qrels.txt", {"any": {"q0": {"p0": 1.0}}})
    files = (tmp_path / "together.parquet", folder / "labels" / "Olz-gpt4o.txt.gz")
    found = EXPERIMENTS["assessors"](runs, "P@1", assessors=files)["against_qrels"].filter(statistic="concordance")
    value = dict(found.select("assessor", pl.col("value").round(3)).iter_rows())
    assert value == {"together": 0.809, "Olz-gpt4o": 0.741}  # the latter is the best of the 33
