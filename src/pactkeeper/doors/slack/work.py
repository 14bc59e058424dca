"""Work behind the acknowledgement: a few workers run threads, and unfinished ones are retried."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from pactkeeper.errors import PactkeeperError

WORKERS: Final = 4
PAUSE: Final = 2.0  # seconds between two checks of what is due
_FIRST, _LONGEST, _DOUBLINGS = 5.0, 300.0, 6  # seconds until a failed run is retried


@dataclass(frozen=True, slots=True)
class Later:
    """How often in a row a thread did not finish, and until when it is left alone."""

    failures: int
    until: float


class Work:
    """Runs threads by name; `run` returns why a thread has to be retried, empty if everything is done.

    Nothing runs while this is held, as it is at first, so that missed messages can be read before. A thread waits for a
    worker at most once; if something arrives while it runs, it is run again.
    """

    def __init__(
        self,
        run: Callable[[str], str],
        due: Callable[[], Iterable[str]],
        tell: Callable[[str], None],
        *,
        pause: float = PAUSE,
    ) -> None:
        self._run, self._due, self._tell, self._pause = run, due, tell, pause
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="slack")
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._waiting: set[str] = set()
        self._running: set[str] = set()
        self._later: dict[str, Later] = {}
        self._held = True
        self._clock = threading.Thread(target=self._tick, name="slack-clock", daemon=True)

    def put(self, name: str) -> None:
        """Schedule a thread to run soon."""
        with self._lock:
            self._put(name)

    def _put(self, name: str) -> None:
        if self._ending.is_set() or name in self._waiting:
            return
        self._waiting.add(name)
        if not self._held:
            self._pool.submit(self._go, name)

    def aside(self, work: Callable[[], None]) -> None:
        """Run something else soon; a failure is reported."""
        with self._lock:
            if not self._ending.is_set():
                self._pool.submit(self._guarded, "a word to somebody", work)

    def begin(self) -> None:
        """Release it, and check regularly what is due from now on."""
        self.release()
        self._clock.start()

    def hold(self) -> None:
        """Start nothing more for now; running work finishes."""
        with self._lock:
            self._held = True

    def release(self) -> None:
        """Run what was scheduled meanwhile."""
        with self._lock:
            if self._held and not self._ending.is_set():
                for name in self._waiting:
                    self._pool.submit(self._go, name)
            self._held = False

    def stop(self) -> None:
        """Start nothing more, and wait for running work."""
        with self._lock:
            self._ending.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._clock.ident is not None:
            self._clock.join()

    def _go(self, name: str) -> None:
        if not self._taken(name):
            return
        reason = self._guarded(f"thread {name}", lambda: self._run(name))
        wait = self._given_back(name, failed=bool(reason))
        if reason:
            self._tell(f"thread {name} is tried again in {wait:.0f} s: {reason}")

    def _taken(self, name: str) -> bool:
        """Take a waiting thread; while it is held or already running it stays queued."""
        with self._lock:
            if self._held or name in self._running or name not in self._waiting:
                return False
            self._waiting.discard(name)
            self._running.add(name)
            return True

    def _given_back(self, name: str, *, failed: bool) -> float:
        """Allow another run; returns for how many seconds a failed thread is left alone if nothing arrives."""
        with self._lock:
            before, wait = self._later.pop(name, Later(0, 0.0)), 0.0
            if failed:
                wait = min(_FIRST * 2 ** min(before.failures, _DOUBLINGS), _LONGEST)
                self._later[name] = Later(before.failures + 1, time.monotonic() + wait)
            self._running.discard(name)
            if name in self._waiting and not self._held and not self._ending.is_set():
                self._pool.submit(self._go, name)
        return wait

    def _guarded(self, what: str, work: Callable[[], str | None]) -> str:
        """Why work was not done; whatever it raises ends only itself."""
        try:
            return work() or ""
        except PactkeeperError as error:
            self._tell(f"{what} cannot continue: {error}")
            return str(error)
        except Exception as error:  # noqa: BLE001 - the outermost place of this thread: a bug is told with its trace
            self._tell(f"{what} met a bug in Pactkeeper; please report it:\n{traceback.format_exc()}")
            return type(error).__name__

    def _tick(self) -> None:
        while not self._ending.wait(self._pause):
            self._guarded("looking at what is due", self._put_due)

    def _put_due(self) -> None:
        """Run what is due; running threads are checked again later, since they may fail."""
        for name in self._due():
            with self._lock:
                later = self._later.get(name)
                if name not in self._running and (later is None or later.until <= time.monotonic()):
                    self._put(name)
