"""Parse files: in this process if they are few, in several processes if they are many.

The processes are plain children that read requests from standard input, so they end when this process ends, however it
ends. A child that crashes on a file costs only that file, which becomes a gap.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import chain
from typing import IO, Final, Self

from pactkeeper.errors import SourceError
from pactkeeper.repo.languages import parser
from pactkeeper.repo.languages.adapter import Parser

SKIPPED: Final = b"0"  # the prefilter says that the file has no such facts
PASSED: Final = b"1"
DEMANDED: Final = b"2"  # declares no test but was parsed because another file refers to it
FEW_BYTES: Final = 3 << 20  # one core parses them in less than a second, and starting others takes a third of that
_CHUNK_BYTES: Final = 256 << 10
_CHUNK_FILES: Final = 200
_FRAME: Final = 4  # bytes of a frame's length
_BOOT: Final = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from pactkeeper.repo.parsing import serve
serve(*sys.argv[2:])
"""

Source = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of parsing one file: a mark with the encoded facts, or the reason why there are none."""

    path: str
    marked: bytes | None
    reason: str = ""


def parse_files(language: str, parse_key: str, files: Iterable[Source], *, processes: int) -> Iterator[Parsed]:
    """Parse all files, in order; `language` names a parser as `repo.languages.parser` accepts it."""
    remaining = iter(files)
    first: list[Source] = []
    size = 0
    for path, source in remaining:
        first.append((path, source))
        size += len(source)
        if size > FEW_BYTES:
            break
    if size <= FEW_BYTES or processes <= 1:
        adapter = parser(language)
        yield from (parse_one(adapter, path, source, parse_key) for path, source in chain(first, remaining))
    else:
        yield from _in_processes(language, parse_key, chain(first, remaining), processes)


def parse_one(adapter: Parser, path: str, source: bytes, parse_key: str) -> Parsed:
    """Apply the prefilter and parse; nesting too deep for the parser is reported as a reason, not a crash."""
    if not adapter.worth_parsing(source):
        return Parsed(path, SKIPPED)
    return _parse(adapter, path, source, parse_key=parse_key, mark=PASSED)


def parse_demanded(adapter: Parser, path: str, source: bytes, parse_key: str) -> Parsed:
    """Parse a file that another one refers to, even if the prefilter rejects it."""
    mark = PASSED if adapter.worth_parsing(source) else DEMANDED
    return _parse(adapter, path, source, parse_key=parse_key, mark=mark)


def _parse(adapter: Parser, path: str, source: bytes, *, parse_key: str, mark: bytes) -> Parsed:
    try:
        return Parsed(path, mark + adapter.parse(path, source, parse_key))
    except (RecursionError, MemoryError) as failure:
        return Parsed(path, None, f"the file is too deeply nested to be parsed ({type(failure).__name__})")


def serve(language: str, parse_key: str) -> None:
    """Answer parse requests on standard input until it ends; this is the body of a parsing process."""
    import msgspec  # noqa: PLC0415 - a scan that finds everything in the cache starts no such process

    gc.set_threshold(50_000, 20)  # many values and few cycles, as in a command
    adapter = parser(language)
    decode = msgspec.msgpack.Decoder(list[tuple[str, bytes]]).decode
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # stray prints must not corrupt the answers
    while (request := _receive(requests)) is not None:
        parsed = [parse_one(adapter, path, source, parse_key) for path, source in decode(request)]
        with suppress(BrokenPipeError):
            _send(answers, msgspec.msgpack.encode(parsed))


class _Worker:
    """One parsing process; `parse` may be called from any thread, but only one at a time, and `stop` at any moment."""

    def __init__(self, language: str, parse_key: str) -> None:
        self._command = [sys.executable, "-I", "-c", _BOOT, json.dumps(sys.path), language, parse_key]
        self._stopped = False
        self._process = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._end()

    def stop(self) -> None:
        """Kill the process; a caller waiting for its answer gets none."""
        self._stopped = True
        self._process.kill()

    def parse(self, files: list[Source]) -> list[Parsed]:
        """Parse a chunk; if the process crashes, retry each file alone and report the one that causes it."""
        answer = self._ask(files)
        if answer is not None or self._stopped:
            return answer or []
        self._end()
        self._process = self._start()
        if self._ask([]) is None and not self._stopped:
            raise SourceError(f"a process for parsing cannot be started; check that {sys.executable!r} runs")
        if len(files) == 1:
            return [Parsed(files[0][0], None, "the parser crashed on this file")]
        return [parsed for file in files for parsed in self.parse([file])]

    def _start(self) -> subprocess.Popen[bytes]:
        # A separate process group: Ctrl-C reaches only the parent, which then ends this process.
        return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)

    def _end(self) -> None:
        self._process.kill()
        with suppress(BrokenPipeError):
            self._process.__exit__(None, None, None)

    def _ask(self, files: list[Source]) -> list[Parsed] | None:
        import msgspec  # noqa: PLC0415 - a scan that finds everything in the cache never gets here

        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        try:
            _send(stdin, msgspec.msgpack.encode(files))
        except BrokenPipeError:
            return None
        answer = _receive(stdout)
        return None if answer is None else msgspec.msgpack.decode(answer, type=list[Parsed])


def _in_processes(language: str, parse_key: str, files: Iterable[Source], processes: int) -> Iterator[Parsed]:
    from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - only for large scans

    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()

    def parse(chunk: list[Source]) -> list[Parsed]:
        worker = idle.get()
        try:
            return worker.parse(chunk)
        finally:
            idle.put(worker)

    with ExitStack() as stack:
        workers = [stack.enter_context(_Worker(language, parse_key)) for _ in range(processes)]
        threads = stack.enter_context(ThreadPoolExecutor(processes))
        waiting: deque[Future[list[Parsed]]] = deque()
        for worker in workers:
            stack.callback(worker.stop)  # before the threads are joined, so that none of them waits for an answer
            idle.put(worker)
        stack.callback(lambda: [future.cancel() for future in waiting])
        for chunk in _chunks(files):
            waiting.append(threads.submit(parse, chunk))
            if len(waiting) > 2 * processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _chunks(files: Iterable[Source]) -> Iterator[list[Source]]:
    chunk: list[Source] = []
    size = 0
    for path, source in files:
        chunk.append((path, source))
        size += len(source)
        if size >= _CHUNK_BYTES or len(chunk) >= _CHUNK_FILES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _send(stream: IO[bytes], payload: bytes) -> None:
    stream.write(len(payload).to_bytes(_FRAME, "big"))
    stream.write(payload)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    header = stream.read(_FRAME)
    if len(header) < _FRAME:
        return None
    size = int.from_bytes(header, "big")
    payload = stream.read(size)
    return payload if len(payload) == size else None


def default_processes() -> int:
    """Return the number of cores available to this process, at most eight."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, 8)
