// Total variation of the softmax laws of two rows of logits: one block a row pair.
//
// The rows are read twice.  First each lane keeps its largest logit so far and the sum of the exponentials below it, which a
// larger one rescales; then the differences are summed, from the end of the rows, which the cache still holds, to their
// beginning.  A lane takes STEP tokens at once, so that their reads are under way together.  Exponentials in the type of the
// logits, the rest in float64.
#include "reduce.h"

const int STEP = 8;

template <class T>
__device__ inline void read(const T* row, i64 first, i64 vocab, T (&z)[STEP]) {
    for (int i = 0; i < STEP; ++i) z[i] = first + i * LANES < vocab ? row[first + i * LANES] : minus_infinity<T>();
}

// The largest logit so far and the sum of the exponentials below it
template <class T>
struct Below {
    T top;
    double sum;

    __device__ void take(const T (&z)[STEP]) {
        T most = z[0];
        for (int i = 1; i < STEP; ++i) most = larger(most, z[i]);
        if (most == minus_infinity<T>()) return;  // nothing to add, and no difference to take
        if (!(most <= top)) {                     // larger, or NaN
            sum *= exponential((double)top - (double)most);
            top = most;
        }
        for (int i = 0; i < STEP; ++i) sum += exponential(z[i] - top);
    }
};

template <class T>
__device__ void tv(const T* a, const T* b, i64 vocab, double* out) {
    __shared__ T tops[2 * LANES], own[2 * LANES];
    __shared__ double sums[2 * LANES];
    const i64 stride = STEP * LANES, last = (vocab - 1) / stride * stride;
    a += blockIdx.x * vocab;
    b += blockIdx.x * vocab;
    T u[STEP], v[STEP];
    for (int j = threadIdx.x; j < LANES; j += blockDim.x) {
        Below<T> p = {minus_infinity<T>(), 0}, q = p;
        for (i64 x = j; x <= last + j; x += stride) {
            read(a, x, vocab, u);
            read(b, x, vocab, v);
            p.take(u);
            q.take(v);
        }
        tops[j] = own[j] = p.top;
        tops[LANES + j] = own[LANES + j] = q.top;
        sums[j] = p.sum;
        sums[LANES + j] = q.sum;
    }
    const Few<T, 2> m = block_reduce<Maximum, 2>(tops);
    for (int j = threadIdx.x; j < LANES; j += blockDim.x)
        for (int i = 0; i < 2; ++i)
            sums[i * LANES + j] *= exponential((double)own[i * LANES + j] - (double)m.at[i]);
    const Few<double, 2> s = block_reduce<Sum, 2>(sums);
    const double p = 1 / s.at[0], q = 1 / s.at[1];
    for (int j = threadIdx.x; j < LANES; j += blockDim.x) {
        double distance = 0;
        for (i64 x = last + j; x >= 0; x -= stride) {
            read(a, x, vocab, u);
            read(b, x, vocab, v);
            for (int i = 0; i < STEP; ++i) {
                const double d = exponential(u[i] - m.at[0]) * p - exponential(v[i] - m.at[1]) * q;
                distance += d < 0 ? -d : d;
            }
        }
        sums[j] = distance;
    }
    const double distance = block_reduce<Sum, 1>(sums).at[0];
    if (threadIdx.x == 0) out[blockIdx.x] = distance / 2;
}

KERNEL(tv_f32, const float* a, const float* b, i64 vocab, double* out) { tv(a, b, vocab, out); }

KERNEL(tv_f64, const double* a, const double* b, i64 vocab, double* out) { tv(a, b, vocab, out); }
