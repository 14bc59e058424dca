"""A thread in which people talk, read message by message as a run reads it."""

from pactkeeper.intent.ticket import Draft, ThreadMessage, sides_of, values_of
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.tickets.reading import MessageReading, extract

AT = "2026-03-01T12:00:00+00:00"


class Talk:
    """Who says what; `draft` is what came of it, `last` what was read of the last message."""

    def __init__(self, *said, asks=()):
        self.draft = Draft("T1")
        self.asks = asks
        self.count = 0
        self.last = MessageReading()
        for text in said:
            self.say(text)

    def say(self, text, by="Ada", *, bot=False, addressed=False):
        self.count += 1
        name = f"m{self.count}"
        link = f"https://chat.example/{name}"
        message = ThreadMessage(name, "T1", by, AT, text, link, self.count, bot, addressed)
        self.last = extract(message, self.draft, self.asks)
        for patch in self.last.patches:
            assert patch.said.quote in text
            assert patch.said.message == name
        self.draft = apply(self.draft, self.last.patches)
        return self

    def values(self, field):
        return [said.value for said in values_of(self.draft, field)]

    @property
    def bounds(self):
        return [(one.key, [side.value for side in sides_of(one.value)]) for one in self.draft.constraints]
