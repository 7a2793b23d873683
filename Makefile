# The two commands to begin with: make demo, make test. All others are .venv/bin/python -m organizer COMMAND: docs/commands.md.
PYTHON ?= python3
# Images with Python switch this off; the tests start hundreds of processes, each of which would compile all modules.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
# Modules are compiled when they are first imported: to compile all of them takes half of the time.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r

# The folders that Python looks into from .venv, relative to its packages: the checkout, and that of people_in_video.
LINK := printf '%s\n' ../../../.. ../../../../starting_kit

.PHONY: demo check test test-slow style types bundle kit lint-bundle dry-run rescore bench locks clean

# make demo: score all samples and rank made-up teams; the pages are in out/demo/
demo: .venv/run
	@$(BIN)/python -m organizer demo
	@$(BIN)/python -m quality demo-ranking

# make check [ID=bird_calls]: the same as make test, with half of its random cases; with an ID what is about one task
ifdef ID
# An evaluator of one's own may warn: for its task warnings are no errors.
check: .venv/dev
	$(BIN)/python -m pytest -W ignore -n 2 --dist worksteal -m "not slow" --hypothesis-profile=quick -k "$(ID)" tests
	@$(MAKE) --no-print-directory style
else
check: style
	$(call TEST,-m "not slow" --hypothesis-profile=quick)
endif

# make test: format, lint, types, and all tests but the slow ones
test: style
	$(call TEST,-m "not slow" --durations=20)

# make test-slow [TESTS="FILE ..."]: the slow tests: new tasks, built programs, killed rankings, attacks, pages in Chromium
test-slow: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow --durations=20 $(TESTS)

# pytest, with the type checker beside it: on two cores that takes a minute less than one after the other.
define TEST
@$(MAKE) --no-print-directory types & types=$$!; \
$(BIN)/python -m pytest -n auto --dist worksteal $(1); tests=$$?; \
wait $$types || { echo "the types are wrong: see above, or run make types"; exit 1; }; \
exit $$tests
endef

# make style: ruff and codespell
style: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell

# make types: mypy, of all but the tests
types: .venv/dev
	@if $(BIN)/python -c "import sys; sys.exit(sys.version_info < (3, 11))"; then echo $(BIN)/mypy; $(BIN)/mypy; \
	else echo "types are checked on Python 3.11 or later only: older numpy describes them otherwise"; fi

# REFERENCE is a folder with a folder for each task, or the folder of one task.
REFERENCE_OPTION = $(if $(REFERENCE),--reference "$(REFERENCE)")
# PHASE is the name of a phase in competition.yaml, if there are several.
PHASE_OPTION = $(if $(PHASE),--phase "$(PHASE)")

# make bundle [REFERENCE=DIR] [DEMO=1] [FORMAT=v1.5]: write dist/ID.zip, and dist/competition.zip if there are several tasks
bundle: .venv/run
	$(BIN)/python -m organizer bundle $(if $(FORMAT),--format $(FORMAT)) $(REFERENCE_OPTION) $(if $(DEMO),--demo)

# make kit [ID=chalearn_gesture]: write the starting kit as a folder, dist/kit/, and its package as a wheel and an sdist
kit: .venv/run
	@$(BIN)/python -m organizer kit $(ID)

# make lint-bundle [BUNDLE=dist/x.zip] [STRICT=1]: check bundles before they are uploaded; print who sees what
lint-bundle: .venv/run
	$(BIN)/python -m organizer lint $(BUNDLE) --date "$$(date -u +%F)" $(if $(STRICT),--strict)

# make dry-run ID=chalearn_gesture SUBMISSION=my.zip [REFERENCE=DIR] [PHASE=NAME] [OPTIONS="..."]: run the built program as the platform does
dry-run: .venv/run
	$(BIN)/python -m organizer dry-run $(ID) "$(SUBMISSION)" $(REFERENCE_OPTION) $(PHASE_OPTION) $(OPTIONS)

# make rescore ID=chalearn_gesture SUBMISSIONS=DIR [REFERENCE=DIR] [PHASE=NAME] [OPTIONS="..."]: score all submissions and rank the teams
rescore: .venv/run
	@$(BIN)/python -m organizer rescore $(ID) "$(SUBMISSIONS)" $(REFERENCE_OPTION) $(PHASE_OPTION) $(OPTIONS)

# make bench [ID=chalearn_gesture] [SCALE="1 100"]: measure the built programs, for BENCHMARKS.md
bench: .venv/run
	$(BIN)/python -m quality bench $(ID) $(if $(SCALE),--scale $(SCALE))

# make locks [UPGRADE=1]: write the lock files in requirements/ again, with UPGRADE to newer versions
# Without it the locks come out as they are. Those of vendored wheels are written by hand. Extras stay: pip does not take coverage==7.17.3 for coverage[toml], and looks for the newest one.
LOCK = .venv/locks/bin/uv pip compile --quiet --no-python-downloads --universal --generate-hashes --no-strip-extras --no-annotate \
	--no-header --no-emit-index-url $(if $(UPGRADE),--upgrade)
locks: .venv/locks/done
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit -o requirements/run.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra test --extra dev -o requirements/dev.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra test -o requirements/test.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra scale -o requirements/scale.lock
	echo cosmic-ray==8.7.0 | $(LOCK) --python-version 3.11 - -o requirements/mutation.lock
	echo uv==0.13.9 | $(LOCK) --python-version 3.9 - -o requirements/locks.lock

# make clean: remove what was built
clean:
	rm -rf dist out .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis

# What running needs, and what developing needs in addition: exact versions with hashes.
.venv/run: requirements/run.lock
	@echo "installing what running needs into .venv: 0.3 GB on the disk, a minute or two, this time only"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python $(INSTALL) requirements/run.lock
	@for folder in .venv/lib/python*/site-packages; do $(LINK) > $$folder/people_in_video_checkout.pth; done
	@touch $@

.venv/dev: requirements/dev.lock .venv/run
	@echo "installing what developing needs into .venv: 0.4 GB more, a minute or two, this time only"
	@$(BIN)/python $(INSTALL) requirements/dev.lock
	@touch $@

# For mutation testing (CONTRIBUTING.md), in an environment of its own.
.venv/mutation/done: requirements/mutation.lock .venv/run
	$(PYTHON) -m venv .venv/mutation
	.venv/mutation/bin/python $(INSTALL) requirements/mutation.lock
	@touch $@

.venv/locks/done: requirements/locks.lock
	$(PYTHON) -m venv .venv/locks
	.venv/locks/bin/python $(INSTALL) requirements/locks.lock
	@touch $@
