"""The noun phrase as a value, and the tables of names that say little or are spoken differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pactkeeper.intent.claims import Expression
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase: `core` without its article.

    `plural` decides agreement; `simple` means a compound can be made of it ("response" + "status code"); `sure` is
    False where something in it could not be put into words; `value` marks a value written in the source and `verbatim`
    a name from the code, which keeps its letters.
    """

    core: str
    article: str = "the"
    plural: bool = False
    simple: bool = False
    sure: bool = True
    value: bool = False
    verbatim: bool = False

    @property
    def text(self) -> str:
        """The phrase with its article."""
        return f"{self.article} {self.core}" if self.article else self.core

    @property
    def possessive(self) -> str:
        """The phrase as an owner: `the user's`, `the users'`, `the class's`."""
        return f"{self.text}'" if self.plural or self.core.endswith(_S_WORDS) else f"{self.text}'s"


_S_WORDS = ("utils", "settings", "options", "args", "kwargs", "params", "props", "stats")


@dataclass(frozen=True, slots=True)
class Setting:
    """What names mean while one claim is put into words.

    `held` are the values of local names at the claim; `detailed` asks for phrases that tell two requests apart, `told`
    are the names that are told apart by what they hold; `parameters` are names a table fills; `depth` counts how far
    names were followed.
    """

    held: Mapping[str, Expression] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    parameters: frozenset[str] = frozenset()
    detailed: bool = False
    depth: int = 0
    told: frozenset[str] = frozenset()

    def deeper(self) -> Setting:
        """The setting inside an expression; spelled out because `replace` would cost more than the wording."""
        return Setting(self.held, self.vocabulary, self.parameters, self.detailed, self.depth + 1, self.told)


def unsure(text: str = "") -> Noun:
    """What cannot be put into words."""
    return Noun(text or "value", sure=False)


WEAK = table("""
    a actual actual_result ans answer b c d data1 e f foo g got h i j k l m n o obj out p q r r1 r2 r3 ret ret1
    return_value returned res res1 res2 result results resultado rv s t tmp u v val value values w x x1 x2 y y1 y2 z
""")
"""Names that say less than what they hold."""

SPOKEN_NAMES: Mapping[str, str] = {
    "actual": "result",
    "e": "exception",
    "err": "error",
    "ex": "exception",
    "exc": "exception",
    "excinfo": "exception",
    "exc_info": "exception",
    "expected": "expected value",
    "got": "result",
    "out": "output",
    "ret": "result",
    "retval": "result",
    "return_value": "return value",
    "rv": "result",
    "res": "result",
    "want": "expected value",
    "cid": "mapping",
    "lx": "link extractor",
}
HTTP_METHODS = table("get post put patch delete head options open request fetch send")
HTTP_FUNCTIONS = table("get post put patch delete head options request")
CLIENTS = table("""
    client c requests session s http test_client api api_client app httpx test_app web browser_client
""")
RESPONSE_NAMES = table("r rv resp response res rsp reply")

RESPONSE_MEMBERS = table("""
    status_code status headers cookies history json is_redirect text content ok url mimetype data body reason encoding
    request elapsed links raw iter_content iter_lines get_data get_json get_all location next
""")

MEMBERS: Mapping[str, str] = {
    "args": "argument",
    "attrib": "attribute",
    "attributes": "attribute",
    "attrs": "attribute",
    "buttons": "button",
    "checkboxes": "checkbox",
    "columns": "column",
    "config": "configuration value",
    "configuration": "configuration value",
    "cookies": "cookie",
    "data": "field",
    "dialogs": "dialog",
    "elements": "element",
    "env": "environment variable",
    "environ": "environment variable",
    "extensions": "extension",
    "fields": "field",
    "files": "file",
    "filters": "filter",
    "flags": "flag",
    "form": "form field",
    "globals": "global",
    "headers": "header",
    "headings": "heading",
    "hooks": "hook",
    "images": "image",
    "json": "JSON field",
    "kwargs": "keyword argument",
    "links": "link",
    "menu items": "menu item",
    "meta": "meta value",
    "options": "option",
    "params": "parameter",
    "properties": "property",
    "query": "query parameter",
    "radio buttons": "radio button",
    "session": "session value",
    "settings": "setting",
    "stats": "statistic",
    "tabs": "tab",
    "tests": "test",
    "texts": "text",
    "vars": "variable",
}
"""What one member of a container is called, by the container's last name."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
