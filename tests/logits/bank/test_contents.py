"""A bank whose checksums match is opened only where its content makes sense; a refusal names the part."""

import random

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.logits.bank import open_bank
from simspec.logits.bank.statistics import SPECTRA
from simspec.logits.bank.storage import Contexts, Part, store_rows, write_bank
from simspec.notebook import html
from simspec.studies.pairs import bank_laws
from tests.altered import JUNK
from tests.logits.bank.sealed import rewrite

V, VD, FOLDS = 4, 3, 2


def _index(count):
    zeros = np.zeros(count, np.int32)
    return Contexts(zeros + 1, zeros - 1, zeros + 5, np.arange(count, dtype=np.int32), np.array(["a.txt"] * count))


def written(folder):
    """A bank with every part there is: four target tokens, three draft tokens, tuning contexts and statistics."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    statistics = {
        "statistics_contexts": np.array([3, 4]),
        "statistics_counts": np.ones((FOLDS, V), np.uint16),
        "statistics_mean": np.full(V, 0.25, np.float32),
        "statistics_spectra": rng.uniform(0.5, 1, (len(SPECTRA), FOLDS + 1, 3)),
        "affinity_rows": np.array([0, 2], np.int32),
        "affinity_tokens": np.array([[0, 1], [3, 2]], np.uint16),
        "affinity_value": np.array([[0.5, 0.25], [0.5, 0.5]], np.float16),
    }
    for kind in ("probabilities", "logits"):
        statistics |= {
            f"statistics_{kind}_vectors": rng.uniform(-1, 1, (V, 2)).astype(np.float16),
            f"statistics_{kind}_scales": np.ones(2),
            f"statistics_{kind}_values": np.array([2.0, 1.0]),
            f"statistics_{kind}_diagonal": np.ones(V, np.float32),
        }
    rows = [store_rows(rng.normal(size=(count, size))) for count in (3, 2) for size in (V, VD)]
    write_bank(
        folder / "own.safetensors",
        name="own",
        evaluation=Part(rows[0], rows[1], _index(3)),
        tokens=[b"a", b"b", b"", b"dd"],
        draft_vocab=([b"b", b"x", b"a"], np.array([1, -1, 0], dtype=np.int32)),
        tuning=Part(rows[2], rows[3], _index(2)),
        statistics=statistics,
        provenance={"models": {"target": {"name": "t"}, "draft": {"name": "d"}}, "documents": {"statistics": {"a": 3}}},
    )
    return folder / "own.safetensors"


@pytest.fixture
def path(tmp_path):
    return written(tmp_path)


def use(path):
    """All that the package reads of a bank."""
    bank = open_bank(path)
    facts = [repr(bank), html(bank), bank.name, bank.tokens, bank.draft_tokens, bank.shared, bank.index]
    rows = [bank.target(), bank.draft(), bank.tuning_target(raw=True), bank.tuning_draft(raw=True)]
    bank_laws(bank)
    statistics = bank.statistics
    if statistics is not None:
        facts += [statistics.counts, statistics.unigram, statistics.contexts, Data.describe_statistics(bank)]
        facts += [statistics.factors(kind) for kind in ("probabilities", "logits", "tokens")]
        facts += [statistics.spectrum(kind) for kind in SPECTRA]
        facts += [statistics.affinity and statistics.affinity(np.ones(bank.vocab))]
    return bank.provenance, bank.storage_tv, bank.tuning_index, Data.describe(bank), facts, rows


def test_a_whole_bank_can_be_used(path) -> None:
    provenance, storage, tuning, described, _, rows = use(path)
    assert provenance["models"]["draft"]["name"] == "d" and set(storage) >= {"target", "draft"}
    assert described == "t / d: 3 contexts, 3 documents" and [len(r) for r in rows] == [3, 3, 2, 2]
    assert tuning.corpus.tolist() == ["a.txt", "a.txt"]


i32 = np.int32
TENSORS = [
    ({"draft_to_target": np.array([1, 1, 0], i32)}, "draft_to_target: sends draft tokens 0 and 1 to target token 1"),
    ({"draft_to_target": np.array([1, -2, 0], i32)}, "draft_to_target: sends draft token 1 to -2; expected a target"),
    ({"draft_to_target": np.array([1, 4, 0], i32)}, "draft_to_target: sends draft token 1 to 4; expected a target"),
    ({"draft_to_target": np.array([-1, -1, -1], i32)}, "draft_to_target: sends no draft token .* not empty"),
    ({"draft_to_target": np.array([1, 0], i32)}, r"draft_to_target: int32 of shape \(2,\); expected integers"),
    ({"draft_to_target": np.array([1.0, 0, 2])}, r"draft_to_target: float64 of shape \(3,\); expected integers"),
    ({"draft_to_target": None}, "draft_to_target: missing, and the draft has 3 tokens; expected 4, or a map"),
    ({"target": np.zeros((3, 0), np.float16)}, r"target: float16 of shape \(3, 0\); .* at least one of each"),
    ({"target": np.zeros((0, V), np.float16)}, r"target: float16 of shape \(0, 4\)"),
    ({"target": np.zeros(3, np.float16)}, r"target: float16 of shape \(3,\); expected numbers of shape"),
    ({"target": np.zeros((3, V), np.int8)}, "target: int8 of shape"),
    ({"target": None}, "target: missing; expected what simspec capture writes"),
    ({"target_shift": None}, "target_shift: missing"),
    ({"target_shift": np.array([0, np.nan, 0], np.float32)}, "target_shift: row 1 is nan"),
    ({"draft": np.zeros((2, VD), np.float16)}, r"draft: float16 of shape \(2, 3\); expected numbers of shape \(3, Vd\)"),
    ({"last": np.array([0, 4, 0], i32)}, "last: entry 1 is 4; expected -1 to 3"),
    ({"following": np.array([0, -2, 0], i32)}, "following: entry 1 is -2; expected -1 to 3"),
    ({"position": np.array([-1, 0, 0], i32)}, "position: entry 0 is -1; expected at least 0"),
    ({"corpus": np.array([0, 0, 1], i32)}, "corpus: entry 2 is 1; expected 0 to 0"),
    ({"document": np.zeros((3, 1), i32)}, r"document: int32 of shape \(3, 1\)"),
    ({"document": None}, "document: missing"),
    ({"tuning_corpus": np.array([0, 9], i32)}, "tuning_corpus: entry 1 is 9"),
    ({"tuning_target": np.zeros((2, 5), np.float16)}, r"tuning_target: .* expected numbers of shape \(contexts, 4\)"),
    ({"tuning_draft": np.zeros((2, 5), np.float16)}, "tuning_draft: "),
    ({"vocab_lengths": np.array([1, 1, 0, 3], np.uint8)}, "vocab_lengths: sum to 5; expected 4"),
    ({"vocab_lengths": np.ones(2, np.uint8)}, r"vocab_lengths: uint8 of shape \(2,\)"),
    ({"vocab_lengths": np.array([5, -1, 0, 0], np.int8)}, "vocab_lengths: int8"),
    ({"vocab_bytes": None}, "vocab_bytes: missing"),
    ({"draft_first": np.array([0, 4, -1], dtype=np.int32)}, "draft_first: entry 1 is 4; expected -1 to 3"),
    ({"draft_first": np.full(3, -1, dtype=np.int32)}, "draft_first: reads no draft token"),
    ({"draft_first": np.zeros(2, dtype=np.int32)}, "draft_first: "),
    ({"draft_vocab_bytes": None}, "draft_vocab_bytes: missing"),
    ({"statistics_counts": np.ones((FOLDS, V + 1), np.uint16)}, "statistics_counts: uint16 of shape"),
    ({"statistics_contexts": np.array([0, 4])}, "statistics_contexts: entry 0 is 0; expected at least 1"),
    ({"statistics_mean": np.zeros(V, np.float32)}, "statistics_mean: sums to 0"),
    ({"statistics_spectra": np.ones((1, 3, 3))}, "statistics_spectra: "),
    ({"statistics_logits_values": None}, "statistics_logits_values: missing"),
    ({"affinity_tokens": np.array([[0, 4], [0, 1]], np.uint16)}, "affinity_tokens: entry 1 is 4"),
    ({"affinity_rows": np.array([-1, 2], i32)}, "affinity_rows: entry 0 is -1"),
    ({"affinity_rows": np.array([2, 2], i32)}, "affinity_rows: a row occurs twice"),
    ({"affinity_value": np.full((2, 2), 0.75, np.float16)}, "affinity_value: row 0 holds 0.75 and sums to 1.5"),
]  # fmt: skip


@pytest.mark.parametrize(("tensors", "message"), TENSORS)
def test_each_part_is_checked_when_the_bank_is_opened(path, tensors, message) -> None:
    rewrite(path, tensors)
    with pytest.raises(ValueError, match=f"^bank: own.safetensors: {message}") as error:
        open_bank(path)
    assert "\n" not in str(error.value)


METADATA = [
    ("name", None, "name: missing in the metadata"),
    ("name", "", "name: ''; expected a name"),
    ("corpora", None, "corpora: missing"),
    ("corpora", "[1]", r"corpora: \[1\]; expected a list of names"),
    ("corpora", "{}", "corpora: {}; expected a JSON list"),
    ("corpora", "[", r"corpora: '\['; expected JSON"),
    ("corpora", "[]", "corpus: entry 0 is 0; expected 0 to -1"),
    ("storage_tv", None, "storage_tv: missing"),
    ("storage_tv", "{}", "storage_tv: {}; expected an entry 'target'"),
    ("storage_tv", '{"target": 3}', "storage_tv: 'target' is 3; expected 'max' and 'mean'"),
    ("storage_tv", '{"target": {"max": NaN, "mean": 0}}', "storage_tv: 'target' is {'max': nan"),
    ("storage_tv", "[" * 100_000, "storage_tv: .*; expected JSON"),
    ("provenance", None, "provenance: missing"),
    ("provenance", '"me"', "provenance: 'me'; expected a JSON object"),
    ("provenance", "{}", "provenance: 'models' is None; expected an entry 'target' with a name"),
    ("provenance", '{"models": {"target": "gpt2"}}', "provenance: model 'target' is 'gpt2'"),
    ("provenance", '{"models": {"target": {"name": 3}}}', "provenance: model 'target' is {'name': 3}"),
    ("provenance", '{"models": {"target": {"name": "t"}}, "documents": 3}', "provenance: 'documents' is 3"),
]


@pytest.mark.parametrize(("key", "text", "message"), METADATA)
def test_metadata_are_checked_when_the_bank_is_opened(path, key, text, message) -> None:
    rewrite(path, {}, {key: text})
    with pytest.raises(ValueError, match=f"^bank: own.safetensors: {message}") as error:
        open_bank(path)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def _mutated(rng, tensor):
    """A tensor with another type, shape or values."""
    way = rng.randrange(7)
    if way == 0:
        return None
    if way == 1:
        return tensor.astype(rng.choice([np.float64, np.float32, np.int64, np.int8, np.uint8, np.bool_]))
    if way == 2:
        return tensor[: rng.randrange(len(tensor))]
    if way == 3:
        return np.concatenate([tensor, tensor[:1]])
    if way == 4:
        return tensor[..., None] if rng.random() < 0.5 else tensor.reshape(-1)
    changed = np.array(tensor)
    flat = changed.reshape(-1)
    if len(flat):
        extremes = [np.nan, np.inf, -np.inf, -1.0, 1e9] if tensor.dtype.kind == "f" else [-1, -2, 2**31 - 1, 4, 255]
        with np.errstate(over="ignore", invalid="ignore"):
            flat[rng.randrange(len(flat))] = np.array(rng.choice(extremes)).astype(tensor.dtype)
    return changed


def test_four_hundred_mutated_banks_are_usable_or_refused_by_name(path) -> None:
    rng = random.Random(0)
    good = path.read_bytes()
    file = open_bank(path).file
    held = {name: file.read(name) for name in file.names}
    keys = ("name", "corpora", "storage_tv", "provenance", "simspec_bank")
    refused = 0
    for _ in range(400):
        path.write_bytes(good)
        names = rng.sample(sorted(held), rng.randint(0, 2))
        texts = {key: rng.choice([*JUNK, None]) for key in rng.sample(keys, rng.randint(0, 1) if names else 1)}
        rewrite(path, {name: _mutated(rng, held[name]) for name in names}, texts)
        try:
            with np.errstate(all="ignore"):
                use(path)
        except ValueError as error:
            assert str(error).startswith("bank: ") and "\n" not in str(error), error
            refused += 1
    assert 250 < refused < 400
