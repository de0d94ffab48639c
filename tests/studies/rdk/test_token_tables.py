"""Recorded token counts: ties in a ranking, what is stored, counting again from texts of one's own."""

import json

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.studies.rdk import token_tables as tables
from simspec.studies.rdk.token_counts import carrying, tail_mass
from tests.requirements import require

NAMES = ("gpt2", "stories", "tinystories", "wiki")


def test_ties_count_with_their_mean_whatever_the_order() -> None:
    """Two tokens tie for the second place; one of them has all that is left."""
    counts, ranking = np.array([2, 2, 0, 0]), np.array([9, 1, 1, 0])
    assert carrying(tables.levelled(counts, ranking), ranking, 0.75) == 0.5
    assert tail_mass(tables.levelled(counts, ranking), ranking, 0.5) == 0.25
    turned = tables.levelled(counts[[0, 2, 1, 3]], ranking)
    assert carrying(turned, ranking, 0.75) == 0.5
    assert {carrying(counts, ranking, 0.75), carrying(counts[[0, 2, 1, 3]], ranking, 0.75)} == {0.5, 0.75}


def test_compressed_counts_come_back_up_to_order() -> None:
    counts = np.array([[3, 0, 0, 5], [1, 2, 2, 0]])
    vectors, types = tables.compressed(counts)
    back = np.repeat(vectors, types, axis=1)
    assert sorted(map(tuple, back.T.tolist())) == sorted(map(tuple, counts.T.tolist()))
    assert vectors.shape == (2, 3)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_corpora_hold_half_a_million_tokens(name) -> None:
    told = tables.provenance()
    mine = [table for table in tables.read_tables() if table.tokenizer == name]
    assert {table.corpus for table in mine} == {*told["corpora"]}
    for table in mine:
        assert table.counts.shape == (told["folds"], told["tokenizers"][name]["vocab"])
        assert table.counts.sum() >= 500_000
        assert table.counts.sum(axis=1).min() > 0.1 * table.counts.sum() / told["folds"]


def test_a_study_has_a_cell_for_each_corpus() -> None:
    found = gather(tables.token_tables("stories"))
    assert [result.cell["corpus"] for result in found] == ["gsm8k", "medquad", "wikitext2"]
    for result in found:
        values = result.values
        assert len(values["carrying"]) == tables.FOLDS
        assert (values["tail"] > 0).all() and (values["tail"] < 0.75).all()
        assert values["pooled carrying"][0] <= values["carrying"].max() + 1 / 512


def test_counting_texts_of_ones_own(tmp_path) -> None:
    require("torch")  # the extra that brings tokenizers
    import tokenizers

    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "words.json"))
    (tmp_path / "texts.json").write_text(json.dumps(["a " * 300, "b " * 300, "c " * 299 + "a"]))
    out = tmp_path / "counts.npz"
    given = [f"--tokenizer=w={tmp_path / 'words.json'}", f"--corpus=t={tmp_path / 'texts.json'}", f"--out={out}"]
    assert tables.main(given) == 0
    (table,) = tables.read_tables(out)
    assert (table.tokenizer, table.corpus) == ("w", "t")
    assert sorted(map(tuple, table.counts[:3].T.tolist())) == [(0, 0, 299), (0, 300, 0), (300, 0, 1)]
    assert tables.provenance(out)["corpora"]["t"]["documents"] == 3
