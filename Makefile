# Two commands do all the set-up: `make reconcile` and `make test`. They need python3 (3.11 or newer), make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
REPO ?=
# Tests are spread over twice as many processes as cores, and whoever has none left takes some of another's.
SPREAD := -n auto --dist worksteal
# An environment may forbid it; without compiled files each of the tests' many processes compiles everything again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: reconcile test test-slow campaign check format lint types contracts dependencies docs site picture lock clean

$(VENV)/installed: requirements/build.txt requirements/runtime.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pactkeeper needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes --requirement requirements/build.txt --requirement requirements/runtime.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements/dev.txt
	$(PIP) install --require-hashes --requirement requirements/dev.txt
	touch $@

reconcile: $(VENV)/installed  ## Reconcile REPO (default: a generated sample repository) and print the patch
	$(BIN)/python scripts/first_run.py $(if $(REPO),--repo "$(REPO)")

test: $(VENV)/installed-dev  ## Run the tests, all but the slow ones
	$(BIN)/python -m pytest $(SPREAD) -m "not slow and not campaign"

test-slow: $(VENV)/installed-dev  ## Run what `make test` leaves out, and the property tests with more examples
	$(BIN)/python -m pytest $(SPREAD) -m "(slow or hypothesis) and not campaign" --hypothesis-profile=full

campaign: $(VENV)/installed-dev  ## Hostile input, kills and the steps of every pattern, with a fixed seed
	$(BIN)/python -m pytest $(SPREAD) -m campaign $$(grep -rl --include='test_*.py' 'mark.campaign' tests)

check: format lint types contracts dependencies  ## Everything CI checks except the tests

format: $(VENV)/installed-dev
	$(BIN)/ruff format --check .

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

contracts: $(VENV)/installed-dev
	$(BIN)/lint-imports

dependencies: $(VENV)/installed-dev
	$(BIN)/deptry src

docs: $(VENV)/installed-dev  ## Write docs/reference from the tables of the program
	$(BIN)/python scripts/reference.py

site: docs  ## Build the documentation as a site in build/site
	$(BIN)/mkdocs build --strict

picture: reconcile  ## Draw the README's picture from what `pk check` prints in the sample
	$(BIN)/python scripts/picture.py

COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --quiet

lock:  ## Pin every dependency with hashes, keeping what is pinned; needs uv
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) --group build --output-file requirements/build.txt
	$(COMPILE) pyproject.toml --group dev --all-extras --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
