"""Traces: retrieval spans of OpenTelemetry and OpenInference as JSON, one trace a question."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from cranfield.formats.records import filled, placed
from cranfield.formats.search_log import LoggedQuestion, LoggedSearch, Read
from cranfield.formats.topic_tables import an_id
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted, named


def _hexadecimal(value: object) -> str:
    return str(value).removeprefix("0x")


def _time(value: Any) -> int:
    """Return when a span began, in nanoseconds."""
    try:
        if isinstance(value, int | float) or str(value).isdecimal():
            return int(value)
        moment = datetime.fromisoformat(str(value).replace(" UTC", "+00:00"))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    except (ValueError, OverflowError):
        raise InputError(f"the start {str(value)[:40]!r} is not a time") from None


_TRACE: Final = filled(
    ("context.trace_id", "context.traceId", "trace_id", "traceId"), _hexadecimal, "a span without a trace id"
)
_SPAN: Final = filled(("context.span_id", "context.spanId", "span_id", "spanId"))
_PARENT: Final = filled(("parent_id", "parentSpanId", "parent_span_id", "parentId"))
_START: Final = filled(("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"), _time)
_DOCUMENT: Final = re.compile(r"(?:gen_ai\.)?retrieval\.documents\.(\d+)\.(document\.id|id|.+)")
_EVENTS: Final = {"db.query.result": "db.query.result.id", "db.search.result": "db.search.result.id"}
"""Events of database spans, one a result, and the attribute that has its id."""
_QUERY: Final = ("gen_ai.retrieval.query.text", "input.value", "db.query.text")
_MODELS: Final = ("chat", "text_completion", "generate_content")  # Operations of ``gen_ai`` that call a model
_LISTS: Final = ("gen_ai.retrieval.documents", "retrieval.documents")  # Attributes that may be JSON in a text
TRACE_ID: Final = "trace_id"
"""Stands for the attribute that names the topic where the trace does."""


@dataclass(frozen=True, eq=False)
class Span:
    """A span: whose it is, when it began, and its attributes by their dotted names."""

    trace: str
    span: str
    parent: str
    start: int | None
    attributes: Mapping[str, Any]
    where: tuple[str, int | None]
    hits: tuple[tuple[str, ...], bool] = field(default=((), False))

    @property
    def retrieves(self) -> bool:
        """Whether it is a retrieval: it says so, or it names documents."""
        says = str(self.attributes.get("openinference.span.kind", "")).upper() == "RETRIEVER"
        return says or self.attributes.get("gen_ai.operation.name") == "retrieval" or self.hits[1]

    @property
    def tokens(self) -> float | None:
        """What it cost, if it called a model."""
        kind = str(self.attributes.get("openinference.span.kind", "")).upper()
        if kind != "LLM" and self.attributes.get("gen_ai.operation.name") not in _MODELS:
            return None
        for names in (
            ("llm.token_count.total",),
            ("llm.token_count.prompt", "llm.token_count.completion"),
            ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
        ):
            if found := [self.attributes[name] for name in names if name in self.attributes]:
                with placed(*self.where):
                    return sum(map(_amount, found))
        return None


def _amount(value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    if not 0 <= number < 2**53:
        raise InputError(f"tokens must be a number, 0 or more, not {str(value)[:40]!r}")
    return number


def recognises(first: object) -> bool:
    """Say whether an object is a span, or an export of several."""
    if not isinstance(first, Mapping):
        return False
    return "resourceSpans" in first or _TRACE.found(first)[1] is not None


def read(objects: Iterable[tuple[str, int | None, Any]], topic_attribute: str = TRACE_ID) -> Read:
    """Read spans, each with its file and line: the topic of a trace, and its retrievals as they began.

    A retrieval span names documents, by ``retrieval.documents.N.document.id`` (OpenInference),
    ``gen_ai.retrieval.documents`` (OpenTelemetry), or one event ``db.query.result`` a document; or is called one
    (``openinference.span.kind`` RETRIEVER, ``gen_ai.operation.name`` retrieval). One inside another is the same search.
    The topic is what the root span has in its attribute, or else the one value that the spans of the trace have; by
    default the trace is the topic.
    """
    traces: dict[str, list[Span]] = {}
    source = ""
    for source, line, each in objects:
        with placed(source, line):
            try:
                found = [_span(given, attributes, (source, line)) for given, attributes in _spans(each)]
            except InputError:
                raise
            except (AttributeError, TypeError, KeyError, ValueError, RecursionError) as error:
                raise InputError(f"not readable as a span ({error!r})") from None
        for span in found:
            traces.setdefault(span.trace, []).append(span)
    questions, nameless, inner = [], [], 0
    for trace, spans in traces.items():
        ordered = _in_time(spans)
        topic = trace if topic_attribute == TRACE_ID else _topic(spans, topic_attribute)
        if topic is None:
            nameless.append(trace)
            continue
        by_id, retrieving = {span.span: span for span in spans}, [span for span in ordered if span.retrieves]
        outermost = _outermost(retrieving, by_id)
        inner += len(retrieving) - len(outermost)
        # A span that calls models may hold the spans of the single calls: their tokens are counted in it.
        cost = [span.tokens or 0 for span in _outer(by_id, [span for span in spans if span.tokens is not None])]
        searches = tuple(LoggedSearch(span.hits[0], _text(span)) for span in outermost)
        questions.append(LoggedQuestion(topic, searches, spans[0].where, tokens=sum(cost) if cost else None))
    if not questions:
        problem = f"no span has an attribute {topic_attribute!r}, named as the topic's"
        raise InputError(problem if traces else "it holds no span", source=source)
    return Read(questions, tuple(_notes(nameless, inner, topic_attribute)))


def _notes(nameless: list[str], inner: int, attribute: str) -> Iterator[str]:
    if inner:
        yield f"{counted(inner, 'retrieval span')} inside another, counted as part of the same search"
    if nameless:
        yield f"{counted(len(nameless), 'trace')} without {attribute}, left out: {named(nameless, 3)}"


def _spans(given: Any) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Give the spans of an object with their attributes: itself, or those of an export in OTLP."""
    if not isinstance(given, Mapping):
        raise InputError("is not an object, as a span should be")
    if "resourceSpans" not in given:
        of_columns = {name.removeprefix("attributes."): given[name] for name in given if name.startswith("attributes.")}
        yield given, _flat(_keyed(given.get("attributes") or of_columns))  # a row of a table of spans
        return
    for resource in given["resourceSpans"]:
        for scope in resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans") or []:
            for span in scope.get("spans") or []:
                yield span, _flat(_keyed(span.get("attributes") or []))


def _span(given: Mapping[str, Any], attributes: dict[str, Any], where: tuple[str, int | None]) -> Span:
    span, parent = (_hexadecimal(part.of(given) or "") for part in (_SPAN, _PARENT))  # a root may have the parent 0
    events = given.get("events") or []
    return Span(_TRACE.of(given), span, parent, _START.of(given), attributes, where, _hits(attributes, events))


def _keyed(attributes: Iterable[Mapping[str, Any]] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of OTLP, a list of keys and values that say their type, as a dict."""
    if isinstance(attributes, Mapping):
        return dict(attributes)
    return {each["key"]: _bare(each["value"]) for each in attributes}


def _bare(value: Any) -> Any:
    """Take the type off a value of OTLP."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    if kind == "arrayValue":
        return [_bare(each) for each in inner.get("values") or []]
    if kind == "kvlistValue":
        return _keyed(inner.get("values") or [])
    return int(inner) if kind == "intValue" else inner


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Give attributes their dotted names, whether they are written so or nested."""
    if name in _LISTS and isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {name: value}
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        return {name: value}
    dot = f"{name}." if name else ""
    return {key: each for part, given in inner for key, each in _flat(given, f"{dot}{part}").items()}


def _hits(attributes: Mapping[str, Any], events: Iterable[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the documents of a span in their order, and whether it names any at all."""
    by_place: dict[int, Any] = {}
    for name, value in attributes.items():
        if found := _DOCUMENT.fullmatch(name):
            place = int(found[1])
            by_place[place] = value if found[2] in {"document.id", "id"} else by_place.get(place)
    documents = [by_place[place] for place in sorted(by_place)] or [
        _flat(_keyed(event.get("attributes") or {})).get(_EVENTS[str(event.get("name"))])
        for event in events
        if isinstance(event, Mapping) and str(event.get("name")) in _EVENTS
    ]
    return tuple(an_id(each, "id of a document") for each in documents), bool(documents)


def _in_time(spans: list[Span]) -> list[Span]:
    """Sort the spans of a trace by when they began; those that say nothing of that keep their order."""
    untimed = [span for span in spans if span.start is None]
    if untimed and len(untimed) < len(spans):
        with placed(*untimed[0].where):
            raise InputError(f"a span of trace {untimed[0].trace} has no start time, unlike others")
    return spans if untimed else sorted(spans, key=lambda span: span.start or 0)


def _topic(spans: list[Span], attribute: str) -> str | None:
    """Return the topic that the root of a trace names, or all of its spans that name one."""
    having = [span for span in spans if span.attributes.get(attribute) not in (None, "")]
    chosen = [span for span in having if not span.parent] or having
    if not chosen:
        return None
    topics: dict[str, Span] = {}
    for span in chosen:
        with placed(*span.where):
            topics[an_id(span.attributes[attribute], attribute)] = span
    if len(topics) > 1:
        first, second = list(topics)[:2]
        with placed(*topics[second].where):
            raise InputError(f"trace {spans[0].trace} has {attribute} {first!r} and {second!r}")
    return next(iter(topics))


def _text(span: Span) -> str | None:
    found = next((span.attributes[name] for name in _QUERY if name in span.attributes), None)
    return found if isinstance(found, str) else None


def _outermost(found: list[Span], by_id: Mapping[str, Span]) -> list[Span]:
    """Keep one span of those that lie in each other: the outermost that names documents, or the outermost."""
    with_documents = _outer(by_id, [span for span in found if span.hits[1]])
    covered = {id(above) for span in with_documents for above in _above(span, by_id)}
    silent = [span for span in found if not span.hits[1] and id(span) not in covered]
    kept = {id(span) for span in (*with_documents, *_outer(by_id, [*with_documents, *silent]))}
    return [span for span in found if id(span) in kept]


def _outer(by_id: Mapping[str, Span], spans: list[Span]) -> list[Span]:
    """Leave out those inside another of these."""
    these = {id(span) for span in spans}
    return [span for span in spans if not any(id(above) in these for above in _above(span, by_id))]


def _above(span: Span, by_id: Mapping[str, Span]) -> Iterator[Span]:
    """Go up from a span to the root; a circle ends where it closes."""
    seen = {span.span}
    while span.parent in by_id and span.parent not in seen:
        seen.add(span.parent)
        span = by_id[span.parent]
        yield span
