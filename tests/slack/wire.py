"""Calls of Slack's Web API as they come in and as they are answered, or not."""

import json
import re
from urllib.parse import parse_qs, urlsplit

from tests.slack.limits import wrong_with


class Refused(Exception):
    """What Slack says in `error`, with more of the answer."""

    def __init__(self, error, **more):
        super().__init__(error)
        self.answer = {"ok": False, "error": error, **more}


def read(door):
    """The path, arguments and token of a call, from a form or from JSON."""
    parts = urlsplit(door.path)
    body = door.rfile.read(int(door.headers.get("Content-Length") or 0)).decode()
    arguments = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if "json" in door.headers.get("Content-Type", "") and body.startswith("{"):
        arguments |= json.loads(body)
    else:
        arguments |= {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
    token = arguments.pop("token", "") or door.headers.get("Authorization", "").removeprefix("Bearer ")
    return parts.path, arguments, token


def content(arguments):
    """The words of a message; raises what Slack says of blocks that it will not take."""
    blocks = arguments.get("blocks") or []
    blocks = json.loads(blocks) if isinstance(blocks, str) else blocks
    if not arguments.get("text") and not blocks:
        raise Refused("no_text")
    if problems := wrong_with(blocks):
        raise Refused("invalid_blocks", errors=problems, response_metadata={"messages": problems})
    named = [{"block_id": f"b{number}", **one} for number, one in enumerate(blocks)]
    return {"text": arguments.get("text", ""), "blocks": named}


def metadata(given):
    found = json.loads(given) if isinstance(given, str) else given
    if not isinstance(found.get("event_type"), str) or not isinstance(found.get("event_payload"), dict):
        raise Refused("invalid_metadata_format")
    if not re.fullmatch(r"\w{1,255}", found["event_type"]):
        raise Refused("invalid_metadata_schema")
    return found


def needed(arguments, name):
    if not arguments.get(name):
        raise Refused("invalid_arguments", response_metadata={"messages": [f"[ERROR] missing required field: {name}"]})
    return arguments[name]


def is_true(given):
    return str(given).lower() in {"1", "true"}


def without(found, name):
    return {key: value for key, value in found.items() if key != name}


def broken(door, fault):
    if fault.kind in {"cut", "cut after"}:
        door.close_connection = True
        return None
    if fault.kind == "limited":
        return answer(door, {"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": fault.after})
    if fault.kind == "status":
        return answer(door, None, status=fault.status)
    if fault.kind == "foreign":
        return answer(door, json.loads(fault.body), status=fault.status)
    return answer(door, None if fault.kind == "junk" else {"ok": False, "error": fault.error}, junk=True)


def answer(door, data, *, status=200, headers=None, junk=False):
    payload = (b"<html>" if junk or status != 200 else b"") if data is None else json.dumps(data).encode()
    door.send_response(status)
    for name, value in (headers or {}).items():
        door.send_header(name, str(value))
    door.send_header("Content-Type", "application/json; charset=utf-8")
    door.send_header("Content-Length", str(len(payload)))
    door.end_headers()
    try:
        door.wfile.write(payload)
    except OSError:
        door.close_connection = True  # whoever asked did not wait for a slow answer
