"""What the report says of the data: models, contexts, documents."""

from pathlib import Path

import numpy as np

from simspec.claims.deciding.data import CONTROLS, Data
from simspec.claims.rdk.parts import banks
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


def test_statistics_are_of_the_kind_of_text_that_decides() -> None:
    """Those of SmolLM2's answers decide, those of texts stand beside; each says its own documents."""
    data = Data()
    for bank, words in ((data.realistic, "the target's own answers"), (data.texts["texts"], "corpus texts")):
        documents = sum(bank.provenance["documents"][bank.statistics.source].values())
        contexts = f"{int(bank.statistics.contexts.sum()):,}"
        described = f"SmolLM2-135M-Instruct: {contexts} statistics contexts of {words}, {documents} documents"
        assert Data.describe_statistics(bank) == described
    assert list(banks(data)) == ["main", "texts", "wiki", "stories"]


def test_the_most_realistic_pair_decides_with_each_of_its_drafts() -> None:
    data = Data()
    assert data.realistic.name == "smollm2" and list(data.deciding) == ["main", "quantised:4"]
    assert [bank.draft_number for bank in data.deciding.values()] == [0, 1]
    assert {name: bank.name for name, bank in data.small.items()} == {name: name for name in CONTROLS}
    assert list(data.all_pairs) == ["main", "quantised:4", *data.texts, *CONTROLS]
    title = "SmolLM2-135M-Instruct"
    described = data.describe(data.deciding["quantised:4"])
    assert (
        described
        == f"{title} / {title}, quantised:4: 39 contexts of the target's own answers, 39 documents, whole rows"
    )
    texts = data.describe(data.texts["texts"])
    assert texts == f"{title} / {title}, quantised:3: 13 contexts of corpus texts, 13 documents, whole rows"
    cut = data.describe_cut(data.realistic)
    words = "1,008 contexts of the target's own answers, 84 documents, exact numbers beside cut rows"
    assert cut == f"{title} / {title}, quantised:3: {words}"
    statistics = data.describe_statistics(data.realistic)
    assert statistics.endswith(" statistics contexts of the target's own answers, 672 documents")
    assert data.describe_cut(data.main) == ""


def test_where_it_is_not_installed_the_small_pair_decides(monkeypatch) -> None:
    monkeypatch.setattr(bank_module, "is_installed", lambda name: name != "smollm2")
    data = Data()
    assert data.realistic is data.main and list(data.deciding) == ["main"] and list(data.controls) == ["stories"]


def test_a_users_bank_replaces_the_pair() -> None:
    shipped = Data()
    assert [b.name for b in shipped.pairs()] == ["wiki", "stories"]
    own = Data(path=str(Path(bank_module.__file__).parents[1] / "data" / "stories.safetensors"))
    assert [b.name for b in own.pairs()] == ["stories"]
    assert not own.shipped and own.realistic is own.main
    assert list(own.deciding) == ["main"] and not own.controls
