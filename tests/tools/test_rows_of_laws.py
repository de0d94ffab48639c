"""A large bank's laws are made as they are measured: the same bits as all at once, in memory of a part."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

from simspec.tools import reading
from simspec.tools.advise import advise
from simspec.tools.advise.plan import Plan
from simspec.tools.rates import rates
from simspec.tools.reading import load
from simspec.tools.rows_of_laws import RowsOfLaws, mapped, taken
from simspec.tools.trees import trees
from tests.small_banks import write_small_bank

LAWS = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return write_small_bank(tmp_path_factory.mktemp("bank"), 50)


def both(bank, monkeypatch, temperature=1.0):
    """Pairs of a bank made at once, and as they are measured."""
    at_once = load(bank, temperature)
    monkeypatch.setattr(reading, "LARGE", 0)
    monkeypatch.setattr(reading, "PART", 4 * 50)
    return at_once, load(bank, temperature)


def test_rows_are_those_of_an_array():
    asked = []

    def laws(numbers):
        asked.append(numbers)
        return LAWS[numbers]

    rows = RowsOfLaws(laws, np.arange(4), 3)
    assert rows.shape == (4, 3) and len(rows) == 4 and asked == []
    for index in (slice(None), slice(1, 3), slice(3, 9), np.array([2, 0]), np.array([], dtype=int), 2, -1):
        np.testing.assert_array_equal(rows[index], LAWS[index])
    assert asked[1] == slice(1, 3)  # neighbours are read in one go
    order = np.array([3, 1, 2])
    np.testing.assert_array_equal(taken(rows, order)[1:], LAWS[order][1:])
    np.testing.assert_array_equal(mapped(taken(rows, order), lambda law: law[:, ::-1])[:2], LAWS[order][:2, ::-1])
    np.testing.assert_array_equal(np.asarray(rows), LAWS)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_laws_are_the_same_bit_for_bit(bank, monkeypatch, temperature):
    at_once, rows = both(bank, monkeypatch, temperature)
    assert isinstance(at_once.p, np.ndarray) and isinstance(rows.p, RowsOfLaws) and isinstance(rows.q, RowsOfLaws)
    for part in rows.parts():
        np.testing.assert_array_equal(rows.p[part], at_once.p[part])
        np.testing.assert_array_equal(rows.q[part], at_once.q[part])
    np.testing.assert_array_equal(rows.in_order().q[3:5], at_once.in_order().q[3:5])


def test_tools_say_the_same(bank, monkeypatch):
    rules = ("sd", "ears:0.1", "block", "sqs:4,16", "mixture:0.1")
    plan = Plan(
        rules=("sd", "block", "rrs:2", "tree-top", "sqs:4,16"), top_ps=(1, 0.9), pruned=0.5, gammas=(1, 3), link=1e4
    )
    at_once, rows = both(bank, monkeypatch)
    monkeypatch.setattr(reading, "PART", 2**20)
    assert [row.values for row in rates(rows, rules)] == [row.values for row in rates(at_once, rules)]
    assert repr(list(advise(rows, plan))) == repr(list(advise(at_once, plan)))
    for rule in ("top", "iid", "swor"):
        assert list(trees(rows, rule=rule)) == list(trees(at_once, rule=rule))


def test_memory_does_not_grow_with_the_contexts(tmp_path, monkeypatch):
    """Laws of 600 contexts over 2,000 tokens are 19 MB at once; a part of 20 contexts is 0.3 MB an array."""
    bank = write_small_bank(tmp_path, 2000, contexts=600)
    peaks = {}
    monkeypatch.setattr(reading, "PART", 20 * 2000)
    for large in (0, 2**40):
        monkeypatch.setattr(reading, "LARGE", large)
        rates(bank, ["sd"])  # loads what it imports
        tracemalloc.start()
        try:
            rates(bank, ["sd"])
            peaks[large] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peaks[0] < 10e6 < 2 * 600 * 2000 * 8 <= peaks[2**40]


def arrays_of_one(names, dtype, shape=(600, 2000)):
    """Two arrays of laws or of logits, as a user saves them."""
    rng = np.random.default_rng(0)
    logits = [rng.normal(size=shape) * 2 for _ in names]
    if names == ("target", "draft"):
        return {name: rows.astype(dtype) for name, rows in zip(names, logits, strict=True)}
    weights = [np.exp(rows) for rows in logits]
    return {name: (w / w.sum(axis=-1, keepdims=True)).astype(dtype) for name, w in zip(names, weights, strict=True)}


def saved(path, arrays):
    """A file of arrays, not compressed."""
    if path.suffix == ".npz":
        np.savez(path, **arrays)
        return
    offset = 0
    header = {}
    for name, array in arrays.items():
        kind = {"float32": "F32", "float64": "F64"}[str(array.dtype)]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in arrays.values()))


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
@pytest.mark.parametrize(("names", "dtype"), [(("p", "q"), np.float64), (("target", "draft"), np.float32)])
def test_memory_does_not_grow_with_the_rows_of_a_file(ending, names, dtype, tmp_path, monkeypatch):
    """Laws of 600 rows over 2,000 tokens are 19 MB at once; a part of 20 rows is 0.3 MB an array."""
    path = tmp_path / f"pairs{ending}"
    saved(path, arrays_of_one(names, dtype))
    monkeypatch.setattr(reading, "PART", 20 * 2000)
    plan = Plan(rules=("sd",), gammas=(1, 3))
    peaks = {}
    answers = {}
    for large in (0, 2**40):
        monkeypatch.setattr(reading, "LARGE", large)
        list(advise(str(path), plan))  # loads what it imports
        tracemalloc.start()
        try:
            answers[large] = repr(list(advise(str(path), plan))), [row.values for row in rates(path, ["sd"])]
            peaks[large] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert answers[0] == answers[2**40]
    assert peaks[0] < 10e6 < 2 * 600 * 2000 * 8 <= peaks[2**40]


@pytest.mark.parametrize("names", [("p", "q"), ("target", "draft")])
def test_rows_of_a_large_file_are_checked_before_the_first_is_measured(names, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGE", 0)
    monkeypatch.setattr(reading, "PART", 10 * 50)
    arrays = arrays_of_one(names, np.float64, (40, 50))
    path = tmp_path / "pairs.npz"
    saved(path, arrays)
    at_once = load(arrays)
    assert isinstance(load(path).p, RowsOfLaws)
    np.testing.assert_array_equal(load(path).q[7:33], at_once.q[7:33])
    with pytest.raises(ValueError, match="temperature: -1"):
        load(path, -1)
    arrays[names[1]][25] = np.nan if names == ("target", "draft") else 0.5
    saved(path, arrays)
    with pytest.raises(ValueError, match=rf"{names[1]}, rows counted from 20:.*row (\(5,\)|5) "):
        load(path)
    content = bytearray(path.read_bytes())
    content[-3000] ^= 1  # within the last array: its checksum is another
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read"):
        load(path)


def test_a_bank_just_below_the_limit_fits_in_a_gigabyte_and_a_half(tmp_path, monkeypatch):
    """Bytes an entry of a bank whose laws are made at once, times the entries that are made at once at most."""
    bank = write_small_bank(tmp_path, 2000, contexts=600)
    most_entries = reading.LARGE
    monkeypatch.setattr(reading, "LARGE", 2**40)
    monkeypatch.setattr(reading, "PART", 20 * 2000)
    rates(bank, ["sd"])  # loads what it imports
    tracemalloc.start()
    try:
        rates(bank, ["sd"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    bytes_an_entry = peak / (600 * 2000)
    assert bytes_an_entry > 16 and bytes_an_entry * most_entries < 1.5e9


def test_a_wrong_temperature_is_refused_before_the_first_part(bank, monkeypatch):
    monkeypatch.setattr(reading, "LARGE", 0)
    with pytest.raises(ValueError, match="temperature: -1; expected a number that is not negative"):
        load(bank, -1)


def test_a_draft_with_a_vocabulary_of_its_own(monkeypatch):
    """The shipped pair shares some of its tokens only."""
    at_once = load("stories")
    monkeypatch.setattr(reading, "LARGE", 0)
    rows = load("stories")
    assert isinstance(rows.q, RowsOfLaws) and 0 < rows.known.shared.sum() < rows.q.shape[1]
    np.testing.assert_array_equal(rows.q[:7], at_once.q[:7])
    np.testing.assert_array_equal(rows.p[np.array([5, 0])], at_once.p[[5, 0]])


def test_how_often_tools_make_the_laws(bank, monkeypatch):
    """Once, for all rules of one draft, those that judge a path, and confidence."""
    _, rows = both(bank, monkeypatch)
    asked = []

    def counted(laws):
        def made(numbers):
            asked.append(laws)
            return laws[numbers]

        return RowsOfLaws(made, np.arange(len(laws)), 50)

    pairs = rows._replace(p=counted(rows.p), q=counted(rows.q))
    parts = len(pairs.parts())
    assert parts > 2
    for tool, passes in (
        (lambda: rates(pairs, ["sd", "ears:0.1", "mixture:0.1"]), 1),
        (lambda: advise(pairs, Plan(rules=("sd", "greedy", "typical:0.3,0.09"), gammas=(1, 3))), 1),
        (lambda: advise(pairs, Plan(rules=("sd", "greedy", "block"), gammas=(1, 3))), 1),
        (lambda: trees(pairs), 1),
    ):
        asked.clear()
        tool()
        assert [sum(laws is side for laws in asked) for side in (rows.p, rows.q)] == [passes * parts] * 2
