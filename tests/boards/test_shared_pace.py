"""One pace for all hosts that share a history."""

from itertools import pairwise

import pytest

from pactkeeper.boards.calls import Calls, Clock, TargetAddress
from pactkeeper.boards.port import CallLimits
from pactkeeper.errors import HandedOver
from pactkeeper.store.actions import SharedPace
from pactkeeper.store.database import open_database
from pactkeeper.store.owner import Fence
from tests.boards.fakes import TOKEN, FakeGitHub


@pytest.fixture
def hosts(url):
    made = [open_database(url) for _ in range(2)]
    yield [SharedPace(one) for one in made]
    for one in made:
        one.close()


def test_turns_of_two_hosts_follow_each_other(hosts):
    waits = [host.turn("api.example", 10.0) for host in (*hosts, *hosts)]
    assert waits[0] == 0
    assert [round(after - before) for before, after in pairwise(waits[1:])] == [10, 10]
    assert hosts[0].turn("other.example", 10.0) == 0


def test_what_one_host_is_told_to_wait_the_other_waits(hosts):
    hosts[0].hold("api.example", 600)
    assert hosts[1].turn("api.example", 0.1) > 300


def test_calls_wait_for_their_turn_and_pass_a_limit_on(hosts):
    fake = FakeGitHub()
    waited: list[float] = []
    fake.fault("status", status=429, headers={"Retry-After": "100"})
    clock = Clock(sleep=waited.append)
    first, second = (
        Calls(TargetAddress(fake.url, {"Authorization": f"Bearer {TOKEN}"}), CallLimits(rate=1000, pace=one), clock)
        for one in hosts
    )
    first.get("/repos/acme/shop")
    assert waited[0] == 100
    waited.clear()
    second.get("/repos/acme/shop")
    assert waited[0] > 20
    for one in (first, second):
        one.close()
    fake.close()


def test_a_process_whose_job_is_anothers_calls_no_more(url):
    pytest.importorskip("dbos")
    from pactkeeper.jobs.queue import open_queue, queue_url  # noqa: PLC0415 - an extra

    open_database(url).close()
    with open_queue(queue_url(url), made=False):
        lost = open_database(url, fence=Fence("sweep-1", "token", url))
    with pytest.raises(HandedOver):
        SharedPace(lost).turn("api.example", 1.0)
    lost.close()
