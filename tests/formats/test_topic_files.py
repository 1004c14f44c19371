"""Topics in all the ways in which tracks hand them out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.formats.topic_files import Topic, read_topic_ids, read_topics
from cranfield.plumbing.errors import InputError

TREC = """
<top>
<num> Number: 401
<title> foreign minorities, Germany

<desc> Description:
What language and cultural differences impede the integration
of foreign minorities in Germany?

<narr> Narrative:
A relevant document will focus on &quot;causes&quot;.

</top>
<top>
<num> Number: 402
<title> behavioral genetics
<desc> Description:
What is happening?
<narr> Narrative:
Anything.
</top>
"""
COVID = """<?xml version="1.0"?>
<topics task="COVID" batch="1">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the origin of COVID-19</question>
    <narrative>seeking range of information</narrative>
  </topic>
  <topic number="2"><query>weather</query></topic>
</topics>
"""


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        (
            TREC,
            {
                "401": Topic(
                    "foreign minorities, Germany",
                    "What language and cultural differences impede the integration of foreign minorities in Germany?",
                    'A relevant document will focus on "causes".',
                ),
                "402": Topic("behavioral genetics", "What is happening?", "Anything."),
            },
        ),
        (
            COVID,
            {
                "1": Topic("coronavirus origin", "what is the origin of COVID-19", "seeking range of information"),
                "2": Topic("weather"),
            },
        ),
        ("<top><num>7</num><title>a <b c</title></top>", {"7": Topic("a <b c")}),
        ("19335\tanthropological definition\n\n47923\taxon\tterminals\n", {
            "19335": Topic("anthropological definition"), "47923": Topic("axon terminals"),
        }),
        ('{"query_id": 7, "title": "a", "description": "b"}\n{"_id": "x", "text": "c"}\n', {
            "7": Topic("a", "b"), "x": Topic("c"),
        }),
        ('{"qid": "7", "query": null, "text": "c"}', {"7": Topic("c")}),
        ("401 foreign, minorities\n402 genetics; a\n", {
            "401": Topic("foreign, minorities"), "402": Topic("genetics; a"),
        }),
        ('qid,query\n401,"foreign, minorities"\n402,genetics\n', {
            "401": Topic("foreign, minorities"), "402": Topic("genetics"),
        }),
        ("Text;Query_ID;Description\na b;401;c\n", {"401": Topic("a b", "c")}),
    ],
)  # fmt: skip
def test_the_words_of_each(tmp_path: Path, text: str, topics: dict[str, Topic]) -> None:
    file = tmp_path / "topics"
    file.write_text(text)
    assert read_topics(file) == topics


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("401\n", "line 1: a topic is an id and, after a tab or a blank, a text, not '401'"),
        ("qid,query\n401,foreign, minorities\n", "line 2: 3 columns, but the header has 2"),
        ("1\ta\n1\tb\n", "line 2: topic '1' occurs twice"),
        ("1\t \n", "line 1: topic '1' has no words"),
        ("\ta\n", "line 1: a topic has no id"),
        ('{"query_id": 1}', "line 1: topic '1' has no words"),
        ('{"query_id": 1, ', "line 1: not JSON"),
        ('{"query_id": 1, "text": "a"}\n[1]', "line 2: a topic is an object with query_id and title"),
        ("", "it contains no topics"),
        ("<html></html>", "it contains no topics"),
        ("\n<top><title>a</title></top>", "line 2: a topic has no id"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "topics"
    file.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_topics(file)


def test_of_two_real_collections(data: Path) -> None:
    small = data / "small-collections"
    cranfield = read_topics(small / "cranfield" / "cran.qry.xml")
    assert len(cranfield) == 225
    assert cranfield["1"].title.startswith("what similarity laws must be obeyed")
    assert len(read_topics(small / "nfcorpus-test" / "q-titles.queries")) == 325


ODD = "one\u2028two\x85three\x0bfour"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"query_id": "1", "text": ODD}, ensure_ascii=False) + '\r\n{"query_id": "2", "text": "b"}\n',
        json.dumps([{"query_id": "1", "text": ODD}, {"qid": 2, "title": "b"}], ensure_ascii=False),
        f"1\t{ODD}\r\n2\tb\n",
        f"query_id\ttext\n1\t{ODD}\n2\tb\n",
        f"_id\ttitle\n1\t{ODD}\n2\tb\n",
        f"1 {ODD}\n2 b\n",
        f"title,_id\n{ODD},1\nb,2\n",
    ],
)
def test_line_feeds_alone_end_lines(tmp_path: Path, text: str) -> None:
    """Queries that were copied from pages hold other ends of lines; and the names of columns are no topic."""
    file = tmp_path / "topics"
    file.write_text(text, encoding="utf-8", newline="")
    assert {name: topic.title.split() for name, topic in read_topics(file).items()} == {"1": ODD.split(), "2": ["b"]}
    assert read_topic_ids(file).to_list() == ["1", "2"]
    scores = cf.evaluate({"1": {"a": 1}}, {"r": {"1": ["a"]}}, "AP", topics_file=file)
    assert scores.topics == ("1", "2")


def test_an_object_that_says_a_thing_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text('{"query_id": 1, "query_id": 2, "text": "a"}')
    with pytest.raises(InputError, match="'query_id' occurs twice"):
        read_topics(file)


def test_an_id_in_brackets_is_one(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text("[1]\n[2] with words\n")
    assert read_topic_ids(file).to_list() == ["[1]", "[2]"]
