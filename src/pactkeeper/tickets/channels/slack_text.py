"""Text on its way to Slack and back: what people wrote stays what they wrote, and never mentions, links or formats.

Slack reads `&`, `<` and `>` as its own signs, and `*`, `_`, `~` and backticks as formatting that it has no escape for;
so those become signs that look like them. https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Characters that show nothing and tell a reader other than a program: zero width, directions, tags, and controls.
_UNSEEN: Final = re.compile(
    "[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ENDS: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_QUOTE: Final = re.compile(r"^(?P<indent>[ \t]*)>", re.MULTILINE)  # Slack shows `&gt;` at the head of a line as a quote
_FORMATS: Final = re.compile(r"(?<!\w)[*_~]|[*_~](?!\w)|`")
_ALIKE: Final = MappingProxyType({"*": "∗", "_": "ˍ", "~": "∼", "`": "ˋ"})
_CALL: Final = re.compile(r"(?<![\w.+-])@(?=\w)")
_JOINER: Final = "\u2060"  # behind an @ it makes the name one that nobody has, and shows nothing
_LINK: Final = re.compile(r"\[(?P<label>[^\[\]\n]+)\]\((?P<url>[^()\s]+)\)")
_OURS: Final = re.compile(r"\*\*(?P<bold>[^*\n]+)\*\*|`(?P<code>[\w./:-]+)`")
_LINE: Final = re.compile(r"(?P<heading>#{1,6} )|(?P<item>- )(?:\[(?P<box>[ x])\] )?")
_SEQUENCE: Final = re.compile(r"<(?P<inner>[^<>\n]*)>")
_BOXES: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[-•◦▪] )?(?P<box>[☐☑☒✅✔])\ufe0f? *(?=\S)", re.MULTILINE)
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # the last one last, or `&amp;lt;` becomes `<`


def visible(text: str) -> str:
    """A text without characters that nobody sees; whatever ends a line is a newline, and every space is a plain one."""
    return _UNSEEN.sub("", _ENDS.sub("\n", text).replace("\u00a0", " "))


def escaped(text: str) -> str:
    """A text in which Slack finds no sign of its own, as every `mrkdwn` and the text of a message needs it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def inert(text: str) -> str:
    """What people wrote, as `mrkdwn` that looks the same and does nothing: it calls nobody and formats nothing."""
    unformed = _FORMATS.sub(lambda found: _ALIKE[found.group()], _QUOTE.sub(r"\g<indent>›", visible(text)))
    return _CALL.sub(f"@{_JOINER}", escaped(unformed))


def mrkdwn(markdown: str) -> str:
    """Our own Markdown as `mrkdwn`: headings, lists, boxes, `**bold**` and words in backticks; all else is inert.

    A link says where it leads, since its label may have come from anybody.
    """
    return "\n".join(_line(line) for line in visible(markdown).split("\n"))


def _line(line: str) -> str:
    lead = _LINE.match(line)
    if lead is None:
        return _words(line)
    rest = line[lead.end() :]
    if lead["heading"]:
        return f"*{inert(rest)}*" if rest.strip() else ""
    box = {" ": "☐ ", "x": "☑ ", None: ""}[lead["box"]]
    return f"• {box}{_words(rest)}"


def _words(text: str) -> str:
    text = _LINK.sub(lambda found: f"{found['label']} ({found['url']})", text)
    pieces, at = [], 0
    for found in _OURS.finditer(text):
        shown = f"*{inert(found['bold'])}*" if found["bold"] else f"`{found['code']}`"
        pieces += [inert(text[at : found.start()]), shown]
        at = found.end()
    return "".join([*pieces, inert(text[at:])])


def read_text(text: str, *, bot: str = "", names: Mapping[str, str] = MappingProxyType({})) -> str:
    """What a received message says, in Markdown: `bot` is our own user id, `names` are people's names by user id.

    A call of the bot is taken out, other people are named with an `@`, links keep their label and their target.
    """
    pieces, at = [], 0
    for found in _SEQUENCE.finditer(text):
        pieces += [_unescaped(text[at : found.start()]), _meant(found["inner"], bot=bot, names=names)]
        at = found.end()
        if not pieces[-1]:
            at += len(text[at:]) - len(text[at:].lstrip(" "))
    pieces.append(_unescaped(text[at:]))
    return _BOXES.sub(_box, visible("".join(pieces))).strip()


def _meant(inner: str, *, bot: str, names: Mapping[str, str]) -> str:
    """What stands for a sequence of Slack: a person, a channel, a call of many, or a link."""
    target, _, label = inner.partition("|")
    label = _unescaped(label)
    if target.startswith("@"):
        user = target[1:]
        return "" if bot and user == bot else f"@{names.get(user) or label or user}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return _called(target[1:], label)
    return _linked(_unescaped(target), label)


def _called(name: str, label: str) -> str:
    """Words for everybody, for a group, or a date in words."""
    if name.startswith(("date^", "subteam^")):
        return label or f"@{name.split('^')[1]}"
    return f"@{name}"


def _linked(target: str, label: str) -> str:
    scheme, _, rest = target.partition(":")
    if scheme in {"mailto", "tel"}:
        return label or rest
    if not label or label.rstrip("/") in {target.rstrip("/"), rest.strip("/")}:
        return target
    words = label.replace("[", "(").replace("]", ")")
    return f"[{words}]({target})"


def _box(found: re.Match[str]) -> str:
    return f"{found['indent']}- [{' ' if found['box'] == '☐' else 'x'}] "


def _unescaped(text: str) -> str:
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    return text
