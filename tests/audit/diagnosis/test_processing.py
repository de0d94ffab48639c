"""A wrong step under a processor, and wrong processing: rows that the processor leaves as they are tell them apart."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import audit, exact
from simspec.audit.adapters.form import by_uniforms, emitted
from simspec.audit.diagnosis.processing import unchanged_pairs
from simspec.audit.processors import processor_of

COLD = "temperature:0.5"
NAMES = (COLD, "top-k:2", "top-p:0.7")


def verifier(name, fault=""):
    """Speculative decoding on processed rows, with one fault, whose uniforms are arguments."""
    change = processor_of(name)

    def verify(p, q, drafts, uniforms):
        n, gamma = drafts.shape
        calls = np.arange(n)
        processed = []
        for i, row in enumerate(p):
            weights = np.asarray(change(np.tile(row, (n, 1)), drafts[:, :i]))
            processed.append(
                row[None].repeat(n, axis=0) if fault == "raw" else weights / weights.sum(axis=1, keepdims=True)
            )
        accepted = np.zeros(n, dtype=np.int64)
        rows = processed[-1].copy()
        is_open = np.ones(n, dtype=bool)
        for i in range(gamma):
            mass = processed[i][calls, drafts[:, i]]
            ratio = mass if fault == "test" else mass / q[i][drafts[:, i]]
            passes = uniforms[:, i] < ratio
            left = processed[i] if fault == "residual" else np.maximum(processed[i] - q[i], 0)
            left = np.where(left.sum(axis=1, keepdims=True) > 1e-12, left, processed[i])
            rows[is_open & ~passes] = left[is_open & ~passes]
            is_open &= passes
            accepted += is_open
        if fault == "bonus":
            rows[is_open] = processed[0][is_open]
        sums = rows.cumsum(axis=1)
        last = (uniforms[:, -1:] * sums[:, -1:] >= sums).sum(axis=1)
        return emitted(drafts, accepted, np.minimum(last, p.shape[1] - 1))

    return verify


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize(
    ("fault", "part"),
    [("test", "uniforms"), ("residual", "residual"), ("bonus", "bookkeeping"), ("raw", "processor")],
)
def test_a_wrong_step_under_a_processor_is_told_from_wrong_processing(name, fault, part) -> None:
    report = audit(by_uniforms(verifier(name, fault)), gamma=1, processor=processor_of(name), calls=4000)
    assert report.verdict.value == "biased" and report.diagnosis.part == part


def test_exact_mode_tells_them_apart_too() -> None:
    for fault, part in (("residual", "residual"), ("raw", "processor")):
        report = exact(verifier(COLD, fault), gamma=1, processor=processor_of(COLD))
        assert report.verdict.value == "biased" and report.diagnosis.part == part


def test_rows_are_left_as_they_are_and_a_penalty_leaves_none() -> None:
    for name in NAMES:
        for pair in unchanged_pairs(processor_of(name)):
            for row in pair.p:
                weights = np.asarray(processor_of(name)(row[None], np.zeros((1, 0), dtype=np.int64)))
                assert weights[0] / weights.sum() == pytest.approx(row)
    assert unchanged_pairs(processor_of("frequency:0.5")) == []
