"""Deliveries of both forges, cut down from the examples in their documentation to what they say about a repository."""

import base64
import hmac
import json

URL = "http://127.0.0.1:9/acme/shop.git"
SECRET = "a secret that is long enough"
SIGNING = "whsec_" + base64.b64encode(b"0123456789abcdef").decode()
HEAD, BASE = "a" * 40, "b" * 40


def github(name, *, url=URL, **said):
    repository = {
        "full_name": "acme/shop",
        "clone_url": url,
        "ssh_url": "git@h:acme/shop.git",
        "default_branch": "main",
    }
    return name, {"repository": repository, "sender": {"login": "ada"}, **said}


def github_request(action="opened", *, number=7, head=HEAD, base=BASE, fork=False, **more):
    theirs = {"id": 2, "full_name": "mallory/shop"} if fork else {"id": 1, "full_name": "acme/shop"}
    request = {
        "number": number,
        "head": {"sha": head, "ref": "topic", "repo": theirs},
        "base": {"sha": base, "ref": "main", "repo": {"id": 1, "full_name": "acme/shop"}},
    }
    return github("pull_request", action=action, number=number, pull_request=request, **more)


def github_comment(comment, text, *, action="created", pull=True, **more):
    issue = {"number": 7, **({"pull_request": {"url": "https://api.example/pulls/7"}} if pull else {})}
    return github("issue_comment", action=action, issue=issue, comment={"id": comment, "body": text}, **more)


def github_push(branch="main", after=HEAD, **more):
    return github("push", ref=f"refs/heads/{branch}", before=BASE, after=after, **more)


def github_check(name="Pactkeeper", action="rerequested", **more):
    return github(
        "check_run", action=action, check_run={"id": 5, "name": name, "pull_requests": [{"number": 7}]}, **more
    )


def gitlab(kind, *, url=URL, **said):
    project = {"id": 42, "path_with_namespace": "acme/shop", "git_http_url": url, "default_branch": "main"}
    return "", {"object_kind": kind, "project": project, "user": {"username": "ada"}, **said}


def gitlab_request(action="open", *, number=7, head=HEAD, oldrev=None, changes=None, **more):
    said = {"iid": number, "action": action, "target_branch": "main", "last_commit": {"id": head}}
    said |= {"oldrev": oldrev} if oldrev else {}
    return gitlab("merge_request", object_attributes=said, changes=changes or {}, **more)


def gitlab_note(comment, text, *, on="MergeRequest", system=False, **more):
    said = {"id": comment, "note": text, "noteable_type": on, "system": system, "action": "create"}
    return gitlab("note", object_attributes=said, merge_request={"iid": 7}, **more)


def gitlab_push(branch="main", after=HEAD, **more):
    return gitlab("push", ref=f"refs/heads/{branch}", before=BASE, after=after, **more)


def signed(forge, name, event, *, secret=SECRET, at=0.0):
    """The headers and the body of a delivery."""
    body = json.dumps(event).encode()
    if forge == "github":
        digest = hmac.digest(secret.encode(), body, "sha256").hex()
        return {"x-github-event": name, "x-github-delivery": "1-2-3", "x-hub-signature-256": f"sha256={digest}"}, body
    if not secret.startswith("whsec_"):
        return {"x-gitlab-event": "Merge Request Hook", "x-gitlab-token": secret}, body
    stamp, key = str(int(at)), base64.b64decode(secret.removeprefix("whsec_"))
    digest = base64.b64encode(hmac.digest(key, b"id-1." + stamp.encode() + b"." + body, "sha256")).decode()
    return {"webhook-id": "id-1", "webhook-timestamp": stamp, "webhook-signature": f"v1,old v1,{digest}"}, body
