"""Laws at hand, labelled pivots and the texts of neighbours: what is read beside files of laws (`test_rates`)."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.logits.bank.storage import Contexts
from simspec.studies.pairs import _text
from simspec.studies.rates import load, rates
from tests.requirements import require

P, Q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.25, 0.5]])


def test_two_arrays_are_laws_at_hand() -> None:
    (row,) = rates((P, Q[0]), ["sd"])
    assert row.values["acceptance"].estimate == 0.5
    assert load(([[0.5, 0.5]] * 3, [[1, 0]] * 3)).document.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "temperature", "message"),
    [
        ((P,), 1, "source: 1 things; expected a file, a bank, or two arrays"),
        ((P, Q[:, :2] * 2), 1, r"q: shape \(1, 2\) where p has \(1, 3\)"),
        ((P, Q), 0.5, "temperature: 0.5; laws have none"),
        ((P, Q * 2), 1, "q: "),
    ],
)
def test_arrays_that_are_no_pair_are_refused(source, temperature, message) -> None:
    with pytest.raises(ValueError, match=message):
        load(source, temperature)


def test_laws_under_the_names_of_logits_are_refused(tmp_path) -> None:
    """Their softmax is all but uniform: every rule would accept everything."""
    np.savez(tmp_path / "laws.npz", target=P, draft=Q)
    with pytest.raises(
        ValueError, match=r"laws.npz: rows of target and draft are laws.*expected logits, or the names p and q"
    ):
        load(tmp_path / "laws.npz")
    np.savez(tmp_path / "logits.npz", target=P * 2, draft=Q)
    assert load(tmp_path / "logits.npz").p.sum() == pytest.approx(1)


def test_tensors_are_laws_or_are_told_what_to_do() -> None:
    require("torch")
    import torch

    p, q = torch.tensor(P), torch.tensor(Q)
    assert rates((p, q), ["sd"])[0].values["acceptance"].estimate == 0.5
    for tensor in (p.clone().requires_grad_(), p.bfloat16()):
        with pytest.raises(ValueError, match=r"p: Tensor that NumPy cannot read; .* x.detach\(\).float\(\).cpu\(\)"):
            rates((tensor, q), ["sd"])


def test_pivots_of_a_file(tmp_path) -> None:
    """No pivot: every draft that the target may say is kept; every token a pivot: speculative decoding."""
    for flags, kept in (([False] * 3, 0.5), ([True] * 3, 0.5), ([[False, True, False]], 0.5)):
        np.savez(tmp_path / "laws.npz", p=P, q=Q, pivots=flags)
        assert rates(tmp_path / "laws.npz", ["pad"])[0].values["acceptance"].estimate == kept
    np.savez(tmp_path / "laws.npz", p=Q, q=P, pivots=[False, True, True])
    assert rates(tmp_path / "laws.npz", ["pad"])[0].values["acceptance"].estimate == 0.75
    np.savez(tmp_path / "laws.npz", p=P, q=Q, pivots=[0, 1, 0])
    with pytest.raises(ValueError, match=r"pivots: int64, shape \(3,\); expected true or false"):
        load(tmp_path / "laws.npz")


def test_the_text_of_neighbours() -> None:
    def index(position, document):
        last = np.arange(10, 10 + len(position))
        return Contexts(last, last + 1, np.array(position), np.array(document), np.array(["a"] * len(position)))

    assert _text(index([4, 5, 6, 4, 5], [0, 0, 0, 1, 1])) == [[10], [10, 11], [10, 11, 12], [13], [13, 14]]
    assert _text(index([4, 9, 2, 3, 7], [0, 0, 1, 1, 1])) is None  # one of five has a neighbour
