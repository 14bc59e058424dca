"""A webhook: what a planner gets, and what happens where it cannot be told."""

import hashlib
import hmac
import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler

import pytest

from pactkeeper.errors import SourceError, UsageError
from pactkeeper.health.watching import DELIVERY, SIGNATURE, TIMESTAMP, Webhook, WebhookClock
from tests.waiting import served

SECRET = "a secret of some length"
STILL = WebhookClock(now=lambda: 1000.0, sleep=lambda _: None)


@contextmanager
def planner(*codes):
    """A server that answers with these codes, one after the other; yields its address and what it got."""
    got, left = [], list(codes)

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((dict(self.headers), body))
            self.send_response(left.pop(0) if left else 200)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with served(Answer) as url:
        yield f"{url}/hook", got


def test_a_delivery_can_be_checked_by_whoever_knows_the_secret():
    with planner() as (url, got):
        Webhook(url, SECRET, clock=STILL).deliver("sweep-1", {"green": True})
    ((headers, body),) = got
    signed = hmac.new(SECRET.encode(), headers[TIMESTAMP].encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers[SIGNATURE] == f"sha256={signed}"
    assert (headers[DELIVERY], headers[TIMESTAMP], json.loads(body)) == ("sweep-1", "1000", {"green": True})


def test_a_server_that_is_in_trouble_is_tried_again_and_a_delivery_keeps_its_name():
    with planner(503, 429, 200) as (url, got):
        Webhook(url, SECRET, clock=STILL).deliver("sweep-1", {})
    assert [headers[DELIVERY] for headers, _ in got] == ["sweep-1"] * 3


@pytest.mark.parametrize(("codes", "tries"), [((500, 500, 500, 200), 3), ((404, 200), 1), ((302, 200), 1)])
def test_tries_are_bounded_and_neither_refusals_nor_redirects_are_tried_again(codes, tries):
    with planner(*codes) as (url, got):
        with pytest.raises(SourceError, match=f"it answers {codes[0]}"):
            Webhook(url, SECRET, clock=STILL).deliver("sweep-1", {})
        assert len(got) == tries


@contextmanager
def trickling():
    """An address that answers every caller a byte at a time, in a head that does not end; yields it and all sockets."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as opened:
        callers = []

        def drip(caller):
            with suppress(OSError):
                caller.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while caller.send(b"x"):
                    time.sleep(0.02)

        def take():
            with suppress(OSError):
                while True:
                    callers.append(opened.enter_context(listening.accept()[0]))
                    threading.Thread(target=drip, args=(callers[-1],), daemon=True).start()

        taking = threading.Thread(target=take)
        taking.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/hook", callers
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            taking.join()


def test_a_server_whose_answer_trickles_in_is_given_up_each_time():
    with trickling() as (url, callers):
        with pytest.raises(SourceError, match=r"ReadTimeout: no complete answer within 0\.3 seconds"):
            Webhook(url, SECRET, patience=0.3, clock=STILL).deliver("sweep-1", {})
        assert len(callers) == 3


def test_nobody_who_answers_is_an_error_that_does_not_show_the_secret():
    with planner() as (url, _):
        pass
    with pytest.raises(SourceError, match="did not accept sweep-1") as caught:
        Webhook(url, SECRET, clock=STILL).deliver("sweep-1", {})
    assert SECRET not in f"{caught.value}{Webhook(url, SECRET)!r}"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a/b", "https://", "https://ada:pw@host/x", "host/x"])
def test_only_web_addresses_without_passwords_are_called(url):
    with pytest.raises(UsageError, match="not a URL that can be called"):
        Webhook(url, SECRET)
