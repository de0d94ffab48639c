// Total variation of bfloat16 logits, each read once: a block holds a pair of rows.
#include "held.h"

KERNEL(held_bf16_1, const u16* a, const u16* b, i64 vocab, double* out) { held<Bfloat, 1>(a, b, vocab, out); }
