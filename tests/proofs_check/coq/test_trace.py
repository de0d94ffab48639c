"""A derivation that keeps how it was made: in an order of its own, whatever Python's hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

import sympy as sp

from tests.requirements import require

require("proofs")
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import ge  # noqa: E402

MANY = 7
"""So many names of a set are in the order of their declaration by chance once in 5040 times."""


def test_what_a_value_must_satisfy_comes_in_the_order_of_the_givens() -> None:
    d = Traced("order")
    t = sp.Symbol("t", real=True)
    supposed = [d.suppose(f"t is not below {-k}", ge(t, -k)) for k in range(1, MANY + 1)]
    together = d.derive("all together", ge(MANY * t, -sum(range(1, MANY + 1))), *supposed)
    d.instantiate("at two", together, {t: 2})
    demanded = [e.made[0].relation for e in d.trace if e.rule == "derive" and e.text == "at two: condition"]
    assert demanded == [ge(sp.Integer(2), -k) for k in range(1, MANY + 1)]


GROWING = ("relaxed.fsd-js-sharp.attained", "greedy.tree-margin.increasing", "greedy.margin-square-corrected")
"""Claims whose proofs use the mean value theorem where several givens must hold at the start."""


def test_the_script_for_coq_is_the_same_whatever_the_hash_seed() -> None:
    code = f"""
from hashlib import sha256
from proofs_check.checking.listed import chosen
from proofs_check.coq.check import traced
from proofs_check.coq.export import exported
for _, _, proof in chosen({GROWING!r}):
    if proof.claim.name in {GROWING!r}:
        print(proof.claim.name, sha256(exported(traced(proof))[0].encode()).hexdigest())
"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in ("3", "4")
    ]
    assert printed[0] == printed[1]
    assert {line.split()[0] for line in printed[0]} == set(GROWING)


def test_what_the_slope_rests_on_is_shown_at_the_start_in_the_order_of_the_givens() -> None:
    d = Traced("order")
    t = sp.Symbol("t", real=True)
    supposed = [d.suppose(f"t is not below {-k}", ge(t, -k)) for k in range(1, MANY + 1)]
    slope = d.derive("the slope", ge(2 * MANY * t + MANY * (MANY + 1), 0), *supposed)
    beyond = d.suppose("t is not negative", ge(t, 0))
    d.increasing("it grows", MANY * t**2 + MANY * (MANY + 1) * t, t, 0, slope, beyond)
    shown = [e.made[0].relation for e in d.trace if e.rule == "derive" and e.text == "it grows: at the start"]
    assert shown == [ge(sp.S.Zero, -k) for k in range(1, MANY + 1)]
    assert d.trace[-1].using[0] is slope
