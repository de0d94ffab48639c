"""rdk.gain: a matrix that moves only surplus gains, at every token in want, what arrives there, up to what is wanted."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, j
from proofs_check.rdk._moved_mass import gained, moves_surplus, values
from simspec.claims.rdk.gain import GAIN
from simspec.claims.rdk.moves import SURPLUS


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    d.qed(d.sum("over the vocabulary", gained(d, moves_surplus(d), sign, constant), j))


PROOF = Proof(
    GAIN, prove, drop=SURPLUS, bind=values, scope="every vocabulary, target, draft and matrix that moves only surplus"
)
