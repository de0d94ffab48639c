"""What derivations are given of names that are defined, proved in Coq; and the record of it, ``defined.json``.

For each derivation a section is written: free names as variables, with what their declarations and givens say of them; names
that have a definition (`proofs_check.coq.defined`), as definitions; and as lemmas what the derivation is given of these.  A given
counts as proved where Coq proves each of its statements.  A name keeps its definition where all that is said of it is proved,
what its declaration says included, or where the definition is what the claim's bind computes at instances
(`proofs_check.coq.computed`): what is not proved stays given then, and may be used for the rest.  Otherwise the next definition
that its givens suggest is tried, and in the end it is a variable.

A mark of which no formula says where it is 1 is a variable of its own type: a token, or a set, which is any boolean function.
Apart from these, givens are counted under "ranges" that say of a law of the claim that it sums to one and has no mass below 0,
or of a number that is an argument of the claim, at every instance, between which numbers it is.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.checking.listed import chosen
from proofs_check.checking.plain import without_texts
from proofs_check.checking.proof import Proof
from proofs_check.coq.check import ADMITTED, ALLOWED, ask, prepared, save, version
from proofs_check.coq.computed import Instances
from proofs_check.coq.defined import about, definitions, ordered, said
from proofs_check.coq.facts import Premise
from proofs_check.coq.forms import FORMS, typed_lines
from proofs_check.coq.session import Session
from proofs_check.coq.statements import Definition, Part, Said, is_total, names
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.coq.wellfounded import Meanings
from proofs_check.coq.writer import Writer
from proofs_check.rules.derivation import Fact
from proofs_check.rules.givens import joined, placed
from proofs_check.rules.terms import Relation
from simspec.claims.deciding.proved import as_written, fingerprint
from simspec.report.proofs import readable

__all__ = ["LIBRARY", "RECORD", "Bridge", "checked", "library", "main", "proved_givens", "settled", "stated"]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "defined.json"
LIBRARY = "defined.v"
HEAD = "From Simspec Require Import defined."
SECONDS = 15
"""Time for a lemma in Coq."""


class Lemma(NamedTuple):
    """A statement that is to be proved: its name in Coq, its text, what it is said of, and the names that it is about."""

    name: str
    text: str
    statement: Said | None
    about: frozenset[Any]

    @property
    def premise(self) -> Premise | None:
        """The statement's place among the givens; None for what a declaration says."""
        return None if self.statement is None else Premise(self.statement.given_name, self.statement.place)


class Bridge(Writer):
    """Writes the section of one derivation; with the definitions that come first of those that have not `failed`."""

    def __init__(self, d: Traced, failed: Collection[Definition] = (), unproved_names: Collection[str] = ()) -> None:
        super().__init__(d)
        self.unproved_names = frozenset(unproved_names)
        for e in d.trace:
            if e.rule in {"define", "extremum", "sign"}:
                self._depends(e)
        self.meanings = Meanings(d)
        self.definitions = [c for c in definitions(d, failed) if self._has_all_places(c)]
        self.by_label = {c.label: c for c in self.definitions}
        self.made = set(self.by_label)
        self.chosen = {c.label for c in self.definitions if c.is_typed}
        self.order = {c.label: n for n, c in enumerate(self.definitions)}
        own_definitions = [Definition(symbol, "is", (meaning,)) for symbol, meaning in self.meanings.defined().values()]
        self.own = {c.label: c for c in own_definitions if self._has_all_places(c, self.f.extra.get(c.label, ()))}
        self.sequence = ordered({**self.by_label, **self.own})

    def _has_all_places(self, c: Definition, hidden: Collection[Any] = ()) -> bool:
        """Whether the numbers that hang on the names in a meaning, unseen, are places of the name, or hang on it as well."""
        places = set(hidden) | (set(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else set())
        return all(set(self.f.extra.get(name, ())) <= places for name in c.uses)

    def _defined(self) -> set[Any]:
        return super()._defined() | self.made | set(self.meanings.of)

    def section(self, lemmas: Sequence[Lemma]) -> str:
        """The text of the section; a lemma that Coq does not prove is admitted, and says so."""
        typed = [line for c in self.definitions if c.is_typed for line in typed_lines(self, c)]
        lines = ["Section Names.", *self._declared(), *self._meant(), *typed, *self._hypotheses()]
        lines += [self._definition(c) for c in self.sequence if not c.is_typed]
        lines += [
            f"Hypothesis {lemma.name} : {lemma.text}."
            for lemma in self._all_lemmas()
            if lemma.name in self.unproved_names
        ]
        for lemma in lemmas:
            attempt = f"timeout {SECONDS} (solve [{self._tactic(lemma)}])"
            proof = f'first [{attempt} | idtac "{ADMITTED} {lemma.name}"; apply {ADMITTED}]'
            lines.append(f"Lemma {lemma.name} : {lemma.text}.\nProof. {proof}. Qed.")
        all_lemmas = ", ".join(f"@{lemma.name}" for lemma in lemmas)
        return "\n".join(
            [*lines, "End Names.", f"Definition every_one := ({all_lemmas}).", "Print Assumptions every_one."]
        )

    def _meant(self) -> list[str]:
        """Members of sequences, and others without one expression, as any functions: what is proved holds of all."""
        lines = []
        for label, meanings in self.meanings.of.items():
            if label in self.own:
                continue
            symbol = meanings[0].symbol
            places = len(symbol.indices) if isinstance(symbol, sp.Indexed) else 0
            hidden = "".join("Z -> " if s.is_integer else "R -> " for s in self.f.extra.get(label, ()))
            is_integer = symbol.is_integer or (isinstance(symbol, sp.Indexed) and symbol.base in self.d.maps)
            lines.append(f"Variable {self.p.name(label)} : {hidden}{'Z -> ' * places}{'Z' if is_integer else 'R'}.")
        return lines

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
        defined_names = (self.made - self.chosen) | set(self.meanings.of)
        if self._mentioned(s) & defined_names or self.f.local(Premise(s.given_name, s.place)):
            return False
        return not any(self._is_of_type(s, self.by_label[n]) for n in self._mentioned(s) & self.chosen)

    def _is_of_type(self, s: Said, c: Definition) -> bool:
        """Whether a statement says of a typed variable what its type says: 0 or 1, 1 at one token, in a range of numbers."""
        clause = Part(s.relation, sp.Dummy("unknown", real=True), c.symbol)
        is_range = s.relation.lhs == c.symbol and s.relation.rhs.is_number and s.relation.op != "="
        return clause.is_flag or is_range or (c.form == "token" and is_total(s.relation, c.symbol))

    def _mentioned(self, s: Said) -> set[Any]:
        return names(s.relation.lhs) | names(s.relation.rhs)

    def lemmas(self) -> list[Lemma]:
        """What is said of the names that are defined, but what was given up: that stays given."""
        return [lemma for lemma in self._all_lemmas() if lemma.name not in self.unproved_names]

    def _all_lemmas(self) -> list[Lemma]:
        """What is said of the names that are defined: the signs of their declarations, and the statements of givens."""
        lemmas = [lemma for c in self.definitions for lemma in self._signs(c)]
        statements = said(self.d)
        for s, subjects in zip(statements, about(statements, self.meanings.of), strict=True):
            if not subjects & self.made or s.given_name in self.d.assumed:
                continue
            if subjects & self.made <= self.chosen and not any(
                self._is_of_type(s, self.by_label[n]) for n in subjects & self.made
            ):
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
        all_names = ", ".join(self.p.name(c.label) for c in reversed(self.sequence))
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
                (self.is_hypothesis(s) or (self.f.hypothesis(p) in self.unproved_names and not self.f.fixed(p)))
                and self._mentioned(s) & self._mentioned(lemma.statement)
                and set(universal) <= free
            ):
                fact_terms.append(
                    f"({' '.join([self.f.hypothesis(p), *(n for k in universal for n in self.f.names(k))])})"
                )
        return fact_terms

    def _definition(self, c: Definition) -> str:
        places = list(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else []
        hidden = self.f.extra.get(c.label, ()) if c.label in self.own else ()
        binders = "".join(f" ({self.p.name(k)} : {'Z' if k.is_integer else 'R'})" for k in (*hidden, *places))
        kind = "Z" if c.symbol.is_integer else "R"
        return f"Definition {self.p.name(c.label)}{binders} : {kind} := {FORMS[c.form](self, c)}."


def names_of(lemma: Lemma, made_names: set[Any]) -> set[Any]:
    """The defined names in a lemma."""
    if lemma.statement is None:
        return set(lemma.about)
    return (names(lemma.statement.relation.lhs) | names(lemma.statement.relation.rhs)) & made_names


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


def settled(d: Traced, coq: Session, computes: Callable[[Definition], bool]) -> tuple[Bridge, list[Lemma]]:
    """The section of a derivation with the names that keep their definitions, and its lemmas, all of which Coq proves.

    A name of which something is not proved keeps its definition only where that is what the claim's bind `computes`: what
    is not proved stays given then, of a number that it is given of in each instance.
    """
    failed: set[Definition] = set()
    unproved_names: set[str] = set()
    while True:
        bridge = Bridge(d, failed, unproved_names)
        lemmas = bridge.lemmas()
        if not lemmas:
            return bridge, []
        answer = coq.ask(bridge.section(lemmas))
        if answer.error:
            raise NotExported(answer.error)
        open_lemmas = [lemma for lemma in lemmas if lemma.name in set(answer.admitted)]
        if not open_lemmas and answer.axioms <= ALLOWED:
            return bridge, lemmas
        if not open_lemmas:
            raise NotExported(f"rests on {', '.join(sorted(answer.axioms - ALLOWED))}")
        for lemma in open_lemmas:
            last = bridge.by_label[max(lemma.about, key=bridge.order.__getitem__)]
            if computes(last):
                unproved_names.add(lemma.name)
            else:
                failed.add(last)


def proved_givens(
    bridge: Bridge, lemmas: Sequence[Lemma], is_range: Callable[[Said], bool] = lambda s: False
) -> list[str]:
    """Names of the givens of which each statement is a lemma on the definitions, or the range of a variable of the claim."""
    proved = {lemma.premise for lemma in lemmas}
    names_given = dict.fromkeys(s.given_name for s in said(bridge.d) if s.given_name not in bridge.d.assumed)
    return [name for name in names_given if _is_shown(bridge.d, name, proved, is_range)]


def _is_shown(d: Traced, name: str, proved: Collection[Premise | None], is_range: Callable[[Said], bool]) -> bool:
    statements = [Said(name, k, r) for k, r in enumerate(d.givens[name]) if r.free_symbols]
    return bool(statements) and all(Premise(name, s.place) in proved or is_range(s) for s in statements)


def library(folder: Path) -> Path:
    """Compile what the sections require in a folder; the folder."""
    prepared(folder)
    answer = ask(folder, LIBRARY, resources.files("proofs_check.coq").joinpath(LIBRARY).read_text(encoding="utf-8"))
    if answer.error:
        raise ValueError(f"{LIBRARY}: {answer.error}")
    return folder


def checked(ids: Sequence[str] = (), asks_coq: bool = True) -> Iterator[dict[str, Any]]:
    """Entries of the record for the derivations of some claims, or of all: which of their givens are proved, or are ranges.

    Where Coq is not asked, an entry has none that is proved, and its "text" is empty.
    """
    steps = readable()["proofs"]
    with ExitStack() as stack:
        coq = None
        if asks_coq:
            coq = stack.enter_context(Session(library(Path(stack.enter_context(tempfile.TemporaryDirectory()))), HEAD))
        for file, place, proof in chosen(ids):
            if not isinstance(proof, Proof) or proof.bind is None:
                continue
            claim = proof.claim.name
            entries = [e for e in steps.get(claim, ()) if "for" in e]
            try:
                d = next(d for e in entries if (d := _recorded(proof, e["for"])) is not None)
                instances = Instances(proof, d)
                bridge, lemmas = (Bridge(d), []) if coq is None else settled(d, coq, instances.computes)
            except (StopIteration, NotExported) as error:
                print(f"{claim}: {error or 'no such derivation on record'}", file=sys.stderr, flush=True)
                continue
            given_names = proved_givens(bridge, lemmas)
            with_ranges = proved_givens(bridge, lemmas, instances.is_range)
            yield {
                "claim": claim,
                "file": file,
                "place": place,
                "proof": fingerprint(proof.claim, file, anew=True),
                "text": sha256(bridge.section(lemmas).encode()).hexdigest()[:24] if lemmas else "",
                "defined": [str(c.symbol) for c in bridge.definitions] if lemmas else [],
                "given": given_names,
                "ranges": [name for name in with_ranges if name not in given_names],
            }


def _recorded(proof: Proof, statements: Mapping[str, Sequence[str]]) -> Traced | None:
    try:
        return stated(proof, statements)
    except NotExported:
        return None


def main(arguments: Sequence[str]) -> int:
    """Ask Coq about some claims or all, and keep what it says; earlier answers count for the same Coq and library. Returns 0.

    With ``--ranges`` Coq is not asked: what it said stays, and the ranges of the claims' variables are looked for alone.
    """
    asks_coq = "--ranges" not in arguments
    ids = [argument for argument in arguments if argument != "--ranges"]
    about = {"coq": version(), "library": _library_digest()}
    old = as_written(RECORD.name)
    earlier_entries = old.get("derivations", ()) if {key: old.get(key) for key in about} == about else ()
    entries = {(e["file"], e["place"]): e for e in earlier_entries}
    for entry in checked(ids, asks_coq):
        key = (entry["file"], entry["place"])
        earlier = entries.get(key)
        if earlier is not None and earlier["proof"] == entry["proof"] and not asks_coq:
            named = dict.fromkeys([*earlier.get("ranges", ()), *entry["ranges"]])
            entry = {**earlier, "ranges": [name for name in named if name not in earlier["given"]]}
        entries[key] = entry
        print(
            f"{entry['claim']}: {', '.join(entry['defined']) or 'nothing'} defined; {len(entry['given'])} givens proved, "
            f"{len(entry['ranges'])} are ranges of the claim's variables",
            flush=True,
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
