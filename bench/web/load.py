"""Readers and reviewers on one server with Postgres and many recommendations: no decision lost, and how long it takes.

    python -m bench.web.load [--readers 50] [--reviewers 10] [--recommendations 100000] [--seconds 60] [--every 5]

Each reader asks for something every `--every` seconds on average, each reviewer decides one recommendation in that time
and reads the run again where somebody was quicker. Prints the table of bench/web/load.md; exit 1 where a decision that
was acknowledged is not in the history.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import httpx2
from sqlalchemy import select

from bench.generated import generate
from pactkeeper.ledger.canonical import JsonValue, Run
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.policy import ROLES
from pactkeeper.operators.accounts import TokenRequest, add_token, add_user
from pactkeeper.operators.team import Team, add_repository, open_team
from pactkeeper.store.database import Database
from pactkeeper.store.decisions import save_patch
from pactkeeper.store.runs import add_run
from pactkeeper.store.tables.runs import DECISIONS
from pactkeeper.store.team import Registered
from pactkeeper.workspace import open_workspace
from tests.postgres import start_server

AT = "2026-03-01T12:00:00+00:00"
A_RUN = 500
BASE = "/repos/shop/agents/reconciliation"
NUMBERS = itertools.count()


@dataclass(slots=True)
class Seen:
    """What the clients saw: milliseconds and statuses by what was asked, and the decisions that were acknowledged."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bad: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    decided: list[tuple[str, str]] = field(default_factory=list)
    stale: int = 0


def create(run: int, number: int) -> Op:
    """The op that recommends an atom."""
    test = f"tests/test_{run}.py::test_{number}"
    source: dict[str, JsonValue] = {
        "filePath": f"tests/test_{run}.py",
        "testName": f"test_{number}",
        "testLineNumber": 3,
    }
    source |= {"testId": test, "bodyHash": "v1:body"}
    said = {"atomId": f"IA-{run}X{number}", "description": f"Part {run} keeps line {number}.", "category": "functional"}
    payload: dict[str, JsonValue] = {
        **said,
        "sourceTest": source,
        "observableOutcomes": ["The status is 401."],
        "confidence": "0.85",
    }
    quoted = Evidence("quoted", f"tests/test_{run}.py", 4, quote="assert status == 401")
    return Op("createAtom", f"atom:IA-{run}X{number}", None, payload, (quoted,), "0.85", group=test)


def seed(root: Path, count: int) -> list[str]:
    """Store runs that recommend `count` atoms together, with every processor at it; their names."""
    runs = range(max(count // A_RUN, 1))
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(partial(_seed_some, root, min(A_RUN, count)), (runs[first::workers] for first in range(workers))))
    return [_run_name(run) for run in runs]


def _run_name(run: int) -> str:
    return f"REC-20260301-120000-{run:04d}"


def _seed_some(root: Path, count: int, runs: Iterable[int]) -> None:
    with open_workspace(root, notice=print) as workspace:
        history = workspace.history()
        for run in runs:
            ops = tuple(create(run, number) for number in range(count))
            patch = Patch(f"v1:base{run}", ops, (), (), {}, {"ops": len(ops)})
            name = _run_name(run)
            made = Run(name, history.repository, root="/work/shop", mode="full-scan", created_at=AT, updated_at=AT)
            add_run(history, replace(made, status="paused", patch=patch.id))
            save_patch(history, name, patch)


async def asked(client: httpx2.AsyncClient, seen: Seen, kind: str, path: str, **query: str) -> httpx2.Response:
    """Ask once, and note how long it took."""
    began = time.perf_counter()
    answer = await client.get(path, params=query)
    seen.took[kind].append((time.perf_counter() - began) * 1000)
    if answer.status_code not in {200, 304}:
        seen.bad[f"{kind} {answer.status_code}"] += 1
    return answer


async def read(client: httpx2.AsyncClient, seen: Seen, runs: list[str], chance: random.Random) -> None:
    """One thing that somebody who reads asks for."""
    run = chance.choice(runs)
    match chance.randrange(8):
        case 0:
            await asked(client, seen, "runs", f"{BASE}/runs")
        case 1:
            await asked(client, seen, "a run", f"{BASE}/runs/{run}")
        case 2:
            await asked(client, seen, "its recommendations", f"{BASE}/runs/{run}/recommendations")
        case 3:
            await asked(
                client, seen, "a test's recommendation", f"{BASE}/recommendations", test="tests/test_3.py::test_7"
            )
        case 4:
            await asked(client, seen, "atoms", "/repos/shop/atoms")
        case 5:
            await asked(client, seen, "what waits", f"{BASE}/pending")
        case 6:
            await asked(client, seen, "a page of a review", f"/repos/shop/page/review/{run}")
        case _:
            await asked(client, seen, "questions", "/repos/shop/questions")


async def decide(client: httpx2.AsyncClient, seen: Seen, runs: list[str], chance: random.Random) -> None:
    """Decide one recommendation of a run that others decide on too; read again where they were quicker."""
    run, number = chance.choice(runs[:5]), chance.randrange(A_RUN)
    op = create(int(run.rpartition("-")[2]), number)
    while True:
        tag = (await asked(client, seen, "a run's patch", f"{BASE}/runs/{run}/patch", limit="1")).headers.get(
            "etag", ""
        )
        began = time.perf_counter()
        path = f"{BASE}/runs/{run}/recommendations/{op.id}/accept"
        answer = await client.post(path, json={}, headers={"If-Match": tag})
        seen.took["a decision"].append((time.perf_counter() - began) * 1000)
        if answer.status_code == 200:
            seen.decided.append((run, op.id))
            return
        if answer.status_code != 412:
            seen.bad[f"a decision {answer.status_code}: {answer.text[:200]}"] += 1
            return
        seen.stale += 1


Work = Callable[[httpx2.AsyncClient, Seen, list[str], random.Random], Awaitable[None]]


async def person(client: httpx2.AsyncClient, work: Work, seen: Seen, options: argparse.Namespace) -> None:
    """Somebody who asks, thinks, and asks again."""
    number = next(NUMBERS)
    chance = random.Random(number)  # noqa: S311 - a plan, no secret
    end = time.monotonic() + options.seconds
    await asyncio.sleep(chance.uniform(0, options.every))
    while time.monotonic() < end:
        await work(client, seen, options.runs, chance)
        await asyncio.sleep(chance.uniform(0.5, 1.5) * options.every)


async def everybody(url: str, tokens: dict[str, str], options: argparse.Namespace) -> Seen:
    """All of them at once."""
    warm, seen = Seen(), Seen()
    async with client_of(url, tokens["reader"]) as reader, client_of(url, tokens["reviewer"]) as reviewer:
        for number in range(12):
            await read(reader, warm, options.runs, random.Random(number))  # noqa: S311 - likewise
        reading = [person(reader, read, seen, options) for _ in range(options.readers)]
        deciding = [person(reviewer, decide, seen, options) for _ in range(options.reviewers)]
        await asyncio.gather(*reading, *deciding)
    return seen


def client_of(url: str, token: str) -> httpx2.AsyncClient:
    """A client that keeps as many connections open as it has people."""
    headers = {"Authorization": f"Bearer {token}"}
    kept = httpx2.Limits(max_connections=None, keepalive_expiry=2)  # the server closes what is idle for five seconds
    return httpx2.AsyncClient(base_url=url, headers=headers, timeout=60, limits=kept)


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The server as a process of its own."""
    command = [sys.executable, "-m", "pactkeeper", "serve", "--team", "--listen", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            (url,) = re.findall(r"at (http://\S+?):? ", server.stderr.readline() if server.stderr else "")
            yield url, server
        finally:
            server.terminate()


def cpu(pid: int) -> float:
    """Seconds of processor time of a process and of the children that it waited for."""
    parts = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, parts[11:15])) / os.sysconf("SC_CLK_TCK")


def lost(database: Database, seen: Seen) -> int:
    """How many acknowledged decisions the history does not have."""
    with database.read() as connection:
        kept = set(connection.execute(select(DECISIONS.c.op)).scalars())
    return sum(op not in kept for _, op in seen.decided)


def table(seen: Seen) -> str:
    """What took how long."""
    lines = ["| what | times | median ms | p95 ms | most ms |", "|---|---|---|---|---|"]
    reads = [one for kind, took in seen.took.items() if kind != "a decision" for one in took]
    for kind, took in [*sorted(seen.took.items()), ("**all reads**", reads)]:
        found = sorted(took)
        middle, late = found[len(found) // 2], found[min(int(len(found) * 0.95), len(found) - 1)]
        lines.append(f"| {kind} | {len(found):,} | {middle:,.0f} | {late:,.0f} | {found[-1]:,.0f} |")
    return "\n".join(lines)


def main() -> int:
    """Set up, serve, ask, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--reviewers", type=int, default=10)
    parser.add_argument("--recommendations", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--every", type=float, default=5)
    options = parser.parse_args()
    postgres = start_server()
    with tempfile.TemporaryDirectory() as scratch, postgres.database() as url:
        os.environ |= {"PACTKEEPER_DATABASE_URL": url, "XDG_DATA_HOME": f"{scratch}/data"}
        root = Path(scratch, "shop")
        generate(root, tests=2000)
        subprocess.run([sys.executable, "-m", "pactkeeper", "-C", str(root), "init"], check=True, capture_output=True)
        with open_team() as team:
            return _measure(team, root, options)


def _measure(team: Team, root: Path, options: argparse.Namespace) -> int:
    began = time.monotonic()
    options.runs = seed(root, options.recommendations)
    print(f"{options.recommendations:,} recommendations stored in {time.monotonic() - began:.0f} s", flush=True)
    add_repository(team, Registered("shop", str(root)))
    tokens: dict[str, str] = {}
    for role in ROLES[:2]:
        add_user(team, role, f"{role} <{role}@example.org>", role=role, password=None)
        tokens[role] = add_token(team, TokenRequest(role, "load", role))[1]
    with serving(dict(os.environ)) as (url, server):
        seen = asyncio.run(everybody(url, tokens, options))
        used = cpu(server.pid)
    missing, asked_for = lost(team.database, seen), sum(map(len, seen.took.values()))
    print(table(seen))
    print(f"\n{asked_for:,} requests in {options.seconds:.0f} s; {used:.1f} s of processor time in the server and git")
    print(f"{len(seen.decided)} decisions acknowledged, {missing} lost, {seen.stale} stale ones read again")
    for kind, count in sorted(seen.bad.items()):
        print(f"refused: {kind}, {count} times")
    return 1 if missing or seen.bad else 0


if __name__ == "__main__":
    sys.exit(main())
