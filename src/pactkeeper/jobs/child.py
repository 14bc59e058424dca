"""The entry point of a job's process: it runs `pk`, and dies with its worker (Linux) or when it loses its job.

`python -m pactkeeper.jobs.child WORKER ARGUMENT…`, where WORKER is the worker's process id. A frozen worker can't kill
anything, so the process itself checks who owns its job. Once the job is lost it can't store anything, but it might
still hold a lock that the next owner needs.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.flows.observing import watching
from pactkeeper.settings import environment
from pactkeeper.store.owner import Fence

_PARENT_DEATH: Final = 1  # prctl(2)


def main(worker: int) -> None:
    """Tie this process to the worker and to the job, then run the rest of the command line."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != worker:
        sys.exit(2)  # the worker died before it could be watched
    said = environment()
    fence = Fence.of(said.job, said.database_url)
    if fence is not None:
        threading.Thread(target=_end_when_lost, args=(fence,), daemon=True).start()
    with _span(said.job) if said.spans else nullcontext():
        runpy.run_module("pactkeeper", run_name="__main__", alter_sys=True)


@contextmanager
def _span(job: str) -> Iterator[None]:
    """A span around the job, in the trace of whoever added it."""
    name = job.partition(" ")[0]
    with ExitStack() as stack:
        with suppress(ModuleNotFoundError):  # opening the span reports what is missing
            from opentelemetry.context import attach  # noqa: PLC0415 - an extra
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - likewise

            attach(TraceContextTextMapPropagator().extract({"traceparent": environment().parent_span}))
        try:
            watchers = stack.enter_context(watching(log=None, spans=True, now=str))
        except UsageError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(error.exit_code)
        stack.enter_context(watchers.stretch(f"job {name.rpartition('-')[0]}", {"job": name}))
        yield


def _end_when_lost(fence: Fence) -> None:
    fence.wait_until_lost()
    os.killpg(0, signal.SIGKILL)  # the worker made this process the leader of its process group


if __name__ == "__main__":
    main(int(sys.argv.pop(1)))
