"""A stand-in for Slack on loopback: the methods of its Web API that are used, with the errors that the real ones give."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.slack.limits import wrong_with
from tests.slack.wire import Refused, answer, broken, content, is_true, metadata, needed, read, without

BOT_TOKEN, APP_TOKEN = "xoxb-of-a-test", "xapp-of-a-test"
SECRET = "signing-secret-of-a-test"
TEAM, BOT_USER, BOT, APP = "T0ACME", "U0BOT", "B0BOT", "A0PACT"
# What a method needs; "connections:write" is of the app's token, and all others of the bot's.
SCOPES = {
    "chat.postMessage": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.update": "chat:write",
    "conversations.replies": "channels:history",
    "conversations.info": "channels:read",
    "users.info": "users:read",
}
ALL_SCOPES = ("app_mentions:read", *dict.fromkeys(SCOPES.values()))
_LONGEST_PAGE = 1_000


@dataclass
class Fault:
    """What happens to the next calls of a method: "error", "status", "limited", "slow", "cut", "cut after", "junk".

    "foreign" answers with the JSON `body` under `status`.
    "cut" closes the connection before the work is done, "cut after" once it is; both give no answer.
    """

    method: str
    kind: str
    error: str = "fatal_error"
    status: int = 500
    after: int = 1
    seconds: float = 0.5
    times: int = 1
    body: str = "[]"


@dataclass
class Call:
    """One call as it came in, without its token."""

    method: str
    arguments: dict
    token: str = field(repr=False, default="")


class FakeSlack:
    """One workspace with channels, people and our bot; `url` is where its Web API is.

    Time stands still between messages: each gets the next `ts`, a second after the last one.
    """

    def __init__(self, start=1_700_000_000):
        self.start, self.count = start, 0
        self.calls, self.faults = [], []
        self.users = {}
        self.channels = {}
        self.ephemerals, self.views, self.responses = [], {}, []
        self.triggers = {}
        self.scopes = list(ALL_SCOPES)
        self.page = _LONGEST_PAGE
        self.sockets = None
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.person("U0ADA", "Ada")
        self.person("U0BOB", "Bob")
        self.person(BOT_USER, "Pactkeeper", is_bot=True)
        self.channel("C0SHOP", "shop")
        self._open()

    def _open(self):
        fake = self

        class Door(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_POST(self):
                fake.serve(self)

            do_GET = do_POST  # noqa: N815 - the name that http.server calls

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def url(self):
        """The `base_url` of a WebClient."""
        return f"{self.base}/api/"

    def close(self):
        self.closing.set()
        if self.sockets is not None:
            self.sockets.close()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    # what there is in the workspace

    def person(self, user, name, *, is_bot=False):
        self.users[user] = {
            "id": user,
            "team_id": TEAM,
            "name": name.lower(),
            "deleted": False,
            "real_name": name,
            "profile": {"real_name": name, "display_name": name.lower()},
            "is_bot": is_bot,
        }

    def channel(self, channel, name, *, is_im=False):
        self.channels[channel] = {"id": channel, "name": name, "is_im": is_im, "is_member": True, "messages": []}

    def say(self, text, *, by="U0ADA", channel="C0SHOP", thread=None, **more):
        """Somebody writes something; gives the message, whose `ts` opens a thread where none is named."""
        with self.lock:
            message = {"type": "message", "user": by, "text": text, "ts": self.next_ts(), "team": TEAM, **more}
            return self._kept(channel, message, thread)

    def edit(self, ts, text, *, channel="C0SHOP"):
        """Somebody changes a message of theirs; gives it as it was and as it is."""
        with self.lock:
            message = self.message(channel, ts)
            before = dict(message)
            message.update(text=text, edited={"user": message["user"], "ts": self.next_ts()})
            return before, message

    def delete(self, ts, *, channel="C0SHOP"):
        """Somebody deletes a message; gives what it was."""
        with self.lock:
            message = self.message(channel, ts)
            self.channels[channel]["messages"].remove(message)
            return message

    def message(self, channel, ts):
        found = [one for one in self.room(channel)["messages"] if one["ts"] == ts]
        if not found:
            raise Refused("message_not_found")
        return found[0]

    def thread_of(self, ts, *, channel="C0SHOP"):
        """The messages of a thread, its first one first."""
        return [one for one in self.room(channel)["messages"] if ts in {one["ts"], one.get("thread_ts")}]

    def said(self, ts, *, channel="C0SHOP"):
        """What the bot said in a thread."""
        return [one for one in self.thread_of(ts, channel=channel) if one.get("bot_id") == BOT]

    def room(self, channel):
        if channel not in self.channels:
            raise Refused("channel_not_found")
        return self.channels[channel]

    def next_ts(self):
        with self.lock:
            self.count += 1
            return f"{self.start + self.count}.{self.count * 100 % 1_000_000:06d}"

    def trigger(self):
        """Something that a person did, by which one dialogue may be opened."""
        with self.lock:
            found = f"{len(self.triggers) + 1}.trigger"
            self.triggers[found] = "fresh"
            return found

    def _kept(self, channel, message, thread):
        messages = self.room(channel)["messages"]
        if thread is not None:
            parent = self.message(channel, thread)
            parent["thread_ts"] = message["thread_ts"] = parent.get("thread_ts", thread)
            parent["reply_count"] = parent.get("reply_count", 0) + 1
        messages.append(message)
        return message

    # what happens to calls

    def fault(self, method, kind, **options):
        self.faults.append(Fault(method, kind, **options))

    def called(self, method):
        """The arguments of every call of a method."""
        return [one.arguments for one in self.calls if one.method == method]

    def serve(self, door):
        path, arguments, token = read(door)
        if path.startswith("/response/"):
            self.responses.append((path.rpartition("/")[2], arguments))
            return answer(door, {"ok": True})
        method = path.removeprefix("/api/")
        with self.lock:
            self.calls.append(Call(method, arguments, token))
            fault = self._due(method)
        if fault is not None and fault.kind in {"error", "status", "limited", "slow", "cut"}:
            if fault.kind != "slow":
                return broken(door, fault)
            self.closing.wait(fault.seconds)
        with self.lock:
            data = self._done(method, arguments, token)
        if fault is not None and fault.kind in {"cut after", "junk", "foreign"}:
            return broken(door, fault)
        return answer(door, data, headers={"X-OAuth-Scopes": ",".join(self.scopes)})

    def _due(self, method):
        for fault in self.faults:
            if fault.times and fault.method in {method, "*"}:
                fault.times -= 1
                return fault
        return None

    def _done(self, method, arguments, token):
        try:
            work = self._permitted(method, token)
            return {"ok": True, **work(self, arguments)}
        except Refused as refused:
            return refused.answer

    def _permitted(self, method, token):
        """The work of a method; raises what Slack says to a token that may not have it done."""
        if not token:
            raise Refused("not_authed")
        if token != (APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN):
            raise Refused("not_allowed_token_type" if token in {APP_TOKEN, BOT_TOKEN} else "invalid_auth")
        if method not in METHODS:
            raise Refused("unknown_method", req_method=method)
        if method in SCOPES and SCOPES[method] not in self.scopes:
            raise Refused("missing_scope", needed=SCOPES[method], provided=",".join(self.scopes))
        return METHODS[method]

    # the methods

    def _auth_test(self, _arguments):
        user = self.users[BOT_USER]["name"]
        where = {"url": "https://acme.slack.example/", "team": "Acme", "team_id": TEAM}
        return {**where, "user": user, "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": False}

    def _post_message(self, arguments):
        channel, ts = needed(arguments, "channel"), self.next_ts()
        message = {"type": "message", "user": BOT_USER, "bot_id": BOT, "app_id": APP, "team": TEAM, "ts": ts}
        message.update(content(arguments))
        if "metadata" in arguments:
            message["metadata"] = metadata(arguments["metadata"])
        self._kept(channel, message, arguments.get("thread_ts"))
        return {"channel": channel, "ts": ts, "message": message}

    def _post_ephemeral(self, arguments):
        channel, user = needed(arguments, "channel"), needed(arguments, "user")
        self.room(channel)
        if user not in self.users:
            raise Refused("user_not_in_channel")
        ts = self.next_ts()
        found = {"channel": channel, "to": user, "ts": ts, "thread_ts": arguments.get("thread_ts")}
        self.ephemerals.append({**found, **content(arguments)})
        return {"message_ts": ts}

    def _update(self, arguments):
        channel, ts = needed(arguments, "channel"), needed(arguments, "ts")
        message = self.message(channel, ts)
        if message.get("bot_id") != BOT:
            raise Refused("cant_update_message")
        message.update(content(arguments), edited={"user": BOT_USER, "ts": self.next_ts()})
        if "metadata" in arguments:
            message["metadata"] = metadata(arguments["metadata"])
        return {"channel": channel, "ts": ts, "text": message["text"], "message": message}

    def _permalink(self, arguments):
        channel, ts = needed(arguments, "channel"), needed(arguments, "message_ts")
        message = self.message(channel, ts)
        thread = message.get("thread_ts", ts)
        where = f"https://acme.slack.example/archives/{channel}/p{ts.replace('.', '')}"
        return {"channel": channel, "permalink": where if thread == ts else f"{where}?thread_ts={thread}&cid={channel}"}

    def _replies(self, arguments):
        channel, ts = needed(arguments, "channel"), needed(arguments, "ts")
        found = self.thread_of(ts, channel=channel)
        if not found:
            raise Refused("thread_not_found")
        oldest, latest = arguments.get("oldest", "0"), arguments.get("latest", "9" * 10)
        ends = {oldest, latest} if is_true(arguments.get("inclusive")) else set()
        within = [one for one in found[1:] if one["ts"] in ends or float(oldest) < float(one["ts"]) < float(latest)]
        start, size = int(arguments.get("cursor") or 0), min(int(arguments.get("limit") or 100), self.page)
        told = [*([found[0]] if start == 0 else []), *within[start : start + size]]
        more = start + size < len(within)
        shown = [one if is_true(arguments.get("include_all_metadata")) else without(one, "metadata") for one in told]
        page = {"messages": shown, "has_more": more}
        return {**page, "response_metadata": {"next_cursor": str(start + size)}} if more else page

    def _info(self, arguments):
        return {"channel": without(self.room(needed(arguments, "channel")), "messages")}

    def _user(self, arguments):
        user = needed(arguments, "user")
        if user not in self.users:
            raise Refused("user_not_found")
        return {"user": self.users[user]}

    def _open_view(self, arguments):
        trigger, view = needed(arguments, "trigger_id"), needed(arguments, "view")
        state = self.triggers.get(trigger)
        if state != "fresh":
            raise Refused("invalid_trigger_id" if state is None else f"{state}_trigger_id")
        self.triggers[trigger] = "exchanged"
        view = json.loads(view) if isinstance(view, str) else view
        if problems := wrong_with(view.get("blocks", ()), most=100):
            raise Refused("invalid_arguments", response_metadata={"messages": problems})
        name = f"V{len(self.views) + 1}"
        self.views[name] = {"private_metadata": "", "callback_id": "", **view, "id": name, "team_id": TEAM}
        return {"view": self.views[name]}

    def _open_connection(self, _arguments):
        if self.sockets is None:
            raise Refused("socket_mode_is_off")
        return {"url": self.sockets.address()}


METHODS = {
    "auth.test": FakeSlack._auth_test,
    "chat.postMessage": FakeSlack._post_message,
    "chat.postEphemeral": FakeSlack._post_ephemeral,
    "chat.update": FakeSlack._update,
    "chat.getPermalink": FakeSlack._permalink,
    "conversations.replies": FakeSlack._replies,
    "conversations.info": FakeSlack._info,
    "users.info": FakeSlack._user,
    "views.open": FakeSlack._open_view,
    "apps.connections.open": FakeSlack._open_connection,
}
