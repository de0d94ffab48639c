"""rdk.stationary-target: a quadratic form vanishes at a stationary target, and then it is proportional to the row sums of W."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, i, j, total, y, z
from simspec.claims.rdk.stationary_target import STATIONARY_TARGET, SYMMETRIC


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary and law, every symmetric matrix W of positive numbers; that no other target is stationary is the
    last step before the end. That RDK loses to TLI with no draft where the target is stationary is
    rdk.any-drafter-corrected, and that it loses with some draft where it is not is rdk.any-drafter-sharp.
    """
    W = sp.IndexedBase("W", positive=True)
    p = sp.IndexedBase("p", real=True)
    s = sp.IndexedBase("s", positive=True)
    f = sp.IndexedBase("f", real=True)
    d.domain("W is positive", gt(W[i, j], 0))
    symmetric = d.assume(SYMMETRIC, eq(W[i, j], W[j, i]))
    s_is = d.define("row sums", s[i], total(W[i, j], j))
    f_is = d.define("the target over the row sums", f[i], p[i] / s[i])
    columns = d.summed("an entry and its mirror image are the same", eq(W[i, j] - W[j, i], 0), symmetric, over=i)
    columns = d.derive(
        "columns have the sums of the rows", eq(total(W[i, j], i), s[j]), columns, d.instantiate("row j", s_is, {i: j})
    )

    square = d.summed("squares by rows", eq(f[i] ** 2 * total(W[i, j], j), f[i] ** 2 * s[i]), s_is, over=i)
    column_squares = d.summed(
        "squares by columns", eq(f[j] ** 2 * total(W[i, j], i), f[j] ** 2 * s[j]), columns, over=j
    )
    row_squares = d.summed("a square", eq(f[i] ** 2 * s[i], f[i] * p[i]), f_is, over=i)
    image_entry = total(p[i] * W[i, j] / s[i], i)
    arrives = d.summed("what M moves", eq(p[i] * W[i, j] / s[i], f[i] * W[i, j]), f_is, over=i)
    product = eq(f[j] * image_entry, f[j] * total(f[i] * W[i, j], i))
    product = d.summed("weighted", product, arrives, over=j)
    pair = W[i, j] * (f[i] - sign * f[j]) ** 2
    goal = eq(half * total(pair, i, j), total(f[j] * (p[j] - image_entry), j))
    form = d.derive("expanded: two squares and a product", goal, square, column_squares, row_squares, product)

    T = sp.Symbol("T", positive=True)
    d.define("the sum of all weights", T, total(s[i], i), d.summed("a row", gt(s[i], 0), over=i))
    sent = d.summed("what a row sends if p is s / T", eq(s[i] / T * W[i, j] / s[i], W[i, j] / T), over=i)
    received = total(s[i] / T * W[i, j] / s[i], i)
    still = d.summed("that law stays", eq(sp.Abs(received - s[j] / T), 0), sent, columns, over=j)
    only_one(d, p, W, f, image_entry, form)
    d.qed(form, still)


def only_one(
    d: Derivation, p: sp.IndexedBase, W: sp.IndexedBase, f: sp.IndexedBase, image_entry: sp.Expr, form: Fact
) -> None:
    """If the target is stationary, it is proportional to the row sums."""
    stays = d.suppose("the target is stationary", eq(image_entry, p[j]))
    work = d.summed(
        "then no work is done at a token", eq(f[j] * (p[j] - image_entry), 0), stays, over=j, then="nor in sum"
    )
    pair = W[i, j] * (f[i] - f[j]) ** 2
    none = d.derive("so the form is zero", eq(total(pair, i, j), 0), form, work)
    term = d.derive("a term of it", ge(pair, 0))
    column = d.term("which is at most all", d.sum("a column of it", term, i), j, z)
    column_term = d.instantiate("a term of that column", d.term("a term is at most its column", term, i, y), {j: z})
    goal = eq(f[y], f[z])
    d.derive("hence p over the row sums is the same at any two tokens", goal, column_term, column, none)


PROOF = Proof(
    STATIONARY_TARGET,
    prove,
    drop=SYMMETRIC,
    change={"half": sp.Rational(1, 3)},
    bind=lambda W, p: {"W": W, "p": p, "V": len(p)},
)
