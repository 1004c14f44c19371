"""The page of conventions, written from the data that ``--convention`` follows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cranfield.conventions import TOOLS, TRACKS, Convention
from cranfield.scoring.blocks import measures_of

_HEAD = """\
# Conventions

The same runs and judgments give different figures by different rules: which grades are relevant, what is gained by a
grade, which rank is the last, who comes first of those with the same score, and what a missing topic counts.
`--convention` computes as a track or a tool does:

```console
cranfield evaluate qrels.txt runs/*.gz --convention trec-dl            # by its measures
cranfield evaluate qrels.txt runs/*.gz --convention trec-dl -m P@10    # P(rel=2)@10
cranfield measures --convention trec-dl                                # what it is, and where that is written
```

`compare`, `gate`, `plot`, `report`, the experiments and all others that take conditions have it too, and in Python it
is `cf.evaluate(qrels, runs, convention="trec-dl")`. Without measures those of the convention are computed;
experiments and figures have measures of their own. Named measures have its level and parameters, unless their names
say otherwise. What contradicts it (`--rel 1` here) is refused; what it leaves open can be set.

```pycon
>>> import cranfield as cf
>>> qrels, run = {"q1": {"d1": 1, "d2": 2}}, {"q1": {"d1": 2.0, "d2": 1.0}}
>>> cf.evaluate(qrels, {"bm25": run}, ["AP", "nDCG@10"], convention="trec-dl")["bm25"]
{'AP(rel=2)': 0.5, 'nDCG@10': 0.8597186998521972}

```

Grade 1 is not relevant by the rules of that track: without the convention AP would be 1.

Where no convention is given and the judgments look like those of a track (its topics, its grades, and how its
documents' ids begin), a line of the audit proposes one. It is never applied unasked, and judgments that leave a doubt
propose nothing:

```text
audit: these look like judgments of TREC's Web tracks: --convention trec-web computes ERR@20 and nDCG@20 as published
```

Only what is documented is here, or comes out to the last digit of figures that were published: so do those of all
official runs of TREC-8 ad hoc, TREC-COVID round 1 and the passages of Deep Learning 2019 at hand, which the tests
compute (`pytest -m integration tests/conventions/test_conventions.py`).

"""

__test__ = {"the page": _HEAD}  # its examples are doctests


def write_conventions_page(target: Path) -> None:
    """Write the page, if it changed."""
    parts = [_HEAD, _group("Tracks and benchmarks", TRACKS), _group("Tools", TOOLS)]
    text = "\n".join(parts)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def _group(title: str, conventions: Mapping[str, Convention]) -> str:
    return "\n".join([f"## {title}\n", *map(_entry, conventions.values())])


def _entry(convention: Convention) -> str:
    measures = ", ".join(f"`{measure}`" for measure in measures_of(convention.name))
    said = [*convention.said(), *convention.notes]
    lines = [f"### `{convention.name}`\n", f"{convention.title}. {convention.purpose}\n", f"Measures: {measures}.\n"]
    lines += [f"- {each}" for each in said]
    lines += ["\nSources:\n", *(f"- {source}" for source in convention.sources), ""]
    return "\n".join(lines)
