"""Phrases of several words and their inflections, found as whole words outside quotations and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, Literal, TypeVar

from pactkeeper.intent.reading.tokens import Token, tokens
from pactkeeper.intent.reading.verbs import gerund_of, participle_of, third_of
from pactkeeper.intent.wording.tables import table

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Hit(Generic[Kind]):
    """A phrase at `[start, end)` of some words."""

    start: int
    end: int
    kind: Kind
    phrase: str


@dataclass(frozen=True, slots=True)
class Phrases(Generic[Kind]):
    """Phrases by their first word, the longest first; a word of a phrase is the set of its forms.

    Where `names` is False, a capitalised word inside a sentence is a name and matches nothing.
    """

    by_first: Mapping[str, tuple[tuple[tuple[frozenset[str], ...], Kind, str], ...]] = field(default_factory=dict)
    names: bool = False

    def hits(self, words: Sequence[Token]) -> Iterator[Hit[Kind]]:
        """Every phrase among the words, from left to right; the longest where several begin at one word."""
        at = 0
        while at < len(words):
            found = self._at(words, at)
            if found is None:
                at += 1
            else:
                yield found
                at = found.end

    def _at(self, words: Sequence[Token], at: int) -> Hit[Kind] | None:
        known = self.by_first.get(words[at].lower)
        if known is None or not (self.names or _is_prose(words, at)):
            return None
        for wanted, kind, phrase in known:
            end = at + len(wanted)
            if end <= len(words) and all(
                words[position].lower in forms and words[position].kind in {"word", "mark", "name"}
                for position, forms in enumerate(wanted, at)
            ):
                return Hit(at, end, kind, phrase)
        return None


def _is_prose(words: Sequence[Token], at: int) -> bool:
    """Whether a word is meant as a word: `Quick Start` and `Simple Interest` inside a sentence are names."""
    token = words[at]
    if token.kind not in {"word", "name"}:
        return token.kind == "mark"
    if not token.text[:1].isupper() or token.text.isupper() or token.lower.endswith("ly"):
        return True
    following = words[at + 1] if at + 1 < len(words) else None
    beside_name = following is not None and following.text[:1].isupper() and following.kind == "word"
    return at == 0 and not beside_name


def phrases(rows: Iterable[tuple[Kind, str]], *, names: bool = False) -> Phrases[Kind]:
    """Build the look-up from rows of a kind and its phrases, parted by `|`.

    A word may say how it inflects: `handle/v`, `fast/a`, `experience/n`. A hyphen also matches a space.
    """
    found: dict[str, list[tuple[tuple[frozenset[str], ...], Kind, str]]] = {}
    for kind, text in rows:
        for phrase in text.split("|"):
            plain = " ".join(word.partition("/")[0] or word for word in phrase.split())
            for variant in _variants(phrase.split()):
                forms = tuple(inflected(word) for word in variant)
                for first in forms[0] if forms else ():
                    found.setdefault(first, []).append((forms, kind, plain))
    ordered = {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in found.items()}
    return Phrases(ordered, names)


def _variants(words: Sequence[str]) -> Iterator[list[str]]:
    """The words as they are, and with hyphens read as spaces."""
    yield list(words)
    if any("-" in word for word in words):
        yield [part for word in words for part in word.split("-")]


def inflected(word: str) -> frozenset[str]:
    """All forms of a word marked `/v`, `/a` or `/n`; the word itself where it is not marked."""
    base, _, mark = word.lower().partition("/") if len(word) > 1 else (word, "", "")
    match mark:
        case "v":
            return frozenset({base, third_of(base), participle_of(base), gerund_of(base)})
        case "a":
            return frozenset({base, *_compared(base), adverb_of(base)})
        case "n":
            return frozenset({base, third_of(base)})
    return frozenset({base})


_LONG = 7


def _compared(base: str) -> tuple[str, str]:
    """Comparative and superlative of a short adjective; longer ones take `more` and `most`."""
    if len(base) > _LONG:
        return base, base
    stem = base[:-1] + "i" if base.endswith("y") else base.removesuffix("e")
    closed = len(base) <= _SHORT and base[-1] in "bdgmnpt" and base[-2] in "aeiou" and base[-3] not in "aeiou"
    stem = base + base[-1] if closed else stem
    return f"{stem}er", f"{stem}est"


_SHORT = 4


def adverb_of(base: str) -> str:
    """`easy` to `easily`, `simple` to `simply`, `realistic` to `realistically`."""
    if base.endswith("y"):
        return f"{base[:-1]}ily"
    if base.endswith("le"):
        return f"{base[:-1]}y"
    if base.endswith("ic"):
        return f"{base}ally"
    return f"{base}ly"


BuildingKind = Literal["technology", "part", "concept", "widget"]

# As in `vague.py`: phrases parted by `|`, forms asked for by `/v` and `/n`.
ROWS: tuple[tuple[BuildingKind, str], ...] = (
    (
        "technology",
        """
        active record | activemq | airflow | angular | ansible | apache kafka | apache spark | apollo | aes |
        aes-128 | aes-256 | argon2 | aurora | avro | aws lambda | backbone | bcrypt | bigquery | bootstrap | bull |
        cassandra | celery | clickhouse | cloudflare | cloudfront | cockroachdb | couchdb | d3 | d3.js | databricks
        | dbt | debezium | django | docker | dynamodb | ecto | elasticsearch | electron | ember | etcd | express.js
        | fastapi | firebase | firestore | flask | flink | flutter | gradle | grafana | graphql | grpc | hadoop |
        haproxy | helm | hibernate | influxdb | jenkins | jetty | jpa | jquery | kafka | keycloak | kinesis |
        kubernetes | langgraph | laravel | mariadb | material-ui | memcached | mercurial | minio | mongodb | mongo |
        mosquitto | mqtt | mssql | mysql | nats | neo4j | nestjs | next.js | nextjs | nginx | node.js | nodejs |
        numpy | nuxt | oracle | pandas | pbkdf2 | phoenix | postgres | postgresql | prisma | prometheus | protobuf |
        pulsar | puppet | pydantic | pytorch | rabbitmq | rails | react | react native | redis | redshift | redux |
        ruby on rails | rxjs | s3 | scrypt | selenium | sequelize | sha-1 | sha-256 | sidekiq | snowflake | solr |
        spring | spring boot | sqlalchemy | sqlite | sql server | supabase | svelte | swiftui | tailwind |
        tensorflow | terraform | thymeleaf | tomcat | typeorm | unity | unreal | varnish | vue | vue.js | vuex |
        webassembly | webpack | websocket/n | xamarin | zeromq | zookeeper | golang | express | flask | c++
        """,
    ),
    (
        "part",
        """
        adapter pattern | binary search | bloom filter/n | bubble sort | builder pattern | busy loop | circuit
        breaker/n | code path/n | connection pool/n | cron job/n | cronjob/n | daemon thread/n | dao/n | data access
        layer | data structure/n | database column/n | database index | database schema | database table/n |
        database trigger/n | database view/n | dead-letter queue/n | dependency injection | design pattern/n |
        docker container/n | domain-driven design | event bus | event sourcing | exponential backoff | factory
        method/n | factory pattern | feature flag framework | foreign key/n | global variable/n | hash map/n | hash
        table/n | hashmap/n | hash function/n | helper class/n | helper function/n | in-memory cache | index
        structure | inner join | inheritance hierarchy | instance variable/n | internal method/n | join table/n |
        left join | linked list/n | materialised view/n | materialized view/n | member variable/n | message broker/n
        | message bus | message queue/n | microservice/n | microservices architecture | model-view-controller |
        mutex | mutexes | mvc | object-relational mapper | observer pattern | private field/n | private method/n |
        polling loop | priority queue/n | private function/n | quicksort | read replica/n | recursive descent |
        red-black tree | relational repository pattern | rest controller/n | semaphore/n | server-side rendering |
        service layer | sharding | shared memory | singleton/n | spinlock/n | stored procedure/n | strategy pattern
        | task queue/n | temporary table/n | thread pool/n | time-series database/n | tree structure | trie | unit
        of work | utility class/n | vector database/n | view model/n | web worker/n | worker pool/n | worker
        thread/n | background thread/n | data warehouse star schema | database/n | third-party library | third-party
        libraries | open-source library | graphql endpoint/n | rest endpoint/n
        """,
    ),
    (
        "concept",
        """
        middleware | decorator/n | subclass | subclasses | superclass | base class/n | primary key/n | database/n |
        reducer/n | event loop | service worker/n | load balancer/n | reverse proxy | sql | sql query | sql queries
        | sql statement/n | transaction log/n | state machine/n | if statement/n | switch statement/n | algorithm/n
        | abstract class/n | static method/n | lambda function/n | session bean/n | monolith | backend service/n |
        rest api | orm
        """,
    ),
    (
        "widget",
        """
        accordion | carousel | combo box | combobox | drop-down | drop-down list | drop-down menu | dropdown/n |
        hamburger menu | modal | modal dialog/n | modal window/n | pop-up/n | popup/n | radio button/n | sidebar/n |
        slider/n | spinner/n | toggle switch | tree view | wizard/n | lightbox
        """,
    ),
)
# A technology whose name is an everyday word: only its capital inside a sentence tells.
_EVERYDAY = table("""
    angular apollo aurora bootstrap bull celery electron ember express flask oracle phoenix pulsar
    react snowflake spark spring unity flux helm nats puppet prometheus varnish rails vue svelte
""")
_MEANS = table("with via using through by in on over behind from as against into onto uses use used calls call")
_BETWEEN = table("a an the its their our some new own")


@lru_cache(maxsize=1)
def _lexicon() -> Phrases[BuildingKind]:
    return phrases(ROWS, names=True)


def directives_in(text: str) -> Iterator[tuple[BuildingKind, str, str, bool]]:
    """Each technology and part of a program in a text: its kind, its entry, the words, and whether it is a means."""
    found = tokens(text)
    for hit in _lexicon().hits(found):
        first = found[hit.start]
        if hit.phrase in _EVERYDAY and (hit.start == 0 or not first.text[:1].isupper()):
            continue
        at = hit.start - 1
        while at > 0 and found[at].lower in _BETWEEN:
            at -= 1
        yield hit.kind, hit.phrase, text[first.start : found[hit.end - 1].end], at > 0 and found[at].lower in _MEANS
