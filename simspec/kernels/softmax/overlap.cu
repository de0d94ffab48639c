// Two rows of logits: total variation and overlap of their softmax laws, and the residual law of speculative decoding.
//
// One block a row pair.  The rows are read three times, for the maxima, the sums and the result (the residual: four times);
// rows too long for the cache come from memory each time.  Exponentials in the type of the logits, the rest in float64.
#include "softmax.h"

template <class T>
__device__ void overlap(const T* a, const T* b, i64 vocab, double* tv, double* common) {
    __shared__ T tops[2 * LANES];
    __shared__ double sums[2 * LANES];
    const Both<T> laws = softmax(a + blockIdx.x * vocab, b + blockIdx.x * vocab, vocab, tops, sums);
    const Few<double, 2> s = fold<Sum, 2>(vocab, sums, [=](i64 x) {
        const double p = laws.p(x), q = laws.q(x);
        return Few<double, 2>{{p > q ? p - q : q - p, p > q ? q : p + (q - q)}};  // NaN if either is
    });
    if (threadIdx.x == 0) {
        tv[blockIdx.x] = s.at[0] / 2;
        common[blockIdx.x] = s.at[1];
    }
}

// out = (p - q)+ / sum, or p where nothing is left
template <class T>
__device__ void residual(const T* a, const T* b, i64 vocab, T* out) {
    __shared__ T tops[2 * LANES];
    __shared__ double sums[2 * LANES];
    const Both<T> laws = softmax(a + blockIdx.x * vocab, b + blockIdx.x * vocab, vocab, tops, sums);
    const double left = fold<Sum, 1>(vocab, sums, [=](i64 x) {
        const double d = laws.p(x) - laws.q(x);
        return Few<double, 1>{{d < 0 ? 0 : d}};
    }).at[0];
    for (i64 x = threadIdx.x; x < vocab; x += blockDim.x) {
        const double p = laws.p(x), d = p - laws.q(x);
        out[blockIdx.x * vocab + x] = (T)(left == 0 ? p : d < 0 ? 0 : d / left);
    }
}

KERNEL(overlap_f32, const float* a, const float* b, i64 vocab, double* tv, double* common) {
    overlap(a, b, vocab, tv, common);
}

KERNEL(overlap_f64, const double* a, const double* b, i64 vocab, double* tv, double* common) {
    overlap(a, b, vocab, tv, common);
}

KERNEL(residual_f32, const float* a, const float* b, i64 vocab, float* out) { residual(a, b, vocab, out); }

KERNEL(residual_f64, const double* a, const double* b, i64 vocab, double* out) { residual(a, b, vocab, out); }
