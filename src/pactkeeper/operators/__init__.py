"""The verbs that every door offers, one row each; a door looks a verb up here and calls it with a workspace.

No verb commits atoms: that is a person's act and has a door of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

from pactkeeper.ledger.risk import Risk


@dataclass(frozen=True, slots=True)
class Operator:
    """One verb: its input is `module:request`, it lives at `module:function`; `risk` None means that it only reads."""

    name: str
    module: str
    risk: Risk | None
    summary: str

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        return cast("Callable[..., Any]", getattr(import_module(f"pactkeeper.operators.{self.module}"), self.name))


_ROWS: Final = (
    Operator("scan_repo", "observe", None, "every test with its links"),
    Operator("check_repo", "check", None, "what has drifted between tests and pact"),
    Operator("guard_tests", "guard", None, "what a change did to the tests: what got weaker, and what stronger"),
    Operator("approve_change", "guard", "annotate", "record that one weakening is meant, for its base commit"),
    Operator("discover_delta", "observe", None, "test-level difference from a commit"),
    Operator("search_docs_by_concepts", "documents", None, "sections of documents that words fit best"),
    Operator("get_test_analysis", "context", None, "what a test asserts, is about, reaches and is documented by"),
    Operator("get_statistics", "observe", None, "where repository and pact stand"),
    Operator("get_repo_structure", "structure", None, "files, imports, circles, and the order by dependencies"),
    Operator("reconcile_repo", "reconcile", "record", "a patch that brings pact and tests into agreement"),
    Operator("estimate_reconcile", "reconcile", "record", "what asking a model would take at most"),
    Operator("load_pending", "decide", None, "a patch with the decisions taken so far"),
    Operator("save_decisions", "decide", "record", "add decisions to the review of a patch"),
    Operator("apply_patch", "apply", "annotate", "write the accepted ops"),
    Operator("list_models", "models", None, "which language model is set up, without secrets"),
    Operator("try_model", "models", None, "one small question to the model that is set up"),
    Operator("explain_policy", "policy", None, "which rule decides about an op, and why"),
    Operator("list_runs", "runs", None, "every run with what became of what it proposed"),
    Operator("show_run", "runs", None, "one run with its decisions, questions and trace"),
    Operator("diff_runs", "run_difference", None, "what two runs propose, ask and found differently"),
    Operator("cancel_run", "runs", "record", "stop a run"),
    Operator("cancel_own_run", "runs", "record", "stop the run that this process is at"),
    Operator("recover_run", "recover", "record", "go on with a run that was interrupted or failed"),
    Operator("export_run", "runs", None, "all that the history holds about a run"),
    Operator("list_recommendations", "recommendations", None, "what runs recommend, with what became of it"),
    Operator("decide_recommendations", "recommendations", "record", "accept, edit or reject in a batch"),
    Operator("trace_origin", "recommendations", None, "from an atom to its recommendation, run and test, and back"),
    Operator("read_test_results", "reports", None, "what reports of test runs hold"),
    Operator("read_coverage_report", "reports", None, "what reports of coverage hold"),
    Operator("read_quality_report", "reports", None, "what reports of linters and checkers hold"),
    Operator("import_evidence", "evidence", "record", "keep what reports say about tests"),
    Operator("show_evidence", "evidence", None, "what is proven, failing, stale or unknown"),
    Operator("attest", "attest", "record", "what is declared, linked, proven and found at a commit"),
    Operator("verify_attestation", "attested", None, "whether an attestation holds"),
    Operator("import_attestation", "attested", "record", "keep an attestation"),
    Operator("pending_questions", "questions", None, "what rules could not settle and nobody has answered"),
    Operator("answer_question", "questions", "record", "answer a question; the run that asked goes on"),
    Operator("word_test", "questions", "record", "answer what a test is for"),
    Operator(
        "raise_questions", "raising", "record", "ask about atoms: better words, single behaviours, contradictions"
    ),
    Operator("choose_answer", "questions", "record", "answer a question in one word"),
    Operator("find_gaps", "backlog", None, "what there is to do, the most urgent first"),
    Operator("next_task", "backlog", None, "the one thing to do next, with the op that closes it"),
    Operator("list_findings", "backlog", None, "every finding with what became of it"),
    Operator("put_aside", "backlog", "annotate", "snooze or reject a finding, with a reason"),
    Operator("take_up", "backlog", "annotate", "let a finding count again that was put aside"),
    Operator("sweep", "sweep", "record", "run the project's own checks of a commit once"),
    Operator("declared_checks", "trust", None, "what a commit declares to run, and whether that is trusted"),
    Operator("trust_checks", "trust", "human-act", "trust what a commit declares to run"),
    Operator("list_health_checks", "sweep", None, "what a sweep would run, and why"),
    Operator("watch_repo", "watch", "record", "sweep whenever one is due, until ended"),
    Operator("health_status", "health_view", None, "whether main is green, since when, and what is to be done"),
    Operator("health_timeline", "health_view", None, "the last sweeps, and between which commits main turned red"),
    Operator("list_fix_tasks", "fix_tasks", None, "tasks that mend what sweeps found"),
    Operator("show_fix_task", "fix_tasks", None, "one fix task with its failures and when they came"),
    Operator("claim_fix_task", "fix_tasks", "record", "take a fix task that waits"),
    Operator("release_fix_task", "fix_tasks", "record", "give a fix task back, or hand it to a person"),
    Operator("complete_fix_task", "fix_tasks", "record", "have a fix judged; what weakens protected tests is refused"),
    Operator("tick", "timers", "record", "do what is due"),
    Operator("next_undo", "apply", None, "the write that would be taken back"),
    Operator("undo_apply", "apply", "annotate", "take an apply back"),
    Operator("settle_write", "apply", "annotate", "finish or roll back an interrupted write"),
    Operator("resolve_merge", "resolve", "annotate", "settle what a merge of two branches left open in the pact"),
    Operator("merge_file", "merge_driver", "record", "merge one file of the pact while git merges"),
    Operator("install_merge_driver", "merge_driver", "record", "let git merge the pact by entry in this clone"),
    Operator("accept_tests", "accept", "annotate", "propose, accept and apply for single tests"),
    Operator("start_pact", "adopt", "annotate", "begin a pact with today's orphans as debt"),
    Operator("adopt_annotations", "adopting", "annotate", "draft atoms for ids that annotations name already"),
    Operator("change_debt", "adopt", "annotate", "add or prune debt lines"),
    Operator("convert_links", "annotate", "annotate", "move links between comments and pact/links"),
    Operator("list_atoms", "atoms", None, "atoms by status, category, tag, path, source and words, a page at a time"),
    Operator("get_atom", "atoms", None, "one atom with what follows from the rest of the pact"),
    Operator("search_atoms", "atoms", None, "atoms by words, the best first"),
    Operator("count_atoms", "atoms", None, "how many atoms there are of what, and what they lack"),
    Operator("get_popular_tags", "atoms", None, "tags with how many atoms have them"),
    Operator("atom_history", "atom_history", None, "an atom's predecessors, successors, commitments and commits"),
    Operator("explain_atom", "explain", None, "everything about one atom"),
    Operator("decision_log", "decision_log", None, "who decided what when"),
    Operator("analyze_intent", "words", None, "one behaviour or several, what is left open, better words"),
    Operator("refine_atom", "words", None, "the same for an atom of the pact"),
    Operator("validate_atom_quality", "words", None, "what the words of atoms are worth, with reasons"),
    Operator("intake_text", "intake", "record", "proposed atoms from a note, an issue or a feature file"),
    Operator("find_conflicts", "conflicts", None, "atoms that may contradict or repeat each other"),
    Operator("create_atom", "authored", "annotate", "declare a draft or a proposal"),
    Operator("update_atom", "authored", "annotate", "change, propose, abandon or bring back what nobody committed"),
    Operator("delete_atom", "authored", "annotate", "take out what nobody committed and nothing names"),
    Operator("supersede_atom", "authored", "human-act", "declare what replaces an atom"),
    Operator("clarify_atom", "clarify", "annotate", "record what is meant by an atom, beside its words"),
    Operator("list_molecules", "molecules", None, "stored molecules and computed views"),
    Operator("list_commitments", "commitments", None, "commitments by atom, status and date"),
    Operator("get_commitment", "commitments", None, "one commitment, or those of an atom"),
    Operator("get_invariants", "invariants", None, "every rule with what it says and how the project set it"),
    Operator("test_invariants", "invariants", None, "which rules hold now, and what breaks the others"),
    Operator("supersede_invariant", "change_sets", "annotate", "replace a rule and gather what has to change"),
    Operator("change_invariant", "invariants", "human-act", "switch a rule, or say how bad a violation is"),
    Operator("discover_orphans_fullscan", "orphans", None, "every test without an intent"),
    Operator("discover_orphans_delta", "orphans", None, "tests without an intent that a change brought"),
    Operator("infer_atom_from_test", "inferring", None, "what rules make of a test"),
    Operator("coupling_report", "coupling", None, "which tests name which atoms, and what stands alone"),
    Operator("cluster_atoms_for_molecules", "molecules", None, "groups of atoms that no molecule holds"),
    Operator("decide_ops", "proposals", "record", "keep what an agent proposes to decide"),
    Operator("decide_patch", "proposals", "record", "the same for a patch that is at hand"),
    Operator("load_proposal", "proposals", None, "what is proposed and decided about a patch"),
    Operator("confirm_proposal", "proposals", "annotate", "write what a person confirmed of a proposal"),
    Operator("get_molecule", "molecules", None, "a stored molecule with all it holds"),
    Operator("change_molecule", "molecules", "annotate", "create, keep, rename, edit, nest or delete a molecule"),
    Operator("show_agents", "agents", None, "which coding agents of the repository know of the pact"),
    Operator("plan_agents", "agents", None, "what would tell coding agents about the pact, or take that out"),
    Operator("write_agents", "agents", "annotate", "write what was planned for coding agents"),
    Operator("ingest_transcripts", "transcripts", "record", "read what is new in conversations with agents"),
    Operator("estimate_marking", "marking", None, "what having a model mark conversations would take at most"),
    Operator("mark_transcripts", "marking", "record", "have a model mark what rules did not find"),
    Operator("transcript_status", "transcripts", None, "how far every conversation was read"),
    Operator("show_transcript", "transcripts", None, "one conversation or artifact"),
    Operator("transcript_artifacts", "transcripts", None, "what conversations produced"),
    Operator("watch_transcripts", "transcripts_watch", "record", "keep reading transcripts as they grow"),
    Operator("stand_up", "standup", "reversible-external", "do what is plain, show what was done and what waits"),
    Operator("decide_actions", "standup", "reversible-external", "carry out or refuse what waits"),
    Operator("review_actions", "standup", "record", "what waits for a person, and what an agent would say to it"),
    Operator("see_actions", "standup", "record", "remember that a person was shown what was done"),
    Operator("undo_action", "standup", "reversible-external", "take back what one action did"),
    Operator("action_precision", "standup", None, "how often each kind of action was right"),
    Operator("reconcile_transcripts", "actions", "record", "what conversations suggest for boards and documents"),
    Operator("proposed_actions", "actions", None, "what was suggested last"),
    Operator("settle_same_work", "actions", "record", "answer what a reconciliation of transcripts asks"),
    Operator("search_knowledge", "knowledge", None, "facts, entities, relations and decisions by words"),
    Operator("show_knowledge", "knowledge", None, "one item of knowledge with its source and successors"),
    Operator("add_knowledge", "knowledge", "record", "keep what a person says, beside what it supersedes"),
    Operator("flag_knowledge", "knowledge", "record", "doubt an item of knowledge"),
    Operator("start_thread", "threads", "record", "open a thread that may become a ticket"),
    Operator("say_in_thread", "threads", "human-act", "speak, answer or approve in a thread"),
    Operator("place_in_thread", "threads", "human-act", "say where words of a thread that nothing marks belong"),
    Operator("list_threads", "threads", None, "threads with where they stand"),
    Operator("show_thread", "threads", None, "one thread with its draft, questions, ticket and trace"),
    Operator("read_thread_files", "threads", "record", "take messages from a folder of threads"),
    Operator("hear_event", "slack", "human-act", "keep what a channel told of a thread, an approval included"),
    Operator("amend_waiting", "slack", "record", "put other words into an event that nobody read yet"),
    Operator("run_bound_thread", "slack", "record", "do what is due in one thread of a channel"),
    Operator("due_in_channel", "slack", "record", "threads of a channel in which something is due, reminders decided"),
    Operator("bound_threads", "slack", None, "threads of a channel with what was heard last"),
    Operator("is_bound", "slack", None, "whether a thread was opened"),
    Operator("is_under_way", "slack", None, "whether somebody did the same before and it is not done with"),
    Operator("question_in", "slack", None, "the words of a question that waits"),
    Operator("authors_in", "slack", None, "who was heard in a thread, as they were called"),
    Operator("tick_threads", "threads", "record", "run threads that became quiet, and remind once"),
    Operator("list_boards", "boards", None, "task boards and documents that are set up"),
    Operator("show_board", "boards", None, "tasks and documents of a board, with its health"),
    Operator("show_board_item", "boards", None, "one task or document of a board, whole"),
    Operator("try_board", "boards", None, "whether a board can be reached and has what writing needs"),
)
OPERATORS: Final = {row.name: row for row in _ROWS}


def call(name: str, *arguments: object, **options: object) -> Any:  # noqa: ANN401 - each verb has its own result type
    """Call a verb by name."""
    return OPERATORS[name].load()(*arguments, **options)
