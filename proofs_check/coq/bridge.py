"""What derivations are given of names that are defined, proved in Coq; and the record of it, ``defined.json``.

For each derivation a section is written: free names as variables, with what their declarations and givens say of them; names
that have a definition (`proofs_check.coq.defined`), as definitions; and as lemmas what the derivation is given of these.  A given
counts as proved where Coq proves each of its statements.  A name keeps its definition only where all that is said of it is
proved, what its declaration says included: otherwise it is a variable, and what is said of it is given.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.checking.listed import chosen
from proofs_check.checking.plain import without_texts
from proofs_check.checking.proof import Proof
from proofs_check.coq.check import ADMITTED, ALLOWED, ask, prepared, save, version
from proofs_check.coq.defined import Definition, Said, about, definitions, names, said
from proofs_check.coq.facts import Premise
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.coq.writer import Writer
from proofs_check.rules.derivation import Fact
from proofs_check.rules.givens import joined, placed
from proofs_check.rules.terms import Relation, V, is_token
from simspec.claims.deciding.proved import as_written, fingerprint
from simspec.report.proofs import readable

__all__ = ["LIBRARY", "RECORD", "Bridge", "checked", "library", "main", "proved_givens", "settled", "stated"]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "defined.json"
LIBRARY = "defined.v"
HEAD = "From Simspec Require Import defined.\n"


class Lemma(NamedTuple):
    """A statement that is to be proved: its name in Coq, its text, what it is said of, and the names that it is about."""

    name: str
    text: str
    statement: Said | None
    about: frozenset[Any]


class Bridge(Writer):
    """Writes the section of one derivation; of the definitions those without names that are `free`."""

    def __init__(self, d: Traced, free: frozenset[str] = frozenset()) -> None:
        super().__init__(d)
        for e in d.trace:
            if e.rule in {"define", "extremum", "sign"}:
                self._depends(e)
        self.definitions = [c for c in definitions(d) if str(c.label) not in free and not c.uses & set(d.made_of)]
        self.made = {c.label for c in self.definitions}
        self.order = {c.label: n for n, c in enumerate(self.definitions)}

    def _defined(self) -> set[Any]:
        return super()._defined() | self.made

    def section(self) -> str:
        """The text of the section; a lemma that Coq does not prove is admitted, and says so."""
        lines = ["Section Names.", *self._declared(), *self._hypotheses(), *map(self._definition, self.definitions)]
        for lemma in self.lemmas():
            proof = (
                f'first [timeout 5 (solve [{self._tactic(lemma)}]) | idtac "{ADMITTED} {lemma.name}"; apply {ADMITTED}]'
            )
            lines.append(f"Lemma {lemma.name} : {lemma.text}.\nProof. {proof}. Qed.")
        all_lemmas = ", ".join(f"@{lemma.name}" for lemma in self.lemmas())
        return "\n".join(
            [*lines, "End Names.", f"Definition every_one := ({all_lemmas}).", "Print Assumptions every_one."]
        )

    def _hypotheses(self) -> list[str]:
        """What is given of free names alone, for all values of the numbers in it."""
        lines = []
        for s in said(self.d):
            if not self.is_hypothesis(s):
                continue
            p = Premise(s.given_name, s.place)
            try:
                lines.append(f"Hypothesis {self.f.hypothesis(p)} : {self.f.stated(p)}.")
            except NotExported:
                continue
        return lines

    def is_hypothesis(self, s: Said) -> bool:
        """Whether a statement is of free names alone, and of all values of its numbers."""
        return not self._mentioned(s) & (self.made | set(self.d.made_of)) and not self.f.local(
            Premise(s.given_name, s.place)
        )

    def _mentioned(self, s: Said) -> set[Any]:
        return names(s.relation.lhs) | names(s.relation.rhs)

    def lemmas(self) -> list[Lemma]:
        """What is said of the names that are defined: the signs of their declarations, and the statements of givens."""
        lemmas = [lemma for c in self.definitions for lemma in self._signs(c)]
        statements = said(self.d)
        for s, subjects in zip(statements, about(statements), strict=True):
            if not subjects & self.made or s.given_name in self.d.assumed:
                continue
            p = Premise(s.given_name, s.place)
            fixed = sorted(self.f.fixed(p), key=str)
            try:
                binders = " ".join(map(self.f.binder, fixed))
                text = self.f.stated(p)
            except NotExported:
                continue
            text = f"forall {binders}, {text}" if binders else text
            lemmas.append(Lemma(self.f.hypothesis(p), text, s, frozenset(subjects & self.made)))
        return lemmas

    def _signs(self, c: Definition) -> Iterator[Lemma]:
        """What the declaration of a name says of its sign."""
        name = self.p.name(c.label)
        if isinstance(c.symbol, sp.Indexed):
            if c.symbol.is_nonnegative:
                places = [f"i{k}" for k in range(len(c.symbol.indices))]
                sign = "<" if c.symbol.is_positive else "<="
                scope = "%Z" if c.symbol.is_integer else ""
                text = f"forall {' '.join(places)} : Z, (0 {sign} {name} {' '.join(places)}){scope}"
                yield Lemma(f"{name}_sign", text, None, frozenset({c.label}))
        elif range_ := self.f.range(c.symbol):
            yield Lemma(f"R_{name}", range_, None, frozenset({c.label}))

    def _tactic(self, lemma: Lemma) -> str:
        """Definitions are opened from the last on: first that of the name that the statement is about, then all."""
        mentioned = names_of(lemma, self.made)
        last = sorted(mentioned, key=self.order.__getitem__, reverse=True)
        opened = [self.p.name(n) for n in last]
        all_names = ", ".join(self.p.name(c.label) for c in reversed(self.definitions))
        signs = "".join(f"try pose proof {t}; " for t in self._known(lemma))
        tries = [f"unfold {opened[0]}", f"unfold {', '.join(opened)}", f"unfold {all_names}"]
        return f"intros; {signs}first [{' | '.join(f'solve [{t} in *; meets]' for t in dict.fromkeys(tries))}]"

    def _known(self, lemma: Lemma) -> list[str]:
        """Signs of the arrays at the places where the statement has them."""
        if lemma.statement is None:
            return []
        sides = (lemma.statement.relation.lhs, lemma.statement.relation.rhs)
        bound = {limit[0] for side in sides for s in side.atoms(sp.Sum) for limit in s.limits}
        entries = sorted({a for side in sides for a in side.atoms(sp.Indexed)}, key=str)
        fact_terms = [
            f"({self.p.name(a.base.label)}_sign {' '.join(map(self.p.whole, a.indices))})"
            for a in entries
            if a.is_nonnegative and not (a.free_symbols & bound) and a.base.label not in self.made
        ]
        free = {k for side in sides for k in side.free_symbols}
        for s in said(self.d):
            p = Premise(s.given_name, s.place)
            universal = self.f.universal(p)
            if (
                self.is_hypothesis(s)
                and self._mentioned(s) & self._mentioned(lemma.statement)
                and set(universal) <= free
            ):
                fact_terms.append(
                    f"({' '.join([self.f.hypothesis(p), *(n for k in universal for n in self.f.names(k))])})"
                )
        return fact_terms

    def _definition(self, c: Definition) -> str:
        places = list(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else []
        binders = "".join(f" ({self.p.name(k)} : Z)" for k in places)
        kind = "Z" if c.symbol.is_integer else "R"
        return f"Definition {self.p.name(c.label)}{binders} : {kind} := {FORMS[c.form](self, c)}."

    def total(self, c: Definition) -> str:
        """What a quotient is where its denominator is 0: the law of the first token where the entries are to sum to 1."""
        if isinstance(c.symbol, sp.Indexed):
            for s in said(self.d):
                side = s.relation.lhs
                if (
                    isinstance(side, sp.Sum)
                    and s.relation.op == "="
                    and s.relation.rhs == 1
                    and isinstance(side.function, sp.Indexed)
                    and side.function.base.label == c.label
                ):
                    (at, low, _) = side.limits[0]
                    place = list(side.function.indices).index(at)
                    return f"(delta {self.p.name(c.symbol.indices[place])} {self.p.whole(low)})"
        return "1" if c.symbol.is_positive else "0"


def names_of(lemma: Lemma, made_names: set[Any]) -> set[Any]:
    """The defined names in a lemma."""
    if lemma.statement is None:
        return set(lemma.about)
    return (names(lemma.statement.relation.lhs) | names(lemma.statement.relation.rhs)) & made_names


def _not_below(w: Bridge, c: Definition) -> str:
    e, top = c.of
    if c.symbol.is_integer:
        return f"(whole_mark {w.p.real(e)} {w.p.real(top)})"
    mark = f"(not_below {w.p.real(e)})"
    return mark if top == 1 else f"({w.p.real(top)} * {mark})"


def _at_largest(w: Bridge, c: Definition) -> str:
    at = c.symbol.indices[-1]
    assert is_token(at)
    name = w.p.name(at)
    return f"(at_largest 1%Z {w.p.name(V)} (fun {name} : Z => {w.p.real(c.of[0])}) {name})"


FORMS = {
    "is": lambda w, c: w.p.real(c.of[0]),
    "over": lambda w, c: f"(over {w.p.real(c.of[0])} {w.p.real(c.of[1])} {w.total(c)})",
    "is_zero": lambda w, c: f"(is_zero {w.p.real(c.of[0])})",
    "not_below": _not_below,
    "or_not_below": lambda w, c: f"(Rmax {w.p.real(c.of[0])} (not_below {w.p.real(c.of[1])}))",
    "at_largest": _at_largest,
    "sqrt": lambda w, c: f"(sqrt {w.p.real(c.of[0])})",
    "whole": lambda w, c: (
        f"(Int_part {w.p.real(c.of[0])})" if c.symbol.is_integer else f"(IZR (Int_part {w.p.real(c.of[0])}))"
    ),
}
"""How each form of a definition is written."""


class _Stated(Traced):
    """A derivation whose steps are not decided: only what it is given is read, and compared with what is on record."""

    def derive(self, text: str, relation: Relation, *using: Fact, by: str = "auto") -> Fact:
        values = self._both(text, relation, *using)
        fact = self._fact(relation, joined((*using, *values)), placed((*using, *values)))
        self.steps._add(text, "not decided here", relation)
        self._note("derive", text, [fact], using, how="")
        return fact


def stated(proof: Proof, recorded: Mapping[str, Sequence[str]]) -> Traced:
    """What a proof is given, where it is what is on record: {name: statements in LaTeX}.

    Raises
    ------
    NotExported
        where it is anything else.
    """
    d = _Stated(proof.claim.name)
    with without_texts():
        proof.prove(d)
    now = {name: [r.latex for r in relations] for name, relations in d.givens.items()}
    if any(now.get(name) != list(statements) for name, statements in recorded.items()):
        raise NotExported("what is given is not what is on record")
    return d


def settled(d: Traced, folder: Path, name: str) -> tuple[Bridge, list[Lemma]]:
    """The section of a derivation with the names that keep their definitions, and its lemmas, all of which Coq proves."""
    free: frozenset[str] = frozenset()
    while True:
        bridge = Bridge(d, free)
        lemmas = bridge.lemmas()
        if not lemmas:
            return bridge, []
        answer = ask(folder, f"{name}.v", f"{HEAD}{bridge.section()}\n")
        if answer.error:
            raise NotExported(answer.error)
        open_lemmas = {lemma.name for lemma in lemmas} & set(answer.admitted)
        if not open_lemmas and answer.axioms <= ALLOWED:
            return bridge, lemmas
        if not open_lemmas:
            raise NotExported(f"rests on {', '.join(sorted(answer.axioms - ALLOWED))}")
        free |= {str(label) for lemma in lemmas if lemma.name in open_lemmas for label in lemma.about}


def proved_givens(bridge: Bridge, lemmas: Sequence[Lemma]) -> list[str]:
    """Names of the givens that hold of the definitions: each statement is a lemma."""
    places: dict[str, set[int]] = {}
    for lemma in lemmas:
        if lemma.statement is not None:
            places.setdefault(lemma.statement.given_name, set()).add(lemma.statement.place)
    spoken = {name: {k for k, r in enumerate(bridge.d.givens[name]) if names(r.lhs) | names(r.rhs)} for name in places}
    return [name for name, proved_places in places.items() if proved_places >= spoken[name]]


def library(folder: Path) -> Path:
    """Compile what the sections require in a folder; the folder."""
    prepared(folder)
    answer = ask(folder, LIBRARY, resources.files("proofs_check.coq").joinpath(LIBRARY).read_text(encoding="utf-8"))
    if answer.error:
        raise ValueError(f"{LIBRARY}: {answer.error}")
    return folder


def checked(ids: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Entries of the record for the derivations of some claims, or of all: which of their givens are proved."""
    steps = readable()["proofs"]
    with tempfile.TemporaryDirectory() as name:
        folder = library(Path(name))
        for file, place, proof in chosen(ids):
            if not isinstance(proof, Proof) or proof.bind is None:
                continue
            claim = proof.claim.name
            entries = [e for e in steps.get(claim, ()) if "for" in e]
            try:
                d = next(d for e in entries if (d := _recorded(proof, e["for"])) is not None)
                bridge, lemmas = settled(d, folder, "asked")
            except (StopIteration, NotExported) as error:
                print(f"{claim}: {error or 'no such derivation on record'}", file=sys.stderr, flush=True)
                continue
            if given_names := proved_givens(bridge, lemmas):
                text = sha256(f"{bridge.section()}".encode()).hexdigest()[:24]
                yield {
                    "claim": claim,
                    "file": file,
                    "place": place,
                    "proof": fingerprint(proof.claim, file, anew=True),
                    "text": text,
                    "defined": [str(c.symbol) for c in bridge.definitions],
                    "given": given_names,
                }


def _recorded(proof: Proof, statements: Mapping[str, Sequence[str]]) -> Traced | None:
    try:
        return stated(proof, statements)
    except NotExported:
        return None


def main(ids: Sequence[str]) -> int:
    """Ask Coq about some claims or all, and keep what it says; earlier answers count for the same Coq and library. Returns 0."""
    about = {"coq": version(), "library": _library_digest()}
    old = as_written(RECORD.name)
    earlier_entries = old.get("derivations", ()) if {key: old.get(key) for key in about} == about else ()
    entries = {(e["file"], e["place"]): e for e in earlier_entries}
    for entry in checked(ids):
        entries[entry["file"], entry["place"]] = entry
        print(
            f"{entry['claim']}: {', '.join(entry['defined'])} defined; {len(entry['given'])} givens proved", flush=True
        )
        save({**about, "derivations": [entries[key] for key in sorted(entries)]}, RECORD)
    return 0


def _library_digest() -> str:
    """What sections require: answers are about it, and are asked for anew where it has changed."""
    files = resources.files("proofs_check.coq")
    texts = [files.joinpath(name).read_text(encoding="utf-8") for name in ("prelude.v", LIBRARY)]
    return sha256("\n".join(texts).encode()).hexdigest()[:24]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
