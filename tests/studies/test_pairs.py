"""Pairs for studies: the draft's laws on the target's vocabulary, and correlated logits."""

import sys

import numpy as np
import pytest

from simspec.engine.study import Rows, simulate
from simspec.kernels import synthetic as kernels
from simspec.kernels.random import Draws
from simspec.kernels.synthetic.reference import Model, overlap_bound
from simspec.laws import overlap, softmax
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.logits.capture.pair import pair_bank
from simspec.methods import tli
from simspec.studies.catalogue import acceptance
from simspec.studies.pairs import (
    bank_knows,
    bank_laws,
    draft_laws,
    read_laws,
    synthetic_acceptance,
    synthetic_logits,
)
from simspec.studies.sd.wide import wide_vocabulary
from simspec.tools.rates.compute import Options, measured, rules_of
from simspec.tools.reading import load
from tests.engine.fakes import FakeBank


class HalfShared(FakeBank):
    """A draft that shares the first two of four tokens."""

    def __init__(self) -> None:
        super().__init__(vocab=4)
        self.shared = np.array([True, True, False, False])

    def draft_on_target(self, q):
        return np.where(self.shared, q, 0)


def test_unshared_tokens_are_dropped_by_hand() -> None:
    bank = HalfShared()
    z = np.log([[0.4, 0.1, 0.3, 0.2]])
    np.testing.assert_allclose(draft_laws(bank, z), [[0.8, 0.2, 0, 0]])
    np.testing.assert_allclose(draft_laws(bank, z), tli(bank.shared).propose(softmax(z)))


def test_a_draft_that_is_certain_of_an_unshared_token_is_uniform_on_the_shared() -> None:
    """At temperature 0 all mass is on token 2, which is not shared: as `tli` proposes, whichever study asks."""
    bank = HalfShared()
    assert draft_laws(bank, np.array([[0.0, 1.0, 3.0, 2.0]]), temperature=0).tolist() == [[0.5, 0.5, 0, 0]]
    stories = open_bank("stories")
    _, q = bank_laws(stories, temperature=0)
    assert (q[:, ~stories.shared] == 0).all()
    np.testing.assert_allclose(q.sum(axis=-1), 1)


def test_a_bank_without_a_draft_is_refused() -> None:
    with pytest.raises(MissingPart, match="'fake' has no draft"):
        bank_laws(FakeBank(draft=False))


def test_rows_of_synthetic_logits_do_not_depend_on_their_block() -> None:
    cell = {"vocab": 7, "scale": 2.0, "rho": 0.5, "df": 5}
    for whole, part in zip(*(synthetic_logits(cell, Rows(3, part)) for part in (range(6), range(4, 6))), strict=True):
        np.testing.assert_array_equal(whole[4:], part)


# ---- acceptance without stored logits ----


def test_acceptance_by_hand() -> None:
    assert synthetic_acceptance({"vocab": 1, "scale": 2.0, "rho": 0.0}, Rows(1, range(3))).tolist() == [1, 1, 1]
    for dtype in (np.float64, np.float32):
        same = synthetic_acceptance({"vocab": 9000, "scale": 2.0, "rho": 1, "df": 4}, Rows(1, range(3)), dtype)
        np.testing.assert_allclose(same, 1, atol=1e-6)
        assert (same <= 1).all()  # a measure refuses what rounding puts above 1
    flat = synthetic_acceptance({"vocab": 64, "scale": 0.0, "rho": 0.3}, Rows(1, range(2)))
    np.testing.assert_allclose(flat, 1, atol=1e-12)


@pytest.mark.parametrize("df", [None, 10, 3.0, 0.5])
@pytest.mark.parametrize(("vocab", "rows"), [(3, 5), (1000, 9), (5000, 4)])
def test_acceptance_is_the_overlap_of_the_stored_laws(vocab, rows, df) -> None:
    """Within the kernel's bounds: of the laws' arithmetic in float64, of draws and laws in float32."""
    key = int(np.random.default_rng().integers(2**63))
    print("key", key)
    asked = Rows(key, range(7, 7 + rows))
    for rho, scale in ((0.0, 1.0), (0.9, 2.0), (-0.5, 3.0)):
        cell = {"vocab": vocab, "scale": scale, "rho": rho} | ({} if df is None else {"df": df})
        expected = overlap(*map(softmax, synthetic_logits(cell, asked)))
        got = synthetic_acceptance(cell, asked)
        assert got.shape == (rows,) and got.dtype == np.float64
        assert (abs(got - expected) <= kernels.law_bound(vocab, np.float64)).all()
        if df == 0.5:  # float32 logits of so heavy tails are rounded by more than any bound of use
            continue
        model = Model(np.inf if df is None else df, scale=scale, rho=rho)
        units, law = kernels.draw_bound(model.df, np.float32), kernels.law_bound(vocab, np.float32)
        bound = overlap_bound(Draws(*asked, (0, 1), np.float64), vocab, model, units, law)
        assert (abs(synthetic_acceptance(cell, asked, np.float32) - expected) <= bound).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("vocab", [1, 40, 1000, 5000])
def test_rows_of_acceptance_do_not_depend_on_their_block(vocab, dtype) -> None:
    """Also where a block is large enough for compiled code and one row alone is not."""
    cell = {"vocab": vocab, "scale": 2.0, "rho": 0.5, "df": 5}
    whole = synthetic_acceptance(cell, Rows(3, range(5, 21)), dtype)
    for row in (0, 7, 15):
        np.testing.assert_array_equal(
            synthetic_acceptance(cell, Rows(3, range(5 + row, 6 + row)), dtype), whole[row : row + 1]
        )
    assert synthetic_acceptance(cell, Rows(3, range(5, 5)), dtype).shape == (0,)


def test_acceptance_is_drawn_where_it_is_asked_for(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(kernels, "synthetic_overlap", lambda d, v, m, xp: asked.append(xp) or np.full(len(d.rows), 1.5))
    assert synthetic_acceptance({"vocab": 9, "scale": 1, "rho": 0}, Rows(0, range(2)), xp="cupy").tolist() == [1, 1]
    for study in (acceptance(), wide_vocabulary((9,))):
        monkeypatch.setattr(sys.modules[study.simulate.__module__], "arrays", lambda device: f"arrays of {device}")
        found = simulate(study, {**study.grid[0], "vocab": 9}, 0, range(3), "gpu")
        assert found["alpha"].tolist() == [1, 1, 1]
    assert asked == ["cupy", "arrays of gpu", "arrays of gpu"]


READ = {"p": [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], "q": [[0.5, 0.25, 0.125, 0.125], [0.0, 0.0, 0.0, 1.0]]}
"""Laws of three target and four draft tokens; the draft's last token cannot be read by the target."""
FIRST = [1, 1, 0, -1]


@pytest.fixture
def read_bank(tmp_path):
    arrays = {**READ, "draft_to_target": [1, -1, 0, -1], "draft_first": FIRST, "position": [1, 0], "document": [0, 0]}
    return pair_bank(arrays, tmp_path / "read.safetensors", storage="float32")


def test_laws_of_the_token_with_which_a_drafted_text_begins(read_bank) -> None:
    """In the first row 3/4 on token 1 and 1/8 on token 0, of 7/8; in the second the draft says nothing that can be read."""
    psi = read_laws(read_bank, read_bank.draft().astype(float))
    assert np.allclose(psi, [[1 / 7, 6 / 7, 0], [0.5, 0.5, 0]], atol=1e-6)
    known = bank_knows(read_bank)
    assert np.allclose(known.read(slice(0, 1)), psi[:1]) and np.allclose(known.read(np.array([1, 0])), psi[::-1])
    greedy = bank_knows(read_bank, 0.0)
    assert np.allclose(greedy.read(slice(0, 1)), [[0, 1, 0]])
    assert bank_knows(open_bank("stories")).read is None
    with pytest.raises(
        MissingPart, match="has no draft_first; expected a bank captured with a draft of another tokenizer"
    ):
        read_laws(open_bank("stories"), open_bank("stories").draft([0]))


def test_rules_of_another_vocabulary_on_a_bank(read_bank) -> None:
    """SLRS keeps min(p, psi) and SLEM p psi, in the order of the rows and in that of the text."""
    pairs = load(read_bank.file.path)
    slrs = [1 / 7 + 1 / 4, 1 / 4 + 1 / 4]
    slem = [0.5 / 7 + 0.25 * 6 / 7, 0.25]
    for source, order in ((pairs, [0, 1]), (pairs.in_order(), [1, 0])):
        columns = measured(source, Options(rules_of(["slem", "slrs", "tli"], source.known)))
        assert np.allclose(columns["slem", "acceptance"], np.array(slem)[order], atol=1e-6)
        assert np.allclose(columns["slrs", "acceptance"], np.array(slrs)[order], atol=1e-6)
        assert np.allclose(columns["slem", "tv"], 0, atol=1e-12) and np.allclose(columns["slrs", "tv"], 0, atol=1e-12)
    # TLI drafts 4/5 and 1/5 of tokens 1 and 0 in the first row
    assert np.allclose(columns["tli", "acceptance"], [0.5, 0.25 + 0.2], atol=1e-6)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ([1, 1, 0], "draft_first: int64 of shape \\(3,\\); expected a target token for each of 4"),
        ([1.0, 1.0, 0.0, 0.0], "draft_first: float64"),
        ([1, 1, 3, 0], "draft_first: sends draft token 2 to 3; expected target tokens below 3"),
        ([-1] * 4, "draft_first: reads no draft token"),
    ],
)
def test_first_tokens_that_are_none_are_refused(first, message, tmp_path) -> None:
    with pytest.raises(ValueError, match=message):
        pair_bank({**READ, "draft_to_target": [1, -1, 0, -1], "draft_first": first}, tmp_path / "b.safetensors")
    assert not (tmp_path / "b.safetensors").exists()
