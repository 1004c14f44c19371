"""What a result costs in expert labels: the same numbers as `estimate`, the limits, and eight model judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.expert_labels import expert_labels
from cranfield.plumbing.errors import InputError, MeasureError

TOPICS = [str(topic) for topic in range(1, 13)]
POOL = [f"d{i:02}" for i in range(30)]


def made() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]], dict[str, dict[str, int]]]:
    """Twelve topics of thirty documents, three runs of ten of them, and a judge who is right about four in five."""
    random = np.random.default_rng(8)
    grades = {t: {d: int(random.random() < 0.4) for d in POOL} for t in TOPICS}
    labels = {t: {d: g if random.random() < 0.8 else 1 - g for d, g in of.items()} for t, of in grades.items()}
    runs: dict[str, dict[str, list[str]]] = {}
    for run, noise in {"a": 3.0, "b": 1.0, "c": 9.0}.items():
        runs[run] = {}
        for t, of in grades.items():
            score = {d: g + noise * random.random() for d, g in of.items()}
            runs[run][t] = sorted(POOL, key=lambda d, score=score: -score[d])[:10]  # type: ignore[misc]
    return grades, runs, labels


GRADES, RUNS, LABELS = made()


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    file = tmp_path / "gpt.txt"
    file.write_text("".join(f"{t} 0 {d} {label}\n" for t, of in LABELS.items() for d, label in of.items()))
    return file


def test_a_sample_is_estimated_as_by_estimate(judge: Path) -> None:
    found = expert_labels(cf.join(GRADES, RUNS), "P@5", cheap=(judge,), per_topic=(6,), samples=1, seed=3)
    candidates = cf.Candidates.gather(RUNS, depth=5)
    sample = cf.weighted_sample(candidates, 6, measures="P@5", seed=3)
    truth = cf.evaluate(GRADES, RUNS, "P@5").means["value"].to_numpy()
    for name, cheap in {"(none)": {t: dict.fromkeys(of, 0) for t, of in LABELS.items()}, "gpt": LABELS}.items():
        row = found["widths"].filter(judge=name).row(0, named=True)
        estimated = cf.estimate(candidates, sample, GRADES, "P@5", cheap=cheap)
        means, values = estimated.means, estimated.values[0]
        value = means["value"].to_numpy()
        assert row["error"] == pytest.approx(np.sqrt(np.mean((value - truth) ** 2)))
        # Widths are those of the t intervals, wherever they would end; what is printed ends where P@5 does.
        margin = stats.t.ppf(0.975, estimated.freedom[0]) * means["standard_error"].to_numpy()
        assert row["width"] == pytest.approx(2 * margin.mean())
        spread = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        assert row["like_width"] == pytest.approx(2 * stats.t.ppf(0.975, values.shape[1] - 1) * spread.mean())
        inside = (means["low"].to_numpy() <= truth) & (truth <= means["high"].to_numpy())
        assert (row["held"], row["least_held"]) == (inside.mean(), inside.min())
        assert row["loss"] == pytest.approx(truth.max() - truth[value.argmax()])
        assert row["best_named"] == float(value.argmax() == truth.argmax())


def test_differences_from_a_run(judge: Path) -> None:
    found = expert_labels(
        cf.join(GRADES, RUNS), "P@5", cheap=(judge,), per_topic=(6,), samples=1, seed=3, baseline="b"
    )["widths"].filter(judge="gpt")
    candidates = cf.Candidates.gather(RUNS, depth=5)
    sample = cf.weighted_sample(candidates, 6, measures="P@5", seed=3, against="b")
    means = cf.estimate(candidates, sample, GRADES, "P@5", cheap=LABELS, baseline="b").means.filter(
        pl.col("run") != "b"
    )
    assert found["width"].item() == pytest.approx((means["difference_high"] - means["difference_low"]).mean())


def test_all_judgments_leave_nothing_to_chance(judge: Path) -> None:
    found = expert_labels(cf.join(GRADES, RUNS), "P@5", cheap=(judge,), per_topic=(4, 99), samples=2, design="uniform")
    last = found["widths"].filter(per_topic=99)
    assert last.select("error", "held", "best_named", "tau").unique().rows() == [(0.0, 1.0, 1.0, 1.0)]
    needed = found["needed"].row(1, named=True)
    assert last["labels"].to_list() == [needed["all_labels"]] * 2
    assert last["like_width"].to_list() == pytest.approx([needed["all_width"]] * 2)
    assert needed["allowed_width"] == pytest.approx(1.1 * needed["all_width"])
    assert 4 < needed["needed"] < needed["all_labels"]


def test_two_judges_are_combined_too(judge: Path, tmp_path: Path) -> None:
    (tmp_path / "llama.txt").write_text(judge.read_text())
    found = expert_labels(cf.join(GRADES, RUNS), "P@5", cheap=(tmp_path,), per_topic=(6,), samples=1)
    assert found["widths"]["judge"].to_list() == ["(none)", "gpt", "llama", "(all together)"]


@pytest.mark.parametrize(
    ("measure", "asked", "error", "says"),
    [
        ("AP", {}, MeasureError, "AP is not a weighted sum over ranks"),
        ("P@5", {"baseline": "z"}, InputError, "no run is called 'z'; the runs are a, b and c"),
        ("P@5", {"per_topic": (1,)}, InputError, "per_topic"),
        ("P@5", {"widening": 0.0}, InputError, "widening"),
    ],
)
def test_what_is_refused(measure: str, asked: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        expert_labels(cf.join(GRADES, RUNS), measure, **asked)


def test_a_baseline_alone_differs_from_nobody() -> None:
    with pytest.raises(InputError, match="a is the only run"):
        expert_labels(cf.join(GRADES, {"a": RUNS["a"]}), "P@5", baseline="a", design="uniform")


def test_topics_of_which_nothing_was_retrieved_are_named() -> None:
    found = expert_labels(cf.join({**GRADES, "99": {"d00": 1}}, RUNS), "P@5", per_topic=(4,), samples=1)
    assert found.notes == ("1 topic without a retrieved document left out: 99",)


def test_one_topic_has_no_interval_for_others() -> None:
    found = expert_labels(cf.join({"1": GRADES["1"]}, RUNS), "P@5", per_topic=(4,), samples=2)
    assert found["widths"]["like_width"].item() is None
    assert found["needed"]["needed"].item() is None
    assert found.plot("interval-width").description.startswith(
        "Width of intervals by number of expert labels. With 4.0 expert"
    )


def test_the_width_is_drawn(judge: Path) -> None:
    found = expert_labels(cf.join(GRADES, RUNS), ["P@5", "DCG@5"], cheap=(judge,), per_topic=(4, 8), samples=1)
    figure = found.plot("interval-width")
    assert len(figure.spec["concat"]) == 4
    assert "Dashed: the width with all judgments." in figure.spec["title"]["subtitle"]
    widths = found["needed"].filter(measure="P@5")["all_width"]
    for panel in figure.spec["concat"]:
        scale = panel["layer"][-1]["encoding"]["y"]["scale"]["domain"]
        assert not panel["title"]["text"].startswith("P@5") or scale[0] < widths[0] < scale[1]
    alone = expert_labels(cf.join({"1": GRADES["1"]}, RUNS), "P@5", per_topic=(4,), samples=1).plot("interval-width")
    assert alone.spec["title"]["subtitle"][0] == "Mean over runs and samples, without a cheap judge."
    assert "Dashed" not in str(alone.spec["title"])
    assert ">sample alone</text>" in figure.to_bytes("svg").decode()
    assert ">sample alone</text>" not in alone.to_bytes("svg").decode()
    whole = expert_labels(cf.join({"1": GRADES["1"]}, RUNS), "P@5", per_topic=(99,), samples=1)
    with pytest.raises(InputError, match="ask for smaller samples"):
        whole.plot("interval-width")


@pytest.mark.integration
def test_eight_model_judges_save_experts_labels(data: Path) -> None:
    folder = data / "dl19-passage"
    runs = cf.join(folder / "qrels.txt", [*(folder / "runs").iterdir(), *(folder / "runs-extra").iterdir()])
    judges = tuple(folder / "model-judges" / f"{name}.txt.gz" for name in ("umbrela-gpt4", "binary-llama3.2"))
    found = expert_labels(runs, "P(rel=2)@10", cheap=judges, per_topic=(10, 20, 40), samples=10)
    needed = dict(found["needed"].select("judge", "needed").iter_rows())
    assert needed["umbrela-gpt4"] < needed["binary-llama3.2"] < needed["(none)"] < 30
    assert found["widths"]["held"].min() > 0.93  # type: ignore[operator]
