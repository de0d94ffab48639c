// Total variation of the softmax laws of two rows of logits: one block a row pair.
//
// The rows are read three times, for the maxima, the sums and the result; rows too long for the cache come from memory
// each time.  Exponentials in the type of the logits, the rest in float64.
#include "reduce.h"

template <class T>
__device__ void tv(const T* a, const T* b, i64 vocab, double* out) {
    __shared__ T tops[2 * LANES];
    __shared__ double sums[2 * LANES];
    a += blockIdx.x * vocab;
    b += blockIdx.x * vocab;
    const Few<T, 2> m = fold<Maximum, 2>(vocab, tops, [=](i64 x) { return Few<T, 2>{{a[x], b[x]}}; });
    const Few<double, 2> s = fold<Sum, 2>(vocab, sums, [=](i64 x) {
        return Few<double, 2>{{exponential(a[x] - m.at[0]), exponential(b[x] - m.at[1])}};
    });
    const double p = 1 / s.at[0], q = 1 / s.at[1];
    const double distance = fold<Sum, 1>(vocab, sums, [=](i64 x) {
        const double d = exponential(a[x] - m.at[0]) * p - exponential(b[x] - m.at[1]) * q;
        return Few<double, 1>{{d < 0 ? -d : d}};
    }).at[0];
    if (threadIdx.x == 0) out[blockIdx.x] = distance / 2;
}

KERNEL(tv_f32, const float* a, const float* b, i64 vocab, double* out) { tv(a, b, vocab, out); }

KERNEL(tv_f64, const double* a, const double* b, i64 vocab, double* out) { tv(a, b, vocab, out); }
