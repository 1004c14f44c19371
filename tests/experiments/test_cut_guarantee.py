"""Whether cutting with a guarantee holds: split by split as `cut` does it, and on real runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tools.ranked import runs_for

from cranfield import evaluate, join
from cranfield.experiments.cut_guarantee import cut_guarantee
from cranfield.experiments.work import Work
from cranfield.plumbing.errors import InputError
from cranfield.stopping.cutting import cut
from cranfield.stopping.rules import RULES


def study(runs: int = 2, topics: int = 12) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(20)]
    qrels = {str(t): dict(zip(documents, rng.integers(0, 3, 12).tolist(), strict=False)) for t in range(topics)}
    found = {
        f"r{r}": {t: dict(zip(rng.permutation(documents)[:12].tolist(), rng.normal(size=12).tolist(), strict=True))
                  for t in qrels}
        for r in range(runs)
    }  # fmt: skip
    return qrels, found


@pytest.mark.parametrize("measure", ["R", "SetF"])
def test_split_by_split_it_is_what_cut_does(measure: str) -> None:
    qrels, runs = study(1)
    found = cut_guarantee(join(qrels, runs), measure, levels=(0.3,), splits=4, learned_on=2 / 3, seed=5)["runs"]
    topics = join(qrels, runs).topics
    drawn = np.random.default_rng(5).permuted(np.tile(np.arange(12) < 8, (4, 1)), axis=1)
    for rule in RULES:
        lost, kept = [], []
        for mine in drawn:
            learned = {topic: qrels[topic] for topic, chosen in zip(topics, mine, strict=True) if chosen}
            others = {topic: qrels[topic] for topic in topics if topic not in learned}
            left = cut(runs, lose_at_most=0.3, rule=rule, measure=measure, qrels=learned)  # type: ignore[arg-type]
            part, whole = (evaluate(others, each, [measure, "NumRet"]).values[:, 0] for each in (left, runs))
            lost.append(np.maximum(0, 1 - part[0] / whole[0]).mean())
            kept.append(part[1].mean())
        [row] = found.filter(rule=rule).rows(named=True)
        assert (row["topics"], row["whole"]) == (8, 12)
        assert row["lost"] == pytest.approx(np.mean(lost))
        assert row["error"] == pytest.approx(np.std(lost, ddof=1) / 2)
        assert row["kept"] == pytest.approx(np.mean(kept))


def test_the_summary_is_over_runs() -> None:
    found = cut_guarantee(join(*study()), ("R", "AP"), levels=(0.2, 0.5), splits=50)
    assert found["summary"].height == 2 * len(RULES) * 2
    for row in found["summary"].rows(named=True):
        rows = found["runs"].filter(measure=row["measure"], rule=row["rule"], level=row["level"])
        assert row["lost"] == pytest.approx(rows["lost"].mean())
        assert row["highest"] == rows["lost"].max()
        assert row["over"] == (rows["lost"] > rows["level"] + 3 * rows["error"] + 1e-9).sum() == 0
        assert row["plain_over"] == (rows["plain"] > rows["level"] + 3 * rows["plain_error"] + 1e-9).sum()
        assert row["kept"] == pytest.approx((rows["kept"] / rows["whole"]).mean())


def test_levels_that_too_few_topics_can_hold_are_noted_and_lists_stay_whole() -> None:
    found = cut_guarantee(join(*study()), levels=(0.1, 0.2), splits=10)
    assert found.notes == ("lists stay whole at level 0.1: it needs 9 topics to learn on, not 6",)
    whole = found["runs"].filter(level=0.1)
    assert whole["lost"].to_list() == [0.0] * 2 * len(RULES)
    assert (whole["kept"] == whole["whole"]).all()
    assert (found["runs"].filter(level=0.2)["topics"] == 6).all()
    says = found.plot("cut-guarantee").spec["title"]["subtitle"]
    assert says[0].endswith("Rows: the cutting rules.") and "No run loses" not in str(says)
    bare = cut_guarantee(
        join({str(t): {"a": 0} for t in range(12)}, {"r": {str(t): ["a"] for t in range(12)}}), splits=2
    )
    assert "No run loses anything at any level." in bare.plot("cut-guarantee").spec["title"]["subtitle"]


def test_interrupted_it_goes_on(tmp_path: Path) -> None:
    runs = join(*study())
    whole = cut_guarantee(runs, splits=20, work=Work(folder=tmp_path))
    assert cut_guarantee(runs, splits=20, work=Work(folder=tmp_path))["runs"].equals(whole["runs"])


def test_what_cannot_be_split_is_refused() -> None:
    qrels, runs = study(1, topics=1)
    with pytest.raises(InputError, match="r0 has documents on 1 judged topic; at least two are needed to split"):
        cut_guarantee(join(qrels, runs))
    with pytest.raises(InputError, match=r"RBPResidual.* is better the lower it is"):
        cut_guarantee(join(*study()), "RBPResidual")
    with pytest.raises(InputError, match="join the runs without judged_only"):
        cut_guarantee(join(*study(), judged_only=True))


def test_one_run_of_dl19_holds_its_level_where_the_plain_threshold_does_not(data: Path) -> None:
    folder = data / "dl19-passage"
    runs = join(folder / "qrels.txt", folder / "runs" / "bm25base_p.gz")
    summary = cut_guarantee(runs, levels=(0.1, 0.2), splits=300)["summary"]
    assert (summary["lost"] < summary["level"]).all()
    assert (summary["over"] == 0).all()
    assert (summary["plain"] > summary["level"]).sum() > 7


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "nfcorpus-test"])
def test_every_rule_and_level_holds_on_every_run(data: Path, tmp_path: Path, collection: str) -> None:
    made = collection == "nfcorpus-test"
    folder = runs_for(data / "small-collections" / collection, tmp_path) if made else data / collection
    runs = join(folder / "qrels.txt", folder / "runs")
    found = cut_guarantee(runs, ("R", "nDCG", "SetF"), splits=2_000)
    rows = found["runs"]
    assert rows.height == len(runs.runs) * 3 * len(RULES) * 3
    assert (rows["lost"] <= rows["level"] + 3 * rows["error"]).all()
    assert (found["summary"]["over"] == 0).all()
