"""Names of measures as they are typed: several cutoffs, words without quotation marks, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.each import each_of

from cranfield import MeasureError, parse_measure, parse_measures
from cranfield.cli import main
from cranfield.measures.framework.names import asks_for_trec9, split_names


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
    assert result.stdout.splitlines()[0].split() == ["run", "P@1", "P@2", "Twist(crossing='matters')"]
    assert result.stdout.splitlines()[1].split()[1:3] == ["0.0000", "0.5000"]
    for name in ("P.5,", "(" * 50_000, "RBP(p=0.8,p=0.9)"):
        refused = CliRunner().invoke(main, [*asked, "-m", name])
        assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
