# Needs git, make and Python 3.11 or newer; everything else is installed into .venv.
#
#   make demo   the report of a small example      make check      some minutes: style, types, layers, NumPy tests
#   make test   the whole test suite               make test-slow  the tests that take minutes each
#   make docs   the documentation as a site, in build/docs
#
#   make coverage      which branches of the mathematics no test takes
#   make test-oldest   the tests on the oldest packages that softtruth promises to work with
#
# Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
PIP := $(BIN)/python $(PIP_INSTALL)

# torch is installed first and repeated on each later line. Otherwise pip may pick a newer
# release, and the newest one for Linux brings gigabytes of GPU libraries that no test uses.
TORCH := torch==2.13.0

# One BLAS thread a process: pytest already starts one process a core.
RUN_PYTEST := -m pytest -n auto
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python $(RUN_PYTEST)

REPORT := report.html
PACKAGE := pyproject.toml src/softtruth/_version.py

.DEFAULT_GOAL := check
.PHONY: demo test check test-slow test-oldest coverage docs format lint types layers clean

demo: $(VENV)/.installed
	$(BIN)/softtruth demo --out $(REPORT)
	@echo "The report is $(CURDIR)/$(REPORT): open it in a browser."

test: layers
	$(PYTEST)

check: lint types layers
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not slow and not backend"

test-slow: $(VENV)/.installed-dev
	$(PYTEST) -m slow

# The lowest release of each package that users bring. That of torch has GPU libraries with it: 9 GB in all.
test-oldest: $(OLDEST)/.installed
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python $(RUN_PYTEST)

# Fails when a branch of the packages that pyproject.toml names for it is taken by no test.
coverage: $(VENV)/.installed-dev
	$(PYTEST) --cov -m "not slow" tests/*.py tests/annotations tests/catalogue tests/comparison tests/engines tests/noise \
		tests/people tests/priors tests/report tests/sets tests/uncertainty src

# Reference pages are made from the code first. A warning is an error; nothing is fetched.
docs: $(VENV)/.installed-dev
	$(BIN)/python tools/site_pages.py
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env docs build/docs
	@echo "The site is $(CURDIR)/build/docs/index.html: open it in a browser."

format: $(VENV)/.installed-dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(VENV)/.installed-dev
	$(BIN)/mypy

layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(OLDEST) $(REPORT) build dist docs/reference/generated
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The files below say that a step is done, so that it is not done again.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "softtruth needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ". Run: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(PACKAGE) | $(VENV)/.created
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(PACKAGE) | $(VENV)/.created
	$(PIP) $(TORCH)
	$(PIP) --editable '.[dev]' $(TORCH)
	@touch $@ $(VENV)/.installed

$(OLDEST)/.installed: $(PACKAGE) tools/oldest_requirements.py | $(VENV)/.installed-dev
	$(PYTHON) -m venv $(OLDEST)
	$(BIN)/python tools/oldest_requirements.py > $(OLDEST)/requirements.txt
	$(OLDEST)/bin/python $(PIP_INSTALL) --requirement $(OLDEST)/requirements.txt --editable .
	@touch $@
