"""A cluster counts as started once its master tells its state."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from benchmarks.cluster import answers, free_port


@pytest.mark.parametrize(("body", "expected"), [(b"", False), (b"<html>", False), (b'{"workers": []}', True)])
def test_a_master_answers_once_its_state_can_be_read(body: bytes, expected: bool) -> None:
    class Master(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Master) as server:
        threading.Thread(target=server.handle_request).start()
        assert answers(server.server_port) is expected


def test_nobody_answers_at_a_port_that_nobody_uses() -> None:
    assert not answers(free_port())
