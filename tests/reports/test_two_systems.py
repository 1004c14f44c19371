"""A search is shipped by one page: who is better, may it replace the other, where it loses, who is silent, the cost."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.reports import report
from cranfield.reports.elements import ReportTable, Words, unfolded
from cranfield.reports.facts import Evidence
from cranfield.reports.first_sheet import decision
from cranfield.reports.reporting import evidence_of
from cranfield.reports.section import SECTIONS
from cranfield.scoring.grouping import TopicGroups
from cranfield.statistics.conclusions import status_of

DAY = date(2026, 3, 31)
TOPICS = [f"q{number:02}" for number in range(40)]
UNANSWERABLE = ("q09", "q19", "q29", "q39")
LANGUAGE = {topic: ("de", "en", "fr", "it")[place % 4] for place, topic in enumerate(TOPICS)}
Lists = Mapping[str, list[str]]


def lists(ranks: Mapping[str, int | None]) -> Lists:
    """Put the document that answers a topic at its rank in a list of five; without a rank the list is empty."""
    found = {}
    for topic, rank in ranks.items():
        others = [f"{topic}-x{place}" for place in range(1, 6)]
        found[topic] = [] if rank is None else [*others[: rank - 1], f"{topic}-gold", *others[rank - 1 :]][:5]
    return found


def planted(others: int, german: int, silent: tuple[str, ...] = ()) -> Lists:
    """Answer German topics at one rank and all others at another; what has no answer is answered, or not."""
    ranks: dict[str, int | None] = {topic: german if LANGUAGE[topic] == "de" else others for topic in TOPICS}
    return lists(ranks | dict.fromkeys(UNANSWERABLE, 6) | dict.fromkeys(silent))


OLD, NEW = planted(2, 1), planted(1, 1, ("q09", "q19", "q17"))
"""The new one answers first what the old one answers second, except on German topics, and is wrongly silent on q17."""
WORSE_IN_GERMAN = planted(1, 4)
QRELS = {topic: {} if topic in UNANSWERABLE else {f"{topic}-gold": 1} for topic in TOPICS}


def write(folder: Path, old: Lists, new: Lists) -> None:
    """Write what somebody has who ships a search: golden set, answers, languages, tokens and texts."""
    records = [{"id": topic, "query": f"How is {topic} reset?", "gold_ids": [*QRELS[topic]]} for topic in TOPICS]
    (folder / "golden.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for name, answers in (("old", old), ("new", new)):
        lines = [json.dumps({"id": topic, "retrieved": found}) + "\n" for topic, found in answers.items()]
        (folder / f"{name}.jsonl").write_text("".join(lines))
    (folder / "groups.csv").write_text("topic,language\n" + "".join(f"{t},{g}\n" for t, g in LANGUAGE.items()))
    documents = sorted({d for answers in (old, new) for found in answers.values() for d in found})
    (folder / "costs.csv").write_text("doc_id,tokens\n" + "".join(f"{d},{len(d)}\n" for d in documents))
    texts = [json.dumps({"doc_id": d, "text": f"Text of <b>{d}</b>."}) + "\n" for d in documents]
    (folder / "texts.jsonl").write_text("".join(texts))


GIVEN = "golden.jsonl old.jsonl new.jsonl --groups groups.csv --costs costs.csv --docs texts.jsonl -o page.html"


def call(line: str) -> Any:
    return CliRunner().invoke(main, shlex.split(line))


def page_of(folder: Path, old: Lists, new: Lists, more: str = "") -> str:
    write(folder, old, new)
    done = call(f"report {GIVEN} --date 2026-03-31 {more}")
    assert done.exit_code == 0, done.output
    page = (folder / "page.html").read_text(encoding="utf-8")
    [says] = re.findall(r'<p class="says">(.*?)</p>', page)
    assert done.stderr == f"wrote page.html\n{html.unescape(says)}\n{decided(page)[1]}\n"
    return page


def decided(page: str) -> tuple[str, str, str]:
    """Return how the decision is shown, its words, and the command for continuous integration."""
    [(kind, words)] = re.findall(r'<p class="decision (\w+)">(.*?)</p>', page)
    [gate] = re.findall(r'<dt>Gate</dt><dd>\s*<span class="again"><code [^>]*>(.*?)</code>', page)
    return kind, html.unescape(words), html.unescape(gate)


later = partial(pytest.param, marks=pytest.mark.integration)


@pytest.mark.parametrize(
    ("old", "new", "more", "verdict", "kind", "begins"),
    [
        (OLD, NEW, "", "better", "holds", "new may replace old: by nDCG@10 it is better on topics like these (m"),
        (NEW, OLD, "", "worse", "fails", "new must not replace old: by nDCG@10 it is worse on topics like these (m"),
        (OLD, WORSE_IN_GERMAN, "", "worse", "fails", "new must not replace old: by nDCG@10 the difference"),
        later(OLD, OLD, "", "equivalent", "holds",
              "new may replace old: by nDCG@10 it is equivalent on topics like these (margin 0.01)."),
        later(OLD, planted(2, 2), "", "worse", "fails", "new must not replace old: by nDCG@10 it is worse"),
        later(planted(2, 2), {**planted(2, 2), "q00": ["q00-gold"], "q01": []}, "", "undecided", "open",
              "new should not replace old yet: by nDCG@10 the difference is undecided on topics like these "),
        later(planted(2, 2), {**planted(2, 2), **{t: [f"{t}-gold"] for t in TOPICS[:3]}, "q03": []},
              "--margin 9% -m RR", "not worse", "holds",
              "new may replace old: by RR it is not worse on topics like these ("),
    ],
    ids=["better", "worse", "worse in a group", "equal", "a little worse", "undecided", "within a margin"],
)  # fmt: skip
def test_the_page_and_its_gate_never_differ(
    old: Lists, new: Lists, more: str, verdict: str, kind: str, begins: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The truth is planted; the line for continuous integration is run as it stands on the page."""
    monkeypatch.chdir(tmp_path)
    page = page_of(tmp_path, old, new, more)
    shown, words, line = decided(page)
    done = call(line.removeprefix("cranfield ") + " --format json")
    assert done.exit_code == status_of(verdict), done.output
    rows = json.loads(done.stdout)["rows"]
    [row] = [each for each in rows if each["group"] is None]
    assert shown == kind
    assert words.startswith(begins)
    assert f" by {abs(row['difference']):.4f} in " in page or row["difference"] == 0
    low, high = (row["low"], row["high"]) if row["difference"] > 0 else (row["high"], row["low"])
    assert low is None or f"lies between {abs(low):.4f} and {abs(high):.4f} on topics like" in page.replace("-", "")
    worse = [each for each in rows if each["group"] and each["verdict"] == "worse" != row["verdict"]]
    assert words.count("language ") == len(worse)
    assert all(f"language {each['group']}, {each['difference']:+.4f}" in words for each in worse)


def section(evidence: Evidence, name: str) -> tuple[list[str], dict[str, ReportTable]]:
    """Return the sentences of a section, and its tables; nothing where it is not there."""
    written = SECTIONS[name].of(evidence)
    blocks = [] if written is None else [*unfolded(written.blocks)]
    words = [said for block in blocks if isinstance(block, Words) for said in block.sentences]
    return words, {block.name: block for block in blocks if isinstance(block, ReportTable)}


def asked_of(qrels: Any, runs: Any, *, groups: Any = None, **asked: Any) -> Evidence:
    evidence = evidence_of(qrels, runs, None, asked.pop("baseline", None), 7, **asked)
    return evidence if groups is None else replace(evidence, groups=TopicGroups.taken(groups))


def told(old: Lists = OLD, new: Lists = NEW, **asked: Any) -> Evidence:
    return asked_of(QRELS, {"old": old, "new": new}, **asked)


def test_who_is_silent_and_rightly() -> None:
    """The new one is silent on two of the four without an answer, and on q17, which has one."""
    words, tables = section(told(), "silence")
    assert words[-2:] == [
        "new is silent on 2 of 4 topics with nothing to find, and old on 0.",
        "new is silent on 1 of 36 topics with something to find, and old on 0.",
    ]
    cells = {column.name: list(column.cells) for column in tables["silence"].sheet.columns}
    assert cells == {
        "run": ["old", "new"],
        "silent, rightly": ["0", "2 (q09 and q19)"],
        "not silent, wrongly": ["4 (q09, q19, q29 and q39)", "2 (q29 and q39)"],
        "silent, wrongly": ["0", "1 (q17)"],
    }
    lacks = {topic: found for topic, found in NEW.items() if topic != "q17"}  # what a run lacks is silence, too
    assert section(told(new=lacks), "silence")[0][-2:] == words[-2:]
    alone = asked_of(QRELS, {"new": NEW})
    assert section(alone, "silence")[0][-1] == "new is silent on 1 of 36 topics with something to find."
    three = asked_of(QRELS, {"old": OLD, "new": NEW, "mid": OLD})
    assert section(three, "silence")[0][-2:] == [
        "new is silent on 2 of 4 topics with nothing to find, and no other run on more.",
        "new is silent on 1 of 36 topics with something to find, and no other run on more.",
    ]


def test_without_silence_nothing_is_said_of_it() -> None:
    answered = {topic: judged for topic, judged in QRELS.items() if judged}
    assert section(asked_of(answered, {"old": OLD, "new": OLD}), "silence") == ([], {})


def test_where_there_is_nothing_to_find_at_all() -> None:
    """No measure can tell runs apart then, and the page has no place for what is missing."""
    found = asked_of({topic: {} for topic in TOPICS}, {"old": OLD, "new": NEW})
    assert section(found, "silence")[0][-1] == "new is silent on 3 of 40 topics with nothing to find, and old on 0."
    assert "There are no judgments." in section(found, "evaluated")[0]


def test_the_five_worst_topics_with_what_was_asked_and_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """German answers fall from rank 1 to 4; of topics that fall as far, the first ones are shown."""
    monkeypatch.chdir(tmp_path)
    page = page_of(tmp_path, OLD, WORSE_IN_GERMAN)
    items = re.findall(r"<li>(“.*?)</li>", html.unescape(page))
    assert [re.findall(r"on topic (q\d+)", item)[0] for item in items] == ["q00", "q04", "q08", "q12", "q16"]
    assert items[0] == (  # 1 / log2(5) = .4307
        "“How is q00 reset?” old leads new by 0.5693 in nDCG@10 on topic q00: 1.0000 against 0.4307. Best "
        "swap in new: ranks 1 and 4 (q00-x1, unjudged, and q00-gold, grade 1), from 0.4307 to 1.0000, level with "
        "old."
    )
    assert "new is furthest behind old in nDCG@10 on these topics:" in page
    assert "Text of &lt;b&gt;q00-gold&lt;/b&gt;." in page
    assert {"table-why", "table-why-4"} <= set(re.findall(r'id="([^"]+)"', page))


def test_what_was_asked_is_known_from_the_file_of_topics(tmp_path: Path) -> None:
    listed, ids = tmp_path / "topics.tsv", tmp_path / "ids.txt"
    listed.write_text("".join(f"{topic}\tWhat of {topic}?\n" for topic in TOPICS))
    ids.write_text("".join(f"{topic}\n" for topic in TOPICS))
    found = told(new=WORSE_IN_GERMAN, topics_file=listed)
    assert section(found, "worst-topics")[0][1].startswith("“What of q00?” old leads new by 0.5693 in nDCG@10 on ")
    listed.write_text("".join(f"{topic}\t<b>{'why ' * 40}\n" for topic in TOPICS))
    long = section(told(new=WORSE_IN_GERMAN, topics_file=listed), "worst-topics")[0][1]
    assert long.startswith(f"“<b>{'why ' * 30}…” old leads new by 0.5693 in nDCG@10 ")
    assert section(told(new=WORSE_IN_GERMAN, topics_file=ids), "worst-topics")[0][1].startswith("old leads new by ")


def test_where_the_new_run_loses_nowhere_the_difference_is_explained() -> None:
    better = told(new=planted(1, 1))
    assert section(better, "worst-topics") == ([], {})
    assert "why" in section(better, "topics")[1]
    assert "why" not in section(told(), "topics")[1]


def test_the_worst_group_comes_first_as_compare_groups_has_it() -> None:
    words, tables = section(told(new=WORSE_IN_GERMAN, groups=LANGUAGE), "slices")
    scores = cf.evaluate(QRELS, {"old": OLD, "new": WORSE_IN_GERMAN}, "nDCG@10")
    expected = cf.compare_groups(scores, LANGUAGE, baseline="old").to_polars()
    assert tables["groups-significance"].rows["p_adjusted"].to_list() == expected["p_adjusted"].to_list()
    shown = tables["groups-significance"].sheet.columns
    assert [column.name for column in shown][:5] == ["group", "topics", "new", "old", "difference"]
    assert (shown[0].cells[0], shown[4].cells[0]) == ("de", pytest.approx(0.4307 - 1, abs=1e-4))
    # The first sheet says so already, and gives the fall; where all groups gain, the least gain is named.
    assert not [said for said in words if "furthest behind" in said]
    gained, _ = section(told(new=planted(1, 1), groups=LANGUAGE), "slices")
    assert gained[0].startswith("new gains nothing on old in group de: +0.0000 in nDCG@10 on topics like these (10 ")


def test_what_the_lists_cost() -> None:
    """Five documents of 2 tokens each, and none where a run is silent: (37 · 10) / 40 = 9.25 against 10."""
    costs = {document: 2 for answers in (OLD, NEW) for found in answers.values() for document in found}
    words, tables = section(told(costs=costs), "cost")
    assert (
        words[0].startswith("new costs 0.7500 cost [") and " a topic less than old by Cost on topics like" in words[0]
    )
    columns = tables["cost"].sheet.columns
    assert [list(column.cells) for column in columns] == [["old", "new"], [10.0, 9.25], ["400", "370"]]
    assert section(told(), "cost") == ([], {})
    turned, _ = section(told(NEW, OLD, costs=costs), "cost")
    assert "new costs 0.7500 cost [" in turned[0] and " a topic more than old" in turned[0]
    several = asked_of(QRELS, {"old": OLD, "new": NEW, "mid": OLD}, costs=costs)
    assert section(several, "cost")[0] == []


@pytest.mark.integration
def test_tables_of_the_page_are_what_their_commands_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = page_of(tmp_path, OLD, NEW)
    embedded = re.findall(
        r'id="table-([^"]+)">.*?<code class="command" title="([^"]+)">.*?<script type="application/json">(.*?)</script',
        page, re.DOTALL,
    )  # fmt: skip
    given = {name: (html.unescape(line), json.loads(rows)) for name, line, rows in embedded}
    for name in ("silence", "cost", "cost-significance", "groups-significance", "groups", "why"):
        line, rows = given[name]
        done = call(line.removeprefix("cranfield ") + " --format csv")
        assert (done.exit_code, done.stdout) == (0, rows), line


@pytest.mark.integration
def test_python_writes_the_same_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = page_of(tmp_path, OLD, NEW)
    found = report(
        "golden.jsonl", ["old.jsonl", "new.jsonl"], groups="groups.csv", costs="costs.csv", documents="texts.jsonl",
        date=DAY,
    )  # fmt: skip
    assert found.to_html() == page
    assert found.gate is not None and found.gate.verdict == "better"


def test_a_baseline_says_which_run_could_be_replaced() -> None:
    turned = decision(asked_of(QRELS, {"new": NEW, "old": OLD}, baseline="old"))
    assert turned is not None and turned.words.startswith("new may replace old: ")


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [(QRELS, {"new": NEW}), (QRELS, {"old": OLD, "new": NEW, "mid": OLD}),
     ({"q00": QRELS["q00"]}, {"old": OLD, "new": NEW})],
    ids=["one run", "three runs", "one topic"],
)  # fmt: skip
def test_where_no_gate_can_say_nothing_is_decided(qrels: Any, runs: Any) -> None:
    found = asked_of(qrels, runs)
    assert found.gate is None and found.gate_command == "" and decision(found) is None


@pytest.mark.integration
def test_weights_count_for_the_gate_as_in_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, OLD, WORSE_IN_GERMAN)
    rows = "".join(f"{topic},{5 if LANGUAGE[topic] == 'de' else 1}\n" for topic in TOPICS)
    (tmp_path / "weights.csv").write_text("topic,weight\n" + rows)
    done = call("report golden.jsonl old.jsonl new.jsonl --weights weights.csv --seed 3 -o page.html")
    assert done.exit_code == 0, done.output
    kind, words, line = decided((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert kind == "fails" and "weighted by weights.csv" in words and line.endswith("--weights weights.csv --seed 3")
    assert call(line.removeprefix("cranfield ")).exit_code == 1


def test_a_margin_where_nothing_is_replaced_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(cf.InputError, match="where one of two runs replaces the other; 1 given"):
        report(QRELS, {"new": NEW}, margin=0.1)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, OLD, NEW)
    refused = call("report golden.jsonl old.jsonl new.jsonl --check --margin 0.1")
    assert refused.exit_code == 2 and "--margin" in refused.stderr


@pytest.mark.integration
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [(OLD, planted(1, 1), "better"), (planted(1, 1), OLD, "worse"), (OLD, OLD, "equivalent")],
    ids=["better", "worse", "equal"],
)  # fmt: skip
def test_the_first_page_of_somebody_new(
    old: Lists, new: Lists, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A golden set of 40 questions and two systems' answers, with names of their own: the error says what to add."""
    monkeypatch.chdir(tmp_path)
    golden = [
        {"question_id": topic, "question": f"How is {topic} reset?", "gold_chunk_ids": [*judged]}
        for topic, judged in QRELS.items()
    ]
    Path("golden.jsonl").write_text("".join(json.dumps(record) + "\n" for record in golden))
    for name, answers in (("old", old), ("new", new)):
        hits = {t: [{"id": d, "score": 1 / rank} for rank, d in enumerate(found, 1)] for t, found in answers.items()}
        lines = [json.dumps({"question_id": topic, "hits": found}) + "\n" for topic, found in hits.items()]
        Path(f"{name}.jsonl").write_text("".join(lines))
    Path("groups.csv").write_text("question_id,lang\n" + "".join(f"{t},{g}\n" for t, g in LANGUAGE.items()))
    line, calls = "report golden.jsonl old.jsonl new.jsonl --groups groups.csv -o page.html", 1
    while (done := call(line)).exit_code:
        assert calls < 4, done.stderr
        [advice, *_] = re.findall(r"--(?:field|columns) \S+=[^ ,;]+(?: --(?:field|columns) \S+=[^ ,;]+)*", done.stderr)
        line, calls = f"{line} {advice}", calls + 1
    page = Path("page.html").read_text(encoding="utf-8")
    _, words, gate = decided(page)
    may = {"better": "may", "worse": "must not", "equivalent": "may"}[verdict]
    assert words.startswith(f"new {may} replace old: by nDCG@10 it is {verdict} on topics like these (margin 0.01)")
    assert call(gate.removeprefix("cranfield ")).exit_code == status_of(verdict)
    if verdict == "worse":
        assert "“How is q01 reset?” old leads new by 0.3691 in nDCG@10 on topic q01" in html.unescape(page)


def test_a_page_that_would_overwrite_its_groups_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups with names of their own are read before the page is written, and still are a file that is read."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, OLD, NEW)
    Path("groups.html").write_text(Path("groups.csv").read_text().replace("language", "lang"))
    given = "golden.jsonl old.jsonl new.jsonl --groups groups.html --columns group=lang"
    refused = call(f"report {given} -o groups.html")
    assert refused.exit_code == 2 and "groups.html: is an input and would be overwritten" in refused.stderr


@pytest.mark.integration
def test_the_page_says_of_any_runs_what_the_gate_says() -> None:
    """Groups, weights, margins, missing topics and unjudged documents, drawn by chance."""
    for seed in range(20):
        chance = Random(seed)  # noqa: S311 - a sample
        topics = [f"t{number}" for number in range(chance.choice([2, 7, 30]))]
        drawn: list[dict[str, dict[str, int]]] = [
            {t: {d: chance.choice([0, 0, 1, 2]) for d in chance.sample("abcdefgh", chance.randint(1, 6))} for t in some}
            for some in (topics, chance.sample(topics, len(topics) - 1), topics)
        ]
        asked: dict[str, Any] = {"margin": chance.choice([0.0, 0.05, 0.3]), "seed": seed}
        asked |= chance.choice([{}, {"groups": {t: chance.choice("ab") for t in topics}}])
        asked |= chance.choice([{}, {"weights": {t: chance.choice([1, 2]) for t in topics}}])
        asked |= chance.choice([{}, {"missing": "empty"}, {"complete": True}, {"rel": 2}])
        qrels, runs = drawn[0], {"old": drawn[1], "new": drawn[2]}
        expected, found = cf.gate(qrels, runs, "nDCG@10", **asked), report(qrels, runs, "nDCG@10", date=DAY, **asked)
        assert found.gate is not None and found.gate.to_polars().equals(expected.to_polars()), seed
        shown = decision(found.evidence)
        assert shown is not None, seed
        assert shown.kind == ("holds" if expected.passes else "fails" if expected.verdict == "worse" else "open"), seed
