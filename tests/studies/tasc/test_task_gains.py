"""What drafts and added tokens gain on small tasks whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.logits.corpora import Corpus
from simspec.studies.tasc.task_gains import DRAFTERS, Encoded, draft_gains, encode, savings

SAME = Corpus("same", tuple("abcdefgh"), ("x y z",) * 8, "by hand")


def _random(pairs: int, length: int = 20) -> Corpus:
    rng = np.random.default_rng(0)
    texts = [" ".join(map(str, rng.integers(10_000, size=length))) for _ in range(pairs)]
    return Corpus("random", tuple(map(str, range(pairs))), tuple(texts), "drawn")


def test_an_output_that_is_always_the_same() -> None:
    encoded = encode(SAME, share=0.5)
    assert len(encoded.train) == len(encoded.outputs) == 4
    gains = draft_gains(encoded)
    assert gains["corpus"].estimate == gains["mixed"].estimate == 4  # x y z and the end, in one call
    assert gains["prompt"].estimate == 1  # the inputs hold none of it
    assert draft_gains(encoded, gamma=1)["corpus"].estimate == 2
    assert draft_gains(encoded, gamma=0)["corpus"].estimate == 1
    (saving,) = savings(encoded, budgets=(5,))
    assert saving.added == 1 and saving.train == saving.held_out.estimate == 3


def test_an_output_that_repeats_its_input_is_drafted_from_the_prompt() -> None:
    letters = ["a b c d e f", "f d b a c e", "c a f e d b", "b e d c f a"]
    copy = Corpus("copy", tuple(letters), tuple(letters), "by hand")
    gains = draft_gains(encode(copy, share=0.5))
    assert gains["prompt"].estimate > 2 > gains["corpus"].estimate


def test_control_random_words_gain_nothing() -> None:
    encoded = encode(_random(40))
    for name, interval in draft_gains(encoded).items():
        assert 1 <= interval.estimate < 1.1, name
    assert savings(encoded)[-1].held_out.estimate < 1.05


def test_what_was_learnt_by_heart_does_not_help_elsewhere() -> None:
    """Every output that is learnt from occurs twice there; the words of the others are never neighbours in it."""
    taught = tuple(tuple(range(20 * n, 20 * n + 20)) for n in range(10)) * 2
    held = tuple(tuple(range(n, 200, 10)) for n in range(10))
    saved = savings(Encoded(taught, held, held, 201, "numbers"))[-1]
    assert saved.train > 1.5 and saved.held_out.estimate == 1


def test_budgets_by_hand_and_beyond_what_repeats() -> None:
    """4 1 3 1 3 0 2 in the first text: the merge of 1 3 saves two of ten tokens, then 4 after it one in each text."""
    encoded = Encoded(((4, 1, 3, 1, 3, 0, 2), (4, 1, 3)), ((), ()), ((1, 3), (4, 1, 3, 1)), 6, "numbers")
    found = savings(encoded, budgets=(1, 2, 100), n_max=2)
    assert [(s.added, s.train) for s in found] == [(1, 10 / 7), (2, 10 / 5)]
    assert [s.held_out.estimate for s in found] == [6 / 4, 6 / 3]
    nothing = Encoded(((0, 1), (2, 3)), ((), ()), ((0, 1), (2, 3)), 5, "numbers")
    assert [(s.added, s.train, s.held_out.estimate) for s in savings(nothing)] == [(0, 1, 1)]


def test_normalised_entropy_by_hand() -> None:
    """Held out 0 1 twice, of four tokens: log 2 / log 4; merged it is one token of five.  The inputs 2 0 keep theirs."""
    encoded = Encoded(((0, 1), (0, 1)), ((2, 0), (2, 0)), ((0, 1), (0, 1)), 5, "numbers")
    (saving,) = savings(encoded, budgets=(1,))
    assert [round(i.estimate, 12) for i in saving.entropy["output"]] == [0.5, 0]
    assert [i.estimate for i in saving.entropy["input"]] == pytest.approx([0.5, np.log(2) / np.log(5)])
    assert saving.entropy["output"][0].low == 0.5  # both texts are alike
    uneven = savings(Encoded(encoded.train, ((2,), ()), ((0, 1, 0), (2, 3)), 5, "numbers"), budgets=(1,))[0].entropy
    assert set(uneven) == {"output"} and uneven["output"][0].low < uneven["output"][0].estimate


def test_held_out_pairs_are_taken_from_all_over_the_file() -> None:
    """Output n is n words long, so that its length tells which it is."""
    corpus = Corpus("long", tuple(map(str, range(100))), tuple("x " * n for n in range(100)), "numbers")
    whole, few, more = ([len(x) for x in encode(corpus, 0.5, texts=t).outputs] for t in (None, 5, 99))
    assert few == whole[::10] and more == whole == sorted(whole) and len(whole) == 50


def test_empty_outputs_are_no_trouble() -> None:
    corpus = Corpus("gaps", tuple("abcdefgh"), ("x y z", "") * 4, "by hand")
    encoded = encode(corpus, share=0.6, seed=1)
    assert all(np.isfinite(draft_gains(encoded)[name].high) for name in DRAFTERS)
    assert np.isfinite(savings(encoded)[-1].held_out.high)


def test_progress_ends_at_its_total() -> None:
    told: list[tuple[int, int]] = []
    draft_gains(encode(SAME, share=0.5), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (12, 12) and len(told) == 12


def test_a_tokenizer_of_the_users_own(tmp_path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"x": 0, "y": 1, "?": 2, "never": 3}, unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    encoded = encode(SAME, share=0.5, tokenizer=path)
    assert (
        encoded.train[0] == (0, 1, 2)
        and encoded.vocab == 5
        and encoded.unit == f"tokens of {tmp_path.name}/tokenizer.json"
    )
    assert draft_gains(encoded)["corpus"].estimate == 4


def test_bad_input(tmp_path) -> None:
    with pytest.raises(ValueError, match="tokenizer: no file"):
        encode(SAME, tokenizer=tmp_path / "none.json")
    pytest.importorskip("tokenizers")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match="bad.json cannot be read"):
        encode(SAME, tokenizer=tmp_path / "bad.json")
    with pytest.raises(ValueError, match="texts: 0"):
        encode(SAME, texts=0)
    with pytest.raises(ValueError, match="1 held out"):
        draft_gains(encode(SAME, texts=1))
    for budgets in ((), (0, 5), (5, 2), (-1,)):
        with pytest.raises(ValueError, match="budgets"):
            savings(encode(SAME), budgets)
