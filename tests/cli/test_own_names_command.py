"""Files with names of their own on the command line: one option says what is what, and messages propose it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

from cranfield.cli import main

FILES = {
    "judged.csv": "search_term;url;stars\nbag;p1;1\nbag;p2;0\nlamp;p3;2\nlamp;p1;0\n",
    "old.tsv": "search_term\turl\tpos\nbag\tp2\t1\nbag\tp1\t2\nlamp\tp1\t1\nlamp\tp3\t2\n",
    "new.jsonl": '{"search_term": "bag", "url": "p1", "pos": 1}\n{"search_term": "lamp", "url": "p3", "pos": 1}\n',
    "traffic.csv": "search_term,traffic_2026\nbag,3\nlamp,1\n",
    "lands.csv": "\ufeffsearch_term,land,other\nbag,de,x\nlamp,fr,y\n",
    "length.csv": "url,length_in_tokens\np1,1\np2,2\np3,3\n",
    "log.csv": "search_term,url,n_clicks\nbag,p1,1\nlamp,p3,1\n",
    "gold.jsonl": '{"case": {"id": "bag"}, "want": [{"chunk_id": "p1"}]}\n{"case": {"id": "lamp"}, "want": []}\n',
    "found.jsonl": '{"case": {"id": "bag"}, "got": {"ids": ["p2", "p1"]}}\n{"case": {"id": "lamp"}, "got": {}}\n',
    "calls.csv": "search_term,turn,url\nbag,1,p1\nbag,2,p2\n",
    "spans.csv": "search_term,url,from_char,to_char\nbag,p1,0,10\n",
}
NAMES = "--columns query_id=search_term,doc_id=url --columns rank=pos,relevance=stars"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cranfield(words: str, here: Path) -> Result:
    assert Path.cwd() == here
    return CliRunner().invoke(main, shlex.split(words))


RUNS = "judged.csv old.tsv new.jsonl"
COMMANDS = [
    (f"evaluate {RUNS} -m AP --format csv {NAMES}", "old,all,AP,0.5"),
    (f"evaluate {RUNS} -m AP -o t.csv {NAMES},weight=traffic_2026,cost=length_in_tokens --weights traffic.csv"
     " --costs length.csv", ""),
    (f"evaluate {RUNS} -m AP {NAMES},group=land --groups lands.csv", "land      de"),
    (f"compare {RUNS} -m AP {NAMES}", "0.5000"),
    (f"gate {RUNS} -m AP --margin 0.9 {NAMES},group=land --groups lands.csv", "land"),
    (f"report {RUNS} -m AP -o page.html {NAMES}", ""),
    (f"why {RUNS} -m AP --topic bag {NAMES}", "p1"),
    (f"curve CG {RUNS} {NAMES}", "ideal"),
    (f"trace judged.csv old.tsv {NAMES}", "old"),
    (f"ties {RUNS} -m AP {NAMES}", "AP"),
    (f"experiment archetypes {RUNS} {NAMES}", ""),
    ("agreement judged.csv also=judged.csv --weights quadratic --columns query_id=search_term,doc_id=url "
     "--columns relevance=stars", "also"),
    ("check old.tsv new.jsonl --columns query_id=search_term,doc_id=url,rank=pos", "nothing found"),
    ("overlap old.tsv new.jsonl --columns query_id=search_term,doc_id=url,rank=pos", "old    new"),
    ("cut old.tsv --at 1 -o out --columns query_id=search_term,doc_id=url,rank=pos", ""),
    ("select old.tsv new.jsonl --budget 1 --columns query_id=search_term,doc_id=url,rank=pos", "p"),
    ("clicks log.csv --cuts 0.5 --least 1 --columns query_id=search_term,doc_id=url,clicks=n_clicks", "p1"),
    ("searches judged.csv agent=calls.csv -m R --columns query_id=search_term,doc_id=url,relevance=stars,call=turn",
     "agent"),
    ("evidence spans.csv spans.csv -m EvidenceR@1 --columns query_id=search_term,doc_id=url,start=from_char,"
     "end=to_char", "1.0000"),
    ("evaluate gold.jsonl found.jsonl -m AP --field topic=case.id,relevant=want.chunk_id --field retrieved=got.ids",
     "0.2500"),
    ("convert gold.jsonl --qrels q.json --field topic=case.id,relevant=want.chunk_id", ""),
]  # fmt: skip


@each_of(("words", "shown"), COMMANDS)
def test_every_command_takes_own_names(here: Path, words: str, shown: str) -> None:
    result = cranfield(words, here)
    assert result.exit_code in ({0, 3, 4} if words.startswith("gate") else {0}), (words, result.output)
    assert shown in result.stdout, (words, result.stdout)


PLAIN = [
    (f"evaluate {RUNS} -m AP", 4),
    (f"compare {RUNS} -m AP", 4),
    (f"gate {RUNS} -m AP --margin 0.9", 4),
    (f"report {RUNS} -m AP -o page.html", 4),
    (f"why {RUNS} -m AP --topic bag", 4),
    (f"evaluate {RUNS} -m AP {NAMES} --weights traffic.csv", 1),
    (f"evaluate {RUNS} -m AP {NAMES} --costs length.csv", 1),
    ("clicks log.csv --cuts 0.5 --least 1", 1),
    ("evaluate gold.jsonl found.jsonl -m AP", 2),
    ("convert gold.jsonl --qrels q.json", 1),
]


@each_of(("words", "most"), PLAIN)
def test_the_message_followed_word_for_word_works(here: Path, words: str, most: int) -> None:
    for _ in range(most + 1):
        result = cranfield(words, here)
        if result.exit_code != 2:
            break
        said = re.search(r": add (--(?:columns|field) .*)$", result.stderr.strip())
        assert said is not None, (words, result.stderr)
        assert "columns={" not in result.stderr
        words += f" {said[1]}"
    assert result.exit_code in {0, 3, 4}, (words, result.stderr)


def test_the_former_order_warns_in_one_line(here: Path) -> None:
    result = cranfield(
        f"evaluate {RUNS} -m AP --columns search_term=query_id,doc_id=url,rank=pos,relevance=stars", here
    )
    assert result.exit_code == 0
    told = [line for line in result.stderr.splitlines() if line.startswith("warning")]
    assert told == ["warning: --columns THEIRS=OURS ends with cranfield 0.6.0: write it the other way round, "
                    "here --columns query_id=search_term"]  # fmt: skip


@each_of(
    ("asked", "said"),
    [
        ("--columns score=rank", "columns score=rank may mean that score is in the column rank, or"),
        (
            "--columns query_id=serch_term",
            "no column 'serch_term' (query_id) in any input; did you mean `search_term",
        ),
        ("--columns url", "--columns is OURS=THEIRS, such as query_id=search_term, not 'url'"),
        ("--columns querry=url", "'querry' is not a known name; did you mean"),
        ("--field relevant=gold.ids", "no field 'gold.ids' (relevant) in any input"),
    ],
)
def test_mistakes_are_one_line(here: Path, asked: str, said: str) -> None:
    result = cranfield(f"evaluate {RUNS} -m AP {asked}", here)
    [line] = result.stderr.splitlines()
    assert (result.exit_code, said in line) == (2, True), line


def test_commands_without_the_option_do_not_propose_it(here: Path) -> None:
    assert "--columns" not in cranfield("conflate judged.csv --grades 1:1 -o new.txt", here).stderr
