"""The few pages of the entrance itself: words, and a form where one is needed, without script or stylesheet."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, Response


def plain_page(title: str, words: str, *, form: str = "", onward: str = "") -> str:
    """A page of words; `form` is markup of ours, `onward` a path of this server to go on to at once."""
    refresh = f'<meta http-equiv="refresh" content="0; url={escape(onward)}">' if onward else ""
    link = f'<p><a href="{escape(onward)}">Continue</a></p>' if onward else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/static/mark.svg">'
        f"{refresh}<title>{escape(title)} · Pactkeeper</title></head>"
        f"<body><main><h1>{escape(title)}</h1><p>{escape(words)}</p>{form}{link}</main></body></html>"
    )


def welcome(cookie: str, secret: str, *, secure: bool, onward: str = "/") -> Response:
    """Hand over a session and go on.

    A redirect would not do: a browser that came by a link of another site leaves a strict cookie out until it moves on
    from a page of ours.
    """
    answer = HTMLResponse(plain_page("You are signed in", "One moment.", onward=onward))
    answer.set_cookie(cookie, secret, max_age=12 * 3600, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


def goodbye(cookie: str, *, secure: bool) -> Response:
    """Take the session back from the browser."""
    answer = HTMLResponse(plain_page("You are signed out", "You may close this page."))
    answer.delete_cookie(cookie, httponly=True, samesite="strict", secure=secure, path="/")
    return answer
