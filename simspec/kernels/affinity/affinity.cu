// Mass moved along a softmax affinity that is never stored: each row is formed twice, a number at a time.
//
// Omega / temperature at (i, j) is the sum over r of left[i, r] right[r, j], and own[i] more at j = kept[i].  All float64.
#include "reduce.h"

struct Affinity {
    const double *left, *right, *own;
    const i64* kept;
    i64 rank, vocab;

    __device__ double operator()(i64 i, i64 j) const {
        double sum = 0;
        for (i64 r = 0; r < rank; ++r) sum += left[i * rank + r] * right[r * vocab + j];
        return kept[i] == j ? sum + own[i] : sum;
    }
};

#define AFFINITY const double *left, const double *right, const double *own, const i64 *kept, i64 rank, i64 vocab

// maximum and sum of exponentials of each kept row: one block a row
KERNEL(affinity_rows, AFFINITY, double* shift, double* total) {
    __shared__ double lanes[LANES];
    const Affinity omega{left, right, own, kept, rank, vocab};
    const i64 i = blockIdx.x;
    const double m = fold<Maximum, 1>(vocab, lanes, [=](i64 j) { return Few<double, 1>{{omega(i, j)}}; }).at[0];
    const double s =
        fold<Sum, 1>(vocab, lanes, [=](i64 j) { return Few<double, 1>{{exponential(omega(i, j) - m)}}; }).at[0];
    if (threadIdx.x == 0) {
        shift[i] = m;
        total[i] = s;
    }
}

// out[b, j] += sum over kept rows i, in turn, of weights[i, b] exp(Omega_ij / temperature - shift_i): one thread a column
KERNEL(affinity_move, AFFINITY, const double* shift, const double* weights, i64 count, i64 batch, double* out) {
    const Affinity omega{left, right, own, kept, rank, vocab};
    const i64 j = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vocab) return;
    for (i64 i = 0; i < count; ++i) {
        const double e = exponential(omega(i, j) - shift[i]);
        for (i64 b = 0; b < batch; ++b)
            if (weights[i * batch + b] != 0) out[b * vocab + j] += weights[i * batch + b] * e;
    }
}
