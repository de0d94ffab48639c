// Synthetic target and draft rows that are never stored: drawn from their counters, summed up, and drawn again.
//
// A block draws each row pair twice: for the masses, and for the overlap.  Sums are float64.
#include "model.h"
#include "masses.h"

static_assert(SHARED == LANES, "a lane draws the tokens that share its counter");

template <class D>
__device__ void overlap(const Model<D>& model, u64 row, double* common, u64* sound) {
    typedef typename D::real T;
    __shared__ Masses<T> masses;
    T u[4], v[4], e[4];
    for (int j = threadIdx.x; j < SHARED; j += blockDim.x) {
        Below<T> p = {minus_infinity<T>(), 0}, q = p;
        for (i64 x = j; x < model.vocab; x += FOUR) {
            model.logits(row, x, u, v);
            p.take(u);
            q.take(v);
            if (!model.finite(x, v)) q.sum = minus_infinity<double>() - minus_infinity<double>();  // NaN
        }
        masses.set(j, p, q);
    }
    Few<T, 2> m;
    const Few<double, 2> s = masses.join(m);
    const T p = (T)philox::log(s.at[0]), q = (T)philox::log(s.at[1]);
    for (int j = threadIdx.x; j < SHARED; j += blockDim.x) {
        double kept = 0;
        for (i64 x = j; x < model.vocab; x += FOUR) {
            model.logits(row, x, u, v);
            for (int i = 0; i < 4; ++i) {
                const T a = u[i] - m.at[0] - p, b = v[i] - m.at[1] - q;  // logarithms of both laws
                e[i] = exponential(a > b ? b : a);
            }
            kept += added(e);
        }
        masses.sums[j] = kept;
    }
    const double kept = block_reduce<Sum, 1>(masses.sums).at[0] + (s.at[0] - s.at[0]) + (s.at[1] - s.at[1]);
    if (threadIdx.x == 0) {
        common[blockIdx.x] = kept;
        if (kept >= 0) atomicAdd(sound, (u64)1);
    }
}

// the logits themselves, for a look at rows of interest
template <class D, class T>
__device__ void logits(const Model<D>& model, u64 row, T* target, T* draft) {
    T u[4], v[4];
    for (int j = threadIdx.x; j < SHARED; j += blockDim.x)
        for (i64 x = j; x < model.vocab; x += FOUR) {
            model.logits(row, x, u, v);
            for (int i = 0; i < 4 && x + i * SHARED < model.vocab; ++i) {
                target[blockIdx.x * model.vocab + x + i * SHARED] = u[i];
                draft[blockIdx.x * model.vocab + x + i * SHARED] = v[i];
            }
        }
}

// sums of the logits of each row, without arrays: what it costs to draw every pair once and keep nothing
template <class D>
__device__ void sums(const Model<D>& model, u64 row, double* target, double* draft) {
    typedef typename D::real T;
    __shared__ double lanes[2 * SHARED];
    T u[4], v[4];
    for (int j = threadIdx.x; j < SHARED; j += blockDim.x) {
        double p = 0, q = 0;
        for (i64 x = j; x < model.vocab; x += FOUR) {
            model.pairs(row, (u32)x, u, v);
            if (x + 3 * SHARED >= model.vocab)
                for (int i = 0; i < 4; ++i)
                    if (x + i * SHARED >= model.vocab) u[i] = v[i] = 0;
            p += added(u);
            q += added(v);
        }
        lanes[j] = p;
        lanes[SHARED + j] = q;
    }
    const Few<double, 2> s = block_reduce<Sum, 2>(lanes);
    if (threadIdx.x == 0) {
        target[blockIdx.x] = s.at[0];
        draft[blockIdx.x] = s.at[1];
    }
}

// overlap of each row, NaN where a logit overflows; sound: number of the other rows
KERNEL(overlap_f32, CELLS(float), double* common, u64* sound) { OF_CELL(Singles, overlap, common, sound); }

KERNEL(overlap_f64, CELLS(double), double* common, u64* sound) { OF_CELL(Doubles, overlap, common, sound); }

KERNEL(logits_f32, CELLS(float), float* target, float* draft) { OF_CELL(Singles, logits, target, draft); }

KERNEL(logits_f64, CELLS(double), double* target, double* draft) { OF_CELL(Doubles, logits, target, draft); }

KERNEL(sums_f32, CELLS(float), double* target, double* draft) { OF_CELL(Singles, sums, target, draft); }

KERNEL(sums_f64, CELLS(double), double* target, double* draft) { OF_CELL(Doubles, sums, target, draft); }
