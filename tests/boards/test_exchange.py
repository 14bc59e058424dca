"""The time for one HTTP exchange."""

import socket
from dataclasses import dataclass

import httpx2
import pytest

from pactkeeper.boards.calls import Exchanges
from tests.waiting import until


@dataclass
class Stream:
    """A connection as the library tells of it."""

    socket: socket.socket

    def get_extra_info(self, _name):
        return self.socket


def connect_late(exchanges, connection):
    with exchanges.within(0.01):
        until(exchanges._over.is_set)
        exchanges.noted("connection.connect_tcp.complete", {"return_value": Stream(connection)})


def test_a_connection_that_is_made_after_the_time_is_over_is_cut_at_once():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with pytest.raises(httpx2.ReadTimeout, match="no complete answer"):
            connect_late(Exchanges(), ours)
        assert theirs.recv(1) == b""
