"""The environment that checks run in: an allow list, because a check runs code of the repository.

Tokens, keys of clouds and sockets of agents stay out unless `[health] inherit` names them. Nothing is read from the
environment here; it is only handed on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from typing import Final

# What programs need to be found, to speak a language, and to find what package managers have at hand.
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
_CREDENTIALS: Final = re.compile(r"://[^/@\s]*@")  # an address of a proxy or a registry with somebody's password
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
    """The environment of one check: what the allow list lets through, what is `named`, and then its `own` variables.

    Variables of ours are never handed on, not even by name.
    """
    given = os.environ if inherited is None else inherited
    kept = {name: value for name, value in given.items() if name in named or _is_allowed(name, value)}
    return {**{name: value for name, value in kept.items() if not name.startswith(_OURS)}, **_FIXED, **own}


def _is_allowed(name: str, value: str) -> bool:
    return (name in _ALLOWED or name.startswith(_OPENINGS)) and not _CREDENTIALS.search(value)
