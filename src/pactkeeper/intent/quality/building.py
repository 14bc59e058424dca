"""Words about how something is built, not what it does: names of technologies, parts of programs, building itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.quality.phrases import Phrases, phrases
from pactkeeper.intent.reading.tokens import tokens
from pactkeeper.intent.wording.tables import table

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
