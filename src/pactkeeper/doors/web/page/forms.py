"""What a form of ours brings: fields of text, and the token that says it came from a page of this visit."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request

from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.page.visiting import visitor
from pactkeeper.doors.web.problems import Problem

LONGEST: Final = 1_000_000  # bytes
MOST_FIELDS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one form; browsers send line ends as CR LF, here they are LF."""

    fields: Mapping[str, list[str]]

    def text(self, name: str) -> str:
        """The text of a field; empty where the form has none."""
        return self.fields.get(name, [""])[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """All texts under this name."""
        return tuple(self.fields.get(name, ()))

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a field that hold something."""
        return tuple(line.strip() for line in self.text(name).splitlines() if line.strip())


async def read_form(request: Request) -> Form:
    """The form that a request brings; raises Problem where it is none of this visit's pages."""
    held = await whole_body(request, LONGEST, "the form")
    try:
        fields = parse_qs(held.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise Problem(400, f"the form cannot be read: {error}") from None
    form = Form({name: [one.replace("\r\n", "\n") for one in values] for name, values in fields.items()})
    if not hmac.compare_digest(form.text("form").encode(), visitor(request).form.encode()):
        raise Problem(403, "this form is not from a page of your visit; reload the page and send it again")
    return form
