"""A judging session: runs and the judgments so far in, the next document out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple, Self

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers, nth_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, Positive, Scope, Seed, Share, Whole, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.scoring.judged_runs import JudgedRuns, qrels_table
from cranfield.selection.audited_scores import AuditedScores
from cranfield.selection.candidates import Candidates
from cranfield.selection.judgment_audit import AHEAD, RandomAudit
from cranfield.selection.method import Method, RenewedBy, heaviest, in_turn, lowest_equal, method_named, near_the_top
from cranfield.selection.saved import Saved, SavedJudging, fingerprint, is_of
from cranfield.selection.state import State, weighted_measure
from cranfield.selection.status import Status
from cranfield.selection.stop_rules import LeaderKnown, SignsKnown, StopRule, judged_by

_UNKNOWN, _NO_DOCUMENT = -2, -1
"""Instead of the place of the next document: it was not looked for yet, or there is none."""
FEW_WEIGHED: Final = 256
"""How many documents of a topic are weighed anew, where weights only fall, before all of them have to be."""


class Chosen(NamedTuple):
    """A document to judge: its weight in the order, and the runs that it serves, with the rank it has there."""

    topic: str
    document: str
    weight: float
    runs: dict[str, int]


class Judgment(NamedTuple):
    """A judgment as it was recorded; the grade is None where the document was skipped."""

    topic: str
    document: str
    grade: float | None


class Judging:
    """Which document should be judged next, and how certain are the systems' scores so far?

    Parameters
    ----------
    runs
        Whatever `read_runs` takes, or the `Candidates` gathered from it.
    measure
        A measure that is a weighted sum over ranks (RBP, INSQ, SDCG, P), or its name.
    method
        How documents are weighed: a name in `METHODS` (``"depth"``, ``"pool"``, ``"A"``, ``"B"``,
        ``"C"``, ``"random"``, ...), with its parameters (``"C(power=2.5)"``).
    judged
        The judgments so far: anything that `read_qrels` takes. Judgments of documents that no run
        retrieved are kept but do not count. A negative grade is judged and not relevant.
    top_grade
        The largest grade of the scale (above 0): a judgment is between 0 and it, and gains grade /
        top_grade unless the measure has gains of its own. None: the largest of the judgments so
        far, and at least 1.
    scope
        For methods that use the runs' standing: on the ``"topic"`` of the document, as in the
        paper, or by the means over all topics, ``"system"``.
    renew_every
        The number of judgments after which weights are updated (at least 1).
    seed
        Seed for random methods, and of the order of the audit. The levels of bounds hold for a seed that
        is named before the first judgment.
    audit_ahead
        How many documents of the audit may be in people's hands at once: see `next_audit`.
    among
        Choose only these pairs of topic and document, such as the list of a `certificate`, or a
        pool. The others stay unjudged, and what the runs could still gain from them stays open.

    Attributes
    ----------
    candidates, state, method, renew_every
        The documents, the state of knowledge, the `Method`, and the update interval.
    recorded
        The recorded judgments, in order, as `Judgment`, by the place of the document; `history` lists them.

    Raises
    ------
    InputError
        If the measure has no fixed rank weights, the method is unknown or has no scope, a grade is
        beyond the scale, or a number is out of range.

    Notes
    -----
    Documents of the same weight come by id, the smaller (in byte order) first. Weights count as the
    same if they differ by no more than one part in 10¹², which is more than rounding makes and less
    than anything else does. Below 10⁻³⁰⁰, where floating point ends, all are 0 and so the same. The
    state follows from the judgments and their order, and nothing else: taken back and made again,
    or read from `to_dict`, it is the same to the last bit.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, sections 3 and 4.

    Examples
    --------
    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> judging = Judging(runs, "RBP(p=0.5)", method="A")
    >>> judging.next()  # 0.5² for x, and 0.5 for y
    [Chosen(topic='1', document='b', weight=0.75, runs={'y': 1, 'x': 2})]
    >>> judging.record("1", "b", 1)
    >>> judging.next()[0].document, judging.state.base.tolist(), judging.state.residual.tolist()
    ('a', [[0.25], [0.5]], [[0.75], [0.5]])
    """

    def __init__(
        self,
        runs: RunsLike | JudgedRuns | Candidates,
        measure: str | Measure | type[Measure] = "RBP(p=0.8)",
        *,
        method: str = "C",
        judged: QrelsLike | Judgments | None = None,
        top_grade: float | None = 1,
        scope: Scope = "topic",
        renew_every: int = 1,
        seed: int = 7,
        among: Iterable[tuple[str, str]] | None = None,
        audit_ahead: int = AHEAD,
    ) -> None:
        scope, renew_every = checked("scope", scope, Scope), checked("renew_every", renew_every, Count)
        seed, top_grade = checked("seed", seed, Seed), checked("top_grade", top_grade, Positive | None)
        self.method = _scoped(method, scope)
        self.measure = weighted_measure(measure)
        self.candidates = runs if isinstance(runs, Candidates) else Candidates.gather(runs)
        rows = [] if judged is None else qrels_table(judged).select(QUERY, DOCUMENT, RELEVANCE).rows()
        self.given = [Judgment(*row) for row in rows]
        self.top_grade = max([1.0, *(row.grade or 0 for row in self.given)]) if top_grade is None else top_grade
        self.scope, self.renew_every, self.seed = scope, renew_every, seed
        self.audit_ahead: int = checked("audit_ahead", audit_ahead, Count)
        self.among = None if among is None else dict.fromkeys((topic, document) for topic, document in among)
        self._held = np.zeros(len(self.candidates), bool)
        self.recorded: dict[int, Judgment] = {}
        self.check_scale(self.top_grade)
        self._start([])

    def next(self, n: int = 1) -> list[Chosen]:
        """Return the next n documents in the current order; fewer, or none, if no more are left."""
        places = self.next_places(n)
        return self._chosen(places, self._weight[places])

    def next_places(self, n: int = 1, topics: Iterable[str] | None = None) -> Integers:
        """Return the places of the next n documents among the candidates, or among those of some topics."""
        return self._next_places(checked("n", n, Whole), topics)

    def _next_places(self, n: int, topics: Iterable[str] | None = None) -> Integers:
        self._renew(all_documents=n != 1)
        place, weight = self._leading(n)
        if topics is not None:
            wanted = np.isin(self.candidates.topic[place], [*map(self.candidates.topic_code, topics)])
            place, weight = place[wanted], weight[wanted]
        if self.method.across == "turns":
            topic, all_topics = self.candidates.topic[place], self.candidates.topic
            # What is held counts as one of its topic's, as what is judged does.
            held = np.bincount(all_topics[self._held & self.state.open], minlength=len(self.candidates.topics))
            order = np.lexsort((topic, (self.state.judged + held)[topic] + nth_within(topic)))
        else:
            heavy = near_the_top(weight, n)
            place, weight = place[heavy], weight[heavy]
            if len(place) <= 1:
                return place[:n]
            if n == 1:  # the weights are those of each topic's heaviest document, but it is the heaviest of all
                most = float(weight.max())
                for at in (weight < most).nonzero()[0]:  # that others are measured by
                    place[at] = self._heaviest_of(int(self.candidates.topic[place[at]]), most)[0]
                weight = np.full(len(place), most)
            candidates = self.candidates
            order = in_turn(weight, candidates.by_id[place] * len(candidates.topics) + candidates.topic[place])
        return place[order[:n]]

    def record(self, topic: str, document: str, grade: float) -> None:
        """Record a judgment.

        Raises
        ------
        InputError
            If no run has the topic or retrieved the document, it is judged or skipped already, or
            the grade is not one of the scale.
        """
        self._record(self._open_place(topic, document), Judgment(topic, document, self._on_scale(grade)))

    def skip(self, topic: str, document: str) -> None:
        """Skip a document that cannot be judged. It stays unjudged, costs nothing, and is not chosen again."""
        self._record(self._open_place(topic, document), Judgment(topic, document, None))

    @property
    def history(self) -> list[Judgment]:
        """The recorded judgments, in order."""
        return [*self.recorded.values()]

    def hold(self, topic: str, document: str, *, held: bool = True) -> None:
        """Choose a document no more, since somebody has it; or, with ``held=False``, choose it again.

        It stays unjudged, and can be recorded. Where topics take turns, it counts as one of its topic's.

        >>> judging = Judging({"x": {"1": {"a": 3.0, "b": 2.0}}})
        >>> judging.hold("1", "a")
        >>> [chosen.document for chosen in judging.next(2)]
        ['b']
        """
        self.hold_place(self.candidates.place(topic, document), held=held)

    def hold_place(self, place: int, *, held: bool = True) -> None:
        """Hold the document of this place, or let it go."""
        if self._held[place] != held:
            self._held[place] = held
            self._look_anew(int(self.candidates.topic[place]))

    def admit_place(self, place: int, *, admitted: bool = True) -> None:
        """Let a document be among those that may be judged, since somebody found it, or no longer.

        Where all documents may be judged, and of one that is judged or skipped, nothing changes.

        >>> judging = Judging({"x": {"1": {"a": 3.0, "b": 2.0}}}, among=[("1", "a")])
        >>> judging.admit_place(1)
        >>> [chosen.document for chosen in judging.next(2)]
        ['a', 'b']
        """
        if self.among is None or place in self.recorded or not np.isnan(self.state.grade[place]):
            return
        topic = int(self.candidates.topic[place])
        pair = self.candidates.topics[topic], self.candidates.document[place]
        if (pair in self.among) == admitted:
            return
        if admitted:
            self.among[pair] = None
        else:
            del self.among[pair]
        self.__dict__.pop("_audit_order", None)
        if self.renew_every > 1:  # it weighs what it weighed at the last renewal, had it been there
            self._start(self.history)
            return
        self.state.open[place] = admitted
        self.state.aside += -1 if admitted else 1
        self._look_anew(topic, risen=True)  # it may be one of the few, and was not

    def weight_at(self, place: int) -> float:
        """Return the weight of a document that is next."""
        return float(self._weight[place])

    def restart(
        self,
        *,
        candidates: Candidates | None = None,
        method: str | None = None,
        measure: str | Measure | type[Measure] | None = None,
        top_grade: float | None = None,
        scope: Scope | None = None,
        among: Iterable[tuple[str, str]] | None = None,
        keep: int = 0,
    ) -> None:
        """Begin anew with other candidates, method, measure, scale, scope or `among`; what is None stays as it is.

        What was recorded and held is forgotten, but for the first ``keep`` records. The
        judgments given at the start stay.

        Raises
        ------
        InputError
            As for a new session. It has not changed then.

        >>> judging = Judging({"x": {"1": {"a": 3.0, "b": 2.0}}}, method="A")
        >>> judging.record("1", "a", 1)
        >>> judging.restart(method="random", top_grade=3)
        >>> judging.history, str(judging.method), judging.top_grade
        ([], 'random', 3.0)
        """
        begun = copy(self)
        begun.scope = self.scope if scope is None else checked("scope", scope, Scope)
        begun.method = _scoped(str(self.method) if method is None else method, begun.scope)
        begun.measure = self.measure if measure is None else weighted_measure(measure)
        begun.top_grade = self.top_grade if top_grade is None else checked("top_grade", top_grade, Positive)
        self.check_scale(begun.top_grade, keep)
        begun.candidates = self.candidates if candidates is None else candidates
        begun.among = self.among if among is None else dict.fromkeys(among)
        begun._held = np.zeros(len(begun.candidates), bool)
        begun._start(self.history[:keep])
        self.__dict__ = begun.__dict__  # all of it, now that nothing can go wrong any more

    def next_audit(self, n: int = 1) -> list[Chosen]:
        """Return the next n documents of the audit; fewer, or none, if no more are left.

        They are the first unjudged ones of an order that the seed gives, over all topics. What a method
        chooses tells nothing about what it leaves; the audit does: see `Status.relevant_left`. Judge
        them in any order, with others in between. Asking takes nothing out of the session: until
        they are judged or held (`hold`), they are the next ones. Record each under "audit" where methods are noted.

        Raises
        ------
        InputError
            If n is above ``audit_ahead``. A document that was handed out, but could still be
            judged as one that the method chose, would be missing from the sample.

        >>> judging = Judging({"x": {"1": {d: -i for i, d in enumerate("abcdefgh")}}}, audit_ahead=4)
        >>> for chosen in judging.next_audit(4):
        ...     judging.record("1", chosen.document, 0)
        >>> judging.status().relevant_left(level=0.2)  # of 4 left; if 2 were relevant: 6·5·4·3 / (8·7·6·5) = .21
        2
        """
        n = checked("n", n, Whole)
        if n > self.audit_ahead:
            raise InputError(
                f"{n} documents of the audit cannot be handed out at once: this session has audit_ahead="
                f"{self.audit_ahead}"
            )
        self._renew()
        waiting = self.audit.next(self.audit_ahead)
        places = waiting[~self._held[waiting]][:n]
        return self._chosen(places, self._weight[places])

    def audit_due(self, n: int, share: float) -> int:
        """How many of the next n documents should be of the audit, so that it has this share of all records?

        The audited documents so far count, whoever chose them, and those that are held; at most ``audit_ahead`` are
        due at once.

        >>> judging = Judging({"x": {"1": {d: -i for i, d in enumerate("abcdefgh")}}}, audit_ahead=4)
        >>> judging.audit_due(5, 0.2), judging.audit_due(8, 1)
        (1, 4)
        """
        share, n = checked("share", share, Share), checked("n", n, Whole)
        return self.audit.due(n, share, len(self.recorded), self._held)

    def audit_sample(self) -> pl.DataFrame:
        """Return the audit as a sample, for `estimate`: the longest prefix of its order that is judged.

        Whoever judged a document, it is there once. Each candidate had the same chance, the length
        of the prefix over the number of candidates; estimates have no bias if that length was named before. Of a
        session with ``among`` it stands for these documents alone: others have no chance, and count nothing.

        Returns
        -------
        Table of the columns query_id, doc_id, probability and stratum, which is null.

        >>> judging = Judging({"x": {"1": {d: -i for i, d in enumerate("abcd")}}}, "P@4")
        >>> for chosen in judging.next_audit(2):
        ...     judging.record("1", chosen.document, 1)
        >>> judging.audit_sample()["probability"].to_list()
        [0.5, 0.5]
        """
        return self.audit.sample(self.candidates)

    @property
    def audit(self) -> RandomAudit:
        """What the documents judged so far tell in the order of the audit: see `RandomAudit`."""
        return RandomAudit.of(self._audit_order, self.audit_ahead, self.state.grade, [*self.recorded])

    @cached_property
    def _audit_order(self) -> Integers:
        """The places that can be judged, in the order of the audit."""
        order = self.candidates.random_order(self.seed)
        if self.among is None:
            return order
        among = np.zeros(len(order), bool)
        among[[self.candidates.place(topic, document) for topic, document in self.among]] = True
        return order[among[order]]

    def undo(self, n: int = 1) -> None:
        """Undo the last n records: everything is restored, to the last bit."""
        n = checked("n", n, Count)
        if n > len(self.recorded):
            raise InputError(f"{n} records cannot be taken back; only {len(self.recorded)} exist")
        self._start(self.history[:-n])

    def take_back(self, topic: str, document: str) -> None:
        """Take the record of one document back, whenever it was made; later ones stay.

        All is as if it had never been recorded, to the last bit. Only its topic is summed anew, so
        this is quick; with ``renew_every`` above 1 everything is replayed.

        Raises
        ------
        InputError
            If the document was not recorded in this session.

        >>> judging = Judging({"x": {"1": {"a": 3.0, "b": 2.0}}}, "RBP(p=0.5)")
        >>> judging.record("1", "a", 1)
        >>> judging.record("1", "b", 1)
        >>> judging.take_back("1", "a")
        >>> judging.history, judging.state.base.tolist()
        ([Judgment(topic='1', document='b', grade=1)], [[0.25]])
        """
        place = self.candidates.place(topic, document)
        taken = self.recorded.pop(place, None)
        if taken is None:
            raise InputError(f"document {document!r} of topic {topic!r} was not recorded, so it cannot be taken back")
        if self.renew_every > 1:  # which judgments come before a renewal depends on their number
            self._start(self.history)
            return
        self._taken -= taken.grade is not None
        self.state.take_back(place)
        topic_code, every = int(self.candidates.topic[place]), range(len(self.candidates.topics))
        for code in every if self._renewed_by == "all" else [topic_code]:
            self._look_anew(code, risen=self._renewed_by != "nothing")

    def judgments(self) -> pl.DataFrame:
        """Return all judgments as qrels: those given at the start, then those recorded, in order."""
        return qrels_of([*self.given, *self.history])

    def plan(self, n: int) -> list[Chosen]:
        """List the next n documents, before any of them is judged.

        Methods that do not need to know what the judgments say (`Method.needs_answers`) are planned
        to the end, their weights renewed as if each document had been judged. Of the others it is
        the order as it stands.
        """
        return self._chosen(*self.plan_places(n))

    def plan_places(self, n: int) -> tuple[Integers, Floats]:
        """Plan as `plan` does: return the places of the next n documents, and what each weighs when its turn comes."""
        n = checked("n", n, Whole)
        if self.method.needs_answers or self.method.renewed_by == "nothing":
            places = self.next_places(n)
            return places, self._weight[places]
        ahead = copy(self)  # which goes its own way from here
        ahead._start(self.history)
        planned = [(place, ahead._weight[place]) for place in islice(ahead.followed(lambda place: 0), n)]
        return np.array([place for place, _ in planned], np.int64), np.array([weight for _, weight in planned])

    def followed(self, answer: Callable[[int], float | None]) -> Iterator[int]:
        """Choose one place after another, and learn the grade there before the next; of None, that it has none.

        The state changes, and no judgment is recorded.
        """
        while len(found := self._next_places(1)):
            place = int(found[0])
            yield place
            self._take(place, answer(place))

    def status(
        self, stop: Iterable[StopRule] = (), *, decisive: int = 10, cheap: QrelsLike | Judgments | None = None
    ) -> Status:
        """Return what is known so far: see `Status`.

        Parameters
        ----------
        stop
            The stopping rules to apply.
        decisive
            The number of documents to name that would decide most between the leader and its
            rivals.
        cheap
            Labels of the candidates on the scale of the grades, of a language model, say, as qrels. What
            they gain is the expectation from which `LeaderKnown` and `estimates` draw the difference; 0 without
            a label. They must be there before the first judgment, and stay as they are.
        """
        decisive = checked("decisive", decisive, Whole)
        answers = [row.grade for row in self.recorded.values() if row.grade is not None]
        stop = tuple(stop)
        priors = {rule.prior for rule in stop if isinstance(rule, SignsKnown)}
        audit = self.audit
        known = Status.of(
            self.state, answers, audit.draws, decisive=decisive, renew_every=self.renew_every, priors=priors
        )
        if any(isinstance(rule, LeaderKnown) for rule in stop):
            rivals = [run for run in np.flatnonzero(known.can_win).tolist() if run != known.leader]
            known = replace(known, leads=self.audited_scores(cheap, audit).leads(known.leader, rivals))
        return judged_by(known, stop)

    def estimates(self, level: float = 0.05, *, cheap: QrelsLike | Judgments | None = None) -> pl.DataFrame:
        """Estimate each run's mean score by the audit, next to its range.

        What is judged counts as it is, and the audit stands for the rest, so that a judgment counts once. The estimate
        has no bias if the number of audited documents was named before, but for being cut to the range;
        see `AuditedScores.estimate`.

        Parameters
        ----------
        level
            Of each run by itself, the probability that low or high are ever wrong, however often one looks.
        cheap
            Labels of the candidates, as in `status`.

        Returns
        -------
        Table of the runs, the highest base first: run, base, low, estimate, high, top and bias. The bias
        is by how much the projected score is above the estimate: the error of taking what a method chose for
        a sample. Estimate and bias are null where no document of the audit is judged.
        """
        return self.audited_scores(cheap).estimates(self.state, checked("level", level, Level))

    def audited_scores(
        self, cheap: QrelsLike | Judgments | None = None, audit: RandomAudit | None = None
    ) -> AuditedScores:
        """Return what judgments and audit together tell of the runs' means: see `AuditedScores`."""
        return AuditedScores.of(self.candidates, audit or self.audit, self.measure, self.top_grade, cheap)

    def to_dict(self) -> SavedJudging:
        """Return settings and judgments in JSON form; `from_dict` restores the session."""
        return {
            "method": str(self.method),
            "measure": str(self.measure),
            "top_grade": self.top_grade,
            "scope": self.scope,
            "renew_every": self.renew_every,
            "seed": self.seed,
            "among": None if self.among is None else [list(each) for each in self.among],
            "candidates": fingerprint(self.candidates),
            "judged": [list(row) for row in self.given],
            "history": [list(row) for row in self.history],
            "audit_ahead": self.audit_ahead,
        }

    @classmethod
    def from_dict(cls, runs: RunsLike | JudgedRuns | Candidates, saved: SavedJudging | Mapping[str, object]) -> Self:
        """Restore a session from its runs (or candidates) and the result of `to_dict`.

        Raises
        ------
        InputError
            If something is missing, or the runs are not those of the session.

        >>> judging = Judging({"x": {"1": {"a": 3.0, "b": 2.0}}}, method="A")
        >>> judging.record("1", "b", 1)
        >>> Judging.from_dict(judging.candidates, judging.to_dict()).history
        [Judgment(topic='1', document='b', grade=1)]
        """
        read = Saved.of(saved)
        candidates = runs if isinstance(runs, Candidates) else Candidates.gather(runs)
        if not is_of(read.candidates, candidates):
            raise InputError("the session was saved for other runs, topics or ranks")
        judging = cls(candidates, judged=read.judged or None, among=read.among, **read.settings)
        for topic, document, grade in read.history:
            judging.skip(topic, document) if grade is None else judging.record(topic, document, grade)
        return judging

    def _start(self, history: Sequence[Judgment]) -> None:
        """Begin anew with the judgments given, then repeat what was recorded."""
        self.state = State(self.candidates, self.measure, top_grade=self.top_grade, scope=self.scope, seed=self.seed)
        for topic, document, grade in self.given:
            place = self.candidates.find(topic, document)
            if place is not None and grade is not None:
                self.state.judge(place, grade)
        if self.among is not None:
            self.state.only(self.candidates.place(topic, document) for topic, document in self.among)
        topics = len(self.candidates.topics)
        self._weight: Floats = np.zeros(len(self.candidates))
        self._few: dict[int, tuple[Integers, float]] = {}  # by topic: see `_weigh_few`
        self._lagging = np.zeros(topics, bool)  # where a few alone were weighed last
        self._first: Integers = np.full(topics, _UNKNOWN)  # the heaviest document of each topic
        self._level: Floats = np.zeros(topics)  # what it counts as
        self._changed = np.zeros(topics, bool)  # since the last renewal
        self._stale = np.ones(topics, bool)  # renewal is due, and done when it matters
        self._taken = 0
        self.__dict__.pop("_audit_order", None)  # of other candidates, maybe
        self.recorded = {}
        for judgment in history:
            self._record(self.candidates.place(judgment.topic, judgment.document), judgment)

    def _record(self, place: int, judgment: Judgment) -> None:
        self._take(place, judgment.grade)
        self.recorded[place] = judgment

    def _take(self, place: int, grade: float | None) -> None:
        """Change the state, and note whose weights are to be renewed."""
        if grade is None:
            self._renew(all_documents=False)
            self.state.skip(place)
            self._look_anew(int(self.candidates.topic[place]))
            return
        self._taken += 1
        if self._taken % self.renew_every:
            self._renew()  # what is due is weighed before the state changes, since it will not be weighed again soon
        topic = self.candidates.topic[place]
        self.state.judge(place, grade)
        self._first[topic] = _UNKNOWN
        if self._renewed_by != "nothing":
            self._changed[slice(None) if self._renewed_by == "all" else topic] = True
        if self._taken % self.renew_every == 0:
            self._stale |= self._changed
            self._changed[:] = False

    def _look_anew(self, topic: int, *, risen: bool = False) -> None:
        """Let the heaviest document of a topic be looked for anew, since one is gone, or weights may have risen."""
        self._first[topic] = _UNKNOWN
        if risen:
            self._few.pop(topic, None)
            self._lagging[topic], self._stale[topic] = False, True
        else:  # without the one that is gone the few may not be enough
            self._stale[topic] |= self._lagging[topic]

    @property
    def _renewed_by(self) -> RenewedBy:
        return "all" if self.scope == "system" else self.method.renewed_by

    @property
    def weight(self) -> Floats:
        """By document: what it weighs, judged or not."""
        self._renew()
        return self._weight

    def _renew(self, *, all_documents: bool = True) -> None:
        """Weigh the documents of the topics for which that is due, or those alone that may be the heaviest."""
        for topic in (self._stale | self._lagging if all_documents else self._stale).nonzero()[0].tolist():
            self._first[topic] = _UNKNOWN
            self._lagging[topic] = not all_documents and self._weigh_few(topic)
            if not self._lagging[topic]:
                self._weight[self.candidates.documents_of(topic)] = self.method.weigh(self.state, topic)
                self._choose_few(topic)
        self._stale[:] = False

    def _choose_few(self, topic: int) -> None:
        """Note a topic's heaviest open documents, where weights only fall, and the most that any other one weighs."""
        places = self.candidates.documents_of(topic)
        falls = self.method.falls and self.renew_every == 1 and self.scope == "topic"
        if falls and places.stop - places.start > FEW_WEIGHED:
            weight = np.where(self.state.open[places], self._weight[places], -np.inf)
            heaviest_first = np.argpartition(-weight, FEW_WEIGHED)
            self._few[topic] = np.sort(heaviest_first[:FEW_WEIGHED]), float(weight[heaviest_first[FEW_WEIGHED]])

    def _weigh_few(self, topic: int) -> bool:
        """Weigh the few documents that were heaviest, and say whether that does: no other one can weigh as much."""
        if topic not in self._few:
            return False
        few, most_of_others = self._few[topic]
        places = self.candidates.documents_of(topic).start + few
        self._weight[places] = self.method.weigh_some(self.state, topic, few)
        largest = np.where(self.state.open[places] & ~self._held[places], self._weight[places], -np.inf).max()
        return bool(lowest_equal(largest) > most_of_others)

    def _leading(self, n: int) -> tuple[Integers, Floats]:
        """Return the places of each topic's n heaviest documents that can still be judged, or more, and their weights.

        Of one alone, the weight is that of the topic's heaviest document, to which it counts as equal.
        """
        if n == 1:
            for topic in (self._first == _UNKNOWN).nonzero()[0].tolist():
                self._first[topic], self._level[topic] = self._heaviest_of(topic)
            any_left = self._first != _NO_DOCUMENT
            return self._first[any_left], self._level[any_left]
        leading = []
        for topic in range(len(self.candidates.topics)):
            places = self.candidates.documents_of(topic)
            open_ = places.start + np.flatnonzero(self.state.open[places] & ~self._held[places])
            open_ = open_[near_the_top(self._weight[open_], n)]
            if self.method.across == "turns":
                open_ = open_[in_turn(self._weight[open_], open_)[:n]]
            leading.append(open_)
        together = np.concatenate(leading)
        return together, self._weight[together]

    def _heaviest_of(self, topic: int, most: float = -math.inf) -> tuple[int, float]:
        """Return the place of a topic's heaviest document that can still be judged: see `heaviest`."""
        documents = self.candidates.documents_of(topic)
        places: slice | Integers = documents.start + self._few[topic][0] if self._lagging[topic] else documents
        open_ = self.state.open[places] & ~self._held[places]
        if not open_.any():
            return _NO_DOCUMENT, 0.0
        which, largest = heaviest(self._weight[places], open_, most)
        return int(documents.start + which if isinstance(places, slice) else places[which]), largest

    def _chosen(self, places: Integers, weights: Floats) -> list[Chosen]:
        candidates, chosen = self.candidates, []
        for place, weight in zip(places.tolist(), weights.tolist(), strict=True):
            cells = candidates.cells_at(place)
            runs = [candidates.runs[run] for run in candidates.cell_run[cells].tolist()]
            ranks = dict(zip(runs, candidates.cell_rank[cells].tolist(), strict=True))
            chosen.append(Chosen(candidates.topics[candidates.topic[place]], candidates.document[place], weight, ranks))
        return chosen

    def _open_place(self, topic: str, document: str) -> int:
        """Find a document that can still be judged, or say why it cannot."""
        place = self.candidates.place(topic, document)
        if not self.state.open[place]:
            grade = self.state.grade[place]
            if self.among is not None and (topic, document) not in self.among:
                raise InputError(f"document {document!r} of topic {topic!r} is not among those to be judged")
            what = "skipped" if np.isnan(grade) else f"judged already, with grade {grade:g}"
            raise InputError(f"document {document!r} of topic {topic!r} is {what}; take that back first")
        return place

    def _on_scale(self, grade: float) -> float:
        """Return the grade as a plain number, or say which grades there are."""
        try:
            number = float(grade)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not 0 <= number <= self.top_grade:
            raise InputError(f"a grade is a number from 0 to {self.top_grade:g}, not {grade!r}")
        return int(number) if number.is_integer() else number

    def check_scale(self, top_grade: float, keep: int = 0) -> None:
        """Refuse a scale that judgments given, or the first records, are above; below it they are not relevant."""
        for topic, document, grade in [*self.given, *self.history[:keep]]:
            if grade is not None and grade > top_grade:
                raise InputError(
                    f"document {document!r} of topic {topic!r} has grade {grade:g}, but the largest is to be "
                    f"{top_grade:g}; say top_grade={grade:g} or more"
                )


def qrels_of(grades: Iterable[tuple[str, str, float | None]]) -> pl.DataFrame:
    """Return grades as qrels, whole numbers where all are; a document without a grade is not there."""
    rows = [(topic, document, float(grade)) for topic, document, grade in grades if grade is not None]
    found = pl.DataFrame(rows, {QUERY: pl.String, DOCUMENT: pl.String, RELEVANCE: pl.Float64}, orient="row")
    return found.cast({RELEVANCE: pl.Int64}) if all(grade.is_integer() for _, _, grade in rows) else found


def _scoped(name: str, scope: Scope) -> Method:
    """Return a method by its name, if it has the scope."""
    method = method_named(name)
    if scope == "system" and not method.scoped:
        raise InputError(f"method {name} does not use scores of the runs, so it has no scope")
    return method
