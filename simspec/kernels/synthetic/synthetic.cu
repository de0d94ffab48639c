// Synthetic target and draft rows that are never stored: drawn from their counters, summed up, and drawn again.
//
// A block draws each row pair twice: for the masses, and for the overlap.  In float64 the logits are to the last bit those of
// simspec/logits/synthetic.py (gaussian or student_t, then correlated), in float32 those of single.h; sums are float64.
#include "draws.h"
#include "masses.h"

static_assert(SHARED == LANES, "a lane draws the tokens that share its counter");

__device__ inline float plus_product(float x, float y, float z) { return fused(x, y, z); }

__device__ inline double plus_product(double x, double y, double z) { return x * y + z; }

template <class D>
struct Model {
    typedef typename D::real T;
    u32 k0, k1;
    u32 purpose, noise;  // of the target's draws and of the draft's own
    D draws;             // by df; infinity is Gaussian
    T rho, rest, spread; // correlation, 1 - rho and sqrt(1 - rho^2)
    const T* location;   // (V,), or one number: step is 0
    const T* scale;      // of Student-t draws in float32: times sqrt(df)
    i64 step, vocab;

    // target and draft logits of the tokens x, x + 256, x + 512 and x + 768; minus infinity beyond the vocabulary
    __device__ void logits(u64 row, i64 x, T (&target)[4], T (&draft)[4]) const {
        draw(draws, k0, k1, row, (u32)x, purpose, target);
        draw(draws, k0, k1, row, (u32)x, noise, draft);
        for (int i = 0; i < 4; ++i) {
            const i64 token = x + i * SHARED;
            if (token >= vocab) {
                target[i] = draft[i] = minus_infinity<T>();
                continue;
            }
            const T centre = location[token * step], wide = scale[token * step];
            target[i] = plus_product(target[i], wide, centre);
            draft[i] = plus_product(draft[i], spread * wide, plus_product(rho, target[i], rest * centre));
        }
    }

    __device__ bool finite(i64 x, const T (&draft)[4]) const {  // a target that overflows takes its draft along
        bool all = true;
        for (int i = 0; i < 4; ++i) all &= x + i * SHARED >= vocab || draft[i] - draft[i] == 0;
        return all;
    }
};

#define MODEL(T)                                                                                                       \
    u32 k0, u32 k1, u64 first_row, u32 purpose, u32 noise, double df, double rho, double spread, const T *location,    \
        const T *scale, i64 step, i64 vocab
#define GIVEN(D)                                                                                                       \
    Model<D>{k0,       k1,    purpose, noise, D(df), (D::real)rho, (D::real)(1 - rho), (D::real)spread,                \
             location, scale, step,    vocab}
// function(model, row, ...) with the model of the draws D<true> or D<false>
#define OF(D, function, ...)                                                                                           \
    if (is_normal(df)) function(GIVEN(D<true>), first_row + blockIdx.x, __VA_ARGS__);                                  \
    else function(GIVEN(D<false>), first_row + blockIdx.x, __VA_ARGS__)

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

// sums of the logits of each row: what it costs to draw every pair once and keep nothing
template <class D>
__device__ void sums(const Model<D>& model, u64 row, double* target, double* draft) {
    typedef typename D::real T;
    __shared__ double lanes[2 * SHARED];
    T u[4], v[4];
    for (int j = threadIdx.x; j < SHARED; j += blockDim.x) {
        double p = 0, q = 0;
        for (i64 x = j; x < model.vocab; x += FOUR) {
            model.logits(row, x, u, v);
            for (int i = 0; i < 4; ++i) {
                const bool there = x + i * SHARED < model.vocab;
                u[i] = there ? u[i] : 0;
                v[i] = there ? v[i] : 0;
            }
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
KERNEL(overlap_f32, MODEL(float), double* common, u64* sound) { OF(Singles, overlap, common, sound); }

KERNEL(overlap_f64, MODEL(double), double* common, u64* sound) { OF(Doubles, overlap, common, sound); }

KERNEL(logits_f32, MODEL(float), float* target, float* draft) { OF(Singles, logits, target, draft); }

KERNEL(logits_f64, MODEL(double), double* target, double* draft) { OF(Doubles, logits, target, draft); }

KERNEL(sums_f32, MODEL(float), double* target, double* draft) { OF(Singles, sums, target, draft); }

KERNEL(sums_f64, MODEL(double), double* target, double* draft) { OF(Doubles, sums, target, draft); }
