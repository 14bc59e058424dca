import gc
import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from tests.loopback import guard
from tests.postgres import postgres

__all__ = ["postgres"]

# The same examples in every run, and no verdict that depends on how busy the machine is. `make test-slow` takes "full".
STEADY = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", STEADY, max_examples=30)
settings.register_profile("full", STEADY, max_examples=100)
settings.load_profile("quick")

# A shell that runs the tests in the background ignores Ctrl-C, and so would every command that a test starts and stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests write thousands of small files and wait for each to be on disk; in memory there is nothing to wait for.
MEMORY, ENOUGH = "/dev/shm", 4 * 1024**3


def in_memory():
    """Whether there is a folder in memory with room for everything that tests keep, from which programs may be run."""
    try:
        place = os.statvfs(MEMORY)
    except OSError:
        return False
    return place.f_bavail * place.f_frsize >= ENOUGH and not place.f_flag & getattr(os, "ST_NOEXEC", 0)


# What tests declare to run is theirs; tests of trust take this away.
os.environ.setdefault("PACTKEEPER_TRUST_CHECKS", "any")

if "TMPDIR" not in os.environ and in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


GIT = """\
[user]
	name = Ada Lovelace
	email = ada@example.org
"""


@pytest.fixture(autouse=True, scope="session")
def own_surroundings(tmp_path_factory):
    """Nothing that the person who runs the tests has set up is read, and what tests keep for a person ends with them."""
    place = tmp_path_factory.mktemp("person")
    (place / "gitconfig").write_text(GIT)
    own = {f"XDG_{kind.upper()}_HOME": str(place / kind) for kind in ("cache", "config", "data")}
    own |= {"GIT_CONFIG_GLOBAL": str(place / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def nothing_left_behind(own_surroundings):
    """A test that changes where every later one of its process runs is an error of its own."""
    before = surroundings()
    yield
    after = surroundings()
    if after != before:
        os.chdir(before[1])
        os.environ.clear()
        os.environ.update(before[0])
        pytest.fail(f"the test left another environment or folder: {set(after[0].items()) ^ set(before[0].items())}")


def surroundings():
    named = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return named, os.getcwd()  # noqa: PTH109 - compared and given back as it is


@pytest.fixture(scope="session")
def empty_history(tmp_path_factory):
    """A history without rows, to be copied: making one takes longer than most tests."""
    from pactkeeper.store.database import open_database, sqlite_url  # noqa: PLC0415 - most test files need no database

    path = tmp_path_factory.mktemp("empty") / "history.db"
    open_database(sqlite_url(path)).close()
    return path


def pytest_collection_finish():
    """What was collected stays to the end; nobody need look through it for garbage again and again."""
    gc.freeze()


guard()
