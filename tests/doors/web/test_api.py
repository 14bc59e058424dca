"""What a program gets over REST: the whole job, pages, versions, consent, keys and problems."""

import json

import pytest

from pactkeeper.doors.web.describing import routes
from pactkeeper.verbs.table import VERBS
from tests.doors.web.conftest import BASE


def started(api):
    api.project.pk("init")
    return api.send("POST", f"{BASE}/start", everything=True)["run"]


def version(api, run):
    return {"If-Match": api.client.get(f"{BASE}/runs/{run}/patch").headers["etag"]}


def test_the_whole_job_goes_over_rest(api):
    run = started(api)
    assert [one["run"]["id"] for one in api.get(f"{BASE}/runs")["runs"]] == [run]
    pending = api.get(f"{BASE}/runs/{run}/recommendations", status="pending")["recommendations"]
    assert pending
    first = pending[0]["id"]
    api.send("POST", f"{BASE}/runs/{run}/recommendations/{first}/accept", headers=version(api, run))
    api.send(
        "POST",
        f"{BASE}/runs/{run}/recommendations/batch",
        headers=version(api, run),
        verdict="reject",
        everything=True,
        reason="Not now.",
    )
    applied = api.send("POST", f"{BASE}/runs/{run}/apply")
    assert applied["status"] == "applied"
    (atom,) = api.get("/atoms")["atoms"]
    (traced,) = api.get(f"{BASE}/atoms/{atom['id']}/trace")["traces"]
    assert (traced["run"], traced["recommendation"]) == (run, first)
    assert [one["name"] for one in api.get(f"{BASE}/pending")["recommendations"]] == ["Basket"]
    assert {"run": run, "status": "completed"}.items() <= api.get(f"{BASE}/runs/{run}/metrics").items()


def test_the_person_behind_the_api_stands_in_the_log(api):
    run = started(api)
    api.send(
        "POST", f"{BASE}/runs/{run}/recommendations/batch", headers=version(api, run), verdict="accept", everything=True
    )
    api.send("POST", f"{BASE}/runs/{run}/apply")
    decisions = api.project.pk("log", "--json").document["decisions"]
    assert "the REST API for Ada Lovelace <ada@example.org>" in {one["by"] for one in decisions}


def test_a_decision_on_what_somebody_changed_meanwhile_is_refused(api):
    run = started(api)
    seen = version(api, run)
    first, second, *_ = api.get(f"{BASE}/runs/{run}/recommendations")["recommendations"]
    path = f"{BASE}/runs/{run}/recommendations"
    assert api.send("POST", f"{path}/{first['id']}/accept", 428)["status"] == 428
    api.send("POST", f"{path}/{first['id']}/accept", headers=seen)
    stale = api.send("POST", f"{path}/{second['id']}/reject", 412, headers=seen)
    assert "read it again" in stale["detail"]
    assert len(api.get(path, status="accepted")["recommendations"]) == 1


def test_nothing_is_written_that_was_not_shown_first(kept):
    shown = kept.send("POST", "/atoms", 202, intent="A box has a lid.")
    assert shown["status"] == "pending"
    assert "A box has a lid." in shown["consent"]["message"]
    assert kept.project.status() == ""
    other = kept.send("POST", "/atoms", 202, headers={"Consent": shown["consent"]["key"]}, intent="A box has no lid.")
    assert other["status"] == "pending"
    assert kept.send("POST", "/atoms", headers={"Consent": shown["consent"]["key"]}, intent="A box has a lid.")["atom"]
    assert kept.consenting("POST", f"{BASE}/undo")["status"] == "undone"


@pytest.fixture
def declaring(kept, monkeypatch):
    """A project that declares a check which leaves a file, and the place of that file."""
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    place = kept.project.root.parent / "ran"
    with (kept.project.root / "pact/pact.toml").open("a") as file:
        file.write(f'[[health.check]]\nname = "x"\ncategory = "build"\nargv = ["touch", "{place}"]\n')
    kept.project.commit("Declare a check")
    return kept, place


def test_what_a_repository_declares_is_shown_and_runs_on_consent_to_exactly_that(declaring):
    api, place = declaring
    shown = api.send("POST", "/health/sweeps", 202)
    assert (shown["status"], place.exists()) == ("pending", False)
    assert f"x: touch {place}" in shown["runs"]
    assert f"x: touch {place}" in shown["consent"]["message"]
    assert shown["confirm"] == f"pk health trust --at {api.project.git('rev-parse', 'HEAD')[:12]}"
    for other in ("any", "made-up"):
        assert api.send("POST", "/health/sweeps", 202, headers={"Consent": other})["status"] == "pending"
    assert not place.exists()
    assert api.send("POST", "/health/sweeps", headers={"Consent": shown["consent"]["key"]})["green"]
    assert place.exists()


def test_who_listens_to_a_sweep_is_told_what_it_would_run_as_well(declaring):
    api, place = declaring
    with api.client.stream("POST", "/health/sweeps", json={}, headers={"Accept": "text/event-stream"}) as told:
        lines = [line for line in told.iter_lines() if line]
    assert lines[-2] == "event: pending"
    assert f"x: touch {place}" in json.loads(lines[-1].removeprefix("data: "))["consent"]["message"]


def test_a_key_gets_the_same_answer_and_does_it_once(api):
    api.project.pk("init")
    key = {"Idempotency-Key": "first"}
    made = [api.send("POST", f"{BASE}/start", headers=key, everything=True)["run"] for _ in range(2)]
    assert made[0] == made[1]
    assert len(api.get(f"{BASE}/runs")["runs"]) == 1
    other = api.send("POST", f"{BASE}/start", 422, headers=key, everything=False)
    assert "was used for another request" in other["detail"]


def test_a_request_that_failed_leaves_its_key_free(api):
    key = {"Idempotency-Key": "first"}
    api.send("POST", f"{BASE}/runs/REC-gone/cancel", 422, headers=key)
    api.send("POST", f"{BASE}/runs/REC-gone/cancel", 422, headers=key)


def test_a_request_that_waits_for_consent_leaves_its_key_to_the_one_that_consents(kept):
    key = {"Idempotency-Key": "first"}
    shown = kept.send("POST", "/atoms", 202, headers=key, intent="A box has a lid.")
    yes = {**key, "Consent": shown["consent"]["key"]}
    made = [kept.send("POST", "/atoms", headers=yes, intent="A box has a lid.")["atom"] for _ in range(2)]
    assert made[0] == made[1]


def test_a_list_comes_in_pages(kept):
    first = kept.get("/atoms", limit=2)
    rest = kept.get("/atoms", limit=2, cursor=first["cursor"])
    assert first["total"] == 4
    assert len({one["id"] for one in (*first["atoms"], *rest["atoms"])}) == 4
    assert "unknown or has expired" in kept.get("/atoms", 422, cursor="made-up")["detail"]


def test_an_answer_that_is_known_is_not_sent_again(kept):
    found = kept.client.get("/atoms")
    again = kept.client.get("/atoms", headers={"If-None-Match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/atoms?limit=0", 400, "$.limit: 0 is not a whole number from 1 to 200"),
        ("/atoms?colour=red", 400, "$.colour: unknown key"),
        ("/atoms?limit=1&limit=2", 400, "$.limit"),
        ("/atoms/IA-GONE", 404, "IA-GONE"),
        ("/check?paths=../elsewhere", 409, "is outside the repository"),
        ("/nowhere", 404, "/openapi.json"),
        (f"{BASE}/runs/..%2Fpatch.json/patch", 404, "/openapi.json"),
        (f"{BASE}/patches/patch.json", 400, "$.patch"),
    ],
)
def test_what_cannot_be_answered_is_a_problem_with_words(kept, path, status, words):
    found = kept.client.get(path)
    assert (found.status_code, found.headers["content-type"]) == (status, "application/problem+json")
    assert words in found.json()["detail"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * 1_000_001, "application/json", 413),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(kept, content, kind, status):
    found = kept.client.post("/atoms", content=content, headers={"Content-Type": kind})
    assert found.status_code == status


def test_progress_comes_as_events_and_the_result_last(api):
    api.project.pk("init")
    with api.client.stream(
        "POST", f"{BASE}/start", json={"everything": True}, headers={"Accept": "text/event-stream"}
    ) as told:
        lines = [line for line in told.iter_lines() if line]
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert kinds[-1] == "result"
    assert set(kinds[:-1]) <= {"progress"}
    assert json.loads(lines[-1].removeprefix("data: "))["status"] == "paused"


def test_the_server_counts_what_it_answers(kept):
    kept.get("/atoms")
    assert 'pactkeeper_requests_total{operation="list_atoms",status="200"} 1.0' in kept.client.get("/metrics").text


def test_every_route_is_a_row_and_the_description_names_it(api):
    described = api.get("/openapi.json")["paths"]
    assert {(one.method.lower(), one.path) for one in routes()} <= {
        (method, path) for path, one in described.items() for method in one
    }
    assert all(route.verb in VERBS for route in routes())
    assert {route.verb.risk for route in routes()} <= {None, "record", "annotate"}
    assert {route.method for route in routes() if route.verb.reads} <= {"GET", "POST"}
    assert {route.method for route in routes() if not route.verb.reads}.isdisjoint({"GET"})
