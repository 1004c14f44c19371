"""A simulated campaign: qrels pooled from some of the runs, and the runs, made one at a time when asked for.

The model that they come from is described in :mod:`cranfield.campaigns.model`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cranfield.campaigns.model import Oddity, SimulatedCollection, System, make_collection, make_systems, retrieve
from cranfield.campaigns.recipe import Parameters
from cranfield.formats.writing import new_folder
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK, RELEVANCE, SCORE
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Campaign:
    """A test collection that never took place, made by :func:`simulate`.

    Attributes
    ----------
    parameters
        What it was made from, the seed among it.
    qrels
        What was judged: query_id, doc_id, relevance; sorted by topic and document.
    systems
        The systems as the model drew them: their quality, and what is odd about each.
    """

    parameters: Parameters
    qrels: pl.DataFrame = field(repr=False)
    systems: tuple[System, ...] = field(repr=False)
    _collection: SimulatedCollection = field(repr=False)

    @property
    def names(self) -> list[str]:
        """The names of the runs, in the order in which the systems entered."""
        return [system.name for system in self.systems]

    @property
    def topics(self) -> list[str]:
        """The topics, those that some systems miss included."""
        return self._collection.topics.to_list()

    def runs(self) -> Mapping[str, pl.DataFrame]:
        """Give the runs by name: query_id, doc_id, score, in the order in which the system wrote them.

        Each run is made when it is asked for and is not kept, so that going through all takes the
        memory of one.
        """
        return _Runs(self)

    @property
    def description(self) -> str:
        """A few lines for people: the seed, what was judged, and what each odd system does."""
        p = self.parameters
        contributors = sum(system.contributes for system in self.systems)
        odd = [
            f"  {system.name}: {self._oddity(system)}" for system in self.systems if system.oddity is not Oddity.NONE
        ]
        lines = [
            f"Simulated campaign, seed {p.seed}: {counted(p.systems, 'system')}, {counted(p.topics, 'topic')}, up to "
            f"{counted(p.depth, 'document')} a topic.",
            f"Judged: {counted(len(self.qrels), 'document')} with grades 0 to {p.top_grade}, the first {p.pool_depth} "
            f"of {counted(contributors, 'contributing run')}.",
            "Odd systems:",
            *odd,
        ]
        return "\n".join(lines)

    def _oddity(self, system: System) -> str:
        said = str(system.oddity)
        if system.oddity is Oddity.MISSES_TOPICS:
            missed = [topic for topic, length in zip(self.topics, system.lengths, strict=True) if length == 0]
            return f"{said}: {', '.join(missed) or 'none, as there is only one topic'}"
        if system.oddity is Oddity.STOPS_EARLY:
            return f"{said}, after {min(system.lengths)} to {counted(max(system.lengths), 'document')}"
        return said


class _Runs(Mapping[str, pl.DataFrame]):
    """The runs of a campaign by name, each made when it is asked for."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._systems = {system.name: system for system in campaign.systems}

    def __getitem__(self, name: str) -> pl.DataFrame:
        return _run(self._campaign.parameters, self._campaign._collection, self._systems[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)


def simulate(
    systems: int = 24,
    topics: int = 50,
    depth: int = 1000,
    seed: int = 7,
    *,
    pool_depth: int = 100,
    top_grade: int = 2,
) -> Campaign:
    """Simulate a campaign: systems rank documents, and what the contributing ones rank first is judged.

    Parameters
    ----------
    systems, topics, depth, seed, pool_depth, top_grade
        As in :class:`Parameters`, which also says what their ranges are.

    Returns
    -------
    Campaign
        The same for the same parameters. A system is the same however many systems come after it;
        the judgments are not, since later systems contribute to the pool.

    Examples
    --------
    >>> campaign = simulate(systems=6, topics=3, depth=20, pool_depth=5)
    >>> campaign.names
    ['alder-a', 'alder-b', 'alder-c', 'alder-d', 'ash-a', 'ash-b']
    >>> campaign.qrels.columns, campaign.runs()["alder-a"].columns
    (['query_id', 'doc_id', 'relevance'], ['query_id', 'doc_id', 'score'])
    >>> print(campaign.description.splitlines()[0])
    Simulated campaign, seed 7: 6 systems, 3 topics, up to 20 documents a topic.
    """
    parameters = Parameters(
        systems=systems, topics=topics, depth=depth, seed=seed, pool_depth=pool_depth, top_grade=top_grade
    )
    collection = make_collection(parameters)
    entered = make_systems(parameters)
    return Campaign(parameters, _judge_pool(parameters, collection, entered), entered, collection)


def _run(parameters: Parameters, collection: SimulatedCollection, system: System) -> pl.DataFrame:
    documents, scores = retrieve(parameters, collection, system)
    lengths = np.array(system.lengths)
    returned = np.arange(parameters.depth) < lengths[:, None]
    return pl.DataFrame(
        {
            QUERY: collection.topics.gather(np.repeat(np.arange(parameters.topics), lengths)),
            DOCUMENT: collection.doc_ids.gather(_places(parameters, documents)[returned]),
            SCORE: scores[returned],
        }
    )


def _places(parameters: Parameters, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where documents, given for each topic by their place among its candidates, stand among those of all topics."""
    return documents + parameters.candidates * np.arange(parameters.topics)[:, None]


def _judge_pool(parameters: Parameters, collection: SimulatedCollection, systems: tuple[System, ...]) -> pl.DataFrame:
    """Judge the first documents of every contributing run, by score and then by document id, both descending."""
    pooled = np.zeros(collection.grades.size, dtype=bool)
    for system in systems:
        if system.contributes:
            pooled[_pooled_places(parameters, collection, system)] = True
    judged = np.flatnonzero(pooled)
    return pl.DataFrame(
        {
            QUERY: collection.topics.gather(judged // parameters.candidates),
            DOCUMENT: collection.doc_ids.gather(judged),
            RELEVANCE: collection.grades.ravel()[judged],
        }
    )


def _pooled_places(parameters: Parameters, collection: SimulatedCollection, system: System) -> NDArray[np.int64]:
    documents, scores = retrieve(parameters, collection, system)
    returned = np.arange(parameters.depth) < np.array(system.lengths)[:, None]
    # Candidates are in the order of their ids, so that a higher place is a higher id.
    order = np.lexsort((-documents, -np.where(returned, scores, -np.inf)), axis=1)[:, : parameters.pool_depth]
    first = np.take_along_axis(_places(parameters, documents), order, axis=1)
    return first[np.take_along_axis(returned, order, axis=1)]


def write_campaign(campaign: Campaign, directory: str | os.PathLike[str]) -> None:
    """Write ``qrels.txt``, ``runs/NAME.txt`` and a ``README.txt`` that says how they were made.

    Parameters
    ----------
    campaign
        What :func:`~cranfield.campaigns.simulate` returned.
    directory
        Where to write: a directory that does not exist yet, or is empty.

    Raises
    ------
    InputError
        If the directory holds something, or cannot be written. What was there is left as it was.

    Examples
    --------
    >>> import tempfile
    >>> from cranfield.campaigns import simulate
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_campaign(simulate(systems=4, topics=1, depth=10, pool_depth=5), directory)
    ...     print(sorted(path.name for path in Path(directory).iterdir()))
    ...     print((Path(directory) / "runs" / "alder-b.txt").read_text().splitlines()[0])
    ['README.txt', 'qrels.txt', 'runs']
    401 Q0 ...
    """
    rank = pl.int_range(1, pl.len() + 1).over(QUERY).alias(RANK)
    with new_folder(directory) as aside:
        qrels = campaign.qrels.select(QUERY, pl.lit(0).alias("iteration"), DOCUMENT, RELEVANCE)
        _write_trec(qrels, aside / "qrels.txt")
        (aside / "runs").mkdir()
        for name, run in campaign.runs().items():
            lines = run.select(QUERY, pl.lit("Q0").alias("Q0"), DOCUMENT, rank, SCORE, pl.lit(name).alias("tag"))
            _write_trec(lines, aside / "runs" / f"{name}.txt")
        (aside / "README.txt").write_text(_readme(campaign), encoding="utf-8", newline="\n")


def _write_trec(lines: pl.DataFrame, path: Path) -> None:
    text = lines.write_csv(separator=" ", include_header=False, quote_style="never", float_precision=4)
    path.write_text(text, encoding="utf-8", newline="\n")


def _readme(campaign: Campaign) -> str:
    return f"""\
THIS DATA IS SIMULATED. No system was run, no document exists, and nobody judged anything.

{campaign.description}

qrels.txt       judgments: topic 0 document grade. What is not in it was not judged.
runs/NAME.txt   one run each: topic Q0 document rank score name

The same files again, from the same versions (cranfield {version("cranfield")}, numpy {version("numpy")}):

    {campaign.parameters.command}
"""
