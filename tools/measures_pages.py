"""The pages of measures, written from their declarations: an overview, and a page for each question."""

from __future__ import annotations

from collections import Counter
from functools import cache

from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.declaration import EVERYDAY, OTHERS, QUESTIONS, bounds_of, by_question
from cranfield.measures.framework.names import parse_measure

# fmt: off
_IR_MEASURES = [
    "AP", "Accuracy", "BPM", "Bpref", "Compat", "ERR", "INSQ", "INST", "IPrec", "infAP", "Judged", "nDCG",
    "NERR8", "NERR9", "NERR10", "NERR11", "NumQ", "NumRel", "NumRelRet", "NumRet", "P", "R", "RBP", "Rprec",
    "RR", "SDCG", "SetAP", "SetF", "SetP", "SetR", "SetRelP", "Success",
]
PEERS = {
    "ir_measures": {name: name for name in _IR_MEASURES},
    "ranx": {
        "AP": "map", "nDCG": "ndcg", "DCG": "dcg", "RR": "mrr", "P": "precision", "R": "recall", "F": "f1",
        "Rprec": "r-precision", "Bpref": "bpref", "RBP": "rbp", "Success": "hit_rate", "NumRelRet": "hits",
    },
    "MATTERS": {
        "Twist": "twist", "CRP": "cumulatedRelativePosition", "CG": "cumulatedGain", "DCG": "discountedCumulatedGain",
        "GAP": "gradedAveragePrecision", "Q": "qMeasure",
    },
    "NTCIREVAL": {
        "Q": "Q", "OMeasure": "O", "PMeasure": "P", "PPlus": "P-plus", "NCU": "NCU", "nERR": "nERR", "iRBU": "iRBU",
    },
}
# fmt: on
"""What others call the same measure; parameters and defaults may differ."""

_HEAD = """\
# Measures

<!-- {{index}} ! measures, ! metrics -->

Written from the declarations of the {count} measures. `cranfield measures NAME` shows the same on the command line, and
the examples are run by the tests. Measures of chunks are on the page of [evidence and chunks](evidence.md). Formulas,
parameters and worked examples are on the page of each [family](#families).

<!-- {{toctree}}
:hidden:

{pages}
-->

"""
_EVERYDAY = """\
## The twenty most used

| name | question |
|---|---|
{rows}

The names are as they are mostly asked for. A number behind the `@` is the cutoff, and
`cranfield evaluate qrels.txt runs/*.gz -m AP,nDCG@10,R@1000` asks for several.
BEIR reports nDCG@10 and R@100, MS MARCO RR@10, and the *hole rate* is 1 − Judged@10, or `Unjudged@10`. Answer the
questions of `cranfield choose`, and it names a measure.

"""
_OVERVIEW = """\
## Families

| question | measures |
|---|---|
{rows}

"""


_PAGES = dict(zip(
    [*QUESTIONS, OTHERS],
    [
        ("top", "Measures of the top of the list"),
        ("whole-list", "Measures of the whole list"),
        ("sets", "Measures of sets"),
        ("unjudged", "Measures for incomplete judgments"),
        ("effort", "Measures of effort"),
        ("truncated", "Measures of truncated lists"),
        ("parts-of-a-topic", "Measures of subtopics"),
        ("orders", "Measures of agreement with people's orders"),
        ("others", "Other measures"),
    ],
    strict=True,
))  # fmt: skip
"""The page that answers each question, and what it is called."""


def pages() -> dict[str, str]:
    """Return the pages by their names: what everybody uses, an overview, and the measures of each question."""
    listed = "\n".join(f"measures/{_PAGES[question][0]}" for question, _ in by_question())
    found = {"measures.md": _HEAD.format(count=len(REGISTRY), pages=listed) + _everyday() + _overview()}
    for question, families in by_question():
        name, title = _PAGES[question]
        parts = [f"# {title}\n\n*{question}* All families are on the page of [measures](../measures.md).\n\n"]
        for family, measures in families:
            parts.append(f"## {family.capitalize()}\n\n")
            parts += [_entry(measure) for measure in measures]
        found[f"measures/{name}.md"] = "".join(parts)
    return found


def _everyday() -> str:
    asked = [(name, type(parse_measure(name))) for name in EVERYDAY]
    rows = [
        f"| [`{name}`]({_places()[measure.__name__]}) | {measure.documentation().question} |" for name, measure in asked
    ]
    return _EVERYDAY.format(rows="\n".join(rows))


def _overview() -> str:
    rows = []
    for question, families in by_question():
        named = (", ".join(f"[{m.__name__}]({_places()[m.__name__]})" for m in measures) for _, measures in families)
        file, _ = _PAGES[question]
        rows.append(f"| [{question}](measures/{file}.md) | {'; '.join(named)} |")
    return _OVERVIEW.format(rows="\n".join(rows))


@cache
def _places() -> dict[str, str]:
    """Return where each measure stands: gAP and GAP are one anchor to Markdown, so that the second has a number."""
    places: dict[str, str] = {}
    for question, families in by_question():
        seen: Counter[str] = Counter()
        for family, measures in families:
            seen[family.casefold()] += 1
            for measure in measures:
                anchor = measure.__name__.casefold()
                number = f"-{seen[anchor]}" if seen[anchor] else ""
                places[measure.__name__] = f"measures/{_PAGES[question][0]}.md#{anchor}{number}"
                seen[anchor] += 1
    return places


def _entry(measure: type[Measure]) -> str:
    page = measure.documentation()
    called = (measure.__name__, *measure.aliases, *measure.looked_for)
    blocks = [
        f"### {measure.__name__}",
        f"<!-- {{index}} {', '.join({each.casefold(): f'! {each}' for each in called}.values())} -->",
        f"*{page.question}*",
        f"```text\n{page.formula}\n```",
        *map(_plain, page.notes),
    ]
    blocks += [_properties(measure), f"Paper: {_plain(page.paper)}"]
    blocks += [f"```pycon\n{example}\n```" for example in page.examples]
    return "\n\n".join(blocks) + "\n\n"


def _properties(measure: type[Measure]) -> str:
    low, high = measure.range
    facts = [
        f"range {low:g} to {high:g}",
        "grades count" if measure.graded else "relevant or not",
        "missed relevant documents count" if measure.uses_recall_base else "missed documents do not count",
        "a better document higher up never hurts" if measure.rewards_promotion else "",
        f"bounds: {bounds_of(measure)}",
        "" if measure.higher_is_better else "a higher value is not better",
        f"averaged by {measure.summary}",
    ]
    lines = [f"- {', '.join(filter(None, facts))}"]
    names = ", ".join(f"`{name}`" for name in measure.aliases)
    trec = ", ".join(f"`{(name or '').split('{')[0]}`" for name in (measure.trec, measure.trec_at) if name)
    lines += [f"- also called {names}"] if names else []
    lines += [f"- in trec_eval {trec}"] if trec else []
    for peer, known in PEERS.items():
        theirs = [known[name] for name in (measure.__name__, *measure.aliases) if name in known]
        lines += [f"- in {peer} `{theirs[0]}`"] if theirs else []
    for name, parameter in measure.parameters.items():
        default = "" if parameter.default is None else f", by default {parameter.default}"
        lines.append(f"- `{name}`: {_plain(parameter.meaning)} ({parameter.range}{default})")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Keep what a formula means from being taken for markup."""
    return text.replace("*", r"\*").replace("_", r"\_").replace("$", r"\$").replace("<", r"\<")
