"""A kept step is found again only where all that it follows from is the same: the code that made it, too."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import Work, provenance
from cranfield.experiments.discriminative_power import discriminative_power
from cranfield.experiments.judging import judging
from cranfield.experiments.stopping import stopping
from cranfield.measures import REGISTRY
from cranfield.measures.framework.own import load_measures

QRELS = {t: {"a": 1, "b": 0} for t in "12345"}
RUNS = {
    "good": {t: {"a": 2.0, "b": 1.0} for t in "12345"},
    "poor": {t: {"b": 2.0, "a": 1.0} for t in "12345"},
}
OWN = '''
from cranfield.measures import Measure


class Depth1(Measure):
    """Is the first document relevant?

    Depth1 = {factor} if g(1) > 0
    """

    def compute(self, rankings):
        first = rankings.cut(1).relevant()
        return {factor} * first.count
'''


def done(folder: Path, runs: Any, measures: Any = "RR", **options: Any) -> int:
    """Do the experiment, and say how many steps had to be done."""
    before = len(list(folder.glob(".*/*.parquet")))
    discriminative_power(runs, measures, top=1.0, resamples=100, work=Work(folder=folder), **options)
    return len(list(folder.glob(".*/*.parquet"))) - before


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """Write a measure of one's own, and load it; what was registered is taken back."""

    def write(factor: float) -> None:
        (tmp_path / "own.py").write_text(OWN.replace("{factor}", str(factor)))
        load_measures(tmp_path / "own.py")

    yield write
    REGISTRY.pop("Depth1", None)


def test_the_same_again_is_found(tmp_path: Path) -> None:
    joined = cf.join(QRELS, RUNS)
    assert done(tmp_path, joined) == 1
    assert done(tmp_path, cf.join(QRELS, RUNS)) == 0


def test_other_settings_runs_judgments_and_conditions_are_other_work(tmp_path: Path) -> None:
    assert done(tmp_path, cf.join(QRELS, RUNS)) == 1
    assert done(tmp_path, cf.join(QRELS, RUNS), test="t") == 1
    assert done(tmp_path, cf.join(QRELS, RUNS), alphas=(0.1,)) == 1
    assert done(tmp_path, cf.join(QRELS, {"good": RUNS["poor"], "poor": RUNS["good"]})) == 1
    assert done(tmp_path, cf.join({**QRELS, "1": {"a": 0, "b": 1}}, RUNS)) == 1
    assert done(tmp_path, cf.join(QRELS, RUNS, topics="shared")) == 1
    assert done(tmp_path, cf.join(QRELS, RUNS, rel=1)) == 1


def test_a_measure_of_ones_own_that_was_edited_is_another(tmp_path: Path, own: Any) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    joined = cf.join(QRELS, RUNS)
    own(1.0)
    assert done(folder, joined, "Depth1") == 1
    assert done(folder, joined, "Depth1") == 0
    own(0.5)
    assert done(folder, joined, "Depth1") == 1


def test_a_measure_declared_at_a_prompt_is_known_by_its_code() -> None:
    kinds = []
    for factor in (1.0, 0.5, 1.0):
        namespace: dict[str, Any] = {"__name__": "__console__"}
        exec(OWN.replace("{factor}", str(factor)), namespace)  # noqa: S102
        kinds.append(namespace["Depth1"])
        REGISTRY.pop("Depth1")
    first, edited, again = (provenance.sources([kind()])["Depth1"] for kind in kinds)
    assert first == again != edited


def test_other_code_of_the_package_is_other_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = cf.join(QRELS, RUNS)
    assert done(tmp_path, joined) == 1
    monkeypatch.setattr(import_module("cranfield.experiments.experiment"), "code_digest", lambda: "edited")
    assert done(tmp_path, joined) == 1


def test_the_digest_is_of_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "PACKAGE_FOLDER", tmp_path)
    digests = []
    for content in ("x = 1\n", "x = 2\n"):
        (tmp_path / "module.py").write_text(content)
        provenance.code_digest.cache_clear()
        digests.append(provenance.code_digest())
    provenance.code_digest.cache_clear()
    assert digests[0] != digests[1]


def test_findings_say_what_they_follow_from(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in "123"))
    for run, order in (("good", "ab"), ("poor", "ba")):
        lines = [f"{t} Q0 {d} {i} {9 - i} {run}\n" for t in "123" for i, d in enumerate(order)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("qrels.txt", "good.run", "poor.run")]
    arguments = ["experiment", "discriminative-power", *files, "-m", "RR", "--top", "1", "--resamples", "100"]
    assert CliRunner().invoke(main, [*arguments, "--rel", "1", "--out", str(tmp_path / "found")]).exit_code == 0
    described = json.loads((tmp_path / "found" / "discriminative-power.json").read_text())
    assert described["settings"] == {
        "measures": ["RR(rel=1)"], "test": "bootstrap", "alphas": [0.05, 0.01], "resamples": 100, "top": 1.0, "seed": 7,
    }  # fmt: skip
    [collection] = described["collections"]
    assert (collection["runs"], collection["topics"], collection["conditions"]) == (2, 3, {"rel": 1.0})
    assert collection["fingerprint"] == cf.join(files[0], files[1:], rel=1).fingerprint
    assert described["version"].startswith(cf.__version__)


def test_scores_and_unjudged_documents_count_where_a_study_looks_at_them(tmp_path: Path) -> None:
    """Learning to stop looks at scores, choosing what to judge at all documents: neither is in the judged rankings."""
    run = {t: {"a": 9.0, "x": 5.0, "b": 1.0} for t in "12345"}
    others = [
        {t: {"a": 9.0, "x": 1.5, "b": 1.0} for t in "12345"},
        {t: {"a": 9.0, "y": 5.0, "b": 1.0} for t in "12345"},
    ]
    joined = [cf.join(QRELS, {"r": each, "s": run}) for each in (run, *others)]
    assert len({runs.fingerprint for runs in joined}) == 1
    assert len({runs.contents for runs in joined}) == 3
    for study, options in ((stopping, {"folds": 2}), (judging, {"methods": ("A",), "budgets": (2,), "top": 1.0})):
        for times, runs in enumerate((*joined, joined[0]), start=1):
            study(runs, **({"measures": "SetF"} if study is stopping else {}), **options, work=Work(folder=tmp_path))
            assert len(list(tmp_path.glob(f".{study.__name__}-*"))) == min(times, 3)
