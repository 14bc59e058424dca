"""A folder as a stage: people write lines into files, `pk thread files` reads them, and Markdown stands beside them."""

import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.conformance.threads.home import AT, Home
from tests.conformance.threads.stage import Shown, Turn

_MARK = re.compile(r"<!-- pactkeeper:said (\S+) -->\n")


@dataclass
class FolderStage:
    home: Home
    name: str = "files"
    places: dict[str, Path] = field(default_factory=dict)
    count: int = 0

    def open(self, turn):
        place = self.mail / f"thread-{len(self.places) + 1}"
        place.mkdir(parents=True)
        self._write(place, turn)
        self._read()
        name = next(one["id"] for one in self.home.threads() if one["place"] == str(place))
        self.places[name] = place
        return name

    @property
    def mail(self):
        return self.home.root.resolve() / "mail"

    def send(self, thread, turn):
        self._write(self.places[thread], turn)
        self._read()

    def send_at_once(self, thread, turns):
        for turn in turns:
            self._write(self.places[thread], turn)
        assert set(self.home.pk_at_once(*[("thread", "files", str(self.mail))] * len(turns))) == {0}

    def send_again(self, thread):
        place = self.places[thread] / "messages.jsonl"
        with place.open("a") as stream:
            stream.write(place.read_text().splitlines()[-1] + "\n")
        self._read()

    def send_late(self, thread, turn):
        self._write(self.places[thread], turn, sequence=1)
        self._read()

    def tick(self):
        self.home.pk("thread", "tick")

    def restart(self):
        shutil.rmtree(self.home.kept / "threads", ignore_errors=True)  # there are none yet where nothing ran

    def shown(self, thread):
        place = self.places[thread].with_suffix(".md")
        parts = _MARK.split(place.read_text(encoding="utf-8")) if place.exists() else [""]
        drafts = {one["key"]: one["draft"] for one in self.home.thread(thread)["posts"] if one["approvable"]}
        return [_shown(key, text, drafts) for key, text in zip(parts[1::2], parts[2::2], strict=True)]

    def found(self, permalink):
        return Path(unquote(urlsplit(permalink).path)).read_text(encoding="utf-8")

    def close(self):
        pass

    def _read(self):
        self.home.pk("thread", "files", str(self.mail))

    def _write(self, place, turn: Turn, **more):
        self.count += 1
        line = {"id": f"m{self.count}", "author": turn.by, "at": AT, "kind": turn.kind, "text": turn.text, **more}
        if turn.ask:
            line["ask"] = turn.ask
        if turn.shown is not None:
            line |= {"shown": turn.shown.hash, "version": turn.shown.version}
        with (place / "messages.jsonl").open("a") as stream:
            stream.write(json.dumps(line) + "\n")


def _shown(key, text, drafts) -> Shown:
    draft = drafts.get(key)
    return Shown(key, text) if draft is None else Shown(key, text, draft["version"], draft["hash"])
