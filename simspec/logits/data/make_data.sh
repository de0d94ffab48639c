#!/bin/sh
# Makes the banks that ship, from two folders: MODELS (wiki-target, wiki-draft, tinystories656k, stories260k,
# gpt2-logits) and CORPORA (wikitext2, gsm8k, mbpp, slurp, tinystories1000).  The README says where they come from; SmolLM2
# is what `make smollm2` fetches.
#     MODELS=... CORPORA=... sh make_data.sh
set -eu
: "${MODELS:?folder of the models}" "${CORPORA:?folder of the corpora}"
cd "$(dirname "$0")"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1795132800}"  # 2026-11-20, the date that the banks state

simspec capture --target "$MODELS/wiki-target" --draft "$MODELS/wiki-draft" \
  --text "$CORPORA/wikitext2/test.txt" --text "$CORPORA/gsm8k/test.jsonl" \
  --text "$CORPORA/mbpp/mbpp.jsonl" --text "$CORPORA/slurp/test.jsonl" \
  --contexts 300 --tuning 64 --statistics 60000 --device cpu \
  --licence "models Apache-2.0; WikiText-2 CC BY-SA 3.0; gsm8k MIT; mbpp and slurp CC BY 4.0" \
  --note "none of the text was seen in training; statistics come from other documents of the same files" \
  -o wiki.safetensors

simspec capture --target "$MODELS/tinystories656k" --draft "$MODELS/stories260k" \
  --text "$CORPORA/tinystories1000/tinystories_1000.json" \
  --contexts 300 --tuning 64 --statistics 20000 --device cpu \
  --licence "tinystories656k Apache-2.0; stories260k MIT; TinyStories CDLA-Sharing-1.0" \
  --note "the stories are from the training split: both models have probably seen them" \
  -o stories.safetensors

# of another day than the others; it says what it will take, and a run that is interrupted goes on; with --whole-rows all and
# another name it makes the full bank, whose rows are all whole, which does not ship
SOURCE_DATE_EPOCH=1795910400 python -m simspec.logits.capture.smollm2_bank "$CORPORA" smollm2.safetensors
# then the statistics of the target's own answers, beside those of texts
python -m simspec.logits.capture.answer_statistics "$CORPORA" smollm2.safetensors with_answers.safetensors
mv with_answers.safetensors smollm2.safetensors

simspec capture --logits "$MODELS/gpt2-logits/gpt2_small_lastpos_logits.npz" \
  --vocab "$MODELS/gpt2-logits/encoder.json" --records "$MODELS/gpt2-logits/prompts.json" \
  --licence "MIT (GPT-2; recordings from the Transformer Explainer project)" \
  --note "five recorded vectors of GPT-2 small, an illustration; no draft, no true next token" \
  -o gpt2.safetensors
