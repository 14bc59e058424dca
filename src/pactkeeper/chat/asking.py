"""Run a question through the graph; one that waits for a choice is stored, and any process can resume it.

Also holds the table of graphs and the entry graph that routes a question to one of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from shlex import quote
from typing import Any, Final, TypedDict

from pactkeeper.chat import exploring, history, intending, reporting
from pactkeeper.chat.answers import Answer, Choice, answer_document
from pactkeeper.chat.commits import asks_when
from pactkeeper.chat.here import Here, Lookup, Writing, looked_up
from pactkeeper.chat.knowing import days_in, known_only, one_of_several, without_days
from pactkeeper.chat.matching import ideas_of, verbs
from pactkeeper.chat.promises import asks_who, names_somebody, of_promises, wanted_by
from pactkeeper.chat.reports import BUILD
from pactkeeper.chat.routing import MOST_CHOICES, Routed, Unclear, arguments, chosen, command_of, route, tells
from pactkeeper.chat.subjects import committed_about, proof_of
from pactkeeper.chat.words import Question, first_sentence, further_questions, same_named, terms_of
from pactkeeper.errors import UsageError
from pactkeeper.flows.driving import Finished, Paused, State, Thread
from pactkeeper.flows.graphs import (
    END,
    Delta,
    Done,
    Graph,
    GraphRow,
    always,
    at_once,
    compiled,
    composite,
    keep_waiting,
    walk,
)
from pactkeeper.flows.observing import Watching, noting
from pactkeeper.ledger.canonical import digest
from pactkeeper.speech.clash import has_phrase
from pactkeeper.speech.languages import words_of
from pactkeeper.workspace import Workspace

TAG: Final = "ask-agent"
ITERATIONS: Final = 3
PREFIX: Final = "ASK-"
LONGEST: Final = 2_000  # characters of a question
Forget = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class Visits:
    """What wraps every node: the trace, observers, and a callback that gets its name."""

    watchers: Watching
    thread: str
    hear: Callable[[str], None] = lambda _: None
    trace: list[str] = field(default_factory=list)
    calls: list[dict[str, str]] = field(default_factory=list)

    async def visit(self, node: str, work: Callable[[], Awaitable[Delta]]) -> Delta:
        """Run a node."""
        self.hear(node)
        with self.watchers.node(TAG, node, {"thread": self.thread}), noting() as calls:
            found = await work()
        self.trace.append(node)
        self.calls += calls
        return found


def with_model(workspace: Workspace) -> Here:
    """Return the repository with the configured model and what remains of today's budget.

    Raises ModelUnavailable if no model is configured or it cannot be asked.
    """
    from pactkeeper.operators.models import fresh_budget  # noqa: PLC0415 - only needed with a model

    asker = workspace.asker(TAG)
    asker.ensure_ready(capped=False)
    return Here(workspace, asker, fresh_budget(workspace, asker.setup))


def ask(here: Here, question: str, *, hear: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Answer a question as a document; an ambiguous one is stored under its `thread` and returned with choices.

    `hear` gets the name of every node before it runs.
    """
    question = " ".join(question.split())
    if not question or len(question) > LONGEST:
        raise UsageError(f"a question has 1 to {LONGEST:,} characters, this one {len(question):,}; ask for one thing")
    thread = PREFIX + digest([question, here.snapshot.listing_hash()])[3:11].upper()
    state = {"question": question, "arguments": {}, "verb": "", "iteration": 0, "max_iterations": ITERATIONS}
    visits = Visits(here.workspace.watching(), thread, hear)
    graph = ask_graph(here)
    steps = walk(graph, state, visits.visit)
    found = at_once(steps) if here.asker is None else _in_loop(steps)
    if isinstance(found, Paused):
        _in_loop(_keep(here, graph, found, visits))
    return _document(here, found, visits)


def _in_loop(work: Coroutine[Any, Any, Done]) -> Done:
    import asyncio  # noqa: PLC0415 - a tenth of what a question takes that waits for nothing

    return asyncio.run(work)


async def _keep(here: Here, graph: Graph, found: Paused, visits: Visits) -> None:
    """Store a question that waits, unless it is already."""
    async with _stored(here, graph, visits) as (kept, _):
        if await kept.look() is None:
            await keep_waiting(kept, found)


@asynccontextmanager
async def _stored(here: Here, graph: Graph, visits: Visits) -> AsyncIterator[tuple[Thread, Forget]]:
    """Open the checkpoints of a question, with what removes them."""
    from pactkeeper.flows.driving import open_checkpoints  # noqa: PLC0415 - only for a question that waits

    here.workspace.state.mkdir(parents=True, exist_ok=True)
    async with open_checkpoints(here.workspace.checkpoints) as saver:
        yield Thread(compiled(graph, AskState, saver, visits.visit), visits.thread, tag=TAG), saver.adelete_thread


def reply(here: Here, thread: str, word: str, *, hear: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Resume a pending question with one word; raises UsageError if none is pending under this name."""
    return _in_loop(_reply(here, word, Visits(here.workspace.watching(), thread, hear)))


def waiting(here: Here, thread: str) -> dict[str, Any]:
    """Return a question that waits for a choice, as it was asked; raises UsageError if none waits under this name."""
    return _in_loop(_waiting(here, Visits(here.workspace.watching(), thread)))


async def _waiting(here: Here, visits: Visits) -> dict[str, Any]:
    async with _stored(here, ask_graph(here), visits) as (kept, _):
        return _document(here, await _paused(kept), visits)


async def _paused(kept: Thread) -> Paused:
    now = await kept.look()
    if not isinstance(now, Paused):
        raise UsageError(f"no question waits under {kept.id!r}; ask it again with: pk ask 'QUESTION'")
    return now


async def _reply(here: Here, word: str, visits: Visits) -> dict[str, Any]:
    async with _stored(here, ask_graph(here), visits) as (kept, forget):
        found = await kept.answer({(await _paused(kept)).waits[0].id: word})
        if isinstance(found, Finished):
            await forget(visits.thread)
        return _document(here, found, visits)


def _document(here: Here, found: Finished | Paused, visits: Visits) -> dict[str, Any]:
    if isinstance(found, Paused):
        answer = clarification_of(found.state)
        asked = answer_document(answer, question=found.state["question"], trace=visits.trace, thread=visits.thread)
        return {**asked, "calls": visits.calls}
    state: Mapping[str, Any] = found.state
    document = {**state["answer"], "trace": list(visits.trace), "calls": visits.calls, "thread": ""}
    given = {name: value for name, value in state["arguments"].items() if value}
    command = document["command"] or command_of(verbs()[document["verb"]], given)
    document = {**document, "arguments": given, "command": command}
    document = known_only(here.read(state["question"]), document, here.quoted_file)
    document = _with_boards(here, _with_decisions(document, state["question"]))
    rest = further_questions(state["question"]) if tells(here.read(first_sentence(state["question"]))) else ()
    return one_of_several(document, rest)


def _with_decisions(document: dict[str, Any], question: str) -> dict[str, Any]:
    """Name what searches conversations, which belong to a person and are not read here, if a decision is asked for."""
    words = " ".join(document["arguments"].get("words", ()))
    if not words or not has_phrase("decided", question.lower()):
        return document
    unsearched = {"text": "Decisions of conversations are not searched here.", "basis": "missing", "cites": []}
    further = f"pk knowledge search {quote(words)}"
    return {**document, "says": [*document["says"], unsearched], "next": [*document["next"], further]}


def _with_boards(here: Here, document: dict[str, Any]) -> dict[str, Any]:
    """Name what lists tasks by their state, which boards know and no file, if nothing else is asked."""
    terms = terms_of(here.read(document["question"]))
    tasks = [one for one in terms if one in words_of("tasks")]
    state = [one for one in terms if one in words_of("done") | words_of("states")]
    boards = exploring.boards_of(here) if tasks and state and len(tasks) + len(state) == len(terms) else ()
    if not boards:
        return document
    text = f"Which {tasks[0]} are {state[0]} is on your boards, and no question reads them."
    says = [{"text": text, "basis": "missing", "cites": []}]
    found = {"kind": "cannot_tell", "says": says, "citations": [], "next": ["pk boards show"]}
    return {**document, **found, "searched": [], "limitations": [], "not_looked_at": [*boards]}


class AskState(TypedDict, total=False):
    """The state of one question between nodes; bulk data stays in the repository, and findings are compacted."""

    question: str
    verb: str
    arguments: dict[str, Any]
    way: str
    clarification: dict[str, Any]
    reply: str
    plan: dict[str, Any]
    findings: list[dict[str, Any]]
    passages: list[dict[str, Any]]
    absent: list[str]
    looked_at: int
    iteration: int
    max_iterations: int
    analysis: str
    evidence_level: int
    spent: dict[str, int]
    limits: dict[str, int]
    refined: dict[str, Any]
    checked: dict[str, Any]
    score: int
    diff: str
    refused: str
    checks: list[list[str]]
    allowed: bool
    next: list[str]
    answer: dict[str, Any]
    at: str


def lookup(here: Here) -> Graph:
    """Answer with a single verb."""

    async def answer(state: State) -> dict[str, Any]:
        given = {**state["arguments"], "question": state["question"]}
        found = looked_up(here, state["verb"], given, _table(state["verb"]))
        if not given.get("past"):  # days are on no line
            found = exploring.with_nearest(here, state["question"], found)
        return {"answer": answer_document(found, question=state["question"])}

    return Graph("lookup", "answer", {"answer": answer}, {"answer": always(END)})


SUBJECTS: Final[Mapping[str, Lookup]] = {
    "search_atoms": committed_about,
    "show_evidence": proof_of,
    "what_broke": history.what_broke,
    "change_impact": history.impact,
    "about_file": history.about_file,
}


def _table(verb: str) -> Mapping[str, Lookup]:
    """Return the table that has the verb's answer; most verbs load more than a question about code needs."""
    if verb in SUBJECTS:
        return SUBJECTS
    from pactkeeper.chat.lookups import SIMPLE  # noqa: PLC0415 - see above

    return SIMPLE


def proposal(here: Here) -> Graph:
    """Answer a request that would write with the one command by which a person carries it out."""

    async def propose(state: State) -> dict[str, Any]:
        found = intending.proposed(here, state["verb"], state["arguments"])
        return {"answer": answer_document(found, question=state["question"])}

    return Graph("proposal", "propose", {"propose": propose}, {"propose": always(END)})


GRAPHS: Final = (
    GraphRow("lookup", "one verb has the answer", lookup),
    GraphRow("explore", "search code, tests and documents", exploring.graph),
    GraphRow("report", "find and read reports of one kind", reporting.graph),
    GraphRow("intent", "draft an atom of a wish", intending.creation),
    GraphRow("commitment", "judge an atom before a person commits it", intending.commitment),
    GraphRow("proposal", "name the command that a person runs", proposal),
)


def ask_graph(here: Here) -> Graph:
    """Combine all graphs behind one router."""

    async def routed(state: State) -> dict[str, Any]:
        return _taken(state) if state.get("reply") else _routed(here, state["question"])

    def way(state: State) -> str:
        return str(state["way"])

    return composite("ask", routed, way, [row.build(here) for row in GRAPHS])


def _routed(here: Here, question: str) -> dict[str, Any]:
    first = here.read(first_sentence(question))
    read = first if tells(first) else here.read(question)
    found = of_promises(here, read, route(read, declared=here.declared))
    narrow = bool(days_in(read)) or names_somebody(here, read)
    everybody = asks_who(read) and not wanted_by(here, read).terms(read)
    if isinstance(found, Unclear) and (narrow or everybody) and not read.atoms:
        found = Routed(verbs()["explore"], arguments(read, read.subject))
    if isinstance(found, Unclear):
        return _asking(found)
    whose = found.verb.name == "show_evidence" and asks_who(read)  # no test answers these
    dated = found.verb.name == "change_impact" and bool(days_in(read))  # it looks at no days: `what changed this week?`
    past = whose or dated or (found.verb.name == "explore" and (asks_when(read) or narrow))
    if past or (found.verb.name == "what_broke" and _asks_past(found, read, narrow=narrow)):
        found = Routed(verbs()["explore"], {**found.arguments, "past": True})
    broke = found.verb.name in {"what_broke", BUILD} and days_in(read)
    if broke and not (found.arguments.keys() - {"words"}) and not without_days(read, found.arguments.get("words", ())):
        found = Routed(verbs()["what_broke"], {"past": True})
    named = [] if not read.files else same_named(read.files[0].rpartition("/")[2], here.paths)
    code = [one for one in named if here.kinds[one] == "code"]
    if len(code) == 1 and read.files[0] not in question:
        found = Routed(found.verb, {**found.arguments, "file": code[0]})
    elif len(named) > 1 and read.files[0] not in question:
        choices = [Choice(one, found.verb.name, found.verb.does, {**found.arguments, "file": one}) for one in named]
        return _asking(Unclear("several files have that name; say", tuple(choices[:MOST_CHOICES])))
    return {**_going(found, question), "clarification": {}}


def _asking(found: Unclear) -> dict[str, Any]:
    return {"way": "clarify", "clarification": {"asks": found.asks, "choices": [asdict(one) for one in found.choices]}}


def _asks_past(found: Routed, question: Question, *, narrow: bool) -> bool:
    """Whether the question asks for the history of something other than a failure, an atom, or a whole file's."""
    if any("broke" in ideas_of(one) for one in question.words) or "atom" in found.arguments:
        return False
    return narrow or (bool(found.arguments.get("words")) and "file" not in found.arguments)


def _going(found: Routed, question: str) -> dict[str, Any]:
    given = {**found.arguments, **({"question": question} if found.verb.graph == "explore" else {})}
    return {"way": found.verb.graph, "verb": found.verb.name, "arguments": given}


def _taken(state: State) -> dict[str, Any]:
    """Follow a reply; if it matches no choice, ask again."""
    choices = [Choice(**one) for one in state["clarification"]["choices"]]
    found = chosen(state["reply"], choices)
    if found is None:
        return {"way": "clarify", "reply": ""}
    return {**_going(Routed(verbs()[found.verb], found.arguments), state["question"]), "clarification": {}, "reply": ""}


def clarification_of(state: State) -> Answer:
    """Turn a pending choice into an answer that lists the choices."""
    asked, said = state["clarification"], Writing()
    said.say(f"{state['question']!r}: {asked['asks']} one of these; answer with one word.", "computed")
    choices = tuple(Choice(**one) for one in asked["choices"])
    return said.answer("", kind="clarification", choices=choices)
