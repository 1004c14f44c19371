"""``cranfield cut`` as a person uses it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 a 1\n"
RUN = "1 Q0 a 1 3.0 mine\n1 Q0 b 2 2.0 mine\n2 Q0 x 1 0.5 mine\n2 Q0 c 2 0.25 mine\n"


def cranfield(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(*arguments: object) -> str:
    """Return the one line of the refusal."""
    result = cranfield("cut", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    return tmp_path


def test_the_first_documents(folder: Path) -> None:
    result = cranfield("cut", folder / "bm25.run", "--at", 1, "-o", folder / "a" / "new")
    assert result.exit_code == 0
    assert result.stdout == f"{folder}/a/new/bm25.run: 1.0 documents a topic\n"
    assert result.stderr == ""
    assert (folder / "a" / "new" / "bm25.run").read_text() == "1 Q0 a 1 3.0 mine\n2 Q0 x 1 0.5 mine\n"
    assert (folder / "bm25.run").read_text() == RUN


def test_by_score_with_a_list_of_which_nothing_is_left(folder: Path) -> None:
    result = cranfield("cut", folder / "bm25.run", "--score", 1, "-o", folder / "cut")
    assert result.stdout.endswith(": 1.0 documents a topic\n")  # 2 in the one, 0 in the other
    assert result.stderr == "note: 1 list is now empty and missing from the files: evaluate with --missing empty\n"
    asked = [folder / "qrels.txt", folder / "cut" / "bm25.run", "-m", "RBPT(p=0.5)", "-m", "GoldInformation(docs=4)",
             "-m", "OIE(docs=4,beta=2)", "--format", "csv", "-q"]  # fmt: skip
    found = {}
    for missing in ("zero", "empty"):
        table = pl.read_csv(cranfield("evaluate", *asked, "--missing", missing).stdout.encode())
        second = table.filter(pl.col("topic").cast(pl.String) == "2")
        found[missing] = dict(second.select("measure", "value").rows())
    information = found["empty"]["GoldInformation(docs=4)"]
    assert found["zero"]["OIE(docs=4,beta=2)"] == 0
    assert found["empty"]["OIE(docs=4,beta=2)"] == pytest.approx((1 - 2) * information)


def test_the_oracle_leaves_nothing_where_nothing_is_worth_it(folder: Path) -> None:
    arguments = ["cut", folder / "bm25.run", "--oracle", "FlatUtility(e=0.6)", "--qrels", folder / "qrels.txt"]
    result = cranfield(*arguments, "-o", folder / "best")
    assert result.exit_code == 0
    assert (folder / "best" / "bm25.run").read_text() == "1 Q0 a 1 3.0 mine\n"
    assert "0.5 documents a topic" in result.stdout


def test_learned_it_says_which_rule(folder: Path) -> None:
    arguments = ["cut", folder / "bm25.run", "--learned", "SetF", "--qrels", folder / "qrels.txt", "--folds", 2]
    result = cranfield(*arguments, "--rule", "depth", "-o", folder / "learned")
    # Values of 1 and 2 documents: topic 1 has 1 and 2/3, topic 2 has 0 and 2/3.
    assert result.stdout == f"{folder}/learned/bm25.run: 2.0 documents a topic (depth 2)\n"


def test_several_files_each_in_its_format(folder: Path) -> None:
    run = cf.read_run(folder / "bm25.run")
    for name in ("one.csv", "two.parquet", "three.txt.gz"):
        cf.write_run(run, folder / name, name="tag")
    names = ["bm25.run", "one.csv", "two.parquet", "three.txt.gz"]
    result = cranfield("cut", *[folder / name for name in names], "--at", 1, "-o", folder / "cut")
    assert result.stdout.count("\n") == 4
    assert sorted(path.name for path in (folder / "cut").iterdir()) == sorted(names)
    for name in names:
        assert cf.read_run(folder / "cut" / name).rows() == [("1", "a", 3.0), ("2", "x", 0.5)]
    [packed] = cf.read_runs(folder / "cut" / "three.txt.gz").sources
    assert packed.tag() == "tag"


def test_a_file_of_several_runs(folder: Path) -> None:
    (folder / "all.csv").write_text("run,qid,docno,score\ns,1,a,2\ns,1,b,1\nr,1,a,1\n")
    result = cranfield("cut", folder / "all.csv", "--at", 1, "-o", folder / "cut")
    assert result.exit_code == 0
    assert (folder / "cut" / "s.txt").read_text() == "1 Q0 a 1 2.0 s\n"
    assert (folder / "cut" / "r.txt").read_text() == "1 Q0 a 1 1.0 r\n"
    (folder / "all.csv").write_text("run,qid,docno,score\n../s,1,a,2\n")
    assert "the run's name '../s' cannot be a file name" in refused(folder / "all.csv", "--at", 1, "-o", folder / "c")
    assert not (folder / "s.txt").exists()


@pytest.mark.parametrize("order", ["rank", "file", "stable", "trec9", "score"])
def test_what_is_written_is_ranked_as_it_was_cut(folder: Path, order: str) -> None:
    """Scores that contradict the ranks, and differ in 64 bits only."""
    text = "1 Q0 a 3 1.0 t\n1 Q0 b 1 1.00000000001 t\n1 Q0 c 2 5.0 t\n1 Q0 d 4 0.5 t\n"
    (folder / "odd.txt").write_text(text)
    for judged in "abcd":
        qrels = {"1": {judged: 1}}
        assert cranfield("cut", folder / "odd.txt", "--at", 3, "--order", order, "-o", folder / "cut").exit_code == 0
        before = cf.evaluate(qrels, folder / "odd.txt", "RR", depth=3, order=order)  # type: ignore[arg-type]
        after = cf.evaluate(qrels, folder / "cut" / "odd.txt", "RR", order=order)  # type: ignore[arg-type]
        assert before.averages.tolist() == after.averages.tolist()


def test_nothing_left_at_all(folder: Path) -> None:
    line = refused(folder / "bm25.run", "--score", 99, "-o", folder / "cut")
    assert line == f"cranfield: {folder}/bm25.run: all lists of bm25 are empty after the cut\n"
    assert not (folder / "cut").exists()


def test_one_way_and_no_other(folder: Path) -> None:
    out = ["-o", folder / "cut"]
    assert "not none" in refused(folder / "bm25.run", *out)
    assert "not at and score" in refused(folder / "bm25.run", "--at", 3, "--score", 0.5, *out)
    assert "oracle needs qrels" in refused(folder / "bm25.run", "--oracle", "OIE", *out)
    assert not (folder / "cut").exists()


def test_what_is_wrong_is_said_in_one_line(folder: Path) -> None:
    run, qrels, out = folder / "bm25.run", ["--qrels", folder / "qrels.txt"], ["-o", folder / "cut"]
    (folder / "other.txt").write_text("9 0 a 1\n")
    for arguments, answer in (
        ([run, "--oracle", "OEI", *qrels, *out], "no measure is called 'OEI'; did you mean OIE"),
        ([run, "--at", 1, "-o", folder], f"{run}: is an input and would be overwritten; write somewhere else"),
        ([run, "--at", 1, "-o", run], f"{run}: cannot be used as the folder of the cut runs"),
        ([run, "--learned", "OIE", *qrels, *out], "folds must be from 2 to the number of judged topics, 2, not 5"),
        ([run, "--oracle", "OIE", "--qrels", folder / "other.txt", *out], f"{run}: no topic in common with the qrels"),
        ([folder / "nowhere.run", "--at", 1, *out], "nowhere.run"),
    ):
        line = refused(*arguments)
        assert line.startswith("cranfield: ")
        assert answer in line
        assert line.count("\n") == 1
    assert run.read_text() == RUN


def test_a_measure_of_ones_own(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from cranfield.measures import Measure\n\n"
        "class NearTwo(Measure):\n"
        '    """How near to two is the length?\n\n    NearTwo = -|n - 2|\n    """\n\n'
        "    range = (-1000.0, 0.0)\n\n"
        "    def compute(self, rankings):\n"
        "        return -abs(rankings.length - 2.0)\n"
    )
    (folder / "long.run").write_text("".join(f"1 Q0 d{i} {i} {-i} long\n" for i in range(5)))
    arguments = ["--oracle", "NearTwo", "--qrels", folder / "qrels.txt", "--measures-from", folder / "mine.py"]
    result = cranfield("cut", folder / "long.run", *arguments, "-o", folder / "cut")
    assert result.exit_code == 0
    assert cf.read_run(folder / "cut" / "long.run").height == 2


def test_the_help_is_the_whole_story() -> None:
    output = cranfield("cut", "--help-all").stdout
    for told in ("--at", "--score", "--oracle", "--learned", "--missing empty", "cranfield cut bm25.run --learned OIE"):
        assert told in output


def test_where_nothing_can_be_cut_no_new_folder_stays(folder: Path) -> None:
    (folder / "broken.run").write_text("1 Q0 a 1 x r\n")
    for place in (folder / "new", folder):
        assert cranfield("cut", folder / "broken.run", "--at", 1, "-o", place / "cut").exit_code == 2
        assert not (place / "cut").exists()


def test_with_a_guarantee_it_says_what_is_promised_and_how_to_apply_it(folder: Path) -> None:
    lines = [f"{t} Q0 {d} {r} {10 - r}.5 mine" for t in range(6) for r, d in enumerate("abc", start=1)]
    (folder / "six.run").write_text("\n".join(lines) + "\n")
    (folder / "five.txt").write_text("".join(f"{t} 0 {'b' if t < 2 else 'a'} 1\n" for t in range(5)))
    asked = ["cut", folder / "six.run", "--lose-at-most", 0.4, "--rule", "score", "--qrels", folder / "five.txt"]
    result = cranfield(*asked, "-o", folder / "held")
    # One document loses 2 of 5 topics, and (2 + 1) / 6 is above .4; two lose none.
    told = "2.0 documents a topic (score 8.5: loses 0.0000 on the 5 judged topics it was learned on)"
    assert result.stdout.startswith(f"{folder}/held/six.run: {told}\npromised: a cut list loses at most 0.4")
    assert result.stdout.endswith("and nothing is promised for other kinds of topics\n")
    again = ["cut", folder / "six.run", "--rule", "score", "--threshold", 8.5, "-o", folder / "again"]
    assert cranfield(*again).exit_code == 0
    assert (folder / "again" / "six.run").read_text() == (folder / "held" / "six.run").read_text()
    line = refused(folder / "six.run", "--lose-at-most", 0.1, "--rule", "score", "--qrels", folder / "five.txt",
                   "-o", folder / "none")  # fmt: skip
    assert "a loss of at most 0.1 needs 9 judged topics on which the run has documents, not 5" in line
    assert not (folder / "none").exists()
    assert "is empty, though" in cranfield(*asked, "--empty-at-most", 0.3, "-o", folder / "both").stdout
