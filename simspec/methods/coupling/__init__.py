"""Couplings: shared noise or a shared key in place of a test; acceptance, joint laws and verifiers."""

from simspec.methods.coupling.fresh_coins import fresh_coin_tokens, one_key_verifier, two_keys_verifier
from simspec.methods.coupling.lists import exact_masses, joint_law, list_bound, list_masses, list_match
from simspec.methods.coupling.quantile import (
    drawn_by_key,
    given_draft,
    quantile,
    quantile_masses,
    quantile_match,
    quantile_tokens,
    quantile_verifier,
)
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
    "drawn_by_key",
    "exact_masses",
    "fresh_coin_tokens",
    "given_draft",
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
    "one_key_verifier",
    "quantile",
    "quantile_masses",
    "quantile_match",
    "quantile_tokens",
    "quantile_verifier",
    "race",
    "several",
    "two_keys_verifier",
]
