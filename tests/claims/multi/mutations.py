"""The formulas of multi.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.multi.lossy import emitted, mixed
from simspec.claims.multi.parts import iid_best, rrs, rrsw, swor_best
from simspec.laws import overlap, tv
from simspec.methods.multi import greedy_acceptance, kseq_acceptance, spechub_acceptance
from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance
from simspec.methods.multi.optimum import optimum, selected, subset_form
from tests.claims.cases import broken, get, swapped


def _first_drafts(p, sets):
    """What is accepted where the first of the drafts is always selected."""
    law = [sum(mass for drafts, mass in sets.items() if min(drafts) == token) for token in range(len(p))]
    return sum(map(min, p, law))


def _missing(p, sets):
    """The least over sets of one token or none."""
    return min(1, *(p[t] + 1 - sets[frozenset({t})] for t in range(len(p))))


def _no_flow(p, sets):
    """The two-step form with the smallest token of each set selected."""
    law = selected(optimum(p, sets)._replace(flow={}), sets, len(p))
    return sum(map(min, p, law))


MUTATIONS = [
    broken("multi.rrs-lossless", lhs=lambda p, q, k: rrs(p, q, k, skip_duplicates=True).law),
    broken("multi.rrsw-lossless", lhs=lambda p, q, k: rrs(p, q, k, "by-p").law),
    broken("multi.rrs-formula", rhs=lambda p, q, k: rrs_acceptance(p, q, max(k - 1, 1))),
    broken("multi.rrs-beats-naive", lhs=lambda p, q, k: match_acceptance(p, q, k + 1)),
    broken("multi.rrsw-beats-rrs", lhs=lambda p, q, k: rrs_acceptance(p, q, k + 1)),
    broken("multi.cover.rrsw", lhs=get("multi.cover.rrs").lhs),
    broken("multi.cover.rrs-corrected", rhs=lambda p, q, k: 1 - (1 - q.max()) ** k),
    broken("multi.order.rrs-fixed", lhs=lambda p, q, k: rrs(p, q, k, "by-q").law),
    broken("multi.order.rrsw-fixed-corrected", lhs=lambda p, q, k: rrsw(p, q, k, "by-p").law),
    broken("multi.order.by-p-corrected", lhs=lambda p, q, k: rrs(p, q, k, "by-p").law),
    broken("multi.skip-duplicates-corrected", lhs=get("multi.skip-duplicates").lhs),
    broken("multi.kseq-lossless", lhs=lambda p, q: np.append(q, 0)),
    broken("multi.kseq-rho", **swapped("multi.kseq-rho")),
    broken("multi.kseq-ratio", **swapped("multi.kseq-ratio")),
    broken("multi.kseq-over-rrs", **swapped("multi.kseq-over-rrs")),
    broken("multi.kseq-under-rrsw-corrected", rhs=rrs_acceptance),
    broken("multi.subset", rhs=_missing),
    broken("multi.two-step", rhs=_no_flow),
    broken("multi.equivalent", lhs=lambda p, sets: np.array([subset_form(p, sets), _first_drafts(p, sets)])),
    broken("multi.accept-all", lhs=lambda p, q: 1 - overlap(p, q)),
    broken("multi.diminishing", **swapped("multi.diminishing")),
    broken("multi.lossy-optimum", rhs=lambda p, sets, a, r: subset_form(p, sets) + tv(emitted(a, r), p) / 2),
    broken("multi.lossy-attained", rhs=lambda p, sets, w: w * tv(p, mixed(p, sets, 1)) / 2),
    broken("multi.threshold.iid", lhs=lambda p, q, k: iid_best(p, q, k + 1)),
    broken("multi.threshold.swor", lhs=iid_best),
    broken("multi.swor-optimum", **swapped("multi.swor-optimum")),
    broken("multi.greedy-attains", rhs=lambda p, q, k: np.array([*p, overlap(p, q), overlap(p, q)])),
    broken("multi.greedy-over-swor-corrected", lhs=lambda p, q: overlap(p, q)),
    broken("multi.spechub-lossless", lhs=lambda p, q: (p + q) / 2),
    broken("multi.spechub-optimal", lhs=lambda p, q: np.array([spechub_acceptance(p, q), swor_best(p, q, 2)])),
    broken("multi.spechub-over-rrs.always-corrected", lhs=lambda p, q: kseq_acceptance(p, q, 2, 2)),
    broken("multi.spechub-over-rrs.top-safe-corrected", lhs=lambda p, q: overlap(p, q)),
    broken("multi.spechub-over-rrsw-corrected", lhs=lambda p, q: greedy_acceptance(p, q, 1)),
]
