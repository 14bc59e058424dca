import asyncio

import pytest

from pactkeeper.flows.driving import fan_out


def test_every_piece_is_done_and_only_so_many_at_once():
    done, running, most = [], 0, 0

    async def work(piece):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done.append(piece)

    asyncio.run(fan_out(range(20), work, at_once=3))
    assert (sorted(done), most) == (list(range(20)), 3)


def test_first_failure_is_raised_as_it_is_and_stops_the_rest():
    begun = []

    async def work(piece):
        begun.append(piece)
        await asyncio.sleep(0)
        if piece == 1:
            raise KeyError(piece)

    with pytest.raises(KeyError):
        asyncio.run(fan_out(range(100), work, at_once=2))
    assert len(begun) < 100
