"""rdk.any-vocabularies: whatever law Algorithm 1 makes of the draft's, what is emitted has the target's, token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._gain_and_price import emitted, residual
from proofs_check.language import Derivation, Proof, eq, i, index, total, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.rdk.any_vocabularies import ANY_VOCABULARIES, LONGEST
from simspec.claims.rdk.parts import proposed
from simspec.laws import Array
from simspec.methods import SD

c = index("c")


def prove(d: Derivation, sign: int = 1, fraction: sp.Expr | int = 1) -> None:
    """Every target, draft, shared vocabulary of one token at least, and matrix; any strings that tokens spell.

    It takes nothing of the draft but that it is drawn from a law that the verifier knows. One step;
    texts of several follow as in sd.lossless, since the draft's law may depend on the text in any way.
    """
    p, mass = d.law("p")
    q = d.weights("q")
    t = tli(d, shared(d), q)
    M = sp.IndexedBase("M", real=True)
    r = sp.IndexedBase("d", real=True)
    d.define("what Algorithm 1 drafts from", r[x], total(t.law[i] * M[i, x], i))
    overlap = sp.Min(p[x], r[x])
    beyond = sp.Max(p[x] - r[x], 0)
    residue, _, remaining_mass = residual(d, p[x], r[x])
    o, law = emitted(d, "the emitted token", "o", fraction * overlap, residue)
    smaller = d.derive("the smaller of two numbers", eq(overlap, p[x] - beyond))
    overlap_is_rest = d.sum("over the vocabulary", smaller, x)
    overlap_is_rest = d.derive(
        "what is kept is the rest", eq(total(overlap, x), 1 - total(beyond, x)), overlap_is_rest, mass
    )
    same = d.derive("has the target's law", eq(o, sign * p[x]), law, overlap_is_rest, remaining_mass, smaller)
    spells = sp.IndexedBase("spells", real=True)
    string = d.derive("of what a string's tokens", eq(spells[c, x] * o, spells[c, x] * p[x]), same)
    d.qed(d.sum("over the tokens that spell a string", string, x))


def _values(p: Array, q: Array, shared: Array, M: Array, spelled: Array) -> dict[str, Any]:
    draft_law = proposed(q, shared, M)
    spells = np.stack([spelled == length for length in range(1, LONGEST + 1)]).astype(int)
    return {
        **{"p": p, "q": q, "I": shared, "none_t": nothing(q, shared), "M": M, "V": len(p)},
        **{"r": SD.residual(p, draft_law), "spells": spells, "ranges": {"c": range(1, LONGEST + 1)}},
    }


PROOF = Proof(ANY_VOCABULARIES, prove, drop="p sums to one", change={"fraction": sp.S.Half}, bind=_values)
