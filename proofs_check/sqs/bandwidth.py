"""sqs.bandwidth: the code words of K tokens over those of all V rise with K, then fall to 1, by a ratio that falls in K."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, index, le, lt
from proofs_check.sqs._code_words import (
    Codes,
    R,
    T,
    V,
    along,
    at,
    below,
    codes,
    dense,
    i,
    n,
    resolution,
    size,
    step_to,
    values,
)
from proofs_check.sqs._pascal import NONE, prove_support, support_values
from simspec.claims.claim import Instance
from simspec.claims.sqs.bandwidth import BANDWIDTH, BANDWIDTH_CORRECTED, BANDWIDTH_SHARP
from simspec.claims.sqs.bandwidth_support import BANDWIDTH_SUPPORT


class Fine(NamedTuple):
    """Whether ℓ is at least (V − 1)² (`wide`), and larger (`wider`), with three facts of each."""

    wide: Any
    wider: Any
    when: list[Fact]


def _ratios(d: Derivation, c: Codes, f: Fine) -> tuple[Fact, Fact]:
    """Where ℓ is wide the code grows with K; where it is wider the ratio of codes is above one."""
    follow = at(d, (c.flag[0], c.flag[1], c.flag[2], c.at_end, c.within[1]), c.after[i])
    local = [*c.within, *c.flag, c.one_more, c.ratio, c.positive, c.at_end, *follow]
    gain = (V - size[i]) * (resolution + size[i]) - (size[i] + 1) * size[i]
    size_facts = (*c.within, *c.flag)
    enough = d.smt("a ratio of at least one", ge(f.wide * below[i] * gain, 0), *size_facts, *f.when[:2])
    grows = ge(f.wide * (R[c.after[i]] - R[i]), 0)
    rises = d.smt("the code grows with K", grows, enough, *local, f.when[0])
    return rises, d.smt("a ratio above one", ge(f.wider * below[i] * (gain - 1), 0), *size_facts, *f.when[3:5])


def _never_longer(d: Derivation, c: Codes, f: Fine, rises: Fact) -> Fact:
    """Where ℓ is wide no code is longer than the dense one."""
    there = c.go[n, i]

    def each(before: Fact) -> Fact:
        (up,) = at(d, [rises], there)
        return d.smt("one step more", ge(f.wide * (R[c.go[n + 1, i]] - R[i]), 0), before, up, *step_to(d, c, i))

    all_ = along(d, c, "the code grows on all the way", ge(f.wide * (R[there] - R[i]), 0), i, each)
    all_ = d.instantiate("up to V", all_, {n: T})
    top = at(d, [c.at_end], c.go[T, i])
    return d.smt("so none is longer than the dense code", ge(f.wide * (dense - R[i]), 0), all_, *top, c.arrive)


def _shorter(d: Derivation, c: Codes, f: Fine, bound: Fact, ratio_above_one: Fact) -> Fact:
    """Where ℓ is wider every code below V is shorter than the dense one."""
    (bound_after,) = at(d, [bound], c.after[i])
    wider_is_wide = d.smt("then ℓ is large enough for that, too", ge(f.wide, f.wider), *f.when)
    premises = [ratio_above_one, c.ratio, c.positive, c.flag[0], c.within[0], f.when[3]]
    taller = d.smt(
        "below V the next code is longer",
        gt(f.wider * below[i] * (R[c.after[i]] - R[i]) + (1 - f.wider * below[i]), 0),
        *premises,
    )  # fmt: skip
    premises = [taller, bound_after, wider_is_wide, f.when[0], f.when[3], c.flag[0]]
    return d.smt(
        "nor as long",
        gt(f.wider * below[i] * (dense - R[i]) + (1 - f.wider * below[i]), 0),
        *premises,
    )  # fmt: skip


def prove_corrected(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every V and ℓ."""
    c = codes(d, sign)
    limit = (V - unit) ** 2
    saves, saves_all, wide, wider = (
        sp.Symbol(name, nonnegative=True) for name in ("saves", "saves_all", "wide", "wider")
    )
    last = index("last")
    fails = index("fails")
    fails_too = index("fails_too")
    second = d.domain("the size V − 1, where there is one", eq((V - 1) * (size[last] - V + 1), 0))
    when = d.domain(
        "what is said of ℓ (whole numbers)",
        eq(wide**2, wide), ge(wide * (resolution - limit), 0), ge((1 - wide) * (limit - 1 - resolution), 0),
        eq(wider**2, wider), ge(wider * (resolution - limit - 1), 0), ge((1 - wider) * (limit - resolution), 0),
    )  # fmt: skip
    saving_facts = d.domain(
        "what is said of all K < V (whole numbers)",
        eq(saves**2, saves),
        ge(saves * below[i] * (dense - R[i]), 0),
        ge((1 - saves) * (below[fails] * R[fails] - dense - 1), 0),
        eq(saves_all**2, saves_all),
        ge(saves_all * below[i] * (dense - R[i] - 1), 0),
        ge((1 - saves_all) * (below[fails_too] * (R[fails_too] - dense + 1) - 1), 0),
    )
    f = Fine(wide, wider, when)
    rises, ratio_above_one = _ratios(d, c, f)
    bound = _never_longer(d, c, f, rises)
    strict = _shorter(d, c, f, bound, ratio_above_one)
    near = [
        *at(d, [*c.flag, c.ratio, c.positive, saving_facts[1], saving_facts[4], *c.within[:2], c.one_more], last),
        *at(d, [*c.flag, c.at_end, *c.within[:2]], c.after[last]),
    ]
    premises = [
        second,
        *when[:3],
        *saving_facts[:1],
        saving_facts[2],
        *near,
        *at(d, [bound, c.flag[0]], fails),
        c.within[2],
    ]
    worst_at_most = d.smt("at most: V − 1 is the worst", eq(saves, wide), *premises)
    premises = [
        second,
        *when[3:],
        saving_facts[3],
        saving_facts[5],
        *near,
        *at(d, [strict, c.flag[0]], fails_too),
        c.within[2],
    ]
    d.qed(
        worst_at_most,
        d.smt("below: V − 1 is the worst", eq(saves_all, wider), *premises),
    )


def _corrected(vocab: int, resolution: int) -> dict[str, Any]:
    """Values of the symbols: for which sizes the code is no longer than the dense one, and at which size it first is."""
    symbols = values(vocab, resolution)
    count = symbols["R"]
    dense_code = symbols["dense"]
    limit = (vocab - 1) ** 2
    sizes = range(1, vocab)
    return {
        **symbols,
        "saves": int(all(count(k) <= dense_code for k in sizes)),
        "saves_all": int(all(count(k) < dense_code for k in sizes)),
        "wide": int(resolution >= limit),
        "wider": int(resolution > limit),
        "last": max(1, vocab - 1),
        "fails": next((k for k in sizes if count(k) > dense_code), 1),
        "fails_too": next((k for k in sizes if count(k) >= dense_code), 1),
    }


class Sizes(NamedTuple):
    """The sizes `here` from K (`lowest`) to V − 1, and which of their codes fit: are no longer than the dense one."""

    c: Codes
    here: Any
    lowest: Any
    within: list[Fact]
    fits: Any
    flag: list[Fact]
    fall: Any
    """Negative where the code of size i shrinks at the next one."""

    def local(self, d: Derivation, place: Any) -> list[Fact]:
        """What is known of a size and of the next one."""
        c = self.c
        facts = [*c.within[:3], *c.flag, c.one_more, c.ratio, c.positive, c.at_end]
        return [*at(d, facts, place), *at(d, (*c.flag, *c.within[:2], c.at_end, c.positive), c.after[place])]


def _shrinks_on(d: Derivation, s: Sizes) -> Fact:
    """Where the code of a size shrinks at the next one it shrinks on, down to the dense one."""
    c = s.c
    here = s.here
    fall = s.fall

    def larger(before: Fact) -> Fact:
        next_size = at(d, (c.one_more, c.flag[0]), c.go[n, i])
        return d.smt("one step more", ge(size[c.go[n + 1, i]], size[i]), before, *next_size, *step_to(d, c, i))

    grows = along(d, c, "sizes do not fall", ge(size[c.go[n, i]], size[i]), i, larger)
    start = c.after[here]
    beyond = c.go[n, start]
    drop = sp.Max(-fall.subs(i, here), 0)  # positive where it shrinks

    def smaller(before: Fact) -> Fact:
        """One step of the induction: where a code has begun to shrink it shrinks at the next size, too."""
        shrinks = d.case("the code of a size shrinks at the next one", lt(fall.subs(i, here), 0))
        (far,) = at(d, [grows], start)
        size_facts = [far, *at(d, [c.one_more, c.flag[0]], here), *at(d, c.within[:3], here), *s.within]
        on = d.smt(
            "the ratio falls with K", lt(below[beyond] * fall.subs(i, beyond), 1 - below[beyond]), shrinks, *size_facts,
            *at(d, [*c.within[:3], *c.flag], beyond),
        )  # fmt: skip
        down = d.smt("so it shrinks there too", le(R[c.after[beyond]], R[beyond]), on, *s.local(d, beyond))
        goal = le(drop * (R[c.go[n + 1, start]] - R[start]), 0)
        further = le(R[c.go[n + 1, start]], R[beyond])
        further = d.smt("to the next one", further, down, *step_to(d, c, start))
        below_it = d.smt("so far", le(R[beyond], R[start]), before, shrinks)
        shrinks_further = d.smt("one step more", goal, further, below_it)
        still = d.case("it does not shrink", ge(fall.subs(i, here), 0))
        return d.cases("either way", shrinks_further, d.smt("nothing to show", goal, still))

    down = along(d, c, "it shrinks on", le(drop * (R[beyond] - R[start]), 0), start, smaller)
    return d.instantiate("down to V", down, {n: T})


def _does_not_shrink(d: Derivation, s: Sizes, down: Fact) -> tuple[Fact, list[Fact]]:
    """A code that fits does not shrink at the next size; and what `fits` means there."""
    c = s.c
    here = s.here
    fall = s.fall
    start = c.after[here]
    end = at(d, [c.arrive], start) + at(d, [c.at_end], c.go[T, start])
    shrinks = d.case("it shrinks at the next one", lt(fall.subs(i, here), 0))
    down = d.smt("if it shrinks at all", le(R[c.go[T, start]], R[start]), down, shrinks)
    first_step = d.smt("at once", lt(R[start], R[here]), shrinks, s.within[0], *s.local(d, here))
    goal = ge(s.fits[here] * fall.subs(i, here), 0)
    fit_flags = at(d, s.flag, here)
    never = d.smt("so it was longer", goal, down, first_step, *end, *fit_flags)
    otherwise = d.case("it does not", ge(fall.subs(i, here), 0))
    holds = d.smt("as supposed", goal, otherwise, fit_flags[0])
    return d.cases("a code that fits does not shrink at the next size", holds, never), fit_flags


def _grow_up_to(d: Derivation, s: Sizes, grown: Fact, fits: Fact) -> Fact:
    """From K up to a size whose code fits codes have grown (`fits`: a truth value)."""
    c = s.c
    here = s.here
    lowest = s.lowest
    fall = s.fall
    there = c.go[n, lowest]
    reach_flag = sp.Max(size[here] - size[there] + 1, 0)
    statement = ge(s.fits[here] * reach_flag * (R[there] - R[lowest]), 0)

    def up(before: Fact) -> Fact:
        next_reach = sp.Max(size[here] - size[c.after[there]] + 1, 0)
        near = d.smt(
            "below it the ratio is at least one",
            ge(s.fits[here] * next_reach * below[there] * fall.subs(i, there), 0),
            grown, fits, *at(d, [*c.within[:3], *c.flag, c.one_more], there), *at(d, c.within[:3], here),
        )  # fmt: skip
        rise = ge(s.fits[here] * next_reach * (R[c.after[there]] - R[there]), 0)
        rise = d.smt("so the code grows", rise, near, fits, *s.local(d, there))
        next_size = at(d, [c.one_more, c.flag[0]], there)
        next_growth = ge(s.fits[here] * next_reach * (R[c.after[there]] - R[lowest]), 0)
        next_growth = d.smt("one step more", next_growth, rise, before, *next_size, fits)
        return d.smt("renamed", statement.replace({n: n + 1}), next_growth, *step_to(d, c, lowest))

    return along(d, c, "codes grow up to it", statement, lowest, up)


def prove_sharp(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every V, K < V and ℓ.

    Truth values; both are true, or both false, for some K and ℓ at every V ≥ 3.
    """
    c = codes(d, sign)
    spot = d.map("spot")
    reach = d.map("reach")
    lowest = index("lowest")
    j = index("o")
    fits = sp.IndexedBase("fits", nonnegative=True)
    here = spot[j]
    within = d.domain("the sizes K to V − 1", eq(below[here], 1), ge(size[here], size[lowest]))
    way = d.domain("a way from K to each of them", ge(reach[j], 0), eq(c.go[reach[j], lowest], here))
    flag = d.domain(
        "which codes are no longer than the dense one (whole numbers)",
        eq(fits[i] ** 2, fits[i]),
        ge(fits[i] * (dense - R[i]), 0),
        ge((1 - fits[i]) * (R[i] - dense - 1), 0),
    )
    fall = (V - size[i]) * (resolution + size[i]) - unit * (size[i] + 1) * size[i]
    s = Sizes(c, here, lowest, within, fits, flag, fall)
    grown, fit_flags = _does_not_shrink(d, s, _shrinks_on(d, s))
    grows = d.instantiate("up to it", _grow_up_to(d, s, grown, fit_flags[0]), {n: reach[j]}, way[0])
    same = [
        d.derive("the way ends there", eq(f[c.go[reach[j], lowest]], f[here]), way[1], by="algebra") for f in (size, R)
    ]
    d.qed(d.smt("so K fits", le(fits[here], fits[lowest]), grows, *same, *fit_flags, *at(d, flag, lowest)))


def _sharp(vocab: int, k: int, resolution: int) -> dict[str, Any]:
    symbols = values(vocab, resolution)
    return {
        **symbols,
        "spot": lambda at: min(k - 1 + at, vocab - 1),
        "reach": lambda at: min(k - 1 + at, vocab - 1) - k,
        "lowest": k,
        "fits": lambda at: int(symbols["R"](at) <= symbols["dense"]),
        "ranges": {**symbols["ranges"], "o": range(1, vocab - k + 1)},
    }


def small() -> Iterator[Instance]:
    """All V up to 4, K < V and ℓ up to 10."""
    for vocab in range(2, 5):
        for k in range(1, vocab):
            yield from ({"vocab": vocab, "k": k, "resolution": r} for r in range(1, 11))


def fine() -> Iterator[Instance]:
    """Those with ℓ ≥ (V − 1)²."""
    return (v for v in small() if v["resolution"] >= (v["vocab"] - 1) ** 2)


PROOFS = (
    Refutation(
        BANDWIDTH,
        small,
        scope="the first of all V up to 4, K < V and ℓ up to 10, in this order",
        repaired={"ℓ ≥ (V − 1)²": fine, "the support of q̂ is sent, and positive counts on it": BANDWIDTH_SUPPORT},
    ),
    Proof(
        BANDWIDTH_CORRECTED,
        prove_corrected,
        drop="keeping all tokens is the dense code",
        change={"unit": 2},
        bind=_corrected,
    ),
    Proof(BANDWIDTH_SHARP, prove_sharp, drop="which sizes are below V", change={"unit": 2}, bind=_sharp),
    Proof(
        BANDWIDTH_SUPPORT,
        prove_support,
        drop=NONE,
        bind=support_values,
        scope="every V, K and ℓ; that subsets and points are counted by binomials is sqs.subset-bits and sqs.bits",
        sharp="Equality at ℓ = 1, K = 1, where both codes have V words: no constant below 1 can be put before the right side.",
    ),
)
