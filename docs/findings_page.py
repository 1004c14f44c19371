"""The page on what a report finds: its words, and every sentence with its condition, from the registry."""

from __future__ import annotations

from pathlib import Path

from cranfield.reports.sentence import all_sentences

INTRODUCTION = """\
# What a report finds

A [report](report.md) says what was found in ten sentences at most. They are drawn from the numbers: each has a
condition, and is left out where that does not hold. Those on a cheap judge, and on topics without a relevant document,
stand in sections of their own. Some speak against relying on who leads. Of these the first sheet shows the three that
weigh most in these data, each about something else.

```{program-output} cranfield report --sentences qrels.txt runs
:cwd: /_build/example
:prompt:
```

Programs read the same with the numbers and the scope of each sentence (`--format json`, `csv` or
`parquet`), or from Python:

```pycon
>>> import cranfield as cf
>>> qrels = {t: {"a": 1, "b": 0} for t in ("1", "2", "3", "4")}
>>> runs = {"good": {t: ["a", "b"] for t in qrels}, "poor": {t: ["x", "b", "a"] for t in qrels}}
>>> found = cf.report(qrels, runs, ["P@1", "RR"]).sentences
>>> found.rows.row(0, named=True)["sentence"]
'good leads poor by 1.0000 in P@1, with a mean of 1.0000.'
>>> found.rows.row(0, named=True)["numbers"]
'{"leader": "good", "measure": "P@1", "mean": 1.0, "lead": 1.0, "second": ["poor"]}'

```

## What a sentence speaks of

A sentence is about the judgments as they are, the topics at hand and the measures that it names.
Where it is about more, it says so: *whatever grades from 0 to 2 the unjudged documents in these runs
have* (documents that no run retrieved count as not relevant, and no grade is larger than the largest
of the qrels); *on topics like these*; *every measure that sums gains times weights of ranks*, which
AP, RR, nDCG, ERR and Twist are not; *N = 1,000*, where lists are cut or padded; *equal to within
1e-09*. In csv, json and parquet the same stands in the column `scope`. Each sentence is tested
against small collections, of which all grades, all orders of tied documents and all prefixes are
enumerated.

## Could and cannot

Two sentences say what the unjudged documents could change, and only where that is proved. *Cannot
be overtaken* rests on [joint ranges](certainty.md): whatever grades, up to the largest of the qrels,
the documents have that any run retrieved and nobody judged, each document having one grade in all
runs, no other run is ahead.
*Could be overtaken* needs judgments by which the other run is ahead: those of the exact range, or,
where differences are only enclosed (AP, RR), one set of judgments that is tried out: the documents
that speak for the other run are of the highest grade, all others not relevant. By measures with
persistence and without a cutoff (RBP) a range also holds what a longer list could have had. As no
judgment brings that about, it is never a reason to say *could*; *cannot* holds in spite of it. For measures whose
ranges are merely tried (Twist) neither sentence is ever printed.

No other sentence says that something is possible or impossible. Where no judged document has a
grade above 0, neither sentence is said: nobody knows what the largest grade is.

## The half page for reviewers

`cranfield report --check` writes what a reviewer of an evaluation could demand: the test and its
correction, how many ranks the topics tell apart and between which ranks each run lies, what was
never judged and what that could change, what ties decide, missing topics, and the digest of all
that was read. `-o check.tex` and `-o check.md` are for a paper and its appendix; `--format json`
has the numbers. From Python, `cf.review`.

```{program-output} cranfield report --check qrels.txt runs -m nDCG@10
:cwd: /_build/example
:prompt:
```

The intervals are those of [certificates](certificates.md): likely ranks, for all runs at once. The
test of pairs is another one (Holm's correction of t-tests), so that the two need not agree where it
is close.

## The texts of documents

With `--docs FILE` the page shows the first words of the documents that should be judged. `cf.read_documents`
reads them from JSON lines (`doc_id`, `docno`, `id` or `_id`; `text`, `contents` or `body`;
`title`), TREC's SGML, CSV or TSV with such columns, TSV of id and text, Parquet, or a folder with a
document a file; packed or not. Of all documents only those are kept that were asked for.

```pycon
>>> import tempfile
>>> with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
...     _ = file.write(b'{"id": "d1", "title": "On wings", "text": "Wings in a stream"}'), file.flush()
...     documents = cf.read_documents(file.name)
>>> documents["d1"].beginning(words=3), documents.get("d2")
('On wings: Wings in a …', None)

```

What a report finds on three real collections is in a [study](studies/report-findings.md).

## What it does not do

- The order of the sentences is fixed; only the three caveats of the first sheet are chosen by what they weigh. The
  weights are a rule that we set (how far another run could be ahead, on what share of topics or runs something is
  so), not a probability.
- The sentence on ties looks at the best and the worst order for each run, one run at a time.
- The count of runs that could overtake the leader does not say that they could all at once.
- Of measures whose differences are enclosed, more runs might be able to overtake than the one set
  of judgments shows.
- Runs are the same where they have the same rankings on every topic of the qrels; nearly the same runs are not
  found.
- A run that [did not run](leaderboards.md#systems-that-did-not-run) is named in a sentence and left out of all others.

## All sentences

Those that matter most first; one is said when:

The last column says what a sentence warns of, where it may stand on the first sheet.

| sentence | condition | warns of |
|---|---|---|
"""

__test__ = {"the page": INTRODUCTION}  # its examples are doctests


def write_findings_page(page: Path) -> None:
    """Write the page, and a row for each sentence."""
    rows = "".join(
        f"| `{each.name}` | {each.when} | {'' if each.caveat is None else each.caveat.about} |\n"
        for each in all_sentences()
    )
    page.write_text(INTRODUCTION + rows, encoding="utf-8")
