// Total variation of bfloat16 logits, each read once: a cluster of blocks holds a pair of rows (compute capability 9.0).
#include "held.h"

CLUSTER_KERNEL(2, held_bf16_2, const u16* a, const u16* b, i64 vocab, double* out) { held<Bfloat, 2>(a, b, vocab, out); }

CLUSTER_KERNEL(4, held_bf16_4, const u16* a, const u16* b, i64 vocab, double* out) { held<Bfloat, 4>(a, b, vocab, out); }

CLUSTER_KERNEL(8, held_bf16_8, const u16* a, const u16* b, i64 vocab, double* out) { held<Bfloat, 8>(a, b, vocab, out); }
