// Total variation of float16 logits, each read once: a cluster of blocks holds a pair of rows (compute capability 9.0).
#include "held.h"

CLUSTER_KERNEL(2, held_f16_2, const u16* a, const u16* b, i64 vocab, double* out) { held<Half, 2>(a, b, vocab, out); }

CLUSTER_KERNEL(4, held_f16_4, const u16* a, const u16* b, i64 vocab, double* out) { held<Half, 4>(a, b, vocab, out); }

CLUSTER_KERNEL(8, held_f16_8, const u16* a, const u16* b, i64 vocab, double* out) { held<Half, 8>(a, b, vocab, out); }
