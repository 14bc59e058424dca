from datetime import date

import pytest

from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import Waiver
from pactkeeper.intent.tests import Gap, under
from pactkeeper.reconcile.check import check
from tests.reconcile.worlds import FILE, a_gap, a_pact, a_record, a_test, an_atom, note

TODAY = date(2026, 6, 1)


def verdict(tests, pact, gaps=()):
    return check(link_tests(tests, pact), pact, list(gaps), today=TODAY)


def codes(tests, pact, gaps=()):
    return [entry.finding.code for entry in verdict(tests, pact, gaps).findings]


def test_agreement_has_no_findings():
    found = verdict([a_test(annotations=[note("IA-1")])], a_pact(an_atom()))
    assert found.agrees
    assert not found.findings


def test_orphan_fails_and_prints_the_command_to_run():
    found = verdict([a_test()], a_pact())
    assert not found.agrees
    assert found.findings[0].finding.fix == f"pk accept {FILE}::test_login"


@pytest.mark.parametrize(
    ("annotation", "code"),
    [(note("IA-9"), "PK102"), (note(malformed=["ia-1"]), "PK103"), (note("IA-1", scope="file"), "PK108")],
)
def test_each_bad_annotation_has_its_code(annotation, code):
    assert codes([a_test(annotations=[annotation])], a_pact(an_atom())) == [code]


@pytest.mark.parametrize(
    ("scope", "fix"), [("test", f"pk accept {FILE}::test_login"), ("file", "in the file's annotation: @atom IA-2")]
)
def test_superseded_link_names_what_moves_it_to_the_successor(scope, fix):
    pact = a_pact(an_atom(), an_atom("IA-2", supersedes="IA-1"))
    found = verdict([a_test(annotations=[note("IA-1", scope=scope)])], pact)
    assert [(e.finding.code, e.finding.fix) for e in found.findings] == [("PK104", fix)]


def test_link_to_a_committed_atom_holds_while_its_successor_waits():
    records = [a_record(annotated=["IA-1"])]
    pact = a_pact(an_atom(), an_atom("IA-2", supersedes="IA-1"), committed=["IA-1"], records=records)
    found = verdict([a_test(annotations=[note("IA-1")])], pact)
    assert [(e.finding.code, e.finding.subject, e.finding.severity) for e in found.findings] == [
        ("PK131", "IA-2", "info")
    ]


def test_a_committed_successor_is_given_the_test_that_still_names_what_it_replaced():
    atoms = an_atom(), an_atom("IA-2", supersedes="IA-1", origin=f"{FILE}::test_old")
    pact = a_pact(*atoms, committed=["IA-1", "IA-2"], records=[a_record(atoms=["IA-1"])])
    fixes = {entry.finding.code: str(entry.finding.fix) for entry in verdict([a_test()], pact).findings}
    assert fixes == dict.fromkeys(("PK104", "PK110"), f"pk accept {FILE}::test_login")


def test_two_successors_of_one_atom_are_named_with_the_one_that_counts():
    pair = (an_atom("IA-2", supersedes="IA-1"), an_atom("IA-3", supersedes="IA-1"))
    pact = a_pact(an_atom(), *pair, committed=["IA-1", "IA-3"])
    (found,) = [entry.finding for entry in verdict([], pact).findings if entry.finding.code == "PK130"]
    assert (found.subject, found.about) == ("IA-1", "IA-2")
    assert "IA-3 (committed) and IA-2 (draft)" in found.message
    assert found.message.endswith("IA-3 counts")
    assert "pk atom abandon IA-2" in found.fix


def test_committed_atom_that_lost_its_test_to_a_waiting_successor_fails_and_names_it():
    atoms = (an_atom(origin=f"{FILE}::test_login"), an_atom("IA-2", supersedes="IA-1"))
    found = verdict([a_test(annotations=[note("IA-2")])], a_pact(*atoms, committed=["IA-1"]))
    (lost,) = [entry.finding for entry in found.findings if entry.finding.code == "PK110"]
    assert lost.severity == "error"
    assert lost.fix.endswith("pk commit IA-2")


@pytest.mark.parametrize(("setting", "agrees"), [("warn", True), ("fail", False)])
def test_suspect_link_fails_only_where_the_project_says_so(setting, agrees):
    pact = a_pact(an_atom(), records=[a_record(atoms=["IA-1"], body="b1:old")], suspect=setting)
    found = verdict([a_test()], pact)
    assert found.agrees is agrees
    assert codes([a_test()], pact) == ["PK106"]


def test_require_committed_makes_an_uncommitted_atom_a_finding():
    pact = a_pact(an_atom(), require_committed=True)
    assert codes([a_test(annotations=[note("IA-1")])], pact) == ["PK109"]


def test_atom_that_lost_its_last_test_is_named_and_fails_when_committed():
    origin = f"{FILE}::test_login"
    assert codes([], a_pact(an_atom(origin=origin))) == ["PK110"]
    assert not verdict([], a_pact(an_atom(origin=origin), committed=["IA-1"])).agrees


def test_atom_whose_test_was_never_linked_is_not_said_to_have_lost_it():
    origin = f"{FILE}::test_login"
    (found,) = [
        one.finding
        for one in verdict([a_test()], a_pact(an_atom(origin=origin))).findings
        if one.finding.code == "PK110"
    ]
    assert (found.message, found.fix) == (
        f"no test realises it; it came from {origin}; link that test, or give it up",
        f"pk accept {origin} --atom IA-1",
    )
    (lost,) = [
        one.finding
        for one in verdict([], a_pact(an_atom(origin=origin), records=[a_record(atoms=["IA-1"])])).findings
        if one.finding.code == "PK110"
    ]
    assert lost.message.startswith("no test realises it any more")


# @atom IA-18XV51E
def test_atom_that_was_written_down_first_is_not_accused_of_having_no_test_yet():
    origin = "tasks/export-baskets.md"
    assert codes([], a_pact(an_atom(origin=origin), committed=["IA-1"])) == []
    lost = a_pact(an_atom(origin=origin), records=[a_record(atoms=["IA-1"])])
    assert codes([], lost) == ["PK110"]


def test_committed_atoms_without_a_test_are_counted():
    atoms = [an_atom(), an_atom("IA-2"), an_atom("IA-3")]
    pact = a_pact(*atoms, records=[a_record(atoms=["IA-1"])], committed=["IA-1", "IA-2"])
    assert verdict([a_test()], pact).untested == 1


def test_unreadable_file_accuses_no_atom_and_no_record():
    pact = a_pact(an_atom(origin=f"{FILE}::test_login"), records=[a_record(atoms=["IA-1"])])
    assert codes([], pact, [a_gap()]) == ["PK120"]


@pytest.mark.parametrize(
    ("reason", "fix"),
    [
        ("the file has an unresolved merge conflict", f"once it has no conflict markers: git add {FILE}"),
        ("the file is too large", "have this file read and collected: the file is too large"),
    ],
)
def test_a_committed_atom_whose_file_is_not_read_says_what_keeps_it_from_being_read(reason, fix):
    pact = a_pact(an_atom(origin=f"{FILE}::test_login"), records=[a_record(atoms=["IA-1"])], committed=["IA-1"])
    found = {one.finding.code: one.finding.fix for one in verdict([], pact, [Gap(FILE, reason)]).findings}
    assert found["PK110"] == fix
    assert ("exclude" in found["PK120"]) is ("conflict" not in reason)


def test_a_test_that_options_leave_out_is_run_again_without_them():
    gap = Gap("pyproject.toml", "tests that a plain run leaves out are listed too", options=("--deselect", FILE))
    pact = a_pact(an_atom(), records=[a_record(atoms=["IA-1"])], committed=["IA-1"])
    (found,) = [one.finding for one in verdict([a_test()], pact, [gap]).findings if one.finding.code == "PK110"]
    assert found.fix.startswith(f"take --deselect {FILE} out of pyproject.toml, or pk atom supersede IA-1")


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        ("pyproject.toml", ("--deselect", FILE), True),
        ("pyproject.toml", ("--deselect", f"{FILE}::test_login"), True),
        ("pyproject.toml", ("--deselect", f"{FILE}::test_login[1]"), False),
        ("pyproject.toml", ("-k", "not LOGIN"), True),
        ("pyproject.toml", ("-k", "other or (auth and not login)"), True),
        ("pyproject.toml", ("-k", "other", "-k", "login"), False),
        ("pyproject.toml", ("-k", "not (slow or other)"), False),
        ("pyproject.toml", ("-k", "not login and ("), False),
        ("pyproject.toml", ("-k", "(" * 200 + "other" + ")" * 200), False),
        ("elsewhere/pytest.ini", ("-k", "other"), False),
        ("tests/pytest.ini", ("--deselect", FILE.removeprefix("tests/")), True),
    ],
)
def test_a_committed_atom_whose_test_the_project_s_own_options_leave_out_is_an_error(file, options, said):
    gap = Gap(file, "tests that a plain run leaves out are listed too", options=options)
    records = [a_record(atoms=["IA-1"])]
    found = verdict([a_test()], a_pact(an_atom(), records=records, committed=["IA-1"]), [gap])
    errors = [one.finding for one in found.findings if one.finding.severity == "error"]
    assert [(one.code, one.subject) for one in errors] == ([("PK110", "IA-1")] if said else [])
    assert all(f"{FILE}::test_login" in one.message and file in one.message for one in errors)
    assert codes([a_test()], a_pact(an_atom(), records=records), [gap]) == ["PK120"]


def test_nothing_is_said_of_a_test_whose_source_is_broken():
    broken = Gap(FILE, "the syntax of test_login is broken", 10, broken=True)
    pact = a_pact(an_atom(), records=[a_record(atoms=["IA-1"], body="b1:sound")])
    assert codes([a_test()], pact, [broken]) == ["PK120"]
    assert codes([a_test()], a_pact(), [broken]) == ["PK120"]


def test_a_place_without_tests_says_how_it_is_left_out():
    found = verdict(
        [a_test()], a_pact(), [Gap("jest.config.ts", "it cannot be read", 6), Gap(FILE, "a part is not", 3)]
    )
    fixes = {one.finding.subject: one.finding.fix for one in found.findings if one.finding.code == "PK120"}
    leave = 'if that is known, write `exclude = ["jest.config.ts"]` under `[tests]` in pact/pact.toml'
    assert fixes == {"jest.config.ts": leave, FILE: ""}


def test_a_place_that_may_hold_tests_says_first_how_they_are_added():
    (one,) = verdict([], a_pact(), [Gap("a.ts", "not collected; `[tests] include` adds the file", 6)]).findings
    assert one.finding.fix.startswith('if they run, write `include = ["a.ts"]`')


def test_a_gap_of_another_kind_where_a_test_begins_hides_no_orphan():
    assert codes([a_test()], a_pact(), [Gap(FILE, "two tests have this id", 10)]) == ["PK101", "PK120"]


def test_record_of_a_vanished_test_is_a_warning():
    pact = a_pact(an_atom(origin="elsewhere.py::t"), records=[a_record(atoms=["IA-1"])])
    assert codes([a_test("other", body="b1:two", annotations=[note("IA-1")])], pact) == ["PK111"]


def test_a_vanished_test_of_a_committed_atom_is_an_error_even_if_another_test_names_the_atom():
    pact = a_pact(
        an_atom(origin="elsewhere.py::t"),
        committed=["IA-1"],
        records=[a_record(atoms=["IA-1"]), a_record("other", annotated=["IA-1"], body="b1:two")],
    )
    (found,) = verdict([a_test("other", body="b1:two", annotations=[note("IA-1")])], pact).findings
    assert (found.finding.code, found.finding.severity) == ("PK111", "error")


def test_a_moved_test_is_one_finding_with_the_command_that_follows_it():
    pact = a_pact(an_atom(origin=f"{FILE}::test_login"), records=[a_record(atoms=["IA-1"])])
    (found,) = (entry.finding for entry in verdict([a_test("renamed")], pact).findings)
    assert (found.code, found.severity) == ("PK114", "error")
    assert found.message == f"1 test moved: {FILE}::test_login → renamed"
    assert found.fix == f"pk accept --moved {FILE}::renamed"


def test_tests_renamed_in_one_file_are_one_finding_with_one_command():
    names = ("one", "two")
    atoms = [an_atom(f"IA-{name}", intent=f"It is {name}.", origin=f"{FILE}::{name}") for name in names]
    records = [a_record(name, atoms=[f"IA-{name}"], body=f"b1:{name}") for name in names]
    tests = [a_test(f"number_{name}", body=f"b1:{name}") for name in names]
    (found,) = (entry.finding for entry in verdict(tests, a_pact(*atoms, records=records)).findings)
    assert (found.code, found.subject, found.fix) == ("PK114", FILE, f"pk accept --moved {FILE}")
    assert found.message == f"2 tests moved: {FILE}::one → number_one, {FILE}::two → number_two"


def test_changed_committed_atom_is_an_error():
    committed = a_pact(an_atom(), committed=["IA-1"])
    edited = a_pact(an_atom(intent="Something else."))
    pact = type(committed)(settings=edited.settings, atoms=edited.atoms, commitments=committed.commitments)
    assert codes([a_test(annotations=[note("IA-1")])], pact) == ["PK201", "PK108"]


def test_deleted_committed_atom_is_an_error():
    committed = a_pact(an_atom(), committed=["IA-1"])
    pact = type(committed)(commitments=committed.commitments)
    assert codes([], pact) == ["PK202"]


def test_waiver_holds_a_finding_back_until_its_date_and_is_shown():
    subject = f"{FILE}::test_login"
    waiver = Waiver("Ada", "legacy", date(2026, 6, 1), code="PK101", subject=subject)
    found = verdict([a_test()], a_pact(waivers=[waiver]))
    assert found.agrees
    assert [held.by for _, held in found.waived] == ["Ada"]


def test_expired_waiver_holds_nothing_back():
    waiver = Waiver("Ada", "legacy", date(2026, 5, 31), code="PK101", subject=f"{FILE}::test_login")
    assert sorted(codes([a_test()], a_pact(waivers=[waiver]))) == ["PK101", "PK204"]


def test_stale_debt_line_is_only_a_note():
    found = verdict([], a_pact(debt={f"{FILE}::gone": "b1:gone"}))
    assert [(e.finding.code, e.finding.severity) for e in found.findings] == [("PK203", "info")]


def test_fingerprint_survives_line_moves():
    first = verdict([a_test(line=10)], a_pact()).findings[0].finding.fingerprint
    assert verdict([a_test(line=99)], a_pact()).findings[0].finding.fingerprint == first


def test_path_filter_does_not_match_siblings_with_the_same_beginning():
    assert under("tests/a/b.py", ["tests/a"])
    assert not under("tests/ab/b.py", ["tests/a"])
