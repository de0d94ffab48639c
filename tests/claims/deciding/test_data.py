"""What the report says of the data: models, contexts, documents."""

from pathlib import Path

import numpy as np

from simspec.claims.deciding.data import Data
from simspec.logits import bank as bank_module


def test_shipped_pair_by_hand() -> None:
    data = Data(effort="quick")
    bank = data.main
    assert data.describe(bank) == "wiki-target / wiki-draft: 300 contexts, 270 documents"
    rows = np.array([0, 1])
    count = len(set(bank.documents[:2].tolist()))
    assert data.describe(bank, rows) == f"wiki-target / wiki-draft: 2 contexts, {count} documents"


def test_statistics_name_their_own_contexts() -> None:
    bank = Data().main
    documents = sum(bank.provenance["documents"]["statistics"].values())
    contexts = f"{int(bank.statistics.contexts.sum()):,}"
    assert Data.describe_statistics(bank) == f"wiki-target: {contexts} statistics contexts, {documents} documents"
    assert documents > 100


def test_a_users_bank_replaces_the_pair() -> None:
    shipped = Data()
    assert [b.name for b in shipped.pairs()] == ["wiki", "stories"]
    own = Data(path=str(Path(bank_module.__file__).parents[1] / "data" / "stories.safetensors"))
    assert [b.name for b in own.pairs()] == ["stories"]
    assert not own.shipped
