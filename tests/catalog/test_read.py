from datetime import date

import pytest

from pactkeeper.catalog.read import read_pact, recognise
from pactkeeper.errors import CatalogError, InputError
from pactkeeper.intent.pact import Settings, Waiver
from tests.catalog.pacts import FULL, MARK


def read(**files: bytes):
    return read_pact(
        {"pact/pact.toml": MARK, **{path.replace("__", "/") + ".toml": source for path, source in files.items()}}
    )


def problems(files: dict[str, bytes]) -> list[str]:
    with pytest.raises(CatalogError) as raised:
        read_pact({"pact/pact.toml": MARK, **files})
    return [str(problem) for problem in raised.value.problems]


def test_every_file_of_a_pact_is_read():
    pact = read_pact(FULL)
    assert pact.settings.atom_prefix == "REQ"
    assert pact.settings.review_batch == 20
    assert pact.settings.policy[0].actors == frozenset({"agent"})
    assert pact.settings.policy[0].cap == 5
    assert pact.atoms["REQ-001"].outcomes == ("The response status is 401.", "No session is created.")
    assert (pact.atoms["REQ-001"].path, pact.atoms["REQ-001"].line) == ("pact/atoms/tests/test_auth.py.toml", 2)
    assert pact.atoms["REQ-002"].line == 12
    assert (pact.status_of("REQ-001"), pact.waiting_for("REQ-001")) == ("committed", "REQ-002")
    assert pact.status_of("REQ-003") == "abandoned"
    record = pact.links["tests/test_auth.py::TestLogin::test_expired_token"]
    assert (record.atoms, record.annotated, record.body, record.line) == (("REQ-001",), ("REQ-404",), "v1:ab", 1)
    assert pact.molecules["M-1"].atoms == ("REQ-001", "REQ-002")
    assert pact.invariants["INV-101"].where == {"category": ("security",)}
    assert pact.invariants["INV-101"].needs == {"min_tests": 2}
    assert pact.invariants["INV-003"].enabled is False
    assert pact.waivers[0] == Waiver(
        "ada", "flaky host", date(2030, 12, 31), code="PK101", subject="tests/test_auth.py::test_x"
    )
    assert pact.waivers[1].fingerprint == "v1:abc"
    assert pact.commitments["COM-1"].overrides == {"INV-002": "says it clearly enough"}
    assert pact.debt.by_test["tests/test_old.py::test a b"] == "v1:aa"


def test_missing_settings_have_their_defaults():
    assert read_pact({"pact/pact.toml": MARK}).settings == Settings()


def test_no_pact_and_a_foreign_pact_are_told_apart_from_ours():
    assert recognise({"src/a.py": b""}) == "absent"
    assert recognise({"pact/consumer.json": b"{}"}) == "foreign"
    assert recognise({"pact/pact.toml": b'[broker]\nurl = "x"\n'}) == "foreign"
    assert recognise({"pact/pact.toml": b"format = 1\n"}) == "foreign"
    assert recognise({"pact/pact.toml": b"\xef\xbb\xbf[pact]\r\nformat = 1\r\n"}) == "ours"
    assert recognise({"pact/pact.toml": b"pact.format = 1\n"}) == "ours"


def test_a_foreign_pact_folder_is_refused_without_a_word_on_its_files():
    with pytest.raises(InputError, match="the folder 'pact/' is not a pact"):
        read_pact({"pact/pact.toml": b"[broken", "pact/consumer.json": b"{}"})


def test_an_absent_pact_is_an_error_that_names_the_command():
    with pytest.raises(InputError, match="run `pk init`"):
        read_pact({"src/a.py": b""})


def test_a_later_format_is_refused():
    assert problems({"pact/pact.toml": b"[pact]\nformat = 2\n"}) == [
        "pact/pact.toml:2: format is 2; this version of Pactkeeper reads format 1"
    ]


def test_all_problems_of_all_files_come_in_one_error():
    assert problems(
        {
            "pact/pact.toml": MARK + b'colour = 1\n[check]\ninherited = "maybe"\n[speed]\n[review]\nbatch = 51\n',
            "pact/atoms/a.toml": b'[IA-1]\nintent = 3\ntags = "x"\nwho = "me"\n\n[IA-2]\ncategory = "security"\n[x]\n',
            "pact/links/t.py.toml": b'"t.py::a" = { atoms = ["I-1"], at = "2030-01-01" }\n"u.py::a" = {}\n',
            "pact/molecules.toml": b'[M-1]\nname = " "\natoms = ["IA-9", "IA-9"]\n',
            "pact/invariants.toml": b'[INV-1]\nenabled = 1\nevery = "test"\nneeds = { tests = 2, min_atoms = 0 }\ncode = "PK101"\n',
            "pact/waivers.toml": b'"oh no" = { by = "a", why = "b", until = 2030-01-01 }\n"v1:a" = { by = "a", until = "2030-01-01" }\n',
            "pact/commitments/COM-1.toml": b'id = "COM-2"\nby = "ada"\n',
            "pact/debt.txt": b"v1:a\nv1:a t.py::x\nv1:b t.py::x\n",
            "pact/notes.txt": b"",
        }
    ) == [
        "pact/atoms/a.toml:2: intent is 3; write non-blank text",
        "pact/atoms/a.toml:3: tags is 'x'; write an array of strings",
        "pact/atoms/a.toml:4: 'who' is not a key of [IA-1]; known are intent, category, outcomes, falsified_by, status, origin, source, recommendation, tags, supersedes, reason",
        "pact/atoms/a.toml:6: [IA-2] has no 'intent': the behaviour, one sentence",
        "pact/atoms/a.toml:8: 'x' is not an atom id; ids look like IA-7F3KQ9T",
        "pact/commitments/COM-1.toml: the file has no 'at': when",
        "pact/commitments/COM-1.toml: the file has no 'frozen': the frozen hash of every committed atom",
        "pact/commitments/COM-1.toml:1: the id is 'COM-2'; the file name says 'COM-1'",
        "pact/debt.txt:1: 'v1:a' is no debt; a line is a body hash, a space, a test id",
        "pact/invariants.toml:2: enabled is 1; write true or false",
        "pact/invariants.toml:4: needs is {'tests': 2, 'min_atoms': 0}; 'tests' is not a key of [needs]; known are min_tests, max_tests, min_atoms, max_atoms, min_outcomes, min_falsifiers, min_quality, category, tags, committed, signed, by, proven, reviewed, carrier, path; min_atoms is 0; write a whole number, 1 or more",
        "pact/invariants.toml:5: code is 'PK101'; write 2 to 8 capitals, then 3 or 4 digits, such as ACME101; PK is reserved",
        "pact/links/t.py.toml:1: at is '2030-01-01'; write date, time and zone in quotes, such as \"2030-12-31T09:00:00+00:00\"",
        "pact/links/t.py.toml:1: atoms is ['I-1']; write the id of an atom, such as IA-7F3KQ9T",
        "pact/links/t.py.toml:2: 'u.py::a' is not a test in 't.py', whose links this file holds",
        "pact/molecules.toml:2: name is ' '; write non-blank text",
        "pact/molecules.toml:3: atoms is ['IA-9', 'IA-9']; list each atom once",
        "pact/notes.txt: is not a pact file; move it elsewhere",
        "pact/pact.toml:3: 'colour' is not a key of [pact]; known are format, id_style, atom_prefix",
        "pact/pact.toml:5: inherited is 'maybe'; write one of warn, fail",
        "pact/pact.toml:6: [speed] is not a table of this file; known are pact, tests, links, check, inference, review, quality, policy, commitments, health, reports",
        "pact/pact.toml:8: batch is 51; write at most 50",
        "pact/waivers.toml:1: 'oh no' names no finding; write a fingerprint, or a code, a space and the subject",
        "pact/waivers.toml:2: [v1:a] has no 'why': the reason",
        "pact/waivers.toml:2: until is '2030-01-01'; write a date without quotes, such as 2030-12-31",
    ]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (
            '[INV-003]\nevery = "atom"',
            "2: INV-003 is built in; only rule, severity, blocking, enabled can be written for it",
        ),
        (
            "[R006]\nenabled = true",
            "1: 'R006' is not an invariant id; ids look like INV-101, built in are R001 to R005",
        ),
        ('[INV-1]\nevery = "atom"', "2: [INV-1] has no 'needs': what each of them must have"),
        ("[INV-1]\nneeds = { min_tests = 1 }", "2: [INV-1] has no 'every': what the rule ranges over"),
        ("[INV-1]\nenabled = true", "1: [INV-1] is empty; write 'rule' in words, or 'every' and 'needs'"),
        (
            '[INV-1]\nevery = "test"\nneeds = { max_tests = 1 }',
            "3: max_tests counts what a rule over every test is about, so it has no meaning there",
        ),
        (
            '[INV-1]\nevery = "atom"\nneeds = { min_tests = 2, max_tests = 1 }',
            "3: min_tests is 2 and max_tests is 1, so nothing can satisfy it",
        ),
        (
            '[INV-1]\nevery = "molecule"\nneeds = { min_atoms = 2 }\nseverity = "error"',
            "4: molecules never block (R004); write warning or info",
        ),
        (
            '[INV-1]\nevery = "molecule"\nneeds = { min_atoms = 2 }\nblocking = true',
            "4: molecules never block (R004); leave it out",
        ),
        (
            '[INV-1]\nevery = "atom"\nwhere = { since = "2030-01-01" }\nneeds = { min_tests = 2 }',
            "3: where is {'since': '2030-01-01'}; since is '2030-01-01'; write a date without quotes, such as 2030-12-31",
        ),
    ],
)
def test_a_rule_that_could_not_mean_anything_is_refused_where_it_stands(entry, problem):
    assert problems({"pact/invariants.toml": entry.encode()}) == [f"pact/invariants.toml:{problem}"]


def test_a_rule_in_words_alone_is_kept():
    pact = read(pact__invariants=b'[INV-PII]\nrule = "No personal data in logs."\n')
    assert pact.invariants["INV-PII"].rule == "No personal data in logs."


def test_a_waiver_may_name_a_finding_of_a_projects_rule():
    by = b' = { by = "ada", why = "b", until = 2030-01-01 }\n'
    pact = read(pact__waivers=b'"INV-PII IA-1"' + by + b'"ACME101 IA-2"' + by)
    assert [(one.code, one.subject) for one in pact.waivers] == [("INV-PII", "IA-1"), ("ACME101", "IA-2")]


def left_open(files):
    return read_pact({"pact/pact.toml": MARK, **files}).merging


def test_references_to_atoms_that_nobody_declares_are_left_to_check():
    found = left_open(
        {
            "pact/atoms/a.toml": b'[IA-1]\nintent = "x"\nsupersedes = "IA-7"\n',
            "pact/molecules.toml": b'[M-1]\nname = "x"\natoms = ["IA-1", "IA-8"]\n',
            "pact/commitments/COM-1.toml": b'id = "COM-1"\nby = "ada"\nat = "2030-01-01T00:00:00Z"\n[frozen]\nIA-9 = "v1:a"\n',
        }
    )
    assert [(one.path, one.line, one.holder, one.message) for one in found.dangling] == [
        ("pact/atoms/a.toml", 1, "IA-1", "supersedes 'IA-7', which no file declares"),
        ("pact/molecules.toml", 1, "M-1", "groups 'IA-8', which no file declares"),
    ]


def test_a_link_to_an_unknown_atom_is_left_to_check():
    assert read(pact__links__t=b"").links == {}
    pact = read_pact({"pact/pact.toml": MARK, "pact/links/t.py.toml": b'"t.py::a" = { atoms = ["IA-9"] }\n'})
    assert pact.links["t.py::a"].atoms == ("IA-9",)


def test_an_unreadable_atom_makes_no_reference_to_it_look_dangling():
    assert problems(
        {
            "pact/atoms/a.toml": b'[IA-1]\nintent = 3\n[IA-2\nintent = "x"\n',
            "pact/molecules.toml": b'[M-1]\nname = "x"\natoms = ["IA-1", "IA-2"]\n',
        }
    ) == [
        "pact/atoms/a.toml:2: intent is 3; write non-blank text",
        "pact/atoms/a.toml:3: invalid TOML: expected ']' at the end of a table declaration",
    ]


def test_an_id_in_two_files_is_contested_with_both_places():
    (one,) = left_open(
        {"pact/atoms/a.toml": b'\n[IA-1]\nintent = "x"\n', "pact/atoms/b.toml": b'IA-1.intent = "x"\n'}
    ).contested
    assert [(version.label, version.line) for version in one.versions] == [
        ("pact/atoms/a.toml", 2),
        ("pact/atoms/b.toml", 1),
    ]
    assert one.keys == ()


def test_an_id_twice_in_one_file_is_contested_and_hides_nothing():
    source = b'[IA-1]\nintent = "x"\n[IA-2]\nintent = 7\n[IA-1]\nintent = "y"\n'
    assert problems({"pact/atoms/a.toml": source}) == ["pact/atoms/a.toml:4: intent is 7; write non-blank text"]
    (one,) = left_open({"pact/atoms/a.toml": source.replace(b"7", b'"7"')}).contested
    assert [(version.line, version.fields["intent"]) for version in one.versions] == [(2, '"x"'), (6, '"y"')]


def test_a_line_that_a_union_merge_repeated_word_for_word_counts_once():
    line = b'"t.py::a" = { body = "v1:a" }\n'
    pact = read_pact({"pact/pact.toml": MARK, "pact/links/t.py.toml": line + b'"t.py::b" = {}\n' + line})
    assert pact.links["t.py::a"].body == "v1:a"


def test_two_different_lines_for_one_test_are_contested_and_the_first_counts():
    source = b'"t.py::a" = { body = "v1:a" }\n"t.py::a" = { body = "v1:b" }\n'
    pact = read_pact({"pact/pact.toml": MARK, "pact/links/t.py.toml": source})
    assert [(one.name, one.keys) for one in pact.merging.contested] == [("t.py::a", ("body",))]
    assert pact.links["t.py::a"].body == "v1:a"


def test_what_both_sides_of_conflict_markers_say_is_read_by_entry():
    source = b'<<<<<<< HEAD\nIA-1.intent = "x"\nIA-3.intent = "a"\n=======\nIA-2.intent = "y"\nIA-3.intent = "b"\n>>>>>>> side\n'
    pact = read_pact({"pact/pact.toml": MARK, "pact/atoms/a.toml": source})
    assert {name: (atom.intent, atom.line) for name, atom in pact.atoms.items()} == {
        "IA-1": ("x", 2),
        "IA-2": ("y", 5),
        "IA-3": ("a", 3),
    }
    assert [(one.path, one.line) for one in pact.merging.unmerged] == [("pact/atoms/a.toml", 1)]
    (one,) = pact.merging.contested
    assert [(version.label, version.line) for version in one.versions] == [("HEAD", 3), ("side", 6)]


def test_a_base_between_conflict_markers_tells_what_was_removed():
    source = (
        b'<<<<<<< HEAD\n||||||| base\nIA-1.intent = "x"\n=======\nIA-1.intent = "x"\nIA-2.intent = "y"\n>>>>>>> side\n'
    )
    assert sorted(read(pact__atoms__a=source).atoms) == ["IA-2"]


def test_problems_between_conflict_markers_have_their_line():
    source = b'<<<<<<< HEAD\nIA-1.intent = "x"\n=======\nIA-2.intent = 3\n>>>>>>> theirs\n'
    assert problems({"pact/atoms/a.toml": source}) == ["pact/atoms/a.toml:4: intent is 3; write non-blank text"]


def test_conflict_markers_that_do_not_belong_together_are_a_problem():
    source = b'<<<<<<< HEAD\nIA-1.intent = "x"\n>>>>>>> theirs\n'
    assert [problem.split(":")[1] for problem in problems({"pact/atoms/a.toml": source})] == ["1", "3"]


def test_debt_that_one_side_of_a_conflict_removed_is_no_debt():
    source = b"<<<<<<< HEAD\nv1:a t.py::x\n=======\nv1:b t.py::y\n>>>>>>> theirs\nv1:c t.py::z\n"
    pact = read_pact({"pact/pact.toml": MARK, "pact/debt.txt": source})
    assert sorted(pact.debt.by_test) == ["t.py::z"]
    assert [one.path for one in pact.merging.unmerged] == ["pact/debt.txt"]


def test_debt_that_both_sides_mended_is_read_whatever_their_base_was():
    source = b"<<<<<<< HEAD\nv1:a t.py::x\n||||||| base\nno debt\n=======\nv1:a t.py::x\n>>>>>>> theirs\n"
    assert read_pact({"pact/pact.toml": MARK, "pact/debt.txt": source}).debt.by_test == {"t.py::x": "v1:a"}


def test_a_conflict_inside_a_long_string_is_seen_too():
    source = b'[IA-1]\nintent = """\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> theirs\n"""\n'
    assert [problem.split(":")[1] for problem in problems({"pact/atoms/a.toml": source})] == ["3", "5", "7"]


def test_text_about_conflict_markers_is_no_conflict():
    source = b'[IA-1]\nintent = """\n=======\nThe file holds "<<<<<<< ours".\n"""\n'
    assert read(pact__atoms__a=source).atoms["IA-1"].intent.startswith("=======")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b'[IA-1]\nintent = "\xe4"\n', "pact/atoms/a.toml:2: byte 0xe4 is not UTF-8; save the file as UTF-8"),
        (b'[IA-1]\nintent = "\0"\n', "pact/atoms/a.toml:2: a NUL byte; the file is damaged"),
        (b'[IA-1]\nintent = "x\n', "pact/atoms/a.toml:2: invalid TOML: illegal character '\\n'"),
        (b"IA-1 = " + b"[" * 5000, "pact/atoms/a.toml:1: invalid TOML: nested too deeply"),
    ],
)
def test_damaged_bytes_are_named_with_their_line(source, problem):
    assert problems({"pact/atoms/a.toml": source}) == [problem]


def test_a_byte_order_mark_and_windows_line_ends_are_no_problem():
    source = b'\xef\xbb\xbf[IA-1]\r\nintent = "x"\r\n'
    assert read(pact__atoms__a=source).atoms["IA-1"].line == 1


def test_lines_are_right_where_strings_look_like_tables():
    source = b'[IA-1]\nintent = """\n[IA-2]\n"""\n[IA-2]\nintent = "y"\n'
    atoms = read(pact__atoms__a=source).atoms
    assert (atoms["IA-1"].line, atoms["IA-2"].line) == (1, 5)


def test_an_atom_that_supersedes_itself_over_others_is_read_without_that():
    source = b'IA-1.intent = "x"\nIA-1.supersedes = "IA-2"\nIA-2.intent = "x"\nIA-2.supersedes = "IA-1"\n'
    pact = read_pact({"pact/pact.toml": MARK, "pact/atoms/a.toml": source})
    assert [(one.holder, one.message) for one in pact.merging.dangling] == [
        ("IA-1", "supersedes itself, directly or over other atoms")
    ]
    assert [atom.supersedes for atom in pact.atoms.values()] == [None, "IA-1"]


def test_a_problem_in_a_later_rule_of_the_policy_names_its_line():
    rule = b'[[policy.rule]]\nname = "a"\nwhy = "b"\npermission = "ask"\n'
    assert problems({"pact/pact.toml": MARK + rule + rule + b'risks = ["fire"]\n'}) == [
        "pact/pact.toml:11: risks is ['fire']; write one of record, annotate, reversible-external, irreversible, human-act"
    ]
