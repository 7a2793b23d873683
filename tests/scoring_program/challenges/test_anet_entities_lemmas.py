"""Lemmas: the table, the rule beside it, CoreNLP itself, and the same number from each way of preparing."""

from __future__ import annotations

import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.__main__ import main
from organizer.data.corenlp import lemmatize
from people_in_video.references.lemmas import lemmas_from_table, load_table
from scoring_program.challenges.anet_entities.lemmas import Lemmas
from scoring_program.run import SCORED
from scoring_program.task import load_task
from tests.helpers import GOLDEN, ROOT, run_folder, values_of
from validator.findings import Refused
from validator.formats.anet_entities.write import encode_submission, segment_objects

GEN = "anet_entities_gen"
CASES = sorted(path.parent for path in (GOLDEN / GEN).glob("*/released.json"))
TABLE = load_table()


def prepare(source, output, *options):
    return main(["prepare", GEN, "--source", str(source), "--output", str(output), *map(str, options)])


def write_source(folder, tokens, settings=""):
    """Write a reference of one segment with these tokens after the annotated word "man"."""
    segment = {
        "process_clss": [["man"]],
        "tokens": ["man", *tokens],
        "frame_ind": [0],
        "process_idx": [[0]],
        "process_bnd_box": [[10, 10, 50, 50]],
    }
    folder.mkdir(exist_ok=True)
    reference = {"vocab": ["man"], "annotations": {"v_a": {"segments": {"0": segment}}}}
    (folder / "reference.json").write_text(json.dumps(reference))
    (folder / "split.json").write_text('{"validation": ["v_a"]}')
    (folder / "settings.yaml").write_text(settings)
    return folder


def submission(*classes):
    n = len(classes)
    boxes = [[[10, 10, 50, 50]] * 10] * n
    objects = segment_objects(list(classes), list(range(n)), boxes)
    return encode_submission({"v_a": {"0": objects}}, "gen")


def files(folder):
    # The names that a run reads; the arrays of a prepared reference give what the JSON gives.
    names = ("reference.json", "split.json", "settings.yaml", "lemmas.json", "lemmatizer.txt")
    return {name: (folder / name).read_text() for name in names if (folder / name).is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_numbers_of_the_released_script_with_corenlp(case, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))  # no java
    assert prepare(case / "source", tmp_path / "ready") == 0
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "my.zip").write_bytes((case / "submission.zip").read_bytes())
    released = json.loads((case / "released.json").read_text())
    # The second is a participant with annotations that nobody prepared.
    for number, reference in enumerate((tmp_path / "ready", case / "source")):
        output = tmp_path / f"out{number}"
        outcome = run_folder(GEN, reference, tmp_path / "res", output, protocol="released")
        assert outcome.exit_code == SCORED
        assert "|lemmas:corenlp-3.9.1-table+0|" in capsys.readouterr().out
        scores = json.loads((output / "scores.json").read_text())
        for mode, numbers in released.items():
            keys = [
                f"{name}_{mode}{of}" for of in ("", "_per_sent") for name in ("precision", "recall", "f1")
            ]
            assert [scores[key] for key in keys] == pytest.approx(numbers, abs=1e-9)


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("ground", "ground"), ("shorts", "shorts"), ("them", "they"), ("his", "he"), ("hers", "hers"), ("an", "a"),
     ("was", "be"), ("men", "man"), ("Women", "woman"), ("t-shirts", "t-shirt"), ("left", "left"), ("knives", "knife"),
     ("tired", "tired"), ("moped", "mope"), ("Russian", "russian"), ("wakeboarding", "wakeboard"), ("lying", "lie"),
     ("(", "-lrb-"), ('"', "''"), ("n't", "not"), ("'ll", "`"), ("=)", "=")],
)  # fmt: skip
def test_lemmas_of_telling_words(word, lemma):
    assert TABLE[word] == lemma


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("wugs", "wug"), ("wuggies", "wuggy"), ("wuxes", "wux"), ("wugging", "wug"), ("wuking", "wuke"), ("wugged", "wug"),
     ("wus", "wus"), ("wrsting", "wrsting"), ("x-wugs", "x-wug"), ("un-wugged", "un-wugged"), ("Wugs", "Wugs"), ("WUGS", "WUGS"),
     ("1234TH", "1234th"), ("[", "-lsb-"), ("}", "-rcb-"), ("“", "``"), ("…", "..."), ("!!!", "!!!"),
     ("knives!", "knife"), ("men’s", "man"), ("couldn't", "could"), ("couldn't wug", "could"), ("shorts wug", "shorts"), ("(wug)", "-lrb-"),
     ("\u200bmen", "man"), ("\u200b", "\u200b"), (" ", " ")],
)  # fmt: skip
def test_words_that_the_table_does_not_hold(word, lemma):
    assert word not in TABLE
    assert Lemmas(TABLE, "rule")(word) == lemma


def test_missing_words_follow_the_chosen_fallback():
    rule, lower = Lemmas({"men": "man"}, "rule"), Lemmas({"men": "man"}, "lower")
    assert (rule("men"), rule("dogs"), rule("Dogs"), lower("Dogs")) == ("man", "dog", "Dogs", "dogs")
    assert lower.missing == {"Dogs"}


TOKENS = ["short", "running", "they", "wugs", "Wugs", "(", "saw", "men", "ground"]
WORDS = st.one_of(
    st.sampled_from(sorted(TABLE)),
    st.sampled_from(["shorts", "them", "grounds", "wug", "wuged", "Wugs", "Wug", "mens"]),
    st.text(st.sampled_from("wugsSinge(' "), max_size=7),
)


@pytest.fixture(scope="module", params=["rule", "lower"])
def both(request):
    """Return the whole table and what `prepare` keeps of it, each with one of the fallbacks."""
    kept = lemmas_from_table(TOKENS, TOKENS, request.param).lemmas
    return Lemmas(TABLE, request.param), Lemmas(kept, request.param)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, st.sampled_from(["", "s", "ing", " wug", "!"])).map("".join), min_size=20))
def test_what_prepare_keeps_decides_as_the_whole_table(both, words):
    whole, kept = both
    assert len(kept.table) < 1000
    wanted = {whole(token) for token in TOKENS}
    assert [kept(word) in wanted for word in words] == [whole(word) in wanted for word in words]


@pytest.mark.slow
def test_classes_outside_the_vocabulary_are_judged_by_the_table(run, tmp_path):
    prepare(write_source(tmp_path / "source", ["short", "they"]), tmp_path / "ready")
    table = json.loads((tmp_path / "ready" / "lemmas.json").read_text())
    assert table["them"] == "they"
    # The rule alone would make it "short".
    assert table["shorts"] == "shorts"
    reference = {**files(tmp_path / "source"), **files(tmp_path / "ready")}
    scores = run(GEN, reference, submission("man", "them", "Short")).scores
    assert scores["precision_all_per_sent"] == 1
    assert run(GEN, reference, submission("man", "shorts")).scores["precision_all_per_sent"] == 0.5


@pytest.mark.slow
def test_prepare_names_unknown_words_and_the_signature_counts_them(run, tmp_path, capsys):
    unknown = [f"wug{letter}s" for letter in "abcdefghijkl"]
    source = write_source(tmp_path / "source", ["them", "\u200b", *unknown])
    assert prepare(source, tmp_path / "ready") == 0
    out = capsys.readouterr().out
    by_rule, unchanged = (line for line in out.splitlines() if "N-LEMMAS" in line)
    assert values_of(by_rule)[:3] == ["13", "'wugas'", "'wugbs'"]
    assert by_rule.endswith("'wugjs' and 3 more")
    assert values_of(unchanged) == ["1"]
    table = json.loads((tmp_path / "ready" / "lemmas.json").read_text())
    assert (table["wugas"], table["\u200b"]) == ("wuga", "\u200b")
    reference = {**files(source), **files(tmp_path / "ready")}
    assert "|lemmas:corenlp-3.9.1-table+13|" in run(GEN, reference, submission("man")).out


@pytest.mark.slow
@pytest.mark.parametrize(("fallback", "means"), [("rule", "by a rule"), ("lower", "in lower case")])
def test_note_counts_guessed_classes(run, tmp_path, fallback, means):
    """At home; on the platform nothing is told of annotated words."""
    # In both fallbacks these are the lemmas of tokens; "blicket" is not.
    tokens = ["wuga", "wugb", "wugc", "wugd", "wuge"]
    guessed = [f"{token[:3]}{token[3:].upper()}" for token in tokens]
    source = write_source(tmp_path / "source", tokens, f"lemma_fallback: {fallback}\n")
    classes = submission("man", "blicket", *guessed)
    assert "N-LEMMAS" not in run(GEN, files(source), classes, detail="full").out
    for predicted, count in ((classes, "6"), (submission("man", "blicket", guessed[0]), "2")):
        outcome = run(GEN, files(source), predicted, detail="full", at_home=True)
        (note,) = [note["text"] for note in outcome.detail["notes"] if note["code"] == "N-LEMMAS"]
        assert values_of(note)[0] == count
        assert ("by a rule" in note) == (fallback == "rule")
        assert means in note
    assert "N-LEMMAS" not in run(GEN, files(source), submission("man"), detail="full", at_home=True).out


def test_reference_without_lemmas_is_refused_on_the_platform(tmp_path):
    ready = tmp_path / "ready"
    assert prepare(write_source(tmp_path / "source", ["them"]), ready) == 0
    (ready / "lemmas.json").unlink()
    task = load_task(GEN)
    with pytest.raises(Refused, match=r"E-REF-LEMMAS lemmas\.json: "):
        task.load(ready, task.settings(ready))


def test_lemmas_that_lack_tokens_are_found(tmp_path, capsys):
    source = write_source(tmp_path / "source", ["them", "near"])
    (source / "lemmas.json").write_text('{"man": "man", "them": "they"}')
    assert prepare(source, tmp_path / "ready") == 1
    assert re.search("E-REF-LEMMAS lemmas.json: [^;]*'near'", capsys.readouterr().out)
    assert not (tmp_path / "ready").exists()
    (source / "settings.yaml").write_text("lemma_fallback: lower\n")
    assert prepare(source, tmp_path / "ready") == 0
    assert re.search("N-REF-LEMMAS: 1 .* lower case", capsys.readouterr().out)
    assert (tmp_path / "ready" / "settings.yaml").exists()


# Answers with the upper case, and with "NEIGHBOR" for odd words that are not alone; writes down what it was asked.
JAVA = """
import json, sys
a = sys.argv
text = open(a[a.index('-file') + 1], encoding='utf-8', newline='').read()
open({asked!r}, 'a').write(json.dumps(text) + '\\n')
lines, sentences, at = text.split('\\n')[:-1], [], 0
for line in lines:
    if line.strip(' \\u200b'):
        odd = len(lines) > 1 and not line.replace('-', '').isalnum()
        token = {{'characterOffsetBegin': at, 'lemma': 'NEIGHBOR' if odd else line.upper()}}
        sentences.append({{'tokens': [token, {{'characterOffsetBegin': at + 1, 'lemma': 'x'}}]}})
    at += len(line.encode('utf-16-le')) // 2 + 1
folder = a[a.index('-outputDirectory') + 1]
json.dump({{'sentences': sentences}}, open(folder + '/words.txt.json', 'w'))
"""


@pytest.fixture
def corenlp(tmp_path, monkeypatch):
    """Return a folder that looks like CoreNLP 3.9.1, with a stand-in for java on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    java = folder / "java"
    java.write_text(f"#!{sys.executable}\n" + JAVA.format(asked=str(folder / "asked")))
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    (folder / "stanford-corenlp-3.9.1.jar").touch()
    return folder


def ask(folder, words):
    return lemmatize(folder, False, words, [], "rule")


@pytest.mark.slow
def test_corenlp_is_asked_plain_words_together_and_odd_ones_alone(corenlp):
    odd = ["\U0001f600s", "wug.", "\u200b"]
    lemmas, lemmatizer, (note,) = ask(corenlp, ["t-shirt", "'ll", "dogs", "𝒲ug", "wugs", *odd])
    assert [json.loads(line) for line in (corenlp / "asked").read_text().split()] == [
        "dogs\nt-shirt\nwugs\n𝒲ug\n",
        "wug.\n",
        "\u200b\n",
        "\U0001f600s\n",
    ]
    assert lemmatizer == "corenlp-3.9.1"
    # "'ll" comes from the table.
    assert lemmas.pop("'ll") == "`"
    assert lemmas.pop("\u200b") == "\u200b"
    assert all(lemma == word.upper() for word, lemma in lemmas.items())
    assert (note.code, values_of(note.text)) == ("N-LEMMAS-NO-TOKEN", ["1"])


def test_another_version_of_corenlp_must_be_forced(corenlp, tmp_path, capsys):
    (corenlp / "stanford-corenlp-3.9.1.jar").rename(corenlp / "stanford-corenlp-3.9.2.jar")
    source = write_source(tmp_path / "source", ["dogs", "'ll"])
    assert prepare(source, tmp_path / "ready", "--corenlp", corenlp) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "E-CORENLP" in line]
    assert line.startswith(f"1. E-CORENLP {corenlp}: ")
    assert line.index("3.9.2") < line.index("3.9.1")
    assert prepare(source, tmp_path / "ready", "--corenlp", corenlp, "--force-corenlp") == 0
    assert re.search(r"note N-CORENLP: .*3\.9\.2", capsys.readouterr().out)
    table = json.loads((tmp_path / "ready" / "lemmas.json").read_text())
    # The table of 3.9.1 has no part in it.
    assert table == {"man": "MAN", "dogs": "DOGS", "'ll": "'LL"}
    assert (tmp_path / "ready" / "lemmatizer.txt").read_text() == "corenlp-3.9.2\n"


@pytest.mark.slow
def test_corenlp_brings_the_other_words_too(corenlp, tmp_path):
    source = write_source(tmp_path / "source", ["they", "'ll"])
    assert prepare(source, tmp_path / "ready", "--corenlp", corenlp) == 0
    table = json.loads((tmp_path / "ready" / "lemmas.json").read_text())
    assert (table["they"], table["'ve"]) == ("THEY", "`")


@pytest.mark.slow
def test_corenlp_that_cannot_run_is_a_problem(corenlp, monkeypatch):
    (corenlp / "java").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no memory')\n")
    for words in (["dogs", "wug."], ["wug."]):
        with pytest.raises(Refused, match=r"E-CORENLP .*: no memory") as refused:
            ask(corenlp, words)
        assert refused.value.findings.total == 1
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Refused, match=r"E-CORENLP .*PATH"):
        ask(corenlp, ["wug."])
    with pytest.raises(Refused, match=r"E-CORENLP .*stanford-corenlp-X\.Y\.Z\.jar"):
        ask(ROOT, ["dogs"])
