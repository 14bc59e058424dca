"""Every command that writes, with its preparation in a small repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

# A command with what has to be done before it. A word in capitals stands for the first such thing: see `NAMED`.
Plan = tuple[Sequence[str], ...]

TEST: Final = 'def test_{0}():\n    """The {0} is shown."""\n    assert {0}() == 1\n\n\n'
FILES: Final[Mapping[str, str]] = {
    "tests/test_a.py": TEST.format("price") + TEST.format("name"),
    "note.md": "# Shop\n\nAcceptance criteria:\n- The total is shown.\n",
    "report.xml": '<testsuite><testcase classname="tests.test_a" name="test_price"/></testsuite>',
    "session.jsonl": '{"role":"user","content":"Pay the rent by 2026-03-01."}\n',
    "words.csv": "test,sentence\ntests/test_b.py::test_1,The total is shown.\n",
    "weaker.py": TEST.format("price").replace("== 1", "is not None") + TEST.format("name"),
    "tests/test_b.py": "def test_1():\n    assert total() == 3\n",
    "asked.py": TEST.format("total").replace("is shown", "of an order is shown with its currency"),
    "rules.toml": '[INV-101]\nevery = "atom"\nneeds = { min_tests = 1 }\n\n'
    '[INV-102]\nenabled = false\nevery = "atom"\nneeds = { proven = true }\n',
    "trip.jsonl": '{"role":"assistant","content":"# Trip plan\\n\\n1. Renew the passport\\n'
    '2. Book a flight to Lisbon\\n3. Tell the neighbours about the cat\\n"}\n',
    "../DATA/pactkeeper/board/tasks/passport.md": "---\nid: T-aaaaaa\ntitle: Passport renewal appointment\n"
    "status: open\n---\n",
    "merge.txt": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
}
# What a word of a plan stands for: what to ask, and how the name begins.
NAMED: Final[Mapping[str, tuple[Sequence[str], str]]] = {
    "ATOM": (("atom", "list"), "IA-"),
    "THREAD": (("thread", "list"), "TH-"),
    "MOLECULE": (("molecule", "list"), "M-"),
    "RUN": (("runs", "list"), "REC-"),
    "FIX": (("fixes", "list"), "fix-"),
    "ITEM": (("knowledge", "search", "shop"), "kn-"),
    "WEAKENING": (("guard", "--json"), "g1:"),
    "CHECKS": (("health", "trust"), "v1:"),
    "ACTION": (("transcripts", "standup", "--dry-run"), "op-"),
    "SAME": (("transcripts", "reconcile"), "qu-"),
    "OP": (("recommendations", "list"), "op-"),
    "QUESTION": (("questions", "list"), "qu-"),
    "FINDING": (("findings", "list"), "fp-"),
    "TOKEN": (("tokens", "list"), ""),
    "JOB": (("jobs", "list"), "check-"),
}


def _plan(*commands: str | Sequence[str]) -> Plan:
    return tuple(tuple(one.split()) if isinstance(one, str) else tuple(one) for one in ("init", *commands))


ACCEPT: Final = ("accept", "tests/test_a.py::test_price", "--intent", "The price is shown.")
SHOP: Final = "molecule create Shop"
WEAKER: Final = (ACCEPT, "copy weaker.py tests/test_a.py", "reconcile tests")
TICKET: Final = (
    "thread",
    "new",
    "Title: Export orders\nProblem: They copy by hand.\nAC: An export of 9 orders has 9 rows.",
)
UNSORTED: Final = ("thread", "new", "Title: Export orders\nThey copy them by hand on Mondays.")
SWEEP: Final = "health sweep --only conflict-markers --trust-checks"
REMEMBER: Final = ("knowledge", "add", "Shop", "The shop closes at 8.")
INGEST: Final = "transcripts ingest session.jsonl --no-wait"
USER: Final = ("users", "add", "ada", "--person", "Ada <ada@example.org>", "--no-password")
TRIP: Final = "transcripts ingest trip.jsonl --no-wait"
ASKED: Final = "copy asked.py tests/test_c.py"
ADDED: Final = ("git add -A", "git commit -qm pact")
PUBLISHED: Final = (
    *ADDED,
    "git clone -q --bare . ../srv/shop.git",
    "git -C ../srv/shop.git config http.receivepack true",
    "git remote add origin ORIGIN",
)
CHANGED: Final = (*PUBLISHED, "copy weaker.py tests/test_a.py", *ADDED, "git push -q origin HEAD:refs/heads/topic")
PROPOSE: Final = "pr propose --forge github"
MERGED: Final = "git -C ../srv/shop.git update-ref refs/heads/main refs/heads/pactkeeper/reconcile"
PLANS: Final[Mapping[str, Plan]] = {
    "init": _plan(),
    "accept": _plan(ACCEPT),
    "undo": _plan(ACCEPT, "undo"),
    "reconcile": _plan("reconcile tests"),
    "apply": _plan("reconcile tests", "apply --all"),
    "recover": _plan("recover"),
    "annotate": _plan(ACCEPT, "annotate --to comment"),
    "words": _plan("words --from words.csv"),
    "commit": _plan(ACCEPT, "copy ../signers pact/allowed_signers", "commit ATOM --sign ../key"),
    "guard accept": _plan("copy weaker.py tests/test_a.py", "guard accept WEAKENING --why so"),
    "debt prune": _plan("debt prune"),
    "debt add": _plan("debt prune", "debt add tests/test_a.py --reason Old."),
    "atom new": _plan(("atom", "new", "The name is shown in capitals.")),
    "atom import": _plan("atom import note.md --write"),
    "atom edit": _plan(ACCEPT, "atom edit ATOM --tag money"),
    "atom remove": _plan(("atom", "new", "The name is shown in capitals."), "atom remove ATOM"),
    "atom abandon": _plan(ACCEPT, "atom abandon ATOM --reason so"),
    "atom supersede": _plan(
        ACCEPT, ("atom", "supersede", "ATOM", "--intent", "The price is printed.", "--reason", "so")
    ),
    "atom clarify": _plan(ACCEPT, "atom clarify ATOM Why? --answer so"),
    "atom propose": _plan(("atom", "new", "The name is shown in capitals."), "atom propose ATOM"),
    "molecule keep": _plan(ACCEPT, "molecule keep a"),
    "molecule lens": _plan(ACCEPT, SHOP, "molecule lens MOLECULE feature"),
    "molecule create": _plan(ACCEPT, SHOP),
    "molecule edit": _plan(ACCEPT, SHOP, "molecule edit MOLECULE --add ATOM"),
    "molecule rename": _plan(ACCEPT, SHOP, "molecule rename MOLECULE Store"),
    "molecule nest": _plan(SHOP, "molecule create Store", "molecule nest Shop Store"),
    "molecule unnest": _plan(SHOP, "molecule create Store", "molecule nest Shop Store", "molecule unnest Shop Store"),
    "molecule remove": _plan(ACCEPT, SHOP, "molecule remove MOLECULE"),
    "invariant disable": _plan("invariant disable INV-003"),
    "invariant enable": _plan("invariant disable INV-003", "invariant enable INV-003"),
    "invariant supersede": _plan(ACCEPT, "copy rules.toml pact/invariants.toml", "invariant supersede INV-101 INV-102"),
    "invariant severity": _plan("invariant severity INV-003 warning"),
    "recommendations accept": _plan("reconcile tests", "recommendations accept --all"),
    "recommendations reject": _plan("reconcile tests", "recommendations reject --all --reason so"),
    "recommendations edit": _plan(
        "reconcile tests", ("recommendations", "edit", "OP", "--intent", "The price is shown in full.")
    ),
    "findings reject": _plan(*WEAKER, "findings reject FINDING --reason so"),
    "findings reopen": _plan(*WEAKER, "findings reject FINDING --reason so", "findings reopen FINDING"),
    "findings snooze": _plan(*WEAKER, "findings snooze FINDING --until 2099-01-01 --reason so"),
    "questions answer": _plan(
        "reconcile tests", ("questions", "answer", "QUESTION", "--intent", "The total is shown.")
    ),
    "questions raise": _plan(ACCEPT, "questions raise better_words ATOM"),
    "runs cancel": _plan("reconcile tests", "runs cancel RUN"),
    "runs recover": _plan("killed 16 reconcile tests", "runs recover"),
    "attest": _plan(ACCEPT, *ADDED, "attest --out ../attested.json"),
    "runs export": _plan("reconcile tests", "runs export --out ../run.json"),
    "attest import": _plan(ACCEPT, *ADDED, "attest --out ../attested.json", "attest import ../attested.json"),
    "evidence import": _plan("evidence import report.xml"),
    "evidence prune": _plan("evidence import report.xml", "evidence prune --keep 1"),
    "health trust": _plan("health trust --hash CHECKS"),
    "health sweep": _plan(SWEEP),
    "fixes claim": _plan(SWEEP, "fixes claim FIX"),
    "fixes complete": _plan(SWEEP, "fixes claim FIX", "fixes complete FIX"),
    "fixes release": _plan(SWEEP, "fixes claim FIX", "fixes release FIX --reason so --to-person"),
    "agents install": _plan("agents install --yes"),
    "agents remove": _plan("agents install --yes", "agents remove --yes"),
    "transcripts ingest": _plan(INGEST),
    "transcripts reconcile": _plan(INGEST, "transcripts reconcile"),
    "transcripts execute": _plan(INGEST, "transcripts reconcile", "transcripts execute"),
    "transcripts answer": _plan(TRIP, "transcripts answer SAME yes"),
    "transcripts standup": _plan(TRIP, "transcripts standup --accept ACTION"),
    "knowledge add": _plan(REMEMBER),
    "knowledge flag": _plan(REMEMBER, "knowledge flag ITEM --reason so"),
    "thread new": _plan(("thread", "new", "Title: Export orders")),
    "thread say": _plan(TICKET, "thread say THREAD ok"),
    "thread approve": _plan(TICKET, "thread approve THREAD 1"),
    "thread answer": _plan(TICKET, "thread answer THREAD ok"),
    "thread changes": _plan(TICKET, ("thread", "changes", "THREAD", "Title: Export bills")),
    "thread place": _plan(UNSORTED, "thread place THREAD 1=problem"),
    "thread drop": _plan(TICKET, "thread drop THREAD"),
    "thread tick": _plan(TICKET, "thread tick"),
    "tick": _plan(TICKET, "tick"),
    "users add": _plan(USER),
    "users role": _plan(USER, "users role ada admin"),
    "users password": _plan(USER, "tokens add ada laptop", "users password ada"),
    "tokens add": _plan(USER, "tokens add ada laptop"),
    "users disable": _plan(USER, "users disable ada"),
    "users enable": _plan(USER, "users disable ada", "users enable ada"),
    "tokens revoke": _plan(USER, "tokens add ada laptop", "tokens revoke TOKEN"),
    "repos add": _plan("repos add shop ."),
    "repos fetch": _plan("repos add shop .", "repos fetch shop"),
    "repos push": _plan(
        *PUBLISHED,
        "repos add shop ORIGIN",
        "copy words.csv ../DATA/pactkeeper/server/repositories/shop/tree/words2.csv",
        ("repos", "push", "shop", "--author", "Ada <ada@example.org>"),
    ),
    "pr report": _plan(ACCEPT, *CHANGED, "pr report 7 --forge github"),
    "pr answer": _plan(ACCEPT, *CHANGED, "ask", "pr answer 7 --comment 1 --forge github"),
    "pr propose": _plan(ASKED, *PUBLISHED, PROPOSE),
    "pr propose, closing": _plan(ASKED, *PUBLISHED, PROPOSE, MERGED, PROPOSE),
    "repos member": _plan(USER, "repos add shop .", "repos member shop ada reviewer"),
    "repos remove": _plan("repos add shop .", "repos remove shop"),
    "jobs add": _plan("jobs add check"),
    "jobs cancel": _plan("jobs add check", "jobs cancel JOB"),
    "jobs retry": _plan("jobs add check", "jobs cancel JOB", "jobs retry JOB"),
    "jobs limits": _plan("jobs limits --at-once 2 --starts 5/60"),
    "jobs prune": _plan("jobs add check", "jobs cancel JOB", "jobs prune --days 1"),
    "jobs unschedule": _plan(("jobs", "schedule", "nightly", "sweep", "0 3 * * *"), "jobs unschedule nightly"),
    "jobs schedule": _plan(("jobs", "schedule", "nightly", "sweep", "0 3 * * *")),
    "resolve": _plan("resolve --install"),
}
# Commands that write nothing, or only as one of the others does: a person, a model or a timer gives those.
LOOKING: Final = frozenset(
    {
        *(
            "ask",
            "audit",
            "chat",
            "check",
            "completion",
            "context",
            "delta",
            "docs search",
            "doctor",
            "explain",
            "gaps",
        ),
        *("guard", "health watch", "log", "mcp", "next", "report", "review", "scan", "serve", "slack", "status"),
        *("structure", "trace", "transcripts mark", "transcripts watch", "worker"),
        *("agents list", "atom conflicts", "atom history", "atom list", "atom quality", "atom refine", "atom search"),
        *(
            "atom show",
            "atom stats",
            "atom tags",
            "attest verify",
            "boards list",
            "boards show",
            "boards test",
            "commitment list",
        ),
        *("commitment show", "debt list", "evidence cases", "evidence read", "evidence reporter", "evidence show"),
        *("findings list", "fixes list", "fixes show", "health checks", "health status", "health timeline"),
        *("invariant list", "invariant show", "invariant test", "jobs list", "jobs schedules", "jobs show"),
        *("jobs workers", "knowledge search", "knowledge show", "models list", "models test", "molecule list"),
        *("molecule show", "policy explain", "pr credential", "pr show", "questions list", "questions show"),
        *("recommendations list", "repos list", "runs diff", "runs list", "runs show", "slack manifest", "slack test"),
        *("thread files", "thread list", "thread show", "tokens list", "transcripts artifacts", "transcripts log"),
        *("transcripts precision", "transcripts show", "transcripts status", "users list"),
    }
)
# What only a history in Postgres has.
SHARED: Final = frozenset(name for name in PLANS if name.startswith("jobs "))
# What needs a forge; there, git and what is sent to the forge are changes as well.
ABROAD: Final = ("pr ", "repos push")
# What is typed.
FEEDS: Final[Mapping[str, str]] = {"users password": "correct horse battery staple\n"}
# What is given after a kill where the same again would be another act.
AGAIN: Final[Mapping[str, Sequence[str]]] = {
    "undo": ("recover",),
    "questions answer": ("runs", "recover"),
    **{f"thread {name}": ("tick",) for name in ("new", "say", "answer", "changes", "place", "drop")},
}
