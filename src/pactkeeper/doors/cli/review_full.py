"""The full-screen review: each key produces the next sitting, and its changes are saved at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import ConditionalContainer, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import TextArea

from pactkeeper.doors.cli.output import count
from pactkeeper.doors.cli.review_plain import accept_all, keep_taken_back
from pactkeeper.doors.cli.review_screen import HELP, Fragment, Picture, draw, form_of, words_in
from pactkeeper.doors.cli.review_words import Lines
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.decision import Decision
from pactkeeper.operators.decide import ReviewItem, Sources, asserted_at, decide, save_decisions
from pactkeeper.operators.sitting import (
    SHOWS,
    Sitting,
    decided,
    filtered,
    in_bulk,
    moved,
    moved_suite,
    of_suite,
    reworded,
    taken_back,
    worded,
)
from pactkeeper.workspace import Workspace

Wish = Literal["diff", "apply", "undo"]  # done while nothing is drawn, since it may take a while
FAR, PAGE = 1 << 30, 6  # lines
STYLE: Final = Style.from_dict(
    {
        "bar": "reverse",
        "name": "bold",
        "intent": "bold",
        "dim": "ansibrightblack",
        "rule": "ansibrightblack",
        "here": "reverse",
        "open": "",
        "accepted": "ansigreen",
        "edited": "ansicyan",
        "rejected": "ansired",
        "unsure": "ansiyellow",
        "gone": "ansired",
        "come": "ansigreen",
        "mark": "ansiyellow",
        "message": "bold",
    }
)


@dataclass(slots=True)
class FullScreen:
    """A sitting on a full screen. Without `input` and `output`, the terminal's own are used."""

    opened: Workspace
    sitting: Sitting
    sources: Sources
    input: Input | None = None
    output: Output | None = None
    scroll: int = 0
    down: int = 0
    message: str = ""
    text: tuple[Fragment, ...] | None = None
    _asked: Callable[[], None] | None = field(default=None, repr=False)  # waits for a y
    _editing: bool = False
    _asserted: dict[str, Lines] = field(default_factory=dict, repr=False)
    _told: Callable[[str], None] | None = field(default=None, repr=False)  # receives the line being typed
    _application: Application[Wish | None] = field(init=False, repr=False)
    _window: Window = field(init=False, repr=False)
    _form: TextArea = field(init=False, repr=False)
    _line: TextArea = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._form = TextArea(multiline=True, wrap_lines=True, height=10)
        self._line = TextArea(multiline=False, height=1, accept_handler=lambda _: self._typed())
        self._window = Window(FormattedTextControl(self._picture, focusable=True, show_cursor=False), wrap_lines=False)
        told = Window(FormattedTextControl(lambda: [("class:message", f" {self.message}")]), height=1)
        editing, typing = Condition(lambda: self._editing), Condition(lambda: self._told is not None)
        rows = HSplit(
            [
                self._window,
                ConditionalContainer(HSplit([told, self._form]), editing),
                ConditionalContainer(HSplit([told, self._line]), typing),
            ]
        )
        self._application = Application(
            Layout(rows, focused_element=self._window),
            key_bindings=self._keys(Condition(lambda: not self._editing and self._told is None), editing | typing),
            style=STYLE,
            full_screen=True,
            input=self.input,
            output=self.output,
        )
        self._application.ttimeoutlen = 0.05  # recognises Esc alone without a noticeable pause

    def run(self) -> Sitting:
        """Draw and handle keys until the person leaves; a diff, apply or undo is done in between."""
        while (wish := self._application.run()) is not None:
            self._attempt(partial(self._apart, wish))
        return self.sitting

    def _picture(self) -> StyleAndTextTuples:
        size = self._application.output.get_size()
        under = 11 if self._editing else 2 if self._told is not None else 0
        message = "" if under else self.message
        picture = Picture(
            self.sitting, self.sources, self.scroll, message, self.text, self._editing, self.down, self._lines()
        )
        lines = draw(picture, size.columns, max(size.rows - under, 4))
        parts: StyleAndTextTuples = []
        for line in lines:
            parts += [*line, ("", "\n")]
        return parts[:-1]

    def _lines(self) -> Lines:
        """The lines that assert each outcome of the current test, looked up once while it is shown."""
        at = self.sitting.at
        if at not in self._asserted:
            self._asserted = dict(asserted_at(self.sources, [at])) or {at: {}}
        return self._asserted[at]

    def _keys(self, looking: Filter, typing: Filter) -> KeyBindings:
        keys = KeyBindings()

        def on(*names: str, when: Filter = looking) -> Callable[[Callable[[], None]], None]:
            def bind(act: Callable[[], None]) -> None:
                for name in names:
                    keys.add(name, filter=when, eager=True)(lambda _: self._attempt(act))

            return bind

        for names, act in self._acts():
            on(*names)(act)
        on("c-s", when=typing)(self._save_form)
        on("escape", when=typing)(self._leave_typing)
        keys.add("<any>", filter=looking)(self._any)
        keys.add("c-c")(lambda event: event.app.exit(exception=KeyboardInterrupt))
        return keys

    def _acts(self) -> Sequence[tuple[tuple[str, ...], Callable[[], None]]]:
        """The key bindings while nothing is being typed."""
        return (
            (("a", "enter"), self._accept),
            (("e",), self._edit),
            (("r",), self._reject),
            (("u",), self._take_back),
            (("n", "j", "down", "right"), lambda: self._go(moved(self.sitting, 1))),
            (("b", "k", "up", "left"), lambda: self._go(moved(self.sitting, -1))),
            (("]",), lambda: self._go(moved_suite(self.sitting, 1))),
            (("[",), lambda: self._go(moved_suite(self.sitting, -1))),
            (("g", "home"), lambda: self._go(moved(self.sitting, -FAR))),
            (("G", "end"), lambda: self._go(moved(self.sitting, FAR))),
            (("J",), lambda: self._scrolled(1)),
            (("K",), lambda: self._scrolled(-1)),
            (("pagedown", " "), lambda: self._paged(PAGE)),
            (("pageup",), lambda: self._paged(-PAGE)),
            (("s",), lambda: self._bulk(of_suite(self.sitting), "of this suite")),
            (("A",), lambda: self._bulk(self.sitting.shown, "that are shown")),
            (("/",), self._search),
            (("tab",), lambda: self._turn(1)),
            (("s-tab",), lambda: self._turn(-1)),
            (("?",), lambda: self._tell((("", HELP),)) if self.text is None else self._close()),
            (("d",), lambda: self._leave_for("diff")),
            (("w",), lambda: self._ask("apply what is accepted?", lambda: self._leave_for("apply"))),
            (("U",), self._ask_undo),
            (("y", "Y"), self._yes),
            (("q", "c-d"), self._leave),
            (("escape",), self._close),
        )

    def _attempt(self, act: Callable[[], None]) -> None:
        """Run a key's action; an error is shown on the screen."""
        waiting, self.message = self._asked, ""
        try:
            act()
        except PactkeeperError as error:
            self._tell((("class:rejected", str(error)),))
        if self._asked is waiting:
            self._asked = None

    def _any(self, event: KeyPressEvent) -> None:
        self._asked = None
        self.message = f"{event.data!r} does nothing here; ? shows the keys" if event.data.isprintable() else ""

    def _go(self, sitting: Sitting) -> None:
        self.text, self.sitting, self.scroll, self.down = None, sitting, 0, 0

    def _scrolled(self, by: int) -> None:
        self.scroll += by

    def _paged(self, by: int) -> None:
        """Page through a long text, or through long words."""
        if self.text is not None:
            self._scrolled(by)
        else:
            self.down = max(self.down + by, 0)

    def _tell(self, text: tuple[Fragment, ...]) -> None:
        self.text, self.scroll = text, 0

    def _close(self) -> None:
        if self.text is None and self.sitting.words:
            self.sitting = filtered(self.sitting, words="")
        self.text, self.scroll = None, 0

    def _leave(self) -> None:
        if self.text is not None:
            self._close()
        else:
            self._application.exit()

    def _leave_for(self, wish: Wish) -> None:
        self._application.exit(result=wish)

    def _item(self) -> ReviewItem | None:
        """The item that a key applies to; None while a text is on the screen."""
        return None if self.text is not None else self.sitting.current

    def _take(self, made: Sequence[Decision]) -> None:
        if made:
            save_decisions(self.opened, self.sitting.pending.patch, made)
            self._go(decided(self.sitting, made))

    def _accept(self) -> None:
        item = self._item()
        self._take(decide(self.opened, item, "accept") if item else ())

    def _reject(self) -> None:
        item = self._item()
        if item is not None:
            self._type(
                "why reject? (optional; Enter rejects, Esc cancels)",
                lambda why: self._take(decide(self.opened, item, "reject", reason=why.strip())),
            )

    def _take_back(self) -> None:
        found = taken_back(self.sitting)
        if found is None:
            self.message = "nothing was decided in this session"
            return
        keep_taken_back(self.opened, found[0], found[1].opened, found[1].before)
        self._go(found[0])
        self.message = "undone"

    def _bulk(self, items: Sequence[ReviewItem], which: str) -> None:
        chosen = in_bulk(self.sitting, items)
        if self.text is None and chosen:
            what = f"accept {count(len(chosen), 'open test')} {which}?"
            self._ask(what, lambda: self._take(accept_all(self.opened, self.sitting, chosen)))
        else:
            self.message = "nothing here can be accepted in bulk"

    def _ask(self, what: str, act: Callable[[], None]) -> None:
        self._asked, self.message = act, f"{what}  press y for yes, any other key for no"

    def _yes(self) -> None:
        if self._asked is not None:
            act, self._asked = self._asked, None
            act()

    def _turn(self, by: int) -> None:
        self._go(filtered(self.sitting, show=SHOWS[(SHOWS.index(self.sitting.show) + by) % len(SHOWS)]))

    def _search(self) -> None:
        self._type(
            "filter tests by words (* is a wildcard); empty shows all",
            lambda words: self._go(filtered(self.sitting, words=words.strip())),
            self.sitting.words,
        )

    def _type(self, what: str, then: Callable[[str], None], text: str = "") -> None:
        self.message, self._told, self._line.text = what, then, text
        self._line.buffer.cursor_position = len(text)
        self._application.layout.focus(self._line)

    def _typed(self) -> bool:
        then, text = self._told, self._line.text
        self._leave_typing()
        if then is not None:
            self._attempt(lambda: then(text))
        return False

    def _leave_typing(self) -> None:
        self._editing, self._told = False, None
        self._application.layout.focus(self._window)

    def _edit(self) -> None:
        item = self._item()
        said = worded(self.sitting, item) if item else None
        if said is None:
            self.message = "there are no words to edit here"
            return
        self._form.text = form_of(said[1])
        self._editing = True
        self.message = "- outcome, ! what falsifies it; Ctrl-S accepts, Esc cancels"
        self._application.layout.focus(self._form)

    def _save_form(self) -> None:
        item, words = self._item(), words_in(self._form.text)
        said = worded(self.sitting, item) if item else None
        if not self._editing or item is None or said is None:
            return
        if not words.intent:
            self.message = "the intent is empty; Esc leaves it as it was"
            return
        if words.category and words.category not in CATEGORIES:
            self.message = f"{words.category!r} is not a category; write one of {', '.join(CATEGORIES)}"
            return
        op, payload = said
        edited = reworded(payload, words.intent, words.outcomes, falsifiers=words.falsifiers, category=words.category)
        self._leave_typing()
        if edited == op.payload:
            self._take(decide(self.opened, item, "accept"))
        else:
            self._take(decide(self.opened, item, "edit", edited={op.id: edited}))

    def _apart(self, wish: Wish) -> None:
        """Do what takes a while; applying loads graphs and history writers, which no other key needs."""
        if wish == "diff":
            self._tell(_diff(self.opened, self.sitting))
            self.message = "w applies this, J and K scroll, Esc goes back"
            return
        self._go(replace(self.sitting, steps=()) if wish == "apply" else self.sitting)
        self.message = _apply(self.opened, self.sitting) if wish == "apply" else _undo(self.opened)

    def _ask_undo(self) -> None:
        from pactkeeper.operators.apply import next_undo  # noqa: PLC0415 - see `_apart`

        entry = next_undo(self.opened)
        written = f"{entry.at[:16].replace('T', ' ')} to {count(len(entry.paths), 'file')}"
        self._ask(f"undo the write of {written}?", lambda: self._leave_for("undo"))


def _diff(opened: Workspace, sitting: Sitting) -> tuple[Fragment, ...]:
    """The diff of applying the current decisions; ops that changed since they were shown are named and left out."""
    from pactkeeper.operators.apply import apply_patch  # noqa: PLC0415 - see `_apart`

    held = tuple(sitting.held.values())
    applied = apply_patch(opened, sitting.pending.patch, held, skip_stale=True, dry_run=True)
    skipped = [("class:unsure", f"left out: {one.op.group}: {one.reason}") for one in applied.planned.skipped]
    lines = [(_style(line), line) for line in applied.diff()]
    return (*skipped, *lines) or (("", "nothing is accepted yet, so nothing would change"),)


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "class:name"
    return {"+": "class:come", "-": "class:gone", "@": "class:edited"}.get(line[:1], "")


def _apply(opened: Workspace, sitting: Sitting) -> str:
    """Write what is accepted, all or nothing; returns a message."""
    from pactkeeper.operators.apply import apply_patch  # noqa: PLC0415 - see `_apart`

    applied = apply_patch(opened, sitting.pending.patch, tuple(sitting.held.values()))
    if applied.entry is None:
        return "nothing accepted is left to apply"
    return f"applied {count(len(applied.planned.ops), 'op')} in {count(len(applied.edits), 'file')}; U reverts it"


def _undo(opened: Workspace) -> str:
    """Undo the latest write; returns a message."""
    from pactkeeper.operators.apply import undo_apply  # noqa: PLC0415 - see `_apart`

    return "undid the apply" if undo_apply(opened).entry else "there is nothing left to undo"
