"""Readers of input -> output pairs on tiny files, the split, and the standard library's own corpora."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.logits.bank import MissingPart
from simspec.logits.corpora import (
    TASKS,
    Corpus,
    library,
    read_conllu,
    read_corpus,
    read_pairs,
    read_slurp,
    read_stories,
    split,
    standard_library,
    words,
)

SLURP = {
    "sentence": "wake me at ten am on friday",
    "intent": "alarm_set",
    "annotation": "wake me at [time : ten am] on [date : friday]",
}
TREE = (
    "# sent_id = 1\n"
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tdo\tdo\tAUX\t_\t_\t_\t_\t_\t_\n"
    "2\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_\n"
    "2.1\tgo\tgo\tVERB\t_\t_\t_\t_\t_\t_\n"
    "\n"
    "1\tStop\tstop\tVERB\t_\t_\t_\t_\t_\t_\n"
)


def _file(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def _lines(tmp_path, name, records):
    return _file(tmp_path, name, "\n".join(json.dumps(r) for r in records) + "\n")


# --- readers ----------------------------------------------------------------------------------------------------------


def test_text_with_tabs(tmp_path) -> None:
    corpus = read_corpus(_file(tmp_path, "capitals.tsv", "France\tParis\n\nChad\tN'Djamena\twest\n"))
    assert corpus.inputs == ("France", "Chad") and corpus.outputs == ("Paris", "N'Djamena\twest")
    assert corpus.name == "capitals" and corpus.source == f"{tmp_path.name}/capitals.tsv"


def test_fields_are_found_or_named(tmp_path) -> None:
    path = _lines(tmp_path, "qa.jsonl", [{"question": "1+1?", "answer": "2", "level": "easy", "labels": ["a", "b"]}])
    assert read_pairs(path)[1:3] == (("1+1?",), ("2",))
    assert read_pairs(path, output_field="level").outputs == ("easy",)
    assert read_pairs(path, "answer", "labels", name="mine")[:3] == ("mine", ("2",), ("a, b",))


def test_a_field_is_not_both_input_and_output(tmp_path) -> None:
    path = _lines(tmp_path, "odd.jsonl", [{"source": "a", "answer": "b", "summary": "c"}])
    assert read_pairs(path, input_field="answer").outputs == ("c",)


def test_part_of_speech_tags_without_ranges_and_empty_nodes(tmp_path) -> None:
    path = _file(tmp_path, "tree.conllu", TREE)
    assert read_conllu(path)[1:3] == (("do n't", "Stop"), ("AUX PART", "VERB"))
    assert read_corpus(path).outputs == ("AUX PART", "VERB")


def test_slots_in_their_order(tmp_path) -> None:
    path = _lines(tmp_path, "calls.jsonl", [SLURP, {**SLURP, "annotation": "wake me"}])
    wanted = ("intent: alarm_set, slots: time = ten am, date = friday", "intent: alarm_set, slots: none")
    assert read_slurp(path).outputs == wanted and read_corpus(path).outputs == wanted
    assert read_corpus(path, "sentence", "intent").outputs == ("alarm_set", "alarm_set")


def test_first_sentence_and_the_rest(tmp_path) -> None:
    path = _file(tmp_path, "stories.json", ['"Hi there!" said Tim. He ran.\nHe fell.', "One sentence only."])
    corpus = read_corpus(path)
    assert corpus.inputs == ('"Hi there!"',) and corpus.outputs == ("said Tim. He ran.\nHe fell.",)
    assert read_stories(path) == corpus


def test_a_json_list_of_records(tmp_path) -> None:
    assert read_corpus(_file(tmp_path, "pairs.json", [{"text": "a", "code": "b"}])).outputs == ("b",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "no tab here", "a.txt, line 1 has no tab"),
        ("a.txt", "\n \n", "a.txt holds no pairs"),
        ("a.jsonl", "", "a.jsonl holds no records"),
        ("a.jsonl", '{"question": "a", "answer": "b"}\n{', "a.jsonl, line 2"),
        ("a.jsonl", '{"question": "a", "answer": "b"}\n{"question": "a"}', "record 2: no text in field 'answer'"),
        ("a.jsonl", '{"question": "a", "answer": 3}', "record 1: no text in field 'answer'"),
        ("a.jsonl", "[1]", "record 1 is a list"),
        ("a.jsonl", '{"one": "a"}', "has the fields one; name its input field"),
        ("a.jsonl", '{"question": "a"}', "name its output field"),
        ("a.json", "{}", "holds a dict; expected a list"),
        ("a.json", "[", "expected a JSON list"),
        ("a.json", '["A. B.", 3]', "record 2 is a int"),
        ("a.json", '["one sentence"]', "holds no pairs"),
        ("a.conllu", "1\tone\n", "line 1 has 2 fields"),
        ("a.conllu", "# nothing\n", "holds no pairs"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, name, content, message) -> None:
    with pytest.raises(ValueError, match="corpus: ") as error:
        read_corpus(_file(tmp_path, name, content))
    assert message in str(error.value)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path) -> None:
    assert read_corpus(_file(tmp_path, "a.tsv", "\ufeffone\ttwo")).inputs == ("one",)
    assert read_corpus(_file(tmp_path, "a.jsonl", '\ufeff{"input": "one", "output": "two"}')).inputs == ("one",)


def test_missing_files_other_encodings_and_fields_of_plain_text(tmp_path) -> None:
    with pytest.raises(ValueError, match="no file"):
        read_corpus(tmp_path / "none.jsonl")
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tnoir")
    with pytest.raises(ValueError, match="expected UTF-8"):
        read_corpus(tmp_path / "latin.tsv")
    deep = _file(tmp_path, "deep.json", "[" * 100_000), _file(tmp_path, "deep.jsonl", "[" * 100_000)
    for path in deep:
        with pytest.raises(ValueError, match="too deeply nested"):
            read_corpus(path)
    with pytest.raises(ValueError, match="fields can be named"):
        read_corpus(_file(tmp_path, "a.tsv", "a\tb"), "question")


# --- split ------------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xy")), min_size=2, max_size=40),
    st.floats(0.05, 0.95),
    st.integers(0, 5),
)
def test_no_input_is_on_both_sides_and_no_pair_is_lost(pairs, share, seed) -> None:
    inputs, outputs = zip(*pairs, strict=True)
    corpus = Corpus("c", inputs, outputs, "drawn")
    if len(set(inputs)) < 2:
        with pytest.raises(ValueError, match="expected two or more"):
            split(corpus, share, seed)
        return
    train, test = split(corpus, share, seed)
    assert train.inputs and test.inputs and not set(train.inputs) & set(test.inputs)
    both = [*zip(*train[1:3], strict=True), *zip(*test[1:3], strict=True)]
    assert sorted(both) == sorted(pairs)
    assert split(corpus, share, seed) == (train, test)


def test_the_share_and_the_seed() -> None:
    corpus = Corpus("c", tuple(map(str, range(1000))), tuple(map(str, range(1000))), "numbers")
    (train, test), (_, other) = split(corpus, 0.25, 0), split(corpus, 0.25, 1)
    assert len(test.inputs) == 250 and len(train.inputs) == 750 and test.inputs != other.inputs
    assert list(test.inputs) == sorted(test.inputs, key=int)
    for share in (0, 1, -1, float("nan")):
        with pytest.raises(ValueError, match="share"):
            split(corpus, share)


# --- the standard library ---------------------------------------------------------------------------------------------


def test_words() -> None:
    assert words("def f_1(x): # naïve") == ["def", "f_1", "(", "x", ")", ":", "#", "naïve"]
    assert words(" \n") == []


@pytest.mark.parametrize("task", TASKS)
def test_a_thousand_pairs_each(task) -> None:
    corpus = standard_library(task)
    assert len(corpus.inputs) == len(corpus.outputs) > 800
    assert all(map(str.strip, corpus.inputs)) and all(map(str.strip, corpus.outputs))
    assert task in corpus.source


def test_tags_are_few_and_docstrings_are_many() -> None:
    tags = {word for text in standard_library("tagging").outputs for word in words(text)}
    free = {word for text in standard_library("docstrings").outputs for word in words(text)}
    assert {"NAME", "LPAR", "INDENT"} <= tags and len(tags) < 80 < 2000 < len(free)
    assert all(
        words(text).count("INDENT") == words(text).count("DEDENT") > 0 for text in standard_library("tagging").outputs
    )


def test_a_method_loses_its_margin_and_a_string_at_the_margin_stays() -> None:
    text = 'class A:\n    @property\n    def f(self):\n        x = """\nat the margin"""\n        return x\n'
    [(source, tags)] = library.tagged(text, ast.parse(text))
    assert source == 'def f(self):\n    x = """\nat the margin"""\n    return x'
    assert tags == "NAME NAME LPAR NAME RPAR COLON NEWLINE INDENT NAME EQUAL STRING NEWLINE NAME NAME NEWLINE DEDENT"


def test_short_and_long_functions_are_left_out_but_not_what_is_in_them() -> None:
    inner = "    def g(y):\n        y += 1\n        return y\n"
    text = "def short(x):\n    return x\n\ndef long(x):\n" + inner + "    x += 1\n" * library.LONGEST
    assert [source.split("(")[0] for source, _ in library.tagged(text, ast.parse(text))] == ["def g"]
    within = "def f(x):\n" + inner + "    return g(x)\n"
    assert [source.split("(")[0] for source, _ in library.tagged(within, ast.parse(within))] == ["def f"]


def test_another_task_and_a_library_without_sources(monkeypatch, tmp_path) -> None:
    with pytest.raises(ValueError, match="task: 'poems'; expected tagging or docstrings"):
        standard_library("poems")
    monkeypatch.setattr(library.sysconfig, "get_path", lambda name: str(tmp_path / "python.zip"))
    with pytest.raises(MissingPart, match="no sources in"):
        library.pairs.__wrapped__()
    (tmp_path / "python.zip").mkdir()
    (tmp_path / "python.zip" / "argparse.py").write_text('def f(x):\n    """Text."""\n    return x\n')
    found = library.pairs.__wrapped__()
    assert found["docstrings"] == (("def f(x):", "Text."),) and len(found["tagging"]) == 1
