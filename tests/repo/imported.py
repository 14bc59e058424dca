"""Files in memory and what their imports lead to, in words that read well in a test."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import FileImports, Importing
from pactkeeper.repo.languages.outline import decode_imports


@dataclass
class Memory:
    files: Mapping[str, bytes]

    @property
    def paths(self) -> list[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)


def memory(files: Mapping[str, str | bytes]) -> Memory:
    return Memory({path: dedent(text).encode() if isinstance(text, str) else text for path, text in files.items()})


def read_one(importing: Importing, source: str | bytes, path: str) -> FileImports:
    data = dedent(source).encode() if isinstance(source, str) else source
    return decode_imports(importing.parse(path, data, ""))


def leads_to(importing: Importing, files: Mapping[str, str | bytes], importer: str) -> list[str]:
    """What the imports of one file lead to, in their order: paths, `<package` for foreign ones, `?name` for lost ones."""
    project = memory(files)
    resolve, _ = importing.resolver(project)
    found: list[str] = []
    for one in decode_imports(importing.parse(importer, project.files[importer], "")).found:
        target = resolve(importer, one)
        found += target.files
        found += [f"<{target.package}"] if target.package else []
        found += [f"?{name}" for name in target.missing]
    return found


def gaps(importing: Importing, files: Mapping[str, str | bytes]) -> list[Gap]:
    """The settings that could not be understood."""
    return list(importing.resolver(memory(files))[1])
