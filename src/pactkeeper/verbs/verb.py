"""A verb: a function with its description, the shape of its arguments, and the published form of its result.

Also defined here: short descriptions of the common arguments, which a row may override, and the shapes that several
tools share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.finding import Risk
from pactkeeper.ledger.policy import Role, needed
from pactkeeper.ledger.shape import Anything, Choice, Entries, Items, Keyed, Shape, Text, Truth, Whole, json_schema
from pactkeeper.published.ops import APPLIED
from pactkeeper.published.schema import Form, document_of, schema_of
from pactkeeper.store.decisions import deciding
from pactkeeper.workspace import Workspace

Category = Literal["filesystem", "atom", "code", "report", "reconcile"]
TOOL_CATEGORIES: Final[tuple[Category, ...]] = ("filesystem", "atom", "code", "report", "reconcile")
Document = Mapping[str, object]

PAGE: Final[Mapping[str, Shape]] = {"limit": Whole(1, 200), "cursor": Text(most=40)}
CHECKED: Final = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern", "additionalProperties"}
)
MOST_PATHS: Final = 50
PER_PAGE: Final = 20


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a verb by a program; its arguments match the verb's shape.

    `granted` is the key of what a person agreed to, and `seen` the version a decision is based on, if the caller names
    one.
    """

    workspace: Workspace
    given: Mapping[str, Any]
    granted: str = ""
    seen: str = ""

    def text(self, name: str, default: str = "") -> str:
        """Return a text argument."""
        return str(self.given.get(name, default))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty if it was not given."""
        return tuple(self.given.get(name, ()))

    def flag(self, name: str) -> bool:
        """Whether the flag is set."""
        return bool(self.given.get(name, False))

    def maybe(self, name: str) -> str | None:
        """Return a text argument, or None if it was not given."""
        return self.given.get(name)

    def page(self, most: int = PER_PAGE) -> tuple[str, int]:
        """Return the cursor where a page of a sliced list begins, and its maximum length."""
        return self.text("cursor"), int(self.given.get("limit", most))

    def paths(self, name: str = "paths") -> tuple[str, ...]:
        """Return paths relative to the repository's root; paths that leave it, by symlink or otherwise, are refused."""
        return self.workspace.relative(self.files(name), start=self.workspace.repository.root)

    def files(self, name: str) -> tuple[str, ...]:
        """Return file names as given; raises RefusedError if one is outside the repository."""
        root = os.path.realpath(self.workspace.repository.root)
        for one in self.texts(name):
            if "\0" in one or not Path(os.path.realpath(root / Path(one))).is_relative_to(root):
                raise RefusedError(f"{one!r} is outside the repository; name a path inside it")
        return self.texts(name)


@dataclass(frozen=True, slots=True)
class YesWanted:
    """What a person has to agree to before it happens; `key` identifies exactly this request.

    `command` is what the person runs where they cannot be asked directly, and `document` what the caller gets until
    then. An empty message means that it is too long for one dialogue, so nobody is asked here.
    """

    key: str
    message: str
    command: str
    document: Document


NOTHING: Final = Keyed()
Answer = Callable[[Call], object]


@dataclass(frozen=True, slots=True)
class Verb:
    """One row: a function of `operators`, its risk (None if it only reads) and a one-sentence description.

    `answer` runs it for a program. A `title` makes it a tool for agents, `routes` (`GET /atoms/{atom}`, with fixed
    arguments after `?`) expose it over REST, and `called` renames it there if the function's own name would be unclear.
    `means` overrides the common descriptions of arguments; `categories` group tools for selection.

    `gives` is the form of the result, as in `published.schema`; a mapping is already a document. `pages` names the list
    in the result that is paged; with `sliced` the verb itself reads no more than a page, as a `Slice`. `destructive`
    and `idempotent` apply to verbs that write, `runs_code` to those that run what the repository declares. `cancel`
    stops the work of a call and returns whether there was any; `dress` loads details for one page's members where
    loading them for all would take too long. `version` identifies the state a decision is based on: a REST client that
    decides sends the version it saw, which reading verbs return as `version`.
    """

    function: Callable[..., Any]
    risk: Risk | None
    does: str
    answer: Answer = field(repr=False, kw_only=True)
    called: str = ""
    title: str = ""
    routes: tuple[str, ...] = ()
    takes: Keyed = NOTHING
    means: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[Category, ...] = ()
    gives: Form = field(default_factory=dict, repr=False)
    pages: str = ""
    sliced: bool = False
    destructive: bool = False
    idempotent: bool = False
    runs_code: bool = False
    cancel: Callable[[Workspace], bool] | None = field(default=None, repr=False)
    dress: Callable[[Workspace, Sequence[Any]], Sequence[Any]] | None = field(default=None, repr=False)
    per_page: int = PER_PAGE
    version: Callable[[Call], str] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The name programs call it by."""
        return self.called or self.function.__name__

    @property
    def reads(self) -> bool:
        """Whether it only reads."""
        return self.risk is None

    def run(self, call: Call) -> Document | YesWanted:
        """Run the verb for a program; members that are dressed page by page are returned undressed."""
        found = self._answered(call)
        if isinstance(found, YesWanted | Mapping):
            return found
        document: Document = {self.pages: found} if self.dress else document_of(self.gives, found)
        return document

    def _answered(self, call: Call) -> object:
        if self.version is None:
            return self.answer(call)
        with deciding(call.workspace.history()):
            now = self.version(call)
            if call.seen not in {"", now}:
                raise StaleError(f"somebody decided since this was read: {call.seen!r} is {now!r} now; read it again")
            return self.answer(call)

    def dressed(self, workspace: Workspace, members: Sequence[Any]) -> Sequence[object]:
        """Return a page's members as documents."""
        found: Document = document_of(self.gives, self.dress(workspace, members) if self.dress else members)
        rows: Sequence[object] = found[self.pages]  # type: ignore[assignment]  # a list of documents
        return rows

    @property
    def role(self) -> Role:
        """The role needed to call it on a server."""
        return needed(self.risk, runs_code=self.runs_code)

    @property
    def shape(self) -> Keyed:
        """The closed shape of the arguments, including those for paging."""
        return Keyed(self.takes.required, {**self.takes.optional, **PAGE}) if self.pages else self.takes

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, without bounds; violations are reported as errors when called."""
        short: dict[str, Any] = _short(self.described(self.shape))
        return short

    def described(self, shape: Keyed) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, with their descriptions."""
        schema: dict[str, Any] = json_schema(shape)
        members = {name: {**one, "description": self.meaning(name)} for name, one in schema["properties"].items()}
        return {**schema, "properties": members}

    def meaning(self, name: str) -> str:
        """Describe an argument in a few words; empty if there is no description."""
        return self.means.get(name, MEANINGS.get(name, ""))

    @property
    def result_schema(self) -> dict[str, Any]:
        """The JSON Schema of a result; for a paged verb, of one page."""
        return schema_of((self.gives, {"total": int, "cursor?": str}) if self.pages else self.gives)


def _short(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON Schema
    if isinstance(schema, dict):
        return {name: _short(one) for name, one in schema.items() if name not in CHECKED or isinstance(one, dict)}
    return [_short(one) for one in schema] if isinstance(schema, list) else schema


def needs(**members: Shape) -> Keyed:
    """Declare required arguments."""
    return Keyed(members)


def may(**members: Shape) -> Keyed:
    """Declare optional arguments."""
    return Keyed({}, members)


def both(required: Keyed, optional: Keyed) -> Keyed:
    """Combine required and optional arguments."""
    return Keyed(required.required, optional.optional)


def texts(most: int = MOST_PATHS, *, least: int = 0) -> Items:
    """A list of short texts: names, paths, words."""
    return Items(Text(), least, most)


MEANINGS: Final[Mapping[str, str]] = {
    "limit": "rows",
    "cursor": "next",
    "paths": "files, folders",
    "include": "globs",
    "exclude": "globs",
    "status": "state",
    "category": "kind",
    "tags": "any of",
    "run": "run id",
    "atom": "atom id",
    "patch": "patch or run id",
    "dry_run": "write nothing",
    "files": "report files",
    "coverage": "reports",
    "name": "id",
    "names": "ids",
    "reason": "why",
    "intent": "one sentence",
    "outcomes": "observable",
    "falsified_by": "what disproves it",
    "task": "task id",
    "tests": "test ids",
    "test": "test id",
    "commit": "git ref",
    "at": "git ref",
    "since": "git ref",
    "everything": "all files",
    "by": "what groups",
    "question": "question id",
    "molecule": "molecule id",
    "thread": "thread id",
    "job": "id of a job",
    "path": "file",
}


ID: Final = Text(1, 80)
LINE: Final = Text(1, 500)
REF: Final = Text(pattern="[^-].{0,199}")  # what git cannot take for an option
PATCH: Final = Text(pattern="(pa|REC)-[0-9A-Za-z-]{1,60}")  # an id, never a file path
RUN: Final = Text(pattern="REC-[0-9A-Za-z-]{1,60}")
PATHS: Final = texts()
FLAG: Final = Truth()
CATEGORY: Final = Choice(CATEGORIES)
STATUS: Final = Choice(("proposed", "draft", "committed", "superseded", "abandoned"))
BY: Final = Choice(("path", "concept"))
FILTER: Final = may(status=Items(STATUS), category=Items(CATEGORY), tags=texts(), paths=PATHS)
LINES: Final = Items(LINE, most=20)
WORDS: Final[Mapping[str, Shape]] = {"category": CATEGORY, "outcomes": LINES, "falsified_by": LINES, "tags": texts(20)}
DECISION: Final = Keyed(
    {"op": ID, "shown_hash": ID, "verdict": Choice(("accept", "reject", "edit", "withdraw"))},
    {"reason": LINE, "edited": Entries(Anything())},
)
ACTION: Final = Keyed({"action": ID, "shown_hash": ID, "verdict": Choice(("accept", "reject"))}, {"reason": LINE})
WRITTEN: Final = (APPLIED, {"status": str, "diff?": str})
EDITED: Final = Keyed(
    {}, {"description": LINE, "category": CATEGORY, "observableOutcomes": LINES, "falsifiedBy": LINES}
)
