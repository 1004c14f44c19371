"""The tables of a comparison as people see them, letter by letter."""

from __future__ import annotations

import json

import polars as pl
import pytest

from cranfield.comparison import Comparison, compare_scores
from cranfield.comparison.tables_for_people import joined, labels
from cranfield.errors import InputError

# Differences are the same on all topics, so that each is as significant as can be: 0.5 > 0.3 = 0.3 by AP; RR is the
# same for all. BalancePoint is the better the lower.
MEANS = {
    "bm25_v1": {"AP": 0.3, "RR": 0.5, "BalancePoint": 120.0},
    "dense": {"AP": 0.5, "RR": 0.5, "BalancePoint": 80.0},
    "lm": {"AP": 0.3, "RR": 0.5, "BalancePoint": 100.0},
}


def compared(baseline: str | None = None, means: dict[str, dict[str, float]] = MEANS) -> Comparison:
    rows = [
        (run, topic, measure, mean) for run, by in means.items() for measure, mean in by.items() for topic in "1234"
    ]
    table = pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")
    return compare_scores(table, baseline=baseline)


def test_text_has_the_letters_of_the_runs_that_each_beats() -> None:
    assert str(compared()) == (
        "   run             AP      RR  BalancePoint\n"
        "a  bm25_v1  0.3000     0.5000   120.0000\n"
        "b  dense    0.5000 ac  0.5000    80.0000 ac\n"
        "c  lm       0.3000     0.5000   100.0000 a\n"
        "Means over 4 topics. Letters: significantly better than the run of that letter (paired t-test, two-sided, "
        "Holm\ncorrection over 9 comparisons, alpha = 0.05)."
    )


LATEX = r"""\begin{table}
\centering
\caption{Means over 4 topics. Letters: significantly better than the run of that letter (CAPTION). Best means in bold.}
\begin{tabular}{llrrr}
\toprule
 & run & AP & RR & BalancePoint \\
\midrule
a & bm25\_v1 & 0.3000\hphantom{$^{ac}$} & \textbf{0.5000} & 120.0000\hphantom{$^{ac}$} \\
b & dense & \textbf{0.5000}$^{ac}$ & \textbf{0.5000} &  \textbf{80.0000}$^{ac}$ \\
c & lm & 0.3000\hphantom{$^{ac}$} & \textbf{0.5000} & 100.0000$^{a}$\hphantom{$^{c}$} \\
\bottomrule
\end{tabular}
\end{table}
""".replace("CAPTION", "paired t-test, two-sided, Holm correction over 9 comparisons, alpha = 0.05")


def test_latex() -> None:
    assert compared().to_latex() == LATEX


def test_latex_against_a_baseline_and_with_a_caption_of_ones_own() -> None:
    found = compared(baseline="lm")
    assert found.to_latex(caption="").splitlines()[4:7] == [
        r"a & bm25\_v1 & 0.3000\hphantom{$^{\dagger}$} & \textbf{0.5000} & 120.0000$^{\ddagger}$ \\",
        r"b & dense & \textbf{0.5000}$^{\dagger}$ & \textbf{0.5000} &  \textbf{80.0000}$^{\dagger}$ \\",
        r"c & lm & 0.3000\hphantom{$^{\dagger}$} & \textbf{0.5000} & 100.0000\hphantom{$^{\dagger}$} \\",
    ]
    assert r"\caption{Means of \emph{mine}}" in found.to_latex(caption=r"Means of \emph{mine}")
    assert r"$\dagger$ significantly better than lm, $\ddagger$ significantly worse" in found.to_latex()


def test_markdown() -> None:
    lines = compared().to_markdown().splitlines()
    assert lines[0].split() == ["|", "|", "run", "|", "AP", "|", "RR", "|", "BalancePoint", "|"]
    assert lines[3].split() == [
        *("|", "b", "|", "dense", "|", "**0.5000**<sup>ac</sup>", "|", "**0.5000**", "|"),
        *("**80.0000**<sup>ac</sup>", "|"),
    ]
    assert lines[-1].endswith("alpha = 0.05). Best means in bold.")


def test_pairs() -> None:
    header, first, *rows = str(compared().render("table", "pairs")).splitlines()
    assert header.split()[:4] == ["measure", "run_a", "run_b", "mean_a"]
    assert header.split("  ")[-1] == "significant"
    assert first.split() == [
        *("AP", "bm25_v1", "dense", "0.3000", "0.5000", "-0.2000", "[-0.2000,", "-0.2000]"),
        *("-inf", "0/0/4", "<.0001", "<.0001", "yes"),
    ]
    assert len(rows) == 3 * 3 - 1
    assert r"\textless{}.0001" in compared().to_latex("pairs")


def test_formats_for_programs_hold_every_pair_whatever_the_layout() -> None:
    found = compared()
    rows = json.loads(found.render("json"))
    assert [row["run_b"] for row in rows[:3]] == ["dense", "lm", "lm"]
    assert rows[0]["difference"] == -0.2
    csv = str(found.render("csv"))
    assert csv == found.render("csv", "pairs")
    assert csv.splitlines()[0].split(",") == found.to_polars().columns


@pytest.mark.parametrize(("format_", "layout"), [("word", "pairs"), ("csv", "rows")])
def test_what_there_is_not_is_said(format_: str, layout: str) -> None:
    with pytest.raises(InputError, match=r"there are table, csv|must be 'systems' or 'pairs'"):
        compared().render(format_, layout)  # type: ignore[arg-type]


def test_letters_go_on_after_z_with_commas() -> None:
    assert labels(54)[25:28] == ["z", "aa", "ab"]
    assert labels(54)[-1] == "bb"
    assert (joined(["a", "z"]), joined(["a", "aa"])) == ("az", "a,aa")
    many = compared(means={f"run{i}": {"AP": 0.1 + i / 100} for i in range(28)})
    assert many.for_people()["AP"][2].split() == ["0.1200", "ab"]
    assert many.for_people()["AP"][27].split()[1] == "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa"
