"""A guard for the whole test process: nothing but this machine is connected to, whatever a test or a library tries."""

import socket
from functools import wraps

NEAR = ("127.", "::1", "localhost")


def _near(connect):
    """The same way to connect, for addresses of this machine."""

    @wraps(connect)
    def connect_near(connection, address):
        if isinstance(address, tuple) and not str(address[0]).startswith(NEAR):
            raise ConnectionRefusedError(f"tests connect to this machine only, not to {address[0]!r}")
        return connect(connection, address)

    return connect_near


def guard():
    """Refuse connections to elsewhere for as long as the process lives.

    An audit hook would do so as well, but Python calls it for every `id`, which costs more than a tenth of all tests.
    """
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _near(getattr(socket.socket, name)))
