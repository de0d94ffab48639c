"""Claims: every statement of the papers, by id, and the machine that decides them."""

from __future__ import annotations

import difflib
import re
from functools import cache
from importlib import import_module
from types import ModuleType

from simspec.claims.claim import Claim, Instance
from simspec.claims.elsewhere import ELSEWHERE

__all__ = ["PAPERS", "counterexample", "file_of", "find", "module_of", "registry", "sourced", "stated", "statement_of"]

PAPERS = {
    "sd": "Standard speculative decoding",
    "rdk": "RDK: redistributing drafter kernels",
    "ears": "EARS and the best possible trade-off",
    "pad": "PAD: pivot-aware decoding",
    "sqs": "SQS: sparsify, quantise and sample",
    "csqs": "C-SQS: conformal thresholds",
    "tasc": "TASC: task-adaptive sequence compression",
    "block": "Blocks: verification of a drafted path as a whole",
    "multi": "Several drafts of one token, and the best that any verifier can do",
    "tree": "Trees of drafts",
    "coupling": "Couplings: shared noise in place of a test",
    "stop": "Rules that stop drafting",
    "relaxed": "Relaxed rules: more accepted, another law",
    "metrics": "Metrics: acceptance lengths and rates as engines print them",
    "cost": "Cost: what a block of drafts saves",
    "folk": "Folk: what public threads say",
    "greedy": "Greedy: when a deterministic draft is accepted for sure",
    "numerics": "Numerics: what two computations of one law can differ by",
    "loss": "Losses: what a draft should be trained on",
    "parallel": "Parallel drafters: positions drawn without seeing one another",
    "cascade": "Cascades: drafts verified by a middle model first",
    "watermark": "Watermarks: keyed sampling and its acceptance",
    "process": "Processors and grammars around the test",
    "select": "Choosing among drafters while serving",
}
"""What the first word of an id stands for, in the order of the report."""


def statement_of(name: str) -> str:
    """Statement that an id belongs to: the id without its reading, ``-corrected`` and ``-sharp``.

    >>> statement_of("ears.fidelity.fresh-corrected"), statement_of("rdk.worst-case-sharp")
    ('ears.fidelity', 'rdk.worst-case')
    """
    paper, _, rest = name.partition(".")
    return f"{paper}.{rest.split('.')[0].removesuffix('-corrected').removesuffix('-sharp')}"


def stated(module: ModuleType) -> list[Claim]:
    """Claims that a module writes, alone or in tuples, in the order of the file, and those that it imports.

    >>> from simspec.claims.sd import block_length
    >>> [claim.name for claim in stated(block_length)]
    ['sd.block-length', 'sd.block-length-corrected']
    """
    values = (v if isinstance(v, tuple) else (v,) for v in vars(module).values())
    return [claim for value in values for claim in value if isinstance(claim, Claim)]


@cache
def _listed() -> dict[str, tuple[str, Claim]]:
    """Module and claim of every id, in the order of the papers."""
    listed: dict[str, tuple[str, Claim]] = {}
    for paper in PAPERS:
        for _, statement, module in import_module(f"simspec.claims.{paper}").CONTENTS:
            for claim in stated(import_module(f"simspec.claims.{paper}.{module}")):
                if statement_of(claim.name) == statement:
                    if claim.name in listed:
                        raise ValueError(f"two claims are called {claim.name}")
                    listed[claim.name] = f"{paper}.{module}", claim
    return listed


@cache
def registry() -> dict[str, Claim]:
    """Every claim by id, in the order of the papers.

    >>> "sd.acceptance" in registry()
    True
    """
    return {name: claim for name, (_, claim) in _listed().items()}


def module_of(name: str) -> str:
    """Module that states a claim.

    >>> module_of("sd.lossless"), module_of("rdk.worst-case-sharp")
    ('sd.lossless', 'rdk.worst_case')
    """
    return _listed()[name][0]


def file_of(name: str) -> str:
    """File in which a claim is written, from the root of the repository.

    >>> file_of("rdk.worst-case-sharp")
    'simspec/claims/rdk/worst_case.py'
    """
    return f"simspec/claims/{module_of(name).replace('.', '/')}.py"


def find(names: str | list[str] | tuple[str, ...] = ()) -> list[Claim]:
    """Claims by id or by prefix ("rdk", "sd.block"), one or several, in any case of letters; all when no name is given.

    An id of `simspec.claims.elsewhere` stands for the claims that decide its statement.

    Raises
    ------
    ValueError
        for an id that no claim has, with the nearest ids.

    Examples
    --------
    >>> [c.name for c in find("sd.speedup")]
    ['sd.speedup', 'sd.speedup-monotone']
    >>> [c.name for c in find("loss.pinsker")]
    ['stop.entropy-bound-corrected']
    """
    claims = registry()
    if not names:
        return list(claims.values())
    claims_by_name: dict[str, Claim] = {}
    for name in [names] if isinstance(names, str) else names:
        low = name.lower()
        if low in ELSEWHERE:
            hits = {n: claims[n] for n in ELSEWHERE[low]}
        else:
            hits = {n: c for n, c in claims.items() if n == low or n.startswith((low + ".", low + "-"))}
        if not hits:
            near = ", ".join(difflib.get_close_matches(low, [*PAPERS, *claims], 3, 0.3)) or "see `simspec claims`"
            raise ValueError(f"ID: {name!r} is not a claim; nearest: {near}")
        claims_by_name |= hits
    return list(claims_by_name.values())


def sourced(text: str, claims: list[Claim]) -> list[Claim]:
    """Those claims whose source holds a text, in any case; whole numbers only ("Theorem 5.1" is no part of "Theorem 5.12").

    Raises
    ------
    ValueError
        where none has it, with sources that look like it.

    Examples
    --------
    >>> [c.name for c in sourced("theorem 5.1", find(["rdk.worst-case"]))][:2]
    ['rdk.worst-case', 'rdk.worst-case-sharp']
    """
    pattern = re.compile(rf"(?<![\w.]){re.escape(text.strip())}(?![\w]|\.\d)", re.IGNORECASE)
    matching = [c for c in claims if pattern.search(c.reference)]
    if not text.strip() or not matching:
        near = difflib.get_close_matches(text, {c.reference for c in claims}, 3, 0.3)
        raise ValueError(f"--source: {text!r} is in no claim's source; nearest: {'; '.join(near) or 'none'}")
    return matching


def counterexample(claim: Claim | str) -> Instance | None:
    """The smallest exact counterexample that a quick search finds, or None: afresh at each call, never from a record.

    Parameters
    ----------
    claim : Claim, or the id of one

    Raises ValueError for an unknown id, a claim that is decided by measurement, or one whose check crashed, with why.

    >>> {name: [str(x) for x in value] for name, value in counterexample("sd.inverse-proportional").items()}
    {'p': ['0', '1'], 'q': ['0', '1'], 'p2': ['0', '1'], 'q2': ['1/2', '1/2']}
    """
    from simspec.claims.deciding.search import EFFORTS, check_exact

    if isinstance(claim, str):
        if claim not in registry():
            find([claim])  # names the nearest
            raise ValueError(f"claim: {claim!r} is a prefix; expected the id of one claim")
        claim = registry()[claim]
    if claim.finding is not None:
        raise ValueError(f"claim: {claim.name} is measured; expected one with two sides (simspec.verify decides it)")
    trials = check_exact(claim, EFFORTS["quick"], seed=0)
    if trials.unconfirmed is not None:
        raise ValueError(f"claim: {claim.name}: {trials.unconfirmed}")
    return trials.counterexample
