import os
import signal

import pytest
from hypothesis import settings

from tests.loopback import guard

# A deadline measures the machine, and tests say what holds on every machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A shell that runs the tests in the background ignores Ctrl-C, and so would every command that a test starts and stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def own_caches(tmp_path_factory):
    """Whatever is kept below a person's caches ends with the tests."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("caches"))
    yield
    os.environ.pop("XDG_CACHE_HOME")
    if before is not None:
        os.environ["XDG_CACHE_HOME"] = before


guard()
