"""Methods and rules as values: how they print, when two are the same, and that they travel to other processes."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods import (
    SD,
    Method,
    acceptance_rate,
    affine,
    csqs,
    dense,
    ears,
    factored,
    fresh,
    leftover,
    lenience,
    levelled,
    mixture,
    output_law,
    pad,
    rdk,
    restricted,
    sqs,
    static,
    strict,
    tli,
    typical,
    uniform,
    unigram_mixture,
    variance,
)
from simspec.methods.known import Known
from simspec.methods.registry import kinds, rule

KNOWING = {kind.name: kind for kind in kinds("token") if kind.needs}
RULES = {kind.name: kind for kind in kinds("token") if not kind.needs}

MASK = np.array([True, True, False])
P, Q = exact(np.array([0.5, 0.25, 0.25])), exact(np.array([0.25, 0.25, 0.5]))
MADE = {
    "SD": SD,
    "ears(1/10)": ears(Fraction(1, 10)),
    "ears(0.1, uncertainty=variance)": ears(0.1, variance),
    "replace(ears(0.1), residual=fresh)": replace(ears(0.1), residual=fresh),
    "replace(SD, residual=fresh)": replace(SD, residual=fresh),
    "lenience(0.5)": lenience(0.5),
    "levelled(lenience(0.5))": levelled(lenience(0.5)),
    "mixture(0.25)": mixture(0.25),
    "typical(epsilon=0.25)": typical(epsilon=0.25),
    "tli([True, True, False])": tli(MASK),
    "restricted([True, True, False])": restricted(MASK),
    "uniform()": uniform(),
    "unigram_mixture([True, True, False], [0.5, 0.25, 0.25], 0.5)": unigram_mixture(MASK, [0.5, 0.25, 0.25], 0.5),
    "static([True, True, False], [0.0, 0.0, 0.25])": static(MASK, np.array([0, 0, 0.25])),
    "rdk([True, True, False], dense(<float64 array (3, 3)>))": rdk(MASK, dense(np.eye(3))),
    "rdk([True, True, False], affine([0.5, 0.25, 0.25], 1, 2))": rdk(MASK, affine(np.array([0.5, 0.25, 0.25]), 1, 2)),
    "pad([True, True, False], limit=0.01)": pad(MASK, limit=0.01),
    "strict([True, True, False])": strict(MASK),
    "sqs(2, 8)": sqs(2, 8),
    "csqs(0.1, 8, keep_top=False)": csqs(0.1, 8, keep_top=False),
}
EVERY = pytest.mark.parametrize("name", MADE)


@EVERY
def test_a_method_prints_the_call_that_makes_it(name) -> None:
    assert repr(MADE[name]) == name


@EVERY
def test_it_comes_back_from_a_pickle_as_the_same_method(name) -> None:
    method = MADE[name]
    back = pickle.loads(pickle.dumps(method))
    assert back == method and hash(back) == hash(method) and repr(back) == name
    p, q = P.astype(float), Q.astype(float)
    assert (output_law(back, p, q) == output_law(method, p, q)).all()


@EVERY
def test_it_is_a_frozen_dataclass_of_three_maps(name) -> None:
    method = MADE[name]
    propose, accept, residual = method.maps
    assert isinstance(method, Method) and method.accept is accept
    with pytest.raises(FrozenInstanceError):
        method.accept = SD.accept  # type: ignore[misc]
    changed = replace(method, accept=SD.accept)
    assert changed.accept is SD.accept and (changed.propose, changed.residual) == (propose, residual)
    assert [field.name for field in fields(method)][:3] == ["propose", "accept", "residual"]


@EVERY
def test_no_two_of_them_are_equal(name) -> None:
    assert [other for other, method in MADE.items() if method == MADE[name]] == [name]
    assert [other for other, method in MADE.items() if method != MADE[name]] == [
        other for other in MADE if other != name
    ]


@pytest.mark.parametrize("name", RULES)
def test_every_rule_by_name_is_equal_to_itself_made_again(name) -> None:
    numbers = {"BETA": "0.1", "FACTOR": "0.5", "WEIGHT": "0.5", "EPSILON": "0.3", "DELTA": "0.1"}
    numbers |= {"K": "2", "RESOLUTION": "8", "THRESHOLD": "0.1", "ALPHA": "0.5", "MARGIN": "0.1", "COUNT": "2"}
    numbers |= {"T_ACC": "0.9", "T_SINGLE": "0.95"}
    text = f"{name}:{','.join(numbers[n] for n in RULES[name].numbers)}"
    one, two = rule(text).method, pickle.loads(pickle.dumps(rule(text).method))
    assert one == two == rule(text).method and "lambda" not in repr(one)


@pytest.mark.parametrize("name", KNOWING)
def test_every_rule_that_needs_to_know_is_equal_to_itself_made_again(name) -> None:
    law = np.array([0.5, 0.25, 0.25])
    known = Known(MASK, lambda: (law[None], law[None, ::-1]), law, first=np.arange(3))
    one, two = rule(name, known).method, pickle.loads(pickle.dumps(rule(name, known).method))
    assert one == two == rule(name, known).method and hash(one) == hash(two)
    assert not {"lambda", "<locals>", "0x"} & set(re.findall(r"lambda|<locals>|0x", repr(one))) and "(" in repr(one)


def test_arguments_are_compared_by_value_whatever_the_way_they_are_given() -> None:
    assert ears(0.5) == ears(tolerance=0.5) == ears(Fraction(1, 2)) != ears(0.25)
    assert typical() == typical(0.09, 0.3) == typical(delta=0.3)
    assert tli(MASK) == tli(MASK.copy())
    assert tli(MASK) != tli(~MASK) and tli(MASK) != tli(np.array([True, False]))
    U, lam, diag = np.zeros((3, 1)), np.zeros(1), np.ones(3)
    assert rdk(MASK, factored(U, lam, diag, 1)) == rdk(MASK, factored(U.copy(), lam, diag, 1.0))
    assert rdk(MASK, factored(U, lam, diag, 1)) != rdk(MASK, factored(U + 1, lam, diag, 1))


def test_a_change_of_a_change_is_one_and_no_change_is_none() -> None:
    twice = replace(replace(ears(0.1), residual=fresh), accept=SD.accept)
    assert twice == replace(ears(0.1), accept=SD.accept, residual=fresh)
    assert repr(twice) == "replace(ears(0.1), accept=_accept, residual=fresh)"
    assert replace(SD, accept=SD.accept) == SD and hash(replace(SD, accept=SD.accept)) == hash(SD)
    with pytest.raises((TypeError, ValueError), match="nothing"):
        replace(SD, nothing=SD.accept)


def test_speculative_decoding_stays_one_object() -> None:
    assert pickle.loads(pickle.dumps(SD)) is SD and copy.deepcopy(SD) is SD
    assert ears(0) != SD and SD.maps != SD  # equal in what they do, not in what they are


def own_keep(p, d):
    return np.minimum(p, d) / 2


def test_a_method_of_ones_own_functions_travels_where_they_do() -> None:
    own = Method(SD.propose, own_keep, leftover(own_keep))
    back = pickle.loads(pickle.dumps(own))
    assert back == own and repr(own) == "Method(_same, own_keep, leftover.<locals>.residual)"
    assert acceptance_rate(back, P, Q) == Fraction(3, 8)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(replace(SD, accept=lambda p, d: d))


def scaled(share: float) -> Method:
    return replace(SD, accept=lambda p, d: share * np.minimum(p, d)).made_by(scaled, share)


def test_a_rule_of_ones_own_has_a_name_with_one_line() -> None:
    assert repr(scaled(0.5)) == "scaled(0.5)" and scaled(0.5) == scaled(share=0.5) != scaled(0.25)
    back = pickle.loads(pickle.dumps(scaled(0.5)))
    assert back == scaled(0.5) and float(acceptance_rate(back, P.astype(float), Q.astype(float))) == 0.375


def test_a_list_changed_afterwards_does_not_change_the_name() -> None:
    flags = [True, False]
    method = pad(flags)
    flags[0] = False
    assert method == pad([True, False]) and repr(method) == "pad([True, False])"


def test_another_process_makes_the_same_method() -> None:
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()))"
    sent = pickle.dumps([MADE[name] for name in MADE])
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().strip() == f"[{', '.join(MADE)}]"
