// Total variation of float32 logits, each read once: a block holds a pair of rows.
#include "held.h"

KERNEL(held_f32_1, const float* a, const float* b, i64 vocab, double* out) { held<Single, 1>(a, b, vocab, out); }
