"""What derivations are given of names that are defined, proved in Coq; and the record of it, ``defined.json``.

For each derivation a section is written: free names as variables, with what their declarations and givens say of them; names
that have a definition (`proofs_check.coq.defined`), as definitions; and as lemmas what the derivation is given of these.  A
given counts as proved where Coq proves each of its statements.  A definition must be what the claim's bind computes at
instances (`proofs_check.coq.computed`), else the next one that its givens suggest is tried, and in the end the name is a
variable.  What is said of a name and not proved stays given, and may be used for the rest; but a name on texts, which is not
compared, or one that is free at some places, keeps its definition only where all that is said of it is proved.

A quotient that is no one number where its denominator is 0, at all instances, is a variable there, with the range that is given
of it: that it is a law, from 0 to 1, or a mark.  So is a mark where what is said of it lets it be 0 or 1.

A mark of which no formula says where it is 1 is a variable of its own type: a token, two tokens that differ or none, or a set,
which is any boolean function; and a real argument that is an integer at every instance is any whole number.

Apart from these, givens are counted under "ranges" that say of a law of the claim that it sums to one and has no mass below 0,
or of a number that is an argument of the claim, at every instance, between which numbers or other arguments it is, or which
tokens are meant, by their masses; under "types" that say no more of a free variable (`proofs_check.coq.variables`), of which
nothing else is given; and under "denominators" that say of the quotient of a number, which the bind computes, no more than that
its denominator is not 0: Coq proves the rest.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from proofs_check.checking.listed import chosen
from proofs_check.checking.plain import without_texts
from proofs_check.checking.proof import Proof
from proofs_check.coq.check import ALLOWED, ask, only_lemmas, prepared, save, version
from proofs_check.coq.computed import Instances
from proofs_check.coq.defined import said
from proofs_check.coq.facts import Premise
from proofs_check.coq.section import QUOTIENT, SECONDS, Bridge, Lemma
from proofs_check.coq.session import Session
from proofs_check.coq.statements import Definition, Said
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Traced
from proofs_check.coq.variables import free_ranges
from proofs_check.rules.derivation import Fact
from proofs_check.rules.givens import joined, placed
from proofs_check.rules.terms import Relation
from simspec.claims.deciding.proved import as_written, fingerprint
from simspec.report.proofs import readable

__all__ = ["LIBRARY", "RECORD", "Bridge", "checked", "library", "main", "proved_givens", "settled", "stated", "written"]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "defined.json"
LIBRARY = "defined.v"
FURTHER = ("texts.v", "ranked.v", "wider.v", "pairs.v", "elsewhere.v")
"""What only some sections require: their answers are about it, too."""
SEQUENCES = "sequences.v"
"""What theorems on defined names require beside them."""
HEAD = "From Simspec Require Import defined texts ranked wider pairs elsewhere."
SHOWN = ("given", "ranges", "types", "denominators")
"""What an entry says of givens that are not left."""
LONGEST = 300
"""Characters of an error of Coq that are shown."""


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


def settled(
    d: Traced,
    coq: Session,
    computes: Callable[[Definition], bool],
    seconds: int = SECONDS,
    numbers: Collection[str] = (),
    tokens_first: bool = False,
    is_range: Callable[[Said, Sequence[Definition]], bool] = lambda s, definitions: False,
    keeps_free: bool = False,
) -> tuple[Bridge, list[Lemma]]:
    """The section of a derivation with the names that keep their definitions, and its lemmas, all of which Coq proves.

    A definition must be what the claim's bind `computes`: what is not proved stays given then, of a number that it is given of
    in each instance.  Of a name on texts, which is not compared, all is to be proved; of one that is free at some places, too,
    unless `keeps_free`.  What the tactics of ``defined.v`` leave open is asked once more with those of ``wider.v``.  Real
    `numbers` are variables for whole ones.  What is the range of a variable, such as a token that is chosen freely, is none of
    what is to be proved.
    """
    failed: set[str] = set()
    unproved_names: set[str] = set()
    wide_names: set[str] = set()
    while True:
        bridge = Bridge(d, failed, unproved_names, wide_names, numbers, (), tokens_first)
        if others := _others(bridge, computes):
            failed |= others
            continue
        lemmas = bridge.lemmas()
        if not lemmas:
            return bridge, []
        open_lemmas = _open(bridge, lemmas, coq, seconds)
        if not open_lemmas:
            return _with_quotients(bridge, coq, seconds), lemmas
        narrow_names = {lemma.name for lemma in open_lemmas} - wide_names
        if narrow_names:
            wide_names |= narrow_names
            continue
        for lemma in open_lemmas:
            last = bridge.by_label[max(lemma.about, key=bridge.order.__getitem__)]
            may_be_given = last.form != "along" and (keeps_free or not last.is_free_somewhere)
            if may_be_given or (lemma.statement is not None and is_range(lemma.statement, bridge.definitions)):
                unproved_names.add(lemma.name)
            else:
                failed.add(last.key)


def _others(bridge: Bridge, computes: Callable[[Definition], bool]) -> set[str]:
    """Keys of the definitions that are not what the bind computes; names on texts are not compared."""
    return {c.key for c in bridge.definitions if c.form != "along" and not computes(c)}


def _open(bridge: Bridge, lemmas: Sequence[Lemma], coq: Session, seconds: int) -> list[Lemma]:
    """The lemmas of a section that Coq does not prove, of its equations of quotients, too.

    Raises
    ------
    NotExported
        where Coq finds an error, or an axiom that is not allowed.
    """
    answer = coq.ask(only_lemmas(bridge.section(lemmas, seconds)))
    if answer.error:
        raise NotExported(answer.error)
    open_lemmas = [lemma for lemma in (*bridge.quotients(), *lemmas) if lemma.name in set(answer.admitted)]
    if not open_lemmas and not answer.axioms <= ALLOWED:
        raise NotExported(f"rests on {', '.join(sorted(answer.axioms - ALLOWED))}")
    return open_lemmas


def _with_quotients(bridge: Bridge, coq: Session, seconds: int) -> Bridge:
    """The same section, with those equations that Coq proves of a quotient where its denominator is not 0."""
    quotient_names = {lemma.name for lemma in bridge.may_be_quotients()}
    while quotient_names:
        wider = bridge.with_quotients(quotient_names)
        open_names = {lemma.name for lemma in _open(wider, wider.lemmas(), coq, seconds)}
        if not open_names:
            return wider
        if not any(name.startswith(QUOTIENT) for name in open_names):
            break  # what was proved before is open now: the machine is busy
        quotient_names = {name for name in quotient_names if QUOTIENT + name not in open_names}
    return bridge


def proved_givens(
    bridge: Bridge, lemmas: Sequence[Lemma], is_range: Callable[[Said], bool] = lambda s: False
) -> list[str]:
    """Names of the givens of which each statement is a lemma on the definitions, or the range of a variable of the claim."""
    proved = {lemma.premise for lemma in lemmas}
    names_given = dict.fromkeys(s.given_name for s in said(bridge.d) if s.given_name not in bridge.d.assumed)
    return [name for name in names_given if _is_shown(bridge.d, name, proved, is_range)]


def _is_quotient(bridge: Bridge, s: Said) -> bool:
    """Whether a statement says no more than that the denominator of a quotient is not 0."""
    return Premise(s.given_name, s.place) in {lemma.premise for lemma in bridge.quotients()}


def _is_shown(d: Traced, name: str, proved: Collection[Premise | None], is_range: Callable[[Said], bool]) -> bool:
    statements = [Said(name, k, r) for k, r in enumerate(d.givens[name]) if r.free_symbols]
    return bool(statements) and all(Premise(name, s.place) in proved or is_range(s) for s in statements)


def library(folder: Path) -> Path:
    """Compile what the sections require in a folder; the folder."""
    prepared(folder)
    for name in (LIBRARY, *FURTHER, SEQUENCES):
        answer = ask(folder, name, _text(name))
        if answer.error:
            raise ValueError(f"{name}: {answer.error}")
    return folder


def _text(name: str) -> str:
    """One of the files that sections require."""
    return resources.files("proofs_check.coq").joinpath(name).read_text(encoding="utf-8")


def checked(
    ids: Sequence[str] = (),
    how: str = "ask",
    seconds: int = SECONDS,
    earlier: Mapping[tuple[str, int], Mapping[str, Any]] | None = None,
) -> Iterator[dict[str, Any]]:
    """Entries of the record for the derivations of some claims, or of all: which of their givens are proved, or are ranges.

    Parameters
    ----------
    ids : ids or prefixes of claims; all where there are none.
    how : "ask" Coq what it has not answered, or ask it "again"; without Coq, look for "ranges" alone, or keep what it has
        "carried", answers to the same text, where a derivation is checked by other code than it was.
    seconds : time for a lemma in Coq.
    earlier : entries on record, by file and place.

    An entry that Coq has not been asked for has none that is proved, and its "text" is empty.
    """
    earlier = earlier or {}
    steps = readable()["proofs"]
    with ExitStack() as stack:
        coq = None
        if how in {"ask", "again"}:
            coq = stack.enter_context(Session(library(Path(stack.enter_context(tempfile.TemporaryDirectory()))), HEAD))
        for file, place, proof in chosen(ids):
            if not isinstance(proof, Proof) or proof.bind is None:
                continue
            about = {
                "claim": proof.claim.name,
                "file": file,
                "place": place,
                "proof": fingerprint(proof.claim, file, anew=True),
            }
            old = earlier.get((file, place), {})
            is_same = old.get("proof") == about["proof"]
            if (how == "ask" and is_same and old.get("text")) or (
                how == "carried" and (is_same or not old.get("text"))
            ):
                continue
            entries = [e for e in steps.get(proof.claim.name, ()) if "for" in e]
            try:
                d = next(d for e in entries if (d := _recorded(proof, e["for"])) is not None)
                instances = Instances(proof, d)
                if coq is not None:
                    yield {**about, **_asked(d, coq, instances, seconds)}
                    continue
                if how == "carried":
                    bridge, lemmas = _carried(d, old, instances)
                else:
                    bridge = written(d, old)
                    bridge.definitions = [c for c in bridge.definitions if str(c.symbol) in old.get("defined", ())]
                    lemmas = []
            except (StopIteration, NotExported) as error:
                reason = str(error)[:LONGEST] or "no such derivation on record"
                print(f"{proof.claim.name}: {reason}", file=sys.stderr, flush=True)
                continue
            yield {**about, **_answer(bridge, lemmas, instances, is_asked=how != "ranges")}


def _asked(d: Traced, coq: Session, instances: Instances, seconds: int) -> dict[str, Any]:
    """The answer that shows the most givens.

    Marks of one token are defined by conditions, or chosen freely; names that are free at some places keep their definitions
    where all that is said of them is proved, or in any case.

    Raises
    ------
    NotExported
        where Coq answers neither.
    """
    answers: list[dict[str, Any]] = []
    texts: set[str] = set()
    errors: list[NotExported] = []
    for tokens_first in (False, True):
        first = _computed(d, instances, tokens_first)
        definitions_text = str(first.definitions)
        if definitions_text in texts:
            continue
        texts.add(definitions_text)
        for keeps_free in (False, True)[: 1 + any(c.is_free_somewhere for c in first.definitions)]:
            try:
                bridge, lemmas = settled(
                    d,
                    coq,
                    instances.computes,
                    seconds,
                    numbers=instances.whole_numbers,
                    tokens_first=tokens_first,
                    is_range=instances.is_range,
                    keeps_free=keeps_free,
                )
            except NotExported as error:
                errors.append(error)
                continue
            answers.append(_answer(bridge, lemmas, instances, is_asked=True))
            if not any(c.key in bridge.failed for c in first.definitions):
                break  # nothing that is free was given up
    if not answers:
        raise errors[0]
    return max(answers, key=_shown)


def _computed(d: Traced, instances: Instances, tokens_first: bool) -> Bridge:
    """The section with the first definitions that are what the bind computes; what Coq proves of them is open."""
    failed: set[str] = set()
    while True:
        bridge = Bridge(d, failed, numbers=instances.whole_numbers, tokens_first=tokens_first)
        others = _others(bridge, instances.computes)
        if not others:
            return bridge
        failed |= others


def _shown(entry: Mapping[str, Any]) -> int:
    """How many givens an entry shows to be definitions or ranges."""
    return sum(len(entry.get(key, ())) for key in SHOWN)


def _answer(bridge: Bridge, lemmas: Sequence[Lemma], instances: Instances, is_asked: bool) -> dict[str, Any]:
    """What an entry says beside which derivation it is about: the text that Coq has read, what it took, and what it proves.

    "failed" has the keys of definitions that were tried before, and "unproved" the lemmas that stay given.
    """
    given_names = proved_givens(bridge, lemmas)
    free = free_ranges(bridge.d)

    def is_range(s: Said) -> bool:
        return instances.is_range(s, bridge.definitions)

    def is_type(s: Said) -> bool:
        return is_range(s) or Premise(s.given_name, s.place) in free

    with_ranges = proved_givens(bridge, lemmas, is_range)
    with_types = proved_givens(bridge, lemmas, is_type)
    with_quotients = proved_givens(bridge, lemmas, lambda s: is_type(s) or _is_quotient(bridge, s))
    parameters = {
        "failed": bridge.failed,
        "unproved": bridge.unproved_names,
        "wide": bridge.wide_names,
        "numbers": bridge.numbers,
        "quotients": bridge.quotient_names,
    }
    return {
        "text": text_digest(bridge, lemmas) if is_asked else "",
        **{key: sorted(names) for key, names in parameters.items() if names},
        **({"tokens_first": True} if bridge.tokens_first else {}),
        "defined": [str(c.symbol) for c in bridge.definitions] if lemmas else [],
        "given": given_names,
        "ranges": [name for name in with_ranges if name not in given_names],
        "types": [name for name in with_types if name not in with_ranges],
        "denominators": [name for name in with_quotients if name not in with_types],
    }


def text_digest(bridge: Bridge, lemmas: Sequence[Lemma]) -> str:
    """A hash of the section that Coq reads, whatever time it has for a lemma, and of what it alone requires."""
    required = "".join(map(_text, bridge.requires))
    return sha256((bridge.section(lemmas) + required).encode()).hexdigest()[:24]


def _carried(d: Traced, old: Mapping[str, Any], instances: Instances) -> tuple[Bridge, list[Lemma]]:
    """The section that an entry is about, written anew.

    Raises
    ------
    NotExported
        where its text is another one than Coq has read, or the bind computes something else than what stays without proof.
    """
    bridge = written(d, old)
    lemmas = bridge.lemmas()
    if text_digest(bridge, lemmas) != old["text"] or _others(bridge, instances.computes):
        raise NotExported("Coq has read another text: to be asked again")
    return bridge, lemmas


def written(d: Traced, old: Mapping[str, Any]) -> Bridge:
    """The section with the choices that an entry names."""
    return Bridge(
        d,
        failed=old.get("failed", ()),
        unproved_names=old.get("unproved", ()),
        wide_names=old.get("wide", ()),
        numbers=old.get("numbers", ()),
        quotient_names=old.get("quotients", ()),
        tokens_first=bool(old.get("tokens_first")),
    )


def _recorded(proof: Proof, statements: Mapping[str, Sequence[str]]) -> Traced | None:
    try:
        return stated(proof, statements)
    except NotExported:
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask Coq about some claims or all, and keep what it says; earlier answers count for the same Coq and library. Returns 0."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs_check.coq.bridge",
        description="Ask Coq which givens of derivations it proves of names as they are defined, and keep the answers in "
        "defined.json. Derivations that have an answer on record are not asked about again.",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="ids or prefixes of claims; all where there are none")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--again", dest="how", action="store_const", const="again", help="ask about answered ones, too")
    ways.add_argument(
        "--ranges",
        dest="how",
        action="store_const",
        const="ranges",
        help="do not ask Coq: look for ranges of variables",
    )
    ways.add_argument(
        "--carried",
        dest="how",
        action="store_const",
        const="carried",
        help="do not ask Coq: keep its answers to the same text where other code now checks the derivation",
    )
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, help=f"time for a lemma; more on a busy machine (default {SECONDS})"
    )
    parser.set_defaults(how="ask")
    options = parser.parse_args(arguments)
    about = {"coq": version(), "library": _library_digest()}
    old = as_written(RECORD.name)
    earlier_entries = old.get("derivations", ()) if {key: old.get(key) for key in about} == about else ()
    entries = {(e["file"], e["place"]): e for e in earlier_entries}
    for entry in checked(options.ids, options.how, options.seconds, dict(entries)):
        key = (entry["file"], entry["place"])
        earlier = entries.get(key)
        if earlier is not None and earlier["proof"] == entry["proof"]:
            if options.how == "ranges":
                entry = _with_ranges(earlier, entry)
            elif _shown(earlier) > _shown(entry):
                print(f"{entry['claim']}: the earlier answer shows more, and stays", flush=True)
                continue
        entries[key] = entry
        print(
            f"{entry['claim']}: {', '.join(entry['defined']) or 'nothing'} defined; {len(entry['given'])} givens proved, "
            f"{len(entry['ranges'])} are ranges of the claim's variables, {len(entry['types'])} of others",
            flush=True,
        )
        save({**about, "derivations": [entries[key] for key in sorted(entries)]}, RECORD)
    return 0


def _with_ranges(earlier: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry on record with more that is a range: what it says of other givens stays."""
    proved = {*earlier["given"], *earlier.get("denominators", ())}
    named = dict.fromkeys([*earlier.get("ranges", ()), *entry["ranges"]])
    types = dict.fromkeys([*earlier.get("types", ()), *entry["types"]])
    return {
        **earlier,
        "ranges": [name for name in named if name not in proved],
        "types": [name for name in types if name not in {*proved, *named}],
    }


def _library_digest() -> str:
    """What sections require: answers are about it, and are asked for anew where it has changed."""
    return sha256("\n".join(_text(name) for name in ("prelude.v", LIBRARY, *FURTHER)).encode()).hexdigest()[:24]


if __name__ == "__main__":
    raise SystemExit(main())
