"""The one module that talks to SQLite: a folder with one file, in which events, people's links and texts are kept."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Final, NamedTuple, Self

from cranfield.formats.writing import new_folder, refuse_taken
from cranfield.plumbing.errors import CranfieldError, InputError

DATABASE: Final = "judging.sqlite"
LOCK: Final = "serving.lock"  # What the file is called that the one process holds that may write
BUSY_SECONDS: Final = 5.0
MOST_HITS: Final = 50
SCHEMA_STEPS: Final[tuple[tuple[str, str], ...]] = (
    (
        "events, answers, links, sessions and texts",
        """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
        CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, line TEXT NOT NULL);
        CREATE TABLE answers (who TEXT NOT NULL, key TEXT NOT NULL, asked TEXT NOT NULL, answer TEXT NOT NULL,
                              PRIMARY KEY (who, key)) WITHOUT ROWID;
        CREATE TABLE links (hash TEXT PRIMARY KEY, name TEXT NOT NULL, until REAL NOT NULL, used REAL);
        CREATE TABLE sessions (hash TEXT PRIMARY KEY, name TEXT NOT NULL, until REAL NOT NULL);
        CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
                                text TEXT NOT NULL, fields TEXT NOT NULL, digest TEXT NOT NULL);
        CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
        CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
        """,
    ),
    (
        "search of titles, texts and fields, and images",
        """
        CREATE VIRTUAL TABLE words USING fts5(title, text, fields, content='documents', content_rowid='number',
                                              tokenize='porter unicode61 remove_diacritics 2');
        CREATE TABLE images (document TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,
                             PRIMARY KEY (document, number));
        INSERT INTO words (words) VALUES ('rebuild');
        """,
    ),
)
"""What made the tables what they are, step by step: a file of an earlier version is brought up to date by the rest."""


class StoreError(CranfieldError):
    """Something that could not be kept, or read: nothing of it has happened."""


UNFINISHED: Final = "the task is incomplete; create it again"


class KeptText(NamedTuple):
    """A document as it is kept."""

    id: str
    title: str
    text: str
    fields: dict[str, str]
    digest: str


class Image(NamedTuple):
    """An image of a document: what it is, and its bytes."""

    kind: str
    data: bytes


class Store:
    """A folder in which a judging task is kept: what is committed is on the disk before anybody hears of it."""

    def __init__(self, folder: str | Path, *, writing: bool = True, new: bool = False) -> None:
        self.folder = Path(folder)
        self.path = self.folder / DATABASE
        if not self.path.is_file():
            raise InputError(
                "there is no judging task here; make one with `cranfield judge new`", source=str(self.folder)
            )
        self._lock = _locked(self.folder) if writing else None
        self._reading, self._turn = Lock(), Lock()
        with ExitStack() as undone:
            undone.callback(self._release)
            self._reader = undone.enter_context(closing(_opened(self.path, writing=False)))
            if not new:
                self._refuse_other()
            self._file = undone.enter_context(closing(_opened(self.path, writing=writing)))
            with _told(self.path):
                self._bring_up_to_date(writing=writing)
            undone.pop_all()

    @classmethod
    def create(cls, folder: str | Path, facts: dict[str, bytes]) -> Self:
        """Make a task in a folder, which must be new or empty, with what is fixed about it."""
        _locks()  # before anything is made
        _begun(folder)
        store = cls(folder, new=True)
        store.put_facts(facts)
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        for each in (self._reader, self._file):
            each.close()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # What is fixed.

    def fact(self, name: str) -> bytes | None:
        """Return something that is fixed about the task."""
        row = self._one("SELECT value FROM facts WHERE name = ?", (name,))
        return None if row is None else bytes(row[0])

    def put_facts(self, facts: dict[str, bytes]) -> None:
        """Fix something about the task."""
        with self._writing() as file:
            file.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())

    # Events.

    def lines(self, after: int = 0) -> Iterator[str]:
        """Go through the lines of the log, in the order in which they were committed."""
        with self._reading, _told(self.path):
            rows = self._reader.execute("SELECT line FROM events WHERE sequence > ? ORDER BY sequence", (after,))
            found = [line for (line,) in rows]
        yield from found

    def ids(self, names: Sequence[str]) -> set[str]:
        """Say which of these events are there."""
        return {name for (name,) in self._named("SELECT id FROM events WHERE id IN ({})", names)}

    def commit(self, events: Iterable[tuple[str, str]], answered: tuple[str, str, str, str] | None = None) -> None:
        """Keep events (id and line), and what was answered (who, key, what was asked, answer): all or nothing."""
        with self._writing() as file:
            file.executemany("INSERT INTO events (id, line) VALUES (?, ?)", events)
            if answered is not None:
                file.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", answered)

    def answer(self, who: str, key: str) -> tuple[str, str] | None:
        """Return what somebody asked under this key before, and what the answer was."""
        row = self._one("SELECT asked, answer FROM answers WHERE who = ? AND key = ?", (who, key))
        return None if row is None else (row[0], row[1])

    # Links and sessions, of which only hashes are kept.

    def put_link(self, hashed: str, name: str, until: float) -> None:
        """Keep a link that works once, and invalidate the person's earlier ones; a known one stays as it is."""
        with self._writing() as file:
            if file.execute("SELECT 1 FROM links WHERE hash = ?", (hashed,)).fetchone() is None:
                file.execute("UPDATE links SET until = 0 WHERE name = ? AND used IS NULL", (name,))
                file.execute("INSERT INTO links VALUES (?, ?, ?, NULL)", (hashed, name, until))

    def use_link(self, hashed: str, now: float, session: tuple[str, float]) -> str | None:
        """Let a link be used, and begin a session (hash, until); return whose it is, or None if it is not good."""
        with self._writing() as file:
            used = file.execute(
                "UPDATE links SET used = ? WHERE hash = ? AND used IS NULL AND until > ? RETURNING name",
                (now, hashed, now),
            ).fetchone()
            if used is None:
                return None
            file.execute("INSERT INTO sessions VALUES (?, ?, ?)", (session[0], used[0], session[1]))
            return str(used[0])

    def put_session(self, hashed: str, name: str, until: float) -> float:
        """Begin a session without a link, as programs have it; return until when it is, if it was begun before."""
        with self._writing() as file:
            file.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)", (hashed, name, until))
            return float(file.execute("SELECT until FROM sessions WHERE hash = ?", (hashed,)).fetchone()[0])

    def end_sessions(self, name: str, hashed: str | None = None) -> None:
        """End one session of somebody, or all, and their links."""
        with self._writing() as file:
            if hashed is not None:
                file.execute("DELETE FROM sessions WHERE name = ? AND hash = ?", (name, hashed))
                return
            file.execute("DELETE FROM sessions WHERE name = ?", (name,))
            file.execute("UPDATE links SET until = 0 WHERE name = ? AND used IS NULL", (name,))

    def session(self, hashed: str) -> tuple[str, float] | None:
        """Return whose a session is, and until when."""
        row = self._one("SELECT name, until FROM sessions WHERE hash = ?", (hashed,))
        return None if row is None else (row[0], row[1])

    def entered(self) -> set[str]:
        """Name those who have come in by a link, or have a token."""
        return {name for (name,) in self._all("SELECT DISTINCT name FROM sessions")}

    # Texts.

    def put_documents(self, documents: Iterable[tuple[KeptText, Sequence[Image]]]) -> int:
        """Keep documents; those of the same id are replaced. Return how many."""
        count = 0
        with self._writing() as file:
            for document, images in documents:
                count += 1
                fields = json.dumps(document.fields, ensure_ascii=False)
                file.execute(
                    "INSERT INTO documents (id, title, text, fields, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) "
                    "DO UPDATE SET title = excluded.title, text = excluded.text, fields = excluded.fields, "
                    "digest = excluded.digest",
                    (document.id, document.title, document.text, fields, document.digest),
                )
                file.execute("DELETE FROM images WHERE document = ?", (document.id,))
                numbered = ((document.id, number, *image) for number, image in enumerate(images))
                file.executemany("INSERT INTO images VALUES (?, ?, ?, ?)", numbered)
            file.execute("INSERT INTO words (words) VALUES ('rebuild')")
        return count

    def document(self, name: str) -> KeptText | None:
        """Return a document."""
        row = self._one("SELECT id, title, text, fields, digest FROM documents WHERE id = ?", (name,))
        return None if row is None else KeptText(row[0], row[1], row[2], json.loads(row[3]), row[4])

    def titles(self, names: Sequence[str]) -> dict[str, str]:
        """Return the titles of documents."""
        return dict(self._named("SELECT id, title FROM documents WHERE id IN ({})", names))

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self._one("SELECT count(*) FROM documents")[0])

    def images(self, name: str) -> int:
        """Return how many images a document has."""
        return int(self._one("SELECT count(*) FROM images WHERE document = ?", (name,))[0])

    def image(self, name: str, number: int) -> Image | None:
        """Return one image of a document."""
        row = self._one("SELECT kind, data FROM images WHERE document = ? AND number = ?", (name, number))
        return None if row is None else Image(row[0], bytes(row[1]))

    def search(self, words: Sequence[str]) -> list[tuple[str, str, str]]:
        """Return id, title and the place of the text for documents with all of the words, best first; or with some."""
        quoted = ['"{}"'.format(word.replace('"', '""')) for word in words]
        if not quoted:
            return []
        query = (
            "SELECT documents.id, documents.title, snippet(words, 1, '', '', ' … ', 24) FROM words "
            "JOIN documents ON documents.number = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ?"
        )
        every = self._all(query, (" AND ".join(quoted), MOST_HITS))
        return every or self._all(query, (" OR ".join(quoted), MOST_HITS))

    # The file as a whole.

    def backup(self, copy: str | Path) -> None:
        """Copy the task into a folder, which must be new or empty, also while another process writes."""
        with new_folder(copy, now=True, mode=0o700) as aside:
            _begun(aside)
            with self._reading, _told(aside / DATABASE), closing(sqlite3.connect(aside / DATABASE)) as target:
                self._reader.backup(target)
                target.execute("PRAGMA journal_mode = WAL")
            with Store(aside, writing=False) as made:
                for problem in made.problems():
                    raise InputError(f"the copy is damaged: {problem}", source=str(copy))

    def problems(self) -> list[str]:
        """Let SQLite check the whole file; nothing is found in one that is sound."""
        found = [str(row[0]) for row in self._all("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def _refuse_other(self) -> None:
        """Refuse a database of something else before it is touched."""
        [version] = self._one("PRAGMA user_version")
        if version == 0:
            something = self._one("SELECT name FROM sqlite_master LIMIT 1") is not None
            problem = "is the database of something else, not a judging task" if something else UNFINISHED
            raise InputError(problem, source=str(self.path))

    def _bring_up_to_date(self, *, writing: bool) -> None:
        [version] = self._file.execute("PRAGMA user_version").fetchone()
        if version > len(SCHEMA_STEPS):
            raise InputError(
                f"it was made by a later version of cranfield (tables of version {version}; this one knows "
                f"{len(SCHEMA_STEPS)}); install that version or a later one",
                source=str(self.path),
            )
        if version < len(SCHEMA_STEPS) and not writing:
            raise InputError(
                "it was made by an earlier version of cranfield; serve it once to update it", source=str(self.path)
            )
        for number, (_, step) in enumerate(SCHEMA_STEPS[version:], version + 1):
            self._file.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Do several things or none; they are on the disk at the end."""
        with self._turn, _told(self.path):
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                raise

    def _one(self, query: str, given: Sequence[object] = ()) -> Any:
        with self._reading, _told(self.path):
            return self._reader.execute(query, given).fetchone()

    def _all(self, query: str, given: Sequence[object] = ()) -> list[Any]:
        with self._reading, _told(self.path):
            return self._reader.execute(query, given).fetchall()

    def _named(self, query: str, names: Sequence[str]) -> Iterator[Any]:
        """Ask for what has one of some names, of which SQLite takes no more than some hundred at once."""
        for at in range(0, len(names), 500):
            some = names[at : at + 500]
            yield from self._all(query.format(",".join("?" * len(some))), some)


def _opened(path: Path, *, writing: bool) -> sqlite3.Connection:
    with _told(path), ExitStack() as undone:
        # A file that may be read alone would have to be there with its companions; so it is opened as it is.
        file = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        undone.enter_context(closing(file))
        file.text_factory = str
        if writing:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = FULL")
        else:
            file.execute("PRAGMA query_only = ON")
        undone.pop_all()
        return file


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in words what SQLite says."""
    try:
        yield
    except sqlite3.Error as error:
        why = str(error)
        if "locked" in why or "busy" in why:
            said = "another process keeps it locked; nothing was recorded: try again"
        elif "full" in why:
            said = "the disk is full; nothing was recorded: free some space, and try again"
        elif "readonly" in why or "read-only" in why:
            said = "it is read-only; nothing was recorded"
        elif "malformed" in why or "not a database" in why:
            said = f"the file is damaged ({why}); go on with a backup"
        else:
            said = f"it could not be read or written ({why}); nothing was recorded"
        raise StoreError(f"{path}: {said}") from error
    except UnicodeEncodeError:
        raise StoreError(f"{path}: a text holds half of a character, which cannot be kept") from None


def _begun(folder: str | Path) -> None:
    """Make a folder with an empty file, which nobody else can read; it must be new or empty."""
    refuse_taken(folder)
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True, mode=0o700)
        (where / DATABASE).touch(mode=0o600)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror})", source=str(where)) from None


def _locks() -> ModuleType:
    """Return what locks files, of which the system lets go when a process ends; reading and copying need none."""
    try:
        import fcntl
    except ImportError:  # Windows
        raise InputError(
            "judging tasks need a file lock that this system lacks (POSIX flock): make and serve them on Linux or "
            "macOS, in WSL or in a container; people can judge there from any browser"
        ) from None
    return fcntl


def _locked(folder: Path) -> int:
    """Hold the folder's lock; it is let go when the process ends, however that ends."""
    locks = _locks()
    try:
        held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", source=str(folder)) from None
    try:
        locks.flock(held, locks.LOCK_EX | locks.LOCK_NB)
    except OSError:
        os.close(held)
        raise InputError(
            "another process serves this task; end it first, since only one may write", source=str(folder)
        ) from None
    return held
