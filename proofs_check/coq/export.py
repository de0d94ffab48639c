"""A derivation as a Coq file: a section with what is given as hypotheses, a lemma for each step, the conclusions as theorems."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import chain
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.arithmetic import CLEAR, derived
from proofs_check.coq.choices import BY_VALUES, VALUES
from proofs_check.coq.facts import Facts, Lemma, Premise
from proofs_check.coq.numbers import compared
from proofs_check.coq.rewritten import supported
from proofs_check.coq.sums import GROUPED, equality, grouping
from proofs_check.coq.terms import NotExported
from proofs_check.coq.trace import Entry, Traced
from proofs_check.coq.writer import Writer, head
from proofs_check.rules.derivation import Fact
from proofs_check.rules.terms import Relation, V, is_token, total

__all__ = ["Script", "exported", "script"]

SIGNED = """\
Ltac whole_signs := repeat match goal with |- context [IZR ?t] =>
  lazymatch goal with H : 0 <= IZR t |- _ => fail | _ => assert (0 <= IZR t) by positive end end.
Ltac signed_becomes G := cbv beta in *; whole; whole_signs; powers; arithmetic."""
"""What the deepest scripts of inductions have in their file: the signs of whole numbers are said of real ones."""
FUNCTIONS = "functions_"
"""What tactics are called that require the library on functions; no name of a derivation begins so."""


class _Export(Writer):
    """Writes one derivation, rule by rule."""

    def text(self) -> str:
        if of_a_case := sorted(name for name, cases in self.d.theorems.items() if cases):
            raise NotExported(f"{of_a_case[0]}: cited in a case, outside of which it may be false")
        self.depend()
        body = self._body()
        library = "deeper" if self.deeper else "further" if self.further else "prelude"
        if any(FUNCTIONS in line for line in body):
            library = "functions"
        head = [f"From Simspec Require Import {library}.", "Section Derivation.", *self._declared()]
        return "\n".join([*head, *body]) + "\n"

    def _body(self) -> list[str]:
        for e in self.d.trace:
            self._add(e)
            RULES[e.rule](self, e)
        for k, fact in enumerate(self.d.finals):
            lemma = self.f.lemmas[id(fact)]
            # what is a premise is no lemma of the file: it is there once the theorem's names are
            is_premise = lemma.name in map(self.f.hypothesis, lemma.premises)
            proof = f"{self.f.intros(lemma)}; exact {self.f.use(fact)}" if is_premise else f"exact {lemma.name}"
            self.lines.append(f"Theorem conclusion_{k} : {self.f.quantified(lemma)}.\nProof. {proof}. Qed.")
        self.lines.append("End Derivation.")
        self.lines += [f"Print Assumptions conclusion_{k}." for k in range(len(self.d.finals))]
        return self.lines

    def _add(self, e: Entry) -> None:
        """Givens that a step rests on by declared signs: its own where it has the deepest script, and those of its facts.

        What a sign rests on is no given of a fact in the derivation, where a name bears its sign wherever it stands.
        """
        added = frozenset().union(*[self.f.added.get(id(u), frozenset()) for u in e.using])
        if e.rule == "derive" and self.is_deeper("derive"):
            added |= self.f.of_signs([*(f.relation for f in e.made), *(u.relation for u in e.using)])
        discharged = {name for pair in e.told.get("pair", ()) for name in pair} | {*e.told.get("hypothesis", ())}
        for fact in e.made:
            if more := added - fact.givens - discharged:
                self.f.added[id(fact)] = more

    def _given(self, e: Entry) -> None:
        (fact,) = e.made
        (name,) = fact.givens
        p = Premise(name, e.told["place"])
        hypothesis = self.f.hypothesis(p)
        if not self.f.local(p) and hypothesis not in self.told:
            self.told.add(hypothesis)
            self.lines.append(f"Hypothesis {hypothesis} : {self.f.stated(p)}.")
        premises = self.f.premises([name])
        params = self.f.params(fact.relation, premises)
        self.f.lemmas[id(fact)] = Lemma(hypothesis, params, premises, fact.relation)
        self.f.direct[id(fact)] = (hypothesis, tuple(self.f.universal(p)))

    def _same(self, e: Entry) -> None:
        self._lemma("same", e.made[0], e.using, f"exact {self.f.use(e.using[0])}")

    def _derive(self, e: Entry) -> None:
        proof = derived(
            self.f, e.made[0].relation, e.using, e.told["how"], self.is_further("derive"), self.is_deeper("derive")
        )
        if BY_VALUES in proof and VALUES not in self.lines:
            self.lines.append(VALUES)
        self._lemma("derive", e.made[0], e.using, proof)

    def _sum(self, e: Entry) -> None:
        """A sum in Coq."""
        (fact,) = e.made
        (before,) = e.using
        relation = before.relation
        upto = e.told["upto"]
        for k, t in enumerate(e.told["tokens"]):
            last = k == len(e.told["tokens"]) - 1
            conclusion = Relation(total(relation.lhs, t, upto=upto), relation.op, total(relation.rhs, t, upto=upto))
            after = fact if last else Fact(conclusion, before.givens, before.places)
            self.f.added[id(after)] = self.f.added.get(id(before), frozenset())
            self.kept.append(after)
            own_params = {s for s in self.f.lemmas[id(before)].params if s != t} | self.f.numbers(upto.free_symbols)
            params = tuple(sorted(own_params, key=str))
            proof = self._summing(before, relation, t, upto)
            if self.is_further("sum"):
                expansion = "functions_expansion" if self.is_deeper("sum") else "further_expansion"
                proof = proof.replace("by_expansion", expansion).replace("by_field", "by_sums")
            self._lemma("sum", after, (), proof, params)
            before = after
            relation = conclusion

    def _summing(self, before: Fact, r: Relation, t: Any, upto: Any) -> str:
        first = equality(self.p, "E_l", r.lhs, t, upto), equality(self.p, "E_r", r.rhs, t, upto)
        name = self.p.name(t)
        use = self.f.use(before, {t: name})
        turn = "apply Rle_ge; " if r.op == ">=" else "apply Rlt_gt; " if r.op == ">" else ""
        rule = {"=": "apply Sum_ext", "<=": "apply Sum_le", ">=": "apply Sum_le"}.get(r.op, "apply Sum_lt; [lia | ]")
        back = {">=": "apply Rge_le; ", ">": "apply Rgt_lt; "}.get(r.op, "")
        signs = "".join(f"{tactic}; " for tactic in supported(self.f, [r]))
        start = f"{signs}{first[0]}; {first[1]}; apply (sides_{CLEAR[r.op]} E_l E_r); {turn}{rule}"
        return f"{start}; intros {name} R_{name}; cbv beta; {back}exact {use}"

    def _term(self, e: Entry) -> None:
        """Write the lemma that one term of a sum of nonnegative terms is at most the sum."""
        (fact,) = e.made
        (before,) = e.using
        t = e.told["token"]
        index = e.told["other"]
        at_any = sp.Symbol("any", integer=True)
        r = before.relation
        name = self.p.name(at_any)
        difference = (r.lhs - r.rhs).xreplace({t: at_any})
        body = f"(fun {name} : Z => {self.p.real(difference)})"
        at = self.p.name(index)
        params = tuple(sorted({*self.f.lemmas[id(before)].params, *self.f.numbers([index])} - ({t} - {index}), key=str))
        use = self.f.use(before, {t: name})
        proof = (
            f"{equality(self.p, 'E_l', difference, at_any, V)}; apply (sides_ge E_l eq_refl); apply Rle_ge; "
            f"apply (Rle_trans _ ({body} {at})); [cbv beta; apply Req_le; by_parts | ]; "
            f"apply (Sum_term 1%Z {self.p.name(V)} {body} {at}); [intros {name} R_{name}; cbv beta; pose proof {use}; lra | side]"
        )
        if self.is_further("term"):
            proof = proof.replace("apply Req_le; by_parts", "apply Req_le; at_one_place")
        self._lemma("term", fact, (), proof, params)

    def _instance(self, e: Entry) -> None:
        """Write the lemma that puts values in for the free numbers of an earlier fact."""
        (fact,) = e.made
        (before, *using) = e.using
        values = e.told["values"]
        lemma = self.f.lemmas[id(before)]
        printed = {s: self.p.whole(v) if s.is_integer else self.p.real(v) for s, v in values.items()}
        premises = self.f.premises(self.f.rests_on(fact))
        params = self.f.numbers(fact.relation.free_symbols) | (set(lemma.params) - set(values))
        for v in values.values():
            params |= self.f.numbers(v.free_symbols)
        params |= {s for u in using for s in self.f.lemmas[id(u)].params} | {
            s for p in premises for s in self.f.fixed(p)
        }
        uses = "; ".join([f"pose proof {self.f.use(u)}" for u in using] + self._attained(values.values()))
        rewriting = self._moved(before.relation, values, printed)
        alone = {name for name, _ in self.f.alone} & before.givens
        use = self.f.use(before, printed, "first [side | by_field]" if alone else "side")
        becomes = "becomes"
        if self.is_further("instance"):
            use = self.f.use(before, printed, "further_side")
            becomes = "further_becomes"
        if self.is_deeper("instance"):
            use = self.f.use(before, printed, "functions_side")
            becomes = "functions_becomes"
        proof = (f"{uses}; " if uses else "") + f"pose proof {use} as G; {rewriting}{becomes} G"
        self._lemma("instance", fact, (), proof, tuple(sorted(params, key=str)))

    def _attained(self, values: Any) -> list[str]:
        """Tactics: where an extremum is attained is a token."""
        attaining_tokens = [v for v in values if is_token(v) and v in self.d.made_of]
        numbers = [[self.p.name(s) for s in self.f.extra.get(v, ())] for v in attaining_tokens]
        return [
            f"pose proof (R_{' '.join([self.p.name(v), *n])})" for v, n in zip(attaining_tokens, numbers, strict=True)
        ]

    def _moved(self, r: Relation, values: Any, printed: Any) -> str:
        """Tactic: places of arrays, ends of sums and exponents as they are written once values are put in."""
        replacements = {}
        for side in (r.lhs, r.rhs):
            kinds = (sorted(side.atoms(kind), key=sp.default_sort_key) for kind in (sp.Indexed, sp.Sum, sp.Pow))
            for expression in chain.from_iterable(kinds):
                ends = (
                    expression.indices
                    if isinstance(expression, sp.Indexed)
                    else (expression.exp,)
                    if isinstance(expression, sp.Pow)
                    else ()
                )
                ends = [lim[2] for lim in expression.limits] if isinstance(expression, sp.Sum) else ends
                for end in ends:
                    if end.free_symbols & values.keys() and end.is_integer and not isinstance(end, sp.Symbol):
                        try:
                            replacements[self.p.whole(end, printed)] = self.p.whole(end.subs(values, simultaneous=True))
                        except NotExported:
                            continue
        return "".join(f"try replace {a} with {b} in G by lia; " for a, b in replacements.items() if a != b)

    def _induction(self, e: Entry) -> None:
        """Write the lemma that follows from its base and its step by induction on a natural number."""
        (fact,) = e.made
        (base, step) = e.using
        n = e.told["n"]
        premises = self.f.premises(self.f.rests_on(fact))
        params = self.f.params(fact.relation, premises, (base, step))
        name = self.p.name(n)
        fixed_symbols = {s for p in premises for s in self.f.fixed(p)}  # what the premises are about stays as it is
        others = [s for s in params if s != n and s not in fixed_symbols]
        over = " ".join(self.f.binder(s) for s in others)
        statement = self.p.relation(fact.relation)
        names = " ".join(x for s in others for x in self.f.names(s))
        claim = f"forall {over}, {statement}" if over else statement
        intro = f"intros {names}; " if names else ""
        hypothesis = self.f.premises(e.told["hypothesis"])
        premise_uses = "; ".join(
            f"assert ({self.f.hypothesis(p)} : {self.f.stated(p)}) by "
            "(intros; first [apply IH; first [assumption | lia] | eapply IH; first [eassumption | lia]])"
            for p in hypothesis
        )
        all_names = " ".join(x for s in (n, *others) for x in self.f.names(s))
        premise_uses += "; " if premise_uses else ""
        proof = (
            f"enough (All : forall {name} : Z, (0 <= {name})%Z -> {claim}) by exact (All {all_names}); "
            f"clear {' '.join(x for s in (n, *others) for x in self.f.names(s)[::-1])}; "
            f"apply (natlike_ind (fun {name} : Z => {claim})); "
            f"[{intro}pose proof {self.f.use(base, {n: '0%Z'}, 'lia')} as G; becomes G "
            f"| intros {name} R_{name} IH; rewrite <- Z.add_1_r; {intro}{premise_uses}"
            f"pose proof {self.f.use(step)} as G; becomes G]"
        )
        if self.is_further("induction"):
            proof = proof.replace("becomes G", "further_becomes G")
        if self.is_deeper("induction"):
            if SIGNED not in self.lines:
                self.lines.append(SIGNED)
            proof = proof.replace("further_becomes G", "first [further_becomes G | solve [signed_becomes G]]")
        self._lemma("induction", fact, (), proof, params)

    def _cases(self, e: Entry) -> None:
        """Write the lemma that holds in each of two cases, by comparing the two sides of the first case's condition."""
        (fact,) = e.made
        (first_fact, second_fact) = e.using
        (a,), (b,) = e.told["pair"]
        p = Premise(a, 0)
        q = Premise(b, 0)
        r = self.f.given(p)
        premises = self.f.premises(self.f.rests_on(fact))
        params = tuple(
            sorted({*self.f.params(fact.relation, premises, (first_fact, second_fact)), *self.f.fixed(p)}, key=str)
        )
        lhs = self.p.real(r.lhs)
        rhs = self.p.real(r.rhs)
        one_case, other_case = (
            f"assert ({self.f.hypothesis(h)} : {self.f.stated(h)}) by lra; exact {self.f.use(u)}"
            for h, u in ((p, first_fact), (q, second_fact))
        )
        proof = f"destruct (Rtotal_order ({lhs}) ({rhs})) as [ | [ | ]]; first [{one_case} | {other_case}]"
        self._lemma("cases", fact, (), proof, params)

    def _define(self, e: Entry) -> None:
        """Write the definition of a name, the lemma that states its meaning, and that of its declared sign, if any."""
        (fact,) = e.made
        symbol = e.told["symbol"]
        label, _ = head(symbol)
        places = list(symbol.indices) if isinstance(symbol, sp.Indexed) else []
        if any(not isinstance(k, sp.Symbol) for k in places):
            raise NotExported(f"{symbol}: a definition at particular places")
        is_integer = symbol.is_integer
        meaning = fact.relation.rhs
        binders = [
            f"({self.p.name(s)} : {'Z' if s.is_integer else 'R'})" for s in (*self.f.extra.get(label, ()), *places)
        ]
        meaning_text = self.p.whole(meaning) if is_integer else self.p.real(meaning)
        name = self.p.name(label)
        self.lines.append(f"Definition {name} {' '.join(binders)} : {'Z' if is_integer else 'R'} := {meaning_text}.")
        proof = f"unfold {name}; whole; by_field" if self.is_further("define") else "reflexivity"
        self._lemma("define", fact, e.using, proof)
        self._declared_sign(fact, symbol, e.using)
        self.lines.append(f"Opaque {name}.")

    def _declared_sign(self, fact: Fact, symbol: Any, sign_facts: tuple[Fact, ...]) -> None:
        """The sign with which a name was declared, once its meaning has it."""
        if not symbol.is_nonnegative:
            return
        sign = Relation(symbol, ">" if symbol.is_positive else ">=", sp.S.Zero)
        sign_fact = Fact(sign, self.f.rests_on(fact))
        self.kept.append(sign_fact)
        uses = "; ".join(f"pose proof {self.f.use(u)}" for u in sign_facts)
        self._lemma(
            "sign", sign_fact, (fact, *sign_facts), f"{uses + '; ' if uses else ''}rewrite {self.f.use(fact)}; lra"
        )
        self.f.signs[head(symbol)[0]] = sign_fact

    def _recursion(self, e: Entry) -> None:
        for k, fact in enumerate(e.made):
            name = f"recursion_{self.p.name(e.made[0].relation.lhs.base.label)}_{k}"
            params = self.f.params(fact.relation, ())
            lemma = Lemma(name, params, (), fact.relation)
            self.f.lemmas[id(fact)] = lemma
            self.lines.append(f"Hypothesis {name} : {self.f.quantified(lemma)}.")

    def _grouped(self, e: Entry) -> None:
        """A sum in groups; the rule is shown in the file that uses it."""
        if GROUPED not in self.lines:
            self.lines.append(GROUPED)
        size = e.using[0]
        proof = grouping(self.p, e.told["body"], e.told["name"], e.told["joined"], size.relation, self.f.use(size))
        self._lemma("grouped", e.made[0], e.using, proof)

    def _extremum(self, e: Entry) -> None:
        """Write the definition of a minimum or maximum over the tokens, and the lemmas that it bounds all and is attained."""
        bound, attained = e.made
        symbol = e.told["symbol"]
        expression = e.told["expression"]
        token = e.told["token"]
        at = sp.Symbol(f"{symbol.name}_at", integer=True)
        numbers = self.f.extra.get(symbol, ())
        binders = " ".join(f"({self.p.name(s)} : {'Z' if s.is_integer else 'R'})" for s in numbers)
        body = f"(fun {self.p.name(token)} : Z => {self.p.real(expression)})"
        kind = "least" if e.told["least"] else "largest"
        v = self.p.name(V)
        lemma_name = "least_least" if e.told["least"] else "largest_most"
        place = self.p.name(at)
        value = self.p.name(symbol)
        call = f"({place} {' '.join(map(self.p.name, numbers))})" if numbers else place
        self.lines += [
            f"Definition {place} {binders} : Z := {kind}_at 1%Z {v} {body}.",
            f"Definition {value} {binders} : R := {body} {call}.",
            f"Lemma R_{place} {binders} : (1 <= {call} <= {v})%Z.\nProof. intros; apply {kind}_range, V_some. Qed.",
        ]
        turn = "apply Rle_ge; " if e.told["least"] else ""
        self._lemma("extremum", bound, (), f"{turn}apply ({lemma_name} 1%Z {v} {body}); assumption")
        self._lemma("extremum", attained, (), "reflexivity")
        self.lines.append(f"Opaque {place} {value}.")

    def _sign(self, e: Entry) -> None:
        symbol = e.told["symbol"]
        meaning = e.told["expression"]
        label, _ = head(symbol)
        binders = " ".join(f"({self.p.name(s)} : Z)" for s in (*self.f.extra.get(label, ()), *symbol.indices))
        self.lines.append(f"Definition {self.p.name(label)} {binders} : R := sign_of {self.p.real(meaning)}.")
        turned = "" if e.made[2].relation.lhs.as_ordered_factors()[0] == symbol else "rewrite Rmult_comm; "
        tactics = ("apply sign_most", "apply sign_least", f"{turned}apply sign_times")
        for fact, tactic in zip(e.made, tactics, strict=True):
            self._lemma("sign", fact, (), f"unfold {self.p.name(label)}; {tactic}")
        self.lines.append(f"Opaque {self.p.name(label)}.")

    def _numeric(self, e: Entry) -> None:
        proof = "first [lra | numbers]"
        if self.is_deeper("numeric") and (script := compared(self.p, e.made[0].relation)) is not None:
            proof = script
        self._lemma("numeric", e.made[0], e.using, proof)

    def _increasing(self, e: Entry) -> None:
        """The mean value theorem: the derivative is found by rules, and is not negative by the slope at any place between."""
        (fact,) = e.made
        (slope, beyond, *derived) = e.using
        f, variable, start = (e.told[k] for k in ("f", "variable", "start"))
        at = {variable: "t_"}
        r = slope.relation
        texts = [f"(fun t_ : R => {self.p.real(expression, at)})" for expression in (f, r.lhs - r.rhs)]
        posed_facts = "; ".join(f"pose proof {self.f.use(u)}" for u in (beyond, *derived))
        use = self.f.use(slope, at, "between")
        begin = self.p.real(start)
        end = self.p.name(variable)
        sums = any(variable in s.free_symbols for s in f.atoms(sp.Sum))
        slopes = "first [by_exponents | cbv beta; simpl INR; simpl pred; by_parts]" if sums else "by_exponents"
        proof = (
            f"{posed_facts}; apply Rle_ge; apply (sides_le (l' := {texts[0]} {begin}) (r' := {texts[0]} {end})); "
            f"[{self._started(f, variable, start)} | by_exponents | apply (grows {texts[0]} {texts[1]} {begin} {end})]; "
            f"[lra | intros t_ R_t_; eapply D_is; [derivative | {slopes}] "
            f"| intros t_ R_t_; cbv beta; pose proof {use}; lra]"
        )
        if self.is_further("increasing"):
            way = "functions" if self.is_deeper("increasing") else "further"
            proof = proof.replace("at_start", f"{way}_start").replace("by_exponents", f"{way}_slopes")
        self._lemma("increasing", fact, e.using, proof)

    def _started(self, f: Any, variable: Any, start: Any) -> str:
        """Tactic: a function at the start is what it is written as there; its sums become those of their terms there."""
        sums = [s for s in f.atoms(sp.Sum) if variable in s.free_symbols and len(s.limits) == 1]
        if not sums or start != 0:
            return "at_start"
        out = "cbv beta; "
        for s in sorted(sums, key=sp.default_sort_key):
            ((name, low, high),) = s.limits
            body = s.function.subs(variable, 0)
            at = f"{self.p.whole(low)} {self.p.whole(high)}"
            terms = f"(Sum {at} (fun {self.p.name(name)} : Z => {self.p.real(body)}))"
            same = f"first [reflexivity | sum_const {self.p.whole(high)}]"
            out += (
                f"replace {self.p.real(s, {variable: '0'})} with {self.p.real(s.subs(variable, 0))} by (symmetry; "
                f"transitivity {terms}; [apply Sum_ext; intros; cbv beta; at_start | {same}]); "
            )
        return f"{out}by_field"

    def _refused(self, e: Entry) -> None:
        if not e.made:
            raise NotExported("an enumeration of cases")
        self._lemma("unknown", e.made[0], e.using, "fail")


RULES: dict[str, Callable[[_Export, Entry], None]] = {
    "given": _Export._given,
    "same": _Export._same,
    "derive": _Export._derive,
    "sum": _Export._sum,
    "term": _Export._term,
    "instance": _Export._instance,
    "induction": _Export._induction,
    "cases": _Export._cases,
    "define": _Export._define,
    "recursion": _Export._recursion,
    "grouped": _Export._grouped,
    "extremum": _Export._extremum,
    "sign": _Export._sign,
    "numeric": _Export._numeric,
    "increasing": _Export._increasing,
    "exhaust": _Export._refused,
}


class Script(NamedTuple):
    """The text of a file, the names of its steps, its conclusions, and what each fact says in it."""

    text: str
    steps: tuple[str, ...]
    conclusions: tuple[Lemma, ...]
    facts: Facts


def script(d: Traced, further: Collection[str] = (), deeper: Collection[str] = ()) -> Script:
    """The file of a derivation.

    The scripts of `further` steps cost more and close more; those of the `deeper` ones, which are among them, most.
    """
    writer = _Export(d, further, deeper)
    text = writer.text()
    return Script(text, tuple(writer.steps), tuple(writer.f.lemmas[id(fact)] for fact in d.finals), writer.f)


def exported(d: Traced, further: Collection[str] = (), deeper: Collection[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text of the file, and the names of its steps; see `script`."""
    text, steps, *_ = script(d, further, deeper)
    return text, steps
