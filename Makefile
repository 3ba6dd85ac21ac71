PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 3

.PHONY: app test test-slow matrix check docs bench mutants findings bundle lock clean

app: $(STAMP)
	$(BIN)/streamlit run app.py

# Three processes, because the browser's tests mostly wait (`make test JOBS=0` for one); a file's tests stay together, because they share what is slow to make: a
# server, a browser, vectors. In order of name: the browser's few and slow tests come first, and no core waits for them.
# The slow ones are left out; the last lines say how many.
test: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not slow"

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m slow

# The wheel's tests and the quick ones of core on every Python that is here (`make matrix VERSIONS="3.12"` for some).
# Each has its own environment under build/; a Python that is not here is named and left out.
VERSIONS ?= 3.11 3.12 3.13 3.14
matrix:
	@for version in $(VERSIONS); do \
	  if ! python$$version -c "" 2>/dev/null; then echo "python$$version is not here"; continue; fi; \
	  echo "== python$$version"; place=build/matrix/$$version; \
	  test -x $$place/bin/python || python$$version -m venv $$place; \
	  $$place/bin/python -m pip install --quiet -r requirements.txt -r requirements-dev.txt -r requirements-cluster.txt || exit 1; \
	  $$place/bin/python -m pytest -q -n $(JOBS) -m "not slow and not browser" $(MATRIX_TESTS) || exit 1; \
	done
MATRIX_TESTS ?= tests/test_package.py tests/test_interface.py tests/core

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tools.voice

# The API from docstrings and a page for every warning, in build/docs.
docs: $(STAMP)
	$(BIN)/python -m tools.docs

bench: $(STAMP)
	$(BIN)/python -m bench

# Would the tests notice? At least 95% of changed operators and constants must fail one (ten minutes on two idle cores).
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants

# What docs/findings.md reports, as markdown (two hours the first time).
findings: $(STAMP)
	$(BIN)/python -m bench.findings

# Everything in data/ that is computed: the bundled corpus, its vectors and its map.
bundle: $(STAMP)
	$(BIN)/python -m data.build
	$(BIN)/python -m data.network
	$(BIN)/python -m data.bundle

# The hashes of every requirement, after a change of requirements.txt; docs/hosting.md says where torch's come from.
lock: $(STAMP)
	$(BIN)/python -m tools.lock

$(STAMP): requirements.txt requirements-dev.txt requirements-cluster.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.txt -r requirements-dev.txt -r requirements-cluster.txt
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
