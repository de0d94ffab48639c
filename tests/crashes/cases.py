"""Calls that once ended the process, or read what was not theirs, and what is said to each now."""

from __future__ import annotations

__all__ = ["CASES", "code"]

_LINK = """
from simspec.kernels.link import Contexts, Rule, run_links, sort_contexts
rng = np.random.default_rng(0)
p, q = rng.dirichlet(np.ones(7), (2, 2, 3))
given = dict(contexts=sort_contexts(p, q), price=np.arange(8.0), budget=20, resolution=10)
given |= dict(picks=rng.random((2, 4, 6)), accept_uniforms=rng.random((2, 4, 6)), rule=Rule(k=3))
def spoilt(x, value):
    x = x.copy()
    x[0, 0, 0] = value
    return x
"""
_CODING = """
from simspec.kernels.coding import decode, encode
wrapping = np.array([2**62] * 4 + [8])
"""
_ROUNDS = """
from simspec.kernels.rounds import Draws, Tables, run_rounds, tables
from simspec.kernels.rounds.reference import Laws
cdf, half = np.array([[0.25, 1.0]] * 2), np.full((2, 2), 0.5)
"""
_MERGES = """
from simspec.kernels.merges import Loops, corpus
texts = Loops(np.array([0, 1] * 300), np.array([600]), 2)
"""
_OTHER = """
from simspec import kernels
from simspec.kernels import ngram, synthetic
from simspec.kernels import random as philox
from simspec.kernels import thresholds as paths
from simspec.kernels.ngram import text as ngram_text
from simspec.studies.sqs.link_schemes import simulate_link, top_k
Draws, Model = philox.Draws, synthetic.Model
"""


def _links(change: str) -> str:
    return _LINK + f"run_links(**(given | dict({change})))"


CASES = {
    "link: K > V": (_links("rule=Rule(k=8)"), "k: 8; expected an integer from 0 to 7"),
    "link: K is a million": (_links("rule=Rule(k=10**6)"), "k: 1000000; expected"),
    "link: K < 0": (_links("rule=Rule(k=-1)"), "k: -1; expected"),
    "link: a negative resolution": (_links("resolution=-3"), "resolution: -3; expected"),
    "link: a huge resolution": (_links("resolution=2**62"), "resolution: 4611686018427387904; expected"),
    "link: picks far out": (_links("picks=spoilt(given['picks'], -1e6)"), "picks: -1000000.0; expected uniform"),
    "link: picks without a number": (_links("picks=spoilt(given['picks'], np.nan)"), "picks: nan; expected uniform"),
    "link: uniforms of fewer batches": (
        _links("accept_uniforms=given['accept_uniforms'][:, 1:]"),
        "accept_uniforms: shape (2, 3, 6); expected",
    ),
    "link: picks of no position": (_links("picks=np.empty((2, 4, 0))"), "picks: shape (2, 4, 0); expected"),
    "link: picks of more rows": (_links("picks=np.ones((9, 4, 6))"), "picks: shape (9, 4, 6); expected (2, batches"),
    "link: prices of another V": (_links("price=np.arange(5.0)"), "price: shape (5,); expected 8 numbers"),
    "link: mass NaN": (_LINK + "sort_contexts(p, spoilt(q, np.nan))", "q: nan at (0, 0, "),
    "link: mass below zero": (_LINK + "sort_contexts(p, spoilt(q, -1))", "q: -1.0 at (0, 0, "),
    "link: mass without end": (_LINK + "sort_contexts(p, spoilt(q, np.inf))", "q: inf at (0, 0, "),
    "link: no mass": (_LINK + "sort_contexts(p, 0 * q)", "q: row 0, context 0 sums to 0.0; expected laws"),
    "link: mass next to nothing": (_LINK + "sort_contexts(p, q * 1e-320)", "q: row 0, context 0 sums to"),
    "link: laws of another V": (_LINK + "sort_contexts(p[..., :5], q)", "p: shape (2, 3, 5); expected that of q"),
    "link: laws of fewer rows": (_LINK + "Contexts(np.sort(q)[..., ::-1], p[:1])", "p: shape (1, 3, 7); expected"),
    "link: no contexts": (_LINK + "sort_contexts(p[:, :0], q[:, :0])", "q: shape (2, 0, 7); expected"),
    "link: laws not sorted": (_LINK + "Contexts(np.sort(q), p)", "q: row 0, context 0 rises after token"),
    "link: a table by hand": (_links("contexts=(q, p, np.zeros((2, 3, 8)))"), "contexts: tuple; expected Contexts"),
    "simulate_link without rows": (
        _OTHER + "simulate_link(np.empty((0, 4)), np.empty((0, 4)), top_k(2), batches=2)",
        "",
    ),
    "coding: a sum that wraps": (_CODING + "decode(b'', wrapping, 0 * wrapping)", "lengths: [46116860"),
    "coding: flags of a sum that wraps": (
        _CODING + "encode(np.zeros(8, np.uint8), wrapping, 0 * wrapping, 8)",
        "lengths: [46116860",
    ),
    "coding: flags of another kind": (_CODING + "encode(np.array([2, 0]), [2], [2], 9)", "flags: int64 array of"),
    "coding: fewer than no bits": (_CODING + "encode(np.array([0, 1]), [2], [1], -4)", "bits: -4; expected"),
    "rounds: successors outside": (
        _ROUNDS + "Tables(Laws(cdf, half, cdf, cdf, np.array([0, 10**6])))",
        "following: 1000000; expected",
    ),
    "rounds: sums that end elsewhere": (
        _ROUNDS + "Tables(Laws(cdf / 2, half, cdf, cdf, np.array([0, 1])))",
        "draft: expected sums that rise to 1",
    ),
    "rounds: laws of another V": (
        _ROUNDS + "Tables(Laws(cdf, half[:, :1], cdf, cdf, np.array([0, 1])))",
        "share: shape (2, 1); expected numbers of shape (2, 2)",
    ),
    "rounds: masses that overflow": (
        _ROUNDS + "tables(*[np.full((2, 2), 1e308)] * 4)",
        "d: row 0 has mass inf; expected laws",
    ),
    "rounds: no tables": (_ROUNDS + "run_rounds(cdf, Draws(0, [0]), gamma=1, rounds=1)", "rule: ndarray; expected"),
    "rounds: more than memory": (
        _ROUNDS + "run_rounds(tables(*[half] * 4), Draws(0, range(10**6)), gamma=2**20, rounds=4000, tokens=True)",
        "rounds: 4000; would take 14.9 PiB",
    ),
    "merges: tokens outside": (_MERGES + "Loops(np.array([7] * 600), np.array([600]), 2)", "tokens: from 7 to 7; exp"),
    "merges: lengths outside": (_MERGES + "Loops(np.array([1] * 600), np.array([10**9]), 2)", "lengths: sum 100000"),
    "merges: places outside": (_MERGES + "texts.follow([10**6], 2)", "places: from 1000000 to 1000000; expected"),
    "merges: n-grams of no token": (_MERGES + "texts.begin(0, 'occurrences', 1)", "n_max: 0; expected"),
    "merges: not begun": (_MERGES + "texts.best()", "best: n-grams are not counted yet; expected a call of begin"),
    "merges: a vocabulary beyond the ids": (_MERGES + "corpus([0] * 600, [600], 2**31)", "tokens: 600 in 1"),
    "tv: fewer rows": (_OTHER + "kernels.tv_from_logits(np.zeros((900, 9)), np.zeros((2, 9)))", "b: shape (2, 9); exp"),
    "affinity: another rank": (
        _OTHER + "kernels.affinity_apply(np.ones(900), np.ones((900, 40)), np.ones(1), np.ones(900), 1.0)",
        "lam: shape (1,); expected (40,)",
    ),
    "memory: num": (
        _OTHER + "ngram.prompt_lookup([1, 1], search=ngram.Search(num=10**12))",
        "num: 1000000000000; would take 7.3 TiB",
    ),
    "memory: n_max": (_OTHER + "ngram_text.TextNgrams(10**12)", "n_max: 1000000000000; would take 21.8 TiB"),
    "memory: capacity": (_OTHER + "ngram_text.TextNgrams(200, capacity=10**7)", "capacity: 10000000; would take"),
    "memory: gamma": (_OTHER + "ngram_text.TextNgrams(2).draft(10**12)", "gamma: 1000000000000; would take 7.3 TiB"),
    "memory: length": (
        _OTHER + "paths.synthetic_paths(Draws(0, range(1)), 2**39, 4, Model(), paths.Rule(0.1, 0.1, 0.1))",
        "length: 549755813888; would take 10.0 TiB",
    ),
    "memory: vocab": (
        _OTHER + "synthetic.synthetic_overlap(Draws(0, range(1)), 2**31, Model())",
        "vocab: 2147483648; would take",
    ),
    "memory: rows": (
        _OTHER + "synthetic.synthetic_overlap(Draws(0, range(2**40)), 4, Model())",
        "rows: 1099511627776; would ta",
    ),
    "memory: a range": (_OTHER + "philox.words(0, range(10**12), [0])", "rows: range(0, 1000000000000); would take"),
    "memory: draws": (_OTHER + "philox.normal(0, range(10**7), range(10**6))", "tokens: 1000000; would take 72.8 TiB"),
}
"""Name of a case: the statements that make the call, and how its error begins."""


def code(name: str) -> list[str]:
    """The statements of a case; the call is the last."""
    *prepared, call = ("import numpy as np\n" + CASES[name][0]).rsplit("\n", 1)
    return ["\n".join(prepared) + "\n", call]
