"""Couplings: shared noise in place of a test; acceptance, joint laws and verifiers."""

from simspec.methods.coupling.lists import exact_masses, joint_law, list_bound, list_masses, list_match
from simspec.methods.coupling.race import (
    gumbel,
    match_masses,
    match_probability,
    match_reference,
    minhash,
    minhash_probability,
)
from simspec.methods.coupling.verifiers import gumbel_list, gumbel_verifier, race, several

__all__ = [
    "exact_masses",
    "gumbel",
    "gumbel_list",
    "gumbel_verifier",
    "joint_law",
    "list_bound",
    "list_masses",
    "list_match",
    "match_masses",
    "match_probability",
    "match_reference",
    "minhash",
    "minhash_probability",
    "race",
    "several",
]
