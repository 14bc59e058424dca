import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.repo.annotations import collect
from pactkeeper.repo.annotations.writing import Wish, Written, splice, write
from tests.repo.annotation_cases import JAVASCRIPT, PYTHON
from tests.repo.declared import parse

PYTHON_FILE = '''\
"""Doc."""
import a


class TestA:
    def test_a(self):
        assert a

    @skip
    @table([
        1,
    ])
    def test_b(self, x):
        assert x


# Why.
# type: ignore
async def test_c():
    pass
def test_d(): pass
'''

JAVASCRIPT_FILE = """\
/** @jest-environment jsdom */
import a from "a"

describe("s", () => {
\tit("a", () => {
\t\tx()
\t})
\t// why
\t// @ts-expect-error
\tit.each([1])("b", async () => {})

\ttest(
\t\t"c",
\t\tf,
\t)
})
export const t = test("d", () => {})
"""

FILES = {"python": PYTHON_FILE, "javascript": JAVASCRIPT_FILE}


def lines_of(source: bytes, language: str) -> list[int]:
    """Find the first line of every declaration."""
    _, declared = parse(source, language)
    return [node.start_point.row + 1 for _, node, _ in declared]


def wished(source: bytes, language: str, wishes: list[Wish]) -> Written:
    tree, _ = parse(source, language)
    return write(tree, source, wishes)


def rewritten(source: bytes, language: str, wishes: list[Wish]) -> bytes:
    written = wished(source, language, wishes)
    assert not written.refused
    return splice(source, written.splices)


def links(source: bytes, language: str) -> dict[str, list[str]]:
    tree, declared = parse(source, language)
    collected = collect(tree, source, [(node, scope) for _, node, scope in declared])
    assert not collected.orphans
    assert not collected.file
    return {
        name: [atom for annotation in annotations for atom in annotation.atoms]
        for (name, _, _), annotations in zip(declared, collected.declared, strict=True)
    }


def styled(text: str, style: str) -> bytes:
    data = text.encode()
    if "crlf" in style:
        data = data.replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + data if "bom" in style else data


ATOMS = st.lists(st.sampled_from(["IA-1", "IA-2", "IA-7F3-K"]), min_size=1, max_size=3, unique=True).map(tuple)


@settings(max_examples=settings().max_examples * 3 // 2)
@given(st.sampled_from(["python", "javascript"]), st.sampled_from(["", "crlf", "bom", "crlf bom"]), st.data())
def test_removing_what_was_added_gives_the_same_bytes_again(language, style, data):
    source = styled(FILES[language], style)
    lines = data.draw(st.lists(st.sampled_from(lines_of(source, language)), unique=True))
    atoms = {line: data.draw(ATOMS) for line in lines}
    added = rewritten(source, language, [Wish(line, add=atoms[line]) for line in lines])
    shifted = {line: line + sum(other < line for other in lines) + 1 for line in lines}
    assert rewritten(added, language, [Wish(shifted[line], remove=atoms[line]) for line in lines]) == source


@given(st.sampled_from(["python", "javascript"]), st.data())
def test_every_added_line_links_the_declaration_it_was_meant_for(language, data):
    source = FILES[language].encode()
    _, declared = parse(source, language)
    wanted = {name: data.draw(ATOMS) for name, _, _ in declared}
    wishes = [Wish(node.start_point.row + 1, add=wanted[name], scope=scope) for name, node, scope in declared]
    added = rewritten(source, language, wishes)
    assert links(added, language) == {name: list(atoms) for name, atoms in wanted.items()}
    assert len(added.splitlines()) == len(source.splitlines()) + len(wishes)


@settings(max_examples=settings().max_examples * 3 // 5)
@given(st.sampled_from(["python", "javascript"]), st.data())
def test_adding_twice_is_adding_once(language, data):
    source = FILES[language].encode()
    lines = lines_of(source, language)
    line = data.draw(st.sampled_from(lines))
    atoms = data.draw(ATOMS)
    once = rewritten(source, language, [Wish(line, add=atoms)])
    assert rewritten(once, language, [Wish(line + 1, add=atoms)]) == once


@settings(max_examples=settings().max_examples * 3 // 5)
@given(st.sampled_from(["python", "javascript"]), ATOMS, ATOMS)
def test_extending_and_shortening_gives_the_same_bytes_again(language, first, second):
    source = FILES[language].encode()
    line = lines_of(source, language)[1]
    once = rewritten(source, language, [Wish(line, add=first)])
    twice = rewritten(once, language, [Wish(line + 1, add=second)])
    new = tuple(atom for atom in second if atom not in first)
    assert twice.count(b"\n") == once.count(b"\n")
    assert rewritten(twice, language, [Wish(line + 1, remove=new)]) == once


def test_a_line_is_indented_like_its_test_and_ends_like_the_file():
    source = styled(JAVASCRIPT_FILE, "crlf")
    added = rewritten(source, "javascript", [Wish(5, add=("IA-1", "IA-2"))])
    assert b'\r\n\t// @atom IA-1, IA-2\r\n\tit("a"' in added


def test_a_line_stands_above_the_decorators():
    added = rewritten(PYTHON_FILE.encode(), "python", [Wish(9, add=("IA-1",))]).decode()
    assert "\n    # @atom IA-1\n    @skip\n    @table([\n" in added


def test_a_line_stays_behind_the_byte_order_mark():
    source = b"\xef\xbb\xbfdef test_a(): pass\n"
    assert rewritten(source, "python", [Wish(1, add=("IA-1",))]) == b"\xef\xbb\xbf# @atom IA-1\ndef test_a(): pass\n"


@pytest.mark.parametrize(
    "directive",
    ["// @ts-expect-error", "// eslint-disable-next-line a", "// prettier-ignore", "/* istanbul ignore next */"],
)
def test_nothing_comes_between_a_directive_and_the_line_it_speaks_about(directive):
    source = f'import "a"\n// why\n{directive}\nit("a", () => {{}})\n'.encode()
    expected = f'import "a"\n// why\n// @atom IA-1\n{directive}\nit("a", () => {{}})\n'.encode()
    assert rewritten(source, "javascript", [Wish(4, add=("IA-1",))]) == expected


def test_an_existing_line_is_extended_before_its_remark():
    source = b'/**\n * Why.\n * @atom IA-1 - why\n */\nit("a", () => {})\n'
    added = rewritten(source, "javascript", [Wish(5, add=("IA-2", "IA-1"))])
    assert added == source.replace(b"IA-1 -", b"IA-1, IA-2 -")


def test_an_atom_in_the_docstring_is_not_added_again():
    source = b'def test_a():\n    """\n    @atom IA-1\n    """\n'
    assert rewritten(source, "python", [Wish(1, add=("IA-1",))]) == source


def test_a_malformed_line_is_left_alone():
    source = b"# @atom ia-1\ndef test_a(): pass\n"
    assert rewritten(source, "python", [Wish(2, add=("IA-1",))]) == b"# @atom ia-1\n# @atom IA-1\ndef test_a(): pass\n"


@pytest.mark.parametrize(
    ("source", "remove", "expected"),
    [
        (b"# @atom IA-1, IA-2 , IA-3\ndef test_a(): pass\n", "IA-1", b"# @atom IA-2 , IA-3\ndef test_a(): pass\n"),
        (b"# @atom IA-1, IA-2 , IA-3\ndef test_a(): pass\n", "IA-2", b"# @atom IA-1 , IA-3\ndef test_a(): pass\n"),
        (b"# @atom IA-1, IA-2 , IA-3\ndef test_a(): pass\n", "IA-3", b"# @atom IA-1, IA-2\ndef test_a(): pass\n"),
        (b"# @atom IA-1, IA-2, IA-3\ndef test_a(): pass\n", "IA-1 IA-2", b"# @atom IA-3\ndef test_a(): pass\n"),
        (b"# @atom IA-1, IA-2, IA-3\ndef test_a(): pass\n", "IA-2 IA-3", b"# @atom IA-1\ndef test_a(): pass\n"),
        (b"# @atom IA-1, IA-2, IA-3\ndef test_a(): pass\n", "IA-1 IA-3", b"# @atom IA-2\ndef test_a(): pass\n"),
        (b"# a\n# @atom IA-1\n# b\ndef test_a(): pass\n", "IA-1", b"# a\n# b\ndef test_a(): pass\n"),
        (b"@skip\n# @atom IA-1\ndef test_a(): pass\n", "IA-1", b"@skip\ndef test_a(): pass\n"),
        (b"def test_a():  # @atom IA-1\n    pass\n", "IA-1", b"def test_a():\n    pass\n"),
        (b"def test_a():\n    # @atom IA-1\n    pass\n", "IA-1", b"def test_a():\n    pass\n"),
        (b"# @atom IA-1\ndef test_a(): pass\n", "IA-9", b"# @atom IA-1\ndef test_a(): pass\n"),
    ],
)
def test_removing_takes_only_the_atom(source, remove, expected):
    tree, declared = parse(source, "python")
    line = declared[0][1].start_point.row + 1
    assert rewritten(source, "python", [Wish(line, remove=tuple(remove.split()))]) == expected
    del tree


def test_an_atom_is_exchanged_in_one_step():
    source = b"# @atom IA-1\ndef test_a(): pass\n"
    assert (
        rewritten(source, "python", [Wish(2, add=("IA-2",), remove=("IA-1",))]) == b"# @atom IA-2\ndef test_a(): pass\n"
    )


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        (b'describe("s", () => { it("a", () => {}) })\n', 1, "encloses"),
        (b'describe("s", () => it("a", () => {}))\n', 1, "encloses"),
        (b'it("a", () => {}); it("b", () => {})\n', 1, "another statement"),
        (b'describe("s", () => {\n}); it("b", () => {})\n', 2, "no call"),
        (b'const x = `\nit("a", () => {})\n`\n', 2, "no statement"),
        (b'const x = `${\nit("a", () => {})\n}`\n', 2, "template"),
        (b'const x = <a b={\nit("a", () => {})\n} />\n', 2, "JSX"),
    ],
)
def test_a_javascript_line_that_cannot_be_placed_is_refused(source, line, reason):
    written = wished(source, "javascript", [Wish(line, add=("IA-1",))])
    assert written.splices == ()
    assert reason in written.refused[0][1]


@pytest.mark.parametrize(
    ("source", "line"),
    [(b'x = """\ndef test_a(): pass\n"""\n', 2), (b"if x: a()\n", 1), (b"x = 1; y = 2\n", 1), (b"a\n", 7)],
)
def test_a_python_line_that_starts_no_definition_is_refused(source, line):
    written = wished(source, "python", [Wish(line, add=("IA-1",))])
    assert written.splices == ()
    assert "no definition" in written.refused[0][1]


@pytest.mark.parametrize(
    "source",
    [
        b"# @atom IA-1 - why\ndef test_a(): pass\n",
        b'def test_a():\n    """@atom IA-1"""\n',
        b"# @atom IA-1, x\ndef test_a(): pass\n",
    ],
)
def test_words_of_a_person_are_not_removed(source):
    line = 2 if source.startswith(b"#") else 1
    written = wished(source, "python", [Wish(line, remove=("IA-1",))])
    assert written.splices == ()
    assert len(written.refused) == 1


@pytest.mark.parametrize(
    ("language", "source"),
    [("python", case.source) for case in PYTHON.values()]
    + [("javascript", case.source) for case in JAVASCRIPT.values()],
)
def test_in_nasty_files_a_line_links_its_test_or_is_refused(language, source):
    data = source.encode()
    _, declared = parse(data, language)
    for index, (_, node, scope) in enumerate(declared):
        written = wished(data, language, [Wish(node.start_point.row + 1, add=("IA-NEW",), scope=scope)])
        if written.refused:
            continue
        added = splice(data, written.splices)
        tree, again = parse(added, language)
        before = owned(data, language)
        after = collect(tree, added, [(node, scope) for _, node, scope in again])
        for other, annotations in enumerate(after.declared):
            atoms = [atom for annotation in annotations for atom in annotation.atoms]
            assert sorted(atoms) == sorted(before[other] + (["IA-NEW"] if other == index else []))


def owned(source: bytes, language: str) -> list[list[str]]:
    tree, declared = parse(source, language)
    collected = collect(tree, source, [(node, scope) for _, node, scope in declared])
    return [[atom for annotation in own for atom in annotation.atoms] for own in collected.declared]
