"""Layout of the full-screen review: lines of styled text for a given size, computed from values alone.

The words of an atom are edited as text: the intent, then one outcome per line after a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from prompt_toolkit.utils import get_cwidth

from pactkeeper.doors.cli.review_words import MARKS, Lines, name_of, words_of
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.decide import Sources, lines_of_evidence, suite_of
from pactkeeper.operators.sitting import Sitting, counts, standing
from pactkeeper.published.ops import texts_of
from pactkeeper.published.plain import printable

Fragment = tuple[str, str]
Line = list[Fragment]

THREE, TWO = 130, 100  # minimum columns for list, words and source side by side; for words and source
LIST: Final = 36
RULE: Final[Fragment] = ("class:rule", " │ ")
SHOWN: Final = {"sitting": "this sitting", "poor": "poor words"}
KEYS: Final = (
    "a accept  e edit  r reject  n/b on/back  u undo  A all shown  / filter  tab show  d diff  ? help  q leave",
    "a accept  e edit  r reject  n/b on/back  u undo  d diff  ? help  q leave",
)
BACK: Final = "? or Esc goes back  J K scroll  q leave"
HELP: Final = """\
a        accept, and go to the next open test
e        edit the words; Ctrl-S accepts them, Esc cancels
r        reject, with an optional reason
u        undo the last answer of this session

n  j  ↓  the next test               b  k  ↑  the test before
]        the next suite              [        the suite before
J  K     scroll the source           g  G     the first, the last
Space    the rest of long words      PgUp     back to their beginning

s        accept the open tests of this suite
A        accept all open tests that are shown
/        show only tests with these words in id or intent; * is a wildcard
tab      show: this session, open, accepted, edited, rejected, poor, all

d        the diff that applying would make
w        apply what is accepted
U        undo the last apply
q        quit; every answer is already saved

s and A skip words that a commitment would refuse: accept those one by one.
A ▸ beside the source marks a line that the words are based on."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of the screen: a sitting, or `text` in its place.

    `scroll` is how far the source or text is scrolled, `down` how far the words are. While the words are `edited`
    elsewhere, a small screen shows only the source. `lines` are those that assert an outcome.
    """

    sitting: Sitting
    sources: Sources
    scroll: int = 0
    message: str = ""
    text: tuple[Fragment, ...] | None = None
    edited: bool = False
    down: int = 0
    lines: Lines = field(default_factory=dict)


def draw(picture: Picture, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of at most `width` columns."""
    body = max(height - 3, 1)
    if picture.text is not None:
        lines = [[(style, part)] for style, text in picture.text for part in wrap(text, width - 2, 2)]
        middle = lines[max(min(picture.scroll, len(lines) - body), 0) :]
    elif picture.sitting.current is None:
        middle = [
            [("class:dim", f" nothing to show here; {_shows(picture.sitting)}. change what is shown with tab or /")]
        ]
    else:
        middle = _body(picture, width, body)
    filled = [*islice(middle, body), *([[]] * (body - len(middle)))]
    return [_clip(line, width) for line in (_title(picture.sitting, width), *filled, *_foot(picture, width))]


def _title(sitting: Sitting, width: int) -> Line:
    number = counts(sitting)
    done, every = len(sitting.items) - number.get("open", 0), len(sitting.items)
    told = "  ".join(f"{MARKS[word]} {number.get(word, 0)}" for word in ("accepted", "edited", "rejected"))
    bar = max(min(width // 6, 24), 6)
    full = bar * done // every if every else bar
    right = f"{told}  {'━' * full}{'─' * (bar - full)} {done:,}/{every:,} "
    left = f" review of {sitting.pending.patch.id} "
    gap = " " * max(width - get_cwidth(left) - get_cwidth(right), 0)
    return [("class:bar", left), ("class:bar", gap), ("class:bar", right)]


def _foot(picture: Picture, width: int) -> Iterator[Line]:
    sitting = picture.sitting
    place = f"{sitting.place + 1:,} of {len(sitting.shown):,}" if sitting.shown else "0"
    told = f" {place}  {_shows(sitting)} "
    yield [("class:rule", f"──{told}" + "─" * max(width - get_cwidth(told) - 2, 0))]
    if picture.message:
        yield [("class:message", f" {printable(picture.message)}")]
    else:
        keys = BACK if picture.text is not None else KEYS[get_cwidth(KEYS[0]) >= width]
        yield [("class:dim", f" {keys}")]


def _shows(sitting: Sitting) -> str:
    words = f", with {sitting.words!r}" if sitting.words else ""
    return printable(f"shown: {SHOWN.get(sitting.show, sitting.show)}{words}")


def _body(picture: Picture, width: int, height: int) -> list[Line]:
    if width >= THREE:
        left = (width - LIST - 6) * 9 // 20
        right = width - LIST - left - 6
        columns = [
            _list(picture.sitting, LIST, height),
            _cut(_words(picture, left), height, picture.down),
            _source(picture, right, height),
        ]
        return _beside(columns, (LIST, left, right), height)
    if width >= TWO:
        left = (width - 3) * 9 // 20
        right = width - left - 3
        return _beside(
            [_cut(_words(picture, left), height, picture.down), _source(picture, right, height)], (left, right), height
        )
    if picture.edited:
        return _source(picture, width, height)
    words = _words(picture, width - 2)
    upper = min(len(words), height * 3 // 5)
    below = [[("class:rule", "─" * width)], *_source(picture, width, height - upper - 1)]
    return [*([("", " "), *line] for line in _cut(words, upper, picture.down)), *below]


def _cut(lines: list[Line], height: int, down: int) -> list[Line]:
    """The lines that fit from offset `down` on, with a note of how many are left."""
    if len(lines) <= height:
        return lines
    start = min(max(down, 0), len(lines) - height)
    left = len(lines) - start - height
    shown = lines[start : start + height]
    return [*shown[:-1], [("class:message", f"… {left + 1} more lines, Space shows them")]] if left else shown


def _beside(columns: Sequence[Sequence[Line]], widths: Sequence[int], height: int) -> list[Line]:
    """Columns side by side, each line padded to the width of its column."""
    lines: list[Line] = []
    for row in range(height):
        line: Line = []
        for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
            cell = _clip(column[row], width) if row < len(column) else []
            free = width - sum(get_cwidth(text) for _, text in cell)
            line += [*([RULE] if place else []), *cell, ("", " " * free)]
        lines.append(line)
    return lines


def _list(sitting: Sitting, width: int, height: int) -> list[Line]:
    """The items around the current one, with their suites."""
    first = max(sitting.place - height, 0)
    lines: list[Line] = []
    here, suite = 0, ""
    for index, item in enumerate(sitting.shown[first : sitting.place + height], start=first):
        if suite_of(item.group) != suite:
            suite = suite_of(item.group)
            lines.append([("class:dim", _tail(printable(suite), width))])
        if index == sitting.place:
            here = len(lines)
        style = "class:here" if index == sitting.place else f"class:{standing(sitting, item)}"
        name = _head(f" {MARKS[standing(sitting, item)]} {_one_line(name_of(item.group))}", width)
        lines.append([(style, name + " " * (width - get_cwidth(name)))])
    start = max(min(here - height // 2, len(lines) - height), 0)
    return lines[start : start + height]


def _words(picture: Picture, width: int) -> list[Line]:
    item = picture.sitting.current
    if item is None:
        return []
    said = words_of(picture.sitting, item, picture.sources, picture.lines)
    return [[(style, line)] for style, text, hang in said for line in wrap(text, width, hang)]


def _source(picture: Picture, width: int, height: int) -> list[Line]:
    item = picture.sitting.current
    found = None if item is None else picture.sources.of(item.group)
    if item is None or found is None:
        return [[("class:dim", "the working tree has no such test")]]
    marked = lines_of_evidence(item.ops, found.path)
    head: Line = [("class:dim", _tail(f"{_one_line(found.path)}:{found.first}", width))]
    lines: list[Line] = []
    for number, text in enumerate(found.lines, start=found.first):
        lines += _numbered(number, text, width) if number in marked else [_plain(number, text)]
    room = max(height - 1, 1)
    start = min(max(_start(marked, found.first, room) + picture.scroll, 0), max(len(lines) - room, 0))
    left = len(lines) - room - start
    shown = [_clip(line, width) for line in (head, *lines[start : start + room])]
    return [*shown[:-1], [("class:dim", f"      … {left + 1:,} more lines, J scrolls")]] if left > 0 else shown


def _plain(number: int, text: str) -> Line:
    return [("class:dim", f"{number:>5}"), ("", f"  {printable(text.expandtabs(4))}")]


def _numbered(number: int, text: str, width: int) -> Iterator[Line]:
    """A source line that asserts an outcome, in full."""
    source = printable(text.expandtabs(4))
    hang = len(source) - len(source.lstrip()) + 4
    for place, part in enumerate(wrap(source, width - 7, hang)):
        yield [
            ("class:dim", f"{number:>5}" if not place else " " * 5),
            ("class:mark", f"{'▸' if not place else ' '} {part}"),
        ]


def _start(marked: frozenset[int], first: int, room: int) -> int:
    """The first line to show, so that the asserting lines are visible if they fit."""
    if not marked:
        return 0
    return max(min(min(marked) - first, max(marked) - first - room + 2), 0)


def wrap(text: str, width: int, hang: int) -> list[str]:
    """A text wrapped to `width` columns, at spaces if there are any; continuation lines are indented."""
    lines: list[str] = []
    for paragraph in printable(text).expandtabs(4).split("\n"):
        lines += _wrapped(paragraph, max(width, 8), hang, first=not lines)
    return lines


def _wrapped(text: str, width: int, hang: int, *, first: bool) -> Iterable[str]:
    line = text if first else " " * hang + text
    while get_cwidth(line) > width:
        head = _head(line, width, cut="")
        end = head.rstrip().rfind(" ")
        end = end if len(head[:end].strip()) and end > hang else len(head)
        yield line[:end].rstrip()
        line = " " * hang + line[end:].lstrip()
    yield line


def _one_line(text: str) -> str:
    return printable(text).replace("\n", "\\n").replace("\t", " ")


def _head(text: str, width: int, cut: str = "…") -> str:
    """The beginning of a text, cut to the width."""
    if get_cwidth(text) <= width:
        return text
    used, end = get_cwidth(cut), 0
    for letter in text:
        used += get_cwidth(letter)
        if used > width:
            break
        end += 1
    return text[:end] + cut


def _tail(text: str, width: int) -> str:
    """The end of a text, cut to the width."""
    return text if get_cwidth(text) <= width else "…" + _head(text[::-1], width - 1, cut="")[::-1]


def _clip(line: Line, width: int) -> Line:
    kept: Line = []
    for style, text in line:
        free = width - sum(get_cwidth(one) for _, one in kept)
        if free <= 0:
            break
        kept.append((style, _head(text, free)))
    return kept


DASH = "- "
INDENT = "  "
FALSIFIES = "! "
CATEGORY = "category:"


def form_of(payload: Mapping[str, JsonValue]) -> str:
    """The editable form of the words; continuation lines of an outcome are indented."""
    lines = [str(payload["description"]).replace("\n", " ")]
    for mark, name in ((DASH, "observableOutcomes"), (FALSIFIES, "falsifiedBy")):
        lines += [mark + one.replace("\n", f"\n{INDENT}") for one in texts_of(payload.get(name))]
    return "\n".join([*lines, f"{CATEGORY} {payload['category']}"] if "category" in payload else lines)


@dataclass(frozen=True, slots=True)
class ScreenWords:
    """The words parsed from a form; the category is empty if its line was removed."""

    intent: str
    outcomes: tuple[str, ...]
    falsifiers: tuple[str, ...]
    category: str


def words_in(text: str) -> ScreenWords:
    """Parse a form; the intent is everything before the first mark."""
    parts = [("", "")]
    for line in text.rstrip().split("\n"):
        mark = next((one for one in (DASH, FALSIFIES, CATEGORY) if line.startswith(one.strip())), "")
        if mark:
            parts.append((mark, line[len(mark.strip()) :].strip()))
        else:
            kind, above = parts[-1]
            parts[-1] = (kind, f"{above}\n{line.removeprefix(INDENT)}" if kind else f"{above} {line.strip()}".strip())
    said: dict[str, list[str]] = {DASH: [], FALSIFIES: [], CATEGORY: [""]}
    for kind, one in parts[1:]:
        if one:
            said[kind].append(one)
    return ScreenWords(parts[0][1], tuple(said[DASH]), tuple(said[FALSIFIES]), said[CATEGORY][-1])
