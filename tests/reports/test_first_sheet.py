"""The first sheet: its sentence holds, its caveats are the gravest; what a page holds depends on how much there is."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Missing
from cranfield.reports import report
from cranfield.reports.apart import groups_of, not_told_from
from cranfield.reports.elements import Folded, Picture, ReportTable, Words, unfolded
from cranfield.reports.facts import Evidence
from cranfield.reports.first_sheet import MOST_ROWS, first_sheet, headline
from cranfield.reports.reporting import evidence_of
from cranfield.reports.section import SECTIONS
from cranfield.reports.sentence import MOST_CAVEATS, NOTABLE, caveats_of, found_in
from cranfield.scoring.weighting import TopicWeights

DAY = date(2026, 3, 31)
RUNS = Mapping[str, Mapping[str, list[str]]]


def lists(*ranks: int) -> dict[str, list[str]]:
    """Rank the one relevant document of each topic at these places."""
    return {str(topic): [*(f"x{n}" for n in range(1, rank)), "a"] for topic, rank in enumerate(ranks)}


def evidence(runs: RUNS, *, baseline: str | None = None, unjudged: bool = False, measures: str = "RR") -> Evidence:
    """Ask runs on topics that have one relevant document, a; others are judged, or are not."""
    topics = max(map(len, runs.values()))
    judged = {"a": 1, "judged": 0} if unjudged else {"a": 1, **{f"x{n}": 0 for n in range(1, 10)}}
    return evidence_of({str(topic): judged for topic in range(topics)}, runs, measures.split(), baseline, 7)


def test_of_one_run_there_is_a_mean() -> None:
    said = headline(evidence({"bm25": lists(1, 2, 2)}))
    assert said.words == "bm25 has a mean RR of 0.6667 over 3 topics. There is no run to compare it with."


def test_of_two_runs_the_verdict_stands_behind_the_difference() -> None:
    # differences 1/2 and 0, three times each, of RR: t = √5 = 2.24, p = .076 for 5 degrees of freedom
    close = headline(evidence({"near": lists(2, 2, 2, 1, 1, 1), "first": lists(1, 1, 1, 1, 1, 1)}))
    assert close.says.words == "first leads near by 0.2500 in RR: too close to call."
    # t = 2.571 for 95%: .25 ± 2.571 × .2739 / √6
    assert close.sure is not None
    assert close.sure.words == (
        "The lead lies between -0.0374 and 0.5374 on topics like these (95% interval). first wins 3 topics, ties 3 and "
        "loses 0."
    )
    # differences 1/2 and once 2/3: t is far beyond, and on six topics 2 of 64 sign patterns go as far, p = .031
    apart = headline(evidence({"far": lists(2, 2, 2, 3, 2, 2), "first": lists(1, 1, 1, 1, 1, 1)}))
    assert apart.says.words == "first leads far by 0.5278 in RR: a significant difference."
    # but on five topics 2 of 32, p = .0625, although the interval is far from 0
    few = headline(evidence({"far": lists(2, 2, 2, 3, 2), "first": lists(1, 1, 1, 1, 1)}))
    assert few.says.words == "first leads far by 0.5333 in RR: not significant."
    assert few.sure is not None and float(str(few.sure.numbers["low"])) > 0.4


def test_which_two_runs_differ_on_few_topics() -> None:
    """Two runs that are second together differ from the first on another topic each; the interval is of one of them."""
    runs = {"first": lists(*[1] * 12), "b": lists(2, *[1] * 11), "c": lists(*[1] * 11, 2)}
    for those, who in ((("first", "b"), "The two"), (("first", "b", "c"), "first and b")):
        said = headline(evidence({run: runs[run] for run in those})).sure
        assert said is not None
        assert f"). {who} differ on only 1 of 12 topics, too few to rely on the interval." in said.words


def test_of_a_measure_of_which_less_is_better_the_lead_is_above_0() -> None:
    """The one relevant document at ranks 2, 2, 2, 1, 1, 1 against 1: the search is .5 longer, ± 2.571 × .5477 / √6."""
    said = headline(evidence({"near": lists(2, 2, 2, 1, 1, 1), "first": lists(1, 1, 1, 1, 1, 1)}, measures="ASL"))
    assert said.says.words == "first leads near by 0.5000 in ASL: too close to call."
    assert said.sure is not None
    assert said.sure.words == (
        "The lead lies between -0.0748 and 1.0748 on topics like these (95% interval). first wins 3 topics, ties 3 and "
        "loses 0."
    )


def test_runs_that_are_not_significantly_worse_are_counted(tmp_path: Path) -> None:
    write_campaign(simulate(systems=9, topics=12, depth=30, seed=5), tmp_path)
    found = evidence_of(tmp_path / "qrels.txt", tmp_path / "runs", ["AP"], None, 7)
    rows = cf.compare(tmp_path / "qrels.txt", tmp_path / "runs", "AP").to_polars().to_dicts()
    leader, second = cf.evaluate(tmp_path / "qrels.txt", tmp_path / "runs", "AP").sorted_by().runs[:2]
    alike = sum(not row["significant"] for row in rows if leader in {row["run_a"], row["run_b"]})
    said = headline(found)
    assert 0 < alike < 8 and said.says.words.startswith(f"{leader} leads {second} by ")
    assert said.sure is not None
    assert said.sure.words.endswith(
        f"{alike} of 8 other runs are not significantly worse than {leader} on topics like these."
    )
    assert "% interval, after correction)" in said.sure.words


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ({"b": [2] * 7, "c": [3] * 7}, "Both other runs are significantly worse than a on topics like these."),
        ({"b": [1] * 6 + [2], "c": [2] + [1] * 6}, "No other run is significantly worse than a on topics like these."),
        (
            {"b": [1] * 6 + [2], "c": [3] * 7},
            "b is not significantly worse than a on topics like these; the other run is.",
        ),
    ],
    ids=["all", "none", "one"],
)
def test_all_none_and_one_of_the_others(others: dict[str, list[int]], says: str) -> None:
    runs = {"a": lists(*[1] * 7), **{name: lists(*ranks) for name, ranks in others.items()}}
    said = headline(evidence(runs)).sure
    assert said is not None and said.words.endswith(says)


def test_nothing_is_concluded_of_a_run_that_did_not_run() -> None:
    """Half of the topics without a line; an empty list is an answer, and is compared."""
    half = {topic: found for topic, found in lists(*[1] * 8).items() if int(topic) < 4}
    gone = "half did not run and is left out: it has no line for 4 of 8 topics."
    two = first_sheet(evidence({"base": lists(*[1] * 8), "half": half}), DAY)
    assert (two.says, two.sure, two.caveats) == ("base has a mean RR of 1.0000 over 8 topics.", "", ())
    assert two.decision is not None and two.decision.kind == "open"
    assert two.decision.words == (
        "half and base are not compared by RR, since one did not run: half has no scores on 4 of 8 topics."
    )
    three = evidence({"base": lists(*[1] * 8), "half": half, "far": lists(*[2] * 4, *[3] * 4)})
    sheet = first_sheet(three, DAY)
    assert sheet.says == "base leads far by 0.5833 in RR: a significant difference."
    assert sheet.caveats[0] == gone and sheet.decision is None
    assert isinstance(sheet.blocks[0], ReportTable)
    assert sheet.blocks[0].sheet.columns[0].cells == ["base", "far"]
    ahead = first_sheet(evidence({"half": half, "far": lists(*[3] * 8), "last": lists(*[9] * 8)}), DAY)
    assert ahead.says == "far leads last by 0.2222 in RR: a significant difference."
    assert ahead.caveats[0] == gone
    empty = half | {str(topic): [] for topic in range(4, 8)}
    assert "half by 0.5000" in headline(evidence({"base": lists(*[1] * 8), "half": empty})).words


def test_a_run_that_did_not_run_is_named_once_and_compared_nowhere() -> None:
    """Asked to count as empty lists, missing topics are answers, as for compare and gate; one topic less is as ever."""
    full = {str(topic): ["a"] for topic in range(8)}
    runs = {"base": full, "far": {topic: ["x", "a"] for topic in full}}
    qrels = {topic: {"a": 1, "x": 0} for topic in full}

    def page_of(lacking: int, missing: Missing = "zero") -> tuple[str, set[str]]:
        part = {topic: ["x"] for topic in [*full][lacking:]}
        found = report(qrels, runs | {"zebra": part}, ["RR", "AP"], missing=missing, date=DAY)
        return found.to_html().split("<main")[1], {*found.sentences.rows["name"]}

    page, said = page_of(4)
    assert page.count("zebra") == 1 and "zebra did not run and is left out: it has no line for 4 of 8 topics." in page
    assert "which count" not in page and "did-not-run" in said and "missing-topics" not in said
    asked: list[tuple[int, Missing, str]] = [
        (3, "zero", "0"), (3, "empty", "as empty lists"), (4, "empty", "as empty lists"),
    ]  # fmt: skip
    for lacking, missing, counts in asked:
        page, said = page_of(lacking, missing)
        assert "did not run" not in page and "did-not-run" not in said
        assert f"zebra lacks {lacking} of 8 topics, which count {counts}." in page


def test_where_none_ran_nothing_is_compared() -> None:
    one, other = ({str(topic): ["a"] for topic in topics} for topics in ([0, 1], [2, 3]))
    found = report({str(topic): {"a": 1} for topic in range(4)}, {"one": one, "other": other}, ["RR", "AP"], date=DAY)
    first = found.document.first
    assert first is not None and first.decision is None
    assert first.says.endswith(" Each run lacks most of the topics that some run has, so that nothing is tested.")
    assert "significant" not in found.to_html().split("<main")[1].split("on-paper")[0]


def test_runs_that_lead_together_are_said_to() -> None:
    said = headline(evidence({"a": lists(1, 2, 1), "b": lists(2, 1, 1), "far": lists(9, 9, 8)}))
    assert said.says.words == "a and b share the lead in RR with 0.8333 (equal to within 1e-09)."
    all_of_them = headline(evidence({"a": lists(1, 2), "b": lists(2, 1)}))
    assert all_of_them.words.endswith("(equal to within 1e-09).") and all_of_them.sure is None


def test_one_topic_and_a_baseline_have_sentences_of_their_own() -> None:
    one = headline(evidence({"a": lists(1), "b": lists(2)}))
    assert one.words == "a leads b by 0.5000 in RR on topic 0. One topic allows no test."
    # Seven topics: 2 of 128 sign patterns, .016, and twice that for two comparisons
    runs = {"base": lists(2, 2, 2, 3, 2, 2, 2), "good": lists(*[1] * 7), "poor": lists(9, 9, 9, 8, 9, 9, 9)}
    assert headline(evidence(runs, baseline="base")).words == (
        "1 of 2 runs is significantly better than base in RR on topics like these, and 1 is worse. "
        "good has the best mean RR, 1.0000, 0.5238 ahead of base."
    )


def weights_of(found: Evidence) -> dict[str, tuple[float, str]]:
    return {
        each.name: (each.caveat.weight(found, said.numbers), each.caveat.about)
        for each, said in found_in(found)
        if each.caveat is not None
    }


@pytest.mark.parametrize("seed", range(3))
def test_the_caveats_are_the_gravest_of_their_kind(tmp_path: Path, seed: int) -> None:
    """Found by looking at all there are: nothing graver is left out but what is about the same."""
    write_campaign(simulate(systems=5, topics=6, depth=30, seed=seed), tmp_path)
    found = evidence_of(tmp_path / "qrels.txt", tmp_path / "runs", ["nDCG@5", "AP", "RR"], None, 7)
    weights, chosen = weights_of(found), [*caveats_of(found)]
    assert len(chosen) <= MOST_CAVEATS
    assert [weights[name][0] for name in chosen] == sorted((weights[name][0] for name in chosen), reverse=True)
    about = {weights[name][1]: weights[name][0] for name in chosen}
    assert len(about) == len(chosen)
    for name, (weight, what) in weights.items():
        assert 0 <= weight <= 1, name
        if name in chosen:
            assert weight >= NOTABLE
        else:
            full = len(chosen) == MOST_CAVEATS and weight <= min(about.values())
            assert weight < NOTABLE or weight <= about.get(what, 0) or full, name


def test_a_lead_that_judgments_could_undo_comes_first() -> None:
    runs = {"a": lists(1, 1, 2, 1, 1), "b": lists(2, 2, 1, 2, 2)}
    assert next(iter(caveats_of(evidence(runs, unjudged=True)))) == "overtaken"
    assert not {"overtaken", "holes"} & set(caveats_of(evidence(runs)))


def test_unjudged_documents_that_cannot_change_the_lead_are_no_caveat() -> None:
    """The two runs share their one unjudged document at the same rank: all grades of it leave a ahead."""
    runs = {"a": {"0": ["a", "new"], "1": ["a", "new"]}, "b": {"0": ["x1", "new"], "1": ["x1", "new"]}}
    found = evidence_of({t: {"a": 1, "x1": 0} for t in "01"}, runs, ["P@2"], None, 7)
    assert "holes" in {each.name for each, _ in found_in(found)}
    assert "holes" not in caveats_of(found)


def test_ties_that_decide_who_leads_are_graver_than_others() -> None:
    at = {"first": {"a": 2.0, "x1": 1.0}, "tied": {"a": 1.0, "x1": 1.0}, "last": {"x1": 2.0, "a": 1.0}}
    qrels = {str(t): {"a": 1, "x1": 0} for t in range(4)}

    def weight(**runs: list[str]) -> float:
        given = {name: {str(t): at[of] for t, of in enumerate(lists)} for name, lists in runs.items()}
        return weights_of(evidence_of(qrels, given, ["RR"], None, 7))["ties-decide"][0]

    turned = {"one": ["tied", "tied", "first"], "other": ["first", "first", "tied"]}  # 2.0 to 3.0 and 2.5 to 3.0
    assert weight(**turned) == 0.9
    behind = weight(leads=["first"] * 4, **turned)
    assert behind < 0.5


def test_a_caveat_is_said_once(tmp_path: Path) -> None:
    runs = {"a": lists(1, 1, 2, 1, 1), "b": lists(2, 2, 1, 2, 2), "c": lists(2, 3, 1, 2, 2)}
    found = report({str(t): {"a": 1, "judged": 0} for t in range(5)}, runs, ["RR", "P@2"], date=DAY)
    first = found.document.first
    assert first is not None and first.caveats
    words = [each for block in found.document.blocks() if isinstance(block, Words) for each in block.sentences]
    told = dict(found.sentences.rows.select("name", "sentence").iter_rows())
    told = {name: said for name, said in told.items() if name not in {"leader", "lead-not-significant"}}
    assert all([*first.caveats, *words].count(each) == 1 for each in told.values())


def test_groups_are_headed_by_runs_that_are_told_apart(tmp_path: Path) -> None:
    write_campaign(simulate(systems=12, topics=15, depth=30, seed=2), tmp_path)
    found = evidence_of(tmp_path / "qrels.txt", tmp_path / "runs", ["AP"], None, 7)
    order = [found.standing.names[run] for run in found.standing.order]
    groups, before = [*groups_of(found)], set()
    assert 1 < len(groups) < 12
    for group in groups:
        assert group[0] == next(run for run in order if run not in before)
        alike = not_told_from(found, group[0])
        behind = [run for run in order[order.index(group[0]) + 1 :] if run not in before]
        assert [*group[1:]] == [run for run in behind if run in alike]
        before |= set(group)
    assert before == set(order)


def test_many_runs_are_folded_away_with_their_groups() -> None:
    qrels = {str(t): {"a": 1} for t in range(3)}
    runs = {f"r{i}": lists(1 + i % 9, 1 + i % 7, 2) for i in range(MOST_ROWS + 1)}
    sheet = report(qrels, runs, ["RR"], date=DAY).document.first
    assert sheet is not None and isinstance(sheet.picture, Picture)
    assert {len(rows) for rows in sheet.picture.figure.spec["datasets"].values()} == {1, MOST_ROWS}
    [folded] = sheet.blocks
    assert isinstance(folded, Folded) and folded.title == f"All {MOST_ROWS + 1} runs by all measures"
    means, groups = folded.blocks
    assert all(each.text.count("\n") > MOST_ROWS for each in sheet.pasted if each.name.startswith(("Table", "in")))
    assert means.sheet.more == 0 and means.rows.height == MOST_ROWS + 1  # type: ignore[union-attr]
    assert sum(groups.rows["runs"]) == MOST_ROWS + 1  # type: ignore[union-attr]
    sheet = report(qrels, runs, ["RR"], baseline="r3", date=DAY).document.first
    assert sheet is not None
    _, groups = [*unfolded(sheet.blocks)]
    assert sum(groups.rows["runs"]) == MOST_ROWS  # type: ignore[union-attr]
    compared = cf.compare(qrels, runs, "RR", baseline="r3").to_polars()
    parts = dict(groups.rows.select("against r3", "runs").iter_rows())  # type: ignore[union-attr]
    assert parts["not told apart"] == compared.filter(~compared["significant"]).height


def titles(runs: RUNS, topics: int) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the sections in front, those of the appendix, and the titles of the figures."""
    found = report({str(t): {"a": 1, "x1": 0} for t in range(topics)}, runs, ["RR", "AP"], date=DAY).document
    in_front = [section.name for section in found.sections if not section.appendix]
    behind = [section.name for section in found.sections if section.appendix]
    assert [section.name for section in found.sections] == in_front + behind
    return in_front, behind, [picture.figure.title for picture in found.pictures()]


def test_what_a_page_holds_depends_on_how_much_there_is() -> None:
    one, behind, _ = titles({"only": lists(1, 2, 3)}, 3)
    assert one[0] == "profile" and {"effort", "endings"} <= set(one)
    assert not {"topics", "leaderboard", "certain-ranks", "dominance", "choice-of-measure"} & {*one, *behind}
    two, behind, figures = titles({"a": lists(1, 2, 3, 1, 2), "b": lists(2, 2, 2, 2, 3)}, 5)
    assert two[0] == "topics" and {"effort", "endings", "choice-of-measure", "certain-ranks"} <= set(behind)
    assert not any(title.startswith("Effort") for title in figures)  # five topics have no quadrants
    three, behind, figures = titles({name: lists(*[1, 2, at] * 4) for at, name in enumerate("abc", 1)}, 12)
    assert three[:2] == ["leaderboard", "topics"] and {"effort", "endings", "dominance"} <= set(behind)
    assert any(title.startswith("Effort") for title in figures)


def test_what_authors_paste_is_there() -> None:
    first = report({"0": {"a": 1}}, {"b_m": lists(1), "other": lists(2)}, ["RR", "P@1"], date=DAY).document.first
    assert first is not None
    pasted = {each.name: each.text for each in first.pasted}
    assert pasted["Sentence"] == first.says == "b_m leads other by 0.5000 in RR on topic 0. One topic allows no test."
    assert r"b\_m & \textbf{1.0000}" in pasted["Table in LaTeX"]
    assert "| b_m " in pasted["in Markdown"] and "other,all,RR,0.5\n" in pasted["in CSV"]
    assert pasted["Citation in BibTeX"].startswith("@software{cranfield,\n") and "2026" in pasted["Citation in BibTeX"]


def test_the_title_names_collection_and_day(tmp_path: Path) -> None:
    for file, name in (("robust04/qrels.txt", "robust04"), ("robust04.qrels", "robust04.qrels")):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text("1 0 a 1\n")
        title = report(path, {"r": {"1": ["a"]}}, ["RR"], date=DAY).document.title
        assert title == f"{name}: 1 run on 1 topic, 31 March 2026"
    named = report(path, {"r": {"1": ["a"]}}, ["RR"], date=DAY, title="Ours", collection="Robust").document
    assert (named.title, named.lead) == ("Ours", "Robust: 1 run on 1 topic, 31 March 2026. Measured by RR.")


def test_reports_of_a_day_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, runs = {"1": {"a": 1}}, {"r": {"1": ["a"]}}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1774915200")  # 31 March 2026, 0:00
    of_the_epoch = report(qrels, runs, ["RR"]).to_html()
    assert of_the_epoch == report(qrels, runs, ["RR"], date=DAY).to_html()
    assert of_the_epoch != report(qrels, runs, ["RR"], date=date(2026, 4, 1)).to_html()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH must be in seconds since 1970, not 'soon'"):
        report(qrels, runs, ["RR"])


def test_the_command_on_the_page_writes_the_page_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that may be asked of a page is asked of it; what was left out is left to the defaults."""
    monkeypatch.chdir(tmp_path)
    files = {
        "qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n", "labels.txt": "1 0 a 1\n1 0 b 1\n2 0 a 0\n2 0 b 0\n",
        "r.run": "1 Q0 a 1 2.0 r\n1 Q0 x 2 1.0 r\n2 Q0 b 1 1.0 r\n", "s.run": "1 Q0 b 1 1.0 s\n2 Q0 a 1 1.0 s\n",
        "docs.jsonl": '{"id": "x", "text": "Unread."}\n', "kinds.csv": "run,kind\nr,mine\ns,yours\n",
        "weights.csv": "topic,weight\n1,2\n2,1\n", "groups.csv": "topic,group\n1,some\n2,others\n",
    }  # fmt: skip
    for name, text in files.items():
        Path(name).write_text(text)
    options = (
        "--docs docs.jsonl --title 'Our runs' --collection Ours --cheap labels.txt --kinds kinds.csv "
        "--circular s --weights weights.csv --groups groups.csv --baseline r --seed 3"
    )
    for asked in (f"report qrels.txt r.run s.run -m RR {options}", "report qrels.txt r.run s.run -m RR -m AP"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1774915200")
        done = CliRunner().invoke(main, [*shlex.split(asked), "-o", "report.html"])
        assert done.exit_code == 0, done.output
        page = Path("report.html").read_text("utf-8")
        [command] = {html.unescape(found) for found in re.findall(r">(cranfield report [^<]*-o report.html)<", page)}
        assert sorted(shlex.split(command)) == sorted(shlex.split(f"cranfield {asked} -o report.html"))
        again = CliRunner().invoke(main, shlex.split(command)[1:])
        assert again.exit_code == 0, again.output
        assert Path("report.html").read_text("utf-8") == page


def test_the_command_takes_a_day_and_a_name(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 r\n")
    given = [str(tmp_path / name) for name in ("qrels.txt", "r.run")]
    asked = ["--date", "2026-03-31", "--collection", "Ours", "-o", str(tmp_path / "page.html")]
    done = CliRunner().invoke(main, ["report", *given, "-m", "RR", *asked])
    assert done.exit_code == 0, done.output
    assert "<title>Ours: 1 run on 1 topic, 31 March 2026</title>" in (tmp_path / "page.html").read_text("utf-8")
    refused = CliRunner().invoke(main, ["report", *given, "--date", "31.3.", "-o", str(tmp_path / "page.html")])
    assert refused.exit_code == 2


def test_a_shared_lead_is_told_as_one_on_every_sheet() -> None:
    """AP 1/2 + 1/6 and 1/3 + 1/3 over two topics: two floats, one mean on paper. On topic 1 one is ahead alone."""
    found = {"one": ("xa", "xyzvwa"), "two": ("xya", "xya"), "last": ("xyzvwa", "xyzvwa")}
    runs = {name: dict(zip("12", map(list, both), strict=True)) for name, both in found.items()}
    asked = evidence_of({"1": {"a": 1}, "2": {"a": 1}}, runs, ["AP"], None, 7)
    assert "one and two share the lead" in headline(asked).words
    weighted = replace(asked, weights=TopicWeights.taken({"1": 1.0, "2": 1.0}))
    assert said_in("slices", weighted)[1] == "one and two share the lead with and without weights."


def said_in(name: str, asked: Evidence) -> list[str]:
    """Return the sentences of a section."""
    found = SECTIONS[name].of(asked)
    assert found is not None
    return [each for block in found.blocks if isinstance(block, Words) for each in block.sentences]


def test_grades_below_0_alone_have_their_range() -> None:
    joined = cf.join({"1": {"a": -1, "b": -2}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}})
    answers = dict(cf.review(joined, measures="P@1").answers.select("item", "answer").iter_rows())
    assert any("with grades from -2 to -1, relevant above 0" in answer for answer in answers.values())


def test_tables_of_scores_have_commands_that_compute_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    rows = [
        (run, f"t{n}", "acc", (n * 7 + 3 * at) % 10 / 10 + at / 10) for n in range(12) for at, run in enumerate("abc")
    ]
    table = pl.DataFrame(rows, ["model", "task_id", "measure", "value"], orient="row")
    table.write_csv("the scores.csv")
    names = {"run": "model", "query_id": "task_id"}
    page = cf.report("the scores.csv", measures=["acc"], columns=names, baseline="a", seed=3).document.commands()
    of = "'the scores.csv' --columns run=model --columns query_id=task_id -m acc"
    assert page == {
        "means": f"cranfield leaderboard {of}",
        "significance": f"cranfield compare --scores {of} --baseline a --layout pairs",
        "ranks": f"cranfield leaderboard {of} --seed 3",
        "more-topics": page["more-topics"],
    }
    assert page["more-topics"].startswith(f"cranfield topics {of} --difference 0.")
    for line in page.values():
        done = CliRunner().invoke(main, shlex.split(line)[1:])
        assert done.exit_code == 0, done.stderr
    asked = ("--columns", "run=model,query_id=task_id", "--not-run", "0.25", "--systems", "rows", "--header")
    done = CliRunner().invoke(main, ["report", "--scores", "the scores.csv", *asked, "-o", "page.html"])
    assert (done.exit_code, done.stderr) == (0, "wrote page.html\n")
    written = Path("page.html").read_text(encoding="utf-8")
    assert "--columns query_id=task_id --systems rows --not-run 0.25 --header" in written
    assert "cranfield topics" not in written  # its --systems are others
    assert cf.report(table, columns=names).document.commands()["means"] == "cranfield leaderboard SCORES"
    clusters = {f"t{n}": f"c{n // 2}" for n in range(12)}
    assert cf.report(table, columns=names, clusters=clusters).document.commands() == {}


def test_a_page_of_scores_is_weighted_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics 1 and 2, on which b leads, have weight 0: what is left is a mean of a's leads of .2."""
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    values = {"a": [0.0, 0.0, 0.5, 0.6, 0.7, 0.8, 0.6], "b": [0.9, 0.9, 0.3, 0.4, 0.5, 0.6, 0.4]}
    rows = [(run, f"t{n}", "acc", value) for run, of_run in values.items() for n, value in enumerate(of_run, 1)]
    pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row").write_csv("s.csv")
    Path("w.csv").write_text("topic,weight\n" + "".join(f"t{n},{int(n > 2)}\n" for n in range(1, 8)))
    found = cf.report("s.csv", weights="w.csv").document
    assert found.first is not None
    assert found.first.says == "a leads b by 0.2000 in acc: not significant."  # of five topics, all won
    assert "Topics are weighted by w.csv (2 of weight 0), effective number of topics 5.0." in found.lead
    [line] = found.commands().values()
    assert line == "cranfield compare --scores s.csv --layout pairs --weights w.csv"
    done = CliRunner().invoke(main, shlex.split(line)[1:])
    assert done.stdout.startswith("a leads b by 0.2000 in acc")
    done = CliRunner().invoke(main, ["report", "--scores", "s.csv", "--weights", "w.csv", "-o", "page.html"])
    assert (done.exit_code, done.stderr) == (0, "wrote page.html\n")


@pytest.mark.parametrize("baseline", [None, "run2"])
def test_a_page_of_scores_and_one_of_runs_draw_one_conclusion(baseline: str | None) -> None:
    """By the first of several measures: neither its leaderboard nor a report on runs is corrected over the others."""
    values = np.random.default_rng(3).normal(size=(3, 40)) * 0.12 + np.array([[0.6], [0.52], [0.4]])
    rows = [
        (f"run{r}", str(t), measure, float(sign * values[r, t]))
        for measure, sign in (("acc", 1), ("other", 2), ("more", -1), ("last", 3))
        for r in range(3)
        for t in range(40)
    ]
    table = pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")
    whole, alone = (cf.report(each, baseline=baseline).document for each in (table, table.filter(measure="acc")))
    assert whole.first is not None and alone.first is not None
    assert (whole.first.says, whole.first.sure) == (alone.first.says, alone.first.sure)
    assert ("a significant difference" in whole.first.says) is (baseline is None)
    command = whole.commands()["significance"]
    assert command == " ".join(
        [
            "cranfield compare --scores SCORES",
            *(["--baseline run2"] * bool(baseline)),
            "--family measure --layout pairs",
        ]
    )
    assert "of each measure" in str(whole.sections[0].blocks)
