"""Recursive rejection of several drafts is lossless, for some orders of the drafts and not for others.

`multi.rrs-lossless`, `multi.rrsw-lossless`, `multi.order` and `multi.skip-duplicates`: the law of recursive rejection.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, Broken, Draw, Instance, broken, exact, identity, law, other_claim
from simspec.claims.multi.parts import few, rrs, rrsw
from simspec.laws import Scalar
from simspec.methods.multi.drafting import iid
from simspec.methods.multi.enumerated import step_law
from simspec.methods.multi.recursive import recursive_rejection

__all__ = ["ORDER_NOTE", "dealt"]

RRS_LOSSLESS = identity(
    name="multi.rrs-lossless",
    statement=r"Recursive rejection of K independent drafts emits with law $p$",
    reference="SpecInfer, Theorem 4.2",
    instances=few,
    lhs=lambda p, q, k: rrs(p, q, k).law,
    rhs=lambda p: p,
    sources=("exact",),
    note="Each test is one step of speculative decoding against what is left of p, so what it emits has that law, whatever "
    "the next draft is drawn from.",
    broken=[broken("duplicates are skipped", lhs=lambda p, q, k: rrs(p, q, k, skip_duplicates=True).law)],
)

RRSW_LOSSLESS = identity(
    name="multi.rrsw-lossless",
    statement=r"Recursive rejection of K drafts without replacement emits with law $p$",
    reference="RSD (2402.14160), Theorem 3.1",
    instances=few,
    lhs=lambda p, q, k: rrsw(p, q, k).law,
    rhs=lambda p: p,
    sources=("exact",),
    note="Where K is more than q has tokens, all of these are drafted.",
    broken=[broken("drafts in the order of the target", lhs=lambda p, q, k: rrs(p, q, k, "by-p").law)],
)


def _permuted(draw: Draw) -> Instance:
    instance = few(draw)
    places = list(range(instance["k"]))
    order = tuple(places.pop(draw.integer(0, len(places) - 1)) for _ in range(instance["k"]))
    return {**instance, "order": order}


def _in_order(p: Array, q: Array, k: int, order: tuple[int, ...]) -> Array:
    number_drawn = min(k, int((q > 0).sum()))
    return rrsw(p, q, k, tuple(place for place in order if place < number_drawn)).law


RRS_FIXED = identity(
    name="multi.order.rrs-fixed",
    statement=r"Independent drafts that are verified in another order, chosen without looking at them: output law $p$",
    reference="llama.cpp #5625; FlexFlow #1302",
    instances=_permuted,
    lhs=lambda p, q, k, order: rrs(p, q, k, order).law,
    rhs=lambda p: p,
    sources=("exact",),
    note="Independent drafts in another order are independent drafts.",
    broken=[broken("drafts in the order of q", lhs=lambda p, q, k: rrs(p, q, k, "by-q").law)],
)

RRSW_FIXED = identity(
    name="multi.order.rrsw-fixed",
    statement=r"Drafts drawn without replacement that are verified in another order, chosen without looking at them: output "
    r"law $p$",
    reference="llama.cpp #5625; FlexFlow #1302",
    instances=_permuted,
    lhs=_in_order,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("multi.order.rrsw-fixed-corrected",),
    within=({"p": law("1/3", "2/3"), "q": law("2/3", "1/3"), "k": 2, "order": (1, 0)},),
    note="The second draft is not drawn from q: with two tokens it is the other one. Tested first, against q, it is kept too "
    "often or too rarely.",
)


def dealt(draw: Draw) -> Instance:
    """As for the other order, with q uniform on some tokens."""
    instance = dict(_permuted(draw))
    flags = draw.mask(len(instance["p"])).astype(int)
    return {**instance, "q": exact(flags) / int(flags.sum())}


RRSW_FIXED_CORRECTED = identity(
    name="multi.order.rrsw-fixed-corrected",
    statement=r"Drafts drawn without replacement that are verified in another order, chosen without looking at them, "
    r"have output law $p$ where $q$ is uniform on its tokens: they then come in any order alike",
    reference="correction of llama.cpp #5625",
    instances=dealt,
    lhs=_in_order,
    rhs=lambda p: p,
    sources=("exact",),
    broken=[broken("drafts in the order of the target", lhs=lambda p, q, k: rrsw(p, q, k, "by-p").law)],
)

ORDER_NOTE = (
    "The first draft in this order is not drawn from q, since the order looked at the drafts: likely tokens are tested first "
    "more often than q says."
)

BY_P = identity(
    name="multi.order.by-p",
    statement=r"Independent drafts that are verified by falling $p$: output law $p$",
    reference="llama.cpp #5625; FlexFlow #1302",
    instances=few,
    lhs=lambda p, q, k: rrs(p, q, k, "by-p").law,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("multi.order.by-p-corrected",),
    note=ORDER_NOTE,
)

BY_Q = identity(
    name="multi.order.by-q",
    statement=r"Independent drafts that are verified by falling $q$: output law $p$",
    reference="llama.cpp #5625; FlexFlow #1302",
    instances=few,
    lhs=lambda p, q, k: rrs(p, q, k, "by-q").law,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("multi.order.by-p-corrected",),
    note=ORDER_NOTE,
)


def _shuffled(draw: Draw) -> Instance:
    instance = few(draw)
    return {**instance, "turn": draw.number(0, 1)}


def _mixed(p: Array, q: Array, k: int, turn: Scalar) -> Array:
    """Drafts as drawn, or with this chance the last first."""
    return turn * rrs(p, q, k, tuple(range(k))[::-1]).law + (1 - turn) * rrs(p, q, k).law


BY_P_CORRECTED = identity(
    name="multi.order.by-p-corrected",
    statement=r"Independent drafts that are verified in an order drawn at random, without looking at them (the last "
    r"first, with any probability): output law $p$",
    reference="correction of llama.cpp #5625",
    instances=_shuffled,
    lhs=_mixed,
    rhs=lambda p: p,
    sources=("exact",),
    broken=[broken("drafts in the order of the target", lhs=lambda p, q, k: rrs(p, q, k, "by-p").law)],
)

SKIP_DUPLICATES = identity(
    name="multi.skip-duplicates",
    statement=r"Recursive rejection of independent drafts that passes over a draft equal to an earlier one, with $p_i$ as it "
    r"was, emits with law $p$",
    reference="SpecHub (code), mode RRS",
    instances=few,
    lhs=lambda p, q, k: rrs(p, q, k, skip_duplicates=True).law,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("multi.skip-duplicates-corrected",),
    within=({"p": law("1/6", "1/3", "1/3", "1/6"), "q": law("2/7", "1/7", "2/7", "2/7"), "k": 2},),
    note="A draft that is not passed over is not drawn from q but from q without the drafts before it, and is tested against "
    "q. With two drafts of two tokens no harm is done: the other token has all that is left of p.",
)

_deduplicated = recursive_rejection(replace=False, skip_duplicates=True)

SKIP_DUPLICATES_CORRECTED = identity(
    name="multi.skip-duplicates-corrected",
    statement=r"Recursive rejection of independent drafts that passes over a draft equal to an earlier one emits with "
    r"law $p$ if each draft that is not passed over is tested against $q$ without the drafts before it",
    reference="correction of SpecHub (code)",
    instances=few,
    lhs=lambda p, q, k: step_law(_deduplicated, iid, k, p, q).law,
    rhs=lambda p: p,
    sources=("exact",),
    note="How many drafts are tested depends on repetitions, which say nothing of the next draft that is new.",
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("multi.skip-duplicates").lhs})],
)
