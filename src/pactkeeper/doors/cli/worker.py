"""`pk worker`: run jobs until stopped."""

from __future__ import annotations

import signal
import threading

import click

from pactkeeper.doors.cli.output import SIGNALS, note
from pactkeeper.errors import StaleError
from pactkeeper.operators.jobs import DRAIN, SILENCE, WorkRequest, work_on_jobs
from pactkeeper.settings import environment


@click.command()
@click.option(
    "--silence",
    type=click.FloatRange(min=1),
    default=SILENCE,
    show_default=True,
    metavar="SECONDS",
    help="Give a worker's jobs to others when it was not heard of for so long.",
)
@click.option(
    "--drain",
    type=click.IntRange(min=0),
    default=int(DRAIN),
    show_default=True,
    metavar="SECONDS",
    help="When stopped, wait this long for running jobs; other workers take the rest.",
)
@click.option("--metrics", metavar="[HOST:]PORT", help="Answer Prometheus here.")
def command(*, silence: float, drain: int, metrics: str | None) -> None:
    """Run jobs of the queue, each as a process of its own, until SIGTERM or Ctrl-C.

    Needs PACTKEEPER_DATABASE_URL at Postgres. Start as many as you like, on any number of hosts; jobs of one repository
    run one after the other all the same. docs/workers.md tells what happens when a worker, a host or Postgres dies.
    """
    ended = threading.Event()
    for one in SIGNALS:
        signal.signal(one, lambda *_: ended.set())
    request = WorkRequest(silence, float(drain), None if metrics is None else _place(metrics))
    ending = work_on_jobs(environment(), request, ended, tell=note)
    if ending == "newer":
        raise StaleError("a newer Pactkeeper has changed the database; start this worker again with that version")


def _place(text: str) -> tuple[str, int]:
    from pactkeeper.verbs.listening import Address  # noqa: PLC0415 - most workers do not listen

    found = Address.of(text)
    return found.host, found.port
