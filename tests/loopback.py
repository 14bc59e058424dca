"""A guard for the whole test process: nothing but this machine is connected to, whatever a test or a library tries."""

import sys

NEAR = ("127.", "::1", "localhost")


def _watch(event, arguments):
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and not str(address[0]).startswith(NEAR):
        raise ConnectionRefusedError(f"tests connect to this machine only, not to {address[0]!r}")


def guard():
    """Refuse connections to elsewhere for as long as the process lives; an audit hook cannot be taken back."""
    sys.addaudithook(_watch)
