"""`python -m bench.eval giving ROOT`: a hundred open tests of a repository get words, and inventions are noticed.

With `--sentences FILE`, what a person wrote for these tests, a line each in the order of the sheet.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.eval.answering import PLENTY
from pactkeeper.catalog.render import quoted
from pactkeeper.ledger.answering import Budget, Check, Exceeded, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.words import draft_words, wanting_words
from pactkeeper.reconcile.looking import infer_tests
from pactkeeper.reconcile.worth import Inferred
from pactkeeper.workspace import open_workspace

MANY, EVERY = 100, 5
PLANTED = (" after 4711 attempts", ' and says "all is lost"', " and logs_everything()")
Given = tuple[Sequence[str], int, int, int]
"""The sentences that were given, how many were taken, how many plants were noticed, and the keys pressed."""
_LINE = re.compile(r"^(\d+) > $", re.MULTILINE)
_PK = (sys.executable, "-m", "pactkeeper")
_EDITOR = "vim -u NONE -N -n"


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval giving", description=__doc__)
    parser.add_argument("root", type=Path, help="a repository with a pact and a hundred open tests; it is copied")
    parser.add_argument("--sentences", type=Path, help="a file with a sentence for each test")
    parser.add_argument("--ways", help="only those whose names hold this")
    given = parser.parse_args(arguments)
    root, lines = given.root, given.sentences.read_text(encoding="utf-8").splitlines() if given.sentences else ()
    print("| who | sentences | taken | planted | noticed | keystrokes | seconds |\n|---|---:|---:|---:|---:|---:|---:|")
    for who, give in WAYS.items():
        if (given.ways or "") not in who:
            continue
        with _copied(root) as folder:
            start = time.monotonic()
            told, taken, noticed, keys = give(folder, _sentences(folder, lines))
            seconds = time.monotonic() - start
            planted = sum(map(_has_plant, told))
            row = f"| {who} | {len(told)} | {taken} | {planted} | {noticed} | {keys or '–'} | {seconds:.0f} |"
            print(row, flush=True)


@contextmanager
def _copied(root: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / root.name
        shutil.copytree(root, copy, symlinks=True)
        yield copy


def _sentences(folder: Path, lines: Sequence[str]) -> Mapping[str, str]:
    """A sentence of each open test, written or made of its name; in every fifth something is planted."""
    with open_workspace(folder, notice=print) as opened:
        tests = [row.test for row in wanting_words(opened, (), limit=MANY).rows]
    plain = lines or [f"It holds for {_words(test)}." for test in tests]
    return {test: _planted(one, at) for at, (test, one) in enumerate(zip(tests, plain, strict=False))}


def _planted(sentence: str, at: int) -> str:
    """The sentence, or with a number, a quotation or a function that the test doesn't hold if it is a fifth one."""
    return f"{sentence.rstrip('.')}{PLANTED[at // EVERY % len(PLANTED)]}." if at % EVERY == EVERY - 1 else sentence


def _has_plant(sentence: str) -> bool:
    return any(one in sentence for one in PLANTED)


def _words(test: str) -> str:
    return re.sub(r"[\W\d_]+", " ", test.rsplit("::", 1)[-1].removeprefix("test_")).strip()


def _pk(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [*_PK, *arguments]
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False)


def _linked(folder: Path, sentences: Sequence[str]) -> int:
    """How many of the sentences stand in the pact."""
    told = "".join(one.read_text(encoding="utf-8") for one in (folder / "pact" / "atoms").rglob("*.toml"))
    return sum(quoted(one) in told for one in sentences)


def _typed(folder: Path, sentences: Mapping[str, str]) -> Given:
    """A person in vim: search the line, append the sentence, at last write and quit."""
    keys = "".join(f"/^{at} >\rA{one}\x1b" for at, one in enumerate(sentences.values(), start=1)) + ":wq\r"
    said = _at_a_terminal(folder, ["words", "--limit", str(MANY)], keys)
    return [*sentences.values()], _linked(folder, [*sentences.values()]), said.count("doubt about"), len(keys)


def _at_a_terminal(folder: Path, arguments: Sequence[str], keys: str) -> str:
    child, terminal = pty.fork()
    if not child:
        os.chdir(folder)
        os.environ.update(EDITOR=_EDITOR, VISUAL=_EDITOR, TERM="xterm")
        os.execv(_PK[0], [*_PK, *arguments])  # noqa: S606 - in the child of a pty
    seen, left = b"", keys.encode()
    while True:
        if left and b"All" not in seen and b"Top" not in seen and b'"' not in seen:
            ready = select.select([terminal], [], [], 60)[0]
        else:
            left = left[os.write(terminal, left[:200]) :] if left else left
            ready = select.select([terminal], [], [], 0.05 if left else 60)[0]
        if ready:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            if not more:
                break
            seen += more
    os.waitpid(child, 0)
    return seen.decode(errors="replace")


def _by_sheet(folder: Path, sentences: Mapping[str, str]) -> Given:
    """A script or an agent in a shell fills the printed sheet and gives it back."""
    lines = iter(sentences.values())
    sheet = _pk(folder, "words", "--limit", str(MANY), "--print").stdout
    full = _LINE.sub(lambda found: f"{found[1]} > {next(lines)}", sheet)
    said = _pk(folder, "words", "--limit", str(MANY), "--from", "-", given=full)
    return [*sentences.values()], _linked(folder, [*sentences.values()]), said.stderr.count("doubt about"), 0


def _one_by_one(folder: Path, sentences: Mapping[str, str]) -> Given:
    """A script or an agent in a shell accepts tests singly, the first quarter of them."""
    sentences = dict(list(sentences.items())[: MANY // 4])
    said = [_pk(folder, "accept", test, "--intent", one) for test, one in sentences.items()]
    return (
        [*sentences.values()],
        _linked(folder, [*sentences.values()]),
        sum("is not taken" in one.stderr for one in said),
        0,
    )


class _Scripted:
    """A model that says the sentences, with the first assertion of each test as its quotation."""

    name = "scripted"

    def __init__(self, said: Mapping[str, JsonValue]) -> None:
        self._said = said

    async def ask(
        self, prompts: Sequence[Prompt], *, check: Check, keep: Callable[[Reply], None], budget: Budget
    ) -> Budget | Exceeded:
        for prompt in prompts:
            value = self._said[prompt.question]
            reasons = check(prompt, value)
            keep(Reply(prompt, "objected" if reasons else "answered", self.name, value, reasons))
        return budget


def _drafted(folder: Path, sentences: Mapping[str, str]) -> Given:
    """A model drafts; what is objected to is no draft."""
    with open_workspace(folder, notice=print) as opened:
        wanted = wanting_words(opened, (), limit=MANY)
        snapshot = opened.snapshot()
        entries = [opened.world(snapshot).by_id[test] for test in sentences]
        shown = {one.entry.test.id: one for one in infer_tests(snapshot, entries)}
        said = {one.id: _answer(sentences[one.subject], shown[one.subject]) for one in wanted.questions}
        made = draft_words(opened, wanted, asker=_Scripted(said), budget=PLENTY)  # type: ignore[arg-type]  # no estimate
    drafts = {draft for row in made.rows for draft in row.drafts}
    noticed = sum(_has_plant(sentences.get(one.split(": ", 1)[0], "")) for one in made.refused)
    return [*sentences.values()], sum(one in drafts for one in sentences.values()), noticed, 0


def _answer(sentence: str, shown: Inferred) -> dict[str, JsonValue]:
    said, quotes = shown.inference, [quote for _, quote in shown.quotes[:1]]
    return {
        "intent": sentence,
        "category": said.category,
        "outcomes": [sentence],
        "quotes": [*quotes],
        "confidence": 90,
        "ambiguity": [],
    }


def _over_mcp(folder: Path, sentences: Mapping[str, str]) -> Given:
    """An agent answers the questions of a run over MCP, the first forty of them."""
    _pk(folder, "reconcile", "--all")
    asked = json.loads(_pk(folder, "questions", "list", "--json").stdout)["questions"]
    open_ones = {one["subject"]: one for one in asked if one["kind"] == "word_test"}
    wanted = {test: sentences[test] for test in [one for one in sentences if one in open_ones][:BATCH]}
    with subprocess.Popen(
        [*_PK, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        _call(server, 0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _AGENT})
        replies = [
            _call(server, at, "tools/call", {"name": "answer_question", "arguments": _reply(open_ones[test], one)})
            for at, (test, one) in enumerate(wanted.items(), start=1)
        ]
        assert server.stdin is not None
        server.stdin.close()
    refused = [bool(one.get("error") or one["result"].get("isError")) for one in replies]
    noticed = sum(_has_plant(one) and no for one, no in zip(wanted.values(), refused, strict=True))
    return [*wanted.values()], len(refused) - sum(refused), noticed, 0


BATCH = 40
_AGENT: Mapping[str, JsonValue] = {"name": "scripted", "version": "1"}


def _call(server: subprocess.Popen[str], at: int, method: str, params: Mapping[str, JsonValue]) -> dict[str, Any]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while True:
        found: dict[str, Any] = json.loads(server.stdout.readline())
        if found.get("id") == at:
            return found


def _reply(question: Mapping[str, Any], sentence: str) -> dict[str, JsonValue]:
    context = question["context"]
    answer = {
        "intent": sentence,
        "category": "functional",
        "outcomes": [sentence],
        "falsified_by": [],
        "quotes": context["source"][:1],
        "confidence": 90,
        "ambiguity": context.get("reasons", []),
    }
    return {"question": question["id"], "answer": answer}


WAYS: Mapping[str, Callable[[Path, Mapping[str, str]], Given]] = {
    "a person in vim": _typed,
    "a script: `pk words --from -`": _by_sheet,
    "an agent's shell: `pk accept --intent`": _one_by_one,
    "a model: `pk words --ask-model`": _drafted,
    "an agent over MCP: `answer_question`": _over_mcp,
}
