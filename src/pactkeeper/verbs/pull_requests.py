"""Verbs about pull requests and merge requests, for CI."""

from __future__ import annotations

from typing import Final

from pactkeeper.operators import proposed_branch, pull_requests
from pactkeeper.verbs.verb import Verb

ROWS: Final = (
    Verb(pull_requests.bring_here, "record", "Fetch what is missing of a pull request's commits."),
    Verb(pull_requests.read_change, None, "What a change promises, proves, weakens and leaves without intent."),
    Verb(pull_requests.report_pull_request, "reversible-external", "Keep a pull request's status and comment current."),
    Verb(pull_requests.answer_comment, "reversible-external", "Do what a comment of somebody who may write asks."),
    Verb(proposed_branch.propose_branch, "reversible-external", "Propose what reconciling finds as a pull request."),
)
