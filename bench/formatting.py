"""How many body hashes change when a real project is reformatted: the table in `formatting.md`.

    python bench/formatting.py --repo PATH [--black PROGRAM] [--ruff PROGRAM] [--prettier PROGRAM] [--show N]

Copies the test files tracked by git in PATH to a temporary folder, formats the copies with each set of options for the
given programs, and compares tests pairwise in source order. Downloads nothing and leaves PATH alone.
"""

from __future__ import annotations

import argparse
import difflib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from pactkeeper.repo.languages.javascript import normal as javascript
from pactkeeper.repo.languages.normal_form import hash_of
from pactkeeper.repo.languages.python import normal as python

PYTHON = {".py": Language(tree_sitter_python.language())}
JAVASCRIPT = {
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), Language(tree_sitter_javascript.language())),
    **dict.fromkeys((".ts", ".mts", ".cts"), Language(tree_sitter_typescript.language_typescript())),
    ".tsx": Language(tree_sitter_typescript.language_tsx()),
}
VARIANTS: Mapping[str, Sequence[Sequence[str]]] = {
    "black": (
        ["-l", "79"],
        ["-l", "100"],
        ["-l", "120", "-C"],
        ["-l", "88", "--preview", "--unstable"],
        ["-l", "60"],
        ["-t", "py314"],
    ),
    "ruff": (
        ["format", "--isolated", "--line-length", "79"],
        ["format", "--isolated", "--line-length", "100", "--config", "format.quote-style='single'"],
        ["format", "--isolated", "--line-length", "120", "--config", "format.skip-magic-trailing-comma=true"],
        ["format", "--isolated", "--line-length", "88", "--preview", "--target-version", "py314"],
        ["format", "--isolated", "--config", "format.indent-style='tab'", "--config", "format.line-ending='cr-lf'"],
        ["format", "--isolated", "--line-length", "60"],
    ),
    "prettier": (
        [],
        ["--no-semi", "--single-quote"],
        ["--tab-width", "4", "--print-width", "100"],
        ["--trailing-comma", "none", "--arrow-parens", "avoid"],
        ["--use-tabs", "--end-of-line", "crlf", "--quote-props", "consistent", "--no-bracket-spacing"],
        ["--print-width", "60", "--jsx-single-quote", "--bracket-same-line", "--object-wrap", "collapse"],
        ["--experimental-ternaries", "--experimental-operator-position", "start", "--single-attribute-per-line"],
    ),
}
ALWAYS: Mapping[str, Sequence[str]] = {
    "black": ["-q", "--config", "empty.toml", "--no-cache", "--fast", "."],
    "ruff": ["-q", "."],
    "prettier": [
        "--no-config",
        "--no-editorconfig",
        "--ignore-path",
        "empty.toml",
        "--log-level",
        "silent",
        "--write",
        ".",
    ],
}
_TEST_FILE = re.compile(
    r"(^|/)(tests?|__tests__|specs?)/|(^|/)(test_[^/]*|conftest)\.py$|[._](test|spec)\.[cm]?[jt]sx?$"
)
_TEST_CALL = re.compile(rb"(it|test|describe|specify|context|suite|bench)\b")


@dataclass(slots=True)
class Row:
    """The result of one formatting run."""

    files: int = 0
    tests: int = 0
    text: int = 0
    hashes: int = 0
    lost: int = 0
    shown: list[str] = field(default_factory=list)


def main() -> int:
    arguments = _arguments()
    repository = Path(arguments.repo)
    print("| project | formatter | files | tests | text changed | hashes changed | share |")
    print("|---|---|---:|---:|---:|---:|---:|")
    worst = 0.0
    for formatter, variants in VARIANTS.items():
        program = getattr(arguments, formatter)
        for options in variants if program else ():
            row = _measure(repository, formatter, program, options, show=arguments.show)
            share = (row.hashes + row.lost) / max(row.tests, 1)
            worst = max(worst, share)
            label = " ".join([formatter, *(part for part in options if part not in {"format", "--isolated"})])
            print(
                f"| {repository.name} | {label} | {row.files} | {row.tests} | {row.text} | {row.hashes + row.lost} "
                f"| {share:.2%} |",
                flush=True,
            )
            for text in row.shown:
                print(text, file=sys.stderr)
    return 0 if worst < arguments.limit else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True, help="a git checkout")
    for formatter in VARIANTS:
        parser.add_argument(f"--{formatter}", help=f"path of the {formatter} program")
    parser.add_argument("--show", type=int, default=0, help="print this many changed normal forms a run to stderr")
    parser.add_argument("--limit", type=float, default=0.005, help="exit 1 at this share of changed hashes")
    return parser.parse_args()


def _measure(repository: Path, formatter: str, program: str, options: Sequence[str], *, show: int) -> Row:
    languages = JAVASCRIPT if formatter == "prettier" else PYTHON
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        (copy / "empty.toml").write_text("")
        before = {path: _forms(path, text, languages) for path, text in _copied(repository, copy, languages)}
        command = [str(Path(program).absolute()), *options, *ALWAYS[formatter]]
        subprocess.run(command, cwd=copy, check=False, stdout=subprocess.DEVNULL)
        row = Row(files=len(before))
        for path, old in before.items():
            _compare(old, _forms(path, (copy / path).read_bytes(), languages), row, show=show)
        return row


def _copied(repository: Path, copy: Path, languages: Mapping[str, Language]) -> Iterator[tuple[str, bytes]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=repository, check=True, capture_output=True).stdout
    for path in listed.decode().split("\0"):
        if Path(path).suffix in languages and _TEST_FILE.search(path) and (repository / path).is_file():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(repository / path, copy / path)
            yield path, (copy / path).read_bytes()


def _compare(old: Sequence[tuple[bytes, bytes]], new: Sequence[tuple[bytes, bytes]], row: Row, *, show: int) -> None:
    row.tests += len(old)
    row.lost += abs(len(old) - len(new))
    for (text, form), (new_text, new_form) in zip(old, new, strict=False):
        row.text += text != new_text
        if hash_of(form) != hash_of(new_form):
            row.hashes += 1
            if len(row.shown) < show:
                row.shown.append(_difference(form, new_form))


def _difference(old: bytes, new: bytes) -> str:
    lines = difflib.unified_diff(_readable(old), _readable(new), lineterm="", n=6)
    return "\n".join(list(lines)[2:40]) + "\n----"


def _readable(form: bytes) -> list[str]:
    return [repr(token)[2:-1] for token in re.findall(rb"[A-Za-z0-9_$\x01-\x04\x80-\xff]+|.", form)]


def _forms(path: str, source: bytes, languages: Mapping[str, Language]) -> list[tuple[bytes, bytes]]:
    """Return every test's text and normal form, in source order."""
    tree = Parser(languages[Path(path).suffix]).parse(source)
    if languages is PYTHON:
        prepared = python.prepare(tree, source)
        found = [(node, python.declared_name(node)) for node in _definitions(tree.root_node)]
    else:
        prepared = javascript.prepare(tree, source)
        found = [(node, javascript.declared_name(node)) for node in _calls(tree.root_node)]
    return [
        (source[slice(*node.byte_range)], prepared.normal_form(*node.byte_range, name=name)) for node, name in found
    ]


def _definitions(node: Node) -> Iterator[Node]:
    """Yield every outermost function, test or not: formatting must not change any hash."""
    for child in node.named_children:
        inner = child.child_by_field_name("definition") or child
        if inner.type == "function_definition":
            yield child
        elif child.type != "block" or inner.type == "block":
            yield from _definitions(inner)


def _calls(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        function = child.child_by_field_name("function") if child.type == "call_expression" else None
        if function is not None and _TEST_CALL.match(function.text or b""):
            yield child
        yield from _calls(child)


if __name__ == "__main__":
    sys.exit(main())
