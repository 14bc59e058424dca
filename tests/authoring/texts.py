"""Texts as people write them, and what is taken from them."""

from pactkeeper.authoring.source import NotTaken, Source, Taken
from pactkeeper.authoring.taking import take_in

ISSUE = """\
# Login with old tokens

When I log in with an old token, I get in. That is bad.

## Steps to reproduce
1. Log in
2. Wait an hour

## Expected behaviour
A login with an expired token is refused.

### Acceptance criteria
- [ ] A session ends after one hour
  - the status is 401
  - no cookie is set
- [ ] Add tests
- Is there a limit?
- As a member, I want to delete my account.

## Out of scope
The export must not change.
"""


def found(text, *, feature=False, path="note.md"):
    """Everything that became of a text; each quotation must be verbatim."""
    every = take_in(Source(path, text), feature=feature)
    assert all(one.span.quote and one.span.quote in text for one in every)
    return every


def taken(text, **options):
    return [one for one in found(text, **options) if isinstance(one, Taken)]


def intents(text, **options):
    return [one.intent for one in taken(text, **options)]


def reasons(text, **options):
    return [one.why for one in found(text, **options) if isinstance(one, NotTaken)]
