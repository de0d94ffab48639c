// Total variation of float16 logits, each read once: a block holds a pair of rows.
#include "held.h"

KERNEL(held_f16_1, const u16* a, const u16* b, i64 vocab, double* out) { held<Half, 1>(a, b, vocab, out); }
