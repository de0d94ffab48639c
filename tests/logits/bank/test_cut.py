"""Cut rows give back what was kept and the exact numbers of the whole laws; whole and cut rows are never taken for each other."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.laws import entropy, kl, overlap, softmax, top_p, tv
from simspec.logits.bank import open_bank
from simspec.logits.bank.cut import SETTINGS, cut_rows, joined, likeliest
from tests.logits.bank.cut_banks import P, Q, R, write_cut_bank
from tests.logits.bank.sealed import rewrite


@pytest.fixture
def path(tmp_path):
    return write_cut_bank(tmp_path / "own.safetensors")


def test_a_cut_by_hand() -> None:
    """Token 0 is likely under P, token 3 under R, token 4 under Q: three are kept, and 1 and 2 are the rest."""
    cut = cut_rows([np.log(P), np.log(Q), np.log(R)], 3)
    assert cut.tokens[0].tolist() == [0, 3, 4] and cut.tokens.dtype == np.uint16
    assert cut.rest[0].round(12).tolist() == [6 / 16, 3 / 16, 2 / 16]
    assert np.exp(cut.logits[0].astype(float)).round(3).tolist() == [
        [1, 0.125, 0.125],
        [0.125, 0.5, 1],
        [0.083, 1, 0.083],
    ]
    plain = SETTINGS.index((1.0, 1.0))
    assert cut.overlap[0, :, plain].round(12).tolist() == [6 / 16, 5 / 16]
    greedy = SETTINGS.index((0.0, 1.0))
    assert cut.overlap[:, :, greedy].tolist() == [[0, 0], [1, 0]]
    assert cut.tv[0].round(12).tolist() == [10 / 16, 11 / 16]


def test_the_exact_numbers_are_those_of_the_whole_laws() -> None:
    rng = np.random.default_rng(0)
    logits = [rng.normal(size=(6, 40)) * 3 for _ in range(3)]
    cut = cut_rows(logits, 7)
    laws = [softmax(z) for z in logits]
    for draft in (0, 1):
        q = laws[1 + draft]
        assert np.allclose(cut.tv[:, draft], tv(laws[0], q), rtol=0, atol=1e-15)
        assert np.allclose(cut.kl[:, draft, 0], kl(laws[0], q)) and np.allclose(cut.kl[:, draft, 1], kl(q, laws[0]))
        for column, (temperature, mass) in enumerate(SETTINGS):
            p_there, q_there = (top_p(softmax(z, temperature), mass) for z in (logits[0], logits[1 + draft]))
            assert np.allclose(cut.overlap[:, draft, column], overlap(p_there, q_there))
    assert np.allclose(cut.entropy, np.stack([entropy(law) for law in laws], axis=1))
    # the negative control: none of these is what the cut law alone would give
    halves = [np.take_along_axis(law, cut.tokens.astype(int), -1) for law in laws]
    assert (cut.overlap[:, 0, SETTINGS.index((1.0, 1.0))] > np.minimum(*halves[:2]).sum(-1) + 1e-6).all()


def test_what_is_kept_is_what_is_likeliest_under_any_law() -> None:
    """Against a plain loop over tokens."""
    rng = np.random.default_rng(1)
    laws = rng.dirichlet(np.full(30, 0.3), size=(5, 3))
    for row, tokens in zip(laws, likeliest(laws, 8), strict=True):
        largest = [max(law[token] for law in row) for token in range(30)]
        ranked = sorted(range(30), key=lambda token: (-largest[token], token))
        assert tokens.tolist() == sorted(ranked[:8])


def test_a_cut_of_all_tokens_is_the_whole_law() -> None:
    cut = cut_rows([np.log(P), np.log(Q)], 9)
    assert cut.tokens.tolist() == [list(range(5))] * 2 and not cut.rest.any() and cut.error.max() < 1e-3


def test_parts_are_joined_in_order() -> None:
    logits = [np.log(P), np.log(Q)]
    whole = cut_rows(logits, 2)
    parts = joined([cut_rows([z[row : row + 1] for z in logits], 2) for row in (0, 1)])
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


@pytest.mark.parametrize(
    ("logits", "count", "message"),
    [
        ([P, Q], 0, "count: 0; expected at least 1 token"),
        ([P], 2, "logits: of 1 models; expected a target's and a draft's at least"),
        ([P, Q[:1]], 2, r"logits: shapes \[\(2, 5\), \(1, 5\)\]; expected \(contexts, vocabulary\), the same"),
        ([P, np.where(Q > 11 / 16, np.nan, Q)], 2, "logits: model 1, row 1 holds nan at token 4"),
    ],
)
def test_bad_rows_are_refused(logits, count, message) -> None:
    with pytest.raises(ValueError, match=message):
        cut_rows(logits, count)


def test_a_bank_holds_whole_and_cut_rows_and_says_which_is_which(path) -> None:
    bank = open_bank(path)
    cut = bank.cut
    assert (bank.contexts, cut.contexts, cut.kept, cut.whole.tolist()) == (1, 2, 2, [-1, 0])
    assert bank.corpus.tolist() == ["chat"] and cut.corpus.tolist() == ["code", "code"]
    p, q = cut.laws()
    assert p.shape == q.shape == (2, 3) and np.allclose(p.sum(axis=-1), 1) and np.allclose(p[:, -1], cut.rest[:, 0])
    assert np.allclose(p[0], [8 / 16, 1 / 16, 7 / 16], atol=1e-3) and cut.tokens(0).tolist() == [0, 3]
    assert (overlap(p, q) >= cut.overlap - cut.error).all()
    assert cut.overlap.round(12).tolist() == [6 / 16, 1] and cut.accepted(0.0).tolist() == [0, 1]
    assert (
        np.allclose(cut.tv, 1 - cut.overlap) and np.allclose(cut.kl, kl(P, Q)) and np.allclose(cut.reverse_kl, kl(Q, P))
    )
    assert np.allclose(cut.entropy, entropy(P)) and np.allclose(cut.draft_entropy, entropy(Q))
    facts = bank.facts()
    assert facts["contexts"] == "1 of 1 documents, whole rows"
    assert facts["cut contexts"] == "2 of 2 documents, of which 1 have a whole row too"
    assert facts["cut rows"].startswith("the 2 likeliest tokens, the rest as one mass")
    assert repr(cut) == "CutRows(2 contexts, 2 tokens and the rest as one mass)"


def test_each_draft_of_a_bank_is_read_by_its_name(path) -> None:
    bank = open_bank(path)
    other = bank.with_draft("far")
    assert bank.drafts == ("near", "far") and np.allclose(softmax(bank.draft()), Q[1:], atol=1e-3)
    assert np.allclose(softmax(other.draft()), R[1:], atol=1e-3) and other.cut.overlap.round(12).tolist() == [
        5 / 16,
        5 / 16,
    ]
    assert np.allclose(other.cut.draft_entropy, entropy(R)) and np.allclose(
        other.cut.laws()[1][:, -1], other.cut.rest[:, 1]
    )
    assert other.provenance["models"]["draft"]["name"] == "draft_2" and "this is far" in other.facts()["drafts"]
    assert bank.provenance["models"].keys() == {"target", "draft"}
    with pytest.raises(ValueError, match=r"^draft: 'fast'; expected a draft of bank 'own': near, far$"):
        bank.with_draft("fast")


def test_a_temperature_without_stored_values_and_a_row_that_is_cut_are_refused(path) -> None:
    bank = open_bank(path)
    with pytest.raises(
        ValueError, match=r"temperature, top_p: \(0.8, 1\); cut rows have stored values at \(0, 1\), .*whole rows"
    ):
        bank.cut.accepted(0.8)
    with pytest.raises(
        ValueError, match=r"expected rows 0..0 of 'target'.*the rows of its 2 cut contexts are in bank.cut$"
    ):
        bank.target(1)
    with pytest.raises(ValueError, match=r"of 'draft'.*are in bank.cut$"):
        bank.draft([0, 1])


CHANGES = {
    "tokens fall": ("cut_tokens", lambda x: x[:, ::-1], "cut_tokens: expected rising tokens below 5"),
    "a token too far": ("cut_tokens", lambda x: x + 3, "cut_tokens: expected rising tokens below 5"),
    "a mass above one": ("cut_rest", lambda x: x + 1, "cut_rest: holds 1.* expected numbers from 0 to 1"),
    "no number": ("cut_entropy", lambda x: x * np.nan, "cut_entropy: holds nan"),
    "fewer drafts": ("cut_kl", lambda x: x[:, :1], r"cut_kl: float64 of shape \(2, 1, 2\); expected numbers"),
    "a place that is not there": ("cut_whole", lambda x: x + 1, "cut_whole: entry 1 is 1; expected -1 to 0"),
    "no second draft": ("draft_2", lambda x: None, "draft_2: missing"),
    "no acceptance": ("cut_overlap", lambda x: None, "cut_overlap: missing"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_cut_rows_that_make_no_sense_are_refused(path, case) -> None:
    name, change, message = CHANGES[case]
    held = open_bank(path).file.read(name)
    rewrite(path, {name: change(held)})
    with pytest.raises(ValueError, match=f"^bank: own.safetensors: {message}"):
        open_bank(path)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"drafts": '["near"]'}, "drafts: .*; expected two names at least"),
        ({"drafts": '["near", "near"]'}, "drafts: .*; expected two names at least, all different"),
        ({"drafts": '["a", "b", "c"]'}, "draft_3: missing"),
        ({"cut_settings": None}, "cut_settings: .*; expected pairs of a temperature and a top-p"),
        ({"cut_settings": json.dumps([[0, 1]] * len(SETTINGS))}, "cut_settings: .*; expected the pair 1, 1 among them"),
    ],
)
def test_metadata_of_cut_rows_is_checked(path, metadata, message) -> None:
    rewrite(path, {}, metadata)
    with pytest.raises(ValueError, match=f"^bank: own.safetensors: {message}"):
        open_bank(path)


def test_a_bank_without_cut_rows_has_none() -> None:
    bank = open_bank("stories")
    assert bank.cut is None and bank.drafts == () and "cut contexts" not in bank.facts()
