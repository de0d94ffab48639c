"""rdk.gain: a matrix that moves only surplus gains, at every token in want, what arrives there, up to what is wanted."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, j, le
from proofs_check.rdk._moved_mass import gained, leaving, values
from proofs_check.rdk._stochastic_maps import stochastic
from simspec.claims.rdk.gain import GAIN
from simspec.claims.rdk.moves import SURPLUS
from simspec.claims.rdk.parts import ROWS


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    p, q, M = d.weights("p"), d.weights("q"), sp.IndexedBase("M", real=True)
    signs, rows = d.assume(ROWS, *stochastic(M))
    surplus = d.assume(SURPLUS, le(leaving(q, M), sp.Max(q[j] - p[j], 0)))
    d.qed(d.sum("over the vocabulary", gained(d, p, q, M, signs, rows, surplus, sign, constant), j))


PROOF = Proof(
    GAIN, prove, drop=SURPLUS, bind=values, scope="every vocabulary, target, draft and matrix that moves only surplus"
)
