"""Every `pk …` that the product prints or its documents name is a command with these options."""

import ast
import re
from pathlib import Path

import click
import pytest

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.main import cli
from pactkeeper.jobs.job import KINDS

ROOT = Path(__file__).parents[2]
HOME = ROOT / "src" / "pactkeeper"
MENTION = re.compile(r"(?<![\w/.<@:\"-])pk ((?:-C \S+ )?[a-z][a-z-]*\b(?:[ ][^`\n;,|<>()#]*)?)")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.y*ml"), *ROOT.glob(".*.yaml")]
KINDS_OF_SOURCE = {".py", ".toml", ".html", ".jinja", ".md"}
SOURCES = [
    path for path in HOME.rglob("*") if path.suffix in KINDS_OF_SOURCE and "pk " in path.read_text(encoding="utf-8")
]


def texts(path):
    """What a file says: all of a document, the strings of a module."""
    text = path.read_text(encoding="utf-8")
    return list(_strings(ast.parse(text))) if path.suffix == ".py" else [text]


def _strings(tree):
    """Every string with `{}` for each value that is put into it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def problem(words):
    """What is wrong with the words behind `pk`; nothing where they can be typed."""
    found: click.Command = cli
    ctx = click.Context(cli, info_name="pk")
    words = words[2:] if words[0] == "-C" else words
    while isinstance(found, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        below = found.get_command(ctx, words[0])
        if below is None and found.invoke_without_command and found is not cli:
            break
        if below is None:
            return f"{ctx.command_path} has no {words[0]!r}"
        ctx = click.Context(below, info_name=words[0], parent=ctx)
        found, words = below, words[1:]
    if isinstance(found, CommandGroup) and found.default:
        found = found.get_command(ctx, found.default) or found
    known = {name for one in found.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h", "--version"}
    given = [word.rstrip(".,:'\"").partition("=")[0] for word in words]
    strange = [word for word in given if re.fullmatch(r"--[a-z][a-z-]*", word) and word not in known]
    return f"{ctx.command_path} has no {', '.join(strange)}" if strange else ""


def problems(path):
    for text in texts(path):
        for found in MENTION.finditer(text):
            wrong = problem(found[1].partition("  ")[0].rstrip(".:").split())
            if wrong:
                yield f"{path.relative_to(ROOT)}: `pk {found[1]}`: {wrong}"


@pytest.mark.parametrize("path", [*PAGES, *SOURCES], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_command_can_be_typed(path):
    assert list(problems(path)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_job_is_a_command_that_can_be_typed(kind):
    assert problem(KINDS[kind].command.split()) == ""


def test_misspelt_command_or_option_is_found():
    assert problem(["recocile"])
    assert problem(["atom", "supersedes", "IA-1"])
    assert problem(["check", "--stagedd"])
    assert not problem(["findings", "--json"])
