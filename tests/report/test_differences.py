"""Why two models differ: each reason by hand-made intervals, and parts of a bank that hold what they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Evidence
from simspec.logits.bank import open_bank
from simspec.report.differences import (
    differences,
    explained,
    of_files,
    on_recorded_rows,
    spread_evenly,
    write_part,
)
from simspec.studies.rdk.pruning_recorded import read_pruning

SMOLLM2 = "S / S, quantised:3: 39 contexts of the target's own answers, 39 documents, whole rows"
FILES = "S / S, quantised:3: 13 contexts, 13 documents, whole rows"
SMALL = "a / b: 300 contexts, 270 documents"


def record(data: str, estimate: float, half: float = 0.01, n: int = 52, cell: str = "T = 1: rate") -> dict[str, Any]:
    """A record whose one cell must exceed 1/2."""
    interval = (estimate - half, estimate + half)
    row = Evidence(f"{data}; {cell}", data.split(": ")[0], n, estimate, interval, 0.95, {"must exceed": 0.5})
    verdict = "supported" if interval[0] > 0.5 else "unsupported" if interval[1] <= 0.5 else "inconclusive"
    return {"verdict": verdict, "evidence": [row._asdict()], "message": None}


def runs(main: Any, wiki: Any, files: Any, fewer: Any, stories: Any = None) -> dict[str, Any]:
    return {
        "shipped": record(SMOLLM2, *main),
        "wiki": record(SMALL, *wiki, n=300),
        "stories": record(SMALL, *(stories or wiki), n=300),
        "files": record(FILES, *files, n=13),
        "fewer": record(SMALL, *fewer, n=13),
    }


REASONS = {
    # SmolLM2 fails on its answers, wiki holds; SmolLM2 on wiki's texts; wiki on as many contexts
    "open": runs((0.4, 0.3), (0.6,), (0.4, 0.3), (0.6, 0.3)),
    "model": runs((0.4,), (0.6,), (0.4, 0.05), (0.6, 0.05)),
    "count": runs((0.4,), (0.6,), (0.4, 0.05), (0.4, 0.05)),
    "text": runs((0.4,), (0.6,), (0.6, 0.05), (0.6, 0.05)),
    "few": runs((0.4,), (0.6,), (0.5, 0.2), (0.6, 0.2)),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason(reason):
    (cell,) = differences("wiki", REASONS[reason])
    assert cell.reason == reason and cell.cell == "T = 1: rate" and cell.draft == "quantised:3"
    (line,) = explained(REASONS[reason], ("wiki",))
    assert (
        line.startswith("- wiki: 1 cell is judged differently: ")
        and "(1 of 1). For “T = 1: rate”: SmolLM2 (quantised:3) on its answers 0.4 [" in line
    )
    assert "wiki on as many contexts" in line


def test_a_pair_whose_texts_no_other_reads():
    """The model where wiki, on SmolLM2's texts, says the same; where it does not, model and text stay together."""
    alike = runs((0.4,), (0.6,), (0.4, 0.05), (0.6, 0.05), stories=(0.7,))
    unlike = runs((0.4,), (0.41,), (0.4, 0.05), (0.41, 0.05), stories=(0.7,))
    assert [cell.reason for cell in differences("stories", alike)] == ["as wiki"]
    assert [cell.reason for cell in differences("stories", unlike)] == ["both"]
    assert "model and text both differ" in next(explained(unlike, ("wiki", "stories")))


def test_statistics_part_model_and_text():
    """Those of answers beside those of wiki's texts, and those of the pair wiki on the same texts."""
    answers = record("S: 60,100 statistics contexts of the target's own answers, 700 documents", 0.4, n=60000)
    for of_texts, reason in ((0.4, "model"), (0.6, "text")):
        files = record("S: 60,062 statistics contexts of corpus texts, 486 documents", of_texts, n=60000)
        others = {
            name: record("a: 60,002 statistics contexts, 451 documents", 0.6, n=60000) for name in ("wiki", "fewer")
        }
        of = {"shipped": answers, "files": files, **others}
        (cell,) = differences("wiki", of)
        assert cell.reason == reason and cell.fewer is None
        assert f"SmolLM2 on its answers {0.4:g} [" in next(explained(of, ("wiki",)))


def test_cells_that_are_judged_alike_or_not_measured_say_nothing():
    same = runs((0.4,), (0.3,), (0.4,), (0.4,))
    assert differences("wiki", same) == [] and list(explained(same, ("wiki", "stories"))) == []
    apart = runs((0.4,), (0.6,), (0.4,), (0.4,)) | {"wiki": record(SMALL, 0.6, cell="T = 2: rate")}
    assert next(explained(apart, ("wiki",))).startswith(
        "- wiki: no cell that is measured on both is judged differently"
    )


def test_shares_and_choices_do_not_part_cells():
    kept = "kept 4.98 % by frequency (exact: tokens, linear-time: affine), exact less tli"
    main = runs((0.4,), (0.6,), (0.4,), (0.6,))
    cells = {
        name: record(SMALL if name in ("wiki", "fewer") else SMOLLM2, row["evidence"][0]["estimate"], cell=kept)
        for name, row in main.items()
    }
    cells["wiki"] = record(
        SMALL, 0.6, cell="kept 5 % by frequency (exact: logits, linear-time: tokens), exact less tli"
    )
    assert [cell.cell for cell in differences("wiki", cells)] == ["kept 5 % by frequency, exact less tli"]


def test_a_part_of_a_bank_is_a_bank_of_those_contexts(tmp_path):
    bank = open_bank("smollm2")
    for is_kept, whole, cut in ((of_files, 13, 336), (lambda corpus: ~of_files(corpus), 39, 1008)):
        write_part(bank, is_kept, tmp_path / "part.safetensors")
        part = open_bank(tmp_path / "part.safetensors").with_draft("quantised:4")
        rows = np.flatnonzero(is_kept(bank.corpus))
        assert (part.contexts, part.cut.contexts) == (whole, cut)
        assert np.array_equal(part.draft([0]), bank.with_draft("quantised:4").draft(rows[:1]))
        of_kind = bank.of_kind("texts" if whole == 13 else "answers")
        assert set(part.corpus) == set(bank.corpus[rows])
        assert np.array_equal(part.statistics.mean, of_kind.statistics.mean)
        has_whole = part.cut.whole >= 0
        assert has_whole.sum() == whole
        assert np.array_equal(part.corpus[part.cut.whole[has_whole]], part.cut.corpus[has_whole])


def test_contexts_of_wiki_are_as_many_and_of_every_text(tmp_path):
    wiki = open_bank("wiki")
    write_part(wiki, spread_evenly(13), tmp_path / "fewer.safetensors")
    part = open_bank(tmp_path / "fewer.safetensors")
    assert part.contexts == 13 and set(part.corpus) == set(wiki.corpus) and len(part.tuning_target()) > 0


def test_rows_that_ship_decide_on_a_part_as_on_all():
    """All contexts give what the claim says; a part has its own number of contexts, and the same rows."""
    bank = open_bank("smollm2").of_kind("answers")
    drafts = {"main": "quantised:3", "quantised:4": "quantised:4"}
    everything = on_recorded_rows("rdk.real-pruning", bank, drafts, lambda corpus: np.ones(len(corpus), dtype=bool))
    finding = registry()["rdk.real-pruning"].finding
    assert finding is not None
    evidence = [row for row in finding.estimate(read_pruning()) if row.control and "must exceed" in row.control]
    deciding = [row for row in everything["evidence"] if row["control"] and "must exceed" in row["control"]]
    assert [row["interval"] for row in deciding] == [row.interval for row in evidence]
    part = on_recorded_rows("rdk.real-pruning", bank, drafts, lambda corpus: corpus == "chat")
    words = "13 contexts of the target's own answers"
    assert {row["n"] for row in part["evidence"]} == {13} and words in part["evidence"][0]["data"]


def test_rows_of_corpus_texts_ship_too():
    texts = open_bank("smollm2").of_kind("texts")
    drafts = {"texts": "quantised:3", "texts, quantised:4": "quantised:4"}
    files = on_recorded_rows("rdk.real-pruning", texts, drafts, of_files)
    deciding = [row for row in files["evidence"] if row["control"] and "must exceed" in row["control"]]
    assert len(deciding) == 12 and {row["n"] for row in deciding} == {13}
    assert "13 contexts of corpus texts" in deciding[0]["data"]
