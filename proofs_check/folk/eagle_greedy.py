"""folk.eagle-greedy: the first token is refused with 0.49, and then the second is all that is left."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.authoring import law
from simspec.claims.folk.eagle_greedy import EAGLE_GREEDY, EAGLE_GREEDY_CORRECTED

ONE = "the two masses make one"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every law over two tokens whose first is not certain."""
    first = d.number("first", 0)
    second = d.number("second", positive=True)
    mass_is_one = d.domain(ONE, eq(first + second, 1))
    rest = sp.Symbol("rest", real=True)
    second_alone = d.define("without the first token the second has all", rest, second / (sign * second))
    d.qed(d.derive("refused, and drawn again", eq((1 - first) * rest * constant, second), mass_is_one, second_alone))


PROOFS = (
    Refutation(
        EAGLE_GREEDY,
        lambda: ({"p": law("51/100", "49/100")},),
        scope="the law that is named, the only instance",
        repaired={"with probability 0.49": EAGLE_GREEDY_CORRECTED},
    ),
    Proof(EAGLE_GREEDY_CORRECTED, prove, drop=ONE, bind=lambda p: {"first": p[0], "second": p[1]}),
)
