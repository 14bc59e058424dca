"""The table of finding codes, which is text: what its lines must hold."""

import re
from typing import get_args

import pytest

from pactkeeper.intent.invariants import RULES
from pactkeeper.ledger.finding import Severity
from pactkeeper.reconcile.codes import _LINES, CODES


@pytest.mark.parametrize("one", CODES.values(), ids=CODES)
def test_a_code_has_a_severity_a_known_rule_and_two_sentences(one):
    assert re.fullmatch(r"PK\d{3}", one.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", one.name)
    assert one.severity in get_args(Severity)
    assert one.invariant in {"", *RULES}
    assert all(said.endswith((".", "?")) for said in (one.meaning, one.remedy))


def test_no_number_and_no_name_is_used_twice():
    assert len(_LINES) == 3 * len(CODES) == 3 * len({one.name for one in CODES.values()})
