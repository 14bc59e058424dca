"""A real Postgres for tests: started on a socket of its own, or the one that PACTKEEPER_TEST_POSTGRES names."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

try:
    import psycopg
except ImportError:  # an extra
    psycopg = None  # type: ignore[assignment]

NAMED = "PACTKEEPER_TEST_POSTGRES"
STARTS = 240.0


class Unavailable(Exception):
    """No server can be had here; the message is the reason to skip with."""


@dataclass
class Server:
    """A running server; `url` names its `postgres` database. One that was there before is never stopped."""

    url: str
    folder: Path | None = None
    command: Sequence[str] = ()
    process: subprocess.Popen | None = field(default=None, repr=False)

    def sql(self, statement: str, url: str | None = None) -> list:
        """Run one statement outside of any transaction, on this or another URL, and return its rows."""
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def of(self, database):
        """The URL of another database of the same server."""
        head, _, query = self.url.partition("?")
        return f"{head.rsplit('/', 1)[0]}/{database}" + (f"?{query}" if query else "")

    @contextmanager
    def database(self, options=""):
        """The URL of a new, empty database, which is dropped at the end with whoever still uses it."""
        name = f"pk_{uuid.uuid4().hex}"
        self.sql(f"CREATE DATABASE {name} {options}")
        try:
            yield self.of(name)
        finally:
            self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    def end_sessions(self, database):
        """What an administrator, or a server that restarts, does to every session of a database; all are gone then."""
        self.sql(f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '{database}'")  # noqa: S608

    @contextmanager
    def tablespace(self, folder):
        """The name of a place for tables in a folder that the server may write."""
        name = f"pk_{uuid.uuid4().hex}"
        inner = Path(folder) / "tables"
        inner.mkdir()
        user = _user()
        if user:
            os.chown(inner, *user[1:])
        self.sql(f"CREATE TABLESPACE {name} LOCATION '{inner}'")
        try:
            yield name
        finally:
            self.sql(f"DROP TABLESPACE {name}")

    @property
    def ours(self):
        """Whether it may be stopped."""
        return bool(self.command)

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        assert self.folder
        log = self.folder / "log"
        with log.open("ab") as stream:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
        end = time.monotonic() + STARTS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Unavailable(f"postgres did not start: {log.read_text(errors='replace')[-500:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server, ending every session."""
        if self.process is not None:
            self.process.send_signal(2)
            try:
                self.process.wait(STARTS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    @contextmanager
    def away(self):
        """A while without the server; the tests after this one have it again, whatever becomes of this one."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def _answers(self):
        try:
            self.sql("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


def start_server(**changed) -> Server:
    """Start a server for this process, with some settings changed; raises Unavailable where none can be had."""
    if psycopg is None:
        raise Unavailable("psycopg is not installed: pip install 'pactkeeper[postgres]'")
    if os.environ.get(NAMED):
        return Server(os.environ[NAMED])
    programs, user = _programs(), _user()
    folder = Path(tempfile.mkdtemp(prefix="pk-postgres-"))
    try:
        if user:
            os.chown(folder, *user[1:])
        become = _become(user)
        _run(
            [
                *become,
                programs / "initdb",
                "-D",
                folder / "data",
                "-U",
                "pactkeeper",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync",
            ]
        )
        settings = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off", "max_connections": 50}
        settings |= changed
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(part) for part in (*become, programs / "postgres", "-D", folder / "data", *options)]
        server = Server(f"postgresql://pactkeeper@/postgres?host={folder}", folder, command)
        server.start()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return server


def _programs() -> Path:
    named = (shutil.which("postgres"), "/usr/local/bin/postgres")
    found = [Path(path) for path in named if path is not None and Path(path).exists()]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda one: int(one.parts[-3]))
    for path in (*found, *reversed(debian)):
        folder = path.resolve().parent
        if (folder / "initdb").is_file():
            return folder
    raise Unavailable("postgres and initdb are not installed here")


def _user() -> tuple[str, int, int] | None:
    """Postgres refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return name, entry.pw_uid, entry.pw_gid
    raise Unavailable("postgres does not run as root, and there is no user 'postgres' or 'nobody'")


def _become(user) -> list[str]:
    """Run as that user, and end when the test process is killed."""
    program = shutil.which("setpriv")
    if program is None:
        if user:
            raise Unavailable("postgres does not run as root, and there is no setpriv to become another user")
        return []
    identity = [f"--reuid={user[1]}", f"--regid={user[2]}", "--clear-groups"] if user else []
    return [program, *identity, "--pdeathsig=INT"]


def _run(command) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd="/", check=False)
    if done.returncode:
        raise Unavailable(f"initdb failed: {(done.stderr or done.stdout).strip()[-500:]}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One server for all tests of this process; they skip where none can be had."""
    try:
        server = start_server()
    except Unavailable as reason:
        pytest.skip(str(reason))
    try:
        yield server
    finally:
        server.stop()
        if server.folder:
            shutil.rmtree(server.folder, ignore_errors=True)
