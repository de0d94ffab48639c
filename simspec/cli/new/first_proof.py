"""The derivation that a new proof begins with, in a file of one's own and in a clone: Σ min(p, q) ≤ 1."""

__all__ = ["DERIVATION"]

DERIVATION = '''\
def prove(d: Derivation, sign: int = 1, most: int = 1) -> None:
    """STUB: say what exactly is proved, here for every vocabulary size and all laws.

    STUB: say how sharp the bound is, here equality at p = q.
    """
    p, _ = d.law("p")
    q, mass = d.law("q")
    smaller = sp.Min(p[x], q[x])
    token = d.derive("the smaller of two numbers is at most the second", le(smaller, sign * q[x]))
    d.qed(d.derive("the draft has mass one", le(total(smaller, x), most), d.sum("over the vocabulary", token, x), mass))


PROOF = Proof(
    $CONSTANT,
    prove,
    drop="q sums to one",
    change={"most": 0},
    bind=lambda p, q: {"p": p, "q": q, "V": len(p)},
)
'''
