# Needs git, make and Python 3.11 or newer; everything else is installed into .venv.
#
#   make demo   the report of a small example      make check      a minute: style, types, layers, NumPy tests
#   make test   the whole test suite               make test-slow  the tests that take minutes each
#   make docs   the documentation as a site, in build/docs
#
# Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# torch is installed first and repeated on each later line. Otherwise pip may pick a newer
# release, and the newest one for Linux brings gigabytes of GPU libraries that no test uses.
TORCH := torch==2.13.0

# One BLAS thread a process: pytest already starts one process a core.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

REPORT := report.html
PACKAGE := pyproject.toml src/softtruth/_version.py

.DEFAULT_GOAL := check
.PHONY: demo test check test-slow docs format lint types layers clean

demo: $(VENV)/.installed
	$(BIN)/softtruth demo --out $(REPORT)
	@echo "The report is $(CURDIR)/$(REPORT): open it in a browser."

test: layers
	$(PYTEST)

check: lint types layers
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not slow and not backend"

test-slow: $(VENV)/.installed-dev
	$(PYTEST) -m slow

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
	rm -rf $(VENV) $(REPORT) build dist docs/reference/generated
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
