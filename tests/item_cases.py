"""Golden and random cases of tasks that `make new-challenge` wrote.

``python -m tests.item_cases ID METRIC`` writes the golden cases of one.
"""

import json
import random
import sys

from quality.demo import load_demo
from scoring_program.challenge import load_challenge
from tests import plain_metrics
from tests.helpers import GOLDEN
from validator.findings import Findings


def golden_cases(name):
    """Yield truth, prediction and pinned score of each golden case of a task that `make new-challenge` wrote."""
    demo = load_demo(name)
    for path in sorted((GOLDEN / name).glob("*/expected.json")):
        truth, predicted = (
            demo.decode((path.parent / folder / file).read_text(encoding="utf-8"))
            for folder, file in (("ref", demo.TRUTH), ("res", demo.FILE))
        )
        yield truth, predicted, json.loads(path.read_text(encoding="utf-8"))["score"]


def random_cases(name, folder, n_cases=50):
    """Yield truth, prediction and score of random cases, with the items in any order."""
    demo, program = load_demo(name), load_challenge(name).program()
    for seed in range(n_cases):
        rng, findings = random.Random(seed), Findings()
        keys = [f"item{number}" for number in range(rng.randint(1, 30))]
        truth, predicted = (
            {key: demo.random_value(rng) for key in rng.sample(keys, len(keys))} for _ in range(2)
        )
        demo.write(folder / "ref" / demo.TRUTH, truth)
        demo.write(folder / "res" / demo.FILE, predicted)
        reference = program.load_reference(folder / "ref", {"detail": "summary"}, findings)
        submission = program.read_submission(folder / "res", reference, findings)
        assert findings.lines() == []
        yield truth, predicted, program.scores(program.measure(reference, submission, {}))["score"]


def write_golden_cases(name, metric):
    """Write three golden cases, with numbers of a brute-force computation."""
    demo, rng = load_demo(name), random.Random(3)
    for case in ("perfect", "random-1", "random-2"):
        folder = GOLDEN / name / case
        truth, predicted = ({f"item{n}": demo.random_value(rng) for n in range(8)} for _ in range(2))
        predicted = truth if case == "perfect" else predicted
        demo.write(folder / "ref" / demo.TRUTH, truth)
        demo.write(folder / "res" / demo.FILE, predicted)
        expected = {"score": getattr(plain_metrics, metric)(truth, predicted), "coverage": 1.0}
        (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_golden_cases(*sys.argv[1:])
