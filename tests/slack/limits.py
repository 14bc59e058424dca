"""What Slack takes as blocks: their forms and sizes, as its documentation gives them and as it is known to refuse."""

import re

MOST_BLOCKS = 50
# All texts of a message together; Slack refuses somewhere above this and says nowhere where.
MOST_TEXT = 12_000
_TEXTS = {"section": 3_000, "header": 150, "button": 75, "context": 3_000, "title": 24, "label": 2_000}


def valid_blocks(blocks):
    """Whether Slack takes these blocks in a message; fails with what is wrong."""
    assert not (problems := wrong_with(blocks)), "\n".join(problems)
    return True


def wrong_with(blocks, *, most=MOST_BLOCKS):
    """Everything that is wrong with blocks, as Slack would word it."""
    found = [] if len(blocks) <= most else [f"no more than {most} items allowed [json-pointer:/blocks]"]
    for number, block in enumerate(blocks):
        found += [f"{said} [json-pointer:/blocks/{number}]" for said in _block(block)]
    if sum(map(_length, blocks)) > MOST_TEXT:
        found.append("msg_blocks_too_long")
    ids = [one["block_id"] for one in blocks if "block_id" in one]
    actions = [one["action_id"] for block in blocks for one in elements_of(block) if "action_id" in one]
    return found + [f"{name!r} is there twice" for names in (ids, actions) for name in _twice(names)]


def elements_of(block):
    """The elements of a block that a person can act on."""
    found = [*block.get("elements", ())] if block.get("type") == "actions" else []
    return [*found, *(block[name] for name in ("accessory", "element") if name in block)]


def texts_of(blocks):
    """Every text object and every piece of rich text of blocks."""
    stack = list(blocks)
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if isinstance(one.get("text"), str):
                yield one
            stack += one.values()
        elif isinstance(one, list | tuple):
            stack += one


def _block(block):
    kind = block.get("type")
    check = _CHECKS.get(kind)
    if check is None:
        yield f"unsupported type: {kind}"
        return
    if len(block.get("block_id", "")) > 255:
        yield "block_id must be less than 256 characters"
    yield from check(block)


def _section(block):
    if "text" not in block and not block.get("fields"):
        yield "missing required field: text"
    if "text" in block:
        yield from _text(block["text"], "section")
    fields = block.get("fields", ())
    if len(fields) > 10:
        yield "no more than 10 items allowed: fields"
    yield from _unknown(block, {"text", "fields", "accessory", "expand"})
    if "accessory" in block:
        yield from _element(block["accessory"])


def _header(block):
    yield from _text(block.get("text", {}), "header", kinds=("plain_text",))
    yield from _unknown(block, {"text"})


def _context(block):
    if not 1 <= len(block.get("elements", ())) <= 10:
        yield "from 1 to 10 items allowed: elements"
    for one in block.get("elements", ()):
        yield from _text(one, "context")
    yield from _unknown(block, {"elements"})


def _actions(block):
    if not 1 <= len(block.get("elements", ())) <= 25:
        yield "from 1 to 25 items allowed: elements"
    for one in block.get("elements", ()):
        yield from _element(one)
    yield from _unknown(block, {"elements"})


def _input(block):
    yield from _text(block.get("label", {}), "label", kinds=("plain_text",))
    if block.get("element", {}).get("type") != "plain_text_input":
        yield "unsupported element"
    yield from _unknown(block, {"label", "element", "optional", "hint", "dispatch_action"})


def _rich_text(block):
    if not block.get("elements"):
        yield "no items: elements"
    for one in block.get("elements", ()):
        yield from _rich_part(one)
    yield from _unknown(block, {"elements"})


def _rich_part(part):
    kind = part.get("type")
    if kind == "rich_text_list":
        if part.get("style") not in {"bullet", "ordered"}:
            yield "style must be bullet or ordered"
        for one in part.get("elements", ()):
            yield from _rich_part(one) if one.get("type") == "rich_text_section" else ["a list has sections"]
    elif kind in {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}:
        for one in part.get("elements", ()):
            yield from _rich_piece(one)
    else:
        yield f"unsupported type: {kind}"
    if not part.get("elements"):
        yield "no items: elements"


def _rich_piece(piece):
    if piece.get("type") not in {"text", "link", "user"}:
        yield f"unsupported type: {piece.get('type')}"  # others exist; none of them may ever come from us
    if piece.get("type") == "text" and not piece.get("text"):
        yield "must be more than 0 characters"
    if piece.get("type") == "link" and not piece.get("url", "").startswith(("https://", "http://")):
        yield "invalid url"
    if piece.get("type") == "user" and not re.fullmatch(r"[UW][A-Z0-9]+", piece.get("user_id", "")):
        yield "invalid user"
    if piece.get("style", {}).keys() - {"bold", "italic", "strike", "code"}:
        yield "unknown style"


def _select(element):
    options = element.get("options", ())
    if not 1 <= len(options) <= 100:
        yield "from 1 to 100 options allowed"
    for one in (element.get("placeholder", {}), *(option.get("text", {}) for option in options)):
        if one.get("type") != "plain_text" or not 1 <= len(one.get("text", "")) <= (
            150 if one is element.get("placeholder") else 75
        ):
            yield "a menu has plain_text of 1 to 75 characters, its placeholder of 1 to 150"
    if any(not 1 <= len(option.get("value", "")) <= 150 for option in options):
        yield "the value of an option must be 1 to 150 characters"
    if not 1 <= len(element.get("action_id", "x")) <= 255:
        yield "action_id must be 1 to 255 characters"
    yield from _unknown(element, {"action_id", "placeholder", "options", "initial_option", "confirm"})


def _element(element):
    if element.get("type") == "static_select":
        yield from _select(element)
        return
    if element.get("type") != "button":
        yield f"unsupported type: {element.get('type')}"
        return
    yield from _text(element.get("text", {}), "button", kinds=("plain_text",))
    if not 1 <= len(element.get("action_id", "x")) <= 255:
        yield "action_id must be 1 to 255 characters"
    if len(element.get("value", "")) > 2_000 or element.get("value") == "":
        yield "value must be 1 to 2000 characters"
    if element.get("style", "primary") not in {"primary", "danger"}:
        yield "style must be primary or danger"
    if len(element.get("url", "")) > 3_000:
        yield "url must be less than 3001 characters"
    if "confirm" in element:
        yield from _confirm(element["confirm"])
    known = {"type", "text", "action_id", "value", "style", "url", "confirm", "accessibility_label"}
    yield from _unknown(element, known - {"type"})


def _confirm(confirm):
    for name, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
        said = confirm.get(name, {})
        if said.get("type") != "plain_text" or not 1 <= len(said.get("text", "")) <= most:
            yield f"confirm.{name} must be plain_text of 1 to {most} characters"


def _text(text, place, *, kinds=("plain_text", "mrkdwn")):
    if text.get("type") not in kinds:
        yield f"unsupported type: {text.get('type')}"
    if not 1 <= len(text.get("text", "")) <= _TEXTS[place]:
        yield f"must be 1 to {_TEXTS[place]} characters"
    allowed = {"text", "emoji"} if text.get("type") == "plain_text" else {"text", "verbatim"}
    yield from _unknown(text, allowed)


def _unknown(found, known):
    for name in sorted(found.keys() - known - {"type", "block_id"}):
        yield f"additional property {name!r} is not allowed"


def _length(block):
    return sum(len(one["text"]) + len(one.get("url", "")) for one in texts_of([block]))


def _twice(names):
    return sorted({one for one in names if names.count(one) > 1})


_CHECKS = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "input": _input,
    "rich_text": _rich_text,
    "divider": lambda block: _unknown(block, set()),
}
