"""Banks of which one tensor, one header field or one text is changed: refused by name, or every other part as it was."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from simspec.logits.bank import open_bank
from simspec.logits.bank.checked import CheckedFile
from tests.altered import JUNK, Altered, alter, judged, outcomes
from tests.logits.bank.sealed import reseal, rewrite
from tests.logits.bank.test_contents import use, written

FIELDS = ("dtype", "shape", "data_offsets")
METADATA = ("name", "corpora", "storage_tv", "provenance", "simspec_bank")
VALUES = [None, True, -1, 0, 3, 2**63, 1.5, "", "I32", "F16", "BF16", [], [0], [[1]], [2, 3], {}, [0, 2**62], [-1, 3]]


def _altered(rng: random.Random, path: Path) -> Altered:
    """Change a bank in place: a tensor, a field of a tensor in the header, or a text of the metadata."""
    file = CheckedFile(path)
    way = rng.choice(["tensor", "tensor", "missing", "header", "offset", "metadata"])
    name = rng.choice(sorted(file.names))
    if way == "tensor":
        case = alter(rng, {name: file.read(name)})
        tensor = case.parts[name]
        if not isinstance(tensor, np.ndarray) or tensor.dtype.newbyteorder("=").str[1:] not in _KINDS:
            return _altered(rng, path)
        rewrite(path, {name: np.ascontiguousarray(tensor, tensor.dtype.newbyteorder("<"))})
        return Altered(name, case.change, {})
    if way == "missing":
        rewrite(path, {name: None})
        return Altered(name, "missing", {})
    if way == "metadata":
        key = rng.choice(METADATA)
        text = rng.choice([*JUNK, None])
        rewrite(path, {}, {key: text})
        return Altered(key, f"is {str(text)[:20]}", {})
    field, value = rng.choice(FIELDS), rng.choice(VALUES)
    step = rng.choice([-1, 1, 8])

    def change(header: dict[str, Any]) -> None:
        if way == "offset":
            header[name]["data_offsets"][rng.randrange(2)] += step
        else:
            header[name][field] = value

    reseal(path, change)
    return Altered(name, f"{way} {field} {value!r} {step}", {})


_KINDS = {np.dtype(kind).str[1:] for kind in ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")}


def outcome(seed: int) -> str:
    """How a bank with one changed part is opened and used."""
    with tempfile.TemporaryDirectory() as folder:
        good, path = written(Path(folder, "good")), Path(folder, "own.safetensors")
        shutil.copy(good, path)
        case = _altered(random.Random(seed), path)

        def check(_: Any, bank: Any) -> None:
            before = CheckedFile(good)
            for name in bank.file.names:
                if name != case.name and name in before:
                    np.testing.assert_array_equal(bank.file.read(name), before.read(name), err_msg=name)
            if case.name != "target":
                np.testing.assert_array_equal(bank.target(), before.read("target").astype(np.float32))

        def opened(_: Any) -> Any:
            with np.errstate(all="ignore"):
                use(path)
            return open_bank(path)

        return judged(case, opened, "bank: own.safetensors|bank: 'own' has no draft", check)


def test_one_changed_part_of_a_bank_is_refused_by_name_or_leaves_the_others() -> None:
    counts = outcomes(outcome, range(200))
    assert counts["refused"] > 100 and counts["right"] > 20
