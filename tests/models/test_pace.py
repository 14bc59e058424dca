import asyncio
from datetime import UTC, datetime

import pytest

from pactkeeper.models.pace import LONGEST, Pace, quiet_for

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}, 0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m6.5s"}, 66.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12"}, 12),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, 0),
        ({"x-ratelimit-remaining-requests": "0"}, 0),
        (
            {
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": "2026-03-01T12:00:30Z",
            },
            30,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-03-01T11:00:00Z",
            },
            0,
        ),
        ({"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "2026-03-01T12:00"}, 0),
    ],
)
def test_an_allowance_that_is_used_up_wants_quiet_until_it_is_full(headers, seconds):
    assert quiet_for(headers, NOW) == pytest.approx(seconds)


def test_nobody_is_kept_waiting_longer_than_anybody_would_wait():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    pace = Pace(sleep, lambda: 0.0, lambda: 0.0)
    pace.hush(1e9)
    asyncio.run(pace.ready())
    assert slept == [LONGEST]


@pytest.mark.parametrize(("jitter", "waits"), [(0.0, [0.25, 0.5, 1.0, 15.0]), (1.0, [0.5, 1.0, 2.0, 30.0])])
def test_waiting_doubles_and_varies_within_its_half(jitter, waits):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    pace = Pace(sleep, lambda: jitter, lambda: 0.0)
    for attempt in (0, 1, 2, 60):
        asyncio.run(pace.back_off(attempt, None))
    assert slept == waits
