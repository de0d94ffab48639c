"""tree.speed-of-light: the text by which a tree is left has entropy (E[τ] + 1) μ, and there are (n + 1)(V − 1) + 1 such texts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME
from proofs_check.language import Derivation, Proof, Refutation, V, ge, gt, le, x
from proofs_check.tree import _adaptive
from proofs_check.tree._left_texts import ENDS, LEAVES, NODES, N, exits, from_below, left, met, n, s, start
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.tree.eagle_best import mass
from simspec.claims.tree.speed_of_light import (
    EQUAL,
    EQUAL_SHARP,
    LIMIT,
    RANDOM,
    TIGHT,
    TIGHT_CORRECTED,
    second,
    tree,
)


def sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws without zeros, every tree of any number of nodes; by induction on its height.

    Sharp: equality for uniform laws and full trees.
    """
    m = met(d, constant)
    entropy_bound = left(d, m)
    open_ = d.smt("left somewhere", gt(m.L[s], 0), m.facts["least"])
    at = [d.instantiate("from the root", f, {n: N, s: start}) for f in (entropy_bound, open_)]
    d.qed(d.smt("of this tree", le(sign * m.I[N, start] * m.mu, sp.log(m.L[start])), *at))


def printed(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws without zeros, every tree of any number of nodes, both readings of μ₂ (any number ≥ 0).

    The factor of log n can be 1/μ: tree.speed-of-light.equal-sharp.
    """
    m = met(d, constant)
    f = m.facts
    lg = m.lg
    L = m.L
    entropy_bound = left(d, m)
    some = d.smt("left somewhere", gt(L[s], 0), f["least"])
    root, some = (d.instantiate("from the root", g, {n: N, s: start}) for g in (entropy_bound, some))
    size = d.number("nodes", positive=True)
    mu2 = d.number("mu_2", 0)
    node = d.domain("the tree has a node", ge(size, 1))
    number = exits(d, m, size)
    vocab = d.domain("a vocabulary has a token", ge(V, 1))
    above = d.smt("positive", gt(2 * V * size, 0), node, vocab)
    exit_bound = d.smt("it is left in no more ways", ge(2 * V * size - L[start], 0), number, node, vocab)
    double = d.smt("positive", gt(2 * V, 0), vocab)
    grows = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: 2 * V * size, lg.w: L[start]}, above, some)
    grows = d.smt(
        "the larger number has the larger logarithm",
        ge(sp.log(2 * V * size), sp.log(L[start])),
        grows,
        exit_bound,
        above,
        some,
    )
    split = d.instantiate("log of a product", lg.product, {lg.v: 2 * V, lg.w: size}, double)
    base = d.instantiate("at one", lg.tangent, {lg.v: size, lg.w: sp.S.One}, node)
    base = d.smt("log n is not negative", ge(sp.log(size), 0), base, node)
    mass_ = d.term("no mass is above one", d.derive("a mass", ge(m.p[x], 0), f["some"]), x)
    cap = d.instantiate("at one", lg.tangent, {lg.v: sp.S.One, lg.w: m.p[x]}, f["some"])
    cap = d.smt("each token adds to the entropy", ge(-m.p[x] * sp.log(m.p[x]), 0), cap, mass_, f["one"], f["some"])
    cap = d.sum("over the vocabulary", cap, x)
    positive = d.smt("the entropy is not negative", ge(m.mu, 0), cap, f["mean"], f["some"])
    mu = m.mu
    bound = sign * (mu + mu2) * sp.log(size) + mu * sp.log(2 * V) - mu**2
    premises = [root, grows, split, some, above, double]
    first = d.smt("what is met", le(m.I[N, start] * mu, sp.log(size) + sp.log(2 * V)), *premises)
    first = d.smt(
        "times the entropy", le(m.I[N, start] * mu**2, mu * sp.log(size) + mu * sp.log(2 * V)), first, positive, double
    )
    extra = d.smt("and more", ge(mu2 * sp.log(size), 0), base, node)
    d.qed(d.smt("of this tree", le((m.I[N, start] - 1) * mu**2, bound), first, extra, double))


def tight(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws without zeros, every number of nodes; by induction on the height.

    Sharp: equality for uniform laws and full trees.  Of the best tree no more is used than that
    the texts by which it is left are about as likely as each other.
    """
    d.qed(from_below(d, met(d), sign, constant)[0])


def limit(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary of two tokens or more, all laws without zeros, every number of nodes.

    The distance of both ends, log(2V/p_min), does not depend on n.
    """
    m = met(d)
    lg = m.lg
    L = m.L
    mu = m.mu
    far = m.I[N, start]
    above = d.instantiate("from the root", left(d, m), {n: N, s: start})
    below, smallest_probability, some = from_below(d, m)
    size = d.number("nodes", positive=True)
    node = d.domain("the tree has a node", ge(size, 1))
    number = exits(d, m, size)
    vocab = d.domain("a vocabulary has two tokens", ge(V, 2))
    exit_bound = d.smt("it is left in no more ways than 2Vn", ge(2 * V * size - L[start], 0), number, node, vocab)
    fewest = d.smt("and in no fewer than n", ge(L[start] - size, 0), number, node, vocab)
    positive = d.smt("positive", gt(2 * V, 0), vocab)
    positive_count = d.smt("positive", gt(2 * V * size, 0), vocab, node)
    high = d.instantiate(
        "the tangent of the logarithm", lg.tangent, {lg.v: 2 * V * size, lg.w: L[start]}, positive_count, some
    )
    high = d.smt("so", ge(sp.log(2 * V * size), sp.log(L[start])), high, exit_bound, positive_count, some)
    parts = d.instantiate("log of a product", lg.product, {lg.v: 2 * V, lg.w: size}, positive)
    scaled = d.smt("positive", gt(smallest_probability * L[start], 0), some)
    low = d.instantiate("the tangent again", lg.tangent, {lg.v: L[start], lg.w: size}, some)
    low = d.smt("so", ge(sp.log(L[start]), sp.log(size)), low, fewest, some)
    split = d.instantiate("log of a product", lg.product, {lg.v: smallest_probability, lg.w: L[start]}, some)
    floor = ge((far - 1) * mu, sp.log(smallest_probability) + sp.log(size) - constant * mu)
    floor = d.smt("no fewer are accepted", floor, below, split, low, scaled, some)
    ceiling = ge(-sign * (far - 1) * mu, mu - sp.log(size) - sp.log(2 * V))
    signs = [some, positive, positive_count]
    d.qed(floor, d.smt("and no more", ceiling, above, high, parts, *signs))


def _values(p: Any, nodes: int) -> dict[str, Any]:
    """The values of the symbols, for the best tree of a law and the texts by which it is left."""
    best_tree = tree(p, nodes)
    vocab = len(p)
    texts = [(), *sorted(best_tree, key=len)]
    texts += [(*at, token) for at in texts for token in range(vocab) if (*at, token) not in best_tree]
    number = {text: at for at, text in enumerate(texts, 1)}
    inner = [text == () or text in best_tree for text in texts]

    def below(text: tuple[int, ...]) -> int:
        return sum(below((*text, token)) for token in range(vocab)) if inner[number[text] - 1] else 1

    def levels(text: tuple[int, ...]) -> int:
        return 1 + max(levels((*text, token)) for token in range(vocab)) if inner[number[text] - 1] else 0

    def nodes_of(text: tuple[int, ...]) -> int:
        return 1 + sum(nodes_of((*text, token)) for token in range(vocab)) if inner[number[text] - 1] else 0

    def reached(text: tuple[int, ...]) -> Any:
        return F(1) * mass(lambda prefix: p, text)

    heights = [levels(text) for text in texts]
    return {
        **{"p": p, "V": vocab, "node": [int(mark) for mark in inner], "L": [below(text) for text in texts]},
        "K": [nodes_of(text) for text in texts],
        **{"kid": lambda at, token: number.get((*texts[at - 1], token - 1), at), "start": 1, "N": heights[0]},
        **{"R": lambda at: reached(texts[at - 1]), "lam": min(map(reached, [*best_tree, ()])), "p_min": min(p)},
        **{"low": lambda height, at: int(heights[at - 1] <= height), "nodes": nodes},
        **SOME,
        "ranges": {"s": range(1, len(texts) + 1), "n": range(heights[0] + 1)},
    }


def by_size() -> Iterator[Instance]:
    """A constant C = 0, 1, 2 with the number of levels that passes it."""
    yield from ({"levels": levels, "allowance": allowance} for allowance in (0, 1, 2) for levels in range(1, 9))


def _uniform() -> Iterator[Instance]:
    """The same law, trees of up to six nodes."""
    yield from ({"p": law("1/2", "1/2"), "nodes": nodes} for nodes in range(1, 7))


PROOFS = (
    Proof(RANDOM, _adaptive.at_random, drop=_adaptive.INDEPENDENT, bind=_adaptive.bind),
    Proof(EQUAL, printed, drop=NODES, bind=lambda p, nodes, squared: _values(p, nodes) | {"mu_2": second(p, squared)}),
    Proof(EQUAL_SHARP, sharp, drop=LEAVES, bind=_values),
    Refutation(
        TIGHT,
        by_size,
        scope="the uniform law over two tokens and full trees, C = 0; for each larger C some level passes it too",
        repaired={"the factor 1/μ": (TIGHT_CORRECTED, _uniform)},
    ),
    Proof(TIGHT_CORRECTED, tight, drop=ENDS, bind=_values),
    Proof(LIMIT, limit, drop=NODES, bind=_values),
)
