"""The parts of a pair in their order: what is missing is made, what is there is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from simspec.checks import nearest
from simspec.files import write_text
from simspec.logits.bank import Bank, open_bank
from simspec.logits.capture import Options, Prepared, announce, prepare_chat, record
from simspec.logits.capture.chat import read_prompts
from simspec.methods.sd import SD
from simspec.tools.advise.decoders import Setting
from simspec.tools.pair import page, rules, speed, verdicts
from simspec.tools.pair.acceptance import SETTINGS, acceptance, text_order
from simspec.tools.pair.folder import NEEDS, PARTS, Folder
from simspec.tools.pair.lengths import lengths
from simspec.tools.reading import Pairs

__all__ = ["Work"]

Advance = Callable[[str, int], Callable[[int], None]]
"""(what is done, of how much) -> what is told how much more of it is done."""


class Work:
    """The parts of one pair, in a folder.

    Parameters
    ----------
    folder : Folder
    advance : progress, as `simspec.logits.capture.passes.progress_bars` gives it
    says : prints what a capture will take
    """

    def __init__(self, folder: Folder, advance: Advance, says: bool = True) -> None:
        self.folder = folder
        self.request = folder.request
        self._advance = advance
        self._says = says

    def run(self, only: Sequence[str] = ()) -> list[str]:
        """Make the parts that are missing, or those of `only` anew, and return their names.

        Raises
        ------
        ValueError
            for an unknown part, and for one of `only` that needs another which is not done.
        """
        for part_name in only:
            if part_name not in PARTS:
                raise ValueError(f"--only: {part_name!r}{nearest(part_name, PARTS)}; expected {', '.join(PARTS)}")
        part_names = [part_name for part_name in PARTS if part_name in only] if only else list(PARTS)
        self._check_needs(part_names)
        made_parts: list[str] = []
        for part_name in part_names:
            if not only and self.folder.has(part_name):
                continue
            if only:
                self.folder.forget(part_name)
            getattr(self, f"_{part_name}")()
            made_parts.append(part_name)
        return made_parts

    def _check_needs(self, part_names: Sequence[str]) -> None:
        """Raise ValueError, before anything is made, where something needs what is neither there nor to be made."""
        for part_name in part_names:
            for needed in NEEDS[part_name]:
                if needed not in part_names and not self.folder.has(needed):
                    raise ValueError(
                        f"--only: {part_name} needs {needed}, which is not done in {str(self.folder.path)!r}; add --only {needed}"
                    )

    @cached_property
    def prepared(self) -> Prepared:
        """The models, and the answers that the target wrote; loaded when a part needs them."""
        request = self.request
        names = ("device", "batch", "statistics", "tuning")
        return prepare_chat(
            request.target,
            request.draft,
            chat=request.chat,
            answers=self.folder.answers,
            speech=request.speech,
            statistics_text=request.statistics_text,
            settings=Options(
                **{name: getattr(request, name) for name in names}, seed=request.speech.seed, name=self.folder.path.name
            ),
            advance=self._advance,
            announce=partial(print, file=sys.stderr, flush=True) if self._says else lambda line: None,
        )

    @property
    def bank(self) -> Bank:
        """The pair's bank."""
        return open_bank(self.folder.bank)

    def _capture(self) -> None:
        if self._says:
            announce(self.prepared)
        record(self.prepared, self.folder.bank, self._says)

    def _acceptance(self) -> None:
        bank = self.bank
        step = self._advance("acceptance", bank.contexts)
        self.folder.write("acceptance", acceptance(bank, step=step))

    def _lengths(self) -> None:
        self.folder.write("lengths", lengths(self.bank, self.folder.needed("acceptance")))

    def _speed(self) -> None:
        """Costs, advice and runs; each setting is kept as soon as it is measured."""
        rates = self.folder.needed("acceptance")["positions"]
        bank = self.bank
        document = bank.documents[text_order(bank)].tolist()
        draft = self.prepared.draft
        assert draft is not None
        models = (self.prepared.target, draft)
        before = self.folder.read("speed") or {}
        costs = before.get("costs") or speed.costs(*models, self.request.device)
        runs = {row["temperature"]: row["run"] for row in before.get("settings", [])}
        drafter = rules.drafter(self.prepared, bank)
        settings: list[dict[str, Any]] = []
        for temperature, mass in speed.MEASURED:
            accepted = rates[SETTINGS.index((temperature, mass))]
            engine = speed.advised(accepted, document, costs["counted"], 0.0)
            ran = runs.get(temperature)
            if ran is None:
                # the draft tokens that suit an engine: their number is checked, whatever it gains here
                setting = Setting(SD, engine["gamma"], temperature, mass)
                ran = self._measured((models[0], drafter), setting, (accepted, document))
            here = speed.advised(accepted, document, costs["cost"], costs["verify"])
            settings.append({"temperature": temperature, "machine": here, "engine": engine, "run": ran})
            values = {"costs": costs, "settings": settings, "sentence": speed.sentence(settings, costs)}
            self.folder.write("speed", {**values, "complete": len(settings) == len(speed.MEASURED)})

    def _rules(self) -> None:
        """Rules for another tokenizer; each row is kept as soon as it is there."""
        bank = self.bank
        if not rules.has_another_tokenizer(bank):
            self.folder.write("rules", {"rows": [], "tokens": None})
            return
        before = self.folder.read("rules") or {}
        rows = {(row["temperature"], row["rule"]): row for row in before.get("rows", [])}
        tokens = before.get("tokens")
        measured = self.folder.needed("speed")["settings"]
        for setting in measured:
            temperature = setting["temperature"]
            missing = [name for name in rules.NAMES if (temperature, name) not in rows]
            if not missing:
                continue
            pairs = rules.ordered_laws(self.folder.bank, temperature)
            tokens = tokens or rules.overview(bank, pairs)
            for name in missing:
                rows[temperature, name] = self._compared(name, setting, pairs, is_run=setting is measured[-1])
                self.folder.write("rules", {"rows": list(rows.values()), "tokens": tokens, "complete": False})
        self.folder.write("rules", {"rows": list(rows.values()), "tokens": tokens})

    def _compared(self, name: str, setting: dict[str, Any], pairs: Pairs, is_run: bool) -> dict[str, Any]:
        """The row of a rule at a temperature, with a run beside what is predicted."""
        temperature = setting["temperature"]
        gamma = setting["run"]["gamma"]
        rule = rules.rule_of(name, pairs)
        if isinstance(rule, str):
            return {"rule": name, "temperature": temperature, "missing": rule}
        step = self._advance(f"{name} at temperature {temperature:g}", len(pairs.p))
        accepted = rules.accepted_at(rule, pairs, step)
        row = rules.compared(name, temperature, accepted, pairs, gamma)
        if name == "tli":
            row["run"] = setting["run"]
        elif is_run:
            method, _ = rule.at(slice(0, 1), pairs.q[:1])
            models = (self.prepared.target, rules.drafter(self.prepared, self.bank, name))
            predicted = (accepted.tolist(), np.asarray(pairs.document).tolist())
            row["run"] = self._measured(models, Setting(method, gamma, temperature, 1.0), predicted)
        return row

    def _measured(self, models: Any, setting: Setting, accepted: Any) -> dict[str, Any]:
        """A run at one setting, from the prompts."""
        prompts = [w.target[: int(w.positions[0]) + 1] for w in self.prepared.chosen]
        title = f"decoding at temperature {setting.temperature:g}"
        tasks: list[Callable[[int], None]] = []

        def progress(count: int, total: int) -> None:
            if not tasks:
                tasks.append(self._advance(title, total))
            tasks[0](1)

        request = self.request
        how = {"tokens": request.measure, "longest": request.speech.length, "seed": request.speech.seed}
        return speed.measured(models, prompts, setting, accepted, **how, progress=progress)

    def _verdicts(self) -> None:
        claims = verdicts.open_claims()
        verdicts.decide(self.folder, claims, self._advance("claims", len(claims)))

    def _page(self) -> None:
        parts = {
            part_name: self.folder.needed(part_name)
            for part_name in ("acceptance", "lengths", "speed", "rules", "verdicts")
        }
        bank = self.bank
        facts = {**bank.facts(), "answers": f"temperature {self.request.speech.temperature:g}"}
        write_text(page.render(parts, facts, self._answers(bank, parts["acceptance"])), self.folder.page)
        self.folder.write("page", {"parts": self.folder.stamp()})

    def _answers(self, bank: Bank, acceptance: dict[str, Any]) -> list[dict[str, Any]]:
        """Prompt and tokens of the first answers, with the acceptance at each."""
        prompts = read_prompts(self.request.chat)
        order = text_order(bank)
        accepted = np.array(acceptance["positions"][SETTINGS.index((1.0, 1.0))])
        document = bank.documents[order]
        following = bank.index.following[order]
        answers = []
        for number, prompt in enumerate(prompts[: page.MOST_ANSWERS]):
            rows = np.flatnonzero(document == number)
            texts = [bank.tokens[i].decode(errors="replace") for i in following[rows].tolist()]
            question = "\n".join(f"{message['role']}: {message['content']}" for message in prompt.messages)
            tokens = list(zip(texts, accepted[rows].tolist(), strict=True))
            answers.append({"kind": prompt.kind, "prompt": question, "tokens": tokens})
        return answers
