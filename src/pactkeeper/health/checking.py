"""Runs one check in one tree, parses its output, and reaches a verdict.

Checks execute code from the repository, so their environment is built from an allow list. Tokens, cloud keys and agent
sockets are withheld unless `[health] inherit` names them. Variables are only passed on here, never interpreted.

A check runs in a separate worktree at a pinned commit or in the user's own, and reports what it did to it.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from pactkeeper.catalog.placement import alone
from pactkeeper.errors import GitFailed, NotARepository
from pactkeeper.health import tree
from pactkeeper.health.parsers import COUNTING, parse
from pactkeeper.health.parsers.seen import NO_TESTS, CheckOutput, Parsed
from pactkeeper.health.parsers.surroundings import not_started
from pactkeeper.health.running import Command, Ran, end_orphans, run
from pactkeeper.health.tree import (
    NO_SEAL,
    SweepPlaces,
    TreeSeal,
    clear_abandoned,
    delete,
    enclose,
    recorded,
    restore_index,
    sealed,
    tampered,
)
from pactkeeper.health.watching import SWEEPING
from pactkeeper.intent.health import UNREAD, CheckResult, HealthCheck, Sandbox, Verdict
from pactkeeper.repo.git import Repository

_LARGEST_REPORT: Final = 64 << 20  # bytes; nothing larger is a test report
_KILLED: Final = (-9, -15, 137, 143)


def run_check(check: HealthCheck, ground: CheckTree) -> CheckResult:
    """Run a check and return its result; `notes` list what it did to the tree, which is restored unless the user's."""
    report = ground.new_report()
    ground.note()
    ran = run_command(check, check.argv, ground, report)
    notes = (*ground.tend(), *_left(ran))
    seen = _seen(ran, ground, report)
    parsed = parse(check.parser, check, seen)
    verdict, reason = judge(check, ran, parsed)
    return CheckResult(
        check.name,
        check.category,
        verdict,
        reason,
        code=ran.code,
        milliseconds=ran.milliseconds,
        output=ran.output,
        diagnostics=parsed.diagnostics if verdict in {"pass", "fail", "timed out"} else (),
        notes=notes,
        report=(seen.report or b"") if check.category == "test" else b"",
    )


def run_command(check: HealthCheck, argv: tuple[str, ...], ground: CheckTree, report: Path) -> Ran:
    """Run an argument list in a check's folder, with its environment and timeout."""
    folder = ground.root / check.directory
    if not folder.resolve().is_relative_to(ground.root.resolve()):
        return Ran(None, unstarted=f"the folder {check.directory!r} is outside the repository")
    own: Mapping[str, str] = {name: ground.filled(value, report) for name, value in check.environment.items()}
    filled = [ground.filled(one, report) for one in argv]
    environment = check_environment(own, named=ground.inherit)
    if ground.sandbox == "none":
        return run(Command(filled, folder, environment, check.timeout, owner=ground.owner))
    if why := unready():
        return Ran(None, unstarted=why)
    enclosed = {**environment, **variables(ground, environment), **own}
    ran = run(Command(inside(filled, folder, ground), folder, enclosed, check.timeout, owner=ground.owner))
    return found_inside(ran, filled[0])


def judge(check: HealthCheck, ran: Ran, parsed: Parsed) -> tuple[Verdict, str]:
    """Return the verdict, and the reason unless it is pass or fail; what could not run neither passes nor fails."""
    if ran.unstarted:
        advice = f"; check argv of [[health.check]] {check.name!r}, or install it" if ran.absent else ""
        return "could not run", ran.unstarted + advice
    if ran.timed_out:
        return "timed out", f"it was killed after its timeout of {check.timeout} s"
    if ran.code == 0:
        return _of_success(check, parsed)
    if parsed.verdict_hint is not None:
        return parsed.verdict_hint.verdict, parsed.verdict_hint.reason
    read = any(one.severity == "error" and one.rule != UNREAD for one in parsed.diagnostics)
    missing = "" if read else not_started(ran.code, ran.output.text)
    if missing:
        return "could not run", missing
    if ran.code in _KILLED:
        return "could not run", "it was killed from outside, perhaps for lack of memory"
    return "fail", ""


def _of_success(check: HealthCheck, parsed: Parsed) -> tuple[Verdict, str]:
    """Judge a check that exited with 0; reported failures outweigh the exit code, as with `pytest | tee log`."""
    failures = sum(one.severity == "error" for one in parsed.diagnostics)
    if failures:
        return "fail", f"it exited with 0, but reports {failures} {'failure' if failures == 1 else 'failures'}"
    hint = parsed.verdict_hint
    if hint is not None and hint.verdict != "could not run":
        return hint.verdict, hint.reason
    if check.category != "test":
        return "pass", ""
    if parsed.tests_seen == 0:
        return "could not tell", NO_TESTS
    if parsed.tests_seen is None and check.parser in COUNTING:
        return "could not tell", f"it exited with 0, but printed no result that the parser {check.parser!r} can read"
    return "pass", ""


def _seen(ran: Ran, ground: CheckTree, report: Path) -> CheckOutput:
    roots = tuple(dict.fromkeys((str(ground.root), str(ground.root.resolve()), str(ground.home.root))))
    return CheckOutput(ran.output.text, _bytes(report), roots=roots, files=ground.files(), failed=ran.code != 0)


def _bytes(report: Path) -> bytes | None:
    try:
        fits = report.is_file() and report.stat().st_size <= _LARGEST_REPORT
        return report.read_bytes() if fits else None
    except OSError:
        return None


def _left(ran: Ran) -> tuple[str, ...]:
    if not ran.left:
        return ()
    what = (
        ("1 process running, which was killed") if ran.left == 1 else f"{ran.left} processes running, which were killed"
    )
    return (f"it left {what}",)


# What programs need to be found, to speak a language, and to use the caches of package managers.
_ALLOWED: Final = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "MANPATH"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"),
        *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "CPATH", "MAKEFLAGS"),
        *("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION", "PIP_CACHE_DIR", "PIP_INDEX_URL"),
        *("UV_CACHE_DIR", "UV_INDEX_URL", "POETRY_HOME", "POETRY_CACHE_DIR", "TOX_WORK_DIR"),
        *("NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME", "COREPACK_HOME"),
        *("BUN_INSTALL", "DENO_DIR", "DENO_INSTALL", "YARN_CACHE_FOLDER", "npm_config_cache", "npm_config_registry"),
        *("GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "GOSUMDB", "GONOSUMDB"),
        *("CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_NET_OFFLINE", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"),
        *("JAVA_HOME", "JDK_HOME", "M2_HOME", "MAVEN_HOME", "MAVEN_OPTS", "GRADLE_HOME", "GRADLE_USER_HOME"),
        *("ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "RBENV_ROOT", "ASDF_DIR"),
        *("HYPOTHESIS_PROFILE", "COLUMNS", "LINES", "NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE"),
    }
)
_OPENINGS: Final = ("LC_", "PYTHON", "PLAYWRIGHT_")
_CREDENTIALS: Final = re.compile(r"://[^/@\s]*@")  # a proxy or registry address with a password in it
_OURS: Final = "PACTKEEPER_"
_FIXED: Final = {
    "CI": "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def check_environment(
    own: Mapping[str, str], *, named: Collection[str] = (), inherited: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Build the environment of one check: allowed and `named` variables, then its `own`.

    Pactkeeper's variables are never passed on, even if named.
    """
    given = os.environ if inherited is None else inherited
    kept = {name: value for name, value in given.items() if name in named or _is_allowed(name, value)}
    return {**{name: value for name, value in kept.items() if not name.startswith(_OURS)}, **_FIXED, **own}


def _is_allowed(name: str, value: str) -> bool:
    return (name in _ALLOWED or name.startswith(_OPENINGS)) and not _CREDENTIALS.search(value)


_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu")
# What programs need from /etc to start, resolve hosts and verify certificates: as root they could read the rest too.
_ETC: Final = (
    *("passwd", "group", "hosts", "host.conf", "nsswitch.conf", "resolv.conf", "gai.conf", "services", "protocols"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "os-release", "static"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/java"),
    *("ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts", "mime.types", "terminfo", "java", "maven"),
)
_START: Final = (
    *("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"),
    *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--dir", "/var/tmp"),  # noqa: S108 - its own
)
_RESOLVER: Final = "/etc/resolv.conf"  # often a symlink to a file below /run
_ADVICE: Final = 'install bubblewrap, or take sandbox = "bubblewrap" out of [health]'
_PROBE: Final = 20  # seconds


def inside(argv: Sequence[str], folder: Path, ground: CheckTree) -> list[str]:
    """Return the argument list that runs another one inside bubblewrap."""
    named = (Path(one).expanduser() for one in ground.readable)
    read = _bound("--ro-bind-try", *_visible(), *named, ground.home.common_dir / "objects")
    written = _bound("--bind", ground.places.cache, ground.places.scratch, ground.root)
    return [*_START, *read, *written, "--chdir", os.fspath(folder), "--", *argv]


def _visible() -> tuple[str, ...]:
    etc = (*(f"/etc/{name}" for name in _ETC), *map(os.fspath, Path("/etc").glob("java-*")))
    return (*_PROGRAMS, *etc, "/sys", os.path.realpath(_RESOLVER))


def _bound(how: str, *places: str | Path) -> list[str]:
    return [part for one in places for part in (how, os.fspath(one), os.fspath(one))]


def variables(ground: CheckTree, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that point package managers to a writable home folder."""
    home = ground.places.cache / "home"
    home.mkdir(exist_ok=True)
    rustup = Path(environment.get("HOME", "/"), ".rustup")
    found = {"RUSTUP_HOME": os.fspath(rustup)} if rustup.is_dir() and "RUSTUP_HOME" not in environment else {}
    return {**found, "HOME": os.fspath(home), "XDG_CACHE_HOME": os.fspath(home / ".cache")}


def found_inside(ran: Ran, program: str) -> Ran:
    """Return the outcome of a command, marked as not started if bubblewrap did not find its program."""
    if ran.code == 0 or not ran.output.head.startswith(f"bwrap: execvp {program}: "):
        return ran
    why = f"the program {program!r} is not available inside bubblewrap; add its folder to [health] readable"
    return replace(ran, code=None, unstarted=why)


@cache
def unready() -> str:
    """Return why nothing can run inside bubblewrap on this machine; empty if it can."""
    argv = [*_START, *_bound("--ro-bind-try", *_visible()), "--", "true"]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_PROBE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be started ({error}); {_ADVICE}"
    told = done.stderr.decode("utf-8", "replace").strip()
    return f"bubblewrap does not work here ({told}); {_ADVICE}" if done.returncode else ""


@dataclass(slots=True)
class CheckTree:
    """A tree that checks run in; `commit` is what a separate tree is pinned at, None for the user's work tree.

    `opened` is the repository as seen from the tree, `home` as the user opened it. `owner` marks processes, and `keep`
    lists prepared paths of a separate tree; `bare` says that a check destroyed them along with the tree. `inherit`
    names the user's variables that checks receive, `sandbox` the sandbox they run in, and `readable` the user's folders
    visible inside it.
    """

    opened: Repository
    home: Repository
    places: SweepPlaces
    commit: str | None
    owner: str
    keep: tuple[str, ...] = ()
    bare: bool = False
    inherit: tuple[str, ...] = ()
    sandbox: Sandbox = "none"
    readable: tuple[str, ...] = ()
    seal: TreeSeal = NO_SEAL
    _before: frozenset[str] = frozenset()
    _head: str | None = None
    _reports: int = field(default=0, repr=False)

    @property
    def root(self) -> Path:
        """The root of the tree."""
        return self.opened.root

    def new_report(self) -> Path:
        """Return an unused path outside the tree for the next report."""
        self._reports += 1
        return self.places.scratch / f"{self._reports}.report"

    def files(self) -> frozenset[str]:
        """The paths of all tracked files."""
        listed = self.opened.run("ls-files", "-z", "--cached")
        return frozenset(path for path in os.fsdecode(listed).split("\0") if path)

    def filled(self, text: str, report: Path) -> str:
        """Return the text with `{report}`, `{cache}` and `{root}` replaced by their paths."""
        for name, place in (("report", report), ("cache", self.places.cache), ("root", self.root)):
            text = text.replace(f"{{{name}}}", os.fspath(place))
        return text

    def note(self) -> None:
        """Record the state of the tree before a check."""
        if self.commit is not None:
            self.seal = sealed(self.opened)
        else:
            self._before, self._head = frozenset(tree.changed_files(self.opened)), self.opened.head()

    def tend(self) -> tuple[str, ...]:
        """Return what a check did to the tree, and reset a separate tree to its commit."""
        if self.commit is None:
            return self._seen()
        git_dir = self.root / ".git"
        if not self.root.is_dir() or not git_dir.exists():
            return self._anew("it deleted the worktree")
        try:
            found = tampered(git_dir, self.seal)
            self.opened = enclose(self.home, self.root, self.commit) if found else self.opened
            found += restore_index(self.opened, self.seal)
            found += tree.alterations(self.opened)
            if found:
                tree.restore(self.opened, self.commit)
        except (GitFailed, NotARepository, OSError):
            return self._anew("it broke the worktree")
        return tuple(found)

    def _anew(self, why: str) -> tuple[str, ...]:
        if any(not (self.root / path).exists() for path in self.keep):
            tree.remove(self.places)  # its preparation is gone too
        self.opened = tree.check_out(self.home, self.places, self.commit or "", keep=self.keep)
        self.bare = not self.places.prepared.is_file()
        self.note()
        return (why,)

    def _seen(self) -> tuple[str, ...]:
        found = [] if self.opened.head() == self._head else ["it moved HEAD"]
        changed = sorted(frozenset(tree.changed_files(self.opened)) - self._before)
        return (*found, *([f"it changed tracked files: {', '.join(changed[:5])}"] if changed else []))


@contextmanager
def standing(repository: Repository, places: SweepPlaces, commit: str | None) -> Iterator[CheckTree]:
    """Lock and open a tree at a commit, or the user's work tree for None, and clean up after killed sweeps.

    Raises BusyError while another sweep runs, GitFailed and WriteFailed.
    """
    with alone(places.state, SWEEPING):
        owner = hashlib.sha256(os.fsencode(places.state)).hexdigest()[:12]
        end_orphans(owner)
        places.make()
        clear_abandoned(places)
        keep = () if (record := recorded(places)) is None else record.paths
        opened = repository if commit is None else tree.check_out(repository, places, commit, keep=keep)
        try:
            yield CheckTree(opened, repository, places, commit, owner, keep)
        finally:
            _leave(places)


def _leave(places: SweepPlaces) -> None:
    delete(places.scratch)
    if not places.prepared.is_file():
        tree.remove(places)
