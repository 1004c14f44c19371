"""Who is let in: links that are good once become signed sessions, which end when they are revoked."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest, digest
from secrets import token_urlsafe
from typing import Final

from cranfield.app.judging.desk import Desk
from cranfield.app.judging.task_board import Person
from cranfield.plumbing.errors import CranfieldError

DAY: Final = 86_400.0
LINK_LASTS: Final = 14 * DAY
SESSION_LASTS: Final = 30 * DAY
TOKEN_LASTS: Final = 365 * DAY
SECRET: Final = "secret"  # noqa: S105 - what the fact is called by which a task signs


class NotLetInError(CranfieldError):
    """Somebody who is not known here, or no longer."""


class Door:
    """Lets people in who bring what they were given. Of links and sessions only hashes are kept."""

    def __init__(self, desk: Desk, random: Callable[[], str] = lambda: token_urlsafe(32)) -> None:
        self.desk, self._random = desk, random
        secret = desk.store.fact(SECRET)
        if secret is None:
            raise NotLetInError("the task is incomplete; create it again")
        self._secret = secret

    def link(self, name: str, seed: str | None = None) -> str:
        """Make the secret of a link that is good once, in place of an earlier one; of the same seed the same."""
        made = self._made(name, seed)
        self.desk.store.put_link(_hashed(made), name, self.desk.clock() + LINK_LASTS)
        return made

    def token(self, name: str, seed: str | None = None) -> str:
        """Make what a program sends with each request; of the same seed the same."""
        nonce = self._made(name, seed)
        until = self.desk.store.put_session(_hashed(nonce), name, self.desk.clock() + TOKEN_LASTS)
        return self._signed(self.desk.person(name), nonce, until)

    def _made(self, name: str, seed: str | None) -> str:
        if seed is None:
            return self._random()
        return _text(self._signature(json.dumps(["made", name, self.desk.person(name).turn, seed]).encode()))

    def enter(self, link: str) -> tuple[Person, str]:
        """Use a link: return who comes in, and what their browser is to send from now on."""
        now, nonce = self.desk.clock(), self._random()
        name = self.desk.store.use_link(_hashed(link), now, (_hashed(nonce), now + SESSION_LASTS))
        person = self.desk.board.people.get(name or "")
        if person is None or not person.active:
            raise NotLetInError("this link was already used, has expired, or was revoked: ask for a new one")
        return person, self._signed(person, nonce, now + SESSION_LASTS)

    def who(self, brought: str) -> Person:
        """Return who brings a cookie or a token, or refuse them."""
        person, hashed = self._read(brought)
        session = self.desk.store.session(hashed)
        if session is None or session[0] != person.name or session[1] < self.desk.clock():
            raise NotLetInError("your access was revoked: ask for a new link")
        return person

    def leave(self, brought: str) -> None:
        """End one session."""
        person, hashed = self._read(brought)
        self.desk.store.end_sessions(person.name, hashed)

    def _signed(self, person: Person, nonce: str, until: float) -> str:
        said = json.dumps([self.desk.task.id, person.name, person.turn, nonce, until]).encode()
        return f"{_text(said)}.{_text(self._signature(said))}"

    def _signature(self, said: bytes) -> bytes:
        return digest(self._secret, said, "sha256")

    def _read(self, brought: str) -> tuple[Person, str]:
        """Return whose a cookie is, and the hash of its session, if we signed it and they were not revoked since."""
        said, _, signature = brought.partition(".")
        try:
            written, signed = _bytes(said), _bytes(signature)
            good = compare_digest(signed, self._signature(written))
            task, name, turn, nonce, _ = json.loads(written) if good else ("", "", 0, "", 0)
        except (ValueError, RecursionError):
            good = False
        if not good or task != self.desk.task.id:
            raise NotLetInError("you are not signed in: open the link that you were sent")
        person = self.desk.board.people.get(name)
        if person is None or not person.active or person.turn != turn:
            raise NotLetInError("your access was revoked: ask for a new link")
        return person, _hashed(nonce)


def _hashed(secret: str) -> str:
    """Return what is kept of a secret: it is random and long, so that a plain hash tells nothing."""
    return sha256(secret.encode()).hexdigest()


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode((text + "=" * (-len(text) % 4)).encode("ascii"))
