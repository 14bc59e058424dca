"""Rules that find work products in a conversation; each returns spans of it and adds no words of its own.

Here is what the rules look at: entries of a conversation, old and new, with their calls paired, and command lines. Also
sentences as character spans, and the decisions among them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pactkeeper.intent.conversation import (
    Artifact,
    Block,
    ConversationEntry,
    Excerpt,
    Signals,
    ToolCall,
    excerpt,
    identity_of,
    pair,
)
from pactkeeper.speech.clash import begins, has_phrase, has_word, is_denied, is_meant, phrase_in
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.speech.spans import Span, TextLine, lines
from pactkeeper.speech.spans import sentences as spoken
from pactkeeper.speech.words import statement


@dataclass(frozen=True, slots=True)
class Window:
    """Entries in order, earlier ones first; anything a rule finds must end in a new one."""

    entries: tuple[ConversationEntry, ...]
    calls: tuple[ToolCall, ...]

    @classmethod
    def of(cls, entries: tuple[ConversationEntry, ...]) -> Window:
        """Build a window and pair the calls of its entries."""
        return cls(entries, pair(entries))

    def texts(self, *, by_person: bool) -> Iterator[tuple[ConversationEntry, int, Block]]:
        """The text blocks of people, or of the agent, each with its entry and position."""
        for entry in self.entries:
            if entry.by_person if by_person else entry.role == "assistant":
                yield from ((entry, at, block) for at, block in enumerate(entry.blocks) if block.kind == "text")

    def answer(self, asked: ConversationEntry) -> ConversationEntry | None:
        """The next entry by a person after this one; None if there is none."""
        after = self.entries[self.entries.index(asked) + 1 :]
        return next((entry for entry in after if entry.by_person), None)


LONGEST_TYPED: Final = 2000  # characters that somebody types; longer texts are pasted
_PROMPT: Final = "$ "  # what follows a command, up to a blank line, is its output
_PASTED: Final = re.compile(r"\||\$ ")  # table rows, shell prompts
_CODE: Final = 4  # spaces before a line of code
_MARKS: Final = re.compile(r"[\"“„«]")
# A quotation has four words or more; a shorter one is a name.
_QUOTATION: Final = re.compile(r"[\"“„«](?:[^\s\"“”„«»]+\s+){3}[^\s\"“”„«»][^\"“”„«»]*[\"“”»]")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The first and last character of every sentence, each within one line; without quoted or pasted text."""
    own, is_output = unquoted(text), False
    for line in lines(text):
        is_output = line.text.startswith(_PROMPT) or (is_output and line.kind != "blank")
        if is_typed(line) and not is_output:
            whole = Span(line.start, line.end, own[line.start : line.end])
            yield from ((one.start, one.end) for one in spoken(own, whole))


def is_typed(line: TextLine) -> bool:
    """Whether a line is the author's own prose: not a quotation, code or a table row."""
    is_code = line.kind == "text" and line.indent >= _CODE
    return line.kind in {"text", "item", "heading"} and not is_code and not _PASTED.match(line.text)


def unquoted(text: str) -> str:
    """The text with longer quotations replaced by spaces of the same length, since they are somebody else's words."""
    return _QUOTATION.sub(lambda found: " " * len(found[0]), text) if _MARKS.search(text) else text


# Signal strength of a person's own words, and of the agent's words with a person's yes.
OWN, CONFIRMED = 90, 75
_LONGEST: Final = 20_000  # characters of a text that is searched for decisions


def decisions(window: Window) -> Iterator[Artifact]:
    """Every decision whose reason is in its sentence, the next one, or the one before a bare `That's decided.`."""
    for entry, position, block in window.texts(by_person=True):
        for first, last, reason in _decided(block.text):
            yield _decision((excerpt(entry, position, first, last),), reason, OWN)
    for entry, position, block in window.texts(by_person=False):
        if entry.sidechain or not has_phrase("decided", block.text):
            continue
        answer = agreement(window, entry)
        if answer is not None:
            for first, last, reason in _decided(block.text):
                yield _decision((excerpt(entry, position, first, last), answer), reason, CONFIRMED)


def _decided(text: str) -> Iterator[tuple[int, int, str]]:
    """The span of each decision in a text, with its reason."""
    if len(text) > _LONGEST or not has_phrase("decided", text):
        return
    spans = list(sentences(text))
    for index, (first, last) in enumerate(spans):
        sentence = unquoted(text[first:last])
        found = phrase_in("decided", sentence)
        if found is None or not _is_certain(sentence, found) or not _is_ours(sentence, found):
            continue
        following = text[slice(*spans[index + 1])] if index + 1 < len(spans) else ""
        start, end = spans[index - 1] if index else (first, first)
        before = unquoted(text[start:end])
        if reason := phrase_in("reasons", sentence):
            yield (first, last, text[first + reason.start() : last])
        elif begins("reasons", following):
            yield (first, spans[index + 1][1], following)
        elif _points_back(sentence, found) and (reason := _reason_of_other(before)):
            yield (start, last, text[start + reason.start() : end])


def _is_certain(sentence: str, decided: re.Match[str]) -> bool:
    """Whether a decision is asserted; the reason after it may say what would happen otherwise."""
    reason = phrase_in("reasons", sentence)
    end = reason.start() if reason and reason.start() >= decided.end() else len(sentence)
    return not sentence.endswith("?") and is_meant(sentence[:end])


def _is_ours(sentence: str, decided: re.Match[str]) -> bool:
    """Whether the author took part in the decision, or no actor is named; False if the decision is denied."""
    before, behind = sentence[: decided.start()], sentence[decided.end() :].split()[:1]
    if is_denied(" ".join((before, *behind))):
        return False
    by_others = has_word("others", before) or bool(statement(before).stems)
    return has_word("ours", decided[0]) or has_word("ours", before) or not by_others


def _reason_of_other(sentence: str) -> re.Match[str] | None:
    """The reason in a sentence that does not itself state a decision."""
    said = is_meant(sentence) and not has_phrase("decided", sentence)
    return phrase_in("reasons", sentence) if said else None


def _points_back(sentence: str, decided: re.Match[str]) -> bool:
    """Whether a sentence says only that something is decided, so that it refers to the one before."""
    return not statement(f"{sentence[: decided.start()]} {sentence[decided.end() :]}").stems


def agreement(window: Window, asked: ConversationEntry) -> Excerpt | None:
    """The person's next message if it is a plain yes; one that says more may mean something else."""
    entry = window.answer(asked)
    text = entry.blocks[0].text if entry is not None and entry.blocks and entry.blocks[0].kind == "text" else ""
    return excerpt(entry, 0, 0, len(text)) if entry is not None and is_plain_yes(text) else None


def is_plain_yes(text: str) -> bool:
    """Whether a text agrees and says nothing more."""
    behind = text
    while hit := begins("agrees", behind):
        behind = behind[hit.end() :]
    return behind != text and is_small_talk(behind) and "?" not in text


def _decision(parts: tuple[Excerpt, ...], reason: str, strength: int) -> Artifact:
    said = parts[0].text
    return Artifact(
        "decision_with_context",
        said.partition("\n")[0][:120],
        parts,
        Signals(strength, strength),
        "very_high",
        identity_of(said),
        facts={"reason": reason[:500], "confirmed": strength == CONFIRMED},
    )


Words = tuple[str, ...]

_HEREDOC: Final = re.compile(r"<<-?[^\S\n]*+(['\"]?)(\w++)\1(.*)")
_FIRST: Final = re.compile(r"[ \t]*+(\w*+)")
_BREAKS: Final = frozenset("();<>|&\n")
_LONGEST_LINE: Final = 20_000  # characters; nobody types a longer script
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
# Programs that run the rest of their line, and how many of their own arguments come first.
_WRAPPERS: Final = {"sudo": 0, "time": 0, "env": 0, "nohup": 0, "exec": 0, "command": 0, "timeout": 1, "npx": 0}
_RUNNERS: Final = frozenset({("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("hatch", "run")})
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})
_GIT_TAKES_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
_SCRIPT: Final = 3  # bash -c SCRIPT


def _without_bodies(script: str) -> str:
    """Remove the bodies of here-documents; one without an end marker is left as it is."""
    lines = iter(enumerate(script.split("\n")))
    words = [_FIRST.match(line)[1] for line in script.split("\n")]  # type: ignore[index]  # it matches anything
    last = {word: number for number, word in enumerate(words)}
    kept: list[str] = []
    for number, line in lines:
        found = _HEREDOC.search(line)
        if found is None or last.get(found[2], 0) <= number:
            kept.append(line)
            continue
        kept.append(line[: found.start()] + found[3])
        kept.append(next(end.lstrip()[len(found[2]) :] for at, end in lines if words[at] == found[2]))
    return "\n".join(kept)


@lru_cache(maxsize=4096)
def simple_commands(script: str, *, depth: int = 0) -> tuple[Words, ...]:
    """The words of each command of a script, in order; empty if the script can't be parsed.

    Bodies of here-documents are skipped. Wrappers (`sudo`, `env A=b`, `bash -c`) are replaced by the command they run.
    """
    return tuple(inner for one, _ in _cut(_tokens(script)) for inner in _unwrapped(one, depth))


def exit_tells(script: str) -> int:
    """Of how many of a script's last commands an exit code of 0 says that they worked: those joined by `&&` alone."""
    known = 0
    for words, behind in reversed(tuple(_cut(_tokens(script)))):
        inner = sum(1 for _ in _unwrapped(words, 0))
        ends = {"&&"} if inner and known else {"&&", ""} if known else {"", ";"}
        if behind.strip("()\n") not in ends:
            return 0 if "||" in behind else known
        known += min(inner, 1)
        if inner > 1:  # a script of its own
            return known
    return known


def _tokens(script: str) -> list[str]:
    if len(script) > _LONGEST_LINE:
        return []
    lexer = shlex.shlex(_without_bodies(script), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return []


def _cut(words: list[str]) -> Iterator[tuple[Words, str]]:
    """Split words into commands, each with what separates it from the next; redirections are dropped."""
    held: list[str] = []
    redirected = False
    for word in words:
        if word and _BREAKS.issuperset(word):
            redirected = set(word) <= {"<", ">", "&"} and ("<" in word or ">" in word)
            if redirected:
                held = held[:-1] if held and held[-1] in {"1", "2"} else held
            else:
                yield tuple(held), word
                held = []
        elif redirected:
            redirected = False
        else:
            held.append(word)
    yield tuple(held), ""


def _unwrapped(words: Words, depth: int) -> Iterator[Words]:
    rest = words
    while rest:
        name = rest[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif name in _WRAPPERS:
            rest = _after_options(rest[1:])[_WRAPPERS[name] :]
        elif rest[:2] in _RUNNERS:
            rest = _after_options(rest[2:])
        else:
            break
    if not rest or rest[0].startswith("#"):
        return
    if name in _SHELLS and len(rest) >= _SCRIPT and rest[1] in {"-c", "-lc"} and not depth:
        yield from simple_commands(rest[2], depth=depth + 1)
    else:
        yield _plain_git(name, rest)


def _after_options(words: Words) -> Words:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _plain_git(name: str, words: Words) -> Words:
    """The program without its directory, and for git without the options before its subcommand."""
    rest = words[1:]
    while name == "git" and rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _GIT_TAKES_VALUE else rest[1:]
    return (name, *rest)
