"""``cranfield convert`` (convert and make): turn a golden set into qrels and a run, or convert scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._forms import GOLDEN, read_asked
from cranfield.cli._options import argument, condition, option
from cranfield.cli._output import QUIET, say
from cranfield.plumbing.options import LeaderboardFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.formats.columns import Kind
    from cranfield.formats.golden import GoldenSet


def _write_leaderboard(golden: str, leaderboard: str, form: LeaderboardFormat | None, quiet: bool) -> None:
    """Write scores for AutoJudge's tools, and say what was written."""
    from cranfield.formats.leaderboard_files import write_leaderboard
    from cranfield.plumbing.wording import counted
    from cranfield.scoring.panel import leaderboard_rows

    rows, form = leaderboard_rows(golden), form or "tot"
    write_leaderboard(rows, leaderboard, form)
    many = (counted(rows[name].n_unique(), noun) for name, noun in (("run", "run"), ("measure", "measure")))
    say(f"wrote {' by '.join(many)} to {leaderboard} ({form})", quiet=quiet)


@derived(
    argument("golden", FileRead, "SET"),
    GOLDEN,
    condition("fields"),
    option("--qrels FILE", FileWritten, "Write the judgments to this file."),
    option("--run FILE", FileWritten, "Write the retrieved documents to this file, as a run."),
    option("--topics FILE", FileWritten, "Write the questions to this file, as JSON lines."),
    option("--leaderboard PATH", str,
           "Write SET, a table of scores, to this file for TREC's AutoJudge tools; with --form trec_eval, to this "
           "folder."),
    option("--form", LeaderboardFormat, "Format of the leaderboard. [default: tot]"),
    QUIET,
    modes=[
        Mode("--leaderboard", "SET is a table of scores",
             ("docs", "match", "columns", "fields", "qrels", "run", "topics"), alone_has=("form",),
             does=_write_leaderboard),
    ],
    examples="""
  cranfield convert testset.jsonl --docs chunks.jsonl --qrels qrels.json
  cranfield convert biology.jsonl --qrels qrels.txt --topics topics.jsonl
  cranfield convert answers.jsonl --run answers.run
  cranfield convert examples.jsonl --field question=inputs.question --field relevant=outputs.ids --qrels qrels.json
  cranfield convert scores.csv --leaderboard gpt.tot
""",
)  # fmt: skip
def command(call: Call, golden: str, qrels: str | None, run: str | None, topics: str | None, quiet: bool) -> None:
    """Convert a golden set (RAGAS, DeepEval, LlamaIndex, LangSmith, BRIGHT, TREC RAG) to qrels, a run and topics.

    Without an output option, say what SET holds. With --leaderboard, SET is a table of scores instead: what
    `cranfield evaluate --per-topic -o scores.csv` writes, or a leaderboard in another format.
    """
    from cranfield.formats.columns import QRELS_KIND, RUN_KIND

    found = read_asked(golden, call.only("docs", "fields", "match"))
    if qrels is not None:
        _write(found.judged(), qrels, QRELS_KIND)
    twice = run is not None and _write(found.ranked(), run, RUN_KIND)
    if topics is not None:
        _write_topics(found, topics)
    notes = [*found.remarks()]
    if run is not None and not found.scored:
        notes.append("SET has no scores; the run keeps the order of each list, with scores from its length down to 1")
    if twice:
        notes.append(f"lists hold documents twice: evaluate {run} with --repeated max")
    empty = sum(not judged for judged in found.qrels.values())
    if qrels is not None and empty and not _is_json(qrels):
        lack = "1 question without an answer has" if empty == 1 else f"{empty} questions without an answer have"
        notes.append(f"{lack} no line in {qrels}: write .json, or evaluate with --topics-file")
    say(str(found), *(f"note: {note}" for note in notes), quiet=quiet)


def _is_json(path: str) -> bool:
    from cranfield.formats.files import unpacked_name

    return Path(unpacked_name(path)).suffix.casefold() == ".json"


def _write(nested: Mapping[str, Any], path: str, kind: Kind) -> bool:
    """Write qrels or a run, and say whether lists hold documents twice: JSON holds topics without a document, too."""
    from cranfield.formats import content, dicts, run_name, write_whole

    table, empty = dicts.from_dict(nested, kind, source=path)
    if _is_json(path):
        held = dicts.to_dict(table) | {topic: {} for topic in empty}
        write_whole(path, (json.dumps({topic: held[topic] for topic in nested}, ensure_ascii=False) + "\n").encode())
        return False
    content.write(table, kind, path, name=run_name(path))
    return bool(table.select(kind.ours[:2]).is_duplicated().any())


def _write_topics(found: GoldenSet, path: str) -> None:
    """Write the questions that count, which --topics-file reads."""
    from cranfield.formats import write_whole

    left_out = {*found.lost, *found.unsaid}
    rows = (
        {"query_id": topic, "text": text or topic} for topic, text in found.questions.items() if topic not in left_out
    )
    write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
