"""The whole road: what follows from what, and that a release made step by step is the one made at once."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from tools.small_track import RUNS, SETTINGS, begin, lists

import cranfield as cf
from cranfield.plumbing.errors import InputError
from cranfield.selection.records import Assessed, Log
from cranfield.track import pooling, results
from cranfield.track.demonstration import demonstrate
from cranfield.track.pooling import contributing
from cranfield.track.release import _done
from cranfield.track.road import STEPS, StepStanding, bring, pack, standing, told
from cranfield.track.track import Track


def anew(folder: Path, step: str) -> set[str]:
    return {done.name for done in bring(Track.read(folder), step) if done.anew}


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_pool_to_depth_two(tmp_path: Path) -> None:
    """good abcd and fair bacx of A, poor xyza of B, odd cyab of C: the first two of each."""
    anew(begin(tmp_path), "pool")
    documents = (tmp_path / "pool/topics/1.txt").read_text().split()[1::2]
    assert sorted(documents) == ["a", "b", "c", "x", "y"]
    found = {
        (row["team"], row["run"]): (row["documents"], row["alone"]) for row in table(tmp_path, "pool/contributions.csv")
    }
    assert found[("A", "")] == ("6", "6")
    assert found[("A", "good")] == ("6", "0")
    assert found[("B", "poor")] == ("6", "3")
    assert "15 documents of 3 topics" in told(Track.read(tmp_path), "pool")[0]


def test_a_pool_says_which_topics_no_run_has_and_how_long_all_its_judgments_take(tmp_path: Path) -> None:
    """15 documents, each judged by two people in 30 seconds, are 900 seconds."""
    begin(tmp_path, SETTINGS.replace("[judgments]", "[judgments]\nper_document = 2"))
    assert "no document in these runs" not in "".join(_pool_says(tmp_path))
    (tmp_path / "topics.txt").write_text((tmp_path / "topics.txt").read_text() + "77\n78\n")
    settings = (tmp_path / "track.toml").read_text()
    (tmp_path / "track.toml").write_text(
        settings.replace("[submissions]", '[submissions]\ntolerated = ["missing topics"]')
    )
    said = _pool_says(tmp_path)
    assert "2 topics have no document in these runs: 77 and 78." in said
    assert "At 30 seconds per document, judging takes 15 minutes, each document by 2 people." in said


def _pool_says(folder: Path) -> list[str]:
    anew(folder, "pool")
    return told(Track.read(folder), "pool")


def test_runs_that_came_late_or_matter_less_do_not_contribute(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace("depth = 2", "depth = 2\nruns_per_team = 1\ndeadline = 2026-08-01"))
    (tmp_path / "teams.csv").write_text(
        "run,team,priority,received\ngood,A,2,2026-07-01\nfair,A,1,2026-08-01\npoor,B,1,2026-08-02\nodd,C,,\n"
    )
    anew(tmp_path, "check")
    assert [each.run for each in contributing(Track.read(tmp_path))] == ["fair", "odd"]


@pytest.mark.parametrize(
    ("pool", "count"),
    [('method = "B"\nbudget = 5', 5), ('method = "sample"\nper_topic = 2\ndepth = 2', 6), ('method = "none"', 0)],
)
def test_other_ways_to_choose(tmp_path: Path, pool: str, count: int) -> None:
    begin(tmp_path, SETTINGS.replace("depth = 2", pool))
    anew(tmp_path, "judge")
    assert sum(map(len, pooling.read_pool(Track.read(tmp_path)).values())) == count
    assert (tmp_path / "pool/chances.csv").exists() == ("sample" in pool)
    assert (tmp_path / "forms").exists() == bool(count)


def test_judgments_of_several_sources(tmp_path: Path) -> None:
    """Forms, then qrels, then a log: of a document that several judge the last one counts, unless it is retracted."""
    begin(tmp_path, SETTINGS.replace('files = ["qrels.txt"]', ""))
    track = Track.read(tmp_path)
    assert anew(tmp_path, "judge") == {"check/runs", "pool/documents", "judge/forms"}
    assert told(track, "judge")[-1].startswith("no judgments yet: judge in the task, or name filled-in forms")
    with pytest.raises(InputError, match="no judgments yet"):
        anew(tmp_path, "results")
    form = tmp_path / "forms/1.csv"
    form.write_text(form.read_text().replace("1,a,", "1,a,1").replace("1,b,", "1,b,2"))
    (tmp_path / "more.txt").write_text("1 0 b 0\n2 0 a 1\n2 0 b 1\n")
    Log(tmp_path / "task.jsonl").append(Assessed("e1", 1, "2", "a", 3, "Ann"))
    (tmp_path / "gone.txt").write_text("2 b\n")
    files = 'files = ["forms/*.csv", "more.txt", "task.jsonl"]\nretracted = "gone.txt"'
    (tmp_path / "track.toml").write_text(SETTINGS.replace('files = ["qrels.txt"]', files))
    assert anew(tmp_path, "judge") == {"judge/qrels"}
    assert (tmp_path / "judgments/qrels.txt").read_text() == "1 0 a 1\n1 0 b 0\n2 0 a 3\n"
    assert [row["source"] for row in table(tmp_path, "judgments/sources.csv")] == [
        "forms/1.csv",
        "more.txt",
        "task.jsonl",
    ]
    missing = {(row["topic"], row["document"]) for row in table(tmp_path, "judgments/missing.csv")}
    assert len(missing) == 15 - 3
    assert ("2", "b") in missing
    form.write_text(form.read_text().replace("1,a,1", "1,a,yes"))
    with pytest.raises(InputError, match=r"1\.csv, line \d: the grade is a whole number, not 'yes'"):
        anew(tmp_path, "judge")


def test_qrels_of_several_assessors_are_refused_with_what_to_do(tmp_path: Path) -> None:
    """A document has one grade in a track; the log of their task has a policy for that, qrels have none."""
    begin(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 Ann a 1\n1 Ben a 0\n")
    with pytest.raises(InputError, match=r"qrels\.txt: holds the judgments of Ann and Ben: name a log"):
        anew(tmp_path, "judge")


def test_labels_of_models_are_beside_and_never_mixed_in(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS + 'models = ["model.txt"]\n')
    (tmp_path / "model.txt").write_text((tmp_path / "qrels.txt").read_text().replace("a 1", "a 0"))
    anew(tmp_path, "judge")
    assert (tmp_path / "judgments/qrels.txt").read_text().count(" a 1\n") == 3
    (row,) = table(tmp_path, "judgments/models.csv")
    assert float(row["same_grade"]) == pytest.approx(4 / 5)


def without_pictures(track: Track) -> set[str]:
    """Do the results but for what takes long: sheets, and the page."""
    for step in ("check", "pool", "judge"):
        list(track.bring(step, STEPS[step](track)))
    some = [part for part in results.parts(track) if part.name not in {"results/sheets", "results/page"}]
    return {done.name.removeprefix("results/") for done in track.bring("results", some) if done.anew}


ALL = {"official", "scores", "significance", "certificate", "dominance", "topics", "reusability", "claims"}


@pytest.mark.integration
def test_only_what_follows_from_a_change_is_made_anew(tmp_path: Path) -> None:
    assert without_pictures(Track.read(begin(tmp_path))) == ALL
    assert without_pictures(Track.read(tmp_path)) == set()
    (tmp_path / "track.toml").write_text(SETTINGS.replace('"P@2"', '"P@2", "RR"'))  # a measure more
    assert without_pictures(Track.read(tmp_path)) == {"scores", "topics", "reusability", "claims"}
    (tmp_path / "track.toml").write_text(SETTINGS.replace('"AP", "P@2"', '"P@2", "AP"'))  # another one decides
    assert without_pictures(Track.read(tmp_path)) == ALL - {"official"}
    (tmp_path / "track.toml").write_text(SETTINGS.replace("ann@", "ben@"))
    assert without_pictures(Track.read(tmp_path)) == ALL - {"official"}  # the first measure decides once more
    (tmp_path / "track.toml").write_text(SETTINGS)
    assert without_pictures(Track.read(tmp_path)) == set()  # letters alone are made anew


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a track with its results, without pictures."""
    folder = begin(tmp_path_factory.mktemp("toy"))
    assert without_pictures(Track.read(folder)) == ALL
    return folder


def test_scores_are_those_of_evaluate_and_trec_eval(toy: Path) -> None:
    qrels, run = str(toy / "qrels.txt"), str(toy / "submissions/A/fair.txt")
    official = cf.evaluate(qrels, run, "official", order="trec9").render("trec_eval", per_topic=True)
    assert (toy / "results/official/fair.txt").read_text() == official
    scores = {(row["run"], row["measure"]): float(row["value"]) for row in table(toy, "results/scores.csv")}
    assert scores[("poor", "AP")] == (1 / 4) / 2
    assert scores[("odd", "AP")] == pytest.approx((1 / 3 + 2 / 4) / 2)


def test_best_median_and_worst_by_topic(toy: Path) -> None:
    """AP of good and fair is 1, of poor 1/8, of odd 5/12: the median lies between odd and 1."""
    first = next(row for row in table(toy, "results/topics.csv") if row["measure"] == "AP")
    assert (first["judged"], first["relevant"], float(first["best"]), float(first["worst"])) == ("5", "2", 1.0, 1 / 8)
    assert float(first["median"]) == pytest.approx((1 + 5 / 12) / 2)
    assert first["best_run"] == "fair and good"


def test_a_sheet_has_each_topic_beside_the_median(toy: Path) -> None:
    (sheets,) = (part.make() for part in results.parts(Track.read(toy)) if part.name == "results/sheets")
    for page in map(str, sheets.values()):
        table = page[page.index('id="table-topics"') :].partition("</table>")[0]
        rows = re.findall(r'<tr><th scope="row">\w+</th>(.*?)</tr>', table)
        assert rows
        for row in rows:
            score, _, _, median, _, less = map(float, re.findall(r">([-.\d]+)<", row))
            assert less == pytest.approx(score - median, abs=2e-4)
    assert sheets


def test_where_runs_do_not_suffice_it_is_said(tmp_path: Path) -> None:
    begin(tmp_path, runs={"good": RUNS["good"]})
    assert without_pictures(Track.read(tmp_path)) == ALL
    assert (tmp_path / "results/certificate.txt").read_text().startswith("Not for these runs: ")
    assert (tmp_path / "results/scores.csv").exists()


def test_what_a_team_alone_found_is_left_out_together(toy: Path) -> None:
    """Only B's poor has x in its first two; C's odd and B's poor both have y."""
    rows = {row["run"]: row for row in table(toy, "results/reusability-runs.csv") if row["measure"] == "AP"}
    assert (rows["poor"]["unique_documents"], rows["poor"]["unique_relevant"]) == ("3", "0")
    assert (rows["good"]["unique_documents"], rows["good"]["unique_relevant"]) == ("6", "6")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def released(folder: Path) -> dict[str, bytes]:
    for _ in bring(Track.read(folder), "release"):
        pass
    return contents(folder / "release")


def rewritten(folder: Path, changes: Iterable[tuple[str, str]]) -> None:
    for name, text in changes:
        (folder / name).write_text(text)


@pytest.mark.integration
def test_a_release_made_step_by_step_is_the_one_made_at_once(tmp_path: Path) -> None:
    """A late run, a retracted judgment, a new measure, and a run that is withdrawn."""
    begin(tmp_path / "slow", runs={name: RUNS[name] for name in ("good", "poor", "odd")})
    first = released(tmp_path / "slow")
    settings = SETTINGS.replace('"P@2"', '"P@2", "RR"') + 'retracted = "gone.txt"\n'
    changes = [("teams.csv", "run,team\ngood,A\nfair,A\nodd,C\n"), ("submissions/A/fair.txt", lists("fair", "bacx"))]
    changes += [("gone.txt", "3 b\n"), ("track.toml", settings)]
    rewritten(tmp_path / "slow", changes[:2])
    (tmp_path / "slow/submissions/B/poor.txt").unlink()
    released(tmp_path / "slow")
    rewritten(tmp_path / "slow", changes[2:])
    begin(tmp_path / "fast", settings, {name: RUNS[name] for name in ("good", "fair", "odd")})
    rewritten(tmp_path / "fast", [("gone.txt", "3 b\n"), ("teams.csv", changes[0][1])])
    at_once = released(tmp_path / "fast")
    assert released(tmp_path / "slow") == at_once
    assert first.keys() != at_once.keys()
    packed = [pack(Track.read(tmp_path / name)).read_bytes() for name in ("slow", "fast")]
    assert packed[0] == packed[1]
    (tmp_path / "opened").mkdir()
    subprocess.run(["tar", "xzf", tmp_path / "fast/Toy-1.tar.gz", "-C", tmp_path / "opened"], check=True)
    assert contents(tmp_path / "opened/Toy-1") == at_once
    with tarfile.open(tmp_path / "fast/Toy-1.tar.gz", "r:gz") as tar:
        assert {member.mtime for member in tar} == {0}
        assert {member.name.removeprefix("Toy-1/") for member in tar} == at_once.keys()
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path / "opened/Toy-1", check=True)


def test_scores_are_estimated_from_a_sample(tmp_path: Path) -> None:
    """A sample that is the whole pool: nothing is left to chance."""
    begin(tmp_path, SETTINGS.replace("depth = 2", 'depth = 2\nmethod = "sample"\nper_topic = 9'))
    assert without_pictures(Track.read(tmp_path)) == ALL | {"estimates"}
    rows = {(row["run"], row["measure"]): row for row in table(tmp_path, "results/estimates.csv")}
    assert float(rows[("good", "P@2")]["value"]) == 1.0


@pytest.mark.integration
def test_hostile_names_stay_names(tmp_path: Path) -> None:
    """They are escaped on pages, and no file is called so."""
    attack = "<script>alert(1)</script>"
    begin(tmp_path, SETTINGS.replace('"Toy"', f'"{attack}"'), {"good": ("A", "abcd"), "odd": ("C", "cyab")})
    (tmp_path / "submissions/A/good.txt").rename(tmp_path / "submissions/A/<img src=x onerror=alert(1)>.txt")
    (tmp_path / "teams.csv").write_text(f"run,team\n<img src=x onerror=alert(1)>,../{attack}\nodd,C\n")
    files = released(tmp_path)
    pages = [data.decode() for name, data in files.items() if name.endswith(".html")]
    assert len(pages) == 3
    assert not any(attack in page or "<img src=x" in page for page in pages)
    assert not any(set(name) & set("<>(= ") for name in files)


def test_the_demonstration_judges_the_pool_of_its_settings(tmp_path: Path) -> None:
    """The settings name a depth of 20, one run a team and a deadline: each team's first run, if in time."""
    demonstrate(tmp_path / "toy")
    pooled = [row for row in table(tmp_path / "toy", "teams.csv")
              if row["priority"] == "1" and row["received"] <= "2026-08-01"]  # fmt: skip
    assert len(pooled) > 2
    pool = set()
    for row in pooled:
        lines = (tmp_path / f"toy/submissions/{row['team']}/{row['run']}.txt").read_text().splitlines()
        pool |= {(topic, document) for topic, _, document, rank, *_ in map(str.split, lines) if int(rank) <= 20}
    judged = [line.split() for line in (tmp_path / "toy/qrels.txt").read_text().splitlines()]
    assert {(topic, document) for topic, _, document, _ in judged} == pool


@pytest.mark.integration
@pytest.mark.slow
def test_the_demonstration(tmp_path: Path) -> None:
    demonstrate(tmp_path / "toy")
    files = released(tmp_path / "toy")
    rejected = {row["run"]: row for row in table(tmp_path / "toy", "check/runs.csv") if row["accepted"] == "no"}
    (broken,) = rejected
    letter = (tmp_path / f"toy/letters/{rejected[broken]['team']}.txt").read_text()
    assert f"{broken} (submissions/{rejected[broken]['team']}/{broken}.txt): REJECTED" in letter
    assert letter.count("  problem: ") == 3
    pooled = {row["run"]: row["pooled"] for row in csv.DictReader(files["runs.csv"].decode().splitlines())}
    assert broken not in pooled
    assert set(pooled.values()) == {"yes", "no"}
    assert not any(str(tmp_path).encode() in data for data in files.values())
    assert files["results/sheets/alder-a.html"].count(b"data:image/svg+xml") == 2
    assert b"<script src" not in files["results/index.html"]
    with pytest.raises(InputError, match="holds something already"):
        demonstrate(tmp_path / "toy")


@pytest.mark.integration
@pytest.mark.slow
def test_trec8_is_what_nist_published(tmp_path: Path, data: Path) -> None:
    """NIST's summary has map, Rprec, P_15, P_100 and P_1000 of these runs."""
    source = data / "trec8-adhoc"
    shutil.copytree(source / "runs", tmp_path / "submissions")
    shutil.copy(source / "qrels.txt", tmp_path)
    shutil.copy(source / "official/runs.tsv", tmp_path / "teams.tsv")
    (tmp_path / "topics.txt").write_text("".join(f"{topic}\n" for topic in range(401, 451)))
    (tmp_path / "track.toml").write_text(
        'name = "TREC-8"\n[collection]\ntopics = "topics.txt"\n[submissions]\nteams = "teams.tsv"\n'
        'most_documents = 1000\n[measures]\nconvention = "trec-adhoc"\n[pool]\nmethod = "none"\n'
        '[judgments]\nfiles = ["qrels.txt"]\n'
    )
    released(tmp_path)
    with (source / "official/summary.tsv").open() as file:
        published = {(row["run"], row["measure"]): row["value"] for row in csv.DictReader(file, delimiter="\t")}
    compared = 0
    for path in sorted((tmp_path / "release/results/official").iterdir()):
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        ours = {name.strip(): value for name, topic, value in lines if topic == "all"}
        for name in ("map", "Rprec", "P_15", "P_100", "P_1000"):
            assert ours[name] == published[(path.stem, name)]
            compared += 1
    assert compared == 15 * 5
    assert (tmp_path / "release/qrels.txt").read_bytes().count(b"\n") == 86_830


def states(folder: Path) -> dict[str, str]:
    return {each.step: each.state for each in standing(Track.read(folder))}


def test_the_status_says_which_step_is_due(tmp_path: Path) -> None:
    begin(tmp_path)
    before = contents(tmp_path)
    assert states(tmp_path) == {
        "check": "due",
        "pool": "later",
        "judge": "later",
        "results": "later",
        "release": "later",
    }
    assert contents(tmp_path) == before
    anew(tmp_path, "pool")
    assert states(tmp_path) == {"check": "done", "pool": "done", "judge": "due", "results": "later", "release": "later"}
    without_pictures(Track.read(tmp_path))
    found = {each.step: each for each in standing(Track.read(tmp_path))}
    assert found["judge"].says.startswith("15 judgments count")
    assert "; at 30 seconds per document, judging takes 8 minutes by one person; documents to" in found["pool"].says
    assert not any(".;" in each.says or each.says.endswith(".") for each in found.values())
    assert found["results"] == StepStanding("results", "due", "results/sheets, results/page")
    (tmp_path / "submissions/A/good.txt").write_text(lists("good", "abdc"))
    assert states(tmp_path)["check"] == "due"


def test_the_status_says_that_nothing_is_judged(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace('files = ["qrels.txt"]', ""))
    anew(tmp_path, "judge")
    due = next(each for each in standing(Track.read(tmp_path)) if each.state == "due")
    assert (due.step, due.says[:16]) == ("judge", "no judgments yet")  # `track results` would be refused


def test_one_judgment_is_not_several(tmp_path: Path) -> None:
    """Of a pool of the documents a and b of one topic, a is judged."""
    settings = SETTINGS.replace("most_documents = 4", "most_documents = 1\nmost_runs = 1")
    begin(tmp_path, settings, {"good": ("A", "a"), "odd": ("C", "b")})
    for run, document in (("A/good", "a"), ("C/odd", "b")):
        (tmp_path / f"submissions/{run}.txt").write_text(lists(run[2:], document, "1"))
    (tmp_path / "topics.txt").write_text("1\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    anew(tmp_path, "judge")
    track = Track.read(tmp_path)
    assert told(track, "judge")[0] == f"1 judgment counts, in {tmp_path}/judgments/qrels.txt; of the pool 1 is missing"
    files = ("pool/summary.txt", "judgments/files.csv", "qrels.txt", "judgments/missing.csv")
    done = list(_done(track.settings, {name: (tmp_path / name).read_bytes() for name in files}))
    assert done[0].endswith("topics and documents, at most 1 document per topic, at most 1 run per team.")
    assert "1 judgment from 1 file counts; 1 of the pool is missing." in done
    assert "The pool of 2 runs: 2 documents of 1 topic; within a topic" in done[1]


@pytest.mark.parametrize(("of_each", "names"), [(1, ["fair", "poor", "odd"]), (2, ["fair", "good", "poor", "odd"])])
def test_the_first_runs_of_each_team_contribute(tmp_path: Path, of_each: int, names: list[str]) -> None:
    begin(tmp_path, SETTINGS.replace("depth = 2", f"depth = 2\nruns_per_team = {of_each}"))
    anew(tmp_path, "check")
    assert [each.run for each in contributing(Track.read(tmp_path))] == names
