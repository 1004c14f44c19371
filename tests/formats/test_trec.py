"""TREC text: what is read, what is refused, and that both roads lead to the same table."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cranfield.formats import to_dict, trec
from cranfield.formats.columns import QRELS_KIND, RUN_KIND, Kind
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Ids may hold anything that is neither a blank of ASCII nor a zero byte.
ids = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\r\n\x0b\x0c\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda text: not text.startswith("\ufeff"))
ids |= st.sampled_from(["001", "NA", "null", "nan", '"', '"a', "#1", "a,b", "\u00a0", "\u2028", "\x85", "é", "-", "'"])
finite = st.floats(allow_nan=False)
blanks = st.text(" \t\x0b\x0c\r", min_size=1, max_size=3)


def careful(data: bytes, kind: Kind = RUN_KIND, **options: bool) -> pl.DataFrame:
    return trec.read(data, kind, source="file", lines=True, **options).drop("line")


def plain(data: bytes, kind: Kind = RUN_KIND, *, rank: bool = False) -> pl.DataFrame | None:
    return trec._read_plain(data, trec.LAYOUTS[kind.name], rank=rank)


def error_of(data: bytes, kind: Kind = RUN_KIND, **options: bool) -> InputError:
    with pytest.raises(InputError) as caught:
        trec.read(data, kind, source="file", **options)
    assert caught.value.source == "file"
    return caught.value


WANTED = [("401", "FT-1", 2.5), ("401", "FT-2", -1.0), ("402", "FT-1", 0.001)]


@pytest.mark.parametrize(
    "text",
    [
        "401 Q0 FT-1 1 2.5 t\n401 Q0 FT-2 2 -1 t\n402 Q0 FT-1 1 1e-3 t\n",
        "401 Q0 FT-1 1 2.5 t\n401 Q0 FT-2 2 -1 t\n402 Q0 FT-1 1 1e-3 t",
        "401\tQ0\tFT-1\t1\t2.5\tt\n401\tQ0\tFT-2\t2\t-1\tt\n402\tQ0\tFT-1\t1\t1e-3\tt\n",
        "401   Q0 FT-1\t1 2.5 t\n  401 Q0 FT-2 2 -1\tt \n402 Q0 FT-1 1 .001 t\n",
        "401 Q0 FT-1 1 2.5 t\r\n401 Q0 FT-2 2 -1 t\r\n402 Q0 FT-1 1 1e-3 t\r\n",
        "\ufeff401 Q0 FT-1 1 2.5 t\n401 Q0 FT-2 2 -1 t\n402 Q0 FT-1 1 1e-3 t\n",
        "\n\n401 Q0 FT-1 1 2.5 t\n \n401 Q0 FT-2 2 -1 t\n\t\n402 Q0 FT-1 1 1E-3 t\n\n",
        "401 Q0 FT-1 1 2.5 t and more\n401 Q0 FT-2 2 -1 t\n402 Q0 FT-1 1 1e-3 t x\n",
        "401 Q0 FT-1 rank 2.5 t\n401 Q0 FT-2 no -1 t\n402 Q0 FT-1 1.5 1e-3 t\n",
    ],
    ids=["spaces", "no last newline", "tabs", "runs", "crlf", "bom", "blank lines", "more columns", "no ranks"],
)
def test_every_way_of_writing_a_run_gives_the_same_table(text: str) -> None:
    table = trec.read(text.encode(), RUN_KIND, source="file")
    assert table.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    assert table.rows() == WANTED
    assert careful(text.encode()).rows() == WANTED


def test_the_usual_file_takes_the_fast_road() -> None:
    for separator in (b" ", b"\t"):
        table = plain(b"401 Q0 FT-1 1 2.5 t\n402 Q0 FT-2 7 3 t\n".replace(b" ", separator), rank=True)
        assert table is not None
        assert table.rows() == [("401", "FT-1", 2.5, 1), ("402", "FT-2", 3.0, 7)]
    assert plain(b"401 0 FT-1 1\n401 0 FT-2 -2\n", QRELS_KIND) is not None


@pytest.mark.parametrize(
    "text",
    [
        "q Q0 d 1 2 t more\nq Q0 e 2 1\n",  # a long line makes up for a short one
        "q Q0 e 2 1\nq Q0 d 1 2 t more\n",
        "q Q0 c 1 3 t\nq Q0 d 1 2 t more\nq Q0 e 2 1\n",
        "q Q0 c 1 3 t\nq Q0 e 2 1\nq Q0 d 1 2 t more\n",
        "q Q0 d 1 2 t\nq Q0 d 1 2 t a b c d e\nq\n",
        "q Q0 c 1 3 t\nq Q0\td 1 2 t\nq Q0 e 2 1\nq Q0 d 1 2 t\tmore\n",  # so does a blank of another kind
        "q  d 1 2 t\n",  # an empty column makes up for a missing one
        "q Q0 d  2 t\n",
        " Q0 d 1 2 t\n",
        "q Q0 d 1 2 \n",
        "q Q0 d 1 2 t\nq Q0 d 1 2 ",
        "q Q0 d 1 \n2 t Q0 d 1 2 t\n",
        "q Q0 d 1 2",
    ],
)
def test_lines_that_only_add_up_are_refused_by_both_roads(text: str) -> None:
    assert plain(text.encode()) is None
    with pytest.raises(InputError, match=r"columns? where run lines have 6"):
        trec.read(text.encode(), RUN_KIND, source="file")
    with pytest.raises(InputError, match=r"columns? where run lines have 6"):
        careful(text.encode())


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1.0),
        ("+2", 2.0),
        ("-0", -0.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1E5", 100000.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("1e400", math.inf),
        ("0.1000000000000000055511151231257827", 0.1),
        ("9007199254740993", 9007199254740992.0),
    ],
)
def test_scores_that_are_numbers(written: str, value: float) -> None:
    data = f"q Q0 d 1 {written} t\n".encode()
    for table in (plain(data), careful(data)):
        assert table is not None
        assert repr(table["score"][0]) == repr(value)


@pytest.mark.parametrize("written", ["abc", "nan", "NaN", "-nan", "1_000", "0x10", "1,5", "1d5", "1e", ".", "١", "--1"])
def test_scores_that_are_not_numbers(written: str) -> None:
    error = error_of(f"q Q0 d 1 2 t\nq Q0 e 2 {written} t\n".encode())
    comma = ": decimals have a point, not a comma" if "," in written else ""
    assert str(error) == f"file, line 2: the score {written!r} is not a number{comma}"


def test_a_score_that_is_nan_is_refused_on_its_line_after_blank_lines() -> None:
    assert error_of(b"\n\nq Q0 d 1 2 t\n\nq  Q0 e 2 nan t\n").line == 5


@pytest.mark.parametrize(
    ("labels", "values", "dtype"),
    [
        (["1", "0", "-2"], [1, 0, -2], pl.Int64),
        (["+2", "007", "0"], [2, 7, 0], pl.Int64),
        (["1", "0.5", "-1"], [1.0, 0.5, -1.0], pl.Float64),
        (["1.0", "2.0", "0.0"], [1.0, 2.0, 0.0], pl.Float64),
    ],
)
def test_labels_are_whole_numbers_where_all_are_written_so(
    labels: list[str], values: list[float], dtype: type[pl.DataType]
) -> None:
    data = "".join(f"q 0 d{i} {label}\n" for i, label in enumerate(labels)).encode()
    for read in (trec.read(data, QRELS_KIND, source="file"), careful(data, QRELS_KIND)):
        table = read.drop("iteration")
        assert table.schema == {"query_id": pl.String, "doc_id": pl.String, "relevance": dtype}
        assert table["relevance"].to_list() == values


@pytest.mark.parametrize(
    ("label", "problem"),
    [
        ("nan", "the label 'nan' is not a number"),
        ("high", "the label 'high' is not a number"),
        ("inf", "the label 'inf' is not a finite number"),
        ("1_0", "the label '1_0' is not a number"),
        ("9223372036854775808", "the label '9223372036854775808' does not fit 64 bits"),
    ],
)
def test_labels_that_are_none(label: str, problem: str) -> None:
    assert str(error_of(f"q 0 d 1\nq 0 e {label}\n".encode(), QRELS_KIND)) == f"file, line 2: {problem}"


def test_ranks_are_read_only_when_asked_for() -> None:
    data = b"q Q0 d 07 2 t\nq Q0 e -1 1 t\n"
    assert trec.read(data, RUN_KIND, source="file", rank=True)["rank"].to_list() == [7, -1]
    assert careful(data, rank=True)["rank"].to_list() == [7, -1]
    wrong = b"q Q0 d 1 2 t\nq Q0 e 1.5 1 t\n"
    assert trec.read(wrong, RUN_KIND, source="file").height == 2
    assert str(error_of(wrong, rank=True)) == "file, line 2: the rank '1.5' is not a whole number"
    assert error_of(b"q Q0 d 1 2 t\nq Q0 e 9223372036854775808 1 t\n", rank=True).line == 2


def test_lines_are_those_of_the_file() -> None:
    table = trec.read(b"\nq Q0 d 1 2 t\r\n\r\n  q Q0 e 2 1 t", RUN_KIND, source="file", lines=True)
    assert table.rows() == [("q", "d", 2.0, 2), ("q", "e", 1.0, 4)]
    assert table.schema["line"] == pl.Int64


def test_too_few_columns_are_counted() -> None:
    error = error_of(b"q Q0 d 1 2 t\nq Q0 e 2\n")
    assert str(error) == "file, line 2: 4 columns where run lines have 6: topic Q0 doc rank score tag"
    error = error_of(b"q 0 d 1\n\nq\n", QRELS_KIND)
    assert str(error) == "file, line 3: 1 column where qrels lines have 4: topic iteration doc label"


def test_unicode_blanks_belong_to_ids() -> None:
    data = "q\u00a01 Q0 d\u2003x 1 2 t\nq\u00a01  Q0 e\x85 1 1 t\n".encode()
    assert trec.read(data, RUN_KIND, source="file").rows() == [
        ("q\u00a01", "d\u2003x", 2.0),
        ("q\u00a01", "e\x85", 1.0),
    ]


def numbers_as_written() -> st.SearchStrategy[str]:
    return (
        finite.map(repr)
        | st.integers(-(10**20), 10**20).map(str)
        | st.text("0159.eE+-_nainfty", min_size=1, max_size=6)
        | st.sampled_from(["inf", "-inf", "Infinity", "nan", "1e999", "007", "+1.", "1_0", "null"])
    )


@given(
    rows=st.lists(st.tuples(ids, ids, numbers_as_written(), numbers_as_written()), min_size=1, max_size=4),
    separator=st.sampled_from(" \t"),
    end=st.sampled_from(["\n", ""]),
    rank=st.booleans(),
)
def test_the_fast_road_gives_what_the_careful_one_gives(
    rows: Sequence[tuple[str, str, str, str]], separator: str, end: str, rank: bool
) -> None:
    lines = [separator.join([query, "Q0", doc, place, score, "t"]) for query, doc, place, score in rows]
    same_on_both_roads(("\n".join(lines) + end).encode(), RUN_KIND, rank=rank)
    lines = [separator.join([query, "0", doc, label]) for query, doc, label, _ in rows]
    same_on_both_roads(("\n".join(lines) + end).encode(), QRELS_KIND, rank=False)


def same_on_both_roads(data: bytes, kind: Kind, *, rank: bool) -> None:
    small = trec.read_small(data, kind)
    if small is not None:
        table = careful(data, kind, rank=False)
        assert to_dict(table) == small
        assert table.height == sum(map(len, small.values()))
    fast = plain(data, kind, rank=rank)
    if fast is None:  # nothing was promised
        return
    slow = careful(data, kind, rank=rank)
    assert fast.schema == slow.schema
    assert fast.rows() == slow.rows()


@given(data=st.text('qd1 \t\n"#.', max_size=40).map(str.encode), kind=st.sampled_from([RUN_KIND, QRELS_KIND]))
@example(data=b"1 1 1 1 1 1 1\n1 1 1 1 1\n", kind=RUN_KIND)
def test_no_jumble_of_characters_is_read_otherwise_on_the_fast_road(data: bytes, kind: Kind) -> None:
    same_on_both_roads(data, kind, rank=False)


@given(
    rows=st.lists(st.tuples(ids, ids, finite), min_size=1, max_size=4),
    draw=st.data(),
    end=st.sampled_from(["\n", "\r\n", " \n", "\n\n"]),
)
def test_any_blanks_between_columns(rows: Sequence[tuple[str, str, float]], draw: Any, end: str) -> None:
    text = ""
    for query, doc, score in rows:
        cells = [query, "Q0", doc, "1", repr(score), "t"]
        text += "".join(cell + draw.draw(blanks) for cell in cells[:-1]) + cells[-1] + end
    assert trec.read(text.encode(), RUN_KIND, source="file").rows() == list(rows)


@given(rows=st.lists(st.tuples(ids, ids, finite), min_size=1, max_size=6, unique_by=lambda row: row[:2]))
def test_what_is_written_is_read_again(rows: list[tuple[str, str, float]]) -> None:
    schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    data = trec.write(table, RUN_KIND, source="file", name="t")
    again = trec.read(data, RUN_KIND, source="file")
    assert sorted(map(repr, again.rows())) == sorted(map(repr, table.rows()))


@given(
    rows=st.lists(st.tuples(ids, ids, st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=6)
    | st.lists(st.tuples(ids, ids, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=6)
)
def test_qrels_that_are_written_are_read_again(rows: list[tuple[str, str, float]]) -> None:
    table = pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row")
    again = trec.read(trec.write(table, QRELS_KIND, source="file", name=""), QRELS_KIND, source="file")
    again = again.drop("iteration")
    assert again.schema == table.schema
    assert again.rows() == table.rows()


def test_a_run_is_written_best_first_and_ties_by_id_descending() -> None:
    table = pl.DataFrame(
        {
            "query_id": ["b", "a", "b", "b", "a"],
            "doc_id": ["d1", "d1", "d10", "d9", "é"],
            "score": [1.0, 0.5, 1.0, 3.25, 0.5],
        }
    )
    assert trec.write(table, RUN_KIND, source="file", name="mine").decode() == (
        "b Q0 d9 1 3.25 mine\nb Q0 d10 2 1.0 mine\nb Q0 d1 3 1.0 mine\na Q0 é 1 0.5 mine\na Q0 d1 2 0.5 mine\n"
    )


@pytest.mark.parametrize("bad", ["", "a b", "a\tb", "a\nb", "a\rb", "a\0b", "\ufeffa"])
def test_ids_that_text_cannot_hold_are_not_written(bad: str) -> None:
    table = pl.DataFrame({"query_id": ["q"], "doc_id": [bad], "relevance": [1]})
    with pytest.raises(InputError, match=r"file: the doc_id .* does not fit TREC text"):
        trec.write(table, QRELS_KIND, source="file", name="")


def test_a_pair_of_blanks_is_seen_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    line = b"q Q0 d 1 2 t\n"
    monkeypatch.setattr(trec, "_BLOCK", 8)
    assert trec._count_plain_lines(line * 9, 6) == 9
    for place in range(1, 5 * len(line)):  # a blank more, and the last column of the file less
        data = bytearray(line * 5 + b"q Q0 d 1 2\n")
        if data[place] == ord(" "):
            data.insert(place, ord(" "))
            assert trec._count_plain_lines(bytes(data), 6) == 0


def test_many_threads_may_read_at_once() -> None:
    data = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i % 7, i, i) for i in range(5000))
    wanted = careful(data)
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda: found.append(trec.read(data, RUN_KIND, source="file").equals(wanted)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8
