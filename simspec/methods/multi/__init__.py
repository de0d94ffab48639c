"""Several drafts of one token: recursive rejection, K-SEQ, SpecHub, greedy drafting, optimal transport."""

from simspec.methods.multi.drafting import DraftLaw, greedy_drafts, hub, iid, of_law, swor
from simspec.methods.multi.enumerated import StepLaw, step_law
from simspec.methods.multi.greedy import greedy_acceptance, greedy_verification, spechub, spechub_acceptance
from simspec.methods.multi.kseq import kseq, kseq_acceptance, kseq_rho
from simspec.methods.multi.recursive import Node, Order, at_root, recursive_rejection

__all__ = [
    "DraftLaw",
    "Node",
    "Order",
    "StepLaw",
    "at_root",
    "greedy_acceptance",
    "greedy_drafts",
    "greedy_verification",
    "hub",
    "iid",
    "kseq",
    "kseq_acceptance",
    "kseq_rho",
    "of_law",
    "recursive_rejection",
    "spechub",
    "spechub_acceptance",
    "step_law",
    "swor",
]
