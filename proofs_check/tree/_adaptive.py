"""tree.speed-of-light.random: nodes that are reached with 1/n or more do not see their own law, so their exits have entropy.

k counts the ways in which the laws may be drawn, s the texts; p[k, s, x] is the law after s then, and R[k, s] the probability
that s is reached.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, logs
from proofs_check.language import Derivation, Fact, V, eq, ge, gt, index, le, total, x
from simspec.claims.authoring import exact, law
from simspec.claims.tree.eagle_best import best
from simspec.claims.tree.speed_of_light import moments

__all__ = ["INDEPENDENT", "at_random", "bind"]

k = index("k")
s = index("s")
root = index("root")
n, L = sp.symbols("n L", integer=True, nonnegative=True)
ways = sp.Symbol("ways", integer=True, positive=True)
INDEPENDENT = "whatever is above it, the law at a node has entropy μ on average, or more"
p, R, often, T, H, S, M, X, C, A, B = (
    sp.IndexedBase(name, real=True) for name in ("p", "R", "often", "T", "H", "S", "M", "X", "C", "A", "B")
)


class Nodes(NamedTuple):
    """What is given of the nodes that are reached often, and of the tree T."""

    go: Any
    size: Any
    mu: Any
    one: Fact
    some: Fact
    reach: Fact
    moves: Fact
    bit: Fact
    above: Fact
    reached: Fact
    tree: Fact
    rare: Fact
    chance: Any
    mean: Fact
    entropy: Fact


def _nodes(d: Derivation) -> Nodes:
    """State what is given of the laws, the nodes and the texts that are often reached; define the entropy H."""
    go = d.map("kid")[s, x]
    size = d.number("nodes", positive=True)
    mu = d.number("mu", positive=True)
    mass_is_one, some = d.domain(
        "every text is followed by a law without zeros", eq(total(p[k, s, x], x), 1), gt(p[k, s, x], 0)
    )
    bit, above, reached, moves, reach = d.domain(
        "often marks texts reached with 1/n or more, as are those above them",
        eq(often[k, s] * (1 - often[k, s]), 0),
        eq((1 - often[k, s]) * often[k, go], 0),
        ge(often[k, s] * (size * R[k, s] - 1), 0),
        eq(often[k, s] * (R[k, go] - R[k, s] * p[k, s, x]), 0),
        gt(R[k, s], 0),
    )
    tree, rare = d.domain(
        "T marks the nodes of a tree; those that are not reached often are reached with less than 1/n",
        eq(T[k, s] * (1 - T[k, s]), 0),
        ge(T[k, s] * (1 - often[k, s]) * (1 - size * R[k, s]), 0),
    )
    entropy = d.define("entropy of the law there", H[k, s], -total(p[k, s, x] * sp.log(p[k, s, x]), x), some)
    chance = d.weights("chance", k)
    mean = ge(total(chance[k] * often[k, s] * R[k, s] * (H[k, s] - mu), k, upto=ways), 0)
    mean = d.domain(INDEPENDENT, mean)
    return Nodes(
        go=go,
        size=size,
        mu=mu,
        one=mass_is_one,
        some=some,
        reach=reach,
        moves=moves,
        bit=bit,
        above=above,
        reached=reached,
        tree=tree,
        rare=rare,
        chance=chance,
        mean=mean,
        entropy=entropy,
    )


def _sums(d: Derivation, text: str, W: Any, at: Any, go: Any) -> tuple[Fact, Fact]:
    """W[n, k, s]: the sum of `at` over n levels of texts from s on."""
    return d.recursion(text, eq(W[0, k, s], 0), eq(W[n + 1, k, s], at + total(W[n, k, go], x)))


class Counted(NamedTuple):
    """Sums over the texts that are reached often: entropy, mass, number; and the exits."""

    entropy: tuple[Fact, Fact]
    mass: tuple[Fact, Fact]
    number: tuple[Fact, Fact]
    exits: tuple[Fact, Fact]


def _counted(d: Derivation, t: Nodes, constant: int) -> Counted:
    return Counted(
        _sums(d, "entropy of what is reached often", S, often[k, s] * R[k, s] * H[k, s], t.go),
        _sums(d, "mass of what is reached often", M, often[k, s] * R[k, s], t.go),
        _sums(d, "number of what is reached often", C, constant * often[k, s], t.go),
        d.recursion(
            "texts by which they are left",
            eq(X[0, k, s], 1),
            eq(X[n + 1, k, s], often[k, s] * total(X[n, k, t.go], x) + 1 - often[k, s]),
        ),
    )


def _left(d: Derivation, t: Nodes, w: Counted, lg: Logs, c: Any) -> Fact:
    """S ≤ c X − R + R log (R/c): every exit of mass r has r log (1/r) ≤ c − r + r log (1/c)."""
    unreached_entropy = (1 - often[k, s]) * S[n, k, s]
    before = d.suppose("nothing below what is not reached often", eq(unreached_entropy, 0))
    there = d.instantiate("of a child", before, {s: t.go})
    below_sum = d.smt("below", eq((1 - often[k, s]) * S[n, k, t.go], 0), there, t.above, t.bit)
    below_sum = d.sum("over the tokens", below_sum, x)
    none = d.inductive(
        "nothing below what is not reached often",
        eq(unreached_entropy, 0),
        n,
        [w.entropy[0]],
        [w.entropy[1], below_sum, t.bit],
        by="smt",
    )
    bound = le(S[n, k, s], c * X[n, k, s] - R[k, s] + R[k, s] * (sp.log(R[k, s]) - sp.log(c)))
    before = d.suppose("of n levels", bound)
    inner = d.instantiate("of a child", t.reach, {s: t.go})
    there = d.instantiate("of a child", before, {s: t.go}, inner)
    exit_ = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: R[k, s], lg.w: c}, t.reach)
    child_positive = d.smt("reached by a token", gt(R[k, s] * p[k, s, x], 0), t.reach, t.some)
    tangent = d.instantiate(
        "the tangent", lg.tangent, {lg.v: R[k, s] * p[k, s, x], lg.w: R[k, t.go]}, child_positive, inner
    )
    split = d.instantiate("log of a product", lg.product, {lg.v: R[k, s], lg.w: p[k, s, x]}, t.reach, t.some)
    along = often[k, s] * R[k, s] * p[k, s, x] * (sp.log(R[k, s]) + sp.log(p[k, s, x]) - sp.log(R[k, t.go]))
    premises = [tangent, split, t.moves, t.bit, child_positive, inner, t.reach, t.some]
    along = d.smt("along a path", ge(along, 0), *premises)
    reach_mass = R[k, s] * p[k, s, x]
    child_gap = (
        c * X[n, k, t.go] - reach_mass + reach_mass * (sp.log(R[k, s]) + sp.log(p[k, s, x]) - sp.log(c)) - S[n, k, t.go]
    )
    child_facts = (there, along, t.moves, t.bit, t.reach, t.some, inner)
    child_gap = d.sum("over the tokens", d.smt("of each child", ge(often[k, s] * child_gap, 0), *child_facts), x)
    none_ = d.instantiate("one level more", none, {n: n + 1})
    facts = (w.entropy[1], w.exits[1], none_, child_gap, exit_, t.one, t.entropy, t.bit, t.reach, t.some)
    then = d.smt("one level more", bound.replace({n: n + 1}), *facts)
    base = d.smt("without a level", bound.replace({n: 0}), w.entropy[0], w.exits[0], exit_, t.reach)
    return d.induction("of all levels", bound, n, base, then)


def _few(d: Derivation, t: Nodes, w: Counted) -> tuple[Fact, Fact, Fact]:
    """X ≤ 1 + (V − 1) C, 0 ≤ C and C ≤ n M."""
    go = {s: t.go}
    size = t.size
    vocab = d.domain("a vocabulary has a token", ge(V, 1))
    nonnegative = d.suppose("a number", ge(C[n, k, s], 0))
    child_sum = d.sum("over the tokens", d.instantiate("of a child", nonnegative, go), x)
    nonnegative = d.inductive(
        "a number is not negative", ge(C[n, k, s], 0), n, [w.number[0]], [w.number[1], child_sum, t.bit], by="smt"
    )
    bound = le(X[n, k, s], 1 + (V - 1) * C[n, k, s])
    child_sum = d.sum("over the tokens", d.instantiate("of a child", d.suppose("exits of n levels", bound), go), x)
    below = d.sum("over the tokens", d.instantiate("of a child", nonnegative, go), x)
    level_facts = (w.number[1], w.exits[1], child_sum, below, t.bit, vocab)
    then = d.smt("one level more", bound.replace({n: n + 1}), *level_facts)
    base = d.smt("without a level", bound.replace({n: 0}), w.number[0], w.exits[0])
    exits = d.induction("exits of every number of levels", bound, n, base, then)
    bound = le(C[n, k, s], size * M[n, k, s])
    child_sum = d.sum("over the tokens", d.instantiate("of a child", d.suppose("mass of n levels", bound), go), x)
    base = d.smt("without a level", bound.replace({n: 0}), w.number[0], w.mass[0])
    then = d.smt("one level more", bound.replace({n: n + 1}), w.number[1], w.mass[1], child_sum, t.reached)
    return exits, nonnegative, d.induction("each is reached with 1/n or more", bound, n, base, then)


def _mean(d: Derivation, t: Nodes, w: Counted) -> Fact:
    """On average over the laws S is at least μ M."""
    bound = ge(total(t.chance[k] * (S[n, k, s] - t.mu * M[n, k, s]), k, upto=ways), 0)
    there = d.instantiate("of a child", d.suppose("on average", bound), {s: t.go})
    there = d.sum("over the tokens", there, x)
    gap = t.chance[k] * (S[n + 1, k, s] - t.mu * M[n + 1, k, s])
    below = t.chance[k] * total(S[n, k, t.go] - t.mu * M[n, k, t.go], x)
    here = t.chance[k] * often[k, s] * R[k, s] * (H[k, s] - t.mu)
    parts = d.derive("here and below", eq(gap, here + below), w.entropy[1], w.mass[1], by="algebra")
    parts = d.sum("over the laws", parts, k, upto=ways)
    then = d.smt("one level more", bound.replace({n: n + 1}), parts, there, t.mean)
    base = d.derive("of nothing", eq(t.chance[k] * (S[0, k, s] - t.mu * M[0, k, s]), 0), w.entropy[0], w.mass[0])
    base = d.sum("over the laws", base, k, upto=ways)
    base = d.smt("without a level", bound.replace({n: 0}), base)
    return d.induction("on average over the laws", bound, n, base, then)


def _tree(d: Derivation, t: Nodes, w: Counted) -> tuple[Fact, Fact, Fact]:
    """What T accepts is at most M and the number of its nodes over n; what both are, a level more."""
    accepted_sums = _sums(d, "accepted by the tree", A, T[k, s] * R[k, s], t.go)
    node_sums = _sums(d, "nodes of the tree", B, T[k, s], t.go)
    bound = le(t.size * A[n, k, s], B[n, k, s] + t.size * M[n, k, s])
    child_sum = d.sum(
        "over the tokens", d.instantiate("of a child", d.suppose("what T accepts of n levels", bound), {s: t.go}), x
    )
    node_bound = le(t.size * T[k, s] * R[k, s], T[k, s] + t.size * often[k, s] * R[k, s])
    node_bound = d.smt("of a node", node_bound, t.tree, t.rare, t.bit, t.reach)
    base = d.smt("without a level", bound.replace({n: 0}), accepted_sums[0], node_sums[0], w.mass[0])
    then = d.smt(
        "one level more", bound.replace({n: n + 1}), accepted_sums[1], node_sums[1], w.mass[1], child_sum, node_bound
    )
    for_every_n = d.induction("what a tree accepts", bound, n, base, then)
    below = d.sum("over the tokens", d.instantiate("of a child", for_every_n, {s: t.go}), x)
    return below, accepted_sums[1], node_sums[1]


def at_random(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, number of nodes and finite family of laws without zeros, both readings of μ₂ (any number > 0).

    The best tree may see all laws; of it no more is used than that it has n nodes.  The factor of log n can be 1/μ.
    """
    lg = logs(d)
    t = _nodes(d)
    w = _counted(d, t, constant)
    size = t.size
    mu = t.mu
    mu2 = d.number("mu_2", positive=True)
    all_ = d.domain("one of the ways it is", eq(total(t.chance[k], k, upto=ways), 1))
    c = sp.Symbol("c", positive=True)
    scale = d.define("what an exit weighs", c, mu * mu2 / ((mu + mu2) * V * size))
    entropy_bound = _left(d, t, w, lg, c)
    mean = _mean(d, t, w)
    exits, number_nonnegative, number = _few(d, t, w)
    below, accepted_sums, node_sums = _tree(d, t, w)
    first, there, top, tree_counts = d.domain(
        "the root is reached, and no node of the tree; the tree has n nodes",
        eq(R[k, root], 1),
        eq(often[k, root], 1),
        eq(T[k, root], 0),
        eq(B[L + 1, k, root], size),
    )
    at = {s: root, n: L}
    below, accepted_sums, node_sums, mass_step = (
        d.instantiate("from the root", f, at) for f in (below, accepted_sums, node_sums, w.mass[1])
    )
    accepted = le(A[L + 1, k, root], M[L + 1, k, root])
    premises = [below, accepted_sums, node_sums, mass_step, first, there, top, tree_counts]
    accepted = d.smt("so the tree", accepted, *premises)
    lowest = d.instantiate("below the root", number_nonnegative, {s: t.go})
    lowest = d.instantiate("from the root", d.sum("over the tokens", lowest, x), at)
    root_counted = d.instantiate("the root is one", w.number[1], at)
    at = {s: root, n: L + 1}
    reach = d.instantiate("from the root", t.reach, {s: root})
    entropy_bound = d.instantiate("from the root", entropy_bound, at, reach)
    exits, number, mean = (d.instantiate("from the root", f, at) for f in (exits, number, mean))
    log_at_root = d.instantiate("at one", lg.tangent, {lg.v: R[k, root], lg.w: sp.S.One}, reach)
    back = d.instantiate("and back", lg.tangent, {lg.v: sp.S.One, lg.w: R[k, root]}, reach)
    log_at_root = d.smt("log 1", eq(sp.log(R[k, root]), 0), log_at_root, back, first, reach)
    vocab = d.domain("a vocabulary has a token", ge(V, 1))
    premises = [exits, number, lowest, root_counted, there, vocab]
    exit_bound = d.smt(
        "so few exits",
        le(X[L + 1, k, root], V * size * M[L + 1, k, root]),
        *premises,
    )
    law_bound = le(S[L + 1, k, root], c * V * size * M[L + 1, k, root] - 1 - sp.log(c))
    law_bound = d.smt("with every law", law_bound, entropy_bound, exit_bound, log_at_root, first)
    scale_meaning = d.smt("that is", eq(c * V * size * (mu + mu2), mu * mu2), scale)
    _concluded(d, t, lg, (law_bound, accepted, mean, all_, scale, scale_meaning), (c, mu2, sign))


def _concluded(d: Derivation, t: Nodes, lg: Logs, facts: tuple[Fact, ...], names: tuple[Any, ...]) -> None:
    """On average over the laws; log c by its parts."""
    per_law, accepted, mean, all_, scale, scale_meaning = facts
    c, mu2, sign = names
    chance = t.chance
    size = t.size
    mu = t.mu
    weight = d.derive("a chance", ge(chance[k], 0))
    per_law = d.sum(
        "over the laws", d.smt("weighed", _weighed(per_law.relation, chance[k]), per_law, weight), k, upto=ways
    )
    accepted_mean = d.smt("weighed", _weighed(accepted.relation, chance[k]), accepted, weight)
    accepted_mean = d.sum("over the laws", accepted_mean, k, upto=ways)
    theta = mu * mu2 / (mu + mu2)
    split = d.instantiate("log of a product", lg.product, {lg.v: c, lg.w: V * size})
    parts = d.instantiate("and again", lg.product, {lg.v: V, lg.w: size})
    same = d.derive("by its meaning", eq(sp.log(theta), sp.log(c * V * size)), scale)
    logs_ = d.smt("its logarithm", eq(sp.log(theta), sp.log(c) + sp.log(V) + sp.log(size)), same, split, parts)
    value = total(chance[k] * A[L + 1, k, root], k, upto=ways)
    mean_mass = total(chance[k] * M[L + 1, k, root], k, upto=ways)
    log_terms = sp.log(size) + sp.log(V) - 1 - sp.log(theta)
    mean_bound = d.smt(
        "on average", le(mu * mean_mass, c * V * size * mean_mass + log_terms), per_law, mean, all_, logs_
    )
    mean_bound = d.smt("so much mass", le(mu**2 * mean_mass, sign * (mu + mu2) * log_terms), mean_bound, scale_meaning)
    d.qed(d.smt("and the tree", le(value * mu**2, sign * (mu + mu2) * log_terms), mean_bound, accepted_mean))


def _weighed(r: Any, weight: Any) -> Any:
    return le(weight * r.lhs, weight * r.rhs)


def bind(laws: Any, weight: Any, nodes: int, squared: int) -> dict[str, Any]:
    """What the symbols are: all texts of up to n + 1 tokens, and laws as the best tree asks for them.

    Those that it does not ask for are uniform: of no law is the entropy larger.
    """
    mean, second = moments(laws, weight, squared)
    texts = [text for length in range(nodes + 2) for text in product(range(2), repeat=length)]
    number = {text: at for at, text in enumerate(texts, 1)}
    outcomes: list[tuple[Any, dict[Any, Any]]] = [(1, {})]
    for node_count in range(nodes):
        outcomes = [
            (chance * factor, {**laws_by_text, text: law})
            for chance, laws_by_text in outcomes
            for text in (best(_table(laws_by_text, texts, nodes), node_count) - laws_by_text.keys()) or {()}
            for factor, law in zip((weight, 1 - weight), laws, strict=True)
            if factor
        ]
    way_rows = [_way(laws_by_text, texts, nodes) for _, laws_by_text in outcomes]
    return {
        **{name: [way[name] for way in way_rows] for name in ("p", "R", "often", "T")},
        **{
            "chance": [chance for chance, _ in outcomes],
            "ways": len(way_rows),
            "nodes": nodes,
            "L": nodes,
            "V": 2,
            "root": 1,
        },
        **{"kid": lambda at, token: number.get((*texts[at - 1], token - 1), at), "mu": mean, "mu_2": second},
        **SOME,
        "ranges": {"k": range(1, len(way_rows) + 1), "s": range(1, len(texts) + 1), "n": range(nodes + 2)},
    }


def _table(known: Any, texts: Any, nodes: int) -> Any:
    return exact([known.get(text, law("1/2", "1/2")) for text in texts if len(text) < nodes])


def _way(laws_by_text: Any, texts: Any, nodes: int) -> dict[str, Any]:
    """One way in which the laws are drawn, and the best tree there."""
    p = [laws_by_text.get(text, law("1/2", "1/2")) for text in texts]
    reached = [Fraction(1)]
    for at in range(1, len(texts)):
        above, token = divmod(at - 1, 2)  # texts of one length after those of the length before
        reached.append(reached[above] * p[above][token])
    best_tree = best(_table(laws_by_text, texts, nodes), nodes)
    return {
        **{"p": p, "R": reached, "T": [int(text in best_tree) for text in texts]},
        "often": [int(len(text) <= nodes and nodes * r >= 1) for text, r in zip(texts, reached, strict=True)],
    }
