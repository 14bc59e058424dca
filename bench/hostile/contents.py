"""Bad contents under every name that is read: `python -m bench.hostile.contents [--say] [GROUP …]`.

Each group tells under which names contents are put and which commands are run beside them. A crowd holds every content
under every name at once, where a command must go on beside all of them; the rest holds one bad file at a time.
"""

# mypy: disable-error-code="no-untyped-call,no-any-return"
# The project that commands run in is that of the tests, whose helpers have no types.

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.hostile.bad_files import STATE, Sound, every_command, ready, said
from bench.hostile.readers import memory
from tests.doors.projects import Project

TEXTS: Final[Mapping[str, bytes]] = {
    "nothing": b"",
    "junk": bytes(range(256)) * 8,
    "nul": b"a = 1\n\0\n",
    "utf-16": 'a = "b"\n{"a": 1}\n'.encode("utf-16"),
    "half a mark of order": b"\xff",
    "latin-1": "# caf\xe9\na = 'f\xfcr'\n".encode("latin-1"),
    "surrogates": b'{"a": "\xed\xa0\x80"}\n',
    "escaped surrogates": b'{"a": "\\ud800", "b": ["\\udfff"]}\n',
    "a mark of order": b'\xef\xbb\xbf{"a": 1}\n',
    "brackets": b"[" * 50_000,
    "braces": b'{"a":' * 20_000,
    "parentheses": b"(" * 30_000,
    "a long line": b"x" * 1_000_000,
    "empty lines": b"\n" * 200_000,
    "old line ends": b"a = 1\r[b]\rc = 2\r",
    "control characters": b"\x1b[31mred\x07 = '\x9b0m'\n# \xe2\x80\xae back\n",
    "conflict marks": b"<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n",
    "a large number": b"9" * 5_000,
    "a large number in JSON": b'{"a": ' + b"9" * 5_000 + b', "scripts": 1e9999}',
    "an open string": b'{"a": "b',
    "an open text": b'a = """b\n',
    "separators": "a\u2028b\u2029c\u0085d\n".encode(),
    "YAML that repeats itself": b"a: &a [x, x]\n"
    + b"".join(b"%c: &%c [*%c, *%c]\n" % (n + 1, n + 1, n, n) for n in range(97, 121)),
    "YAML of itself": b"a: &a\n  b: *a\n",
    "XML that repeats itself": b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>\n<a>&c;</a>\n',
    "XML cut": b"<testsuite><testcase name='a'",
    "null": b"null\n",
    "a number": b"3\n",
    "a text": b'"x"\n',
    "a list": b'[1, "a", null, {}]\n',
    "a list of lists": b"[[[1]]]\n",
    "JSON of other types": b'{"scripts": 3, "jest": [], "tool": "x", "a": null, "tests": {"a": true}, "name": [1]}\n',
    "TOML of other types": b'tool = 3\n[project]\nname = ["a"]\ndependencies = {a = 1}\n',
    "TOML tools of other types": b'[tool]\npytest = "x"\npoe = [1]\ntox = 3\nhatch = {envs = "a"}\npdm = []\n',
    "sections": b"[pytest]\naddopts = -k 'a\n[pytest]\ntestpaths\n[tool:pytest]\n= x\n%(a)s = %(b)s\n",
    "dots": b".".join([b"a"] * 5_000) + b" = 1\n",
    "code": b"import os\nraise SystemExit(os.environ)\nmodule.exports = {...x, [y]: `${z}`}\n",
    "globs": b'{"jest": {"testMatch": ["'
    + b"**/*a" * 40
    + b'", "{'
    + b"a," * 2_000
    + b'}"], "testRegex": "(a+)+$"}}\n',
}


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _folder(place: Path) -> None:
    place.mkdir()


def _linked(target: str) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


OTHERS: Final[Mapping[str, Callable[[Path], None]]] = {
    "a pipe": _pipe,
    "a folder": _folder,
    "a loop": lambda place: place.symlink_to(place.name),
    "a device": _linked("/dev/zero"),
    "a terminal": _linked("/dev/tty"),
    "nowhere": _linked("/nowhere/at/all"),
    "another's": _linked("/etc/hostname"),
}
KINDS: Final = (*TEXTS, *OTHERS)


def put(place: Path, kind: str) -> None:
    """Put a bad file at a place, instead of what is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    OTHERS[kind](place) if kind in OTHERS else place.write_bytes(TEXTS[kind])


@dataclass(frozen=True, slots=True)
class Group:
    """Names, relative to the repository, and commands that are run beside them; `FILE` is the name.

    Of several names in one text each gets the same content. In a crowd `{}` is replaced by the number of a content.
    """

    names: Sequence[str]
    commands: Sequence[str]
    crowd: bool = False


_READING: Final = ("check", "status", "scan --json", "reconcile --all", "doctor")
_RUNNERS: Final = (
    *("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py", "package.json", "tsconfig.json"),
    *("jest.config.js", "vitest.config.ts", ".mocharc.yml", ".coveragerc", "Makefile", "deno.json", "requirements.txt"),
)
GROUPS: Final[Mapping[str, Group]] = {
    "sources": Group(
        (
            *("tests/test_{}.py", "web/{}.test.ts", "web/{}.test.tsx", "web/{}.spec.js", "web/{}.test.mjs"),
            *("src/{}.py", "src/{}.ts", "tests/p{}/conftest.py", "tests/p{}/__init__.py"),
            *("web/__snapshots__/{}.test.ts.snap", "features/{}.feature"),
        ),
        (),
        crowd=True,
    ),
    "other files": Group(
        (
            *(f"p{{}}/{name}" for name in _RUNNERS),
            *("docs/{}.md", "docs/{}.rst", "docs/{}.txt", ".github/workflows/{}.yml", ".claude/skills/{}/SKILL.md"),
            *(".gitlab/{}.yml", "reports/{}.xml", "p{}/AGENTS.md", "p{}/package-lock.json"),
        ),
        (),
        crowd=True,
    ),
    "runners": Group(
        (" ".join((*_RUNNERS, ".github/workflows/a.yml", ".gitlab-ci.yml")),),
        ("scan --json", "guard", "health checks", "reconcile --all"),
    ),
    "pact": Group(
        (
            *(
                "pact/pact.toml",
                "pact/atoms/a.toml",
                "pact/links/a.toml",
                "pact/molecules.toml",
                "pact/invariants.toml",
            ),
            *("pact/waivers.toml", "pact/commitments/COM-7F3KQ9T.toml", "pact/debt.txt", "pact/rejections.toml"),
            *("pact/allowed_signers", ".pactkeeper/approvals.toml"),
        ),
        ("check",),
    ),
    "state": Group(
        tuple(
            f"{STATE}/{name}"
            for name in (
                "history.db",
                "cache.sqlite",
                "docs.sqlite",
                "checkpoints.db",
                "journal",
                "journal/000099.open",
            )
        )
        + tuple(
            f"{STATE}/{name}" for name in ("lock", "run.lock", "repository", "trusted.json", "journal/000001.done")
        ),
        ("atom new 'The total is shown.'",),
    ),
    "personal": Group(
        (
            " ".join(
                f"../config/pactkeeper/{one}.toml" for one in ("boards", "models", "slack", "threads", "transcripts")
            ),
        ),
        (
            "doctor",
            "thread new 'Title: Export'",
            "boards list",
            "ask 'what is open?'",
            "transcripts reconcile",
            "slack check",
        ),
    ),
    "agents": Group(
        (
            ".mcp.json",
            ".claude/settings.json",
            ".cursor/mcp.json",
            ".codex/config.toml",
            "AGENTS.md",
            "CLAUDE.md",
            ".gitattributes",
        ),
        ("agents install --yes", "agents remove --yes"),
    ),
    "arguments": Group(
        ("given.json",),
        (
            *(
                "evidence import FILE",
                "evidence read FILE",
                "attest import FILE",
                "attest verify FILE",
                "atom import FILE",
            ),
            *("transcripts ingest FILE --no-wait", "words --from FILE", "resolve --decisions FILE", "apply FILE --all"),
            *("pr answer --event FILE", "context FILE", "review FILE --plain"),
        ),
    ),
    "tables": Group(("given.csv",), ("words --from FILE",)),
    "documents": Group(("given.md", "given.feature"), ("atom import FILE",)),
    "reports": Group(("given.xml", "lcov.info"), ("evidence read FILE",)),
}


def cases(group: Group) -> Iterator[tuple[str, Callable[[Project], None], Sequence[str]]]:
    """What is put where, with the commands that are run beside it."""
    if group.crowd:
        yield "all", lambda project: _crowd(project, group.names), every_command()
        return
    for name in group.names:
        for kind in KINDS:
            commands = [one.replace("FILE", name) for one in group.commands]
            yield f"{kind} as {name}", partial(_put_all, names=name, kind=kind), commands


def _put_all(project: Project, names: str, kind: str) -> None:
    for name in names.split():
        put(project.root / name, kind)


def _crowd(project: Project, names: Sequence[str]) -> None:
    for number, kind in enumerate(KINDS):
        for name in names:
            put(project.root / name.format(number), kind)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.contents")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"default: all of {', '.join(GROUPS)}")
    parser.add_argument("--say", action="store_true", help="print what each command said that refused")
    asked = parser.parse_args(arguments)
    found = 0
    with TemporaryDirectory(dir=memory()) as scratch:
        sound = ready(Path(scratch))
        for name in asked.groups or GROUPS:
            found += _run(sound, name, say=asked.say)
    return 1 if found else 0


def _run(sound: Sound, name: str, *, say: bool) -> int:
    codes, problems, group = Counter[int](), Counter[str](), GROUPS[name]
    for what, spoil, commands in cases(group):
        for one in said(sound, spoil, commands):
            codes[one.code] += 1
            if one.wrong:
                place = _place(one.wrong)
                problems[place] += 1
                if problems[place] == 1:
                    print(f"{what}: pk {one.command}: {one.wrong}", flush=True)
            elif say and one.code == 2:
                print(f"{what}: pk {one.command}: {one.told}", flush=True)
    files = len(" ".join(group.names).split()) * len(KINDS)
    ended = ", ".join(f"{count:,} with {code}" for code, count in sorted(codes.items()))
    print(f"{name:>12} {files:>5} bad files, {codes.total():>6,} runs ({ended}): {len(problems)} problems", flush=True)
    for place, times in problems.items():
        print(f"  {times:>4} times: {place}", flush=True)
    return len(problems)


def _place(wrong: str) -> str:
    """Where it was raised: problems of one place are one."""
    frames = re.findall(r'File "[^"]*/(pactkeeper/[^"]*", line \d+)', wrong)
    return frames[-1] if frames else wrong[:80]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
