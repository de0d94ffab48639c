"""relaxed.typical-more: typical tokens are kept whole, the others not at all."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, total, x
from simspec.claims.relaxed.typical_more import TYPICAL_LEAST, TYPICAL_MORE, TYPICAL_MORE_CORRECTED, typical_tokens

KEPT = "typical tokens (g is 1) are kept whole, the others (g is 0) not at all"
OWN = "so are those of a draft from the target"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every ε and δ: every set of tokens."""
    p, q, g, k = (d.weights(name) for name in "pqgk")
    _, accepted_definition = d.domain(KEPT, eq(g[x] * (1 - g[x]), 0), eq(k[x], g[x] * q[x]))
    gain = g[x] * sp.Max(q[x] - p[x], 0) - constant * (1 - g[x]) * sp.Min(p[x], q[x])
    per_token = d.smt("token by token", eq(k[x] - sign * sp.Min(p[x], q[x]), gain), accepted_definition)
    sums = d.sum("over the vocabulary", per_token, x)
    d.qed(d.smt("in all", eq(total(k[x], x) - total(sp.Min(p[x], q[x]), x), total(gain, x)), sums))


def bind(p: Any, q: Any) -> dict[str, Any]:
    flags = typical_tokens(p).astype(int)
    return {"p": p, "q": q, "g": flags, "k": flags * q, "V": len(p)}


def prove_least(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every ε and δ: every set of tokens.

    Attained for every p, by q = p.
    """
    p, mass_p = d.law("p")
    q, g, k, target_accepted = (d.weights(name) for name in ("q", "g", "k", "l"))
    flag, accepted_definition = d.domain(KEPT, eq(g[x] * (1 - g[x]), 0), eq(k[x], g[x] * q[x]))
    same = d.domain(OWN, eq(target_accepted[x], g[x] * p[x]))
    lost = total((1 - g[x]) * p[x], x)
    per_token = ge(k[x], sp.Min(p[x], q[x]) - sign * (1 - g[x]) * p[x])
    per_token = d.summed("token by token", per_token, accepted_definition, flag, by="smt")
    goal = ge(total(k[x], x), total(sp.Min(p[x], q[x]), x) - lost)
    parts = d.summed("a token is typical or not", eq(target_accepted[x], p[x] - constant * (1 - g[x]) * p[x]), same)
    just = d.smt("of the target", eq(total(target_accepted[x], x), 1 - lost), parts, mass_p)
    d.qed(d.smt("in all", goal, per_token), just, d.smt("that is", eq(-total(target_accepted[x], x), lost - 1), just))


def bind_least(p: Any, q: Any) -> dict[str, Any]:
    return {**bind(p, q), "l": typical_tokens(p).astype(int) * p}


def equal() -> Any:
    """A law against itself, by vocabulary and denominator."""
    return ({"p": p, "q": p} for vocab in (1, 2, 3) for n in range(1, 14) for p in laws(vocab, n))


PROOFS = (
    Refutation(
        TYPICAL_MORE,
        equal,
        scope="the first law against itself by vocabulary and denominator: a token of 1/12",
        repaired={
            "all tokens of p are typical": lambda: (
                i for i in by_size((1, 2, 3), 4) if (typical_tokens(i["p"]) | (i["p"] == 0)).all()
            ),
            "less what is not typical": TYPICAL_MORE_CORRECTED,
        },
    ),
    Proof(TYPICAL_MORE_CORRECTED, prove, drop=KEPT, bind=bind),
    Proof(TYPICAL_LEAST, prove_least, drop=KEPT, bind=bind_least),
)
