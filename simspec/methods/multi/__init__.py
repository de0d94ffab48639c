"""Several drafts of one token: recursive rejection, K-SEQ, SpecHub, greedy drafting, optimal transport.

Rules are exact on fractions by enumeration (`step_law`, `at_root`), their acceptance is quick on arrays (`acceptance`), and
the best that any rule can do stands beside them: with a certificate (`optimum`), and for real vocabularies (`thresholds`).
"""

from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance, rrsw_acceptance, rrsw_rates
from simspec.methods.multi.drafting import DraftLaw, greedy_drafts, hub, iid, of_law, swor
from simspec.methods.multi.enumerated import StepLaw, step_law
from simspec.methods.multi.greedy import greedy_acceptance, greedy_verification, spechub, spechub_acceptance
from simspec.methods.multi.kseq import kseq, kseq_acceptance, kseq_rho
from simspec.methods.multi.optimum import Certificate, certified, draft_sets, optimum, subset_form
from simspec.methods.multi.recursive import Node, Order, at_root, recursive_rejection
from simspec.methods.multi.thresholds import optimal_acceptance, share

__all__ = [
    "Certificate",
    "DraftLaw",
    "Node",
    "Order",
    "StepLaw",
    "at_root",
    "certified",
    "draft_sets",
    "greedy_acceptance",
    "greedy_drafts",
    "greedy_verification",
    "hub",
    "iid",
    "kseq",
    "kseq_acceptance",
    "kseq_rho",
    "match_acceptance",
    "of_law",
    "optimal_acceptance",
    "optimum",
    "recursive_rejection",
    "rrs_acceptance",
    "rrsw_acceptance",
    "rrsw_rates",
    "share",
    "spechub",
    "spechub_acceptance",
    "step_law",
    "subset_form",
    "swor",
]
