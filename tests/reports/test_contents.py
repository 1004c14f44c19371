"""The report: every number is what the commands give on their own, and nothing that users bring is obeyed."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.reports import Report, report
from cranfield.reports.elements import Picture, ReportTable, Words, unfolded
from cranfield.reports.html_page import html
from cranfield.reports.section import SECTIONS

VOID = {"meta", "link", "br", "img", "hr", "input"}
WITHOUT_COMMAND = {"audit", "inputs"}
"""Tables that a command says on its way to another (the audit), or none: what was read."""


class Tags(HTMLParser):
    """Whether every element ends where it should, and which ids there are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.hrefs += [value for name, value in attrs if name == "href" and value]
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def tags_of(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    tags.close()
    return tags


def words_of(found: Report) -> str:
    blocks = (block for section in found.document.sections for block in unfolded(section.blocks))
    return " ".join(sentence for block in blocks if isinstance(block, Words) for sentence in block.sentences)


def embedded(page: str) -> dict[str, str]:
    """Return the rows of each table, by its name, as the page hands them out."""
    table = r'<div class="table" id="table-([^"]+)">.*?<script type="application/json">(.*?)</script>'
    return {name: json.loads(rows) for name, rows in re.findall(table, page, re.DOTALL)}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small campaign, in which something is unjudged."""
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=5, topics=9, depth=60, seed=3), folder)
    return folder


@pytest.fixture(scope="module")
def found(campaign: Path) -> Report:
    return report(campaign / "qrels.txt", campaign / "runs", rel=2)


@pytest.fixture(scope="module")
def page(found: Report) -> str:
    return found.to_html()


def test_the_page_is_well_formed_and_its_contents_lead_somewhere(page: str) -> None:
    tags = tags_of(page)
    assert tags.faults == [] and tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert {href[1:] for href in tags.hrefs if href.startswith("#")} <= set(tags.ids)
    assert [href for href in tags.hrefs if not href.startswith(("#", "data:"))] == []


def test_every_section_is_there_in_its_order(found: Report) -> None:
    parts = sorted(SECTIONS.values(), key=lambda part: part.place_in(found.evidence))
    # Which are there with weights or groups, of one run, with cheap labels, of two runs, with costs
    absent = {"slices", "profile", "judges", "worst-topics", "cost"}
    asked = [part.title for part in parts if part.name not in absent]
    assert [section.title for section in found.document.sections] == asked
    assert "Not for these runs" not in words_of(found)


def test_words_come_first(found: Report) -> None:
    for section in found.document.sections:
        assert isinstance(section.blocks[0], Words), section.name


def commands(found: Report) -> Iterator[tuple[str, str]]:
    for table in found.document.tables():
        if table.name not in WITHOUT_COMMAND:
            yield table.name, table.command


def test_every_table_has_a_name_of_its_own_and_a_command(found: Report) -> None:
    names = [table.name for table in found.document.tables()]
    assert len(names) == len(set(names))
    assert all(command.startswith("cranfield ") for _, command in commands(found))


def test_commands_give_the_rows_of_the_page(found: Report, page: str) -> None:
    same_rows(dict(commands(found)), embedded(page))


def test_the_audit_of_the_page_is_said_by_its_command(campaign: Path, tmp_path: Path) -> None:
    """It had no command. Runs are in the order of the page; one lacks topics, ties and has unjudged documents."""
    runs = [*sorted((campaign / "runs").iterdir())[:3], tmp_path / "tied"]
    runs[-1].write_text(
        "unheard Q0 x 1 1 tied\n"
        + "".join(f"{topic} Q0 x{n} 1 1 tied\n" for topic in range(401, 407) for n in range(30))
    )
    for files in (runs, runs[:1]):
        found = report(campaign / "qrels.txt", files, ["P@5", "AP"], rel=2)
        [table] = [each for each in found.document.tables() if each.name == "audit"]
        program, *arguments = shlex.split(table.command)
        assert program == "cranfield"
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0
        audit = cf.evaluate(campaign / "qrels.txt", files, ["P@5", "AP"], rel=2).sorted_by().audit
        assert table.rows.equals(audit.to_polars())
        assert done.stderr.endswith(f"\n{audit.render()!s}")
        assert CliRunner().invoke(main, [*arguments, "--quiet"]).stderr == ""


def test_one_grade_is_not_several() -> None:
    """Of one grade it said "grades 1 to 1"."""
    runs = {name: {topic: {"a": 1.0} for topic in "12"} for name in ("x", "y")}
    for grades, said in (((1, 1), "grade 1"), ((0, 0), "grade 0"), ((0, 1), "grades 0 to 1")):
        found = report({topic: {"a": grade} for topic, grade in zip("12", grades, strict=True)}, runs, "RR")
        assert found.document.first is not None
        assert dict(found.document.first.facts)["Judgments"] == f"2, {said}, relevant above 0."


def test_so_do_those_that_only_one_or_two_runs_have(campaign: Path) -> None:
    for runs, names in ((2, {"why", "estimation-differences", "by-topic"}), (1, {"by-topic", "means"})):
        found = report(campaign / "qrels.txt", sorted((campaign / "runs").iterdir())[:runs], ["AP", "RR"])
        given = dict(commands(found))
        same_rows({name: given[name] for name in names}, embedded(found.to_html()))


def test_so_do_those_of_a_cheap_judge(campaign: Path, tmp_path: Path) -> None:
    runs, cheap = sorted((campaign / "runs").iterdir())[:3], tmp_path / "a judge; echo.txt"
    cheap.write_text((campaign / "qrels.txt").read_text().replace(" 1\n", " 0\n"))
    found = report(campaign / "qrels.txt", runs, ["P@10", "AP"], cheap=cheap)
    given = {name: command for name, command in commands(found) if name.startswith("assessors-")}
    assert len(given) == 5
    same_rows(given, embedded(found.to_html()))


def same_rows(given: dict[str, str], rows: dict[str, str]) -> None:
    for name, command in given.items():
        program, *arguments = shlex.split(command)
        assert program == "cranfield"
        done = CliRunner().invoke(main, [*arguments, "--format", "csv"])
        assert done.exit_code == 0, (command, done.output)
        again, there = (list(csv.reader(io.StringIO(text))) for text in (done.stdout, rows[name]))
        assert again == there, name


def test_commands_of_pictures_draw(found: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = [picture for picture in found.document.pictures() if picture.command]
    assert len(drawn) >= 5
    for picture in drawn:
        done = CliRunner().invoke(main, shlex.split(picture.command)[1:])
        assert done.exit_code == 0, (picture.command, done.output)
    assert len(list(tmp_path.glob("*.html"))) == len(drawn)


def test_the_commands_hold_with_spaces_and_shells_in_names(campaign: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a folder; echo $HOME"
    folder.mkdir()
    for run in sorted((campaign / "runs").iterdir())[:2]:
        (folder / run.name).write_bytes(run.read_bytes())
    found = report(campaign / "qrels.txt", sorted(map(str, folder.iterdir())), ["AP"])
    known = dict(commands(found))
    words = [shlex.split(command) for command in known.values()]
    assert all(any(str(folder) in word for word in command) for command in words)
    assert CliRunner().invoke(main, shlex.split(known["why"])[1:]).exit_code == 0
    assert CliRunner().invoke(main, shlex.split(known["means"])[1:]).exit_code == 0
    assert not any("=" in word for word in shlex.split(known["why"]))  # the runs are called as their files


def test_the_numbers_are_those_of_evaluate_compare_and_the_experiments(campaign: Path, found: Report) -> None:
    qrels, runs = campaign / "qrels.txt", campaign / "runs"
    measures = ["nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist@100", "Judged@10"]
    rows = {table.name: table.rows for table in found.document.tables()}
    scores = cf.evaluate(qrels, runs, measures, rel=2).sorted_by()
    assert rows["means"].equals(scores.to_polars())
    assert rows["by-topic"].equals(scores.to_polars(per_topic=True))
    ranged = cf.evaluate(qrels, runs, measures[:4], rel=2, bounds=True).sorted_by()
    assert rows["leaderboard"].equals(ranged.to_polars())
    assert rows["significance"].equals(cf.compare(qrels, runs, "nDCG@10", rel=2).to_polars())
    joined = cf.join(qrels, runs, rel=2)
    certificate = cf.experiments.certificate(joined, ["nDCG@10"])
    assert rows["certificate-ranks"].equals(certificate["ranks"])
    assert rows["certificate-pairs"].equals(certificate["pairs"])
    dominance = cf.experiments.dominance(joined, depth=100, resamples=100)
    assert rows["dominance-pairs"].equals(dominance["pairs"])
    truncation = cf.experiments.truncation(joined, ["SetF", "RBU(p=0.8)", "OIE"])
    assert rows["truncation-summary"].equals(truncation["summary"])


def test_what_is_said_is_what_the_tables_have(campaign: Path, found: Report) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "nDCG@10", rel=2).sorted_by()
    said = words_of(found)
    first, second = scores.runs[:2]
    lead = scores.averages[0, 0] - scores.averages[0, 1]
    assert found.document.first is not None
    assert found.document.first.says.startswith(f"{first} leads {second} by {lead:.4f} in nDCG@10: ")
    compared = cf.compare(campaign / "qrels.txt", campaign / "runs", "nDCG@10", rel=2)
    assert f" and {compared.to_polars()['significant'].sum()} of all 10 pairs differ significantly" in said


def test_archetypes_are_those_of_the_explorer(found: Report) -> None:
    """Both take lists to be as long as N is by default, and say so."""
    rows = {table.name: table.rows for table in found.document.tables()}
    assert rows["archetypes-shares"].equals(cf.experiments.archetypes(found.evidence.as_judged)["shares"])
    assert "of the lists (N = 1,000)." in words_of(found)


def test_ranges_are_shown_of_measures_of_which_they_are_sure(found: Report) -> None:
    rows = {table.name: table.rows for table in found.document.tables()}
    ranged = set(rows["leaderboard"]["measure"])
    assert ranged == {"nDCG@10", "AP(rel=2)", "RR(rel=2)", "RBP(p=0.8)"}
    assert found.evidence.ranges is not None
    assert set(found.evidence.ranges.kinds.values()) <= {"exact", "enclosure"}


def test_nothing_depends_on_grades_where_the_judgments_are_complete() -> None:
    """Every judged document is relevant, so the judgments are taken as complete, unless it is asked otherwise."""
    qrels = {str(topic): {"a": 1} for topic in range(4)}
    orders = {"one": ["a", "b", "c"], "two": ["b", "a", "c"], "three": ["b", "c", "a"]}
    runs = {name: dict.fromkeys(qrels, order) for name, order in orders.items()}
    complete, opened = (report(qrels, runs, ["P@2", "P@1"], complete=asked).to_html() for asked in (None, False))
    assert "with the judgments taken as complete" in complete
    for words in ("Certain: whatever grades", "Broad:", "--bounds"):
        assert words not in complete
        assert words in opened


def test_a_baseline_is_what_the_others_are_compared_with(campaign: Path) -> None:
    baseline = sorted((campaign / "runs").iterdir())[2].stem
    found = report(campaign / "qrels.txt", campaign / "runs", ["AP", "RR"], baseline=baseline)
    rows = {table.name: table for table in found.document.tables()}
    assert set(rows["significance"].rows["run_b"]) == {baseline}
    assert f"--baseline {baseline}" in rows["significance"].command
    assert found.document.first is not None
    assert f" of 4 runs are significantly better than {baseline} in AP " in found.document.first.says
    with pytest.raises(InputError, match=r"no run is called 'nobody' \(the baseline\)"):
        report(campaign / "qrels.txt", campaign / "runs", baseline="nobody")


def test_one_run_on_one_topic_makes_a_page(tmp_path: Path) -> None:
    found = report({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"a": 1.0, "x": 0.5}}})
    assert found.document.title.startswith("1 run on 1 topic, ")
    assert "bm25 has a mean nDCG@10 of 1.0000 over 1 topic. There is no run to compare it with." in found.to_html()
    assert "Not for these runs" not in words_of(found)
    one_topic = report({"1": {"a": 1}}, {"one": {"1": ["a"]}, "other": {"1": ["x", "a"]}}, ["RR"])
    assert "Not for these runs" not in words_of(one_topic)
    assert not {"leaderboard", "certain-ranks"} & {section.name for section in one_topic.document.sections}
    found.save(tmp_path / "page.html")
    assert tags_of((tmp_path / "page.html").read_text(encoding="utf-8")).faults == []


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ({"1": {"a": 0}, "2": {"a": 0}}, {"one": {"1": {"a": 1.0}}, "two": {"2": {"a": 1.0}}}),
        ({"1": {"a": 1}, "2": {"b": 2}}, {"one": {"1": {"x": 1.0}}, "two": {"1": {"y": 1.0}}}),
        ({"1": {"a": -2}, "2": {"a": 1}}, {name: {"1": {"a": 1.0}, "2": {"a": 1.0}} for name in "abc"}),
        ({"1": {"a": 1}}, {name: {"1": {"a": 1.0}} for name in "abc"}),
    ],
    ids=["nothing relevant", "nothing found", "all alike", "one topic"],
)
def test_poor_data_make_a_page(qrels: cf.QrelsLike, runs: cf.RunsLike) -> None:
    assert tags_of(report(qrels, runs).to_html()).faults == []


@pytest.mark.parametrize("measures", [["ASL", "AP"], ["Twist"], ["NumRelRet", "Judged@5"]])
def test_any_measure_may_decide(measures: list[str]) -> None:
    campaign = simulate(systems=4, topics=4, depth=20, seed=3)
    found = report(campaign.qrels, campaign.runs(), measures)
    assert tags_of(found.to_html()).faults == []
    assert found.evidence.named in words_of(found)


EVIL = "</script><script>alert(1)</script>"


def test_what_users_bring_is_shown_and_not_obeyed() -> None:
    qrels = {EVIL: {"a": 1, "b": 0}, "2": {"a": 1}}
    runs = {f"{EVIL}{i}": {t: {"a": 1.0, f"<b>{i}": 0.5 + i} for t in qrels} for i in range(3)}
    found = report(qrels, runs, title=f"About {EVIL}")
    page = found.to_html()
    plain = report(
        {"1": qrels[EVIL], "2": qrels["2"]},
        {str(i): dict(zip("12", run.values(), strict=True)) for i, run in enumerate(runs.values())},
    ).to_html()
    assert tags_of(page).scripts == tags_of(plain).scripts
    assert tags_of(page).faults == []
    assert "<script>alert" not in page
    assert EVIL in embedded(page)["by-topic"]


def test_cells_that_a_spreadsheet_would_obey_stay_as_they_are() -> None:
    found = report({"1": {"a": 1}}, {"=1+1": {"1": {"a": 1.0}}})
    assert "=1+1" in embedded(found.to_html())["means"]


def test_small_pages_are_small(page: str) -> None:
    assert len(page.encode()) < 2_000_000


@pytest.mark.slow
def test_a_report_of_a_whole_track(data: Path, tmp_path: Path) -> None:
    folder = data / "dl19-passage"
    found = report(folder / "qrels.txt", folder / "runs", rel=2)
    found.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 6_000_000
    page = found.to_html()
    assert "9,260, grades 0 to 3, relevant from 2." in page
    assert "idst_bert_p1 leads idst_bert_p2 by 0.0013 in nDCG@10: too close to call." in page
    assert "p_exp_rm3_bert leads in AP(rel=2)" in page
    means = embedded(page)["means"]
    assert means.splitlines()[1].startswith("idst_bert_p1,all,nDCG@10,0.7644")  # as the track's overview has it


def test_many_runs_are_looked_at_less_closely_and_that_is_said() -> None:
    qrels = {str(t): {"a": 1, "b": 1} for t in range(3)}
    runs = {f"r{i}": {t: {"a": 1.0, "b": i / 7, f"x{i % 5}": 0.3} for t in qrels} for i in range(61)}
    found = report(qrels, runs, ["AP", "RR"])
    assert "Lists are followed down to rank 20 only, since there are many runs." in words_of(found)
    names = {table.name: table for table in found.document.tables()}
    assert "--depth 20" in names["dominance-summary"].command
    assert "dominance-pairs" not in names


def test_condensed_and_cut_lists_are_refused(campaign: Path) -> None:
    joined = cf.join(campaign / "qrels.txt", campaign / "runs", depth=5)
    with pytest.raises(InputError, match="a report covers whole lists"):
        report(joined)


def test_runs_that_share_no_topic_are_refused_where_shared_ones_are_asked_for() -> None:
    with pytest.raises(InputError, match="no topic is shared by all runs"):
        report({"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": ["a"]}, "y": {"2": ["b"]}}, ["RR"], topics="shared")


def test_the_file_is_a_page(found: Report) -> None:
    with pytest.raises(InputError, match="a report is written to a file in"):
        found.save("report.txt")


def test_sections_are_told_as_they_are_written(campaign: Path) -> None:
    told: list[tuple[int, int]] = []
    report(campaign / "qrels.txt", campaign / "runs", "AP", progress=lambda done, of: told.append((done, of)))
    assert told == [(done, len(SECTIONS)) for done in range(1, len(SECTIONS) + 1)]


def test_the_inputs_have_their_digests(campaign: Path, found: Report) -> None:
    from hashlib import sha256

    rows = next(table.rows for table in found.document.tables() if table.name == "inputs")
    digest = sha256((campaign / "qrels.txt").read_bytes()).hexdigest()[:16]
    assert rows.row(0) == ("judgments", str(campaign / "qrels.txt"), digest)
    assert rows.height == 6


def test_the_command_writes_the_page(campaign: Path, tmp_path: Path) -> None:
    runs = [str(path) for path in sorted((campaign / "runs").iterdir())]
    done = CliRunner().invoke(
        main,
        ["report", str(campaign / "qrels.txt"), *runs, "-o", str(tmp_path / "r.html"), "--title", "Ours", "--rel", "2"],
    )
    assert done.exit_code == 0, done.output
    assert f"wrote {tmp_path / 'r.html'}" in done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>Ours</h1>" in page and "--rel 2" in page
    assert f"{campaign / 'qrels.txt'} {campaign / 'runs'} -m" in page  # all files of a folder are named by it


def test_a_wrong_name_is_refused_before_the_work(campaign: Path, tmp_path: Path) -> None:
    given = [str(campaign / "qrels.txt"), str(campaign / "runs"), "-o", str(tmp_path / "r.pdf")]
    done = CliRunner().invoke(main, ["report", *given])
    assert done.exit_code == 2
    assert "a report is written to a file in .html" in done.stderr


def test_tables_and_pictures_are_found(found: Report) -> None:
    assert all(
        isinstance(table, ReportTable) and isinstance(table.rows, pl.DataFrame) for table in found.document.tables()
    )
    assert all(isinstance(picture, Picture) for picture in found.document.pictures())


def ones(values: dict[str, str]) -> dict[str, dict[str, list[str]]]:
    """Make runs of their RR by topic: 1, or 2 for a half."""
    lists = {"1": ["a"], "2": ["x", "a"]}
    return {run: {str(n): lists[of] for n, of in enumerate(row)} for run, row in values.items()}


def test_who_is_ahead_is_not_who_is_level() -> None:
    """Best is ahead of mid on topics 1 to 5, behind on 6 and 7, and level on the other three."""
    runs = ones({"best": "1111112211", "mid": "1222221111", "low": "2222222222"})
    qrels = {str(n): {"a": 1, "z": 0} for n in range(10)}
    said = words_of(report(qrels, runs, "RR"))
    assert "best beats all others on 5 of 10 topics and ties with the best of them on 3." in said


def test_ties_for_the_most_different_topic_and_the_best_run_are_told() -> None:
    runs = ones({"one": "1122", "other": "2122"})
    runs["one"]["2"], runs["other"]["2"] = ["x", "a"], ["a"]
    qrels = {str(n): {"a": 1, "z": 0} for n in range(4)}
    said = words_of(report(qrels, runs, "RR"))
    assert "The runs differ most on topics 0 and 2, by 0.50 on each." in said
    three = words_of(report(qrels, runs | {"last": {topic: ["z"] for topic in qrels}}, "RR"))
    assert (
        ", one of the best on average, beats all others on 1 of 4 topics and ties with the best of them on 2." in three
    )
    equal = words_of(report(qrels, {"one": runs["one"], "same": runs["one"]}, "RR"))
    assert "The runs have equal scores on every topic." in equal


def best_on_one_each() -> dict[str, dict[str, list[str]]]:
    return {
        run: {t: ["a", "b"] if t == best else ["b", "a"] for t in "123"} for run, best in zip("xyz", "123", strict=True)
    }


def test_a_section_keeps_its_tables_where_its_picture_has_nothing_to_draw() -> None:
    """Each run is better on a topic of its own."""
    qrels, tables = {t: {"a": 1, "b": 0} for t in "123"}, {"dominance-summary", "dominance-runs", "dominance-pairs"}
    found = report(qrels, best_on_one_each()).document.sections
    [blocks] = [[*unfolded(each.blocks)] for each in found if each.name == "dominance"]
    assert {block.name for block in blocks if isinstance(block, ReportTable)} == tables
    words = " ".join(said for block in blocks if isinstance(block, Words) for said in block.sentences)
    assert re.search(r"No picture: [a-z]+: there is nothing to draw; the table [a-z]+ has no rows\.", words)


def test_what_was_missed_at_the_top_is_said_of_topics_where_there_was_something() -> None:
    """On topics 1 and 2 the first document of the list is right or not; for topic 3 nothing is relevant."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"b": 0}}
    said = words_of(report(qrels, {"x": {"1": ["a"], "2": ["b"], "3": ["b"]}}))
    assert "The most frequent archetypes are worst and ideal, with 50% of the lists each (N = 1,000)." in said
    assert "50% of the lists never make up for what they missed at the top (typical B and worst; N = 1,000)." in said
    assert "Left out, as nothing is relevant there: 1 topic (3)." in said
    many = {str(t): {"a": 2, "b": 1} if t else {"b": 1} for t in range(12)}
    lists = {t: ["b", "a"] for t in many}
    said = words_of(report(many, {"x": lists}, "nDCG", rel=2))  # which gains something on topic 0, too
    assert "1 topic has no relevant document: 0." in said
    nothing = words_of(report({t: {"a": 0} for t in "123"}, best_on_one_each()))
    assert "No list has an archetype, since nothing is relevant to the topics." in nothing


def test_a_run_that_did_not_run_is_not_called_worse() -> None:
    qrels = {str(t): {"a": 1} for t in range(12)}
    base, half = {t: ["b", "a"] for t in qrels}, {str(t): ["a"] for t in range(6)}
    page = report(qrels, {"base": base, "new": half}).to_html()
    assert "new has no scores on 6 of 12 topics" in page
    assert "significantly worse" not in page


def test_a_baseline_that_did_not_run_is_refused_at_every_door() -> None:
    """The page went on without a baseline; comparisons said that there is no such run."""
    qrels = {str(t): {"a": 1} for t in range(8)}
    runs = {"old": qrels, "new": {t: ["x", "a"] for t in qrels}, "gone": {"1": ["a"]}}
    table = cf.evaluate(qrels, runs, "RR").per_topic.remove((pl.col("run") == "gone") & (pl.col("topic") != "1"))
    says = (
        r"no run that ran is called 'gone' \(the baseline\); the runs are old, new; left out, as they did not run: gone"
    )
    for asked in (
        lambda: cf.report(qrels, runs, "RR", baseline="gone"),
        lambda: cf.report(table, baseline="gone"),
        lambda: cf.compare(qrels, runs, "RR", baseline="gone"),
        lambda: cf.compare_scores(table, baseline="gone"),
        lambda: cf.review(qrels, runs, "RR", baseline="gone"),
    ):
        with pytest.raises(InputError, match=says):
            asked()


def test_no_two_regions_have_one_name() -> None:
    """A leaderboard stands on the first sheet and, of many runs, in a section, too."""
    document = cf.report({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["x", "a"]}}, "RR").document
    page = html(replace(document, sections=document.sections * 2), drawn=True)
    names = re.findall(r'role="region" aria-label="([^"]*)"', page)
    assert any(name.endswith(" (2)") for name in names)
    assert len(names) == len(set(names))
