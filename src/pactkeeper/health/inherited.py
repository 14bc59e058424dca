"""The environment that checks run in: what is inherited, without our secrets and without colours.

Nothing is read from the environment here; it is only handed on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

# Keys of language models and our own settings: a check runs code of the repository, which has no use for them.
_SECRET_OPENINGS: Final = (
    "PACTKEEPER_",
    "ANTHROPIC_",
    "OPENAI_",
    "AZURE_OPENAI_",
    "GEMINI_",
    "GOOGLE_API_KEY",
    "MISTRAL_",
    "COHERE_",
    "GROQ_",
    "OPENROUTER_",
    "DEEPSEEK_",
    "XAI_",
    "TOGETHER_",
)
# Set inside git's hooks and by colour-loving shells; the first bind git to another repository or index.
_BOUND: Final = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "PYTEST_CURRENT_TEST",
)
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


def surroundings(own: Mapping[str, str], inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of one check: inherited, cleaned, said to be unattended, and then its `own` variables."""
    given = os.environ if inherited is None else inherited
    kept = {
        name: value for name, value in given.items() if name not in _BOUND and not name.startswith(_SECRET_OPENINGS)
    }
    return {**kept, **_FIXED, **own}
