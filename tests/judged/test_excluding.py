"""Documents that do not count: they leave runs before these are ranked, on every road, and are counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.judged.condition_files import Excluded
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank
from cranfield.judged.judgments import Judgments
from cranfield.judged.shortcuts import rank_dict, rank_text

Run = Mapping[str, Mapping[str, float]]
M = ["AP", "RR", "R@2", "nDCG@2", "Judged@2", "NumRet"]
QRELS = {"1": {"a": 1, "b": 2, "1": 0}, "2": {"a": 1, "c": 0}, "3": {"b": 1}}
RUN = {
    "1": {"1": 9.0, "x": 8.0, "b": 7.0, "a": 6.0},
    "2": {"2": 5.0, "c": 4.0, "a": 3.0},
    "3": {"3": 1.0},
}
SEEN = {"1": ["b", "x", "absent"], "3": ["3"], "unknown": ["a"]}


def without(run: Run, exclude: Any) -> dict[str, dict[str, float]]:
    """The slow twin: loops over documents; a topic that loses them all stays, with none."""
    gone = {t: [t] for t in run} if exclude == "self" else exclude
    return {t: {d: s for d, s in found.items() if d not in gone.get(t, [])} for t, found in run.items()}


def trec(run: Run) -> str:
    return "".join(f"{t} Q0 {d} 1 {score} r\n" for t, found in run.items() for d, score in found.items())


def test_by_hand() -> None:
    """Topic 1 of the query's own document: b, a are at ranks 3 and 4, and at 2 and 3 without it."""
    asked = {name: cf.evaluate(QRELS, {"r": RUN}, "AP", exclude=name) for name in (None, "self")}
    assert asked[None].topic("1")["r", "AP"] == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert asked["self"].topic("1")["r", "AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_the_recall_base_keeps_them_unless_it_is_residual() -> None:
    """Of topic 1, b is excluded: a is at rank 2 (1, a), one of two relevant documents, or the only one."""
    for residual, base in ((False, 2), (True, 1)):
        scores = cf.evaluate(QRELS, {"r": RUN}, ["AP", "NumRel"], exclude={"1": ["b", "x"]}, residual=residual)
        assert scores.topic("1")["r"] == {"AP": pytest.approx(1 / 2 / base), "NumRel": base}
        kept = [found.count for found in scores.audit.findings if found.code == "excluded but relevant"]
        assert kept == ([] if residual else [1])


def test_a_residual_collection_is_that_of_the_other_qrels() -> None:
    left = {t: {d: g for d, g in judged.items() if d not in SEEN.get(t, [])} for t, judged in QRELS.items()}
    asked = cf.evaluate(QRELS, {"r": RUN}, [*M, "RBP(p=0.8)"], exclude=SEEN, residual=True)
    assert asked.means.equals(cf.evaluate(left, {"r": without(RUN, SEEN)}, [*M, "RBP(p=0.8)"]).means)


def test_a_topic_that_loses_all_documents_is_an_empty_list() -> None:
    run = cf.evaluate(QRELS, {"r": RUN}, "AP", exclude="self").audit.runs[0]
    assert (run.missing, run.empty, run.excluded, run.own) == ((), ("3",), 3, ())


def parquet(folder: Path) -> Any:
    cf.write_run(cf.read_run(RUN), folder / "r.parquet")
    return folder / "r.parquet"


def text(folder: Path) -> Any:
    (folder / "r.run").write_text(trec(RUN))
    return folder / "r.run"


ROADS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {"r": RUN},
    "frame": lambda _: {"r": cf.read_run(RUN)},
    "pandas": lambda _: {"r": cf.to_frame(cf.read_run(RUN), "pandas")},
    "text": text,
    "parquet": parquet,
}


@each_of(("road", "exclude"), [(road, exclude) for road in ROADS for exclude in ("self", SEEN)])
def test_the_same_on_every_road(road: str, exclude: Any, tmp_path: Path) -> None:
    runs, expected = ROADS[road](tmp_path), cf.evaluate(QRELS, {"r": without(RUN, exclude)}, M, bounds=True)
    for found in (
        cf.evaluate(QRELS, runs, M, bounds=True, exclude=exclude),
        cf.join(QRELS, runs, exclude=exclude).under(bounds=True).scores(M),
        cf.join(QRELS, runs, exclude=exclude, bounds=True).under(bounds=True).scores(M),
    ):
        assert found.per_topic.equals(expected.per_topic)
        [run], [twin] = found.audit.runs, expected.audit.runs
        assert (run.retrieved, run.unjudged, run.tied) == (twin.retrieved, twin.unjudged, twin.tied)
        assert run.excluded == sum(map(len, RUN.values())) - run.retrieved
    assert cf.Evaluator(QRELS, M, exclude=exclude)(runs).means.equals(
        cf.evaluate(QRELS, expected_run(exclude), M).means
    )


def expected_run(exclude: Any) -> Any:
    return {"r": without(RUN, exclude)}


ids = st.sampled_from(["1", "2", "3", "a", "b", "é", "x,y"])
lists = st.dictionaries(ids, st.integers(0, 3).map(float), min_size=1, max_size=7)


@given(
    st.dictionaries(st.sampled_from("123"), lists, min_size=1),
    st.one_of(st.just("self"), st.dictionaries(st.sampled_from("123"), st.lists(ids, max_size=4))),
)
@settings(max_examples=50)
def test_three_roads_and_the_twin(run: Run, exclude: Any) -> None:
    judgments, reading = Judgments.of_dict(QRELS), Reading(exclude=exclude)
    assert judgments is not None
    rows = [(t, d, s) for t, found in run.items() for d, s in found.items()]
    table = pl.DataFrame(rows, schema={"query_id": str, "doc_id": str, "score": pl.Float64}, orient="row")
    expected = rank_dict("r", without(run, exclude), judgments)
    roads = [rank_dict("r", run, judgments, reading), rank(Rows("r", table), judgments, reading)]
    native = rank_text("r", trec(run).encode(), judgments, reading)
    for found in [*roads, *([native] if native else [])]:
        if expected is None:  # no document is left at all
            assert found is None or not found.length.any()
            continue
        assert found is not None
        assert found.length.tolist() == expected.length.tolist()
        for name in ("row", "rank", "judgment"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()
        [mine], [twin] = found.audits, expected.audits
        assert (mine.tied, sorted(mine.own), mine.retrieved) == (twin.tied, sorted(twin.own), twin.retrieved)
        assert mine.excluded == len(rows) - twin.retrieved


def test_as_beir_does() -> None:
    """EvaluateRetrieval.evaluate pops the documents called as the query, and the convention does so, too."""
    popped = {t: {d: s for d, s in found.items() if d != t} for t, found in RUN.items()}
    expected = cf.evaluate(QRELS, {"r": popped}, ["nDCG@10", "R@100"], order="trec9")
    found = cf.evaluate(QRELS, {"r": RUN}, convention="beir")
    assert found.averages.tolist() == expected.averages.tolist()
    with pytest.raises(cf.InputError, match="has exclude='self', not '5 documents of 3 topics'"):
        cf.evaluate(QRELS, {"r": RUN}, convention="beir", exclude=SEEN)


FILES = {
    "words.txt": "1 b\n1\tx\n\n3 3\n",
    "qrels.txt": "1 0 b 2\n1 0 x 0\n3 0 3 -1\n",
    "headed.txt": "topic document\n1 b\n1 x\n3 3\n",
    "table.csv": 'query_id,note,docno\n1,"a, b",b\n1,,x\n3,,3\n',
    "table.tsv": "qid\tdocid\n1\tb\n1\tx\n3\t3\n",
    "bright.jsonl": "".join(
        json.dumps({"query": f"what is {t}?", "id": t, "excluded_ids": out, "gold_ids": ["a"]}) + "\n"
        for t, out in {"1": ["b", "x"], "2": ["N/A"], "3": ["3"]}.items()
    ),
    "bright.json": json.dumps([{"id": 1, "excluded_ids": ["b", "x"]}, {"id": "3", "excluded_ids": ["3"]}]),
}


@each_of("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    assert Excluded.taken(tmp_path / name).documents == {"1": ("b", "x"), "3": ("3",)}


def test_blanks_of_unicode_are_part_of_ids(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("1\u00a0a \u2028b\r\n", newline="")
    assert Excluded.taken(tmp_path / "list.txt").documents == {"1\u00a0a": ("\u2028b",)}


def test_frames() -> None:
    pairs = pl.DataFrame({"qid": [1, 1, 3], "docno": ["b", "x", "3"]})
    of_bright = pl.DataFrame({"id": ["1", "2", "3"], "excluded_ids": [["b", "x"], ["N/A"], ["3"]], "query": ["?"] * 3})
    for frame in (pairs, cf.to_frame(pairs, "pandas"), of_bright):
        assert Excluded.taken(frame).documents == {"1": ("b", "x"), "3": ("3",)}


WRONG: dict[str, tuple[str, str]] = {
    "nothing.txt": ("", "is empty: it holds no documents to exclude"),
    "three.txt": ("1 b\n1 x y\n", "line 2: a line is topic and document, 2 or 4 words, not 3"),
    "commas.txt": ("1,b\n", "line 1: a line is topic and document, 2 or 4 words, not 1; a table with commas is called"),
    "names.csv": ("topic,weight\n1,2\n", "no column for document (known as excluded_ids, excluded, doc_id"),
    "short.csv": ("topic,docno\n1\n", "line 2: 1 column, but the header has 2"),
    "quote.csv": ('topic,docno\n1,"b\n', "the quoting is broken"),
    "hole.csv": ("topic,docno\n1,b\n,b\n", "line 3: the topic is missing"),
    "broken.jsonl": ('{"id": "1", "excluded_ids": ["b"]}\n{"id":\n', "line 2: not JSON"),
    "float.jsonl": ('{"id": 1.5, "excluded_ids": ["b"]}\n', "line 1: the topic 1.5 is not an id; write it as text"),
    "zero.txt": ("1 b\0\n", "not a text file"),
}


@each_of("name", WRONG)
def test_what_is_wrong_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(WRONG[name][0])
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 r\n")
    words = ["evaluate", *(str(tmp_path / file) for file in ("qrels.txt", "r.run")), "--exclude", str(tmp_path / name)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert name in result.stderr
    assert WRONG[name][1] in result.stderr


@pytest.mark.parametrize(
    ("exclude", "said"),
    [
        (7, "exclude must be 'self', a file, a DataFrame or a dict, not 7"),
        (True, "exclude must be 'self', a file"),
        ({"1": "b"}, "a list for each topic; '1' has 'b'"),
        ({"1": [None]}, "the document is missing"),
        ("no-such-file", "no such file"),
        (["1", "b"], "are read from a file, a DataFrame or a dict"),
    ],
)
def test_what_is_no_list_is_refused(exclude: Any, said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate(QRELS, {"r": RUN}, "AP", exclude=exclude)
    assert said in str(caught.value)


def test_residual_needs_them() -> None:
    with pytest.raises(cf.InputError, match="give these with exclude"):
        cf.evaluate(QRELS, {"r": RUN}, "AP", residual=True)


def test_the_audit_says_so_unasked() -> None:
    found = {
        each.code: each for each in cf.evaluate(QRELS, {"r": RUN, "other": {"1": {"a": 1.0}}}, "AP").audit.findings
    }
    own = found["own ids"]
    assert own.severity == "warning"
    assert own.says == "1 of 2 runs retrieves the document with the topic's own id (r: 3 of 3 topics, such as 1)"
    once = {t: {"3": 1.0, "a": 0.5} for t in "123"}
    assert [each.severity for each in cf.evaluate(QRELS, {"r": once}).audit.findings if each.code == "own ids"] == [
        "remark"
    ]
    half = {"1": {"1": 1.0}, "2": {"2": 1.0}, "3": {"a": 1.0}, "4": {"a": 1.0}}  # not most topics: 2 of 4
    judged = {topic: {"a": 1} for topic in half}
    assert [each.severity for each in cf.evaluate(judged, {"r": half}).audit.findings if each.code == "own ids"] == [
        "remark"
    ]
    (alone,) = (each for each in cf.evaluate(QRELS, {"r": RUN}).audit.findings if each.code == "own ids")
    assert alone.says.startswith("1 run retrieves the document with the topic's own id (r: 3 of 3 topics")
    (both,) = (each for each in cf.evaluate(QRELS, {"r": RUN, "s": RUN}).audit.findings if each.code == "own ids")
    assert both.says.startswith("2 of 2 runs retrieve the document")
    never = cf.evaluate(QRELS, {"r": without(RUN, "self")}).audit
    assert not [each for each in never.findings if each.code in {"own ids", "excluded"}]
    assert "exclude" not in str(never)


def test_of_several_collections_each_has_its_own(tmp_path: Path) -> None:
    """A file that a file of TOML names lies in its folder; self is none."""
    (tmp_path / "seen.txt").write_text("".join(f"{t} {d}\n" for t, found in SEEN.items() for d in found))
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t in QRELS for d, g in QRELS[t].items()))
    (tmp_path / "r.run").write_text(trec(RUN))
    asked = {"own": "self", "seen": "seen.txt"}
    lines = [f'[collections.{n}]\nqrels = "qrels.txt"\nruns = "r.run"\nexclude = "{e}"\n' for n, e in asked.items()]
    (tmp_path / "all.toml").write_text('measures = "AP"\n' + "".join(lines))
    found = cf.evaluate_all(tmp_path / "all.toml").to_polars()
    for name, exclude in (("own", "self"), ("seen", SEEN)):
        alone = cf.evaluate(QRELS, {"r": RUN}, "AP", exclude=exclude)["r", "AP"]
        assert found.filter(collection=name)["value"].to_list()[-1] == pytest.approx(alone)


def test_joined_runs_keep_theirs() -> None:
    joined = cf.join(QRELS, {"r": RUN}, exclude="self")
    assert cf.evaluate(joined, measures="AP", exclude="self")["AP"] == cf.evaluate(joined, measures="AP")["AP"]
    with pytest.raises(cf.InputError, match="joined with exclude='self', not '1 document of 1 topic'"):
        cf.evaluate(joined, measures="AP", exclude={"1": ["a"]})


def test_scores_go_to_json_and_back() -> None:
    scores = cf.evaluate(QRELS, {"r": RUN}, "AP", exclude=SEEN)
    assert type(scores).from_dict(scores.to_dict()) == scores
    assert "exclude=5 documents of 3 topics" in scores.caption()


def without_its_command(drawn: str) -> Any:
    """A figure but for how it was asked for."""
    figure = json.loads(drawn.replace("; exclude=self", ""))
    del figure["usermeta"]["command"]
    return figure


@pytest.mark.integration
@each_of("command", ["evaluate", "compare", "gate", "curve", "ties", "experiment", "plot"])
def test_commands_take_it(command: str, tmp_path: Path) -> None:
    """Each computes of all documents what it computes of runs that never had the excluded ones."""
    qrels = "".join(f"{t} 0 {d} {g}\n" for t, judged in QRELS.items() for d, g in judged.items())
    (tmp_path / "qrels.txt").write_text(qrels)
    other = {t: dict(zip(reversed(found), found.values(), strict=True)) for t, found in RUN.items()}
    answers = []
    for folder, runs, asked in (
        ("all", (RUN, other), ["--exclude", "self"]),
        ("less", (without(RUN, "self") | {"3": {"z": 1.0}}, without(other, "self") | {"3": {"z": 1.0}}), []),
    ):
        paths = [tmp_path / folder / f"{name}.run" for name in ("one", "two")]
        (tmp_path / folder).mkdir(exist_ok=True)
        for path, run in zip(paths, runs, strict=True):
            path.write_text(trec({**run, **({"3": {"3": 2.0, "z": 1.0}} if asked else {})}))
        first = {"experiment": ["experiment", "archetypes"], "plot": ["plot", "leaderboard"]}.get(command, [command])
        kind = ["-o", str(tmp_path / f"{folder}.json")] if command == "plot" else ["--format", "csv"]
        measures = [] if command == "experiment" else ["-m", "P"] if command == "curve" else ["-m", "AP"]
        result = CliRunner().invoke(
            main,
            [*first, str(tmp_path / "qrels.txt"), *map(str, paths), *measures, *kind, *asked],
            catch_exceptions=False,
        )
        assert result.exit_code in {0, 3, 4}, result.output
        drawn = tmp_path / f"{folder}.json"
        answers.append(without_its_command(drawn.read_text()) if command == "plot" else result.stdout)
    assert answers[0] == answers[1]


@each_of("exclude", [{"1": ["a"], "9": ["c"]}, "self", {"1": ["b"]}, {"9": ["c", "d"], "x": ["a"]}])
def test_of_a_topic_without_judgments_documents_leave_too(
    exclude: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every road the audit counts the same documents, and the same topics without judgments."""
    qrels = {"1": {"a": 1, "b": 1}}
    for run in ({"1": {"a": 2.0, "1": 1.0}, "9": {"c": 1.0}}, {"1": {"b": 1.0}, "9": {"c": 3.0, "d": 2.0, "9": 1.0}}):
        file = tmp_path / "r.run"
        file.write_text(trec(run))
        left = without(run, exclude)
        gone = sum(map(len, run.values())) - sum(map(len, left.values()))
        for road in ("1", "0"):
            monkeypatch.setenv("CRANFIELD_NATIVE", road)
            for given_as in (file, {"r": run}, cf.read_run(file)):
                [audit] = cf.evaluate(qrels, given_as, "AP", exclude=exclude).audit.runs
                assert audit.excluded == gone, (road, type(given_as))
                assert audit.extra == tuple(topic for topic, found in left.items() if found and topic not in qrels)


def test_many_of_a_topic_are_found_in_one_pass() -> None:
    """As many places as documents: the last of 20,000 is found without looking at those before it."""
    many = {f"d{n}": n % 2 for n in range(20_000)}
    judged = Judgments.of_dict({"0": {"x": 1}, "1": many})
    assert judged is not None
    places = judged.places_of(Excluded.taken({"1": [*reversed(many), "z"]}))
    assert places.tolist() == list(range(20_000, 0, -1))
