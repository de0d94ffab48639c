"""The page on soundness: what is trusted, in lines, and what became of every attack; all of it counted or run, nothing typed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from proofs_check.coq.algorithm.page import section
from proofs_check.coq.check import number
from proofs_check.coq.evaluated.section import section as computed
from simspec.claims.deciding.in_coq import coq_record
from simspec.files import DIGEST
from simspec.report.kinds import (
    KINDS,
    beyond,
    composed,
    defined,
    free_ranges,
    kinds,
    left,
    left_of_verdicts,
    of_theorems,
    ranges,
    taken,
    theorems,
    with_a_theorem,
)
from simspec.report.proofs import given, readable
from tests.proofs_check.attacks.apart import outcome, refusal
from tests.proofs_check.attacks.attack import Attack
from tests.proofs_check.attacks.listed import (
    ALL,
    EARLIER,
    FRESH,
    GUARDED,
    HOLES,
    HOSTILE,
    LAST,
    LATER,
    MEANT,
    NEWEST,
    OPEN,
    REFEREED,
    RUNNING,
    WORD,
)
from tests.proofs_check.attacks.promised import NOT_PROMISED
from tests.proofs_check.attacks.trusted import enumerations
from tests.proofs_check.attacks.trusted import section as trusted

__all__ = ["PAGE", "page"]

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "soundness.md"
NOTE = "<!-- Written by `python -m tests.proofs_check.attacks`; change what it is made from, not this page. -->"
INTRODUCTION = """\
A proof here is as good as the checker, and as what it is given. This page says what has to be trusted, what the checker asks
of every proof, and what became of each attempt to have it accept what is false."""
ASKED = """\
1. **A statement has a value.** Denominators, arguments of logarithms and bases of roots are shown to be non-zero, positive or
   not negative, from what the step rests on, in places and ends too; sums have a whole number of terms, none or more, and the
   places of arrays are whole numbers. No number stands on the left of a substitution. The sign of a number is that of an
   enclosure around it, or is open: SymPy's digits, whose error nobody bounds, decide nothing, and round nothing down.
2. **A given holds where it is used.** Each fact carries the places at which it uses what is given of an index or a counter,
   through instances, sums and inductions; in every instance these must lie in the range where the given was evaluated. Values of
   maps must lie in what they are used to index. Ranges are not empty, and of the kind that the symbol was declared to be.
3. **A proof is about its claim**, the one that is listed. Whenever it is checked, both sides of its conclusions are compared
   with the claim's on exact instances, of which the bind is given a copy; every given is evaluated there, at one instance at
   every place, and the conclusion has to hold. What a bind returns has one value, a number of a known class; what the proof
   defines is worked out. What is cited is given, where it is used and of the numbers at hand.
   Enclosures that overlap are taken for one number only where they still do once they are narrower than every number at hand:
   those written in the statements, those of the instance, and all parts of what is compared. Givens are evaluated, too, at
   laws and numbers whose fractions are finer than every number that is given; and what is given, assumptions of the claim
   apart, may not end a whole number such as V. A claim of one's own has to hold at the ends of what it draws, at ties and
   zeros, at numbers that its code names, and at many tokens as long as its formula is cheap there.
4. **What is given is not the claim.** No given bears a claim's name or is a multiple of its slack, and conclusions between
   names are not what is given, added up, ranges of numbers among it. What declarations gave is marked by them, whatever it is
   called. A given that cites another claim ("see ID") names one that is listed; the record lists
   which, and a test asks that each is proved, and rests on itself nowhere.
5. **Whole is derived.** A proof that enumerates a finite part of what it concludes is one of a part; one by enumeration alone is
   whole where every instance of the claim, drawn as nobody could foresee, is among its cases, and the claim holds at each.
   A claim with a counterexample has no proof.
6. **Symbols have one name, one meaning, one sign.** Only real, non-negative, positive and whole names, a few of SymPy's own
   classes (themselves, and none made from them), and functions without a sign are of the language, and no integrals; a sum is
   of a class that SymPy does not evaluate, and nothing is simplified; bound names stand for nothing
   outside of their sum; a label has one sign, and is no number. Induction is for counters that may be 0; Kronecker's delta is of
   whole numbers.
7. **A proof file reaches nothing private.** It takes the public language, what modules of the package's formulas write
   themselves, and listed names of Python, NumPy and SymPy, none of which runs a text or a file, and SymPy runs no text while a
   proof is checked, by whatever way it comes; it changes nothing that is not
   its own, and claims say what they said before it ran; its classes are named tuples, or have no base. It is read before it is
   run.
8. **The checker stays what it is.** After each call of a claim's own code the functions, classes and constants of the checker, of
   this package, SymPy, Z3, NumPy and the enclosures, and the code of their functions, are what they were before the file was
   loaded; so are the modules in Python's list of them, what functions have closed over, tables of functions, hooks for calls,
   the modules of Python by which a check reads, writes and asks Coq, and where programs are looked for. What the rules remember
   from the time when the file was loaded is forgotten. This is no prison either: code that changes something and puts it back
   before anybody compares, or changes both guards, is not seen."""
LIMITS = """\
That two real numbers are equal cannot be decided by digits alone. What is asked of enclosures is that they agree to more than
twice the digits of any number at hand; two that nearly agree for no reason, to so many digits, would still be taken for one.
A given may be narrower than its claim in a way that neither finer laws nor unended numbers show.

What no check of this kind can do is judge the givens themselves: that they are what the paper means, and are no theorem that
should have been proved. They are evaluated, and each proof's page lists them. And Python is no prison: a proof file is a
program, to be read before it is run.

Nor can it tell, of an identity that is true, a given that says left = right in a roundabout way from a definition: both
sides are one number wherever they are evaluated. What arithmetic shows of names at once is seen, and so is an identity that the
masses of its laws alone bring together while a side is not the claim's formula at other masses; a way round that needs a rule
more is for a reader to see."""


REST = """\
No complete list is claimed: a reader of a proof's page sees all that it is given. The rest are definitions, written as rules;
assumptions; what an optimum is (nothing is better, and something attains it); and what is cited."""
MANY = 10**9
BANDS = ((0, 0), (1, 2), (3, 5), (6, 10), (11, MANY))
"""How many things a proof is given, from and to."""


def _not_promised() -> str:
    """What the words do not promise, and the digests of the records that this page is about."""
    points = [f"- {sentence} {instead}" for sentence, instead in NOT_PROMISED.items()]
    digests = ", ".join(f"`{name}` {_stored_digest(name)}" for name in ("proofs.json", "coq.json"))
    return "\n".join(points) + f"\n\nThe records that this page is about have the digests {digests}."


def _stored_digest(name: str) -> str:
    content = json.loads((ROOT / "simspec" / "claims" / name).read_text(encoding="utf-8"))
    return str(content[DIGEST])


def page() -> str:
    """The text of the page; every attack is run for it."""
    parts = [
        "# How far the proofs can be trusted",
        NOTE,
        INTRODUCTION,
        *trusted(),
        "## What is asked of every proof",
        ASKED,
        LIMITS,
        "## What the words do not promise",
        _not_promised(),
        "## How much is given",
        _givens(),
        "## Derivations in Coq",
        _in_coq(),
        *computed(),
        *section(),
        "## Attacks",
        _summary(ALL),
        "### Earlier ones",
        _table(EARLIER),
        *_families(FRESH),
        "## Attacks by one who did not write the rules",
        _told_of_the_referee(),
        *_families(REFEREED),
        "## A later campaign",
        _told_of_the_last(),
        *_families(LATER),
        "## A campaign by a stranger",
        _told_of_strangers(),
        *_families(LAST),
        "## What SymPy evaluates, and what names exempt",
        _told_of_the_newest(),
        *_families(NEWEST),
        "## A campaign on the words `proved` and `derived`",
        _told_of_the_word(),
        *_families_with_messages(WORD),
        "## A campaign on what `proved` means",
        _told_of_what_is_meant(),
        *_families_with_messages(MEANT),
        "## A campaign on what a hash, a record and a script leave out",
        _told_of_the_hostile(),
        *_families_with_messages(HOSTILE),
        "## Code that runs in the middle of a check",
        _told_of_the_running(),
        *_families_with_messages(RUNNING),
        "## A campaign on what guards a check, and on what is counted",
        _told_of_the_guarded(),
        *_families_with_messages(GUARDED),
    ]
    return "\n\n".join(parts) + "\n"


IN_COQ = """\
`python -m proofs_check --coq` writes each derivation as a Coq file of its own: what is given as hypotheses, definitions as
definitions, a lemma for each step, the conclusions as theorems. Arrays are functions of whole numbers, sums range from 1 to V, a
token or an index has its range as a hypothesis; the two rules of a sequence are hypotheses too, and the theorem on defined names
proves them of a recursion ([sequences.v](../proofs_check/coq/sequences.v)). Coq shares nothing with the
rules above but what is given and concluded, and each lemma's statement. What a step of arithmetic multiplies and adds up is
found by linear programs and checked by Coq; derivatives are found by rules, and the mean value theorem is Coq's own. Steps that
the plain tactics leave open are written once more, by scripts that cost more. A step that
no tactic proves is an axiom in the script, and is counted. A claim with a derivation of the whole statement whose conclusions
rest on no axioms but those of Coq's real numbers, and `Classical_Prop.classic`, is `proved`; where steps are such axioms, or Coq
was given nothing, it is `derived`. An answer is kept by a hash of the file, of what all files share and of Coq's version; an
interrupted run goes on from there, `--dry` asks about all again."""


def _in_coq() -> str:
    """What Coq accepted, from its record."""
    record = coq_record()
    entries = record["derivations"]
    written = [e for e in entries if "admitted" in e]
    listed = [e["not"] for e in entries if "not" in e]
    cases = listed.count("an enumeration of cases")
    steps, admitted = sum(e["steps"] for e in written), [name for e in written for name in e["admitted"]]
    rules = Counter(name.rsplit("_", 1)[0] for name in admitted)
    by_rule = f" ({', '.join(f'{rule} {n}' for rule, n in rules.most_common())})" if rules else ""
    whole = sum(e["whole"] for e in written)
    numbers = (
        f"Recorded with Coq {record['coq']}: {len(entries)} of {number()} proofs tried, {whole} accepted whole, "
        f"{len(written) - whole} with steps that are axioms in the script, {cases} enumerations, "
        f"{len(listed) - cases} not written out or not answered; of {steps:,} steps, {len(admitted):,} are such "
        f"axioms{by_rule}."
    )
    return f"{IN_COQ}\n\n{enumerations()}\n\n{numbers}"


def _families(attacks: Sequence[Attack]) -> Iterable[str]:
    for family in dict.fromkeys(attack.family for attack in attacks):
        yield f"### {family[0].upper()}{family[1:]}"
        yield _table([a for a in attacks if a.family == family])


def _beyond() -> str:
    """How much is left of the givens without the claims' assumptions: what a reader of the Coq scripts has to judge."""
    undefined = [n for of_claim in left(defined()).values() for n in of_claim]
    unranged = [n for of_claim in left(defined(), ranges()).values() for n in of_claim]
    unfree = [n for of_claim in left(defined(), ranges(), free_ranges()).values() for n in of_claim]
    open_numbers = [n for of_claim in left().values() for n in of_claim]
    own_theorem = with_a_theorem()
    taken_numbers = [n for of_claim in taken().values() for n in of_claim]
    alone = [n for claim, of_claim in taken().items() if claim not in own_theorem for n in of_claim]
    of_verdicts = left_of_verdicts()
    rules, signs = (len(of_theorems("sequences")), len(of_theorems("signs")))
    counts = [n for of_claim in beyond().values() for n in of_claim]
    return (
        f"Without the assumptions {sum(counts):,} are left, {sum(counts) / len(counts):.1f} a proof; "
        f"{sum(n <= 1 for n in counts)} proofs have one or none (`python -m simspec.report.kinds ID` counts them by proof). "
        f"{sum(counts) - sum(undefined):,} of these say what a name is, and Coq proves them of the name as it is defined "
        f"([defined.v](../proofs_check/coq/defined.v), [ranked.v](../proofs_check/coq/ranked.v), "
        f"[texts.v](../proofs_check/coq/texts.v), [pairs.v](../proofs_check/coq/pairs.v)); "
        f"{sum(undefined) - sum(unranged):,} are ranges of the claim's "
        f"variables, as its instances have them; {sum(unranged) - sum(unfree):,} of other variables, of which nothing "
        f"else is given; {sum(unfree) - sum(open_numbers):,} say no more than that the denominator of a quotient, which the "
        f"claim computes, is not 0: {sum(open_numbers):,} are left, "
        f"{sum(open_numbers) / len(open_numbers):.1f} a proof. "
        f"{len(composed())} derivations are one theorem each on the names as they are defined: the statement with `Definition`s, "
        f"proved by the script and by what Coq proves of these ([composed.py](../proofs_check/coq/composed.py)). "
        "A definition is what the claim computes at its instances, or it is none; an argument of the claim has none, whatever "
        "is given of it; and where a quotient has the denominator 0, or a mark may be 0 and 1, the name is a variable with the "
        "range that is given of it, unless the claim computes one value there "
        "([elsewhere.v](../proofs_check/coq/elsewhere.v)). Sequences are recursions: "
        f"{rules:,} rules of numbers in digits stay given, and {signs:,} declared signs of defined names. What such a "
        f"theorem takes Coq itself says, and a proof's page lists it: with what the others are left, {sum(taken_numbers):,} "
        f"givens, {sum(taken_numbers) / len(taken_numbers):.1f} a proof; {sum(n <= 1 for n in taken_numbers)} proofs take one or "
        f"none. "
        f"A claim with a theorem of its own in Coq, about the algorithm, is `proved` by that, and rests on none of its "
        f"derivation's givens: the {len(alone)} proofs of other claims take {sum(alone):,}, "
        f"{sum(alone) / len(alone):.1f} a proof; over all proofs that verdicts rest on, "
        f"{sum(of_verdicts) / len(of_verdicts):.1f}."
    )


def _givens() -> str:
    """Proofs by how much they are given, from the record."""
    found = kinds()
    numbers = [len(given(e)) for entries in readable()["proofs"].values() for e in entries if "for" in e]
    counts = [sum(low <= n <= high for n in numbers) for low, high in BANDS]
    shown = [
        str(low) if low == high else f"{low} to {high}" if high < MANY else f"{low} or more" for low, high in BANDS
    ]
    return "\n".join(
        [
            f"{len(numbers):,} proofs take {sum(numbers):,} things as given beside laws, weights and numbers in their range: the",
            "claim's assumptions, definitions of its quantities, other claims, and what is evaluated here and proved elsewhere.",
            _beyond(),
            "",
            "| given | proofs |",
            "|---|---:|",
            *(f"| {what} | {n} |" for what, n in zip(shown, counts, strict=True)),
            "",
            "By the form of their statements:",
            "",
            "| kind | givens |",
            "|---|---:|",
            *(f"| {what} | {found[name]} |" for name, what in KINDS.items()),
            "",
            "Some follow from definitions, and are evaluated here but not proved; a proof that takes one is one of a part:",
            "",
            "| what | given | times |",
            "|---|---|---:|",
            *(f"| {what} | {'; '.join(names)} | {names.total()} |" for what, names in sorted(theorems().items())),
            "",
            REST,
        ]
    )


def _told_of_the_last() -> str:
    holes = sum(a.name in HOLES for a in LATER)
    return (
        f"{len(LATER)} attacks on two rules that were added later, on sums, and on what a proof file takes of other code, each "
        f"with a twin that is accepted. {holes} of them, all of the last kind, were accepted when they were first made: until "
        "then a list said what a file may not take; now one says what it may."
    )


def _told_of_strangers() -> str:
    holes = sum(a.name in HOLES for a in LAST)
    return (
        f"{len(LAST)} attacks by one who had written none of the rules and none of the attacks before, each with a twin that is "
        f"accepted. {holes} of them were accepted when they were first made, one of them 1 = 0 from nothing. Since then names "
        "stand for one thing, also where places are evaluated; Kronecker's delta is of whole numbers; a proof file takes what a "
        "module writes, not what it has imported; it is read before it is run; and claims have to say what they said before."
    )


def _told_of_the_newest() -> str:
    holes = sum(a.name in HOLES for a in NEWEST)
    return (
        f"{len(NEWEST)} attacks, each with a twin that is accepted. {holes} of them were accepted when they were first made, "
        "one of them an equation between an integral and its opposite. Since then SymPy simplifies nothing, evaluates no sum "
        "and knows no integral here; it runs no text while a proof is checked, wherever the text comes from; what a "
        "declaration gave is marked by the declaration; and from an array, a generator or an error no file and no frame is "
        "reached. The rule for integrals went: one proof used it, and Coq never saw it."
    )


def _told_of_the_referee() -> str:
    holes = sum(a.name in HOLES for a in REFEREED)
    return (
        f"{len(REFEREED)} attacks by a referee who wanted nonsense proved, and had written none of the rules. {holes} of "
        "them were accepted when they were first made; the rules that refuse them now are general ones. Each has a twin, "
        "the same with the one wrong thing made right, which is accepted: so an attack is refused for its fault, and not "
        f"for its form. {sum(bool(a.beyond) for a in REFEREED) or 'None'} of them open."
    )


def _told_of_the_word() -> str:
    holes = sum(a.name in HOLES for a in WORD)
    outside = sum(bool(a.beyond) for a in WORD)
    return (
        f"{len(WORD)} attacks by one who had written neither the rules nor the exporter; each names a part of the message that "
        f"refuses it. {holes} of them were accepted when they were first made, and are not now: a proof file stores nothing "
        "under a name that a derivation has, so that nothing given is forgotten; what Coq is given starts from and ends with "
        "what was compared with the claim; each conclusion needs Coq's report, in which whatever is not an axiom of the reals "
        "counts; a theorem by hand is of its own claim and stands in its file; and a stored verdict is what the proofs on "
        "record show. Signs of numbers come from enclosures, the logarithm of nearly one among them; a power whose exponent may "
        "be negative is not written for Coq; a theorem by hand says what was read; a record has its digest, and flags follow "
        "from the rest of it; what a caller of `verify` hands over counts where it is on record; and a claim of one's own is "
        f"tried at edges. {outside} are accepted: they are outside of what the words promise, and each names the sentence."
    )


def _told_of_what_is_meant() -> str:
    holes = sum(a.name in HOLES for a in MEANT)
    outside = sum(bool(a.beyond) for a in MEANT)
    return (
        f"{len(MEANT)} attacks by one who had written none of the rules, the exporter and the attacks before; each names a part "
        f"of the message that refuses it. {holes} of them were accepted when they were first made, and are not now: a file of "
        "theorems has commands of a short list only, each by its plain name, so that what is read is what Coq reads; in the "
        "script of a derivation what is given of one number is a premise about that number, what is given of every index holds "
        "of all that the names of an instance range over, a theorem that is cited in a case is not written without it, and "
        "neither are roots of what may be 0; and a formula's hash holds what decides between two definitions, what a call "
        "changes, and the object that a method is of; and answers of Coq count while what all scripts share is what it has read. "
        f"{outside or 'None'} of them {'is' if outside <= 1 else 'are'} outside of what the words promise."
    )


def _told_of_the_running() -> str:
    holes = sum(a.name in HOLES for a in RUNNING)
    return (
        f"{len(RUNNING)} attacks by a claim's own code, which a check calls: it puts something else in place of what is called "
        f"next. {holes} of them were accepted when they were first made. Since then the functions, classes and constants of the "
        "checker and of what it calls, and the code of these functions, are compared with what they were before the file was "
        "loaded, after each call of the claim's code and at the end; what was changed is put back, and the proof is refused. "
        "What is changed and put back within one call, and what is changed in memory, is not seen."
    )


def _told_of_the_guarded() -> str:
    holes = sum(a.name in HOLES for a in GUARDED)
    outside = sum(bool(a.beyond) for a in GUARDED)
    return (
        f"{len(GUARDED)} attacks by one who had written none of the rules, the exporter, the bridge, the guard and the attacks "
        "before: code of one's own against what guards a check, places of extrema and texts, givens that would vanish from the "
        f"counts, and theorems by hand of other claims. {holes + outside} of them were accepted when they were first made. "
        f"{holes} are not now: the guard of a proof file begins before it is loaded, and holds the list of modules, what "
        "functions have closed over, tables, hooks for calls, Python's own modules by which a check reads and asks, and where "
        "programs are looked for; what the rules remember is forgotten once a file is loaded; a command compares by copies of "
        "its own, once more before it writes; and in the counts a name is an argument where it has its entries each at its "
        "place, a sum is one over all places of it, and what is concluded is no range. "
        f"{outside} are outside of what the words promise: each names "
        "the sentence."
    )


def _told_of_the_hostile() -> str:
    holes = sum(a.name in HOLES for a in HOSTILE)
    return (
        f"{len(HOSTILE)} attacks by one who had written none of the rules, the exporter and the attacks before: claims of one's "
        "own with the proof of another, formulas whose value changes behind their text, records that say what nobody has "
        "decided, scripts of which nonsense follows, and theorems by hand whose meaning changes after they were read. "
        f"{holes} of them were accepted when they were first made."
    )


def _families_with_messages(attacks: Sequence[Attack]) -> Iterable[str]:
    for family in dict.fromkeys(attack.family for attack in attacks):
        yield f"### {family[0].upper()}{family[1:]}"
        rows = [f"| {_cell(a.says)} | {_became(a)} | {_message(a)} |" for a in attacks if a.family == family]
        yield "\n".join(["| attack | outcome | part of the message |", "|---|---|---|", *rows])


def _message(attack: Attack) -> str:
    """The part of the message that was awaited, where it is in the message that came."""
    said = refusal(attack) or ""
    return _cell(next((part for part in attack.by.split("|") if part and part in said), "")) if attack.by else ""


def _summary(attacks: Sequence[Attack]) -> str:
    beyond = [a for a in attacks if a.beyond]
    is_open = "none is open" if not OPEN else f"{len(OPEN)} of them are open"
    accepted = is_open + (
        f"; {len(beyond)} are outside of what the words promise, and accepted: each names the sentence that says so"
        if beyond
        else ""
    )
    return (
        f"{len(attacks)} attacks, {len(attacks) - len(EARLIER)} of them fresh: "
        f"{len(attacks) - len(beyond)} must be refused, and are; {accepted}. A test runs each of them."
    )


def _table(attacks: Iterable[Attack]) -> str:
    rows = [f"| {_cell(a.says)} | {_became(a)} |" for a in attacks]
    return "\n".join(["| attack | outcome |", "|---|---|", *rows])


def _became(attack: Attack) -> str:
    before = "; accepted when it was first made" if attack.name in HOLES else ""
    return (
        outcome(attack) + before + (f", outside of what the words promise: “{attack.beyond}”" if attack.beyond else "")
    )


def _cell(text: str) -> str:
    if not text:
        return text
    return (text[0].upper() + text[1:]).replace("|", "\\|")
