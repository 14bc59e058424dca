"""The other end of Socket Mode on loopback: it says hello, sends envelopes, takes acknowledgements and breaks off."""

import itertools
import json
import threading
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from tests.slack.fake import APP
from tests.waiting import PATIENCE


class Sockets:
    """A server of web sockets in a thread; every address that it gives opens one connection."""

    def __init__(self, fake):
        self.open, self.acknowledged, self.hellos = [], {}, 0
        self.tickets, self.numbers = set(), itertools.count(1)
        self.changed = threading.Condition()
        self.server = serve(self._meet, "127.0.0.1", 0, ping_interval=None)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        fake.sockets = self

    def address(self):
        """What `apps.connections.open` answers with."""
        ticket = f"ticket-{next(self.numbers)}"
        self.tickets.add(ticket)
        return f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}/link/?ticket={ticket}&app_id={APP}"

    def close(self):
        self.server.shutdown()
        with self.changed:
            left = tuple(self.open)
        for one in left:
            one.close()
        self.thread.join()

    def wait_open(self, count=1):
        """Wait until that many connections said hello in all."""
        self._until(lambda: self.hellos >= count and self.open, f"no connection number {count}")

    def send(self, payload, *, retry=0, envelope=None):
        """Send an envelope over the newest connection and give its name; it is acknowledged later, if ever."""
        name = envelope or f"envelope-{next(self.numbers)}"
        is_event = payload["type"] == "event_callback"
        found = {"envelope_id": name, "payload": payload, "type": "events_api" if is_event else "interactive"}
        if is_event:
            found |= {"retry_attempt": retry, "retry_reason": "timeout" if retry else ""}
        self._newest().send(json.dumps({**found, "accepts_response_payload": not is_event}))
        return name

    def deliver(self, payload, **options):
        """Send an envelope and wait until it is acknowledged; gives what came with that, None where nothing did."""
        name = self.send(payload, **options)
        self._until(lambda: name in self.acknowledged, f"{name} was not acknowledged")
        return self.acknowledged[name]

    def refresh(self, reason="refresh_requested"):
        """Tell the app that this connection ends soon, so that it opens another one."""
        self._newest().send(json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}))

    def drop(self):
        """Break the newest connection off without a word."""
        self._newest().close()

    def _newest(self):
        self._until(lambda: self.open, "no connection is open")
        return self.open[-1]

    def _until(self, done, missing):
        with self.changed:
            assert self.changed.wait_for(done, PATIENCE), missing

    def _meet(self, connection):
        ticket = parse_qs(urlsplit(connection.request.path).query).get("ticket", [""])[0]
        if ticket not in self.tickets:
            connection.close(1008, "no such ticket")
            return
        self.tickets.remove(ticket)
        about = {"num_connections": len(self.open) + 1, "connection_info": {"app_id": APP}}
        connection.send(json.dumps({"type": "hello", **about, "debug_info": {"host": "applink-1", "build_number": 1}}))
        with self.changed:
            self.open.append(connection)
            self.hellos += 1
            self.changed.notify_all()
        try:
            for message in connection:
                self._take(json.loads(message))
        except ConnectionClosed:
            pass
        finally:
            with self.changed:
                self.open.remove(connection)
                self.changed.notify_all()

    def _take(self, message):
        with self.changed:
            self.acknowledged[message["envelope_id"]] = message.get("payload")
            self.changed.notify_all()
