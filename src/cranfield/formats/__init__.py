"""Files, frames, dicts and objects of other libraries to tidy tables, and back.

What users bring is one of five shapes before it is read: a path, an open file, a frame, a dict or a list
(`neighbours`). Each format declares a `FORMAT`: how it is recognised, read and written. `load` (`loading`) reads every
file that is neither a run nor qrels.

`native.c` reads TREC text in one pass and without the interpreter's lock, or declines: at a control character, a
doubtful number, a topic that comes back, two ids with the same hash. What it declines is read by the Python road, which
alone has messages, so the two roads cannot say different things. Its hashes are seeded by the operating system: nobody
can choose ids that collide. It is called through ctypes, carries the digest of its source, and is not used where that
differs. A file that changes while it is read is refused on both roads.
"""

from cranfield.formats.content import run_name
from cranfield.formats.dicts import Qrel, ScoredDoc, one_grade, refuse_swapped, to_dict, to_tuples
from cranfield.formats.files import (
    expand,
    files_of,
    passed_over,
    read_bytes,
    refuse_folder,
    refuse_overwriting,
    refuse_unwritable,
)
from cranfield.formats.frames import to_frame
from cranfield.formats.golden_sets import golden_set_of
from cranfield.formats.like import QrelsLike, RunsLike
from cranfield.formats.runs import Runs, RunSource
from cranfield.formats.sources import (
    found_runs,
    nested_qrels,
    plain_qrels,
    read_judged,
    read_qrels,
    read_run,
    read_runs,
    write_qrels,
    write_run,
)
from cranfield.formats.unmet import settle
from cranfield.formats.writing import all_or_nothing, write_together, write_whole

__all__ = [
    "Qrel",
    "QrelsLike",
    "RunSource",
    "Runs",
    "RunsLike",
    "ScoredDoc",
    "all_or_nothing",
    "expand",
    "files_of",
    "found_runs",
    "golden_set_of",
    "nested_qrels",
    "one_grade",
    "passed_over",
    "plain_qrels",
    "read_bytes",
    "read_judged",
    "read_qrels",
    "read_run",
    "read_runs",
    "refuse_folder",
    "refuse_overwriting",
    "refuse_swapped",
    "refuse_unwritable",
    "run_name",
    "settle",
    "to_dict",
    "to_frame",
    "to_tuples",
    "write_qrels",
    "write_run",
    "write_together",
    "write_whole",
]
