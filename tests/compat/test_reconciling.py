"""Which way of computing makes a number: each known way is found by its number; false answers are as many as said."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tools.adapters import ADAPTERS, Adapter, NotAsked
from tools.conformance import is_here

import cranfield as cf
from cranfield.cli import main
from cranfield.compat.reconciling import reconcile
from cranfield.compat.ways import _computes
from cranfield.judged.conditions import Asked
from cranfield.measures.framework.names import parse_measure

QRELS = {
    "1": {"a": 3, "b": 1, "c": 0, "1": 1},
    "2": {"a": 1, "d": 2, "e": 2, "f": 1},
    "3": {"a": 0},
    "4": {"g": 1, "h": 3},
    "5": {"a": 2},
}
RUN = {
    "1": {"1": 9.0, "x": 8.0, "b": 7.0, "c": 6.5, "a": 6.0},
    "2": {"f": 3.0, "d": 2.0, "x": 2.0, "y": 1.0},
    "3": {"a": 1.0, "z": 0.5},
    "4": {"y": 3.0, "h": 2.0, "z": 1.0},
}
"""With a tie, a topic's own document, an unjudged one above relevant ones, a topic lacking, one without an answer."""


def mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.6f}"


def computed(value: str, measure: str) -> set[str]:
    found = reconcile(value, QRELS, RUN, measure)
    return set(found.table()["computed"])


@pytest.mark.parametrize(
    ("measure", "conditions", "says"),
    [
        ("AP", {}, "as usual"),
        ("AP", {"rel": 2}, "relevant from grade 2"),
        ("AP", {"judged_only": True}, "unjudged documents removed"),
        ("AP", {"order": "stable"}, "ties in the order of the lines"),
        ("AP", {"exclude": "self"}, "the topic's own document removed"),
        ("AP", {"topics": "shared"}, "over the topics that the run has"),
        ("nDCG@3", {}, "as usual"),
        ("RR", {"rel": 3, "exclude": "self"}, "relevant from grade 3; the topic's own document removed"),
    ],
)
def test_conditions_are_found(measure: str, conditions: Asked, says: str) -> None:
    value = float(cf.evaluate(QRELS, RUN, measure, **conditions).averages[0, 0])
    assert says in computed(f"{value:.6f}", measure)


def test_variants_by_hand() -> None:
    # Precision of lists of 5, 4, 2, 3 and 0 documents, at 5.
    assert "divided by the length of the list" in computed(mean([3 / 5, 2 / 4, 0 / 2, 1 / 3, 0]), "P@5")
    # Recall at 2: of 3, 4, 0, 2 and 1 relevant documents at most 2 can be there.
    assert "divided by at most 2" in computed(mean([1 / 2, 1 / 2, 0, 1 / 2, 0]), "R@2")
    # Average precision over what was found: topic 1 at ranks 1, 3, 5; 2 at 1 and 3 (x before d); 4 at 2.
    ap = [(1 + 2 / 3 + 3 / 5) / 3, (1 + 2 / 3) / 2, 0, 1 / 2, 0]
    assert "divided by the relevant documents retrieved" in computed(mean(ap), "AP")


def test_each_measure_is_divided_only_by_what_tools_divide_it_by() -> None:
    """Recall without a cutoff is divided by its base alone, and precision never by what was retrieved."""
    tried = {name: [way for way, _ in _computes(name.partition("@")[0], parse_measure(name))] for name in ("P@5", "R")}
    assert tried == {"P@5": ["divided by the length of the list"], "R": []}


def test_an_ideal_list_of_what_was_retrieved() -> None:
    qrels, run = {"1": {"a": 1, "b": 3, "c": 2}}, {"1": {"a": 2.0, "x": 1.5, "c": 1.0}}
    gain = 1 / 1 + 2 / 2
    retrieved = gain / (2 / 1 + 1 / 1.5849625007211562)
    found = reconcile(f"{retrieved:.6f}", qrels, run, "nDCG@3")
    assert "ideal list of the retrieved documents" in set(found.rows["variant"])
    found = reconcile("1.0000", qrels, run, "nDCG@2")  # of a and x, a is in its place
    assert "ideal list of the first 2 retrieved" in set(found.rows["variant"])


def test_ideal_lists_that_are_too_long() -> None:
    qrels, run = {"1": {"a": 1, "b": 3, "c": 2}}, {"1": {"b": 2.0, "x": 1.5, "a": 1.0}}
    second = 1.5849625007211562  # log2(3)
    for best, says in ((3 + 2 / second + 1 / 2, "not cut at 2"), (3 + 3 / second, "of 2 documents of the best grade")):
        found = reconcile(f"{3 / best:.6f}", qrels, run, "nDCG@2")
        assert set(found.rows["variant"]) == {f"ideal list {says}"}


def test_rounded_and_cut_off() -> None:
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    assert reconcile("0.6667", qrels, run, "R@2").rows["rounding"].to_list() == ["rounded"]
    assert reconcile("0.6666", qrels, run, "R@2").rows["rounding"].to_list() == ["cut off"]
    assert reconcile("0.6668", qrels, run, "R@2").ways == 0


def test_what_is_exact_is_not_cut_off_further() -> None:
    """0.3 - 0.2 is less than 0.1 in floating point."""
    qrels = {"1": dict.fromkeys("abcdefghij", 1)}
    run = {"1": dict(zip("abcuvwxyzt", range(10, 0, -1), strict=True))}
    assert reconcile("0.300", qrels, run, "R@10").ways == 1
    assert reconcile("0.2", qrels, run, "R@10").ways == 0
    assert reconcile("0.3", qrels, run, "R@10").chance == 1.0  # whatever is within 0.003 of 0.3 prints 0.3
    assert reconcile("0.300", qrels, run, "R@10").chance == pytest.approx(1 / 6)


def test_the_odds_by_hand() -> None:
    """All ways near give 0.3, and from 0.297 to 0.303 it is sixty cells of four digits wide."""
    qrels = {"1": dict.fromkeys("abcdefghij", 1)}
    run = {"1": dict(zip("abcuvwxyzt", range(10, 0, -1), strict=True))}
    assert reconcile("0.3000", qrels, run, "R@10").chance == pytest.approx(1 / 60)
    both = {("run", "R@10", "all"): "0.3000", ("run", "P@10", "all"): "0.3000"}
    found = reconcile(both, qrels, run)
    assert found.chance == pytest.approx(1 / 60**2)
    assert "within 0.003 of these: less than 1 in 1,000" in found.caption()


def test_what_lies_far_off_is_told_from_numbers_as_far_off_by_hand() -> None:
    """All ways near give 0.3. What is drawn from both sides up to d has the mean square d² / 3."""
    qrels = {"1": dict.fromkeys("abcdefghij", 1)}
    run = {"1": dict(zip("abcuvwxyzt", range(10, 0, -1), strict=True))}
    square = 0.01**2 - 0.0001**2 / 12  # less what rounding to four digits adds
    alone = reconcile("0.2900", qrels, run, "R@10")
    assert alone.within == pytest.approx(math.sqrt(3 * square) * 2)  # 1 + 1/n, since the way was the nearest of many
    both = {("run", "R@10", "all"): "0.2900", ("run", "P@10", "all"): "0.2900"}
    assert reconcile(both, qrels, run).within == pytest.approx(math.sqrt(3 * square) * 1.5)


def test_numbers_that_move_together_are_worth_less() -> None:
    """R@10 and P@10 are the same where ten documents are relevant, and so are both as good as one."""
    qrels = {topic: dict.fromkeys("abcdefghij", 1) for topic in "12"}
    run = {"1": dict(zip("abcuvwxyzt", range(10, 0, -1), strict=True)), "2": dict.fromkeys("abcdevwxyz", 1.0)}
    both = {("run", "R@10", "all"): "0.4000", ("run", "P@10", "all"): "0.4000"}
    found = reconcile(both, qrels, run)
    assert found.chance == pytest.approx(1 / 60**2, rel=0.5)
    assert found.together == pytest.approx(1 / 60, rel=0.5)
    said = "less than 1 in 1,000 if they vary independently, "
    assert said in found.caption()
    assert "% if together, as they do from topic to topic." in found.caption()
    alone = reconcile("0.4000", qrels, run, "R@10")
    assert alone.together is None
    assert "together" not in alone.caption()
    by_topic = {("run", "R@10", "1"): "0.3000", ("run", "P@10", "2"): "0.5000"}
    assert "together" not in reconcile(by_topic, qrels, run).caption()


def test_a_table_decides_more(tmp_path: Path) -> None:
    """All numbers at once: of two measures, and by topic."""
    other = {topic: {document: -score for document, score in found.items()} for topic, found in RUN.items()}
    runs = {"one": RUN, "two": other}
    scores = cf.evaluate(QRELS, runs, ["AP", "P@2"], judged_only=True)
    lines = [f"{run},{measure},{scores[run, measure]:.4f}" for run in runs for measure in ("AP", "P@2")]
    table = tmp_path / "theirs.csv"
    table.write_text("run,measure,value\n" + "\n".join(lines) + "\n")
    found = reconcile(table, QRELS, runs)
    assert found.values == 4
    assert found.rows["judged_only"].all()
    assert set(found.rows["measure"]) == {"AP", "P@2"}
    alone = reconcile(lines[0].rpartition(",")[2], QRELS, RUN, "AP")
    assert found.chance < alone.chance / 10
    by_topic = {
        ("one", "AP", topic): value for topic, value in zip("1234", ("0.7556", "0.4167", "0", "0.25"), strict=True)
    }
    assert "as usual" in set(reconcile(by_topic, QRELS, runs).table()["computed"])


def test_what_is_said() -> None:
    found = reconcile("0.50", {"1": {"a": 1, "b": 1}}, {"1": {"x": 3.0, "a": 1.0, "b": 1.0}}, "RR")
    assert "match may be chance" in found.caption()
    assert found.unsure
    none = reconcile("0.9999", QRELS, RUN, "AP")
    assert (none.ways, none.parting) == (0, None)
    assert none.caption().startswith("None of ")
    one = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2.0, "x": 1.0}}  # of two relevant documents one, at rank 1
    above, below = (reconcile(value, *one, "AP").caption() for value in ("0.95", "0.55"))
    assert "1.0000 comes closest (divided by the relevant documents retrieved)" in above
    assert below.endswith("The usual way gives 0.5000.")
    ways = reconcile("0.6", QRELS, RUN, "P@1")
    assert ways.ways > 1
    assert ways.parting is not None
    assert f"Topic {ways.parting[0]} tells them apart" in ways.caption()
    assert type(ways).from_dict(ways.to_dict()) == ways


@pytest.mark.parametrize(
    ("values", "measure", "says"),
    [
        ("abc", "AP", "neither a number nor a table"),
        ("0.5", None, "name the measure of the number"),
        ("nan", "AP", "neither a number nor a table"),
        ({("other", "AP", "all"): "0.5"}, None, "no run is called 'other'"),
        ({("run", "AP", "9"): "0.5"}, None, "no topic '9'"),
        ({("run", "AP", "all"): "x"}, None, "'x' is not a number"),
        ({}, None, "no number"),
        ("0.5", "nonsense", "nonsense"),
    ],
)
def test_refusals(values: object, measure: str | None, says: str) -> None:
    with pytest.raises(cf.CranfieldError, match=says):
        reconcile(values, QRELS, RUN, measure)  # type: ignore[arg-type]


def test_tables_that_are_none(tmp_path: Path) -> None:
    table = tmp_path / "theirs.csv"
    for text, says in (("run,value\nrun,0.5\n", "columns measure, run and value"), ("", "columns"),
                       ("run,measure,value\nrun,AP,\n", "line 2: '' is not a number")):  # fmt: skip
        table.write_text(text)
        with pytest.raises(cf.InputError, match=says):
            reconcile(table, QRELS, RUN)


def test_the_command(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("1 0 a 1\n1 0 b 2\n")
    run.write_text("1 Q0 x 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    found = CliRunner().invoke(main, ["reconcile", "0.3333", str(qrels), str(run), "-m", "RR", "--format", "markdown"])
    assert found.exit_code == 0
    assert "relevant from grade 2" in found.stdout
    none = CliRunner().invoke(main, ["reconcile", "0.3000", str(qrels), str(run), "-m", "RR"])
    assert none.exit_code == 1
    assert "None of" in none.stderr


def test_figures_of_other_tools_on_real_runs(data: Path) -> None:
    """trec_eval's level on DL 2019, the gain of gdeval, and pytrec_eval's topics."""
    folder = data / "dl19-passage"
    run = sorted((folder / "runs").iterdir())[0]
    for measure, asked, says in (
        ("AP(rel=2)", "AP", "relevant from grade 2"),
        ("nDCG(dcg='exp-log2')@10", "nDCG@10", "gain 2^grade - 1"),
    ):
        value = float(cf.evaluate(folder / "qrels.txt", run, measure).averages[0, 0])
        found = reconcile(f"{value:.4f}", folder / "qrels.txt", run, asked)
        assert found.table()["computed"][0] == says
        assert found.chance < 0.05


def test_joined_runs_have_one_order() -> None:
    with pytest.raises(cf.InputError, match=r"the runs were joined with .*; join them again"):
        reconcile("0.5", cf.join(QRELS, {"run": RUN}), None, "AP")  # type: ignore[arg-type]


DETAILS = {
    ("scikit-learn, retrieved documents alone", "nDCG@10"): "ideal list of the retrieved documents",
    ("torchmetrics, retrieved documents alone", "nDCG@10"): "ideal list of the retrieved documents",
    ("LlamaIndex, given the first k", "nDCG@10"): "ideal list not cut at 10",
    ("Haystack, given the first k", "nDCG@10"): "ideal list not cut at 10",
    ("RecTools", "nDCG@10"): "ideal list of 10 documents of the best grade",
    ("DeepEval, contextual precision of the first k", "AP"): "divided by the relevant documents retrieved",
    ("DeepEval, contextual precision of the first k", "AP@100"): "divided by the relevant documents retrieved",
    ("torchmetrics, retrieved documents alone", "AP"): "divided by the relevant documents retrieved",
    ("torchmetrics, retrieved documents alone", "AP@100"): "divided by the relevant documents retrieved",
    ("torchmetrics, retrieved documents alone", "R@100"): "divided by the relevant documents retrieved",
    ("Recommenders", "AP@100"): "divided by at most 100",
    ("sentence-transformers", "AP@100"): "divided by at most 100",
}
"""What is unusual about a tool's measure, where something is; all others are computed as usual."""
NAMES = ("nDCG@10", "AP", "AP@100", "RR", "RR@10", "P@10", "R@100", "Success@5", "Bpref")


def rows_of(nested: Any, topics: Iterable[str]) -> list[tuple[str, str, Any]]:
    return [(topic, document, value) for topic in topics for document, value in nested[topic].items()]


def table_of(tool: Adapter, qrels: Any, run: Any, name: str) -> dict[tuple[str, str, str], str] | None:
    """Return what a tool prints by topic, of four digits; None where it cannot be asked."""
    found = {}
    try:
        for topic in qrels:
            rows = {"qrels": rows_of(qrels, [topic]), "run": rows_of(run, [topic])}
            found["run", name, topic] = f"{tool.ask({**rows, 'measure': name, 'excluded': []}):.4f}"
    except NotAsked:
        return None
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("collection", "level"), [("dl19-passage", 2), ("trec8-adhoc", 1)])
@pytest.mark.parametrize("tool", ADAPTERS, ids=lambda tool: str(tool.title))
def test_the_convention_behind_the_tables_of_tools(data: Path, tool: Adapter, collection: str, level: int) -> None:
    """By topic, on twelve topics; tools that take ids alone get grades of 0 and 1 and no ties."""
    if not is_here(tool):
        pytest.skip(f"{tool.title} is not installed")
    qrels = cf.to_dict(cf.read_qrels(data / collection / "qrels.txt"))
    [table] = cf.read_runs(sorted((data / collection / "runs").iterdir())[0]).values()
    run = cf.to_dict(table)
    topics = [topic for topic in qrels if topic in run][:12]
    given: list[tuple[Any, Any]] = [({t: qrels[t] for t in topics}, {t: run[t] for t in topics})]
    binary = {topic: {d: int(grade >= level) for d, grade in qrels[topic].items()} for topic in topics}
    lists = {topic: sorted(run[topic], key=lambda each: (run[topic][each], each)) for topic in topics}
    given.append((binary, {topic: {d: float(i) for i, d in enumerate(of, 1)} for topic, of in lists.items()}))
    asked = 0
    for name, (judged, ranked) in product(NAMES, given):
        if "torchmetrics" in tool.title and name != "nDCG@10" and judged is not binary:
            continue  # its ties go by no rule
        if values := table_of(tool, judged, ranked, name):
            found = set(reconcile(values, judged, {"run": ranked}).table()["computed"])
            if "added below" in tool.title and name != "nDCG@10":
                continue  # lists that go on with all judged documents are not tried
            assert DETAILS.get((tool.title, name), "as usual") in found or (
                found == {"as usual"} and collection == "trec8-adhoc"  # where the two are the same on these topics
            ), (name, found)
            asked += 1
    assert asked


def test_headings_of_a_table_are_named_in_the_shell(tmp_path: Path) -> None:
    """A table of a paper, whose headings say nothing; what names nothing is left out, and said."""
    qrels, run, table = tmp_path / "qrels.txt", tmp_path / "bm25.run", tmp_path / "table.md"
    qrels.write_text("1 0 a 1\n1 0 b 2\n")
    run.write_text("1 Q0 x 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    table.write_text("| | Quality | Time |\n|---|--:|--:|\n| Ours | **50.0**† | 12.1 |\n")
    asked = ["reconcile", str(table), str(qrels), str(run)]
    found = CliRunner().invoke(main, [*asked, "--names", "Ours=bm25", "--names", "Quality=RR"])
    assert (found.exit_code, "as usual" in found.stdout) == (0, True), found.output
    assert "Left out, naming no run or measure: Time." in found.stderr
    for names, says in (("Ours", "HEADING=NAME"), ("Quality=nothing", "--names HEADING=NAME maps")):
        refused = CliRunner().invoke(main, [*asked, "--names", names])
        assert refused.exit_code == 2
        assert says in refused.stderr
        assert refused.stderr.count("\n") == 1
