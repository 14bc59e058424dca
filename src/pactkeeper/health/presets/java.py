"""Java: Maven or Gradle, by the project's own wrapper where it has one."""

from __future__ import annotations

from pactkeeper.health.planned import Planned, Project
from pactkeeper.intent.health import CheckCategory, HealthCheck

_GRADLE_FILES = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def checks(project: Project) -> tuple[Planned, ...]:
    """Compile and test with the tool whose file is there; none where neither is."""
    if project.has("pom.xml"):
        start: tuple[str, ...] = ("./mvnw" if project.has("mvnw") else "mvn", "--batch-mode")
        return (
            _planned(project, "mvn test-compile", (*start, "test-compile"), "maven"),
            _planned(project, "mvn test", (*start, "test"), "maven"),
        )
    if project.has(*_GRADLE_FILES):
        start = ("./gradlew" if project.has("gradlew") else "gradle", "--console=plain", "--no-daemon")
        return (
            _planned(project, "gradle testClasses", (*start, "testClasses"), "gradle"),
            _planned(project, "gradle test", (*start, "test", "--continue"), "gradle"),
        )
    return ()


def _planned(project: Project, name: str, argv: tuple[str, ...], tool: str) -> Planned:
    category: CheckCategory = "test" if "test" in argv else "build"
    check = HealthCheck(project.name(name), argv, category, tool, directory=project.folder)
    return Planned(check, "pom.xml" if tool == "maven" else "the build file of Gradle")
