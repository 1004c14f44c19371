"""Files, frames, dicts and tuples become the tidy tables that everything starts from, and go back."""

from cranfield.formats.dicts import Qrel, ScoredDoc, to_dict, to_tuples
from cranfield.formats.files import expand, passed_over, read_bytes, run_name, write_whole
from cranfield.formats.frames import to_frame
from cranfield.formats.runs import Runs, RunSource
from cranfield.formats.sources import read_qrels, read_run, read_runs, write_qrels, write_run

__all__ = [
    "Qrel",
    "RunSource",
    "Runs",
    "ScoredDoc",
    "expand",
    "passed_over",
    "read_bytes",
    "read_qrels",
    "read_run",
    "read_runs",
    "run_name",
    "to_dict",
    "to_frame",
    "to_tuples",
    "write_qrels",
    "write_run",
    "write_whole",
]
