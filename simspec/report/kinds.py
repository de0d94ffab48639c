"""What proofs are given, by kind, from the record: told by the form of the statements alone, so that nobody chooses the kind.

``python -m simspec.report.kinds [ID…]`` counts, for each proof, what it is given beside the claim's assumptions, laws, weights
and ranges: these are the hypotheses that a reader of the Coq script has to judge.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from simspec.claims import registry
from simspec.claims.deciding.in_coq import answer, composed_on_record
from simspec.claims.deciding.proved import as_written, record
from simspec.report.proofs import given, readable

__all__ = [
    "KINDS",
    "THEOREMS",
    "beyond",
    "composed",
    "defined",
    "denominators",
    "free_ranges",
    "kind",
    "kinds",
    "kinds_left",
    "left",
    "left_of_verdicts",
    "main",
    "of_theorems",
    "ranges",
    "recorded_givens",
    "taken",
    "theorems",
    "with_a_theorem",
]

NAME = r"(?:\\[a-z]+|\{?\\mathrm\{\w+\}\}?|\{\{?\\mathrm\{\w+\}_\{\\mathrm\{\w+\}\}\}\}?|[A-Za-z])(?:_\{[^=<>]*?\})?"
"""A name, with its places: as the record writes it."""
KINDS = {
    "assumption": "an assumption of the claim, by its name",
    "claim": "another claim, named (see …)",
    "recursion": "a step of a sequence: its member after n from those before",
    "flag": "a mark that is 0 or 1",
    "range": "a name between numbers or above 0, or laws that sum to one",
    "equation": "one name, as a formula in others",
    "formulas": "one equation between formulas: a quotient with its denominator on the other side, or a rule",
    "bounds": "bounds of names, each by a number, a name or a formula in names",
    "cases": "a product against 0: what holds where a mark is 1, or a factor is not 0",
    "relation": "other inequalities between formulas, or several statements: a rule, or a theorem",
}
"""The kinds, the first that fits."""
INTEGRALS = "integrals of densities, which the checks cannot evaluate"
MERGING = "what the byte-pair merging program does, as observed on the instances"
THEOREMS = {
    "the two logits are jointly Gaussian": INTEGRALS,
    "a match holds a token": MERGING,
    "a merge that begins at the same places": MERGING,
    "a piece without pairs of the table": MERGING,
}
"""Beginnings of the names of givens that follow from definitions and are evaluated only, and of what kind they are."""
FLAG = re.compile(rf"(?:\\left\(1 - (?P<a>{NAME})\\right\) (?P=a)|(?P<b>{NAME}) \\left\(1 - (?P=b)\\right\)) = 0$")
SQUARE = re.compile(rf"(?P<a>{NAME})\^\{{2\}} = (?P=a)$|(?P<b>.+)_\{{(?P<c>[^=]*)\}}\^\{{2\}} = (?P=b)_\{{(?P=c)\}}$")
RANGE = re.compile(rf"{NAME} (?:\\ge|\\le|<|>) [\d]+$")
SUM = re.compile(rf"\\sum_\{{[^}}]*\}}(?:\^\{{\w+\}})? {NAME} = 1$")
EQUATION = re.compile(rf"{NAME} = |.* = {NAME}$")
TERM = rf"(?:-? ?(?:\\d+|{NAME})(?: {NAME})*)"
BOUND = re.compile(rf"{TERM}(?: [+-] {TERM})* (?:\\ge|\\le|<|>|=) {TERM}(?: [+-] {TERM})*$")
ZERO = re.compile(r"(?:\\ge|\\le|<|>|=) 0$")
NEXT = re.compile(r"_\{[^{}=]*\b[nmt] \+ 1[^{}=]*\} (?:=|\\ge|\\le)")


def kind(name: str, statements: Sequence[str], assumes: Sequence[str] = ()) -> str:
    """The kind of a given, of `KINDS`.

    >>> kind("a flag", [r"\\left(1 - f_{x}\\right) f_{x} = 0"]), kind("a mass", [r"p_{x} \\ge 0"])
    ('flag', 'range')
    """
    if name in assumes:
        return "assumption"
    if "(see " in name:
        return "claim"
    if any(NEXT.search(s) for s in statements):
        return "recursion"
    if all(FLAG.match(s) or SQUARE.match(s) for s in statements):
        return "flag"
    if all(RANGE.match(s) or SUM.match(s) or FLAG.match(s) for s in statements):
        return "range"
    if len(statements) != 1 or " = " not in statements[0]:
        if all(BOUND.match(s) for s in statements):
            return "bounds"
        return "cases" if all(BOUND.match(s) or FLAG.match(s) or ZERO.search(s) for s in statements) else "relation"
    return "equation" if EQUATION.match(statements[0]) else "formulas"


def kinds(proofs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> Counter[str]:
    """How many things proofs are given, by kind; of the record, if no proofs are named.

    >>> kinds({"own.claim": [{"for": {"no p": [r"p_{x} \\ge 0"]}}]})
    Counter({'range': 1})
    """
    counts: Counter[str] = Counter()
    claims = registry()
    for claim, entries in (readable()["proofs"] if proofs is None else proofs).items():
        assumes = tuple(claims[claim].assumes) if claim in claims else ()
        counts.update(kind(name, e["for"][name], assumes) for e in entries if "for" in e for name in given(e))
    return counts


def beyond(proofs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> dict[str, list[int]]:
    """By claim, how much each of its proofs is given beside assumptions, laws, weights and ranges; of the record by default.

    >>> beyond({"own.claim": [{"for": {"no p": [r"p_{x} \\ge 0"], "p sums to one": []}, "declared": ["p sums to one"]}]})
    {'own.claim': [1]}
    """
    claims = registry()
    counts: dict[str, list[int]] = {}
    for claim, entries in (readable()["proofs"] if proofs is None else proofs).items():
        assumes = tuple(claims[claim].assumes) if claim in claims else ()
        for entry in (e for e in entries if "for" in e):
            names = [name for name in given(entry) if kind(name, entry["for"][name], assumes) != "assumption"]
            counts.setdefault(claim, []).append(len(names))
    return counts


@cache
def recorded_givens(part: str) -> dict[tuple[str, str], frozenset[str]]:
    """By claim and hash of a proof, the names of givens that its entry of the record has under a heading.

    The headings are "given", "ranges", "types" and "denominators".
    """
    entries = (as_written("defined.json") or {"derivations": []})["derivations"]
    return {(e["claim"], f"{e['file']} {e['place']} {e['proof']}"): frozenset(e.get(part, ())) for e in entries}


def defined() -> dict[tuple[str, str], frozenset[str]]:
    """By claim and hash of a proof: givens that say what a name is, which Coq proves of the name as it is defined there.

    ``python -m proofs_check.coq.bridge`` asks Coq and writes the record.
    """
    return recorded_givens("given")


def ranges() -> dict[tuple[str, str], frozenset[str]]:
    """The same: givens that are ranges of the claim's own variables, as its instances have them.

    Of a law that it draws or takes, that it sums to one and has no mass below 0; of an argument, between which numbers or other
    arguments it is.  What else such a given says, of other names, is proved in Coq of these as they are defined.
    """
    return recorded_givens("ranges")


def free_ranges() -> dict[tuple[str, str], frozenset[str]]:
    """The same: givens that say between which numbers a variable is, or that it is a law, where nothing else is given of it."""
    return recorded_givens("types")


def denominators() -> dict[tuple[str, str], frozenset[str]]:
    """The same: givens that say of a quotient that the claim computes no more than that its denominator is not 0.

    Coq proves the equation of the quotient where the denominator is not 0; the claim has no value elsewhere.
    """
    return recorded_givens("denominators")


def with_a_theorem() -> frozenset[str]:
    """The claims whose verdict rests on a theorem of their own in Coq, about the algorithm, and on no derivation's givens.

    >>> "sd.lossless" in with_a_theorem() or bool(with_a_theorem())
    True
    """
    entries = ((claim, entry) for claim, of_claim in record()["proofs"].items() for entry in of_claim)
    return frozenset(claim for claim, entry in entries if (answer(claim, entry) or {}).get("theorem"))


def _names_in(records: Iterable[Mapping[tuple[str, str], frozenset[str]]], key: tuple[str, str]) -> frozenset[str]:
    """The names of givens that any of some records has for a proof."""
    return frozenset[str]().union(*(names_by_proof.get(key, ()) for names_by_proof in records))


def left(*without: Mapping[tuple[str, str], frozenset[str]]) -> dict[str, list[int]]:
    """`beyond` of the record, without some of the givens: by default all that the record names.

    That is what is `defined`, the `ranges`, the `free_ranges` and the `denominators`.

    >>> all(min(numbers) >= 0 for numbers in left().values())
    True
    """
    counts = beyond()
    for claim, numbers in counts.items():
        assumes = tuple(registry()[claim].assumes) if claim in registry() else ()
        for n, (entry, key) in enumerate(_keyed(claim)):
            names = _names_in(without or _all_records(), key)
            numbers[n] -= sum(
                name in names and kind(name, entry["for"][name], assumes) != "assumption" for name in given(entry)
            )
    return counts


def left_of_verdicts() -> list[int]:
    """How many givens are `taken` by each proof that a verdict rests on: none by that of a claim with a theorem of its own.

    >>> len(left_of_verdicts()) == sum(map(len, left().values()))
    True
    """
    with_theorems = with_a_theorem()
    return [0 if claim in with_theorems else n for claim, numbers in taken().items() for n in numbers]


def taken() -> dict[str, list[int]]:
    """By claim, how many givens its proofs take as one theorem on the names as they are defined; else how many are `left`.

    What the theorem takes Coq says (``python -m proofs_check.coq.composing``); assumptions of the claim, ranges of its variables
    and of free ones, and denominators of what it computes are not counted, as in `left`.

    >>> set(taken()) == set(left()) and min(min(numbers) for numbers in taken().values()) >= 0
    True
    """
    counts = left()
    for claim, numbers in counts.items():
        for n, (_, key) in enumerate(_keyed(claim)):
            if key in composed():
                numbers[n] = len(composed()[key] - _names_in((ranges(), free_ranges(), denominators()), key))
    return counts


def _keyed(claim: str) -> list[tuple[Mapping[str, Any], tuple[str, str]]]:
    """The derivations of a claim on record, each with the key by which other records name it."""
    pairs = zip(readable()["proofs"][claim], record()["proofs"].get(claim, ()), strict=False)
    return [(e, (claim, f"{r['file']} {r.get('place', -1)} {r['hash']}")) for e, r in pairs if "for" in e]


@cache
def composed() -> dict[tuple[str, str], frozenset[str]]:
    """By claim and hash of a proof that is one theorem on the names as they are defined: the givens that the theorem takes."""
    entries = composed_on_record().values()
    return {(e["claim"], f"{e['file']} {e['place']} {e['proof']}"): frozenset(e.get("givens", ())) for e in entries}


def of_theorems(kind_taken: str) -> list[str]:
    """What theorems on the names as they are defined take beside givens: rules of "sequences", or declared "signs".

    >>> len(of_theorems("sequences")) < len(of_theorems("givens"))
    True
    """
    return [name for e in composed_on_record().values() for name in e.get(kind_taken, ())]


def _all_records() -> tuple[dict[tuple[str, str], frozenset[str]], ...]:
    return defined(), ranges(), free_ranges(), denominators()


def kinds_left() -> Counter[str]:
    """How many givens are `left`, by kind; assumptions of the claim are none of them."""
    counts: Counter[str] = Counter()
    for claim in readable()["proofs"]:
        assumes = tuple(registry()[claim].assumes) if claim in registry() else ()
        for entry, key in _keyed(claim):
            names = _names_in(_all_records(), key)
            counts.update(kind(name, entry["for"][name], assumes) for name in given(entry) if name not in names)
    del counts["assumption"]
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts of `beyond` and their mean; exit status 0, or 2 where an id names no proof."""
    parser = argparse.ArgumentParser(
        prog="python -m simspec.report.kinds",
        description="Count, for each proof on record, what it is given beside its assumptions, laws, weights and ranges.",
    )
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="claims, or the beginning of their ids (default: all proofs)"
    )
    prefixes = parser.parse_args(argv).ids
    counts = beyond()
    for prefix in prefixes:
        if not any(_under(claim, prefix) for claim in counts):
            print(f"{prefix}: no claim of this id, or under it, has a proof with givens on record", file=sys.stderr)
            return 2
    chosen = {c: n for c, n in counts.items() if not prefixes or any(_under(c, prefix) for prefix in prefixes)}
    for claim, numbers in chosen.items():
        print(f"{claim}: {', '.join(map(str, numbers))}")

    def of_chosen(of_claims: Mapping[str, list[int]]) -> list[int]:
        return [n for claim, of_claim in of_claims.items() if claim in chosen for n in of_claim]

    numbers = of_chosen(chosen)
    undefined = of_chosen(left(defined()))
    unranged = of_chosen(left(defined(), ranges()))
    unfree = of_chosen(left(defined(), ranges(), free_ranges()))
    open_numbers = of_chosen(left())
    taken_counts = taken()
    taken_numbers = of_chosen(taken_counts)
    own_theorem = with_a_theorem()
    alone = of_chosen({claim: n for claim, n in taken_counts.items() if claim not in own_theorem})
    print(
        f"{len(numbers):,} proofs, {sum(numbers):,} givens beside assumptions, laws, weights and ranges: "
        f"{sum(numbers) / len(numbers):.1f} a proof; {sum(n <= 1 for n in numbers)} proofs have one or none"
    )
    print(
        f"{sum(numbers) - sum(undefined):,} of them say what a name is, and Coq proves them of the name as it is defined; "
        f"{sum(undefined) - sum(unranged):,} are ranges of the claim's variables, "
        f"{sum(unranged) - sum(unfree):,} of other variables of which nothing else is given; "
        f"{sum(unfree) - sum(open_numbers):,} say that the denominator of a quotient is not 0; "
        f"without these {sum(open_numbers):,} are left, {_mean(open_numbers)} a proof"
    )
    print(
        f"{sum(key[0] in chosen for key in composed()):,} proofs are one theorem each on the names as they are defined, of which "
        f"Coq says what it takes: {sum(taken_numbers):,} givens with those that the others are left, "
        f"{_mean(taken_numbers)} a proof; {sum(n <= 1 for n in taken_numbers)} proofs take one or none"
    )
    if not prefixes:
        print(
            f"beside these they take {len(of_theorems('sequences')):,} rules of sequences that are no recursion in Coq, and "
            f"{len(of_theorems('signs')):,} declared signs of defined names"
        )
    print(
        f"of claims without a theorem of their own in Coq: {sum(alone):,}, {_mean(alone)} a proof; "
        f"over all proofs that verdicts rest on: {sum(alone) / len(taken_numbers):.1f}"
    )
    if not prefixes:
        for name, count in kinds_left().most_common():
            print(f"{count:6,} {KINDS[name]}")
    return 0


def _mean(numbers: Sequence[int]) -> str:
    """The mean with one digit; of no numbers, 0."""
    return f"{sum(numbers) / max(1, len(numbers)):.1f}"


def _under(claim: str, prefix: str) -> bool:
    return claim == prefix or claim.startswith(f"{prefix}.")


def theorems() -> dict[str, Counter[str]]:
    """How often each of `THEOREMS` is given, in the record, by kind.

    >>> set(theorems()) <= {*THEOREMS.values()}
    True
    """
    counts: dict[str, Counter[str]] = {}
    for name in (n for entries in readable()["proofs"].values() for e in entries if "for" in e for n in given(e)):
        for begin, theorem in THEOREMS.items():
            if name.startswith(begin):
                counts.setdefault(theorem, Counter())[begin] += 1
    return counts


if __name__ == "__main__":
    raise SystemExit(main())
