"""Add and remove `@atom` annotations as byte splices of a file; only whole comment lines are ever added.

All splices of a file are computed against the same bytes and applied bottom-up, so none shifts another. Adding and then
removing the same atoms restores the original bytes. If a comment line can't be added safely, or can't be removed
without deleting words that a person wrote, the wish is refused with a reason, and the caller keeps the link in the
sidecar instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.intent.tests import Scope
from pactkeeper.repo.annotations import BYTE_ORDER_MARK, Mention, mentions
from pactkeeper.repo.annotations.grammar import id_pattern, parse_comment, parse_docstring
from pactkeeper.repo.annotations.layout import layout_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Comments that apply to the next line: nothing may be inserted between them.
_NEXT_LINE = re.compile(
    rb"@ts-(ignore|expect-error)|(eslint|oxlint)-disable-next-line|(prettier|biome|deno-lint|dprint)-ignore"
    rb"|(istanbul|c8|v8) ignore|tslint:disable-next|fmt: *(skip|off)|type: *ignore|noqa|pragma"
)


@dataclass(frozen=True, slots=True)
class Wish:
    """Atoms to add to and remove from the declaration whose first line is `line` (1-based)."""

    line: int
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    scope: Scope = "test"


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Replace the bytes from `start` to `end` with `text`."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a file's wishes: splices in order of position, and refused wishes with reasons."""

    splices: tuple[Splice, ...]
    refused: tuple[tuple[Wish, str], ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """One annotation line: its ids with their positions, and the comment that contains it."""

    mention: Mention
    start: int
    end: int
    ids: tuple[tuple[int, int, str], ...]
    pure: bool

    @property
    def atoms(self) -> tuple[str, ...]:
        """The atoms it names."""
        return tuple(atom for _, _, atom in self.ids)


def write(tree: Tree, source: bytes, wishes: Sequence[Wish], *, prefix: str = "IA") -> Written:
    """Compute the splices that fulfil `wishes`; atoms already present aren't added, absent ones aren't removed."""
    layout = layout_of(tree)
    refused: list[tuple[Wish, str]] = []
    placed: list[tuple[Wish, Node]] = []
    for wish in wishes:
        found = layout.declaration_at(tree.root_node, _first_byte(source, wish.line))
        if isinstance(found, str):
            refused.append((wish, found))
        else:
            placed.append((wish, found))
    attached = mentions(tree, source, [(node, wish.scope) for wish, node in placed])
    splices: set[Splice] = set()
    for index, (wish, _) in enumerate(placed):
        own = [mention for mention in attached if mention.owner == index]
        result = _fulfil(source, wish, own, leader=layout.leader, prefix=prefix)
        if isinstance(result, str):
            refused.append((wish, result))
        else:
            splices.update(result)
    return Written(tuple(sorted(splices)), tuple(refused))


def splice(source: bytes, splices: Iterable[Splice]) -> bytes:
    """Apply splices from the bottom up."""
    for part in sorted(splices, reverse=True):
        source = source[: part.start] + part.text + source[part.end :]
    return source


def _line_start(source: bytes, at: int) -> int:
    start = source.rfind(b"\n", 0, at) + 1
    return len(BYTE_ORDER_MARK) if start == 0 and source.startswith(BYTE_ORDER_MARK) else start


def _first_byte(source: bytes, line: int) -> int:
    """Return the first non-whitespace byte of a line (1-based)."""
    start = 0
    for _ in range(line - 1):
        start = source.find(b"\n", start) + 1
    start = _line_start(source, start)
    return start + len(source[start:]) - len(source[start:].lstrip(b" \t\f"))


def _fulfil(source: bytes, wish: Wish, own: Sequence[Mention], *, leader: bytes, prefix: str) -> list[Splice] | str:
    lines = [line for mention in own if mention.carrier == "comment" for line in _lines(source, mention, prefix)]
    present = {atom for mention in own for atom in _atoms(source, mention, prefix)}
    removable = {atom for line in lines for atom in line.atoms}
    wanted = [atom for atom in dict.fromkeys(wish.add) if atom not in present]
    unwanted = {atom for atom in wish.remove if atom in present}
    if not unwanted <= removable:
        return f"{', '.join(sorted(unwanted - removable))} stands in a docstring or a malformed annotation"
    staying = [line for line in lines if unwanted.isdisjoint(line.atoms)]
    splices: list[Splice] = []
    if wanted and staying:
        at = staying[0].ids[-1][1]
        splices.append(Splice(at, at, "".join(f", {atom}" for atom in wanted).encode()))
    elif wanted:
        splices.append(_new_line(source, _first_byte(source, wish.line), wanted, leader))
    for line in lines:
        removal = _removal(source, line, unwanted)
        if isinstance(removal, str):
            return removal
        splices.extend(removal)
    return splices


def _atoms(source: bytes, mention: Mention, prefix: str) -> Iterator[str]:
    text = source[mention.start : mention.end].decode("utf-8", "replace")
    parse = parse_comment if mention.carrier == "comment" else parse_docstring
    for _, parsed in parse(text, prefix=prefix):
        yield from parsed.atoms


def _new_line(source: bytes, at: int, atoms: Sequence[str], leader: bytes) -> Splice:
    """Add a line above the declaration at `at`, and above comments that apply to its first line."""
    start = _line_start(source, at)
    indentation = source[start:at]
    newline = _newline(source, at)
    while start > 0:
        above = _line_start(source, start - 1)
        text = source[above:start].strip()
        if above >= start or not text.startswith((b"#", b"//", b"/*")) or not _NEXT_LINE.search(text):
            break
        start = above
    return Splice(start, start, indentation + leader + b" @atom " + ", ".join(atoms).encode() + newline)


def _newline(source: bytes, at: int) -> bytes:
    end = source.find(b"\n", at)
    end = end if end >= 0 else source.find(b"\n")
    return b"\r\n" if end > 0 and source[end - 1 : end] == b"\r" else b"\n"


def _lines(source: bytes, mention: Mention, prefix: str) -> Iterator[_Line]:
    """Yield a comment's well-formed annotation lines."""
    text = source[mention.start : mention.end]
    pattern = re.compile(id_pattern(prefix).pattern.encode())
    starts = [0, *(match.end() for match in re.finditer(b"\n", text))]
    for number, parsed in parse_comment(text.decode("utf-8", "replace"), prefix=prefix):
        if parsed.malformed:
            continue
        start = starts[number]
        end = starts[number + 1] - 1 if number + 1 < len(starts) else len(text)
        at = text.index(b"@atom", start)
        ids: list[tuple[int, int, str]] = []
        for atom in parsed.atoms:
            match = pattern.search(text, at)
            if match is None:  # pragma: no cover - the same pattern has just matched this line
                break
            at = match.end()
            ids.append((mention.start + match.start(), mention.start + at, atom))
        pure = not text[at:end].strip().removesuffix(b"*/").strip()
        yield _Line(mention, mention.start + start, mention.start + end, tuple(ids), pure)


def _removal(source: bytes, line: _Line, unwanted: set[str]) -> list[Splice] | str:
    kept = [place for place in line.ids if place[2] not in unwanted]
    if len(kept) == len(line.ids):
        return []
    if not kept:
        return _whole(source, line)
    splices: list[Splice] = []
    for index, (start, end, atom) in enumerate(line.ids):
        if atom not in unwanted:
            continue
        earlier = any(place in kept for place in line.ids[:index])
        if earlier:
            splices.append(Splice(line.ids[index - 1][1], end, b""))
        else:
            splices.append(Splice(start, line.ids[index + 1][0], b""))
    return splices


def _whole(source: bytes, line: _Line) -> list[Splice] | str:
    """Remove an annotation's line, or a comment that follows code on its line."""
    start, end = line.mention.start, line.mention.end
    newlines = source.count(b"\n", 0, line.start)
    where = f"line {newlines + 1}"
    if not line.pure:
        return f"{where}: a remark stands behind the atoms"
    if b"\n" in source[start:end].rstrip():
        if line.start == start or line.end == end:
            return f"{where}: the annotation shares its line with the comment's end"
        return [Splice(line.start, line.end + 1, b"")]
    begin = _line_start(source, start)
    after = source.find(b"\n", end)
    after = after if after >= 0 else len(source)
    if source[end:after].strip():
        return f"{where}: code stands behind the comment"
    if not source[begin:start].strip():
        return [Splice(begin, min(after + 1, len(source)), b"")]
    return [Splice(begin + len(source[begin:start].rstrip()), end, b"")]
