"""The tables of a comparison as people see them, letter by letter."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy

import polars as pl
import pytest

import cranfield as cf
from cranfield.comparison import Comparison, compare_scores
from cranfield.plumbing.errors import InputError

# Differences are the same on all topics, of which there are 25, so that each is as significant as can be:
# 0.5 > 0.3 = 0.3 by AP; RR is the same for all. BalancePoint is the better the lower.
TOPICS = 25
MEANS = {
    "bm25_v1": {"AP": 0.3, "RR": 0.5, "BalancePoint": 120.0},
    "dense": {"AP": 0.5, "RR": 0.5, "BalancePoint": 80.0},
    "lm": {"AP": 0.3, "RR": 0.5, "BalancePoint": 100.0},
}


def compared(
    baseline: str | list[str] | None = None,
    means: dict[str, dict[str, float]] = MEANS,
    margin: float | None = None,
    topics: int = TOPICS,
) -> Comparison:
    rows = [
        (run, topic, measure, mean)
        for run, by in means.items()
        for measure, mean in by.items()
        for topic in map(str, range(topics))
    ]
    table = pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")
    return compare_scores(table, baseline=baseline, margin=margin)


def test_no_interval_is_called_one_of_a_hundred_percent() -> None:
    scores = pl.DataFrame({"run": ["x"] * 30 + ["y"] * 30, "topic": [*range(30)] * 2, "measure": ["AP"] * 60,
                           "value": [t % 7 / 10 for t in range(30)] + [t % 5 / 10 for t in range(30)]})  # fmt: skip
    found = compare_scores(scores, alpha=0.001)
    for table in (found.table(layout="pairs"), found.sheet(layout="pairs").columns):
        names = table.columns if isinstance(table, pl.DataFrame) else [column.name for column in table]
        assert "99.9% interval" in names
    groups = dict.fromkeys(map(str, range(30)), "all")
    assert "99.9% interval" in cf.compare_groups(scores, groups, alpha=0.001).table().columns
    assert "simultaneous 99.9% intervals" in cf.leaderboard(scores, alpha=0.001).method


def test_text_has_the_letters_of_the_runs_that_each_beats() -> None:
    assert str(compared()) == (
        "dense leads bm25_v1 and lm by 0.2000 in AP: a significant difference.\n"
        "The lead shows no spread, so it has no interval (p < 0.001).\n"
        "Both other runs are significantly worse than dense on topics like these.\n\n"
        "   run             AP      RR  BalancePoint\n"
        "a  bm25_v1  0.3000     0.5000   120.0000\n"
        "b  dense    0.5000 ac  0.5000    80.0000 ac\n"
        "c  lm       0.3000     0.5000   100.0000 a\n"
        "Means over 25 topics. Letters: significantly better than the run of that letter (paired t-test, two-sided, "
        "Holm\ncorrection over 9 comparisons, alpha = 0.05)."
    )


def test_text_has_what_is_equivalent_within_a_margin() -> None:
    """Of AP two runs have the same mean, of RR all; 20 balance points are more than the margin."""
    assert str(compared(margin=0.1)).split("\n\n")[1] == (
        "   run      AP         RR          BalancePoint\n"
        "a  bm25_v1  0.3000 ≈c  0.5000 ≈bc  120.0000\n"
        "b  dense    0.5000 ac  0.5000 ≈ac   80.0000 ac\n"
        "c  lm       0.3000 ≈a  0.5000 ≈ab  100.0000 a\n"
        "Means over 25 topics. Letters: significantly better than the run of that letter (paired t-test, two-sided, "
        "Holm\ncorrection over 9 comparisons, alpha = 0.05); letters after ≈: equivalent within 0.1."
    )
    assert "0.5000 ac≈ac" in str(compared(margin=0.25))  # a difference can be significant, and too small to matter
    assert r"\textbf{0.5000}$^{ac{\approx}ac}$" in compared(margin=0.25).to_latex()
    assert r"letters after $\approx$: equivalent within 0.25" in compared(margin=0.25).to_latex()


def test_a_baseline_is_equalled_or_not_worse() -> None:
    found = compared(baseline="lm", margin=25)
    assert found.table()["AP"].to_list() == ["0.3000 ≈", "0.5000 †≈", "0.3000"]
    assert found.table()["BalancePoint"].to_list() == ["120.0000 ‡≈", " 80.0000 †≈", "100.0000"]
    assert compared(baseline="lm", margin=0.1).table()["AP"].to_list() == ["0.3000 ≈", "0.5000 †", "0.3000"]
    assert (
        "‡ significantly worse (paired t-test, two-sided, Holm correction over 6 comparisons, alpha = 0.05); ≈: "
        in (found.caption())
    )
    assert found.caption().endswith("; ≈: equivalent within 25; ≥: not worse by more than 25.")
    assert r"$\ddagger$ significantly worse" in found.to_latex()
    assert r"120.0000$^{\ddagger{\approx}}$" in found.to_latex()


def test_not_worse_stands_where_nothing_more_is_known() -> None:
    """Differences -.3, 0, .4 on 27 topics: .033 ± 2.056 · √(9 · .2467 / 26 / 27) = .033 ± .116.

    Whether mine is better is not known, nor that it is not by more than .1, but it is not worse by that.
    """
    base, mine = [0.4] * 27, [0.1, 0.4, 0.8] * 9
    rows = [
        (run, str(topic), value) for run, all_ in (("mine", mine), ("base", base)) for topic, value in enumerate(all_)
    ]
    table = pl.DataFrame(rows, schema=["run", "topic", "value"], orient="row").with_columns(measure=pl.lit("AP"))
    found = compare_scores(table, baseline="base", margin=0.1)
    assert found.table()["AP"].to_list() == ["0.4333 ≥", "0.4000"]
    assert r"\textbf{0.4333}$^{{\geq}}$" in found.to_latex()
    assert compare_scores(table, margin=0.1).table()["AP"].to_list() == ["0.4333", "0.4000"]  # no run comes first
    loses = pl.concat([table, table.filter(run="base").with_columns(run=pl.lit("twin"), value=pl.col("value") - 0.2)])
    several = compare_scores(loses, baseline=["base", "twin"], margin=0.1, correction="none")
    assert several.table()["AP"].to_list() == ["0.4333 c≥b", "0.4000 c", "0.2000"]
    assert several.caption().endswith(
        "; letters after ≈: equivalent within 0.1; letters after ≥: not worse than it by more than 0.1."
    )


LATEX = r"""\begin{table}
\centering
\caption{Means over 25 topics. Letters: significantly better than the run of that letter (CAPTION). Best in bold.}
\small
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
    assert lines[-1].endswith("alpha = 0.05). Best in bold.")


def test_pairs() -> None:
    header, first, *rows = str(compared().render("table", layout="pairs")).split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["measure", "run_a", "run_b", "mean_a"]
    assert header.split("  ")[-1] == "significant"
    assert first.split() == [
        *("AP", "bm25_v1", "dense", "0.3000", "0.5000", "-0.2000"),  # what does not vary has no interval, and no effect
        *("material", "0/0/25", "<.0001", "<.0001", "yes"),
    ]
    assert len(rows) == 3 * 3 - 1
    assert r"\textless{}.0001" in compared().to_latex(layout="pairs")


def test_pairs_have_the_intervals_of_what_varies() -> None:
    """Differences .1 and .3 on 26 topics: .2 ± 2.0595 · .1 / 5, which is .2 / (.1 · √(26 / 25)) standard deviations."""
    rows = [(run, str(t), "AP", 0.1 + (run == "x") * (0.1 + 0.2 * (t % 2))) for run in "xy" for t in range(26)]
    found = compare_scores(pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row"))
    assert str(found.render("table", layout="pairs")).splitlines()[-1].split() == [
        *("AP", "x", "y", "0.3000", "0.1000", "0.2000", "[0.1588,", "0.2412]"),
        *("1.9612", "material", "26/0/0", "<.0001", "<.0001", "yes"),
    ]


def test_four_topics_are_too_few_for_any_mark() -> None:
    found = compared(topics=4)
    assert [cell.split()[0] for cell in found.table()["AP"]] == found.table()["AP"].to_list()
    assert "4 topics are too few for any verdict; at least 9 are needed" in found.notes  # 2 / 2^9 is below .05 / 9


def test_formats_for_programs_hold_every_pair_whatever_the_layout() -> None:
    found = compared()
    rows = json.loads(found.render("json"))["rows"]
    assert [row["run_b"] for row in rows[:3]] == ["dense", "lm", "lm"]
    assert rows[0]["difference"] == pytest.approx(-0.2)
    csv = str(found.render("csv"))
    assert csv == found.render("csv", layout="pairs")
    assert csv.splitlines()[0].split(",") == found.to_polars().columns


@pytest.mark.parametrize(("format_", "layout"), [("word", "pairs"), ("csv", "rows")])
def test_what_there_is_not_is_said(format_: str, layout: str) -> None:
    with pytest.raises(InputError, match=r"choose from table, csv|must be 'systems' or 'pairs'"):
        compared().render(format_, layout=layout)  # type: ignore[arg-type]


def level_runs(many: int, beaten: tuple[int, ...], better: int) -> Comparison:
    """Those at the places ``beaten`` are the worst, the one at ``better`` beats them alone, and all others beat it."""
    means = {i: 0.1 if i in beaten else 0.2 if i == better else 0.3 for i in range(1, many + 1)}
    return compared(means={f"run{i}": {"AP": mean} for i, mean in means.items()})


BEATEN = (3, 4, 5, 6, 7, 12)


def test_26_runs_have_letters_and_27_have_numbers() -> None:
    letters, numbers = (level_runs(many, BEATEN, 1).table() for many in (26, 27))
    assert (letters[""][0], letters[""][25], letters["AP"][0].split()) == ("a", "z", ["0.2000", "cdefgl"])
    assert letters["AP"][1].split() == ["0.3000", "acdefgl"]
    assert (numbers[""][0], numbers[""][26], numbers["AP"][0].split()) == ("1", "27", ["0.2000", "3-7,12"])
    assert numbers["AP"][1].split() == ["0.3000", "1,3-7,12"]
    assert numbers["AP"][2].split() == ["0.1000"]
    assert "Numbers: significantly better than the run of that number" in level_runs(27, BEATEN, 1).caption()


def test_all_cells_of_a_table_are_marked_alike() -> None:
    """The run of the 27 that beats only the third: a number, too."""
    assert level_runs(27, (3,), 1).table()["AP"][0].split() == ["0.2000", "3"]


def test_numbers_stand_to_the_left_with_their_means() -> None:
    found = level_runs(27, BEATEN, 1)
    assert str(found).splitlines()[3:6] == ["    run    AP", "1   run1   0.2000 3-7,12", "2   run2   0.3000 1,3-7,12"]
    assert found.to_latex(caption="").splitlines()[0] == r"\begin{tabular}{lll}"
    assert found.to_latex(caption="").splitlines()[4:7] == [
        r"1 & run1 & 0.2000\textsuperscript{3--7,12} \\",
        r"2 & run2 & \textbf{0.3000}\textsuperscript{1,3--7,12} \\",
        r"3 & run3 & 0.1000 \\",
    ]
    assert "**0.3000**<sup>1,3-7,12</sup>" in found.to_markdown()
    assert '<b>0.3000</b></td><td class="marks"><sup>1,3-7,12</sup></td>' in found._repr_html_()


def places(marks: str) -> set[int]:
    """Read ranges back."""
    ends = [[int(end) for end in part.split("-")] for part in marks.split(",") if part]
    return {place for part in ends for place in range(part[0], part[-1] + 1)}


def test_143_runs_can_be_read() -> None:
    """Runs in no order, each with its own mean: each beats those below it."""
    means = [(61 * i) % 143 for i in range(143)]
    found = compared(means={f"run{i}": {"AP": (mean + 1) / 144} for i, mean in enumerate(means)})
    cells = [cell.split() for cell in found.table()["AP"]]
    for mean, cell in zip(means, cells, strict=True):
        expected = {place + 1 for place, other in enumerate(means) if other < mean}
        assert places(cell[1] if len(cell) > 1 else "") == expected
    assert cells[means.index(142)][1] == f"1-{means.index(142)},{means.index(142) + 2}-143"


def test_against_a_baseline_many_runs_have_numbers_and_daggers() -> None:
    found = compared(baseline="run1", means={f"run{i}": {"AP": 0.1 + i / 100} for i in range(28)})
    assert found.table().row(0) == ("1", "run0", "0.1000 ‡")
    assert found.table().row(1) == ("2", "run1", "0.1100  ")
    assert found.table().row(27) == ("28", "run27", "0.3700 †")


def test_many_equivalent_runs_have_ranges() -> None:
    found = compared(means={f"run{i}": {"AP": 0.1} for i in range(27)}, margin=0.1)
    assert found.table().row(1) == ("2", "run1", "0.1000 ≈1,3-27")
    assert r"\textbf{0.1000}\textsuperscript{$\approx$1,3--27}" in found.to_latex()


def test_a_notebook_shows_means_in_bold_and_letters_raised() -> None:
    shown = compared()._repr_html_()
    assert '<b>0.5000</b></td><td class="marks"><sup>ac</sup></td>' in shown
    assert '100.0000</td><td class="marks"><sup>a</sup></td>' in shown
    assert "Letters: significantly better than the run of that letter" in shown
    assert "str" not in shown  # no row of dtypes
    assert shown.count("<tr>") == 1 + 3


def test_a_comparison_is_written_and_read_back() -> None:
    for found in (compared(), compared(baseline="lm")):
        written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert Comparison.from_dict(written) == found
        assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
        assert deepcopy(found) == found
        assert Comparison.from_dict(written).to_latex() == found.to_latex()
    assert compared() != compared(baseline="lm")
    with pytest.raises(InputError, match="not what Comparison"):
        Comparison.from_dict({"@": "Comparison", "runs": ["x"]})


def test_in_one_line_it_says_what_was_compared() -> None:
    assert repr(compared()) == "Comparison(3 runs, 25 topics: AP, RR, BalancePoint; 5 of 9 differences significant)"


def test_pairs_as_a_table_and_its_caption() -> None:
    found = compared()
    assert found.table(layout="pairs").height == 3 * 3
    assert found.caption(layout="pairs").startswith("Differences of means over 25 topics (paired t-test")
    with pytest.raises(InputError, match="layout must be 'systems' or 'pairs', not 'rows'"):
        found.table(layout="rows")  # type: ignore[arg-type]
