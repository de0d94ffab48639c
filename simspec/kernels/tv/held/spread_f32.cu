// Total variation of float32 logits, each read once: a cluster of blocks holds a pair of rows (compute capability 9.0).
#include "held.h"

CLUSTER_KERNEL(2, held_f32_2, const float* a, const float* b, i64 vocab, double* out) { held<Single, 2>(a, b, vocab, out); }

CLUSTER_KERNEL(4, held_f32_4, const float* a, const float* b, i64 vocab, double* out) { held<Single, 4>(a, b, vocab, out); }

CLUSTER_KERNEL(8, held_f32_8, const float* a, const float* b, i64 vocab, double* out) { held<Single, 8>(a, b, vocab, out); }
