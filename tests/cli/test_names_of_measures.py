"""Names of measures as they are typed: several cutoffs, words without quotation marks, and what cannot be read."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.each import each_of

from cranfield import (
    MeasureError,
    compare,
    compare_all,
    compare_scores,
    evaluate,
    evaluate_all,
    gate,
    parse_measure,
    parse_measures,
)
from cranfield.cli import main
from cranfield.judged.conditions import Grading
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import asks_for_trec9, shortly, split_names
from cranfield.scoring.blocks import as_taken


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("nDCG@5,10,20", ["nDCG@5", "nDCG@10", "nDCG@20"]),
        ("P@10,5", ["P@10", "P@5"]),
        ("P@5, 10 ,5", ["P@5", "P@10"]),
        ('nDCG(dcg="exp-log2")@5,10', ["nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@10"]),
        ("nDCG(dcg=exp-log2)@5,10", ["nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@10"]),
        ("nDCG(gains={1:5,2:10})@5,10", ["nDCG(gains={1:5,2:10})@5", "nDCG(gains={1:5,2:10})@10"]),
        ("IPrec@0.1,0.2", ["IPrec@0.1", "IPrec@0.2"]),
        ("Twist(crossing=matters)", ["Twist(crossing='matters')"]),
        ("Twist( crossing = definition )@100", ["Twist(crossing='definition')@100"]),
        ("Twist(crossing=return)", ["Twist"]),  # a word of Python's, too
        ("nDCG(averaged=True)@5", ["nDCG(averaged=True)@5"]),
    ],
)
def test_what_is_meant(asked: str, meant: list[str]) -> None:
    assert list(map(str, parse_measures(asked))) == meant
    assert parse_measures(asked) == parse_measures(meant)


def test_a_wrong_word_is_answered_with_those_that_are_right() -> None:
    with pytest.raises(
        MeasureError, match=r"Twist: crossing must be 'return' or 'definition' or 'matters', not 'mater'"
    ):
        parse_measures("Twist(crossing=mater)")
    with pytest.raises(MeasureError, match=r"RBP: p must be a number above 0 and below 1, not 'high'"):
        parse_measures("RBP(p=high)")


def test_one_measure_is_one() -> None:
    with pytest.raises(MeasureError, match=r"'nDCG@5,10' stands for 2 measures; name one of them"):
        parse_measure("nDCG@5,10")
    assert split_names("nDCG(dcg=exp-log2)@5,10, AP,P@3") == ("nDCG(dcg=exp-log2)@5,10", "AP", "P@3")


def test_several_measures_are_one_text() -> None:
    assert parse_measures("AP@5,RR") == parse_measures(["AP@5", "RR"])
    assert parse_measures("nDCG(gains={1:5,2:10})@5,10,map, P.5,10") == parse_measures(
        ["nDCG(gains={1:5,2:10})@5", "nDCG(gains={1:5,2:10})@10", "AP", "P@5", "P@10"]
    )
    assert asks_for_trec9("AP,official")
    assert parse_measures("utility.1,-1,0,0") == parse_measures(["utility.1,-1,0,0"])


UNREADABLE = [
    "P.5,", "P.5,x", "ndcg_cut.A", "P.nan", "P.inf", "infAP.x", "set_F.-5e16", "utility.1,2", "P." + "9" * 5000,
    "P_" + "9" * 5000, "(" * 60, "(" * 50_000, "nDCG" + "(" * 300 + ")" * 300, "-" * 50_000 + "1", "RBP(p=0.8,p=0.9)",
    "nDCG@", "nDCG@5,", "nDCG@,5", "nDCG@5,x", "nDCG@(5,10)", "AP,5", "RBP(0.8)", "RBP(**{'p':1})",
    "nDCG(gains={[]:1})", "P@True", "P@'5'", "\0", "\ud800", "",
]  # fmt: skip


@each_of("name", UNREADABLE)
def test_what_cannot_be_read_is_a_measure_error(name: str) -> None:
    with pytest.raises(MeasureError) as refused:
        parse_measures(name)
    assert len(str(refused.value)) < 250
    assert "\n" not in str(refused.value)


def test_a_parameter_is_given_once() -> None:
    with pytest.raises(MeasureError, match=r"'RBP\(p=0.8,p=0.9\)' gives p twice"):
        parse_measures("RBP(p=0.8,p=0.9)")


def test_no_stray_semicolon() -> None:
    with pytest.raises(MeasureError) as refused:
        parse_measures("xyzzy")
    assert str(refused.value) == "no measure is called 'xyzzy' (see `cranfield measures`)"


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "a.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    asked = ["evaluate", f"{tmp_path}/qrels.txt", f"{tmp_path}/a.run", "--quiet"]
    result = CliRunner().invoke(main, [*asked, "-m", "P@1,2", "-m", "Twist(crossing=matters)"])
    assert result.stdout.splitlines()[0].split() == ["run", "P@1", "P@2", "Twist"]
    assert result.stdout.splitlines()[1].split()[1:3] == ["0.0000", "0.5000"]
    for name in ("P.5,", "(" * 50_000, "RBP(p=0.8,p=0.9)"):
        refused = CliRunner().invoke(main, [*asked, "-m", name])
        assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


GDEVAL = "nDCG@20=nDCG(dcg=exp-log2)@20"


def test_a_name_of_ones_own_stands_for_the_measure() -> None:
    named, other = parse_measures(f"{GDEVAL},web score=AP(rel=2)")
    assert (str(named), str(other)) == ("nDCG@20", "web score")
    assert (named.definition, named.trec_name()) == ("nDCG(dcg='exp-log2')@20", "nDCG@20")
    assert named == parse_measure("nDCG(dcg=exp-log2)@20") == parse_measure(repr(named))
    assert str(named @ 10) == "nDCG(dcg='exp-log2')@10"  # which the name is not of
    assert parse_measures([named, "AP"]) == [named, parse_measure("AP")]
    assert str(as_taken([parse_measure("MAP=AP")], Grading(rel=2))[0]) == "MAP"
    assert parse_measure("nDCG(dcg=exp-log2)@20").name_given == ""


@each_of(
    ("asked", "said"),
    [
        (f"{GDEVAL},nDCG@20", r"nDCG\(dcg='exp-log2'\)@20 and nDCG@20 are both called nDCG@20; rename one"),
        ("a=AP,a=RR", "AP and RR are both called a; rename one"),
        ("a=AP,AP", "AP is called a and AP; give it one name"),
        ("AP=nDCG@10", "nDCG@10 cannot be called AP, which is another measure"),
        ("P@5=P@10", "P@10 cannot be called P@5, which is another measure"),
        ("a=P@5,10", "'P@5,10' stands for 2 measures"),
        ("web=gdeval", "'gdeval' stands for 2 measures"),
        ("=AP", "'=AP': write NAME=MEASURE"),
        ("a=b=AP", "'a=b=AP': write NAME=MEASURE"),
        ("a=", "'' names no measure|is not the name of a measure"),
    ],
)
def test_names_of_ones_own_that_mislead_are_refused(asked: str, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        parse_measures(asked)


RUNS = {
    "old": {t: {"a": 1.0, "b": 2.0} for t in "12345678"},
    "new": {t: {"a": 2.0, "b": 1.0} for t in "12345678"},
}
QRELS = {t: {"a": 2, "b": 1} for t in "12345678"}


def test_tables_and_sentences_have_the_name_and_the_caption_what_it_stands_for() -> None:
    scores, found = evaluate(QRELS, RUNS, [GDEVAL, "AP"]), compare(QRELS, RUNS, [GDEVAL, "AP"])
    assert scores.table().columns == ["run", "nDCG@20", "AP"]
    assert scores.means["measure"].unique(maintain_order=True).to_list() == ["nDCG@20", "AP"]
    assert scores["new", "nDCG@20"] == scores["new", "nDCG(dcg=exp-log2)@20"] == 1.0
    assert scores["new", "nDCG"] == 1.0
    assert scores.sorted_by("nDCG(dcg=exp-log2)@20").runs == ("new", "old")
    assert found.to_polars()["measure"].to_list() == ["nDCG@20", "AP"]
    for each in (scores, found):
        told = " nDCG@20 is nDCG(dcg='exp-log2')@20. Best in bold."
        assert told in str(each.render("latex"))
        assert str(each.render("markdown")).endswith(f"{told}\n")
        again = type(each).from_dict(each.to_dict())
        assert again == each
        assert again.caption() == each.caption()
    assert "nDCG@20 is nDCG(dcg='exp-log2')@20." in found.caption(layout="pairs")
    assert scores.to_latex(caption="").startswith(r"\begin{tabular}{lrr}")
    assert found.paragraph().endswith(" nDCG@20 is nDCG(dcg='exp-log2')@20.")
    assert gate(QRELS, RUNS, GDEVAL).notes == ("nDCG@20 is nDCG(dcg='exp-log2')@20.",)
    assert gate(QRELS, RUNS, "AP").notes == ()
    assert r"\caption{Ours.}" in scores.to_latex(caption="Ours.")


def test_collections_have_the_name_too(tmp_path: Path) -> None:
    for name, lines in {
        "qrels": [f"{t} 0 {d} {g}" for t, grades in QRELS.items() for d, g in grades.items()],
        **{r: [f"{t} Q0 {d} 1 {s} {r}" for t, docs in RUNS[r].items() for d, s in docs.items()] for r in RUNS},
    }.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "two.toml").write_text(
        f'measures = ["{GDEVAL}"]\n'
        '[collections.web]\nqrels = "qrels.txt"\nruns = { old = "old.txt", new = "new.txt" }\n'
        '[collections.plain]\nqrels = "qrels.txt"\nruns = { old = "old.txt" }\nmeasures = ["nDCG@20"]\n'
    )
    found = evaluate_all(tmp_path / "two.toml")
    assert set(found.to_polars()["measure"]) == {"nDCG@20"}
    told = "nDCG@20 (nDCG(dcg='exp-log2')@20) of web (8 topics); nDCG@20 of plain (8 topics)."
    assert found.caption().startswith(f"Averages over topics: {told}")


def test_a_file_has_its_legend_in_every_format_for_people(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 a 1 1 r\n2 Q0 b 1 1 r\n")
    for suffix in ("txt", "md", "tex", "html"):
        file = tmp_path / f"scores.{suffix}"
        result = CliRunner().invoke(
            main, ["evaluate", f"{tmp_path}/q.txt", f"{tmp_path}/r.txt", "-m", "mean precision=AP", "-o", f"{file}"]
        )
        assert result.exit_code == 0
        assert "Averages over 2 topics. mean precision is AP." in file.read_text()
        assert "mean precision is AP." in result.stderr  # beside tables without a legend, too


PLAIN_AND_EXPONENTIAL = ["nDCG(dcg=exp-log2)@20", "RBP(p=0.5)"]


def test_tables_for_people_are_headed_shortly_and_say_what_that_is() -> None:
    scores, found = evaluate(QRELS, RUNS, PLAIN_AND_EXPONENTIAL), compare(QRELS, RUNS, PLAIN_AND_EXPONENTIAL)
    told = "nDCG@20 is nDCG(dcg='exp-log2')@20. RBP is RBP(p=0.5)."
    for each in (scores, found):
        for format_ in ("markdown", "latex", "html"):
            text = html.unescape(str(each.render(format_)))
            assert text.count("nDCG(dcg") == text.count("RBP(p=") == 1
            assert told in text
        assert told in " ".join(str(each).split())  # lines break where they are full
        assert each.caption().endswith(told)
    for layout in ("systems", "pairs"):
        assert "nDCG(dcg" not in str(found.render("table", layout=layout))
    assert found.paragraph().endswith(told)
    assert "by nDCG@20 (" in found.paragraph()
    full = ["nDCG(dcg='exp-log2')@20", "RBP(p=0.5)"]  # for programs, and where nothing says what is meant
    assert scores.table().columns[1:] == found.table().columns[2:] == list(map(str, scores.measures)) == full
    for each in (scores, found):
        assert set(each.to_polars()["measure"]) == set(full)
        assert "nDCG(dcg='exp-log2')@20" in str(each.render("csv"))
        assert "nDCG(dcg='exp-log2')@20" in str(each.render("json"))
    assert found.sorted_by("RBP").runs == found.sorted_by(full[1]).runs == ("new", "old")


def test_columns_of_one_measure_with_several_parameters_keep_them() -> None:
    asked = ["RBP(p=0.5)", "RBP(p=0.8)", "AP", "AP(rel=2)", "P(rel=2)@5", "P(rel=2)@10", "mine=nDCG(base=2)@5"]
    names = ["RBP(p=0.5)", "RBP(p=0.8)", "AP", "AP(rel=2)", "P@5", "P@10", "mine"]
    apart = ["nDCG@10", "nDCG(dcg='exp-log2')@20"]  # which two cutoffs of one measure they are not
    assert list(map(str, shortly(parse_measures(apart)))) == apart
    assert list(map(str, shortly(parse_measures(asked)))) == names
    assert [column.name for column in evaluate(QRELS, RUNS, asked).sheet().columns[1:]] == names
    assert shortly(parse_measures(asked)) == parse_measures(asked)  # the same measures, whatever their names
    assert list(map(str, shortly(parse_measures(["nDCG@20=nDCG(dcg=exp-log2)@20", "nDCG(base=2)@20"])))) == [
        "nDCG@20",
        "nDCG(base=2)@20",
    ]
    asked_of_a_table: list[Measure | str] = ["what a table says", parse_measure("RBP(p=0.5)")]
    assert shortly(asked_of_a_table)[0] == "what a table says"


def test_collections_are_headed_shortly_where_all_mean_the_same() -> None:
    both = {"measures": "nDCG(dcg=exp-log2)@20"}
    web, other = {"qrels": QRELS, "runs": RUNS, **both}, {"qrels": QRELS, "runs": RUNS, "measures": "nDCG@20"}
    for made in (evaluate_all, compare_all):
        alike, apart = made({"web": web, "again": web}), made({"web": web, "other": other})
        assert "nDCG@20 (nDCG(dcg='exp-log2')@20) of web (8 topics), again (8 topics)." in alike.caption()
        assert "nDCG(dcg='exp-log2')@20 of web (8 topics); nDCG@20 of other (8 topics)." in apart.caption()
        assert set(alike.to_polars()["measure"]) == {"nDCG(dcg='exp-log2')@20"}
    several = evaluate_all({name: {**web, "measures": PLAIN_AND_EXPONENTIAL} for name in ("a", "b")})
    assert [column.below for column in several.sheet().columns] == ["run", *["nDCG@20", "RBP"] * 3]
    compared = compare_all({name: {**web, "measures": PLAIN_AND_EXPONENTIAL} for name in ("a", "b")})
    assert [column.below for column in compared.sheet().columns] == ["", "run", *["nDCG@20", "RBP"] * 3]
    assert set(compared.sheet(layout="pairs").columns[1].cells) == {"nDCG@20", "RBP"}
    assert compared.paragraph().endswith(" nDCG@20 is nDCG(dcg='exp-log2')@20. RBP is RBP(p=0.5).")


def test_a_comparison_finds_its_columns_by_measure_too() -> None:
    found = compare(QRELS, RUNS, ["exponential gains=nDCG(dcg=exp-log2)@20", "AP"])
    for asked in ("exponential gains", "nDCG(dcg=exp-log2)@20", "nDCG", parse_measure("nDCG(dcg=exp-log2)@20")):
        assert found.sorted_by(asked).runs == ("new", "old")
        assert found.not_told_from("new", asked) == ()
    again = compare_scores(evaluate(QRELS, RUNS, ["exp=nDCG(dcg=exp-log2)@20"]))
    assert again.sorted_by("nDCG(dcg=exp-log2)@20").measures == ("exp",)
    of_a_table = compare_scores(evaluate(QRELS, RUNS, ["exp=AP", "RR"]).to_polars(per_topic=True))
    assert of_a_table.sorted_by("exp").measures == ("exp", "RR")
