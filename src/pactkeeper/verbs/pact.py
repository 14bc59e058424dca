"""Verbs that start a pact, write its links and debt, and resolve merges."""

from __future__ import annotations

from typing import Final

from pactkeeper.operators import accept, adopt, agents, annotate, resolve, words
from pactkeeper.verbs.review import propose_patch
from pactkeeper.verbs.verb import FLAG, ID, LINE, WRITTEN, Call, Document, Verb, YesWanted, both, may, needs


def accept_test(asked: Call) -> Document | YesWanted:
    """Propose what a test lacks: an atom, or a confirmed link."""
    words = accept.AcceptedWords(asked.maybe("atom"), asked.maybe("intent"), by="agent", confirmed=False)
    seen = accept.accept_tests(asked.workspace, [asked.text("test")], words, dry_run=True)
    return propose_patch(asked, seen.patch, {})


ROWS: Final = (
    Verb(resolve.resolve_merge, "annotate", "Settle what a merge of two branches left open in the pact."),
    Verb(resolve.merge_file, "record", "Merge one file of the pact while git merges."),
    Verb(resolve.install_merge_driver, "record", "Let git merge the pact by entry in this clone."),
    Verb(
        accept.accept_tests,
        "annotate",
        "Give a test its atom, or confirm its link, in one step; asks a person.",
        called="accept_test",
        title="Accept test",
        categories=("reconcile",),
        routes=("POST /tests/accept",),
        takes=both(needs(test=LINE), may(atom=ID, intent=LINE, dry_run=FLAG)),
        means={"atom": "link to this atom", "intent": "a sentence for a new atom"},
        gives=WRITTEN,
        answer=accept_test,
        idempotent=True,
    ),
    Verb(words.wanting_words, None, "The tests that need words, with what they check."),
    Verb(words.doubts_about, None, "What tests speak against in sentences about them."),
    Verb(words.draft_words, "record", "Let the model that is set up draft sentences for tests."),
    Verb(words.advise, None, "What could be said better in a person's sentences."),
    Verb(accept.give_words, "annotate", "Make atoms of tests with the sentences that a person gave them."),
    Verb(adopt.start_pact, "annotate", "Begin a pact with today's orphans as debt."),
    Verb(adopt.adopt_annotations, "annotate", "Draft atoms for ids that annotations name already."),
    Verb(adopt.change_debt, "annotate", "Add or prune debt lines."),
    Verb(annotate.convert_links, "annotate", "Move links between comments and pact/links."),
    Verb(agents.show_agents, None, "Which coding agents of the repository know of the pact."),
    Verb(agents.plan_agents, None, "What would tell coding agents about the pact, or take that out."),
    Verb(agents.write_agents, "annotate", "Write what was planned for coding agents."),
)
