"""block.hsd-laws: a branch that is resampled leaves the draft, and asks for laws there; how many at most."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._laws import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le
from simspec.claims.block.hsd_laws import HSD_LAWS, HSD_LAWS_CORRECTED, HSD_LAWS_ONE_CALL, drawn_anew, texts_asked
from simspec.laws import Array

n, m = sp.symbols("n m", integer=True, nonnegative=True)
BEGIN = "the first token drawn anew follows a prefix of the draft"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, γ = m + 1 drafts; of the call that asks for most.

    Attained where the draft is refused from its first token on, and what is drawn there is another one.
    """
    off = sp.IndexedBase("off", real=True)
    requested = sp.IndexedBase("asked", real=True)
    begin = d.domain(BEGIN, eq(off[0], 0))
    nonnegative, at_most_one = d.domain("each asks for one law elsewhere, or none", ge(off[n], 0), le(off[n], constant))
    none, request_step = d.recursion(
        "asked for elsewhere, for n tokens", eq(requested[0], 0), eq(requested[n + 1], requested[n] + off[n])
    )
    bound = le(requested[n + 1], sign * n)
    first_step = d.instantiate("the first", request_step, {n: 0})
    next_ = d.instantiate("the next", request_step, {n: n + 1})
    next_at_most = d.instantiate("the next", at_most_one, {n: n + 1})
    for_every_n = d.inductive(
        "for every number of tokens", bound, n, [first_step, none, begin], [next_, next_at_most, nonnegative]
    )
    d.qed(d.instantiate("of γ tokens", for_every_n, {n: m}))


def _values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    call = [*max(drawn_anew(p, q, gamma), key=sum), *[0] * gamma]
    return {"m": gamma - 1, "V": p.shape[-1], "off": lambda position: call[position], "ranges": {"n": range(gamma)}}


OWN = "a text is empty, or goes on from the one before with the draft's token"


def on_the_path(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, any number of drafts of capped HSD and one of naive HSD.

    The texts of all drafts stand in one row, in the order in which they are asked for; that a text is the one before with
    one more token, or none before it, is read off the two rules.
    """
    on, strange, apart, count = (sp.IndexedBase(name, real=True) for name in ("on", "strange", "apart", "count"))
    own_text = d.domain(OWN, eq(strange[n], 1 - sign))
    start, grown = d.recursion(
        "tokens of a text that are not the draft's",
        eq(apart[0], constant - 1),
        eq(apart[n + 1], on[n] * apart[n] + strange[n]),
    )
    none, count_step = d.recursion(
        "texts with such a token, of the first n", eq(count[0], 0), eq(count[n + 1], count[n] + sp.Min(1, apart[n + 1]))
    )
    same = d.inductive("every token is the draft's", eq(apart[n], 0), n, [start], [grown, own_text])
    next_ = d.instantiate("of the next text too", same, {n: n + 1})
    for_every_n = d.inductive("so no text is elsewhere", eq(count[n], 0), n, [none], [count_step, next_])
    d.qed(d.derive("at most none", le(count[m], 0), d.instantiate("of all of them", for_every_n, {n: m})))


def _row(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    row = [*texts_asked(p, q, gamma), (0, 0)]
    last = len(row) - 1
    on, strange = (lambda place, column=column: row[place][column] for column in (0, 1))
    return {"m": last, "V": p.shape[-1], "on": on, "strange": strange, "ranges": {"n": range(last + 1)}}


PROOFS = (
    Refutation(
        HSD_LAWS,
        by_size,
        scope="the first by the denominator of the laws over two tokens, two drafts",
        repaired={"capped, or one draft": HSD_LAWS_CORRECTED, "one draft": lambda: by_size(gamma=1)},
    ),
    Proof(HSD_LAWS_CORRECTED, on_the_path, drop=OWN, bind=_row),
    Proof(HSD_LAWS_ONE_CALL, prove, drop=BEGIN, bind=_values),
)
