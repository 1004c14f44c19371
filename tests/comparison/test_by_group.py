"""Groups of topics: means, tests corrected over groups, the worst group, and gates that hold in each."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.scoring.grouping import TopicGroups
from cranfield.statistics.multiple_comparisons import adjust

TOPICS = [f"{number:02}" for number in range(13)]
QRELS = {topic: {"a": 1, "b": 1, "x": 0, "y": 0} for topic in TOPICS}
ORDERS = {
    "old": ["abxy", "axby", "abyx", "axyb", "abxy", "xaby", "xayb", "xyab", "xaby", "abxy", "yaxb", "abxy", "xyab"],
    "now": ["xaby", "xayb", "xaby", "yxab", "xaby", "abxy", "abyx", "axby", "abyx", "abyx", "abxy", "yxab", "abxy"],
}
RUNS = {name: {t: list(order) for t, order in zip(TOPICS, orders, strict=True)} for name, orders in ORDERS.items()}
GROUPS = {t: "de" if t < "05" else "fr" if t < "10" else "it" for t in TOPICS}
M = ["AP", "RR"]


def twice(lists: dict[str, Any]) -> dict[str, Any]:
    """Those of de and fr again, as other topics: ten of each, so that a test can say something."""
    return lists | {f"{t}+": each for t, each in lists.items() if GROUPS[t] != "it"}


MORE_QRELS, MORE_GROUPS, MORE_RUNS = twice(QRELS), twice(GROUPS), {name: twice(run) for name, run in RUNS.items()}


def test_means_are_those_of_the_topics_alone() -> None:
    scores = cf.evaluate(QRELS, RUNS, M)
    found = scores.by_group(GROUPS).to_polars()
    assert found["topics"].to_list() == [5] * 8 + [3] * 4
    for name in ("de", "fr", "it"):
        some = {t: QRELS[t] for t in TOPICS if GROUPS[t] == name}
        alone = cf.evaluate(some, RUNS, M)
        for row in found.filter(group=name).iter_rows(named=True):
            assert row["mean"] == alone[row["run"], row["measure"]]
            ends = alone.intervals().filter(run=row["run"], measure=row["measure"]).select("low", "high").row(0)
            assert (row["low"], row["high"]) == ((None, None) if name == "it" else ends)


def test_the_worst_group_is_none_that_is_too_small() -> None:
    """now has 1/2 or 1/3 at first in de, and 1 in fr; it, of three topics, has less, and is passed over."""
    found = cf.evaluate(QRELS, RUNS, "RR").by_group(GROUPS)
    worst = found.to_polars().filter("worst").select("run", "group")
    assert worst.sort("run").rows() == [("now", "de"), ("old", "fr")]
    assert found.notes == (
        "too small to be tested, fewer than 4 topics: group it (3)",
        "worst mean RR by group: now in de (0.4667) and old in fr (0.5667)",
    )


def test_of_a_measure_where_less_is_better_the_worst_is_the_largest() -> None:
    found = cf.evaluate(QRELS, RUNS, "BalancePoint").by_group(GROUPS).to_polars().filter(run="now")
    large = found.filter(~pl.col("too_small"))
    assert found.filter("worst")["mean"].to_list() == [large["mean"].max()]


def test_tests_are_those_of_the_topics_alone_and_corrected_once() -> None:
    found = cf.compare_groups(cf.evaluate(QRELS, RUNS, M), {"lang": GROUPS, "half": {t: t[0] for t in TOPICS}})
    rows = found.to_polars()
    p = []
    for row in rows.filter(~pl.col("too_small")).iter_rows(named=True):
        of = GROUPS if row["grouping"] == "lang" else {t: t[0] for t in TOPICS}
        some = {t: QRELS[t] for t in TOPICS if of[t] == row["group"]}
        alone = cf.compare(some, RUNS, row["measure"]).differences.row(0, named=True)
        for column in ("difference", "low", "high", "effect", "statistic", "p", "wins"):
            assert row[column] == pytest.approx(alone[column], rel=1e-12), column
        p.append(alone["p_adjusted"])  # of one pair: that of t, or of sign flips if it is larger
    assert rows["p_adjusted"].drop_nulls().to_list() == pytest.approx(adjust(np.array(p), "holm").tolist())
    assert len(p) == 6  # de and fr, and topics that begin with 0, by two measures; it and those with 1 are too small
    small = rows.filter("too_small")
    assert small["p"].to_list() == small["low"].to_list() == [None] * 4
    assert not small["significant"].any()
    of_it = cf.evaluate({t: QRELS[t] for t in TOPICS if GROUPS[t] == "it"}, RUNS, "RR")
    assert small.filter(group="it", measure="RR")["difference"].item() == pytest.approx(
        of_it["old", "RR"] - of_it["now", "RR"]
    )
    assert "Holm correction over 6 comparisons" in found.caption()


def test_it_is_said_where_the_better_run_is_behind() -> None:
    """Better by far on the topics of it, old is ahead on average, and behind in fr: on each topic by .1 and a little.

    Significantly so on ten topics, of which 2 of 1,024 sign patterns go as far; on five, 2 of 32, it is not.
    """

    def compared(groups: dict[str, str]) -> tuple[str, ...]:
        table = pl.DataFrame(
            [(run, t, "AP", value) for t in groups for run, value in (
                ("old", {"de": 0.5, "fr": 0.2, "it": 1.0}[GROUPS[t[:2]]] + int(t[:2]) / 1000),
                ("now", 0.3 + int(t[:2]) / 500))],
            schema=["run", "topic", "measure", "value"], orient="row",
        )  # fmt: skip
        return cf.compare_groups(table, groups).notes

    said = "ahead over all topics, but significantly behind in a group: old behind now in group fr by AP"
    assert said in compared(MORE_GROUPS)
    assert said not in compared(GROUPS)


@given(st.permutations(TOPICS), st.permutations(["de", "fr", "it"]))
@settings(max_examples=5)
def test_the_order_of_topics_and_names_of_groups_change_nothing_else(order: list[str], names: list[str]) -> None:
    other = dict(zip(["de", "fr", "it"], names, strict=True))
    turned = {t: other[GROUPS[t]] for t in order}
    of = ["group", "measure", "run_a"]
    found = cf.compare_groups(cf.evaluate({t: QRELS[t] for t in order}, RUNS, M), turned).to_polars()
    expected = cf.compare_groups(cf.evaluate(QRELS, RUNS, M), GROUPS).to_polars()
    renamed = expected.with_columns(pl.col("group").replace_strict(other))
    assert found.sort(of).select("group", "p", "p_adjusted").equals(renamed.sort(of).select("group", "p", "p_adjusted"))


def test_one_group_of_all_topics_is_all_topics() -> None:
    everything = dict.fromkeys(TOPICS, "all of them")
    found = cf.compare_groups(cf.evaluate(QRELS, RUNS, M), everything).to_polars()
    alone = cf.compare(QRELS, RUNS, M).differences
    assert found.select(alone.columns).equals(alone)
    plain, gated = (cf.gate(QRELS, RUNS, M, groups=each) for each in (None, everything))
    assert gated.by_group is not None
    columns = gated.by_group.columns[3:]
    assert_frame_equal(gated.by_group.select(columns), plain.rows.select(columns), abs_tol=1e-12)


def test_weights_hold_within_groups_and_topics_of_weight_0_are_in_none() -> None:
    weights = {t: 0.0 if t == "00" else 1.0 + int(t) % 3 for t in TOPICS}
    rows = cf.evaluate(QRELS, RUNS, "AP", weights=weights).by_group(GROUPS).to_polars()
    some = {t: QRELS[t] for t in TOPICS if GROUPS[t] == "de" and t != "00"}
    alone = cf.evaluate(some, RUNS, "AP", weights=weights)
    assert rows.filter(group="de", run="now")["mean"].item() == alone["now", "AP"]
    found = cf.compare_groups(cf.evaluate(QRELS, RUNS, "AP", weights=weights), GROUPS).to_polars()
    assert found.filter(group="de")["p"].item() == pytest.approx(
        cf.compare(some, RUNS, "AP", weights=weights).differences["p"].item()
    )


def test_a_gate_fails_in_a_group() -> None:
    """now is better on all topics of fr but two that are equal, and worse on each of de, by .5 or 2/3.

    Over all 23 it is .022 ± .233 behind, which is inside .3; in de .533 ± .050 behind, and in fr .433 ± .170 ahead.
    """
    plain, found = (
        cf.gate(MORE_QRELS, MORE_RUNS, "RR", margin=0.3, groups=each, complete=False) for each in (None, MORE_GROUPS)
    )
    assert found.rows.equals(plain.rows)
    assert (plain.verdict, found.verdict, found.worse_in) == ("equivalent", "worse", ("group de",))
    assert found.by_group is not None
    assert found.by_group["verdict"].to_list() == ["worse", "better", None]
    assert "Worse in group de (Holm correction over 2 tests). Largest fall: group de, RR" in found.caption()
    assert "too small to be tested, fewer than 4 topics: group it (3)" in found.notes
    suite = ElementTree.fromstring(found.to_junit())  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")
    assert [case.get("name") for case in suite] == ["RR", "RR in group de", "RR in group fr", "RR in group it"]
    wide = cf.gate(MORE_QRELS, MORE_RUNS, "RR", margin=0.3, groups=MORE_GROUPS, group_margin=0.9, complete=False)
    assert (wide.verdict, wide.by_group is not None and wide.by_group["verdict"][0]) == ("equivalent", "equivalent")
    with pytest.raises(cf.InputError, match="name the groups with groups"):
        cf.gate(MORE_QRELS, MORE_RUNS, "RR", group_margin=0.1, complete=False)


def test_a_margin_for_each_group() -> None:
    of_de, of_fr = (
        cf.gate(MORE_QRELS, MORE_RUNS, "RR", margin=0.3, groups=MORE_GROUPS, group_margin={name: 0.9})
        for name in ("de", "fr")
    )
    assert (of_de.verdict, of_fr.verdict) == ("equivalent", "worse")
    assert of_de.by_group is not None
    assert of_de.by_group["margin"].to_list() == [0.9, 0.3, 0.3]
    with pytest.raises(cf.InputError, match="group_margin names no group 'dee'; did you mean `de`"):
        cf.gate(MORE_QRELS, MORE_RUNS, "RR", groups=MORE_GROUPS, group_margin={"dee": 0.1})
    with pytest.raises(cf.InputError, match="group_margin must be"):
        cf.gate(MORE_QRELS, MORE_RUNS, "RR", groups=MORE_GROUPS, group_margin={"de": -0.1})


def test_what_is_undecided_in_a_group_stops_no_run() -> None:
    found = cf.gate(QRELS, {"old": RUNS["old"], "same": RUNS["old"]}, "RR", margin=0.1, groups=GROUPS)
    assert found.passes
    half = {t: RUNS["now"][t] if t in {"00", "05"} else RUNS["old"][t] for t in TOPICS}
    found = cf.gate(QRELS, {"old": RUNS["old"], "half": half}, "RR", margin=0.2, groups=GROUPS)
    assert found.by_group is not None
    assert "undecided" in found.by_group["verdict"].to_list()
    assert found.passes


def test_a_group_that_unjudged_documents_could_bring_back_is_undecided() -> None:
    """In de now begins with z, which nobody judged: were it relevant, RR would be 1, as that of old."""
    now = MORE_RUNS["now"] | {t: ["z", "x", "a"] for t, group in MORE_GROUPS.items() if group == "de"}
    found = cf.gate(MORE_QRELS, {"old": MORE_RUNS["old"], "now": now}, "RR", margin=0.2, groups=MORE_GROUPS)
    assert found.by_group is not None
    assert found.by_group["verdict"][0] == "worse on what was judged: undecided"
    assert found.by_group["on_judged"][0] == "worse"
    assert found.worse_in == ()


FILES = {
    "two.txt": "".join(f"{t} {GROUPS[t]}\n" for t in TOPICS),
    "headed.txt": "topic group\n" + "".join(f"{t}\t{GROUPS[t]}\n" for t in TOPICS),
    "one.csv": "qid,group\n" + "".join(f"{t},{GROUPS[t]}\n" for t in TOPICS),
    "one.jsonl": "".join(f'{{"query_id": "{t}", "group": "{GROUPS[t]}"}}\n' for t in TOPICS),
}


@each_of("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    assert TopicGroups.taken(tmp_path / name).groupings == {"group": GROUPS}


def test_several_groupings_and_hostile_names(tmp_path: Path) -> None:
    hostile = 'a, "b"\x1b[31m'
    lines = [f"{t},{GROUPS[t]},{'' if t == '00' else '<i>' if t < '06' else QUOTED}\n" for t in TOPICS]
    (tmp_path / "g.csv").write_text("topic,lang,kind\n" + "".join(lines))
    found = cf.evaluate(QRELS, RUNS, "AP").by_group(tmp_path / "g.csv")
    assert found.to_polars()["grouping"].unique(maintain_order=True).to_list() == ["lang", "kind"]
    assert hostile in found.to_polars()["group"].to_list()
    assert found.notes[0] == "1 topic has no kind: 00"
    assert "\x1b" not in str(found)
    frame = pl.DataFrame({"topic": TOPICS, "lang": list(GROUPS.values())})
    assert TopicGroups.taken(frame).groupings == {"lang": GROUPS}


QUOTED = '"a, ""b""\x1b[31m"'

WRONG: list[tuple[Any, str]] = [
    ("", "is empty: it holds no groups"),
    ("00 de\n01 fr it\n", "line 2: a line is topic and group, 2 words, not 3"),
    ("topic lang kind\n00 de\n", "line 2: 2 words, where the first line has 3"),
    ("00 de\n00 fr\n", "line 2: topic '00' has a second group: de and fr"),
    ("zz de\n", "no topic of the qrels has a group; they have 00, 01, 02, 03, 04 and 8 more"),
    ({}, "no topic has a group"),
    ({"00": ["de"]}, "a group is a name, not ['de']"),
    ([1], "groups must be a file, a DataFrame or a dict, not [1]"),
]


@each_of(("given", "said"), WRONG)
def test_what_is_wrong(given: Any, said: str, tmp_path: Path) -> None:
    if isinstance(given, str):
        (tmp_path / "groups.txt").write_text(given)
        given = tmp_path / "groups.txt"
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate(QRELS, RUNS, "AP").by_group(given)
    assert said in str(caught.value)


@each_of(
    ("asked", "said"),
    [
        ({"test": "tukey"}, "the test tukey takes all runs of one group together"),
        ({"correction": "max-t"}, "the correction max-t takes all runs"),
        ({"baseline": "none"}, "no run is called 'none'"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.compare_groups(cf.evaluate(QRELS, RUNS, "AP"), GROUPS, **asked)
    assert said in str(caught.value)


@pytest.mark.integration
def test_commands(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(FILES["two.txt"])
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t in TOPICS for d, g in QRELS[t].items()))
    paths = []
    for run, lists in RUNS.items():
        rows = [f"{t} Q0 {d} 1 {-rank} {run}\n" for t, found in lists.items() for rank, d in enumerate(found)]
        (tmp_path / f"{run}.run").write_text("".join(rows))
        paths.append(str(tmp_path / f"{run}.run"))
    scored = tmp_path / "scores.csv"
    cf_paths = [str(tmp_path / "qrels.txt"), *paths, "-m", "RR"]
    groups = ["--groups", str(tmp_path / "g.txt")]
    assert CliRunner().invoke(main, ["evaluate", *cf_paths, "-q", "-o", str(scored)]).exit_code == 0

    def lines(*words: str, status: int = 0) -> list[str]:
        result = CliRunner().invoke(main, [*words, "--format", "csv"])
        assert result.exit_code == status, result.output
        return result.stdout.splitlines()

    of_scores = lines("evaluate", *cf_paths, *groups)
    assert of_scores[0] == "grouping,group,measure,run,topics,mean,low,high,worst,too_small"
    assert len(of_scores) == 7
    of_runs = lines("compare", *cf_paths, *groups)
    assert of_runs[0].startswith("grouping,group,measure,run_a,run_b,topics,")
    assert lines("compare", "--scores", str(scored), *groups) == of_runs
    of_gate = lines("gate", *cf_paths, *groups, "--margin", "0.3", status=3)
    lines(
        "gate", *cf_paths, *groups, "--margin", "0.3", "--group-margin", "de=0.9", "--group-margin", "fr=0.2", status=3
    )
    assert of_gate[0].startswith("grouping,group,of_topics,measure,base,new,")
    assert len(of_gate) == 5
    for words, said in (
        (["evaluate", *cf_paths, *groups, "-q"], "with --groups, leave --per-topic out"),
        (["compare", *cf_paths, *groups, "--residuals"], "with --groups, leave --residuals out"),
        (["compare", "--scores", str(scored), *groups, "--rel", "2"], "leave --rel out"),
        (["gate", *cf_paths, *groups, "--group-margin", "2%"], "both as a percentage"),
        (["gate", *cf_paths, *groups, "--group-margin", "1", "--group-margin", "de=1"], "once for all groups"),
        (["gate", *cf_paths, *groups, "--group-margin", "xx=0.1"], "names no group 'xx'"),
    ):
        result = CliRunner().invoke(main, words)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1), result.output
        assert said in result.stderr


def test_a_group_that_does_not_count_is_named_and_so_are_sign_flips() -> None:
    """Of 40 topics groups a and b have 10 and 30; of weights, no topic of a counts, and 3 of c."""
    group_of = {f"{t:02}": "a" if t < 10 else "b" if t < 30 else "c" for t in range(40)}
    rows = [(run, t, "acc", int(t) * 7 % 11 / 11 + add) for run, add in (("x", 0.0), ("y", 0.1)) for t in group_of]
    table = pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")
    few = "below 25 topics with sign flips"
    assert few in cf.compare_groups(table, group_of).caption()
    assert few in cf.gate(table, groups=group_of).caption()
    assert few not in cf.compare_groups(table, group_of, test="wilcoxon").caption()
    one = dict.fromkeys(group_of, "all")
    assert few not in cf.compare_groups(table, one).caption()
    assert few not in cf.gate(table, groups=one).caption()
    weights = {t: int(of == "b" or t in {"31", "32", "33"}) for t, of in group_of.items()}
    said = (
        "left out, as all topics have weight 0: group a",
        "too small to be tested, fewer than 4 topics: group c (3)",
    )
    assert cf.compare_groups(table, group_of, weights=weights).notes[1:] == said
    assert cf.gate(table, groups=group_of, weights=weights).notes[1:] == said
