import asyncio
import socket
import ssl

import pytest

ELSEWHERE = ("192.0.2.1", 443)
REFUSED = pytest.raises(ConnectionRefusedError, match="this machine only")


@pytest.mark.parametrize("way", ["connect", "connect_ex"])
def test_no_test_of_models_can_reach_another_machine(way):
    with socket.socket() as one, REFUSED:
        one.settimeout(1)
        getattr(one, way)(ELSEWHERE)


def test_nor_by_a_secure_connection():
    with (
        socket.socket() as plain,
        ssl.create_default_context().wrap_socket(plain, server_hostname="there") as one,
        REFUSED,
    ):
        one.settimeout(1)
        one.connect(ELSEWHERE)


def test_nor_by_a_loop():
    with REFUSED:
        asyncio.run(asyncio.wait_for(asyncio.open_connection(*ELSEWHERE), 1))
