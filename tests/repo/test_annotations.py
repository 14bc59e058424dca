import pytest

from pactkeeper.intent.tests import Annotation
from pactkeeper.repo.annotations import collect
from pactkeeper.repo.annotations.grammar import Parsed, parse_comment, parse_line, parse_tag, sort_words
from pactkeeper.repo.languages import owner
from tests.repo import annotation_cases
from tests.repo.declared import parse


def owners(source: str, language: str) -> dict[str, list[str]]:
    data = source.encode()
    tree, declared = parse(data, language)
    collected = collect(tree, data, [(node, scope) for _, node, scope in declared])
    found = {name: annotations for (name, _, _), annotations in zip(declared, collected.declared, strict=True)}
    found |= {"file": collected.file, "nothing": collected.orphans}
    return {owner: words(annotations) for owner, annotations in found.items() if annotations}


def words(annotations: tuple[Annotation, ...]) -> list[str]:
    atoms = [atom for annotation in annotations for atom in annotation.atoms]
    return atoms + sorted(f"!{word}" for annotation in annotations for word in annotation.malformed)


@pytest.mark.parametrize("case", annotation_cases.PYTHON.values(), ids=annotation_cases.PYTHON.keys())
def test_python_annotation_belongs_to(case):
    assert owners(case.source, "python") == case.owners


@pytest.mark.parametrize("case", annotation_cases.JAVASCRIPT.values(), ids=annotation_cases.JAVASCRIPT.keys())
def test_javascript_annotation_belongs_to(case):
    assert owners(case.source, "javascript") == case.owners


def test_an_annotation_knows_its_line_carrier_and_scope():
    source = b'"""@atom IA-1"""\n\n\n# why\n# @atom IA-2\nclass TestA:\n    def test_a(self):\n        """Doc.\n\n        @atom IA-3, x\n        """\n'
    tree, declared = parse(source, "python")
    collected = collect(tree, source, [(node, scope) for _, node, scope in declared])
    assert collected.file == (Annotation(("IA-1",), "docstring", "file", 1),)
    assert collected.declared[0] == (Annotation(("IA-2",), "comment", "suite", 5),)
    assert collected.declared[1] == (Annotation(("IA-3",), "docstring", "test", 10, ("x",)),)


def test_the_prefix_is_the_projects_own():
    assert parse_line("@atom REQ-1", prefix="REQ") == Parsed(("REQ-1",))
    assert parse_line("@atom IA-1", prefix="REQ") == Parsed((), ("IA-1",))
    assert parse_line("@atom A.B-1", prefix="A.B") == Parsed(("A.B-1",))


def test_a_line_that_only_mentions_is_no_annotation():
    assert parse_line("see @atom IA-1") is None
    assert parse_line("@atomic") is None
    assert list(parse_comment("# me@atom IA-1")) == []


def test_lines_of_a_comment_are_counted_from_its_first():
    assert list(parse_comment("/**\n * @atom IA-1\n *\n * @atom IA-2 */")) == [
        (1, Parsed(("IA-1",))),
        (3, Parsed(("IA-2",))),
    ]


@pytest.mark.parametrize(
    ("tag", "parsed"),
    [
        ("@IA-1", Parsed(("IA-1",))),
        ("IA-7F3", Parsed(("IA-7F3",))),
        ("@atom:IA-1", Parsed(("IA-1",))),
        ("atom=IA-1", Parsed(("IA-1",))),
        ("@atom:ia-1", Parsed((), ("ia-1",))),
        ("@slow", None),
        ("@IA-1x", None),
        ("atomic", None),
    ],
)
def test_a_tag_is_a_link_only_where_it_names_an_atom(tag, parsed):
    assert parse_tag(tag) == parsed


def test_a_marker_without_ids_is_malformed():
    assert sort_words([]) == Parsed((), ("",))
    assert sort_words(["IA-1", "ia-2"]) == Parsed(("IA-1",), ("ia-2",))


@pytest.mark.parametrize("path", ["a.test.ts", "a.test.tsx", "a.test.js", "test_a.py"])
def test_an_annotation_in_a_file_that_is_being_typed_is_read_and_breaks_nothing(path):
    adapter = owner(path)
    assert adapter is not None
    leader = "#" if path.endswith("py") else "//"
    for unfinished in ("it('a', () => { expect(", "( ( {", "def test_a(x", "class {", "`${", "@", "import {"):
        source = f"{leader} @atom IA-1\n{unfinished}\n{leader} @atom IA-2\n".encode()
        tree = adapter.tree(path, source)
        assert collect(tree, source, []).declared == ()
        assert adapter.parse(path, source, "" if leader == "#" else "IA")


def test_an_annotation_of_very_many_ids_is_malformed_and_says_how_many_there_may_be():
    (found,) = parse_comment("# @atom " + ", ".join(f"IA-{number}" for number in range(100_000)))
    assert len(found[1].atoms) == 200
    assert found[1].malformed == ("more than 200 ids in one annotation",)


def test_a_comment_is_read_without_what_closes_it_and_spaces_at_its_end_cost_nothing():
    assert [one.atoms for _, one in parse_comment("/* @atom IA-1 **/")] == [("IA-1",)]
    assert [one.atoms for _, one in parse_comment("<!-- @atom IA-1 -->")] == [("IA-1",)]
    assert [one.malformed for _, one in parse_comment("# @atom IA-1" + " " * 200_000 + "x")] == [()]
