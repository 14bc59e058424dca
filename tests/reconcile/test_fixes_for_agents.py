"""What findings tell an agent: made from every combination of a few tests, links, atoms and settings."""

from itertools import product

from pactkeeper.advice import for_reader
from pactkeeper.intent.links import link_tests
from pactkeeper.reconcile.check import check
from tests.doors.mcp.conftest import persons_commands
from tests.reconcile.test_check import TODAY
from tests.reconcile.worlds import FILE, a_gap, a_pact, a_record, a_test, an_atom, note

NOTES = [(), (note("IA-1"),), (note("IA-9"),), (note(malformed=["ia-1"]),), (note("IA-1", scope="file"),)]
RECORDS = [
    (),
    (a_record(atoms=["IA-1"], body="b1:old"),),
    (a_record("test_gone", atoms=["IA-1"]),),
    (a_record(atoms=["IA-1"], annotated=["IA-1"]),),
]
FIRST, SECOND, THIRD = (
    an_atom(origin=f"{FILE}::test_gone"),
    *(an_atom(one, supersedes="IA-1") for one in ("IA-2", "IA-3")),
)
ATOMS = [(FIRST,), (FIRST, SECOND), (FIRST, SECOND, THIRD), (an_atom(status="abandoned"),)]
COMMITTED = [(), ("IA-1",)]
DEBT = [{}, {f"{FILE}::test_login": "b1:old"}]
REACHED = {"PK101", "PK102", "PK103", "PK104", "PK105", "PK106", "PK107", "PK108", "PK109", "PK110", "PK130", "PK131"}


def findings():
    for notes, records, atoms, committed, debt, strict in product(
        NOTES, RECORDS, ATOMS, COMMITTED, DEBT, (True, False)
    ):
        pact = a_pact(*atoms, records=records, committed=committed, debt=debt, require_committed=strict)
        found = check(link_tests([a_test(annotations=notes)], pact), pact, [a_gap()], today=TODAY).findings
        yield from (one.finding for one in found)


def test_no_finding_hands_an_agent_the_command_by_which_a_person_decides():
    found = list(findings())
    assert {one.code for one in found} >= REACHED
    told = {(one.code, for_reader(text, "agent")) for one in found for text in (one.fix, one.message)}
    assert [(code, text) for code, text in told if persons_commands(text)] == []
