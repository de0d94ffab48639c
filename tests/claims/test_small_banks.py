"""Claims on one's own bank with a small vocabulary: sizes follow it, or the claim says that it does not apply."""

from __future__ import annotations

from collections import Counter

import pytest

from simspec.claims import registry
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.verify import verify_claim
from tests.small_banks import write_small_bank

LINKS = ("sqs.k-latency", "sqs.against-dense", "csqs.crossover", "csqs.adaptivity")
PRUNED = ("rdk.real-pruning", "rdk.real-controls", "rdk.seventy-five")
RESULTS = {"supported", "unsupported", "inconclusive"}


@pytest.fixture(scope="module", params=[20, 92])
def data(request, tmp_path_factory) -> Data:
    return Data(path=write_small_bank(tmp_path_factory.mktemp("bank"), request.param), effort="quick")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Data:
    """Four tokens: fewer than the smallest K, and one of them is more than 5 %, and no less than a quarter."""
    return Data(path=write_small_bank(tmp_path_factory.mktemp("bank"), 4), effort="quick")


@pytest.mark.parametrize("name", [*LINKS, *PRUNED])
def test_claims_are_decided_on_a_small_vocabulary(name, data) -> None:
    record = verify_claim(registry()[name], data)
    assert record["verdict"] in RESULTS and record["message"] is None and record["evidence"]


def test_sizes_follow_the_vocabulary(data) -> None:
    vocab = data.main.vocab
    evidence = verify_claim(registry()["sqs.k-latency"], data)["evidence"]
    real = " ".join(e["data"] for e in evidence if data.describe(data.main) in e["data"])
    synthetic = " ".join(e["data"] for e in evidence if data.describe(data.main) not in e["data"])
    assert f"K = {vocab}" in real and "K = 128" not in real and "K = 128" in synthetic
    assert ("K = 32" in real) == (vocab > 32)


def test_no_level_is_counted_twice(tmp_path) -> None:
    """At V = 92 one token is both 1 % and 0.25 %: one level, beside the five tokens of 5 %."""
    data = Data(path=write_small_bank(tmp_path, 92), effort="default")
    study = registry()["rdk.real-pruning"].finding.study(data)
    cells = Counter((c["order"], c["kept"]) for c in study.grid if c["rdk"])
    assert set(cells.values()) == {1} and {kept for _, kept in cells} == {5, 1}


@pytest.mark.parametrize("name", [*LINKS, *PRUNED])
def test_a_claim_says_where_it_does_not_apply(name, tiny) -> None:
    record = verify_claim(registry()[name], tiny)
    assert record["verdict"] == "inconclusive" and "4 tokens; expected" in record["message"]


CHOSEN_ON_HALF = (
    "sqs.against-dense",
    "sqs.both-reduce.resolution",
    "csqs.crossover",
    "csqs.stability",
    "csqs.adaptivity",
)


@pytest.mark.parametrize("documents", [2, 3])
def test_a_bank_of_too_few_documents_decides_nothing_about_links_and_says_so(documents, tmp_path) -> None:
    """The schemes are chosen on every other link, and a link has documents of its own."""
    data = Data(path=write_small_bank(tmp_path, 20, contexts=3 * documents), effort="quick")
    for name in CHOSEN_ON_HALF:
        record = verify_claim(registry()[name], data)
        assert record["verdict"] == "inconclusive", name
        assert f"contexts of {documents} documents; expected 4 or more" in record["message"], name


def test_four_documents_suffice_for_links(tmp_path) -> None:
    data = Data(path=write_small_bank(tmp_path, 20, contexts=12), effort="quick")
    for name in CHOSEN_ON_HALF:
        record = verify_claim(registry()[name], data)
        assert record["verdict"] in RESULTS and record["message"] is None and record["evidence"], name
