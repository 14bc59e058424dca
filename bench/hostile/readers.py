"""Every reader of what others write: sound inputs to begin with, and the errors that it may raise."""

# ruff: noqa: E501 - what readers begin with is data

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

from pactkeeper.errors import PactkeeperError
from pactkeeper.repo.languages.adapter import Glimpse

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Reader:
    """One way in: `read` is given bytes and raises nothing but what Pactkeeper says on purpose."""

    read: Callable[[bytes], object]
    seeds: Callable[[], tuple[bytes, ...]]


@dataclass(slots=True)
class Folder:
    """Files in memory, as discovery sees a snapshot."""

    files: Mapping[str, bytes]
    parse: Callable[[str, bytes], bytes]
    rests: Mapping[str, Collection[str]] | None = None
    called: set[str] = field(default_factory=set)

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths."""
        return tuple(sorted(self.files))

    @property
    def glimpses(self) -> Mapping[str, Glimpse]:
        """Every file is a candidate."""
        return {}

    @property
    def candidates(self) -> tuple[str, ...]:
        """The files that may declare tests: all of them."""
        return self.paths

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return self.files.get(path)

    def facts(self, path: str) -> bytes | None:
        """The facts of a file."""
        return self.parse(path, self.files[path]) if path in self.files else None


def _under(folder: str, *suffixes: str) -> Callable[[], tuple[bytes, ...]]:
    def seeds() -> tuple[bytes, ...]:
        chosen = suffixes or ("",)
        found = sorted(one for one in (ROOT / folder).rglob("*") if one.is_file() and one.name.endswith(chosen))
        return tuple(one.read_bytes() for one in found)

    return seeds


def _texts(*texts: str) -> Callable[[], tuple[bytes, ...]]:
    return lambda: tuple(text.encode() for text in texts)


def _one_of(names: Sequence[str], data: bytes) -> str:
    """The one that an input goes to where there are many: always the same, and over a campaign all of them."""
    return names[crc32(data) % len(names)]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _source(path: str) -> Callable[[bytes], object]:
    """Discovery, attachment, claims, imports and outline of one file."""

    def read(data: bytes) -> object:
        from pactkeeper.repo.languages import owner  # noqa: PLC0415 - one campaign loads what it needs

        adapter = owner(path)
        if adapter is None:
            raise TypeError(f"no language owns {path!r}")
        key = adapter.configure(Folder({}, lambda _path, _data: b"")).parse_key
        folder = Folder({path: data}, lambda path, data: adapter.parse(path, data, key))
        tests, _ = adapter.resolve(adapter.configure(folder), folder)
        adapter.importing.parse(path, data, "")
        adapter.outlining.parse(path, data, "")
        adapter.outlining.uses.parse(path, data, "")
        return tests, adapter.evidence(path, data, tests=tests, read=folder.read)

    return read


def _runner_settings(*paths: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        from pactkeeper.repo.languages import LANGUAGES, load  # noqa: PLC0415 - likewise

        folder = Folder({_one_of(paths, data): data}, lambda _path, _data: b"")
        for adapter in map(load, LANGUAGES):
            adapter.candidates(adapter.configure(folder), ("tests/test_a.py", "src/a.test.ts", *paths))
            adapter.importing.resolver(folder)
        return None

    return read


_RUNNING: Final = (
    *(".github/workflows/a.yml", ".github/actions/a/action.yaml", ".gitlab-ci.yml", "azure-pipelines.yml"),
    *(".circleci/config.yml", ".travis.yml", ".pre-commit-config.yaml", "package.json", "Makefile", "justfile"),
    *("tox.ini", "noxfile.py", "pyproject.toml", "run.sh", "mypy.ini", ".flake8", "biome.json", ".eslintrc.yml"),
)


def _workflow(data: bytes) -> object:
    """A file that runs checks, or sets what they look at."""
    from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles  # noqa: PLC0415 - likewise
    from pactkeeper.repo.strength.switches.pipelines import family_of, read_pipeline  # noqa: PLC0415 - likewise
    from pactkeeper.repo.strength.switches.reading import Unreadable, flat, read_data  # noqa: PLC0415 - likewise

    path = _one_of(_RUNNING, data)
    try:
        found = read_pipeline(path, {path: data}.get) if family_of(path) else None
        files = SettingsFiles(Folder({path: data}, lambda _path, _data: b""))
        return found, dict(flat(read_data(path, data, files)))
    except Unreadable as error:
        return str(error)


def _forge_event(data: bytes) -> object:
    from pactkeeper.forges.deliveries import (  # noqa: PLC0415 - likewise
        asked_in,
        heard_from,
        numbers_of,
    )
    from pactkeeper.ledger.documents import whole_escapes  # noqa: PLC0415 - likewise

    try:
        event = json.loads(whole_escapes(_text(data)))
    except (ValueError, RecursionError):
        return None
    kinds = ("pull_request", "issue_comment", "push", "check_run")
    steps: list[Callable[[], object]] = [lambda kind=kind: heard_from("github", kind, event) for kind in kinds]  # type: ignore[misc]
    steps += [lambda: heard_from("gitlab", "", event), lambda: numbers_of(event), lambda: asked_in(_text(data))]
    return [_may_fail(step) for step in steps]


def _annotation(data: bytes) -> object:
    from pactkeeper.repo.annotations.grammar import parse_comment, parse_docstring, parse_tag  # noqa: PLC0415 - likewise

    text = _text(data)
    return [*parse_comment(text), *parse_docstring(text), parse_tag(text)]


_PACT_FILES: Final = (
    "pact/atoms/a.toml",
    "pact/links/a.toml",
    "pact/molecules.toml",
    "pact/invariants.toml",
    "pact/waivers.toml",
    "pact/commitments/COM-7F3KQ9T.toml",
    "pact/debt.txt",
    "pact/rejections.toml",
)


def _pact(data: bytes) -> object:
    from pactkeeper.catalog.read import read_pact, read_settings  # noqa: PLC0415 - likewise

    sound = b"[pact]\nformat = 1\n"
    files = ({"pact/pact.toml": sound, path: data} for path in _PACT_FILES)
    return [_may_fail(lambda given=given: read_pact(given)) for given in files], read_settings(data)  # type: ignore[misc]


def _may_fail(step: Callable[[], object]) -> object:
    """Take a step whose refusal is an answer as well."""
    try:
        return step()
    except PactkeeperError as error:
        return str(error)


def _own_pact() -> tuple[bytes, ...]:
    found = [*(ROOT / "pact").glob("*.*"), *sorted((ROOT / "pact").glob("*/*"))[::20]]
    return (*(one.read_bytes()[:4000] for one in found if one.is_file()), *_texts(*_PACT_TEXTS)())


_PACT_TEXTS: Final = (
    '[pact]\nformat = 1\n[tests]\ninclude = ["tests/**/*.py"]\n[check]\nfail_on = ["PK101"]\n[health]\nevery = 30\n',
    '[IA-7F3KQ9T]\nintent = "A login is refused."\ncategory = "security"\noutcomes = ["The status is 401."]\n',
    '[M-1]\nname = "Login"\natoms = ["IA-1"]\n',
    '["tests/a.py::test_a"]\natoms = ["IA-1"]\nbody = "v1:00"\nreason = """\nlong\n"""\n',
)


def _report(data: bytes) -> object:
    from pactkeeper.repo.reports import read_coverage, read_quality, read_results  # noqa: PLC0415 - likewise
    from pactkeeper.repo.reports.reading import Report  # noqa: PLC0415 - likewise

    readers: Iterable[Callable[[Report], object]] = (read_results, read_coverage, read_quality)
    return [_may_fail(lambda read=read: read(Report("report", data))) for read in readers]  # type: ignore[misc]


def _check_output(data: bytes) -> object:
    from pactkeeper.health.parsers import PARSERS, parse  # noqa: PLC0415 - likewise
    from pactkeeper.health.parsers.seen import CheckOutput  # noqa: PLC0415 - likewise
    from pactkeeper.intent.health import HealthCheck  # noqa: PLC0415 - likewise

    names = [name for name in PARSERS if name != "regex"]  # a process for each input; its pattern is the user's
    name = _one_of(names, data)
    return parse(name, HealthCheck("check", ("run",), "test", name), CheckOutput(_text(data), report=data))


def _transcript(data: bytes) -> object:
    from pactkeeper.intent.conversation import Conversation, ConversationEntry  # noqa: PLC0415 - likewise
    from pactkeeper.transcripts.extraction.extract import extract  # noqa: PLC0415 - likewise
    from pactkeeper.transcripts.sources import SOURCES  # noqa: PLC0415 - likewise
    from pactkeeper.transcripts.sources.records import RawLine  # noqa: PLC0415 - likewise

    made: list[object] = []
    for source in SOURCES:
        path = Path("/talk.jsonl")
        if source.recognise(path, data):
            source.describe(path, data)
        chat = Conversation(source.name, "/talk.jsonl", "s")
        rows = [data] if source.whole else data.split(b"\n")[:20]
        found = [source.decode(RawLine(at * 10, at * 10 + 9, row), chat) for at, row in enumerate(rows)]
        entries = tuple(one for one in found if isinstance(one, ConversationEntry))
        made += [entries, extract((), entries, fresh={one.uuid for one in entries})]
    return made


def _thread(data: bytes) -> object:
    from pactkeeper.intent.ticket import Draft, ThreadMessage  # noqa: PLC0415 - likewise
    from pactkeeper.intent.ticket_patch import apply  # noqa: PLC0415 - likewise
    from pactkeeper.tickets.reading import extract  # noqa: PLC0415 - likewise

    draft = Draft("T1")
    for number, text in enumerate(_text(data).split("\n\n")[:4]):
        message = ThreadMessage(f"m{number}", "T1", "Ada", "2026-03-01T12:00:00+00:00", text, "", number + 1)
        draft = apply(draft, extract(message, draft).patches)
    return draft


def _intake(data: bytes) -> object:
    from pactkeeper.authoring.source import Source  # noqa: PLC0415 - likewise
    from pactkeeper.authoring.taking import take_in  # noqa: PLC0415 - likewise

    text = _text(data)
    return take_in(Source("a.md", text)), take_in(Source("a.feature", text), feature=True)


def _document(data: bytes) -> object:
    from pactkeeper.boards import folder, sections  # noqa: PLC0415 - likewise
    from pactkeeper.repo.docs import sections_of  # noqa: PLC0415 - likewise

    text = _text(data)
    made: list[object] = [list(sections_of(path, data)) for path in ("a.md", "a.rst", "a.txt")]
    with suppress(folder.UnreadablePage):
        folder.read_page(text)
    made.append(sections.blocks_of(text))
    made.append(_may_fail(lambda: sections.with_section(text, mark="pk", key="k", heading="Notes", text="said")))
    return made


def _patch(data: bytes) -> object:
    """The text as it is, and again with the hash that its contents have, so that the laws behind it are reached."""
    from pactkeeper.ledger.canonical import digest  # noqa: PLC0415 - likewise
    from pactkeeper.ledger.decision import decode_review  # noqa: PLC0415 - likewise
    from pactkeeper.ledger.patch import decode_patch  # noqa: PLC0415 - likewise

    text = _text(data)
    for step in (lambda: decode_patch(text), lambda: decode_review(text)):
        _may_fail(step)
    try:
        document = json.loads(text)
        document["hash"] = digest({key: value for key, value in document.items() if key != "hash"})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return decode_patch(json.dumps(document))


def _patches() -> tuple[bytes, ...]:
    from pactkeeper.ledger.finding import Evidence, Finding  # noqa: PLC0415 - likewise
    from pactkeeper.ledger.health import Health  # noqa: PLC0415 - likewise
    from pactkeeper.ledger.patch import Patch, encode_patch  # noqa: PLC0415 - likewise
    from pactkeeper.ledger.question import Question  # noqa: PLC0415 - likewise
    from tests.ledger.strategies import create  # noqa: PLC0415 - likewise

    finding = Finding(
        "PK101", "t", "error", "no atom", (Evidence("mechanical", "tests/test_a.py", 3),), fix="# @atom IA-1"
    )
    question = Question("choose", "q", {"why": ["a"]}, options=("IA-1", "IA-2"), default="IA-1")
    patch = Patch(
        "v1:base",
        (create("atom:IA-1", "Login: an expired token is refused."), create("atom:IA-2", "x")),
        (finding,),
        (question,),
        {"board": Health("partial", "page 2 is missing")},
        {"tests": 2},
    )
    decision = {"op": patch.ops[0].id, "shown_hash": patch.ops[0].shown_hash, "verdict": "accept", "by": "a", "at": "b"}
    review = {"schema": "pactkeeper.review/1", "patch": patch.hash, "decisions": [decision]}
    return encode_patch(patch).encode(), json.dumps(review).encode()


def _pattern(data: bytes) -> object:
    from pactkeeper.intent.patterns import matcher, path_filter  # noqa: PLC0415 - likewise

    words = _text(data).split("\n")[:20]
    paths = ("src/pactkeeper/a.py", "a" * 60, "a/" * 30 + "b", words[0])
    chosen: list[bool] = []
    for choose in (matcher(words), path_filter(words)):
        chosen += map(choose, paths)
    return chosen


def _personal_settings(data: bytes) -> object:
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - likewise

    from pactkeeper.settings import boards, models, slack, transcripts  # noqa: PLC0415 - likewise

    with TemporaryDirectory(dir=memory()) as place:
        folder = Path(place)
        for name in ("boards", "models", "slack", "threads", "transcripts"):
            (folder / f"{name}.toml").write_bytes(data)
        steps: Iterable[Callable[[], object]] = (
            lambda: boards.board_setups(None, folder),
            lambda: models.model_setup(folder, {}),
            lambda: slack.slack_settings(folder),
            lambda: slack.thread_settings(folder),
            lambda: transcripts.transcript_settings(folder),
        )
        for step in steps:
            _may_fail(step)
    return None


@cache
def memory() -> str | None:
    """A folder in memory where there is one: a campaign writes many small files."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - TemporaryDirectory makes its own inside


def _slack_event(data: bytes) -> object:
    from pactkeeper.doors.slack.events import Here, told  # noqa: PLC0415 - likewise

    try:
        event = json.loads(_text(data))
    except (ValueError, RecursionError):
        return None
    return told(event, Here("T1", "U0")) if isinstance(event, dict) else None


def _mcp_call(data: bytes) -> object:
    from pactkeeper.doors.mcp.resources import TOOLS  # noqa: PLC0415 - likewise
    from pactkeeper.verbs.calling import Failed, _refuse_misfits  # noqa: PLC0415 - likewise

    try:
        given = json.loads(_text(data))
    except (ValueError, RecursionError):
        return None
    for tool in TOOLS if isinstance(given, dict) else ():
        try:
            _refuse_misfits(tool, given)
        except Failed as refusal:
            str(refusal).encode()
    return None


_PYTHON: Final = _texts(
    'import pytest\n\n\nclass TestLogin:\n    """Logins.\n\n    @atom IA-1\n    """\n\n    @pytest.mark.atom("IA-2")\n'
    '    @pytest.mark.parametrize("a", [1, 2])\n    def test_a(self, a):  # @atom IA-3\n        """It holds."""\n'
    '        with pytest.raises(ValueError, match="x"):\n            call(a)\n        assert a == {"k": [1, 2.5, "s"]}\n',
    "from unittest import TestCase\nfrom .base import *\nclass A(TestCase):\n    def setUp(self): self.x = f'{1!r:>{2}}'\n"
    "    def test_b(self):\n        self.assertEqual(self.x, 1, 'no')\n        self.assertIn('\\ud83d', \"\\N{BULLET}\")\n",
)
_SCRIPT: Final = _texts(
    "import { it, describe, expect } from 'vitest';\n// @atom IA-1\ndescribe('cart', () => {\n  it.each([[1, 2], [3, 4]])"
    "('adds %i', (a, b) => {\n    expect(a).toBe(b); expect(() => f()).toThrow(/x+/);\n  });\n  /** @atom IA-2 */\n"
    "  test.skip(`a ${b} \\u{1F389} \\ud83d`, async () => { await expect(p).resolves.toEqual({ a: [1, null] }); });\n});\n",
    "const t = require('node:test'); class A<T> extends B { m?(x: T): x is Y { return <any>x } }\nexport default { a, ...b };\n",
)


def _both(*sources: Callable[[], tuple[bytes, ...]]) -> Callable[[], tuple[bytes, ...]]:
    return lambda: tuple(seed for source in sources for seed in source())


_JSON_EVENT: Final = (
    '{"type":"message","channel":"C1","user":"U1","text":"Problem: <@U2> slow","ts":"1700000000.000100","thread_ts":'
    '"1700000000.000100","event_ts":"1700000001.000000","edited":{"ts":"1.000001","user":"U1"}}'
)

READERS: Final[Mapping[str, Reader]] = {
    "python": Reader(_source("tests/test_a.py"), _both(_PYTHON, _under("tests/golden/python", ".py"))),
    "javascript": Reader(_source("src/a.test.js"), _both(_SCRIPT, _under("tests/golden/javascript", ".js", ".mjs"))),
    "typescript": Reader(_source("src/a.test.ts"), _both(_SCRIPT, _under("tests/golden/javascript", ".ts"))),
    "tsx": Reader(_source("src/a.test.tsx"), _both(_SCRIPT, _under("tests/golden", ".tsx", ".ts"))),
    "annotations": Reader(
        _annotation,
        _texts(
            "# @atom IA-7F3KQ9T, IA-1 - why\n",
            "/**\n * @atom IA-1: x\n */",
            '"""Doc.\n\n@atom IA-1 (a)\n"""',
            "@atom:IA-1",
        ),
    ),
    "pact": Reader(_pact, _own_pact),
    "reports": Reader(_report, _under("tests/repo/reports/samples")),
    "outputs": Reader(_check_output, _under("tests/health/outputs", ".txt", ".log", ".json", ".xml")),
    "transcripts": Reader(
        _transcript,
        _both(
            _under("tests/transcripts", ".jsonl"),
            _texts(
                '{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-03-01T12:00:00Z","cwd":"/w","message":{"role":'
                '"user","content":"We decided to wait because #12 is open."}}\n{"type":"assistant","uuid":"a1","message":{"id":'
                '"m","content":[{"type":"text","text":"Done."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":'
                '"git push"}}]}}\n{"type":"user","uuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"t1",'
                '"content":"error: rejected","is_error":true}]}}\n',
                '{"timestamp":"2026-03-01T12:00:00Z","type":"response_item","payload":{"type":"function_call","name":"shell",'
                '"arguments":"{\\"command\\":[\\"bash\\",\\"-lc\\",\\"ls\\"]}","call_id":"c"}}\n',
                '{"role":"user","content":"Pay 5 kg by 2026-03-01"}\n',
                "## User\n\nWe will ship on Friday.\n\n## Assistant\n\n- [x] done\n",
            ),
        ),
    ),
    "threads": Reader(
        _thread,
        _both(
            _under("tests/tickets/samples"),
            _texts(
                "Title: Faster export\nProblem: Clerks wait 5 minutes.\nAC: Given x, when y, then z within 200 ms\n\n"
                "ok   ok\n\nactually at most 50 MB, not 20\n- must not log mails\n- depends on AB-12 https://a.example/x\n\n🎉🎉",
            ),
        ),
    ),
    "intake": Reader(
        _intake,
        _texts(
            "# Login\n\nAcceptance criteria:\n- A user must not see others' orders.\n- [ ] It returns 401 if the token is old.\n",
            "Feature: Login\n  @IA-1\n  Scenario Outline: a\n    Given x\n    When y\n    Then z\n    Examples:\n      | a |\n      | 1 |\n",
        ),
    ),
    "documents": Reader(
        _document,
        _both(_under("docs", "glossary.md", "slack.md"), _texts("---\na: [1, 2]\n---\n# T\n\nText\n====\n* x\n")),
    ),
    "patches": Reader(_patch, _patches),
    "patterns": Reader(_pattern, _texts("**/*.py\nsrc/**/a?[bc]{d,e}\n!x", "**/*a**/*a**/*a")),
    "runner settings": Reader(
        _runner_settings(
            *("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "conftest.py", "package.json", "tsconfig.json"),
            *(
                "jest.config.js",
                "vitest.config.ts",
                ".mocharc.yml",
                "playwright.config.ts",
                "deno.json",
                "pact/pact.toml",
            ),
        ),
        _texts(
            '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npython_files = "test_*.py"\n',
            "[pytest]\npython_functions = test_* check[!a]*\naddopts = --ignore=x -k 'a\n",
            '{"scripts":{"test":"jest --config a.js && vitest run"},"jest":{"testMatch":["**/*.test.js"],"projects":["<rootDir>/p"]}}',
            "module.exports = { testRegex: ['(a+)+$'], roots: [`${__dirname}/src`], projects: [{ testMatch: ['**/x'] }] };\n",
            "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { include: ['**/*.{test,spec}.ts'] } });\n",
            '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}},"extends":"./a.json"}',
        ),
    ),
    "workflows": Reader(
        _workflow,
        _both(
            _under(".github", ".yml"),
            _texts(
                '{"on": ["push"], "jobs": {"a": {"strategy": {"matrix": {"py": ["3.11"]}}, "steps": [{"run": "pytest -k a || true",'
                ' "continue-on-error": true, "if": "always()", "env": {"PYTEST_ADDOPTS": "-x"}}, {"uses": "pre-commit/action@v3"}]}}}',
                '{"test": {"stage": "a", "script": ["pytest", "npm test -- --a"], "allow_failure": {"exit_codes": [1]}, "extends": ".b"}}',
                '{"repos": [{"repo": "local", "hooks": [{"id": "ruff", "entry": "ruff check", "args": ["--fix"], "exclude": "a"}]}]}',
                '{"scripts": {"test": "run-s lint unit", "unit": "vitest run --coverage", "lint": "eslint . --max-warnings 0"}}',
                "all: test lint\n\nOPTS := -x\ntest: deps\n\t-pytest $(OPTS) tests\n\t@$(MAKE) lint\n",
                "[tox]\nenv_list = a\n[testenv]\nset_env =\n    PYTEST_ADDOPTS=-x\ncommands =\n    pytest {posargs}\n    - mypy .\n",
                "import nox\n\n@nox.session\ndef tests(session):\n    session.run('pytest', '-x', *session.posargs, success_codes=[0, 1])\n",
                '[tool.poe.tasks]\na = "pytest"\nb = { cmd = "mypy", env = {A = "1"} }\n[tool.pdm.scripts]\nc = ["x"]\n'
                '[tool.tox.env.d]\ncommands = [["pytest", "-x"]]\n[tool.hatch.envs.e.scripts]\nf = ["pytest", "mypy"]\n',
                'set -e\nfor f in a b; do pytest "$f" || exit 0; done\nif true; then ruff check .; fi\n',
            ),
        ),
    ),
    "forge events": Reader(
        _forge_event,
        _texts(
            '{"action": "opened", "number": 3, "changes": {"base": {}}, "pull_request": {"head": {"sha": "a"}, "base": {"sha": "b"}},'
            ' "repository": {"clone_url": "https://a.example/b", "ssh_url": "git@a.example:b", "default_branch": "main"}}',
            '{"action": "created", "issue": {"number": 3, "pull_request": {}}, "comment": {"id": 1, "body": "/pk accept 1"},'
            ' "repository": {"clone_url": "https://a.example/b"}}',
            '{"ref": "refs/heads/main", "after": "c", "repository": {"clone_url": "u", "default_branch": "main"}}',
            '{"action": "rerequested", "check_run": {"id": 4, "name": "pactkeeper", "pull_requests": [{"number": 3}]},'
            ' "repository": {"clone_url": "u"}}',
            '{"object_kind": "merge_request", "object_attributes": {"action": "update", "oldrev": "a", "iid": 3, "target_branch":'
            ' "main", "last_commit": {"id": "c"}}, "project": {"git_http_url": "u", "default_branch": "main"}}',
            '{"object_kind": "note", "object_attributes": {"id": 5, "noteable_type": "MergeRequest", "note": "/pk why 2"},'
            ' "merge_request": {"iid": 3}, "project": {"git_http_url": "u"}}',
            '{"object_kind": "push", "ref": "refs/heads/main", "after": "c", "project": {"git_http_url": "u", "default_branch": "main"}}',
        ),
    ),
    "personal settings": Reader(
        _personal_settings,
        _texts(
            '[boards.main]\nkind = "local"\nfolder = "tasks"\n[defaults]\nboard = "main"\n',
            '[model]\nname = "openai:gpt"\nurl = "http://127.0.0.1:1/v1"\n[caps]\ndollars = 1.5\n[prices]\ninput = 0.1\n',
            'mode = "http"\nport = 80\nhost = "127.0.0.1"\n[threads]\nquiet = 20\nroles = ["U1"]\n',
        ),
    ),
    "slack": Reader(_slack_event, _texts(_JSON_EVENT)),
    "mcp": Reader(
        _mcp_call, _texts('{"limit": 5, "cursor": "a", "path": "x", "ids": ["IA-1"], "query": {"a": [1, null, true]}}')
    ),
}


def tried(reader: Reader, data: bytes) -> None:
    """Give an input to a reader; what it says on purpose is an answer, and everything else is raised."""
    try:
        _stored(reader.read(data))
    except PactkeeperError as error:
        str(error).encode()


def _stored(found: object) -> None:
    """Encode every text of what was read, as a file or a database does."""
    if isinstance(found, str):
        found.encode()
    elif isinstance(found, Mapping):
        _stored((*found, *found.values()))
    elif isinstance(found, tuple | list | frozenset | set):
        for one in found:
            _stored(one)
    elif is_dataclass(found):
        for field in fields(found):
            _stored(getattr(found, field.name))
