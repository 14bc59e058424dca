"""Annotations that reach tests: in comments, docstrings and marks, of the test, its suites and its file."""

from tests.repo.python.snapshots import scan, scan_module


def notes(test):
    return [(note.atoms, note.carrier, note.scope, note.line) for note in test.annotations]


def test_mark_on_a_function_is_an_annotation():
    found = scan_module("import pytest\n@pytest.mark.atom('IA-1', 'IA-2')\ndef test_a(): pass\n")
    assert notes(found["test_a"]) == [(("IA-1", "IA-2"), "marker", "test", 2)]


def test_annotations_come_from_inner_to_outer():
    text = (
        "# @atom IA-0\n\nimport pytest\npytestmark = pytest.mark.atom('IA-1')\n\n\n"
        "@pytest.mark.atom('IA-2')\nclass TestA:\n    pytestmark = [pytest.mark.atom('IA-3')]\n\n"
        "    class TestB:\n        # @atom IA-4\n        def test_a(self):\n            '''It holds.\n\n            @atom IA-5\n            '''\n"
    )
    assert notes(scan_module(text)["test_a"]) == [
        (("IA-4",), "comment", "test", 12),
        (("IA-5",), "docstring", "test", 16),
        (("IA-2",), "marker", "suite", 7),
        (("IA-3",), "marker", "suite", 9),
        (("IA-1",), "marker", "file", 4),
        (("IA-0",), "comment", "file", 1),
    ]


def test_words_that_are_no_ids_are_malformed():
    found = scan_module("@pytest.mark.atom('ia-1', name)\ndef test_a(): pass\n")
    assert found["test_a"].annotations[0].malformed == ("ia-1", "name")


def test_mark_without_ids_is_malformed():
    assert scan_module("@pytest.mark.atom\ndef test_a(): pass\n")["test_a"].annotations[0].malformed == ("",)


def test_annotations_stay_with_the_defining_class():
    files = {
        "base.py": "class Contract:\n    # @atom IA-1\n    def test_a(self): pass\n",
        "test_it.py": "from base import Contract\n@pytest.mark.atom('IA-2')\nclass TestA(Contract): pass\n",
    }
    assert [note.atoms for note in scan(files)["test_a"].annotations] == [("IA-1",)]


def test_annotation_attached_to_nothing_is_a_gap():
    found = scan_module("def test_a(): pass\n\nx = 1\n# @atom IA-1\n\ny = 2\n")
    assert found["test_a"].annotations == ()
    assert [(gap.line, gap.reason) for gap in found.gaps] == [
        (4, "an annotation is attached to no test, suite or file")
    ]


def test_function_that_another_name_makes_a_test_has_the_annotation_above_it():
    text = "# @atom IA-1\ndef check(self): pass\n\n\nclass TestA:\n    test_a = check\n\n\nclass TestB:\n    test_b = check\n"
    found = scan_module(f"import os\n\n\n{text}")
    assert notes(found["check"]) == [(("IA-1",), "comment", "test", 4)]
    assert found.gaps == []


def test_annotation_of_a_function_that_is_no_test_is_a_gap():
    found = scan_module("import os\n\n\n# @atom IA-1\ndef check(): pass\n\n\ndef test_a(): check()\n")
    assert found["test_a"].annotations == ()
    assert [gap.line for gap in found.gaps] == [4]


def test_annotation_is_no_part_of_the_body_hash():
    plain = scan_module("def test_a():\n    assert 1\n")["test_a"]
    noted = scan_module("# @atom IA-1\n@pytest.mark.atom('IA-2')\ndef test_a():\n    '''@atom IA-3'''\n    assert 1\n")[
        "test_a"
    ]
    assert noted.body_hash == plain.body_hash


def test_project_chooses_what_ids_begin_with():
    files = {
        "pact/pact.toml": '[pact]\nformat = 1\natom_prefix = "REQ"\n',
        "test_it.py": "import pytest\n# @atom REQ-1\n@pytest.mark.atom('REQ-2', 'IA-3')\ndef test_a(): pass\n",
    }
    found = scan(files)["test_a"].annotations
    assert {(note.atoms, note.malformed) for note in found} == {(("REQ-1",), ()), (("REQ-2",), ("IA-3",))}


def test_unreadable_pact_leaves_the_usual_prefix():
    files = {"pact/pact.toml": "atom_prefix = [", "test_it.py": "# @atom IA-1\ndef test_a(): pass\n"}
    assert scan(files)["test_a"].annotations[0].atoms == ("IA-1",)
