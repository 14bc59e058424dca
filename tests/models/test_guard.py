import socket

import pytest


def test_no_test_of_models_can_reach_another_machine():
    with socket.socket() as one:
        one.settimeout(1)
        with pytest.raises(ConnectionRefusedError, match="this machine only"):
            one.connect(("192.0.2.1", 80))
