// Total variation of the softmax laws of two rows of logits: one block a row pair.
//
// The rows are read twice: for their masses, and for the differences, from the end of the rows, which the cache may still hold,
// to their beginning.  A lane takes STEP tokens at once, so that their reads are under way together; only the last step looks
// where the row ends.
#include "stored.h"

template <class S, bool WHOLE>
__device__ inline void read(const typename S::stored* row, i64 first, i64 vocab, typename S::real (&z)[STEP]) {
    for (int i = 0; i < STEP; ++i)
        z[i] = WHOLE || first + i * LANES < vocab ? S::value(row[first + i * LANES]) : minus_infinity<typename S::real>();
}

// Two rows of logits, and a lane's part of what is wanted of them
template <class S>
struct Rows {
    typedef typename S::real T;
    const typename S::stored *a, *b;
    i64 vocab;

    template <bool WHOLE>
    __device__ void below(i64 x, Below<T>& p, Below<T>& q) const {
        T u[STEP], v[STEP];
        read<S, WHOLE>(a, x, vocab, u);
        read<S, WHOLE>(b, x, vocab, v);
        p.take(u);
        q.take(v);
    }

    template <bool WHOLE>
    __device__ double distance(i64 x, const Few<T, 2>& m, double p, double q) const {
        T u[STEP], v[STEP];
        double d[STEP];
        read<S, WHOLE>(a, x, vocab, u);
        read<S, WHOLE>(b, x, vocab, v);
        for (int i = 0; i < STEP; ++i)
            d[i] = fabs(exponential(u[i] - m.at[0]) * p - exponential(v[i] - m.at[1]) * q);
        return added(d);
    }
};

template <class S>
__device__ void tv(const typename S::stored* a, const typename S::stored* b, i64 vocab, double* out) {
    typedef typename S::real T;
    __shared__ Masses<T> masses;
    const i64 stride = STEP * LANES, last = (vocab - 1) / stride * stride;
    const Rows<S> rows = {a + blockIdx.x * vocab, b + blockIdx.x * vocab, vocab};
    for (int j = threadIdx.x; j < LANES; j += blockDim.x) {
        Below<T> p = {minus_infinity<T>(), 0}, q = p;
        for (i64 x = j; x < last; x += stride) rows.template below<true>(x, p, q);
        rows.template below<false>(last + j, p, q);
        masses.set(j, p, q);
    }
    Few<T, 2> m;
    const Few<double, 2> s = masses.join(m);
    const double p = 1 / s.at[0], q = 1 / s.at[1];
    for (int j = threadIdx.x; j < LANES; j += blockDim.x) {
        double distance = rows.template distance<false>(last + j, m, p, q);
        for (i64 x = last - stride + j; x >= 0; x -= stride) distance += rows.template distance<true>(x, m, p, q);
        masses.sums[j] = distance;
    }
    const double distance = block_reduce<Sum, 1>(masses.sums).at[0];
    if (threadIdx.x == 0) out[blockIdx.x] = distance / 2;
}

KERNEL(tv_f32, const float* a, const float* b, i64 vocab, double* out) { tv<Single>(a, b, vocab, out); }

KERNEL(tv_f64, const double* a, const double* b, i64 vocab, double* out) { tv<Plain<double>>(a, b, vocab, out); }

KERNEL(tv_f16, const u16* a, const u16* b, i64 vocab, double* out) { tv<Half>(a, b, vocab, out); }

KERNEL(tv_bf16, const u16* a, const u16* b, i64 vocab, double* out) { tv<Bfloat>(a, b, vocab, out); }
