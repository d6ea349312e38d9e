# Two commands matter: make reproduce, make test. Each makes .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
# pip compiles no module, for few of those installed are ever imported. What is imported at every
# start is, once, when .venv is made: where PYTHONDONTWRITEBYTECODE is set it never would be again.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
AT_START := argcomplete, ipykernel.kernelapp, nbval, papermill, perfkit.__main__, perfkit.commands.look, \
    perfkit.commands.sweep, pytest, SALib.sample.morris, studies.commands.long, studies.show.charts, \
    studies.show.workbench, xdist, perfkit.methods.planned, perfkit.systems.unix_v6
QUICK ?=
VOILA ?=
# A list of fonts of our own: Matplotlib never mends a spoilt one in the user's cache, and warns
# in every cell that draws a logarithmic axis.
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib

.PHONY: reproduce verify test test-quick lab explore labs grade test-labs slides bench site report test-site refresh \
    hashes lock wheel release clean

reproduce: .venv/ready
	$(BIN)/python -m perfkit reproduce $(if $(QUICK),--quick)

# Every cell and claim, made anew and held against what this version published.
verify: .venv/ready
	$(BIN)/python -m perfkit verify $(if $(QUICK),--quick)

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest --nbval --nbval-cell-timeout 900 --no-loadscope-reorder notebooks/*.ipynb tests

# What takes seconds, for the hand at work: no notebook, no simulated study.
test-quick: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/analytic tests/methods tests/unit -m "not slow"

# A working copy, made once: the tracked notebooks stay as they are. It is yours to delete.
lab: .venv/ready
	test -d work || cp -r notebooks work
	$(BIN)/jupyter lab --notebook-dir=work

# An app in the browser, for this machine only: any parameter, one machine beside another.
explore: .venv/explore
	$(BIN)/voila --Voila.ip=127.0.0.1 $(VOILA) notebooks/explore/explore.ipynb

# The course labs: a zip per lab for students, solutions and the wheel, in build/labs.
labs: .venv/labs
	$(BIN)/python -m tools.labs release

# Grade a folder or zip of what was handed in, each copy in a sandbox: points and feedback pages.
# ROSTER=class.csv, DUE=2026-12-01T12:00, LATE=10 (percent per day), UNSEALED=1 (trust every copy).
grade: .venv/labs
	$(BIN)/python -m tools.labs grade "$(SUBMISSIONS)" $(if $(ROSTER),--roster "$(ROSTER)") \
	    $(if $(DUE),--due $(DUE)) $(if $(LATE),--late $(LATE)) $(if $(UNSEALED),--unsealed)

# A class graded with nbgrader: needs bubblewrap (apt-get install bubblewrap).
test-labs: .venv/labs
	$(BIN)/python -m pytest -n0 tests/labs/test_grading.py

# The pictures and players that the plans of docs/teaching.md name, for slides, in build/slides.
slides: .venv/ready
	$(BIN)/python -m tools.slides

bench: .venv/ready
	$(BIN)/python -m benchmarks

# README, notebooks, notes and the reference as pages that need no network.
site: .venv/site
	$(BIN)/python -m sphinx -q -W --keep-going -c docs . build/site
	@echo "Open build/site/index.html."

# docs/report.md as an article, build/report.pdf; skipped, with a line that says so, without Chromium.
report: .venv/ready
	$(BIN)/python -m tools.report

# The site and the app in a browser; Chromium is the machine's own, axe-core comes from npm.
test-site: .venv/site .venv/explore build/axe/package/axe.min.js
	$(BIN)/python -m pytest tests/site

build/axe/package/axe.min.js:
	mkdir -p build/axe
	cd build/axe && npm pack --silent axe-core@4.14.1 && tar xzf axe-core-*.tgz

# For maintainers: execute the committed notebooks (or KEYS="sim61 emas" alone, and the index)
# anew, in place, with their scorecards. Twice, because each opens with its committed headline; the
# first run may end with numbers that moved.
refresh: .venv/ready
	mkdir -p notebooks/scorecards notebooks/.refreshed
	cp -r notebooks/scorecards notebooks/.refreshed/
	-$(BIN)/python -m perfkit reproduce $(KEYS) --results notebooks/.refreshed
	cp notebooks/.refreshed/scorecards/*.csv notebooks/scorecards/
	$(BIN)/python -m perfkit reproduce $(KEYS) --results notebooks/.refreshed
	mv notebooks/.refreshed/*.ipynb notebooks/
	$(BIN)/python -m tools.readme
	rm -r notebooks/.refreshed

# For maintainers: count and hash the data tables anew after a deliberate edit.
hashes: .venv/ready
	$(BIN)/python -m tools.hashes

# For maintainers: pin the newest versions that resolve together, with hashes and no address.
lock: .venv/ready
	$(PIP) uv
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --extra notebooks --extra cluster --group pyproject.toml:test \
	    pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --group pyproject.toml:site -c requirements.txt -o docs/requirements.txt
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --group pyproject.toml:explore -c requirements.txt -o notebooks/explore/requirements.txt
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate \
	    --python-version 3.11 --group pyproject.toml:labs -c requirements.txt -o notebooks/labs/requirements.txt

# For maintainers: the wheel that brings kernels for this Python and platform, in build/wheel.
wheel: .venv/ready
	$(BIN)/python -m tools.kernels

# For maintainers: archive, wheels, site and notes, in build/release. TAG=v1.0.0 must be the version.
# It publishes nothing.
release: .venv/site
	$(BIN)/python -m tools.release "$(TAG)"
	$(MAKE) site
	cd build && ../$(BIN)/python -m zipfile -c release/perfkit-site.zip site

.venv/ready: requirements.txt pyproject.toml studies/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "perfkit needs Python 3.11 or newer; name one with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-deps --no-build-isolation -e . -e studies
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -c 'import $(AT_START)'
	touch $@

.venv/site: docs/requirements.txt .venv/ready
	$(PIP) --require-hashes -r docs/requirements.txt
	touch $@

.venv/explore: notebooks/explore/requirements.txt .venv/ready
	$(PIP) --require-hashes -r $<
	touch $@

.venv/labs: notebooks/labs/requirements.txt .venv/ready
	$(PIP) --require-hashes -r $<
	touch $@

clean:
	rm -rf .venv results build *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/perfkit"
