"""`pk` in a process of its own without paying for the imports each time: a server imports once and forks per command.

A command gets its own process, folder, environment, input and output, as if started from a shell; what it imports
beyond the server's modules it imports itself. The server has run a few commands before, so that tables and patterns
are made once and not by every command. Tests of the start itself start an interpreter, and so do those that kill a
process from outside.
"""

import atexit
import fcntl
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import traceback
import uuid
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType

# What commands import late: libraries, rooms, and what only those import who have an extra.
WARM = (
    "alembic.command",
    "alembic.runtime.migration",
    "langgraph.checkpoint.sqlite",
    "langgraph.graph",
    "langgraph.types",
    "rapidfuzz.fuzz",
    "sqlalchemy.dialects.sqlite",
    "tree_sitter_javascript",
    "tree_sitter_python",
    "tree_sitter_typescript",
)
ROOMS = tuple(f"pactkeeper.{room}" for room in ("doors.cli", "flows", "operators", "repo", "store"))
EXTRAS = (
    "pactkeeper.models.line",
    "openai",
    "psycopg",
    "pydantic_ai.models.openai",
    "sqlalchemy.dialects.postgresql.psycopg",
)
TICKET = "Title: Export orders\nProblem: Accountants copy orders by hand.\nAC: An export of 1000 orders has 1000 rows."
PLAIN = {"PATH", "HOME", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "PACTKEEPER_THRESHOLD"}
PRACTICE = (("init",), ("reconcile", "--all"), ("apply", "--all"), ("check",), ("thread", "new", TICKET, "--by", "Ada"))
SECONDS = 300
# All workers of a run find one server here.
PLACE = f"{tempfile.gettempdir()}/pk-forking-{os.environ.get('PYTEST_XDIST_TESTRUNUID') or uuid.uuid4().hex}"
READY = "ready\n"


@dataclass
class Server:
    """The process that forks, which all workers of a run share at `place`: whoever needs it first starts it.

    It gets `surroundings` in addition to ours.
    """

    surroundings: Mapping[str, str] = field(default_factory=dict)
    place: str = PLACE
    connection: socket.socket | None = None
    process: subprocess.Popen | None = None

    def run(self, arguments, *, cwd, feed, env):
        """The exit code and what was printed on each stream; raises TimeoutExpired after `SECONDS`."""
        return self.run_at_once([arguments], cwd=cwd, feed=feed, env=env)[0]

    def run_at_once(self, commands, *, cwd, feed, env):
        """Several commands that begin at the same moment, each in a process of its own; gives what `run` gives."""
        with tempfile.TemporaryDirectory(prefix="pk-") as folder:
            places = [Path(folder, str(number)) for number in range(len(commands))]
            for place in places:
                place.mkdir()
                (place / "0").write_text(feed, encoding="utf-8")
            more = {"cwd": str(cwd), "env": env}
            asked = [
                {"arguments": one, "streams": str(place), **more} for one, place in zip(commands, places, strict=True)
            ]
            return [_came(*one) for one in zip(commands, self._asked(asked), places, strict=True)]

    def program(self, *arguments):
        """The command line of `pk`, or of `python` with `-c`, for whoever starts a process; it inherits as usual."""
        self._connect()
        forked = Path(__file__).with_name("forked.py")
        return [sys.executable, "-I", "-S", str(forked), self.place, *map(str, arguments)]

    def _connect(self):
        if self.connection is None:
            self.connection = self._connected()
            self.connection.sendall(b".")
            atexit.register(self._end)

    def _asked(self, requests):
        self._connect()
        assert self.connection is not None
        self.connection.sendall(json.dumps(requests).encode() + b"\n")
        with self.connection.makefile() as answers:  # one line comes for one line
            return json.loads(answers.readline())

    def _connected(self):
        """A connection to the server of this run, which is started where none answers."""
        with Path(f"{self.place}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return _connection(self.place)
            self._start()
            return _connection(self.place)

    def _start(self):
        command = [sys.executable, "-m", "tests.doors.forking", self.place]
        self.process = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[2],  # wherever the test that comes first may be
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.surroundings},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == READY

    def _end(self):
        """Nothing more will be asked, so whoever serves us ends by itself."""
        assert self.connection is not None
        self.connection.close()
        if self.process is None:
            return
        assert self.process.stdin is not None
        self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()


def _connection(place):
    made = socket.socket(socket.AF_UNIX)
    try:
        made.connect(place)
    except OSError:
        made.close()
        raise
    return made


def _came(arguments, code, place):
    out, err = ((place / name).read_text(encoding="utf-8") for name in "12")
    if code is None:
        raise subprocess.TimeoutExpired(["pk", *arguments], SECONDS, out, err)
    return code, out, err


SERVER = Server()


def serve(place):
    """Serve every worker that connects in a process of its own, until the one that started this server ends."""
    warm_up()
    with socket.socket(socket.AF_UNIX) as listening:
        Path(place).unlink(missing_ok=True)
        listening.bind(place)
        listening.listen()
        sys.stdout.write(READY)
        sys.stdout.flush()
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            connection, _ = listening.accept()
            with connection:
                if not os.fork():
                    listening.close()
                    serve_connection(connection)
                    os._exit(0)
    for name in (place, f"{place}.lock"):
        Path(name).unlink(missing_ok=True)


def serve_connection(connection):
    """Serve a worker, or a program that sends its own streams along with the first byte."""
    streams = socket.recv_fds(connection, 1, 3)[1]
    if streams:
        serve_program(connection, streams)
    else:
        serve_worker(connection)


def serve_program(connection, streams):
    """Fork once, and write the exit code; the child ends with the program that asked."""
    with connection.makefile() as lines:
        child = started({**json.loads(lines.readline()), "streams": streams}, connection)
    for one in streams:
        os.close(one)
    over = os.pidfd_open(child)
    if over not in select.select([over, connection], [], [], SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
    with suppress(BrokenPipeError):
        connection.sendall(json.dumps([ended(child)]).encode() + b"\n")


def serve_worker(connection):
    """Fork for every request of a line, and write their exit codes, null for one that hangs."""
    with connection.makefile() as lines:
        for line in lines:
            children = [started(request, connection) for request in json.loads(line)]
            connection.sendall(json.dumps([ended(child) for child in children]).encode() + b"\n")


def started(request, connection):
    """The process of a command."""
    child = os.fork()
    if not child:
        connection.close()
        become(request)
    return child


def warm_up():
    """Import what commands need, and leave it where a child's collector does not touch it."""
    for name in (*WARM, *ROOMS):
        import_module(name)
    for room in ROOMS:
        for module in pkgutil.walk_packages(sys.modules[room].__path__, f"{room}."):
            if "migrations" not in module.name:  # Alembic loads those by itself
                import_module(module.name)
    for name in EXTRAS:
        with suppress(ImportError):
            import_module(name)
    practise()
    gc.freeze()


def practise():
    """Run the commands that most tests run, in a folder that is thrown away, and keep nothing but what they computed."""
    from tests.doors.projects import new_project  # noqa: PLC0415 - it imports this module

    before, home = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="pk-practice-") as folder:
        os.environ.clear()  # whatever the test that comes first has set is its own
        os.environ.update({name: value for name, value in before.items() if name in PLAIN})
        os.environ.update({f"XDG_{kind}_HOME": f"{folder}/{kind}" for kind in ("CACHE", "CONFIG", "DATA", "STATE")})
        os.chdir(new_project(Path(folder, "project")).root)
        try:
            for arguments in PRACTICE:
                quietly(arguments)
        finally:
            os.chdir(home)
            os.environ.clear()
            os.environ.update(before)
    assert threading.active_count() == 1, "a process with threads cannot be forked"


def quietly(arguments):
    """Run a command in this process; what it prints is nobody's."""
    from pactkeeper.doors.cli.main import cli  # noqa: PLC0415 - the server has imported it

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        cli.main(arguments, prog_name="pk", standalone_mode=False)


def ended(child):
    """The exit code of a child, negative for a signal; one that hangs is killed and has none."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(SECONDS)
    status = os.waitpid(child, 0)[1]
    left = signal.alarm(0)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL and not left else code


def opened(streams):
    """The descriptors of input, output and errors: those given, or of files in this folder."""
    if isinstance(streams, list):
        return streams
    writing = os.O_WRONLY | os.O_CREAT
    return [os.open(f"{streams}/{number}", mode, 0o600) for number, mode in enumerate((os.O_RDONLY, writing, writing))]


def of_code(arguments):
    """What `python -c` does with its arguments, the code first; gives the exit code."""
    sys.argv = ["-c", *arguments[1:]]
    exec(compile(arguments[0], "<string>", "exec"), vars(sys.modules["__main__"]))  # noqa: S102 - what a test runs
    return 0


def become(request):
    """Turn this process into the command, and never come back."""
    from pactkeeper.doors.cli.main import run  # noqa: PLC0415 - the server has imported it

    code = 70
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        for number, stream in enumerate(opened(request["streams"])):
            os.dup2(stream, number)
            os.close(stream)
        if os.isatty(0):
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # Ctrl-C is for this process
        sys.argv = ["pk", *request["arguments"]]
        sys.modules["__main__"] = ModuleType("__main__")  # usage lines name the program by it
        sys.stdin, sys.stdout, sys.stderr = (open(number, mode, encoding="utf-8") for number, mode in enumerate("rww"))  # noqa: PTH123, SIM115 - numbers, and open to the end
        if request["arguments"][:1] == ["-c"]:
            code = of_code(request["arguments"][1:])
        else:
            run()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # noqa: BLE001 - whatever it is, it must not go on as the server
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
