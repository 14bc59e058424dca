"""Texts that people and we write: Markdown full of what might be taken for something else, and drafts of tickets."""

from hypothesis import strategies as st

from pactkeeper.intent.ticket import Constraint, Draft, PlacedValue
from pactkeeper.tickets.wording import ticket_body

BODY = """## Problem

A login with a_b_c and 2 * 3 = 6 <x> [y] {z} fails. See https://x.example/a_b?c=1&d=2.

## Acceptance criteria

- [ ] A login is **refused**.
- [x] No *session*, no `token`
  - nested
    1. one
    2. two

---

> quoted
> more [words](https://x.example/y)

```python
x = 1

y
```
"""
_PIECES = [
    "a",
    "b c",
    "*",
    "**",
    "_",
    "`",
    "``",
    "~~",
    "[",
    "](",
    "https://x.example/z",
    ")",
    "\n",
    "\n\n",
    "- ",
    "1. ",
]
_PIECES += ["> ", "# ", "    ", "  ", "\\", "&amp;", "&", "<", "!", "---", "===", "```", "\t", "é", '"', "'", ".", "|"]
_PIECES += [
    "{",
    "}",
    "{code}",
    "{quote}",
    "h1. ",
    "bq. ",
    "~",
    "+",
    "(",
    "2)",
    "^",
    "-",
    "??",
    "{*}",
    "{{",
    "}}",
    ":)",
    "(y)",
]
MARKDOWN = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
WORDS = st.text("abc xyz.,;:'\"*_-+^~?|{}[]()!#&<>=/\\é", min_size=1, max_size=30).map(lambda text: f"a{text}z")


def said(value, number=1):
    return PlacedValue(value, "Ada", f"m{number}", f"https://chat.example/archives/C1/p{number}", value)


def body_of(problem, criteria, *, solution="", constraints=()):
    """The text of a ticket as `tickets/wording.py` makes it."""
    draft = Draft(
        "T1",
        title=said("Refuse expired tokens"),
        problem=said(problem),
        proposed_solution=said(solution, 2) if solution else None,
        acceptance_criteria=tuple(said(one, 3) for one in criteria),
        constraints=tuple(Constraint("session timeout", said(one, 4), "accepted") for one in constraints),
    )
    return ticket_body(draft, by="Bob")


TICKETS = st.builds(
    body_of, WORDS, st.lists(WORDS, max_size=3), solution=WORDS, constraints=st.lists(WORDS, max_size=2)
)
