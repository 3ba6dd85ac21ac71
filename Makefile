PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: app test check bench findings bundle clean

app: $(STAMP)
	$(BIN)/streamlit run app.py

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)
	for script in $(filter-out bench/findings.py,$(wildcard bench/*.py)); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# What docs/findings.md reports, as markdown (minutes the first time).
findings: $(STAMP)
	$(BIN)/python bench/findings.py

# Everything in data/ that is computed: the made corpus, its vectors and its map.
bundle: $(STAMP)
	$(BIN)/python data/build.py
	$(BIN)/python data/bundle.py

$(STAMP): requirements.txt requirements-dev.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.txt -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis
