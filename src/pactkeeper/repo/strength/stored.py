"""What happened to files with expected values: snapshots, golden files, and files a test compares with.

Also rows that tests take from other files: fewer of them is a loss although no test changed.
"""

from __future__ import annotations

import ast
import csv
import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from pactkeeper.intent.claims import Call, Claim, Expression, Value
from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.intent.strength.terms import last_name, terms_of
from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.entries import entries
from pactkeeper.repo.strength.reading import strengths
from pactkeeper.repo.test_side import CODE, SCRIPTS, is_test_side

_STORED: Final = re.compile(
    r"(?:.*/)?(?:__snapshots__|snapshots?|goldens?|expected|approved|baselines?|cassettes)(?:/.*)?|.*\.(?:snap|ambr|approved\.\w+|golden)",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"// \w+ Snapshot v\d")
_OF_PATHS: Final = frozenset(
    {"normalize", "join", "resolve", "relative", "dirname", "basename", "normpath", "abspath", "joinpath", "fspath"}
    | {"Path", "PurePath", "PosixPath", "URL", "fileURLToPath", "pathToFileURL", "str", "String", "toString"}
)  # functions that make a path of another one
_MOST_ENTRIES: Final = 10  # entries of one file that are reported one by one
_Numbered = list[tuple[int, str]]
_MOST_FILES: Final = 20  # test files read to see whether a changed file is what they expect


def stored_changes(
    before: Snapshot, after: Snapshot, changed: Collection[str], tests: Mapping[str, Collection[Test]]
) -> Iterator[Change]:
    """Yield what happened to stored expectations that both sides have, or that were deleted."""
    stored = sorted(path for path in changed if is_stored(path) and path in before and not after.folder.holds(path))
    for path in stored:
        if path in after:
            yield from _rewritten(path, before, after)
        elif not _stands_in_code(path, before, after, changed) and not _stands_elsewhere(path, before, after, changed):
            yield from _deleted(path, before, after, tests)


def _stands_elsewhere(path: str, before: Snapshot, after: Snapshot, changed: Iterable[str]) -> bool:
    """Whether a new file of the same name has every line of a stored expectation: it moved along with its tests."""
    name = path.rpartition("/")[2]
    others = (one for one in changed if one.rpartition("/")[2] == name and one in after and one not in before)
    return any(set(_lines(before, path)) <= set(_lines(after, one)) for one in others)


def _deleted(path: str, before: Snapshot, after: Snapshot, tests: Mapping[str, Collection[Test]]) -> Iterator[Change]:
    """Yield the change for a deleted snapshot: an error if a test still takes it, since its next run writes it anew."""
    folder, _, name = path.rpartition("/")
    owner = f"{folder.rpartition('/')[0]}/{name.removesuffix('.snap')}".lstrip("/")
    found = strengths(after, tests.get(owner, ())).values() if owner in after else ()
    claims = [fact.claim for one in found for fact in one.facts]
    taken = any(claim.relation == "snapshot" and claim.object is None for claim in claims)
    lost = next((line for line in _lines(before, path) if re.search(r"\w", line)), "")
    if taken:
        message = "a stored expectation is gone, and the next run writes whatever comes out"
        yield Change("deleted", path, message, lost, "", 0, "error", path)
    else:  # what its tests expect instead is reported by their own comparison
        severity: Severity = "note" if claims else "warning"
        yield Change("deleted", path, "a stored expectation is gone", lost, "", 0, severity, path)


def compared_with(
    before: Snapshot, after: Snapshot, changed: Iterable[str], tests: Mapping[str, Collection[Test]]
) -> Iterator[Change]:
    """Yield what happened to other test-side files whose content a test of the later state expects.

    A test expects a file's content if one side of an equality reads a file of that name and the other doesn't.
    """
    beside = {path.rpartition("/")[2]: path for path in sorted(changed) if path in before and path in after
              and is_test_side(path) and not path.endswith(CODE) and not is_stored(path)}  # fmt: skip
    if not beside:
        return
    speaking = (file for file in tests if _speaks_of(after.read(file) or b"", beside))
    found: set[str] = set()
    for file in islice(speaking, _MOST_FILES):
        facts = [fact for one in strengths(after, tests[file]).values() for fact in one.facts]
        found |= {name for name, path in beside.items() if any(_expects(fact.claim, path) for fact in facts)}
    for name in sorted(found):
        yield from _rewritten(beside[name], before, after)


def _stands_in_code(path: str, before: Snapshot, after: Snapshot, changed: Iterable[str]) -> bool:
    """Whether a test changed along with it now contains every line of a stored expectation."""
    lines = {line.strip("`\"'; ") for line in _lines(before, path)} - {""}
    tests = (one for one in changed if one.endswith(CODE) and one in after and is_test_side(one))
    written = ((after.read(one) or b"").decode("utf-8", "replace") for one in tests)
    return bool(lines) and any(all(line in text for line in lines) for text in written)


def same_text(before: Snapshot, after: Snapshot) -> Callable[[Expression, Expression], bool]:
    """Return whether a term of the earlier state reads the text that one of the later state reads or spells out."""
    texts: dict[tuple[bool, Expression], str | None] = {}

    def read(snapshot: Snapshot, one: Expression) -> str | None:
        key = (snapshot is before, one)
        if key not in texts:
            texts[key] = _read_by(one, snapshot)
        return texts[key]

    def alike(one: Expression, other: Expression) -> bool:
        text = read(before, one)
        return text is not None and text == (other.text if isinstance(other, Value) else read(after, other))

    return alike


def _read_by(one: Expression, snapshot: Snapshot) -> str | None:
    """Return the text of the only file that a reading call names; None for any other term."""
    if not isinstance(one, Call) or not last_name(one).casefold().startswith("read"):
        return None
    values = [part.text for part in terms_of(one) if isinstance(part, Value) and part.kind == "string"]
    names = [text.lstrip("./…") for text in values if "." in text]
    paths = [path for path in snapshot.paths if len(names) == 1 and f"/{path}".endswith(f"/{names[0]}")]
    return (snapshot.read(paths[0]) or b"").decode("utf-8", "replace") if len(paths) == 1 else None


def is_stored(path: str) -> bool:
    """Whether a path says that the file holds expected values."""
    return _STORED.fullmatch(path) is not None and not path.endswith(CODE)


def _speaks_of(source: bytes, names: Iterable[str]) -> bool:
    return any(name.encode() in source for name in names)


def _expects(claim: Claim, path: str) -> bool:
    sides = [side is not None and _reads(side, path) for side in (claim.subject, claim.object)]
    return claim.relation in {"equals", "same"} and not claim.negated and sides[0] is not sides[1]


def _reads(term: Expression, path: str) -> bool:
    """Whether a term names a file and does more with it than to make its path."""
    parts = terms_of(term)
    texts = (part.text.lstrip("./…") for part in parts if isinstance(part, Value) and part.kind == "string")
    named = any(text and f"/{path}".endswith(f"/{text}") for text in texts)
    return named and any(last_name(part) not in _OF_PATHS for part in parts if isinstance(part, Call))


def _rewritten(path: str, before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield a change for each entry that lost or got a line, or for another file if it lost one.

    An entry that is gone counts if it had a line that no entry has now; a new one stands in its place.
    """
    was, now = (entries(_text(snapshot, path)) for snapshot in (before, after))
    if not (was or now):
        old, new = (list(enumerate(_written(snapshot, path), start=1)) for snapshot in (before, after))
        lost, added = _missing(old, new), _missing(new, old)
        yield from [_stored_change(path, lost, added)] if lost else []
        return
    every = [[line for lines in side.values() for line in lines] for side in (was, now)]
    fresh = [added for name in now if name not in was if (added := _missing(now[name], every[0]))]
    found: list[Change] = []
    for name, lines in was.items():
        anew = name not in now
        lost, added = (_missing(lines, every[1]), []) if anew else _apart(lines, now[name])
        if anew and lost and fresh:
            added = fresh.pop(0)
        if lost or added:
            found.append(_stored_change(f"{path}::{name}", lost, added))
    yield from found[:_MOST_ENTRIES]
    if found[_MOST_ENTRIES:]:
        more = found[_MOST_ENTRIES:]
        names = ", ".join(one.test.removeprefix(f"{path}::") for one in more)
        said = f"{len(more):,} more of its stored expectations were rewritten"
        yield Change("expectation", path, said, names, "", more[0].line, "warning", path)


def _stored_change(subject: str, lost: _Numbered, added: _Numbered) -> Change:
    """Return the change with the first line of both sides, and the number of lines if there are more."""
    number = max(len(lost), len(added))
    message = "a stored expectation was rewritten" + (f", in {number:,} lines" if number > 1 else "")
    line, new = added[0] if added else (0, "")
    return Change("expectation", subject, message, lost[0][1] if lost else "", new, line, "warning", subject)


def _apart(old: _Numbered, new: _Numbered) -> tuple[_Numbered, _Numbered]:
    """Return the lines that an entry has less often than before, and those that it has more often."""
    mine, theirs = (Counter(line for _, line in lines) for lines in (old, new))
    return _of_those(old, mine - theirs), _of_those(new, theirs - mine)


def _of_those(lines: _Numbered, wanted: Counter[str]) -> _Numbered:
    return [(number, line) for number, line in lines if wanted[line] > 0]


def _missing(lines: _Numbered, others: _Numbered) -> _Numbered:
    there = {line for _, line in others}
    return [(number, line) for number, line in lines if line and line not in there]


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    """Return the lines of a stored expectation, without a runner's header and the names of its tests."""
    lines = _written(snapshot, path)
    if path.endswith(".snap"):
        lines = [line.partition("] = ")[2] if line.startswith("exports[`") else line for line in lines]
        lines[:1] = [line for line in lines[:1] if _HEADER.match(line) is None]
    return [line for line in lines if line]


def _written(snapshot: Snapshot, path: str) -> list[str]:
    return [line.strip() for line in _text(snapshot, path).splitlines()]


_DATA: Final = (".json", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".jsonl", ".ndjson")
_OPAQUE: Final = (".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow", ".avro", ".pkl", ".pickle", ".npy", ".npz",
                  ".h5", ".sqlite", ".db", ".gz", ".zip")  # fmt: skip
_LARGEST: Final = 4 << 20  # bytes
_BROKEN: Final = (ValueError, SyntaxError, AttributeError, RecursionError, MemoryError, csv.Error)
_WORD: Final = re.compile(r"[\w$-]++")
_OVER: Final = re.compile(r"\b(?:of|in)[ \t]++(?:Object\.\w{4,7}\()?([\w$]++)[ \t]*+[):]")
_IMPORTED: Final = re.compile(
    r"\bimport[ \t]++(?:\*[ \t]++as[ \t]++)?([\w$]++)[ \t]++from[ \t]*+['\"]([^'\"\n]{1,300})['\"]"
    r"|\b([\w$]++)[ \t]*+=[ \t]*+(?:await[ \t]++)?(?:require|import)\([ \t]*+['\"]([^'\"\n]{1,300})['\"]"
)
_EACH: Final = re.compile(r"\b(?:each|parametrize)\(|\.(?:forEach|map)\(")
_SHOWN: Final = 80
_SPACE: Final = re.compile(r"[\s'\"`]+")


def row_changes(
    before: Snapshot, after: Snapshot, changed: Collection[str], tested: Collection[str]
) -> Iterator[Change]:
    """Yield tables and data files that have fewer rows, if a file in `tested` names them.

    Outside of the tests, only a data file counts that such a file imports and goes through. An empty one is an error,
    unless it is a table of a module that no loop in sight goes through, since that may list exceptions.
    """
    for path in sorted(changed):
        shared = _is_shared(path, before, after, tested) and path.endswith((*CODE, *_DATA))
        if not shared and not _is_gone_through(path, before, after, tested):
            continue
        for name, old, new in _both(path, before, after):
            lost = [row for row in old if row not in new] if len(new) < len(old) else []
            naming = list(_naming(path, name, after, tested)) if lost else []
            others = [other for other in changed if other != path and is_test_side(other) and other in after]
            if naming and not _stand_elsewhere(lost, others, after):
                sure = not new and (not name or any(_is_looped(name, text) for text in naming))
                subject = f"{path}::{name}" if name else path
                yield _fewer(subject, old, new, severity="error" if sure else "warning")


def _both(path: str, before: Snapshot, after: Snapshot) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield every table that both states of a file have, by name."""
    olds, news = _rows(path, before) or {}, _rows(path, after) or {}
    yield from ((name, old, news[name]) for name, old in olds.items() if name in news)


def unseen_rows(before: Snapshot, after: Snapshot, changed: Collection[str], tested: Collection[str]) -> Iterator[Gap]:
    """Yield changed data files that tests name and whose rows can't be read."""
    for path in sorted(changed):
        if _is_shared(path, before, after, tested) and path.endswith((*_DATA, *_OPAQUE)):
            blind = path.endswith(_OPAQUE) or _rows(path, before) is None or _rows(path, after) is None
            if blind and any(_naming(path, "", after, tested)):
                yield Gap(path, "its rows cannot be read, so fewer of them would go unnoticed")


def _is_shared(path: str, before: Snapshot, after: Snapshot, tested: Collection[str]) -> bool:
    both = path in before and path in after
    hidden = path.startswith(".")  # a workflow called test.yml is a setting
    known = path in tested or is_stored(path) or after.folder.holds(path)  # a pact names its files like the tests
    return both and not hidden and not known and is_test_side(path)


def _is_gone_through(path: str, before: Snapshot, after: Snapshot, tested: Collection[str]) -> bool:
    """Whether a test file imports a data file that doesn't lie among the tests, and makes rows of it."""
    if not path.endswith(_DATA) or is_test_side(path) or path not in before or path not in after:
        return False
    for file in (one for one in tested if one.endswith(SCRIPTS) and one in after):
        name = posixpath.basename(path)
        text = _text(after, file)
        found = _IMPORTED.findall(text) if name in text else []
        pairs = [(one or two, given or other) for one, given, two, other in found]
        place = posixpath.dirname(file)
        held = [local for local, given in pairs if posixpath.normpath(posixpath.join(place, given)) == path]
        if any(_is_looped(local, text) for local in held):
            return True
    return False


def _fewer(subject: str, old: Sequence[str], new: Sequence[str], *, severity: Severity) -> Change:
    counts = ["1 row" if len(rows) == 1 else f"{len(rows)} rows" for rows in (old, new)]
    lost = next(row for row in old if row not in new)
    message = "rows that tests take from it are gone"
    return Change("loosened", subject, message, f"{counts[0]}, with {lost[:_SHOWN]}", counts[1], 0, severity, subject)


def _naming(path: str, name: str, after: Snapshot, tested: Iterable[str]) -> Iterator[str]:
    """Yield the texts of files with tests, and of those that support them, that name a file and the table in it."""
    stem = posixpath.basename(path).partition(".")[0]
    support = (one for one in after.paths if is_test_side(one) and one.endswith(CODE))
    others = (one for one in dict.fromkeys([*sorted(tested), *support]) if one != path and one in after)
    texts = (_text(after, one) for one in others)
    yield from (text for text in texts if name in text and stem in text and stem in _WORD.findall(text))


def _is_looped(name: str, text: str) -> bool:
    """Whether a text goes through a table: a loop over it, or `each` or `parametrize` with it."""
    lines = (line for line in text.splitlines() if name in line)
    return any(name in _OVER.findall(line) or _EACH.search(line) is not None for line in lines)


def _stand_elsewhere(lost: Iterable[str], others: Iterable[str], after: Snapshot) -> bool:
    texts = [_SPACE.sub("", _text(after, other)) for other in others]
    return bool(texts) and all(any(_SPACE.sub("", row) in text for text in texts) for row in lost)


def _rows(path: str, snapshot: Snapshot) -> Mapping[str, list[str]] | None:
    """Return the rows of a data file, or of every table in a module by its name; None if they can't be read."""
    text = _text(snapshot, path)
    if len(text) > _LARGEST:
        return None
    try:
        if path.endswith(".py"):
            return dict(_of_python(text))
        return dict(_of_script(path, text)) if path.endswith(SCRIPTS) else {"": _of_data(path, text)}
    except _BROKEN:
        return None


def _of_data(path: str, text: str) -> list[str]:
    if path.endswith((".csv", ".tsv")):
        return [
            ",".join(row) for row in csv.reader(text.splitlines(), delimiter="\t" if path.endswith(".tsv") else ",")
        ]
    if path.endswith((".jsonl", ".ndjson")):
        return [line for line in text.splitlines() if line.strip()]
    if path.endswith(".json"):
        return list(_leaves(json.loads(text)))
    from pactkeeper.ledger.documents import read_toml  # noqa: PLC0415 - most changes don't need it
    from pactkeeper.repo.strength.switches.reading import read_yaml  # noqa: PLC0415 - likewise

    return list(_leaves(read_toml(text) if path.endswith(".toml") else read_yaml(text)))


def _leaves(data: object, key: str = "") -> Iterator[str]:
    """Yield the items of the outermost lists, and the entries of mappings without one."""
    if isinstance(data, list):
        yield from (json.dumps(item, default=str) for item in data)
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _leaves(value, str(name))
    else:
        yield f"{json.dumps(key)}: {json.dumps(data, default=str)}"


def _of_python(text: str) -> Iterator[tuple[str, list[str]]]:
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.List | ast.Tuple | ast.Set):
                yield target.id, [ast.unparse(item) for item in value.elts]
            elif isinstance(target, ast.Name) and isinstance(value, ast.Dict):
                yield target.id, [f"{ast.unparse(key) if key else ''}: {ast.unparse(item)}" for key, item
                                  in zip(value.keys, value.values, strict=True)]  # fmt: skip


def _of_script(path: str, text: str) -> Iterator[tuple[str, list[str]]]:
    from pactkeeper.repo.languages.javascript.claims.module import read_module  # noqa: PLC0415 - most changes don't need it
    from pactkeeper.repo.languages.javascript.claims.syntax import bare, children, parse, squeezed  # noqa: PLC0415

    module = read_module(path, parse(path, text.encode()))
    for name, bindings in module.bindings.items():
        value = bare(bindings[0].value) if len(bindings) == 1 and bindings[0].value is not None else None
        if value is not None and value.type in {"array", "object"} and not bindings[0].path:
            yield name, [squeezed(item) for item in children(value)]


def _text(snapshot: Snapshot, path: str) -> str:
    return (snapshot.read(path) or b"").decode("utf-8", "replace")
