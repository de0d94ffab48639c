// Maximum, log-sum-exp and softmax entropy of each row of logits: one block a row, two readings of it.
//
// The meaning is simspec/kernels/softmax/reference.py row_stats.  Exponentials in the type of the logits, sums in float64.
#include "philox.h"
#include "reduce.h"

template <class T>
__device__ void row_stats(const T* logits, i64 vocab, double* maximum, double* logsumexp, double* entropy) {
    __shared__ T tops[LANES];
    __shared__ double sums[2 * LANES];
    const T* z = logits + blockIdx.x * vocab;
    const T m = fold<Maximum, 1>(vocab, tops, [=](i64 x) { return Few<T, 1>{{z[x]}}; }).at[0];
    const Few<double, 2> s = fold<Sum, 2>(vocab, sums, [=](i64 x) {
        const T t = z[x] - m;
        const double e = exponential(t);
        return Few<double, 2>{{e, e == 0 ? e : e * t}};  // not 0 * -inf
    });
    if (threadIdx.x == 0) {
        const bool good = s.at[0] > 0;  // not NaN
        const double log_total = good ? philox::log(s.at[0]) : s.at[0];
        maximum[blockIdx.x] = m;
        logsumexp[blockIdx.x] = m + log_total;
        entropy[blockIdx.x] = log_total - s.at[1] / s.at[0];
    }
}

KERNEL(row_stats_f32, const float* logits, i64 vocab, double* maximum, double* logsumexp, double* entropy) {
    row_stats(logits, vocab, maximum, logsumexp, entropy);
}

KERNEL(row_stats_f64, const double* logits, i64 vocab, double* maximum, double* logsumexp, double* entropy) {
    row_stats(logits, vocab, maximum, logsumexp, entropy);
}
