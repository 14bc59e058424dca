import gc
import importlib
import os
import signal
import tempfile
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings

from tests.loopback import guard
from tests.postgres import postgres

__all__ = ["postgres"]

# The same examples in every run, and no verdict that depends on how busy the machine is. `make test-slow` takes "full".
STEADY = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", STEADY, max_examples=15)
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
# The small tests that tests write have names of three words, which are too few for most readers; tests of the bar set it.
os.environ.setdefault("PACTKEEPER_THRESHOLD", "0.32")

if "TMPDIR" not in os.environ and in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


# New objects between two looks for cycles; a test makes many more than the usual 700, and hardly one cycle.
FEW_CYCLES = 20000

# New repositories get two empty folders instead of fourteen samples of hooks, and a commit starts no second process
# that looks for something to tidy up. A copied file keeps its size and the second it was written in, so that git takes
# the files of a copied repository for unchanged.
GIT = """\
[core]
	checkStat = minimal
	trustctime = false
[user]
	name = Ada Lovelace
	email = ada@example.org
[init]
	templateDir = {template}
[maintenance]
	auto = false
"""


@pytest.fixture(autouse=True, scope="session")
def own_surroundings(tmp_path_factory):
    """Nothing that the person who runs the tests has set up is read, and what tests keep for a person ends with them."""
    place = tmp_path_factory.mktemp("person")
    template = place / "template"
    for folder in ("hooks", "info"):
        (template / folder).mkdir(parents=True)
    (place / "gitconfig").write_text(GIT.format(template=template))
    own = {f"XDG_{kind.upper()}_HOME": str(place / kind) for kind in ("cache", "config", "data")}
    own |= {"GIT_CONFIG_GLOBAL": str(place / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(params=["sqlite", "postgres"])
def checkpoints(request, tmp_path):
    """Where a graph keeps its checkpoints, on either system."""
    if request.param == "sqlite":
        yield tmp_path / "checkpoints.db"
        return
    with request.getfixturevalue("postgres").database() as url:
        yield url


@pytest.fixture(autouse=True)
def nothing_left_behind(own_surroundings):
    """What a test changes of environment and folder is gone before the next one of its process."""
    before, folder = dict(os.environ), os.getcwd()  # noqa: PTH109 - given back as it is
    yield
    os.chdir(folder)
    before["PYTEST_CURRENT_TEST"] = os.environ["PYTEST_CURRENT_TEST"]  # names the phase of the test as well
    if dict(os.environ) != before:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="session")
def empty_history(tmp_path_factory):
    """A history without rows, to be copied: making one takes longer than most tests."""
    from pactkeeper.store.database import open_database, sqlite_url  # noqa: PLC0415 - most test files need no database

    path = tmp_path_factory.mktemp("empty") / "history.db"
    open_database(sqlite_url(path)).close()
    return path


def pytest_xdist_auto_num_workers():
    """Twice as many processes as cores: half of the tests wait for servers, other processes and disks."""
    return 2 * (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def import_from_own_place(config):
    """Import the test modules, each worker beginning at another place, so one compiles for all what has changed."""
    own = getattr(config, "workerinput", None)
    if own is None or config.args != config.getini("testpaths"):
        return
    outside = set(config.getini("norecursedirs"))
    folder = config.rootpath / "tests"
    modules = sorted(path.relative_to(config.rootpath) for path in folder.rglob("test_*.py"))
    names = [".".join(one.with_suffix("").parts) for one in modules if not outside.intersection(one.parts)]
    start = int(own["workerid"].removeprefix("gw")) * len(names) // own["workercount"]
    for name in names[start:] + names[:start]:
        with suppress(Exception, pytest.skip.Exception):  # told where the module is collected
            importlib.import_module(name)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """What is collected stays to the end, so nobody looks through it for garbage, neither now nor later."""
    gc.disable()
    try:
        import_from_own_place(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(FEW_CYCLES)
        gc.enable()


guard()
