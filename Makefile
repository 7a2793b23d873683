# The two commands to begin with: make demo, make test. The others are in docs/commands.md.
PYTHON ?= python3
# Images with Python switch this off; the tests start hundreds of processes, each of which would compile all modules.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
# Modules are compiled when they are first imported: to compile all of them takes half of the time.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r

# The folders that Python looks into from .venv, relative to its packages: the checkout, and that of people_in_video.
LINK := printf '%s\n' ../../../.. ../../../../starting_kit

.PHONY: demo check test test-slow lint style types reference bundle kit lint-bundle dry-run rescore report archive public-data baselines split start new-task undo-new-task bench locks clean

demo: .venv/run
	@$(BIN)/python -m organizer demo
	@$(BIN)/python -m quality demo-ranking

check: style
	$(call TEST,-m "not slow" --hypothesis-profile=quick)

test: style
	$(call TEST,-m "not slow" --durations=20)

# make test-slow [TESTS="tests/organizer/bundle": of these files and folders]
test-slow: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow --durations=20 $(TESTS)

# pytest, with the type checker beside it: on two cores that takes a minute less than one after the other.
define TEST
@$(MAKE) --no-print-directory types & types=$$!; \
$(BIN)/python -m pytest -n auto --dist worksteal $(1); tests=$$?; \
wait $$types || { echo "the types are wrong: see above, or run make types"; exit 1; }; \
exit $$tests
endef

lint: style types

style: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell

types: .venv/dev
	@if $(BIN)/python -c "import sys; sys.exit(sys.version_info < (3, 11))"; then echo $(BIN)/mypy; $(BIN)/mypy; \
	else echo "types are checked on Python 3.11 or later only: older numpy describes them otherwise"; fi

# REFERENCE is a folder with a folder for each task, or the folder of one task.
REFERENCE_OPTION = $(if $(REFERENCE),--reference "$(REFERENCE)")
# PHASE is the name of a phase in competition.yaml, if there are several.
PHASE_OPTION = $(if $(PHASE),--phase "$(PHASE)")

# make reference ID=chalearn_gesture SOURCE=my_files [OUTPUT=refs/chalearn_gesture] [IMAGES=DIR: behind drawings]
#   [VOCABULARY=names.yaml: all names of classes, parts, states] [REPLACE=1: lose what others put there]
reference: .venv/run
	@$(BIN)/python -m organizer prepare $(ID) --source "$(SOURCE)" $(if $(OUTPUT),--output "$(OUTPUT)") \
		$(if $(REPLACE),--replace) $(if $(IMAGES),--images "$(IMAGES)") $(if $(VOCABULARY),--vocabulary "$(VOCABULARY)")

# make public-data ID=chalearn_gesture SOURCE=my_files [OUTPUT=refs/chalearn_gesture_public] [VOCABULARY=names.yaml] [REPLACE=1]
#   What participants may have of a reference; make reference writes it, too. REFERENCE is another name of SOURCE.
public-data: .venv/run
	@$(BIN)/python -m organizer public-data $(ID) --source "$(or $(SOURCE),$(REFERENCE))" $(if $(OUTPUT),--output "$(OUTPUT)") \
		$(if $(REPLACE),--replace) $(if $(VOCABULARY),--vocabulary "$(VOCABULARY)")

# make bundle [FORMAT=v1.5] [REFERENCE=DIR] [DEMO=1: demo data for the tasks that REFERENCE does not hold]
bundle: .venv/run
	$(BIN)/python -m organizer bundle $(if $(FORMAT),--format $(FORMAT)) $(REFERENCE_OPTION) $(if $(DEMO),--demo)

# make kit [ID=chalearn_gesture: for one task]
kit: .venv/run
	@$(BIN)/python -m organizer kit $(ID)

# make lint-bundle [BUNDLE=dist/x.zip] [STRICT=1: fail on warnings, too]
lint-bundle: .venv/run
	$(BIN)/python -m organizer lint $(BUNDLE) --date "$$(date -u +%F)" $(if $(STRICT),--strict)

# make dry-run ID=chalearn_gesture SUBMISSION=my.zip [REFERENCE=DIR] [PHASE="Final phase"] [IMAGE=my/image:1: with docker or podman]
dry-run: .venv/run
	$(BIN)/python -m organizer dry-run $(ID) "$(SUBMISSION)" $(REFERENCE_OPTION) $(PHASE_OPTION) $(if $(IMAGE),--image "$(IMAGE)")

# make rescore ID=chalearn_gesture SUBMISSIONS=DIR [PHASE="Final phase"] [REFERENCE=DIR] [WORKERS=N] [SCHEDULER=tcp://...]
#   [HALF_SAMPLES=500]
#   [PROTOCOLS="published released"] [OPTIONS="--names names.csv --keep last --date 2024-05-31 --baselines b.json --fresh"]
rescore: .venv/run
	@$(BIN)/python -m organizer rescore $(ID) "$(SUBMISSIONS)" $(REFERENCE_OPTION) $(PHASE_OPTION) $(if $(WORKERS),--workers $(WORKERS)) \
		$(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(if $(HALF_SAMPLES),--half-samples $(HALF_SAMPLES)) \
		$(if $(PROTOCOLS),--protocols $(PROTOCOLS)) $(OPTIONS)

# make report ID=chalearn_gesture [PHASE="Final phase"] [OPTIONS="--ranking DIR --output DIR"], after make rescore
report: .venv/run
	@$(BIN)/python -m organizer report $(ID) $(PHASE_OPTION) $(OPTIONS)

# make archive ID=chalearn_gesture [PHASE="Final phase"] [OUTPUT=DIR] [WITH_REFERENCE=1: also the hidden labels], after make report
archive: .venv/run
	@$(BIN)/python -m organizer archive $(ID) $(PHASE_OPTION) $(if $(OUTPUT),--output "$(OUTPUT)") \
		$(if $(WITH_REFERENCE),--with-reference)

# make baselines ID=chalearn_gesture REFERENCE=DIR [OUTPUT=DIR]
baselines: .venv/run
	@$(BIN)/python -m organizer baselines $(ID) --reference "$(REFERENCE)" $(if $(OUTPUT),--output "$(OUTPUT)")

# make split ID=chalearn_gesture REFERENCE=DIR SHARES="30 70" [OUTPUT=DIR] [SEED=0] [GROUPS_CSV=item_groups.csv] [WRITE=1]
#   [REPLACE=1: lose what others put there]; three shares make development, test and final parts
split: .venv/run
	@$(BIN)/python -m organizer split $(ID) --reference "$(REFERENCE)" $(if $(OUTPUT),--output "$(OUTPUT)") \
		$(if $(SHARES),--shares $(SHARES)) $(if $(SEED),--seed $(SEED)) $(if $(GROUPS_CSV),--groups "$(GROUPS_CSV)") \
		$(if $(WRITE),--write) $(if $(REPLACE),--replace)

# make start ID=chalearn_gesture TITLE="Gestures 2028" [REPLACE=1: files that git could not bring back]
start: .venv/run
	@$(BIN)/python -m organizer start $(ID) --title "$(TITLE)" $(if $(REPLACE),--replace)

# make new-task ID=bird_calls TITLE="Bird calls" FORMAT=csv|json|segments
#   [METRIC=accuracy|balanced_accuracy|macro_f1|rmse|f1|segment_f1] [LABELS="robin wren owl"] [COLUMNS="valence arousal"];
#   f1 is for a list of labels for each item, with FORMAT=json; segment_f1 is for segments; columns are for rmse
new-task: .venv/dev
	@$(BIN)/python -m organizer new-task "$(ID)" --title "$(TITLE)" $(if $(FORMAT),--format $(FORMAT)) \
		$(if $(METRIC),--metric $(METRIC)) $(if $(LABELS),--labels "$(LABELS)") \
		$(if $(COLUMNS),--columns "$(COLUMNS)")

# make undo-new-task ID=bird_calls
undo-new-task: .venv/run
	@$(BIN)/python -m organizer undo-new-task "$(ID)"

# make bench [ID=chalearn_gesture] [SCALE="1 100"]
bench: .venv/run
	$(BIN)/python -m quality bench $(ID) $(if $(SCALE),--scale $(SCALE))

# make locks [UPGRADE=1: to newer versions]: without it the locks come out as they are. Those of vendored wheels are
# written by hand. Extras stay: pip does not take coverage==7.17.3 for coverage[toml], and looks for the newest one.
LOCK = .venv/locks/bin/uv pip compile --quiet --no-python-downloads --universal --generate-hashes --no-strip-extras --no-annotate \
	--no-header --no-emit-index-url $(if $(UPGRADE),--upgrade)
locks: .venv/locks/done
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit -o requirements/run.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra test --extra dev -o requirements/dev.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra test -o requirements/test.lock
	$(LOCK) --python-version 3.9 pyproject.toml --extra prepare --extra rescore --extra kit --extra scale -o requirements/scale.lock
	echo cosmic-ray==8.7.0 | $(LOCK) --python-version 3.11 - -o requirements/mutation.lock
	echo uv==0.13.9 | $(LOCK) --python-version 3.9 - -o requirements/locks.lock

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
