"""What a verb is: a function with its words, the shape of its arguments, and how its result becomes a document.

What arguments mean, in a few words each, for every client; where a verb means something else, its row says so.

The shapes that arguments of several tools have in common, and kinds of results that several tools give.
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
from pactkeeper.ledger.roles import Role, needed
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
    """One call of a verb by a program: its arguments fit the verb's shape.

    `granted` is the key of what a person said yes to, `seen` the version of what a decision is taken on, where the
    caller names it.
    """

    workspace: Workspace
    given: Mapping[str, Any]
    granted: str = ""
    seen: str = ""

    def text(self, name: str, default: str = "") -> str:
        """The text under this name."""
        return str(self.given.get(name, default))

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts under this name; none where there is none."""
        return tuple(self.given.get(name, ()))

    def flag(self, name: str) -> bool:
        """Whether this is asked for."""
        return bool(self.given.get(name, False))

    def maybe(self, name: str) -> str | None:
        """The text under this name, None where it was left out."""
        return self.given.get(name)

    def page(self, most: int = PER_PAGE) -> tuple[str, int]:
        """Where a page of a sliced list begins, and how many members it has at most."""
        return self.text("cursor"), int(self.given.get("limit", most))

    def paths(self, name: str = "paths") -> tuple[str, ...]:
        """Paths below the root of the repository; refused where one leads out of it, by a link or otherwise."""
        return self.workspace.relative(self.files(name), start=self.workspace.repository.root)

    def files(self, name: str) -> tuple[str, ...]:
        """Names of files as they were given, all of them inside the repository; raises RefusedError otherwise."""
        root = os.path.realpath(self.workspace.repository.root)
        for one in self.texts(name):
            if "\0" in one or not Path(os.path.realpath(root / Path(one))).is_relative_to(root):
                raise RefusedError(f"{one!r} leads out of the repository; name a path inside it")
        return self.texts(name)


@dataclass(frozen=True, slots=True)
class YesWanted:
    """What has to be asked of a person before it happens; `key` names exactly this and nothing else.

    `command` is what the person runs where nobody can be asked here, `document` what the caller is told until
    then. Without a message it is more than one dialogue can show, and nobody is asked here.
    """

    key: str
    message: str
    command: str
    document: Document


NOTHING: Final = Keyed()
Answer = Callable[[Call], object]


@dataclass(frozen=True, slots=True)
class Verb:
    """One row: a function of `operators`, what it risks (None: it only reads) and what it does, in a sentence.

    `answer` calls it for a program; a verb without one is for people, channels and our own processes.
    With a `title` it is a tool for agents, with `routes` (`GET /atoms/{atom}`, fixed arguments
    behind `?`) it is reached over REST. `called` is
    its name there if the function's own would not be understood. `means` says what arguments mean here, where that is
    not what they mean everywhere; `categories` are what a tool is chosen by.

    `gives` is the form of a result, as `published.schema` has it, in which what is answered is published; a mapping is
    a document already. `pages` names the list of the result that is given a
    page at a time; with `sliced` the verb itself reads no more of it than that, as a `Slice`. `destructive` and
    `idempotent` are said of verbs that write, `runs_code` of those that run what the repository declares. `cancel`
    stops what a call began, and says whether there was something to stop; `dress` finds out about the members of one
    page, where that takes too long to be done for all. `version` tells what a decision is taken on: who decides
    over REST names the one that was seen, which a verb that reads gives as the member `version` of its result.
    """

    function: Callable[..., Any]
    risk: Risk | None
    does: str
    called: str = ""
    title: str = ""
    routes: tuple[str, ...] = ()
    takes: Keyed = NOTHING
    means: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[Category, ...] = ()
    gives: Form = field(default_factory=dict, repr=False)
    answer: Answer | None = field(default=None, repr=False)
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
        """What programs call it by."""
        return self.called or self.function.__name__

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.risk is None

    def run(self, call: Call) -> Document | YesWanted:
        """Answer a program's call; members that are dressed page by page are as they were found."""
        found = self._answered(call)
        if isinstance(found, YesWanted | Mapping):
            return found
        document: Document = {self.pages: found} if self.dress else document_of(self.gives, found)
        return document

    def _answered(self, call: Call) -> object:
        if self.answer is None:
            raise TypeError(f"{self.name} does not answer programs")
        if self.version is None:
            return self.answer(call)
        with deciding(call.workspace.history()):
            now = self.version(call)
            if call.seen not in {"", now}:
                raise StaleError(f"somebody decided since this was read: {call.seen!r} is {now!r} now; read it again")
            return self.answer(call)

    def dressed(self, workspace: Workspace, members: Sequence[Any]) -> Sequence[object]:
        """The members of a page as documents."""
        found: Document = document_of(self.gives, self.dress(workspace, members) if self.dress else members)
        rows: Sequence[object] = found[self.pages]  # type: ignore[assignment]  # a list of documents
        return rows

    @property
    def role(self) -> Role:
        """Who may call it on a server."""
        return needed(self.risk, runs_code=self.runs_code)

    @property
    def shape(self) -> Keyed:
        """The closed shape of the arguments, those of paging included."""
        return Keyed(self.takes.required, {**self.takes.optional, **PAGE}) if self.pages else self.takes

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, without the bounds, which an error tells whoever goes beyond them."""
        short: dict[str, Any] = _short(self.described(self.shape))
        return short

    def described(self, shape: Keyed) -> dict[str, Any]:
        """The JSON Schema of arguments, with what each means."""
        schema: dict[str, Any] = json_schema(shape)
        members = {name: {**one, "description": self.meaning(name)} for name, one in schema["properties"].items()}
        return {**schema, "properties": members}

    def meaning(self, name: str) -> str:
        """What an argument means, in a few words; empty where nobody said."""
        return self.means.get(name, MEANINGS.get(name, ""))

    @property
    def result_schema(self) -> dict[str, Any]:
        """The JSON Schema of a result, a page of it where it comes in pages."""
        return schema_of((self.gives, {"total": int, "cursor?": str}) if self.pages else self.gives)


def _short(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON Schema
    if isinstance(schema, dict):
        return {name: _short(one) for name, one in schema.items() if name not in CHECKED or isinstance(one, dict)}
    return [_short(one) for one in schema] if isinstance(schema, list) else schema


def needs(**members: Shape) -> Keyed:
    """Arguments that must be given."""
    return Keyed(members)


def may(**members: Shape) -> Keyed:
    """Arguments that may be given."""
    return Keyed({}, members)


def both(required: Keyed, optional: Keyed) -> Keyed:
    """Arguments of which some must be given."""
    return Keyed(required.required, optional.optional)


def texts(most: int = MOST_PATHS, *, least: int = 0) -> Items:
    """A list of short texts: names, paths, words."""
    return Items(Text(), least, most)


MEANINGS: Final[Mapping[str, str]] = {
    "limit": "rows",
    "cursor": "next page",
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
    "path": "file",
}


ID: Final = Text(1, 80)
LINE: Final = Text(1, 500)
REF: Final = Text(pattern="[^-].{0,199}")  # what git may not take for an option
PATCH: Final = Text(pattern="(pa|REC)-[0-9A-Za-z-]{1,60}")  # an id and never the path of a file
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
ACTION: Final = Keyed(
    {"action": ID, "shown_hash": ID, "verdict": Choice(("accept", "reject"))},
    {"reason": LINE},
)
WRITTEN: Final = (APPLIED, {"status": str, "diff?": str})
EDITED: Final = Keyed(
    {}, {"description": LINE, "category": CATEGORY, "observableOutcomes": LINES, "falsifiedBy": LINES}
)
